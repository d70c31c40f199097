//! The verdict on one site, from the samples it has so far.
//!
//! One target governs everything: the pass probability asked for, at the confidence asked for. Precedence: suspect, flaky,
//! sound; what neither evidence supports is undecided, and says what would decide it.

use temper_stats::bound::{self, BoundEstimate, BoundEvidence, BoundMethod, Request, Undecided};
use temper_stats::interval::{self, ShareInterval};
use temper_stats::kill::KillScore;
use temper_stats::tail::limit::FittedTail;
use temper_stats::{Confidence, Direction, Samples, Target, order};

use crate::judge::far_inside::{FarInside, far_inside};
use crate::judge::suspicion::{Suspicion, suspicion};
use crate::judge::value_range::{is_hard_limit, range};
use crate::sample::looks::{EARLY, SCREENING, evidence_above, is_bound_look, is_tail_look, tail_error};
use crate::sample::site_samples::SiteSamples;

/// What is asked of a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The pass probability.
    pub pass: Target,
    /// How sure a verdict must be.
    pub confidence: Confidence,
    /// Whose rules a proposal follows.
    pub method: BoundMethod,
    /// Most runs of a test before its verdict.
    pub most_runs: usize,
    /// Most runs to place the bound of a site that is flaky.
    pub bound_runs: usize,
    /// Whether these are taken even if a bound looks sharp before.
    pub is_sharpened: bool,
}

impl Rules {
    /// Runs from which on the largest value is a bound, whatever the tail.
    #[must_use]
    pub fn runs_for_largest(&self) -> usize {
        order::samples_needed(self.pass, self.confidence)
    }

    /// How sure one look at the tail must be, so that all of them together are as sure as asked.
    fn confidence_at_look(&self) -> Confidence {
        Confidence::new(1.0 - tail_error(self.confidence.complement())).unwrap_or(self.confidence)
    }

    /// Runs that show without a failure that a bound is sound, however near to it the values come.
    #[must_use]
    pub fn runs_for_sound(&self) -> usize {
        order::samples_needed(self.pass, self.confidence_at_look())
    }

    /// Runs from which on the second largest is one, which mostly lies clearly closer.
    #[must_use]
    pub fn runs_for_second(&self) -> usize {
        order::samples_needed_by_second(self.pass, self.confidence)
    }
}

/// The answer for one site.
#[derive(Clone, Debug, PartialEq)]
pub enum SiteVerdict {
    /// The value never changes.
    Deterministic,
    /// The bound meets the target.
    Sound(Soundness),
    /// The bound does not meet the target.
    Flaky(Flaky),
    /// The bound meets the target, and so would a tighter one that kills clearly more mutants.
    Loose(Loose),
    /// Failures were seen, but the fitted tail says that they are as rare as they may be.
    Rare,
    /// The value looks wrong.
    Suspect(Suspicion),
    /// It compares with numbers that belong to the fixed seed of the test: other seeds give quite different ones.
    Pinned,
    /// The evidence does not decide.
    Undecided {
        /// Why the tail gives no answer, where it was asked.
        tail: Option<Undecided>,
        /// Runs that would decide it without failures.
        runs_needed: usize,
    },
    /// It fails in every run.
    FailsAlways,
    /// More than half of the runs ended in an exception, or gave no number.
    Broken,
}

/// What a sound verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Soundness {
    /// The bound that the evidence supports lies inside the one that is written.
    Supported(BoundEvidence),
    /// No value came anywhere near the bound.
    FarInside(FarInside),
}

/// What a flaky verdict rests on and what may be done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaky {
    /// Whether the failure count alone says so, or the fitted tail does.
    pub is_observed: bool,
    /// The bound that the evidence supports, or why there is none.
    pub proposal: Result<BoundEstimate, NoProposal>,
}

/// What a loose verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loose {
    /// The tightest bound that the evidence supports.
    pub proposal: BoundEstimate,
    /// Kill score of the bound as written.
    pub before: KillScore,
    /// Kill score of the proposal.
    pub after: KillScore,
    /// Mutants that the scores are over.
    pub mutants: usize,
}

/// Why no number is proposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoProposal {
    /// The statistics give none.
    Undecided(Undecided),
    /// No value can lie beyond the limit that the bound stands at.
    HardLimit,
}

/// A verdict with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The answer.
    pub verdict: SiteVerdict,
    /// Share of failing runs, with its exact two-sided interval.
    pub failures: ShareInterval,
    /// Runs that it rests on.
    pub runs: usize,
    /// The pass probability that was asked.
    pub pass: Target,
}

/// A bound is sharp if it is at most this many times as far from the median as its own estimate. Further runs would move
/// it by less than rounding does.
const SHARP: f64 = 1.15;
/// Runs after which the method of the paper, which has no limit that could be sharp, gives up on a bound.
const RUNS_FOR_ESTIMATE: usize = 1000;

/// Judges the samples of the first runs of a test; nothing if more runs are wanted.
#[must_use]
pub fn judge(series: &SiteSamples, rules: &Rules) -> Option<Judgement> {
    let is_last = series.runs >= rules.most_runs;
    let verdict = judge_early(series, rules).or_else(|| judge_fully(series, rules, is_last))?;
    Some(judgement(series, rules, verdict))
}

/// Judges what there is, because no more runs will come.
#[must_use]
pub fn judge_at_end(series: &SiteSamples, rules: &Rules) -> Judgement {
    let rules = Rules { most_runs: series.runs, bound_runs: series.runs, ..*rules };
    judge(series, &rules).unwrap_or_else(|| undecided_at_end(series, &rules))
}

/// Says that what there is does not decide.
pub(crate) fn undecided_at_end(series: &SiteSamples, rules: &Rules) -> Judgement {
    judgement(series, rules, undecided(rules, None))
}

/// What a few runs tell.
fn judge_early(series: &SiteSamples, rules: &Rules) -> Option<SiteVerdict> {
    if series.is_fixed {
        return Some(judge_fixed(series));
    }
    if series.runs >= EARLY && series.errors == series.runs {
        return Some(SiteVerdict::Broken);
    }
    let found = (series.runs >= EARLY).then(|| far_inside(series, rules.pass, rules.confidence)).flatten();
    found.map(|found| SiteVerdict::Sound(Soundness::FarInside(found)))
}

/// The verdict on a site that all runs show in the same way.
fn judge_fixed(series: &SiteSamples) -> SiteVerdict {
    if series.errors + series.unreadable > 0 {
        SiteVerdict::Broken
    } else if series.failures > 0 {
        SiteVerdict::FailsAlways
    } else {
        SiteVerdict::Deterministic
    }
}

/// What needs all runs of the screening, or those that there are if no more will come.
fn judge_fully(series: &SiteSamples, rules: &Rules, is_last: bool) -> Option<SiteVerdict> {
    if series.runs < SCREENING.min(rules.most_runs) {
        return None;
    }
    if !is_last && series.reached > 0 && series.reached < SCREENING && 2 * series.errors <= series.runs {
        return None;
    }
    if series.runs < SCREENING {
        return judge_few(series, rules);
    }
    screen(series).or_else(|| decide(series, rules, is_last))
}

/// What fewer runs than the screening has can tell, if they are all.
fn judge_few(series: &SiteSamples, rules: &Rules) -> Option<SiteVerdict> {
    if 2 * series.errors > series.runs || 2 * series.unreadable > series.reached.max(1) {
        return Some(SiteVerdict::Broken);
    }
    if is_always(series) && series.runs > 1 {
        return Some(SiteVerdict::FailsAlways);
    }
    is_flaky_by_count(series, rules, true).then(|| flaky(series, rules, true)).flatten()
}

fn judgement(series: &SiteSamples, rules: &Rules, verdict: SiteVerdict) -> Judgement {
    let nothing = ShareInterval { share: 0.0, low: 0.0, high: 1.0 };
    let failures = interval::clopper_pearson(series.failures, series.reached, rules.confidence).unwrap_or(nothing);
    Judgement { verdict, failures, runs: series.runs, pass: rules.pass }
}

/// What is plain without statistics.
fn screen(series: &SiteSamples) -> Option<SiteVerdict> {
    if 2 * series.errors > series.runs || 2 * series.unreadable > series.reached.max(1) || series.reached == 0 {
        return Some(SiteVerdict::Broken);
    }
    let is_constant = series.numbers.windows(2).all(|pair| pair[0] == pair[1]);
    if is_constant && series.nan + series.infinite == 0 && series.failures == 0 && !series.numbers.is_empty() {
        return Some(SiteVerdict::Deterministic);
    }
    if is_pinned(series) {
        return Some(SiteVerdict::Pinned);
    }
    is_always(series).then_some(SiteVerdict::FailsAlways)
}

/// A site that other runs of the test pass by is no broken baseline, and a seed may be chosen so that its test passes.
fn is_always(series: &SiteSamples) -> bool {
    series.failures == series.reached && series.reached == series.runs && !series.is_green
}

/// Times the tolerance that most distances must be. A fixed seed that nobody chose would pass such an
/// assertion in one case of twenty (half-normal distances), so the expected numbers are those of the seed.
const PINNED: f64 = 10.0;

fn is_pinned(series: &SiteSamples) -> bool {
    let far = series.numbers.iter().filter(|&&number| number > PINNED * series.bound).count();
    let is_mostly_far = far > 0 && 2 * far >= series.numbers.len();
    // Relative to an expected 0 a distance is infinite. Numbers that hold a NaN where their seed gave one have no distance.
    let nan = if is_mostly_far { series.nan } else { 0 };
    let far = far + series.infinite + nan;
    let is_tolerance = series.is_distance && series.direction == Direction::Upper && !series.is_margin;
    series.is_green && is_tolerance && series.bound != 0.0 && 2 * far > series.reached
}

fn decide(series: &SiteSamples, rules: &Rules, is_last: bool) -> Option<SiteVerdict> {
    if (series.runs >= 100 || is_last)
        && let Some(found) = suspicion(series)
    {
        return Some(SiteVerdict::Suspect(found));
    }
    if is_flaky_by_count(series, rules, is_last) {
        return flaky(series, rules, true);
    }
    let looks_at_tail = is_tail_look(series.runs, rules.most_runs) || is_last;
    if !looks_at_tail {
        return None;
    }
    let nothing = || is_last.then(|| undecided(rules, None));
    // Infinities that pass are no numbers to go by.
    let Ok(samples) = series.samples() else { return nothing() };
    let sure = rules.confidence_at_look();
    let Ok(proposal) = bound::propose(&samples, &request(series, rules, &samples, sure)) else { return nothing() };
    if series.failures == 0 && proposal.as_ref().is_ok_and(|proposal| supports(series, proposal)) {
        return proposal.ok().map(|proposal| SiteVerdict::Sound(Soundness::Supported(proposal.evidence)));
    }
    if series.failures > 0 && tail_is_beyond(series, rules, &samples, sure) {
        return flaky(series, rules, false);
    }
    is_last.then(|| ending(series, rules, &samples, proposal.err()))
}

/// At the last look the exact interval has its say; before, the e-process, which looking often does not fool.
pub(crate) fn is_flaky_by_count(series: &SiteSamples, rules: &Rules, is_last: bool) -> bool {
    let error = rules.confidence.complement();
    let allowed = rules.pass.complement();
    if evidence_above(series.failures, series.reached, allowed) >= 2.0 / error {
        return true;
    }
    let sure = Confidence::new(1.0 - 0.5 * error).unwrap_or(rules.confidence);
    is_last && interval::lower_limit(series.failures, series.reached, sure).is_ok_and(|low| low > allowed)
}

pub(crate) fn request(series: &SiteSamples, rules: &Rules, samples: &Samples, confidence: Confidence) -> Request {
    Request {
        direction: series.direction,
        target: rules.pass,
        confidence,
        method: rules.method,
        range: range(series, samples),
    }
}

/// Whether everything up to the value that supports a proposal passes the bound that is written.
fn supports(series: &SiteSamples, proposal: &BoundEstimate) -> bool {
    let half = proposal.lattice.map_or(0.0, |lattice| 0.5 * lattice.step);
    let oriented = series.direction.oriented(proposal.bound) - half;
    series.is_inside(series.direction.oriented(oriented))
}

/// Whether the fitted tail says, at this confidence, that the target quantile lies beyond the bound.
fn tail_is_beyond(series: &SiteSamples, rules: &Rules, samples: &Samples, confidence: Confidence) -> bool {
    let tail = FittedTail::new(&series.direction.orient(samples));
    let low = tail.map(|tail| tail.lower_limit(rules.pass, confidence));
    low.is_some_and(|low| !series.is_inside(series.direction.oriented(low)))
}

/// The verdict on a site that fails too often, once its bound is placed: the verdict is certain before, and further runs
/// are for the bound alone.
fn flaky(series: &SiteSamples, rules: &Rules, is_observed: bool) -> Option<SiteVerdict> {
    let is_over = series.runs >= rules.bound_runs;
    if !is_over && !is_bound_look(series.runs, rules.runs_for_largest()) {
        return None;
    }
    let proposal = propose(series, rules);
    if !is_over && !is_placed(series, rules, &proposal) {
        return None;
    }
    // The point estimate of the paper may lie inside the bound although failures were seen: its "no fix".
    if proposal.as_ref().is_ok_and(|proposal| supports(series, proposal)) {
        return Some(SiteVerdict::Rare);
    }
    Some(SiteVerdict::Flaky(Flaky { is_observed, proposal }))
}

/// Whether further runs would not place the bound better.
fn is_placed(series: &SiteSamples, rules: &Rules, proposal: &Result<BoundEstimate, NoProposal>) -> bool {
    match proposal {
        Ok(BoundEstimate { bound, evidence: BoundEvidence::Extrapolated { estimate, .. }, .. }) => {
            let median = series.samples().ok().and_then(|samples| samples.quantile(0.5)).unwrap_or(*bound);
            !rules.is_sharpened && (bound - median).abs() <= SHARP * (estimate - median).abs()
        }
        // A larger sample has a smaller one that serves.
        Ok(BoundEstimate { evidence: BoundEvidence::Observed { .. }, .. }) => false,
        Ok(_) => true,
        Err(NoProposal::HardLimit) => stands_at_limit(series, rules),
        Err(NoProposal::Undecided(_)) => rules.method == BoundMethod::Flex && series.runs >= RUNS_FOR_ESTIMATE,
    }
}

/// The bound that the samples support at the pass target, or why there is none.
///
/// # Errors
/// The reason.
pub fn propose(series: &SiteSamples, rules: &Rules) -> Result<BoundEstimate, NoProposal> {
    let too_few = NoProposal::Undecided(Undecided::TooFew { needed: 100 });
    let samples = series.samples().map_err(|_| too_few)?;
    let wanted = request(series, rules, &samples, rules.confidence);
    match bound::propose(&samples, &wanted) {
        Ok(Ok(proposal)) if is_hard_limit(&proposal, &wanted) => Err(NoProposal::HardLimit),
        Ok(Ok(proposal)) => Ok(proposal),
        Ok(Err(why)) => Err(NoProposal::Undecided(why)),
        Err(_) => Err(too_few),
    }
}

/// Whether a value was seen at the limit that no value can pass.
fn stands_at_limit(series: &SiteSamples, rules: &Rules) -> bool {
    let Ok(samples) = series.samples() else { return true };
    let range = request(series, rules, &samples, rules.confidence).range;
    match series.direction {
        Direction::Upper => range.high.is_some_and(|high| samples.max() >= Some(high)),
        Direction::Lower => range.low.is_some_and(|low| samples.min() <= Some(low)),
    }
}

fn ending(series: &SiteSamples, rules: &Rules, samples: &Samples, tail: Option<Undecided>) -> SiteVerdict {
    if series.failures > 0 && is_rare(series, rules, samples) {
        return SiteVerdict::Rare;
    }
    undecided(rules, tail)
}

/// Whether the point estimate of the target quantile lies inside the bound, as the paper's "no fix" has it.
fn is_rare(series: &SiteSamples, rules: &Rules, samples: &Samples) -> bool {
    let oriented = series.direction.orient(samples);
    let limit = FittedTail::new(&oriented).and_then(|tail| tail.limit(rules.pass, rules.confidence));
    let by_tail = limit.is_some_and(|limit| series.is_inside(series.direction.oriented(limit.estimate)));
    let by_count = interval::upper_limit(series.failures, series.reached, rules.confidence);
    by_tail || by_count.is_ok_and(|high| high <= rules.pass.complement())
}

fn undecided(rules: &Rules, tail: Option<Undecided>) -> SiteVerdict {
    SiteVerdict::Undecided { tail, runs_needed: rules.runs_for_sound() }
}

#[cfg(test)]
mod tests;
