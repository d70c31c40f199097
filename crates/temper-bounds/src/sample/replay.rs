//! One run again: the test with the seed of a finding, as it is on disk and with its probes.

use std::path::Path;
use std::sync::Arc;

use temper_worker::{Driver, Flow, LayerSpec, Limits, Memory, Piece, Report, Subjects, Task};

use crate::Seeds;
use crate::plan::sampling_plan::SamplingPlan;
use crate::sample::node_id;
use crate::sample::run_record::RunRecord;
use crate::sample::scheduler::BoundsError;
use crate::sample::shared_process;

/// What is run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReplay {
    /// The test.
    pub node: String,
    /// The seed of the run.
    pub seed: u64,
    /// Whether fixed seeds varied.
    pub seeds: Seeds,
    /// Line of the assertion.
    pub line: u32,
}

/// The result.
#[derive(Debug)]
pub struct ReplayedRun {
    /// What the sites showed.
    pub record: RunRecord,
    /// The run without probes, with what pytest says; nothing where seeds varied, since the file on disk fixes them.
    pub plain: Option<Report>,
    /// The files and sites.
    pub plan: SamplingPlan,
}

impl RunReplay {
    /// The text that the store keeps.
    #[must_use]
    pub fn to_text(&self) -> String {
        let seeds = if self.seeds == Seeds::Vary { "vary" } else { "keep" };
        format!("{} {seeds} {} {}", self.seed, self.line, self.node)
    }

    /// The replay that [`RunReplay::to_text`] wrote.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, ' ');
        let seed = parts.next()?.parse().ok()?;
        let seeds = if parts.next()? == "vary" { Seeds::Vary } else { Seeds::Keep };
        let line = parts.next()?.parse().ok()?;
        Some(Self { node: parts.next()?.to_owned(), seed, seeds, line })
    }

    /// Runs it.
    ///
    /// # Errors
    /// When the test cannot be collected, or the workers fail.
    pub fn run(&self, root: &Path, limits: &Limits, driver: &mut Driver) -> Result<Option<ReplayedRun>, BoundsError> {
        let subjects = Subjects::Tests(node_id::arguments(root, [self.node.as_str()].into_iter()));
        let plain = LayerSpec { limits: limits.clone(), ..LayerSpec::new(root.to_path_buf(), subjects) };
        let plain = Arc::new(plain);
        let loaded = driver.warm(&plain)?.map_err(|failure| BoundsError::Load(Box::new(failure)))?;
        let plan = SamplingPlan::make(root, &loaded, self.seeds, &|_| true);
        let probed = Arc::new(LayerSpec { edits: plan.edits(), ..(*plain).clone() });
        let piece = shared_process::alone(&self.node, self.seed, limits, Memory::AsFound);
        let piece = Piece { wants_traceback: true, ..piece };
        let layers = if self.seeds == Seeds::Keep { vec![probed, plain] } else { vec![probed] };
        let tasks: Vec<Task> = layers.into_iter().map(|layer| Task { layer, pieces: vec![piece.clone()] }).collect();
        let mut reports = Vec::new();
        driver.run(tasks, |report| {
            reports.push(report);
            Flow::Continue
        })?;
        reports.sort_by_key(|report| report.task);
        let mut reports = reports.into_iter();
        let record = reports.next().map(|report| RunRecord::from_report(&report));
        Ok(record.map(|record| ReplayedRun { record, plain: reports.next(), plan }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_is_read_as_it_was_written() {
        let replay = RunReplay { node: "t.py::test_x[a b]".to_owned(), seed: u64::MAX, seeds: Seeds::Vary, line: 7 };
        assert_eq!(RunReplay::from_text(&replay.to_text()), Some(replay));
    }
}
