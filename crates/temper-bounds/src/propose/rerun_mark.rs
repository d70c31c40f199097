//! The rerun mark: a test is repeated before it is called failed (FLEX section 5.3), by the plugin that the project has.

use std::collections::BTreeMap;

use temper_source::{EditSet, Imported, decorate};
use temper_stats::tail::TailKind;
use temper_stats::tail::limit::FittedTail;
use temper_stats::{Confidence, Probability, Target, rerun};

use super::candidate::{Candidate, PassedOver, is_above};
use crate::findings::JudgedSite;
use crate::judge::verdict::Rules;
use crate::propose::proposal::{Remedy, Verification};
use crate::propose::rewrite::Draft;
use crate::sample::replaced_seeds;
use crate::sample::run_record::RunRecord;
use crate::sample::scheduler::{BoundsResult, Job};
use crate::sample::site_samples::SiteSamples;

/// A mark on the test of a row that reaches the target, if reruns are independent.
pub(super) fn candidate(
    job: &Job<'_>,
    found: &BoundsResult,
    row: &JudgedSite<'_>,
    rules: &Rules,
) -> Result<Candidate, PassedOver> {
    if let Some(seed) = replaced_seeds::words(&row.test.replaced) {
        return Err(PassedOver::FixedSeed(seed));
    }
    let cannot = |why: &dyn std::fmt::Display| PassedOver::Unwritten(why.to_string());
    let failure = Probability::new(failure_probability(row)).map_err(|error| cannot(&error))?;
    let count = rerun::rerun(failure, rules.pass).map_err(|error| cannot(&error))?;
    let (planned, test) =
        found.plan.test_source(&row.test.test).ok_or_else(|| cannot(&"the test is not in its file"))?;
    let head: &str = planned.file.slice(test.span).split("def ").next().unwrap_or_default();
    if head.contains("flaky") {
        return Err(PassedOver::MarkedAlready);
    }
    let (name, rest) = plugin(planned.file.text(), found, count.max_runs).ok_or(PassedOver::NoPlugin)?;
    let (text, edits) = decorate(&planned.file, test, name, &rest).map_err(|error| cannot(&error))?;
    let edits = EditSet::new(&planned.file, edits).map_err(|error| cannot(&error))?;
    edits.reparse(&planned.file).map_err(|error| cannot(&error))?;
    let path = planned.file.path();
    let remedy = Remedy::Rerun {
        text: text.clone(),
        max_runs: count.max_runs,
        failure: failure.get(),
        passes: count.pass_probability,
        expected_runs: count.expected_runs,
    };
    let draft = Draft { text, bound: row.result.series.bound, edits, moves: Vec::new() };
    let path = path.strip_prefix(&job.root).unwrap_or(path).display().to_string();
    Ok(Candidate { draft, remedy, pass: rules.pass, asked: None, levels: Vec::new(), path })
}

/// From the counts, or from the fitted tail where it is heavy: counts of few runs miss what lies far out.
fn failure_probability(row: &JudgedSite<'_>) -> f64 {
    let share = row.result.judgement.failures.share;
    beyond_heavy_tail(&row.result.series).map_or(share, |beyond| beyond.max(share))
}

fn beyond_heavy_tail(series: &SiteSamples) -> Option<f64> {
    let oriented = series.direction.orient(&series.samples().ok()?);
    let tail = FittedTail::new(&oriented).filter(|tail| tail.kind() == TailKind::Heavy)?;
    tail.probability_above(series.direction.oriented(series.bound))
}

/// The plugin that the file already uses, else the one that is installed; and the mark in its words.
fn plugin(text: &str, found: &BoundsResult, max_runs: u32) -> Option<(Imported<'static>, String)> {
    let packages = found.loaded.versions.as_ref().map_or(&[][..], |versions| &versions.packages);
    let has = |name: &str| packages.iter().any(|(package, _)| package.eq_ignore_ascii_case(name));
    let by_flaky = || (Imported::From("flaky", "flaky"), format!("(max_runs={max_runs}, min_passes=1)"));
    let by_mark = || (Imported::Module("pytest"), format!(".mark.flaky(reruns={})", max_runs.saturating_sub(1)));
    let (has_flaky, has_mark) = (has("flaky"), has("pytest-rerunfailures"));
    match (has_flaky, has_mark) {
        (true, _) if text.contains("from flaky import") => Some(by_flaky()),
        (_, true) => Some(by_mark()),
        (true, false) => Some(by_flaky()),
        (false, false) => None,
    }
}

/// Trials of up to `max_runs` fresh runs each: one fails if all of its runs do.
pub(super) fn verified(
    max_runs: u32,
    runs: &BTreeMap<String, Vec<RunRecord>>,
    (pass, confidence): (Target, Confidence),
) -> Verification {
    let mut found =
        Verification { runs: 0, failures: 0, trials: 0, is_rejected: false, is_recount: false, numbers: Vec::new() };
    for runs in runs.values() {
        let (mut trials, mut failures, mut failed) = (0, 0, 0);
        for run in runs {
            failed = if run.is_pass() { 0 } else { failed + 1 };
            let is_over = failed == max_runs;
            failures += usize::from(is_over);
            trials += usize::from(is_over || failed == 0);
            failed = if is_over { 0 } else { failed };
        }
        found.is_rejected |= is_above(failures, trials, pass, confidence);
        found.failures += failures;
        found.trials += trials;
        found.runs += runs.len();
    }
    found
}
