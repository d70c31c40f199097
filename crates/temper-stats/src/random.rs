//! The one source of randomness: a seeded generator, never the clock.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Seeded random numbers; the same seed gives the same numbers on every machine.
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// A generator for this seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Uniform, strictly between 0 and 1.
    pub fn open(&mut self) -> f64 {
        ((self.0.next_u64() >> 12) as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64)
    }

    /// Uniform among `0..n`; 0 when `n` is 0.
    pub fn index(&mut self, n: usize) -> usize {
        // The bias of the multiply-shift is below n / 2^64.
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        crate::special::normal_quantile(self.open())
    }
}
