//! The random source behind every fresh draw: xoshiro256++ (Blackman and Vigna) with our own sampling of integers and
//! floats, so that a seed gives the same values whatever version of `rand` a project uses. Changing a function of this
//! file changes what every saved seed means; saved choice trees are not touched by it.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A seeded random source.
#[derive(Clone, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// A source whose whole future is fixed by `seed`.
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        let mut bytes = [0u8; 32];
        for word in bytes.chunks_exact_mut(8) {
            word.copy_from_slice(&split_mix(&mut state).to_le_bytes());
        }
        Rng(Xoshiro256PlusPlus::from_seed(bytes))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// An integer uniform in `0..n`; 0 when `n` is 0. Lemire's multiplication, without its rejection step when the bias
    /// is below 2^-32: no test can see it, and one draw costs one output.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        if n <= u64::from(u32::MAX) {
            return ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64;
        }
        let mask = u64::MAX >> n.leading_zeros();
        loop {
            let candidate = self.bits() & mask;
            if candidate < n {
                return candidate;
            }
        }
    }

    /// An index uniform in `0..n`; 0 when `n` is 0.
    #[inline]
    pub fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }

    /// An integer uniform in `0..=max`.
    #[inline]
    pub fn up_to(&mut self, max: u64) -> u64 {
        match max.checked_add(1) {
            Some(n) => self.below(n),
            None => self.bits(),
        }
    }

    /// A float uniform in `[0, 1)`, a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// `true` with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// A float uniform in `[-1, 1)`.
    #[inline]
    pub fn signed_unit(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// A new source, independent of what this one gives from here on.
    pub fn split(&mut self) -> Rng {
        Rng::new(self.bits())
    }
}

/// One step of SplitMix64 (Steele, Lea and Flood), used to spread a seed over a larger state.
#[inline]
pub(crate) fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_gives_the_published_sequence() {
        // First outputs of the reference C program for seed 1234567.
        let mut state = 1_234_567;
        let expected = [6457827717110365317, 3203168211198807973, 9817491932198370423];
        assert_eq!(expected.map(|_| split_mix(&mut state)), expected);
    }

    #[test]
    fn below_stays_below_and_reaches_both_ends() {
        let mut rng = Rng::new(1);
        for n in [1u64, 2, 3, 10, 1 << 40, u64::MAX] {
            assert!((0..1000).all(|_| rng.below(n) < n), "below({n})");
        }
        let mut seen = [0u32; 7];
        (0..7000).for_each(|_| seen[rng.index(7)] += 1);
        // Each cell is binomial(7000, 1/7): 200 away from 1000 is 6.8 standard deviations.
        assert!(seen.iter().all(|&count| (800..1200).contains(&count)), "{seen:?}");
        assert_eq!(rng.below(0), 0);
    }

    #[test]
    fn one_seed_gives_one_sequence() {
        let (mut a, mut b) = (Rng::new(9), Rng::new(9));
        assert!((0..100).all(|_| a.bits() == b.bits()));
        assert_ne!(Rng::new(1).bits(), Rng::new(2).bits());
    }
}
