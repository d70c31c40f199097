//! Another body of a test that is written for a flaky site, and the remedy that it becomes when it is chosen.

use temper_source::Test;

use crate::findings::JudgedSite;
use crate::judge::verdict::Rules;
use crate::plan::sampling_plan::PlannedFile;
use crate::propose::candidate::Candidate;
use crate::propose::proposal::{KnownOfRemedy, OtherRemedy, Remedy, RemedyKind};
use crate::propose::rewrite::Draft;
use crate::sample::scheduler::BoundsResult;

/// A flaky site, and what is asked of it.
#[derive(Clone, Copy)]
pub(super) struct RemedySite<'a> {
    pub(super) row: &'a JudgedSite<'a>,
    pub(super) rules: Rules,
}

impl<'a> RemedySite<'a> {
    /// The file and the function of the test that speaks most against the bound.
    pub(super) fn source(&self, found: &'a BoundsResult) -> Result<(&'a PlannedFile, &'a Test), String> {
        found.plan.test_source(&self.row.test.test).ok_or_else(|| "the test is not in its file".to_owned())
    }
}

/// One remedy for one site: as a candidate, and in a few words.
pub(super) struct FoundRemedy {
    pub(super) candidate: Candidate,
    pub(super) other: OtherRemedy,
}

/// A body that is written and not chosen yet.
pub(super) struct WrittenBody {
    pub(super) draft: Draft,
    pub(super) old: Option<String>,
    /// The file that is edited, relative to the project.
    pub(super) path: String,
}

impl WrittenBody {
    /// The remedy, with how many times as long it takes.
    pub(super) fn found(
        self,
        site: RemedySite<'_>,
        means: RemedyKind,
        times: f64,
        known: KnownOfRemedy,
    ) -> FoundRemedy {
        let Self { draft, old, path } = self;
        let text = draft.text.clone();
        let remedy = Remedy::Rewritten { means, text: text.clone(), old, times };
        let said = if means == RemedyKind::Mean { format!("the mean of {times} repetitions") } else { text };
        let other = OtherRemedy { kind: means, text: said, times, known };
        let candidate = Candidate { draft, remedy, pass: site.rules.pass, asked: None, levels: Vec::new(), path };
        FoundRemedy { candidate, other }
    }
}
