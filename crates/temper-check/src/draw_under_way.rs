//! The file in which a worker says which draw is under way, so that the draw is known when the worker is killed.

use std::fs;
use std::path::{Path, PathBuf};

use temper_files::Folder;

/// What was under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnderWay {
    /// Nothing of the subject's.
    Nothing,
    /// The draw that this seed gives.
    Seed(u64),
    /// The draw with these choices.
    Tree(Vec<u8>),
}

/// A file that a worker writes to through shared memory.
#[derive(Debug)]
pub struct DrawFile {
    path: PathBuf,
}

impl DrawFile {
    /// The file of this number. The worker makes it when its work begins: made here for thousands of subjects at once, the
    /// files took seconds that no budget could end.
    pub fn numbered(folder: &Folder, number: usize) -> DrawFile {
        DrawFile { path: folder.path().join(format!("draw-{number}")) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the worker wrote last, and how many valid inputs it was done with. A file that cannot be read says
    /// nothing.
    pub fn read(&self) -> (UnderWay, u64) {
        fs::read(&self.path).map_or((UnderWay::Nothing, 0), |bytes| {
            let count = bytes.last_chunk().map_or(0, |count| u64::from_le_bytes(*count));
            (parse(&bytes), count)
        })
    }
}

fn parse(bytes: &[u8]) -> UnderWay {
    match bytes {
        [1, rest @ ..] => match rest.first_chunk() {
            Some(seed) => UnderWay::Seed(u64::from_le_bytes(*seed)),
            None => UnderWay::Nothing,
        },
        [2, rest @ ..] => {
            let len = rest.first_chunk().map_or(0, |len| u32::from_le_bytes(*len) as usize);
            rest.get(4..4 + len).map_or(UnderWay::Nothing, |tree| UnderWay::Tree(tree.to_vec()))
        }
        _ => UnderWay::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use temper_files::PrivateFolder;

    use super::*;

    #[test]
    fn nothing_is_written_before_a_worker_begins() {
        let folder = PrivateFolder::create(&std::env::temp_dir()).unwrap();
        let file = DrawFile::numbered(folder.folder(), 7);
        assert!(folder.folder().names().unwrap().is_empty());
        assert_eq!(file.read(), (UnderWay::Nothing, 0));
        std::fs::write(file.path(), [1, 5, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        assert_eq!(file.read().0, UnderWay::Seed(5));
    }

    #[test]
    fn what_the_worker_wrote_is_read_back() {
        assert_eq!(parse(&[]), UnderWay::Nothing);
        assert_eq!(parse(&[0, 9, 9]), UnderWay::Nothing);
        assert_eq!(parse(&[1, 7, 0, 0, 0, 0, 0, 0, 0, 0]), UnderWay::Seed(7));
        assert_eq!(parse(&[2, 3, 0, 0, 0, 5, 6, 7, 0]), UnderWay::Tree(vec![5, 6, 7]));
        assert_eq!(parse(&[2, 9, 0, 0, 0, 5]), UnderWay::Nothing);
    }
}
