//! B10: lists of small numbers that have to be met exactly, number by number.

use temper::prelude::*;

const MAGIC: [u8; 4] = [0x7f, 0x45, 0x4c, 0x46];

/// Byte strings of up to 64 bytes.
pub fn messages() -> impl Domain<Value = Vec<u8>> {
    bytes().max_len(64)
}

/// How far a message is from one that starts with a fixed prefix and ends with the checksum of what is between.
pub fn frame_away(message: &[u8]) -> f64 {
    let byte_away = |(at, &wanted): (usize, &u8)| message.get(at).map_or(256, |&byte| u32::from(byte.abs_diff(wanted)));
    let away: u32 = MAGIC.iter().enumerate().map(byte_away).sum();
    let gap = match message {
        [_, _, _, _, body @ .., last] if !body.is_empty() => {
            let sum: u32 = body.iter().map(|&byte| u32::from(byte)).sum();
            (sum + 17).rem_euclid(251).abs_diff(u32::from(*last))
        }
        _ => 256,
    };
    f64::from(away + gap)
}

/// Texts of up to 40 characters, as the numbers of the characters.
pub fn codes() -> impl Domain<Value = Vec<u8>> {
    vecs(ints(32..=126)).max_len(40)
}

/// How far numbers are from those of a name.
pub fn name_away(codes: &[u8]) -> f64 {
    let wanted = b"kernel-7";
    let letters: u32 = codes.iter().zip(wanted).map(|(&a, &b)| u32::from(a.abs_diff(b)).min(95)).sum();
    f64::from(letters) + 95.0 * codes.len().abs_diff(wanted.len()) as f64
}

/// Calendar days as year, month and day, of which one is special.
pub fn days() -> impl Domain<Value = (u16, u8, u8)> {
    (ints(1..=9999), ints(1..=12), ints(1..=31))
}

/// How far a day is from the first one of a calendar.
pub fn day_away(&(year, month, day): &(u16, u8, u8)) -> f64 {
    f64::from(year.abs_diff(1582)) + f64::from(month.abs_diff(10)) + f64::from(day.abs_diff(15))
}
