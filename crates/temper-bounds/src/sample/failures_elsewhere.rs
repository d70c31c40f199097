//! Failures of a test by luck outside its approximate assertions: an exact comparison, an exception now and then.

use temper_source::ContentHash;
use temper_stats::Confidence;
use temper_stats::interval::{ShareInterval, clopper_pearson};

use crate::sample::run_record::{RunEnd, RunRecord};

/// What some runs of a test showed, and others did not.
#[derive(Clone, Debug, PartialEq)]
pub struct FailuresElsewhere {
    /// Runs that ended so.
    pub failures: usize,
    /// Of this many.
    pub runs: usize,
    /// The share of such runs, with its exact interval.
    pub rate: ShareInterval,
    /// The seed of the first of them.
    pub seed: u64,
    /// What Python said in it.
    pub said: String,
}

impl FailuresElsewhere {
    /// Nothing if no run ended so, or none passed: then it is no luck.
    pub(crate) fn of(runs: &[&RunRecord], confidence: Confidence) -> Option<Self> {
        let said = |run: &RunRecord| match &run.end {
            RunEnd::Error(said) | RunEnd::Failed(said) => Some((run.seed, said.clone())),
            RunEnd::Passed | RunEnd::Skipped(_) => None,
        };
        let failures = runs.iter().filter(|run| said(run).is_some()).count();
        let has_passed = runs.iter().any(|run| run.end == RunEnd::Passed);
        let (seed, said) = runs.iter().find_map(|run| said(run)).filter(|_| has_passed)?;
        let rate = clopper_pearson(failures, runs.len(), confidence).ok()?;
        Some(Self { failures, runs: runs.len(), rate, seed, said })
    }
}

/// The id of such a finding, by its test.
#[must_use]
pub fn id(node: &str) -> String {
    let hash = ContentHash::of(format!("elsewhere\n{node}").as_bytes()).0;
    format!("B{:05x}", hash >> 44)
}
