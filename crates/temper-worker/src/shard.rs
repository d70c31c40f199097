//! One part of the work of a job, for machines that share it without talking to each other.
//!
//! Every machine computes the same division from what all of them have: the tests, and the durations that their stores know
//! because they began with the same store. Most tests belong to one part. A test that takes longer than a whole part should
//! is divided by the indices of its runs. So two parts never take the same run, and their stores join into one.

use std::str::FromStr;

/// Part `number` of `of` parts, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    of: usize,
}

/// Why a text is no part.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is no part of a job: write 1/4 for the first of four")]
pub struct NoShard(String);

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let parsed = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parsed {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err(NoShard(text.to_owned())),
        }
    }
}

/// Which runs of a test belong to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardRuns {
    /// None: another part has the test.
    Nothing,
    /// All of them.
    All,
    /// Those whose index leaves this rest when it is divided by the number of parts.
    Rest {
        /// The rest.
        rest: usize,
        /// The number of parts.
        of: usize,
    },
}

impl ShardRuns {
    /// Whether the run with this index is to be taken here.
    #[must_use]
    pub fn has(self, index: usize) -> bool {
        match self {
            ShardRuns::Nothing => false,
            ShardRuns::All => true,
            ShardRuns::Rest { rest, of } => index % of == rest,
        }
    }
}

impl Shard {
    /// Whether this part has the subject of a name, where nothing is known of how long subjects take.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        // FNV-1a (Fowler, Noll and Vo): the same on every machine, and spread evenly over names that differ little.
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
        (hash >> 16) as usize % self.of + 1 == self.number
    }

    /// What this part has of each test, given how long a run of each takes, by name. The longest tests are given out first,
    /// each to the part with least work so far.
    #[must_use]
    pub fn divide(self, tests: &[(&str, f64)]) -> Vec<ShardRuns> {
        let whole: f64 = tests.iter().map(|(_, secs)| secs).sum();
        let share = whole / self.of as f64;
        let mut order: Vec<usize> = (0..tests.len()).collect();
        order.sort_by(|&a, &b| tests[b].1.total_cmp(&tests[a].1).then_with(|| tests[a].0.cmp(tests[b].0)));
        let mut load = vec![0.0; self.of];
        let mut parts = vec![ShardRuns::Nothing; tests.len()];
        for test in order {
            let secs = tests[test].1;
            if secs > share && self.of > 1 {
                load.iter_mut().for_each(|load| *load += secs / self.of as f64);
                parts[test] = ShardRuns::Rest { rest: self.number - 1, of: self.of };
                continue;
            }
            let Some(least) = (0..self.of).min_by(|&a, &b| load[a].total_cmp(&load[b])) else { continue };
            load[least] += secs;
            if least + 1 == self.number {
                parts[test] = ShardRuns::All;
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(of: usize, tests: &[(&str, f64)]) -> Vec<Vec<ShardRuns>> {
        (1..=of).map(|number| Shard { number, of }.divide(tests)).collect()
    }

    #[test]
    fn parts_are_written_as_one_of_some() {
        assert_eq!("2/4".parse(), Ok(Shard { number: 2, of: 4 }));
        for text in ["0/4", "5/4", "1", "a/b", "1/0", "-1/2", ""] {
            assert_eq!(text.parse::<Shard>(), Err(NoShard(text.to_owned())));
        }
    }

    #[test]
    fn every_run_belongs_to_exactly_one_part() {
        let names: Vec<String> = (0..17).map(|number| format!("test_{number}")).collect();
        let tests: Vec<(&str, f64)> = names
            .iter()
            .enumerate()
            .map(|(at, name)| (name.as_str(), if at == 3 { 90.0 } else { at as f64 }))
            .collect();
        for of in 1..6 {
            let parts = divided(of, &tests);
            for test in 0..tests.len() {
                for index in 0..40 {
                    assert_eq!(parts.iter().filter(|part| part[test].has(index)).count(), 1, "{of} {test} {index}");
                }
            }
        }
    }

    #[test]
    fn names_belong_to_one_part_each_and_are_spread() {
        let names: Vec<String> = (0..400).map(|number| format!("pkg.module.function_{number}")).collect();
        let count = |number: usize| names.iter().filter(|name| Shard { number, of: 4 }.has(name)).count();
        let counts = [1, 2, 3, 4].map(count);
        assert_eq!(counts.iter().sum::<usize>(), 400);
        assert!(counts.iter().all(|count| (60..140).contains(count)), "{counts:?}");
    }

    #[test]
    fn long_tests_are_divided_and_the_rest_is_spread_evenly() {
        let parts = divided(2, &[("a", 1.0), ("b", 100.0), ("c", 2.0), ("d", 3.0)]);
        assert_eq!(parts[0][1], ShardRuns::Rest { rest: 0, of: 2 });
        assert_eq!(parts[1][1], ShardRuns::Rest { rest: 1, of: 2 });
        let of_first = |test: usize| parts[0][test] == ShardRuns::All;
        assert_eq!([of_first(0), of_first(2), of_first(3)], [false, false, true], "3 against 2 and 1");
    }

    #[test]
    fn the_division_does_not_depend_on_the_order_of_tests() {
        let tests = [("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.0), ("e", 1.0)];
        let backwards: Vec<(&str, f64)> = tests.iter().rev().copied().collect();
        for (part, other) in divided(3, &tests).into_iter().zip(divided(3, &backwards)) {
            assert_eq!(part, other.into_iter().rev().collect::<Vec<_>>());
        }
    }
}
