//! Damaged inputs for everything that reads a file or a message: seeded, so that every run tries the same ones.
//!
//! A target tries 10,000 of them, and goes on until `TEMPER_FUZZ_SECS` seconds are over; `TEMPER_FUZZ_SEED` says which ones. `make fuzz`
//! sets both.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// No input may keep a reader busy for longer, by the clock; an input that did is read again, because a busy machine is no hang.
const LONGEST: Duration = Duration::from_secs(5);

/// What each target tries at least.
const LEAST: u64 = 10_000;

/// Feeds damaged forms of `samples` to `read`, which must return, with a value or an error.
///
/// # Panics
/// When `read` panics or hangs; the message holds the input.
pub fn fuzz(target: &str, samples: &[&[u8]], mut read: impl FnMut(&[u8])) {
    let until = Instant::now() + Duration::from_secs(number("TEMPER_FUZZ_SECS").unwrap_or(0));
    let mut random =
        Random(number("TEMPER_FUZZ_SEED").unwrap_or(0).wrapping_mul(0x9E37_79B9).wrapping_add(0x1234_5678_9ABC));
    let mut count = 0;
    let mut longest = Duration::ZERO;
    while count < LEAST || Instant::now() < until {
        let mut input = samples[random.below(samples.len())].to_vec();
        for _ in 0..=random.below(6) {
            damage(&mut input, samples, &mut random);
        }
        let mut time = || {
            let start = Instant::now();
            let result = catch_unwind(AssertUnwindSafe(|| read(&input)));
            assert!(result.is_ok(), "{target}: input {count} panics: {}", input.escape_ascii());
            start.elapsed()
        };
        let taken = Some(time()).filter(|&taken| taken < LONGEST).unwrap_or_else(|| time().min(time()));
        assert!(taken < LONGEST, "{target}: input {count} takes {taken:?}: {}", input.escape_ascii());
        longest = longest.max(taken);
        count += 1;
    }
    report(target, count, longest);
}

#[expect(clippy::print_stdout, reason = "the count is the result of a campaign")]
fn report(target: &str, inputs: u64, longest: Duration) {
    println!("{target}: {inputs} inputs, none longer than {longest:.1?}");
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Numbers and texts at which readers stumble.
const ODD: [&[u8]; 18] = [
    b"",
    b"\0",
    b"\xff",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x80",
    b"-1",
    b"9223372036854775808",
    b"1e999",
    b"nan",
    b"null",
    b"\"",
    b"\\u0000",
    b"[[[[[[[[",
    b"{",
    b"\r\n",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b",,,,",
];

fn damage(input: &mut Vec<u8>, samples: &[&[u8]], random: &mut Random) {
    let at = random.below(input.len() + 1);
    let end = (at + 1 + random.below(16)).min(input.len());
    match random.below(7) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 if at < input.len() => input[at] = random.below(256) as u8,
        2 => drop(input.drain(at.min(end)..end)),
        3 => input.truncate(at),
        4 => drop(input.splice(at..at, ODD[random.below(ODD.len())].iter().copied())),
        5 => {
            let again = input[at.min(end)..end].to_vec();
            for _ in 0..=random.below(40) {
                input.splice(at..at, again.iter().copied());
            }
        }
        _ => {
            let other = samples[random.below(samples.len())];
            input.truncate(at);
            input.extend(&other[random.below(other.len() + 1)..]);
        }
    }
}

/// xorshift64*: enough for inputs, and without a dependency.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit.max(1) as u64) as usize
    }
}
