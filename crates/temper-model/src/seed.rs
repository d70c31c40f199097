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

/// A stream of random numbers from one seed (SplitMix64), for work in which every nanosecond is paid a million times.
pub(crate) struct SeedStream {
    state: u64,
}

impl SeedStream {
    /// A stream that depends on all parts.
    pub(crate) fn new(parts: &[u64]) -> SeedStream {
        SeedStream { state: mixed(parts) }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A position below `count`, which is at least 1 and far below 2^32.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (((self.next() >> 32) * count as u64) >> 32) as usize
    }

    /// Puts a list into random order.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}
