//! Which fixed seeds the runs of a test replaced, and where: read off their records.
//!
//! Written by `python/temper/bounds/seed_variation.py`, as the reason of a site that no file has. So it is stored with the
//! run like the reasons of all sites.

use crate::sample::run_record::RunRecord;

/// The site under which a run says which seeds it replaced.
const RECORD: i64 = -1;

/// A fixed seed that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedSeed {
    /// The number, as Python writes it.
    pub number: String,
    /// The file in which it took effect, relative to the project.
    pub path: String,
    /// The line there.
    pub line: u32,
}

impl ReplacedSeed {
    fn read(text: &str) -> Option<Self> {
        let mut fields = text.split('\t');
        let (number, path, line) = (fields.next()?, fields.next()?, fields.next()?);
        Some(Self { number: number.to_owned(), path: path.to_owned(), line: line.parse().ok()? })
    }
}

impl std::fmt::Display for ReplacedSeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}:{}", self.number, self.path, self.line)
    }
}

/// The seeds that these runs replaced, in the order in which they took effect.
pub(crate) fn replaced_in(runs: &[&RunRecord]) -> Vec<ReplacedSeed> {
    let mut found: Vec<ReplacedSeed> = Vec::new();
    for record in runs.iter().filter_map(|run| run.sites.get(&RECORD)) {
        for seed in record.reason.split('\u{1e}').filter_map(ReplacedSeed::read) {
            if !found.contains(&seed) {
                found.push(seed);
            }
        }
    }
    found
}

/// All of them in a few words.
pub(crate) fn words(seeds: &[ReplacedSeed]) -> Option<String> {
    let (first, others) = seeds.split_first()?;
    Some(match others.len() {
        0 => first.to_string(),
        1 => format!("{first}, and seed {}", others[0]),
        more => format!("{first}, and {more} more"),
    })
}
