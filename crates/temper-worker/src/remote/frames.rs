//! Frames between this program, the bridge and the other machines: a length in four bytes, then the content.

use std::io::{self, Read, Write};

/// No frame is longer: a length above it comes from something that is no bridge.
const LONGEST: usize = 1 << 30;

/// Writes one frame.
pub(super) fn write(to: &mut impl Write, parts: &[&[u8]]) -> io::Result<()> {
    let length = parts.iter().map(|part| part.len()).sum::<usize>();
    let length = u32::try_from(length).map_err(|_| io::Error::other("a message is too long"))?;
    to.write_all(&length.to_le_bytes())?;
    for part in parts {
        to.write_all(part)?;
    }
    to.flush()
}

/// Reads one frame; nothing at the end.
pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        done => done?,
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::Error::other("a message is too long"));
    }
    let mut content = vec![0; length];
    from.read_exact(&mut content)?;
    Ok(Some(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_until_the_end() {
        let mut bytes = Vec::new();
        write(&mut bytes, &[b"ab", b"", b"c"]).unwrap();
        write(&mut bytes, &[]).unwrap();
        let mut rest = bytes.as_slice();
        assert_eq!(read(&mut rest).unwrap().unwrap(), b"abc");
        assert_eq!(read(&mut rest).unwrap().unwrap(), b"");
        assert_eq!(read(&mut rest).unwrap(), None);
        assert!(read(&mut &bytes[..6]).is_err(), "cut in the middle");
        assert!(read(&mut [0xff_u8; 8].as_slice()).is_err(), "no length");
    }
}
