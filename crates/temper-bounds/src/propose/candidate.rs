//! One remedy for one site before it is tried, and what a proposal made of it says.

use std::collections::{BTreeMap, BTreeSet};

use temper_stats::{Confidence, Direction, Target, interval};

use crate::findings::{JudgedSite, bound_label};
use crate::judge::verdict::{Loose, NoProposal, Rules, SiteVerdict, propose};
use crate::plan::sampling_plan::PlannedTest;
use crate::propose::proposal::{
    AskedLevel, LevelBound, MeasuredValue, OtherRemedy, Proposal, ProposalPlace, Remedy, RemedyKind, ReviewDecision,
    SourceChange, Support, TargetLevel, Verification,
};
use crate::propose::rewrite::{self, Draft};
use crate::sample::run_record::{RunEnd, RunRecord};
use crate::sample::scheduler::Job;
use crate::sample::site_samples::SiteSamples;

/// Pass targets at which every proposal says its bound: those that maintainers chose among in the paper's pull requests.
pub const LEVELS: [f64; 5] = [0.90, 0.95, 0.99, 0.999, 0.9999];

/// What may be offered apart from a bound from the tail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProposalLimits<'a> {
    /// The one remedy that the user wants, and the ids of the findings that it is wanted for.
    pub chosen: Option<(RemedyKind, &'a [String])>,
    /// The widest interval of an empirical bound, as a share of the bound that it replaces.
    pub empirical_width: f64,
}

/// Why a remedy was not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum PassedOver {
    /// The samples support no bound.
    Unsupported(NoProposal),
    /// There is no place for the number, or no number.
    Unwritten(String),
    /// The extremes of resamples lie too far apart.
    TooWide {
        /// Lower end of their interval.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The most extreme of this many values supports nothing that is worth a promise.
    TooFew {
        /// Values that there are.
        values: usize,
        /// Values that there must be.
        needed: usize,
    },
    /// It was tried, and the assertion still failed too often.
    Rejected {
        /// What was tried.
        text: String,
        /// Runs or trials with it.
        trials: usize,
        /// Those that failed.
        failures: usize,
    },
    /// A rerun repeats what a fixed seed gives.
    FixedSeed(String),
    /// The test carries a rerun mark.
    MarkedAlready,
    /// The project has no plugin that reruns tests.
    NoPlugin,
    /// The remedy that was asked for cannot be had.
    CannotBeHad {
        /// Which.
        kind: RemedyKind,
        /// Why.
        why: String,
    },
    /// It leaves the bound as it is, was tried, and the test still failed too often.
    StillFails {
        /// What was tried.
        text: String,
        /// Runs with it.
        trials: usize,
        /// Those that failed.
        failures: usize,
    },
}

/// The advice for one flaky site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// What is proposed; unverified if the job was stopped before it could be tried.
    pub proposal: Option<Proposal>,
    /// How far its trial came, if that was stopped.
    pub begun: Option<Begun>,
    /// Why nothing better is, in the order in which it was considered.
    pub passed_over: Vec<PassedOver>,
    /// What else could be done.
    pub others: Vec<OtherRemedy>,
}

/// A trial that was stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Runs that there are.
    pub runs: usize,
    /// Runs that there should be.
    pub wanted: usize,
    /// What failed, counted as in [`Verification`].
    pub failures: usize,
}

/// A remedy that is written but not tried.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The edits.
    pub draft: Draft,
    /// In words and numbers.
    pub remedy: Remedy,
    /// The pass target that it is for.
    pub pass: Target,
    /// The bound at the target that was asked for, if that is another.
    pub asked: Option<AskedLevel>,
    /// The bound at other targets.
    pub levels: Vec<TargetLevel>,
    /// The file that is edited, relative to the project.
    pub path: String,
}

/// What a person needs to decide about a candidate.
#[must_use]
pub fn proposal_of(job: &Job<'_>, row: &JudgedSite<'_>, candidate: &Candidate) -> Proposal {
    let (series, judgement) = (&row.result.series, &row.result.judgement);
    let moves = candidate.draft.moves.iter().map(|&index| {
        let site = &row.planned.analysis.sites[index];
        let source: Vec<&str> = row.planned.file.slice(site.assertion).split_whitespace().collect();
        format!("{}:{}:{} {}", row.path, site.position.line, site.position.column, source.join(" "))
    });
    let tests = tests_of(row, &candidate.remedy);
    let others = row.tests.iter().map(|(test, _)| test.test.node.clone()).filter(|node| !tests.contains(node));
    Proposal {
        id: row.id.clone(),
        place: ProposalPlace {
            path: row.path.clone(),
            line: row.line,
            column: row.column,
            source: row.source.clone(),
            label: bound_label(row).to_owned(),
            site: row.index,
            test: row.test.test.node.clone(),
            shared_with: others.collect(),
            tests: tests.into_iter().collect(),
        },
        measured: MeasuredValue {
            runs: series.runs,
            reached: series.reached,
            failures: series.failures,
            low: judgement.failures.low,
            high: judgement.failures.high,
            bound: series.bound,
            is_upper: series.direction == Direction::Upper,
            is_strict: series.is_strict,
            is_margin: series.is_margin,
            numbers: series.numbers.clone(),
            seeds: job.seeds,
            green_seed: row.green_seed(),
            seed: job.seed,
            secs: row.test.secs,
        },
        pass: candidate.pass.get(),
        confidence: job.rules.confidence.get(),
        remedy: candidate.remedy.clone(),
        levels: candidate.levels.clone(),
        asked: candidate.asked.clone(),
        more_runs: None,
        moves: moves.collect(),
        change: SourceChange::new(candidate.path.clone(), &candidate.draft.edits),
        verification: None,
        others: Vec::new(),
        kill_cost: None,
        decision: ReviewDecision::Open,
    }
}

/// The tests that a change is for: all that the site is flaky in, or the one that carries a mark or is rewritten; for a
/// tighter bound all that reach it.
pub(crate) fn tests_of(row: &JudgedSite<'_>, remedy: &Remedy) -> BTreeSet<String> {
    if matches!(row.result.judgement.verdict, SiteVerdict::Loose(_)) {
        return row.tests.iter().map(|(test, _)| test.test.node.clone()).collect();
    }
    let is_flaky =
        |result: &crate::sample::scheduler::SiteResult| matches!(result.judgement.verdict, SiteVerdict::Flaky(_));
    let worst = &row.test.test;
    let is_same_function = |test: &PlannedTest| test.path == worst.path && test.function() == worst.function();
    let is_moved = |test: &PlannedTest| match remedy {
        Remedy::Bound { .. } => true,
        // All parameter sets have one body.
        Remedy::Rewritten { .. } => is_same_function(test),
        Remedy::Rerun { .. } => false,
    };
    let flaky = row.tests.iter().filter(|(test, result)| is_moved(&test.test) && is_flaky(result));
    flaky.map(|(test, _)| test.test.node.clone()).chain([row.test.test.node.clone()]).collect()
}

/// The bound of a site at each of [`LEVELS`].
#[must_use]
pub fn levels(row: &JudgedSite<'_>, rules: &Rules) -> Vec<TargetLevel> {
    let level = |pass: f64| {
        let target = Target::new(pass).ok()?;
        let (limit, support) = supported(row, &Rules { pass: target, ..*rules }).ok()?;
        let draft = rewrite::number(row.planned, row.site, &row.result.series, limit).ok()?;
        Some(LevelBound { text: draft.text, bound: draft.bound, support, fresh_failures: None })
    };
    LEVELS.iter().map(|&pass| TargetLevel { pass, bound: level(pass) }).collect()
}

/// The bound that the samples of all tests at a site support: the furthest out, and no test's own bound is narrowed.
pub(crate) fn supported(row: &JudgedSite<'_>, rules: &Rules) -> Result<(f64, Support), NoProposal> {
    if let SiteVerdict::Loose(loose) = &row.result.judgement.verdict {
        return tighter(row, loose, rules);
    }
    let series = &row.result.series;
    let out = |bound: f64| series.direction.oriented(bound);
    let is_alike = |other: &SiteSamples| other.role == series.role && other.is_margin == series.is_margin;
    let mut best: Option<(f64, Support)> = None;
    let mut widest_written = f64::NEG_INFINITY;
    for (_, result) in row.tests.iter().filter(|(_, result)| is_alike(&result.series)) {
        if matches!(result.judgement.verdict, SiteVerdict::Flaky(_)) {
            let found = propose(&result.series, rules)?;
            if best.as_ref().is_none_or(|(bound, _)| out(found.bound) > out(*bound)) {
                best = Some((found.bound, Support::from(&found.evidence)));
            }
        } else if !result.series.is_margin && result.series.bound != series.bound {
            widest_written = widest_written.max(out(result.series.bound));
        }
    }
    let (bound, support) = best.ok_or(NoProposal::HardLimit)?;
    Ok((if widest_written > out(bound) { out(widest_written) } else { bound }, support))
}

/// The tightest bound that the samples of every test at the site support.
fn tighter(row: &JudgedSite<'_>, loose: &Loose, rules: &Rules) -> Result<(f64, Support), NoProposal> {
    let series = &row.result.series;
    let mut best = loose.proposal;
    // Only the proposal itself was weighed by another method than the rules'.
    let is_own = rules.pass == row.result.judgement.pass;
    if !is_own {
        best = propose(series, rules)?;
    }
    for (_, other) in row.tests.iter().filter(|(_, other)| !std::ptr::eq(*other, row.result)) {
        let found = propose(&other.series, rules)?;
        if series.direction.oriented(found.bound) > series.direction.oriented(best.bound) {
            best = found;
        }
    }
    Ok((best.bound, Support::from(&best.evidence)))
}

/// What the fresh runs of the tests say about a number that was written for a site, or, with `is_rewritten`, about another
/// body of the test: then a run that ends in an exception counts as failed.
#[must_use]
pub fn verified(
    number: i64,
    series: &SiteSamples,
    (draft, is_rewritten): (&Draft, bool),
    runs: &BTreeMap<String, Vec<RunRecord>>,
    (pass, confidence): (Target, Confidence),
) -> Verification {
    let mut found =
        Verification { runs: 0, failures: 0, trials: 0, is_rejected: false, is_recount: false, numbers: Vec::new() };
    for runs in runs.values() {
        let mut failures = 0;
        for run in runs {
            let site = run.sites.get(&number);
            let is_ended = is_rewritten && matches!(run.end, RunEnd::Error(_) | RunEnd::Failed(_));
            failures += usize::from(is_ended || site.is_some_and(|site| site.failed > 0));
            let Some(site) = site else { continue };
            let needed = site.needed.iter().find(|needed| needed.role == series.role && needed.number.is_finite());
            // Distances are from the bound as it was before the margin was added to it.
            let value = |needed: &crate::sample::run_record::Needed| match series.is_margin {
                true => needed.number - needed.bound + draft.bound,
                false => needed.number,
            };
            found.numbers.extend(needed.map(value));
        }
        found.is_rejected |= is_above(failures, runs.len(), pass, confidence);
        found.failures += failures;
        found.runs += runs.len();
    }
    found.trials = found.runs;
    found
}

/// Whether this number of failures says, with confidence, that the pass probability is below the target.
pub(crate) fn is_above(failures: usize, trials: usize, pass: Target, confidence: Confidence) -> bool {
    interval::lower_limit(failures, trials, confidence).is_ok_and(|low| low > pass.complement())
}

/// Counts the fresh values beyond each level's bound.
pub fn count_fresh(proposal: &mut Proposal) {
    let Some(verification) = &proposal.verification else { return };
    let measured = &proposal.measured;
    for bound in proposal.levels.iter_mut().filter_map(|level| level.bound.as_mut()) {
        let beyond = verification.numbers.iter().filter(|&&value| !measured.is_inside(value, bound.bound));
        bound.fresh_failures = Some(beyond.count());
    }
}
