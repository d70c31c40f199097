//! One seed for each piece of work, from the run's seed and what the work is called.

/// Mixes numbers into a seed; each part changes the whole result.
pub(crate) fn mixed(parts: &[u64]) -> u64 {
    // The finaliser of SplitMix64 (Steele, Lea and Flood 2014) after each part.
    parts.iter().fold(0x243f_6a88_85a3_08d3, |state: u64, part| {
        let mut z = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}
