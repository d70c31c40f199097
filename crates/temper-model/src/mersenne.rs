//! The Mersenne Twister with the seeding and the integer draws of numpy's `RandomState`.
//!
//! scikit-learn starts its trees and shuffles its folds with it, so trees and folds can only be equal to its own when these
//! numbers are. Source: Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998, with the seeding of 2002; the
//! bounded draws are numpy's masked rejection. For reproducing scikit-learn only: what Temper draws comes from elsewhere.

const SIZE: usize = 624;
const SHIFT: usize = 397;

/// A stream of 32-bit numbers equal to numpy's `RandomState(seed)`.
#[derive(Clone)]
pub struct RandomState {
    state: [u32; SIZE],
    next: usize,
}

impl RandomState {
    /// The stream of `numpy.random.RandomState(seed)`.
    pub fn new(seed: u32) -> Self {
        let mut state = [0; SIZE];
        state[0] = seed;
        for i in 1..SIZE {
            let previous = state[i - 1];
            state[i] = (previous ^ (previous >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        RandomState { state, next: SIZE }
    }

    /// The stream of Python's `random.seed(seed)`.
    pub fn like_python(seed: u32) -> Self {
        let mut stream = RandomState::new(19_650_218);
        let state = &mut stream.state;
        let mut i = 1;
        let wrap = |i: &mut usize, state: &mut [u32; SIZE]| {
            *i += 1;
            if *i == SIZE {
                state[0] = state[SIZE - 1];
                *i = 1;
            }
        };
        for _ in 0..SIZE {
            let previous = state[i - 1];
            state[i] = (state[i] ^ (previous ^ (previous >> 30)).wrapping_mul(1_664_525)).wrapping_add(seed);
            wrap(&mut i, state);
        }
        for _ in 0..SIZE - 1 {
            let previous = state[i - 1];
            state[i] = (state[i] ^ (previous ^ (previous >> 30)).wrapping_mul(1_566_083_941)).wrapping_sub(i as u32);
            wrap(&mut i, state);
        }
        state[0] = 0x8000_0000;
        stream
    }

    /// Python's `random.choice` of two things: the position of the one chosen.
    pub fn choose_of_two(&mut self) -> usize {
        loop {
            let bits = self.next_u32() >> 30;
            if bits < 2 {
                return bits as usize;
            }
        }
    }

    /// The next 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.next == SIZE {
            self.refill();
        }
        let mut bits = self.state[self.next];
        self.next += 1;
        bits ^= bits >> 11;
        bits ^= (bits << 7) & 0x9d2c_5680;
        bits ^= (bits << 15) & 0xefc6_0000;
        bits ^ (bits >> 18)
    }

    /// A number in `0..=max`, drawn as numpy's legacy functions draw it: mask, then reject.
    pub fn up_to(&mut self, max: u32) -> u32 {
        let mask = u32::MAX.checked_shr(max.leading_zeros()).unwrap_or(0);
        loop {
            let value = self.next_u32() & mask;
            if value <= max {
                return value;
            }
        }
    }

    /// numpy's `shuffle` of a one-dimensional array.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.up_to(last as u32) as usize);
        }
    }

    fn refill(&mut self) {
        for i in 0..SIZE {
            let joined = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % SIZE] & 0x7fff_ffff);
            let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + SHIFT) % SIZE] ^ (joined >> 1) ^ twist;
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // numpy.random.RandomState(seed).randint(0, 2**31 - 1), numpy 2.4.
    #[test]
    fn first_integer_equals_the_oracle_of_numpy() {
        let known = [
            (0, 209_652_396),
            (1, 1_791_095_845),
            (2, 1_872_583_848),
            (3, 218_175_338),
            (4, 2_005_877_882),
            (42, 1_608_637_542),
        ];
        for (seed, expected) in known {
            assert_eq!(RandomState::new(seed).up_to((1 << 31) - 2), expected, "seed {seed}");
        }
    }

    // a = numpy.arange(12); numpy.random.RandomState(42).shuffle(a); a.tolist(), numpy 2.4.
    #[test]
    fn shuffle_equals_the_oracle_of_numpy() {
        let mut items: Vec<u32> = (0..12).collect();
        RandomState::new(42).shuffle(&mut items);
        assert_eq!(items, SHUFFLED_12_SEED_42);
    }

    const SHUFFLED_12_SEED_42: [u32; 12] = [10, 9, 0, 8, 5, 2, 1, 11, 4, 7, 3, 6];

    // random.seed(seed); random.choice([0, 1]), Python 3.11.
    #[test]
    fn choice_of_two_equals_the_oracle_of_python() {
        let known = [(0, 1), (1, 0), (2, 0), (3, 0), (4, 0), (5, 1), (42, 0), (123456789, 1), (4294967295, 0)];
        for (seed, expected) in known {
            assert_eq!(RandomState::like_python(seed).choose_of_two(), expected, "seed {seed}");
        }
    }

    // RandomState(5489).randint(0, 2**32, dtype="uint32", size=10000)[-1]: the value in the C++ standard for mt19937.
    #[test]
    fn ten_thousandth_number_is_the_one_in_the_standard() {
        let mut stream = RandomState::new(5489);
        let last = (0..10_000).map(|_| stream.next_u32()).last();
        assert_eq!(last, Some(4_123_659_995));
    }
}
