//! Is the bound of an assertion site sound or flaky? Observed evidence first, the fitted tail where that is silent.
//!
//! *Flaky*: the failure rate is above 1 - target, by its exact lower limit or, with few failures, by the lower limit of
//! the fitted quantile. *Sound*: no failure, and the upper limit of the pass quantile lies inside the bound. *Rare*:
//! failures, but so few that the target is met. Everything else is *undecided* and says how many runs would decide it.
//! Judge at the looks of [`crate::looks`] only. Runs must be independent; drift and rare modes never seen are invisible
//! here.

use crate::bound::{self, Evidence, Method, Proposal, Request, Undecided};
use crate::interval::{self, ShareInterval};
use crate::kill::Assertion;
use crate::looks::Look;
use crate::order;
use crate::tail::{self, limit};
use crate::{Confidence, Error, Samples, Target};

/// What is known of one assertion site.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The comparison as written.
    pub assertion: Assertion,
    /// Finite samples of the actual, in the sign they were measured.
    pub samples: &'a Samples,
    /// Runs whose value was NaN or infinite: failures without a number.
    pub broken: usize,
}

/// The answer for a site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// The value never changes.
    Deterministic {
        /// Whether it passes.
        passes: bool,
    },
    /// The test passes as often as asked.
    Sound(Support),
    /// The test fails more often than asked.
    Flaky(Support),
    /// Failures were seen, but the target is met.
    Rare(Support),
    /// Neither.
    Undecided {
        /// Why the tail gave no answer, if it was asked.
        reason: Option<Undecided>,
        /// About this many runs in all would decide it, if failures go on as seen.
        runs: usize,
    },
}

/// Where a verdict comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Support {
    /// From counts alone, exact for every distribution.
    Observed,
    /// From the fitted tail.
    Extrapolated(Evidence),
}

/// A verdict with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// The answer.
    pub verdict: Verdict,
    /// Failure rate with its two-sided exact interval at the look's confidence.
    pub failures: ShareInterval,
    /// Runs that count: samples and broken ones.
    pub runs: usize,
    /// Runs that failed.
    pub failed: usize,
    /// The bound that the evidence supports, if there is one.
    pub proposal: Result<Proposal, Undecided>,
}

/// Judges a site at a look.
///
/// # Errors
/// [`Error::TooFew`] without samples.
pub fn judge(site: &Site, request: &Request, look: &Look) -> Result<Judgement, Error> {
    let request = Request { confidence: look.confidence, direction: site.assertion.direction, ..*request };
    let failing = site.samples.sorted().iter().filter(|x| site.assertion.fails(**x)).count();
    let (runs, failed) = (site.samples.len() + site.broken, failing + site.broken);
    let failures = interval::clopper_pearson(failed, runs, request.confidence)?;
    let proposal = bound::propose(site.samples, &request)?;
    let verdict = if site.samples.is_constant() && site.broken == 0 {
        Verdict::Deterministic { passes: failing == 0 }
    } else {
        decide(site, &request, runs, failed, &proposal)?
    };
    Ok(Judgement { verdict, failures, runs, failed, proposal })
}

fn decide(
    site: &Site,
    request: &Request,
    runs: usize,
    failed: usize,
    proposal: &Result<Proposal, Undecided>,
) -> Result<Verdict, Error> {
    let allowed = request.target.complement();
    if interval::lower_limit(failed, runs, request.confidence)? > allowed {
        return Ok(Verdict::Flaky(Support::Observed));
    }
    if meets(failed, runs, request.target, request.confidence)? {
        let support = Support::Observed;
        return Ok(if failed == 0 { Verdict::Sound(support) } else { Verdict::Rare(support) });
    }
    if let Some(verdict) = from_tail(site, request, failed, proposal) {
        return Ok(verdict);
    }
    let reason = proposal.as_ref().err().copied();
    Ok(Verdict::Undecided { reason, runs: runs_to_decide(failed, runs, request)? })
}

/// Whether the failure rate is at most 1 - target, by its exact upper limit.
fn meets(failed: usize, runs: usize, target: Target, confidence: Confidence) -> Result<bool, Error> {
    // The beta quantile is found to 1e-16; 2,995 runs for 0.999 must not miss by that.
    Ok(interval::upper_limit(failed, runs, confidence)? <= target.complement() * (1.0 + 1e-9))
}

fn from_tail(site: &Site, request: &Request, failed: usize, proposal: &Result<Proposal, Undecided>) -> Option<Verdict> {
    if site.broken > 0 {
        return None;
    }
    let direction = site.assertion.direction;
    let (written, strict) = (direction.oriented(site.assertion.bound), site.assertion.is_strict);
    let is_inside = |value: f64| if strict { value < written } else { value <= written };
    if let Ok(found) = proposal
        && is_inside(direction.oriented(found.bound))
    {
        let support = Support::Extrapolated(found.evidence);
        return Some(if failed == 0 { Verdict::Sound(support) } else { Verdict::Rare(support) });
    }
    if failed == 0 || request.method != Method::Calibrated {
        return None;
    }
    let analysis = tail::analyse(&direction.orient(site.samples), &tail::Options::CALIBRATED).ok()?;
    let limits = limit::limits(&analysis, request.target, request.confidence)?;
    let evidence = bound::evidence_of(&analysis, request.target)?.turned(direction);
    (limits.low > written).then_some(Verdict::Flaky(Support::Extrapolated(evidence)))
}

/// The number of runs at which counts alone would decide, failures going on at the rate seen. Capped at a billion.
fn runs_to_decide(failed: usize, runs: usize, request: &Request) -> Result<usize, Error> {
    const MOST: usize = 1_000_000_000;
    let least = order::samples_needed(request.target, request.confidence);
    if failed == 0 {
        return Ok(least.max(runs + 1));
    }
    let rate = failed as f64 / runs as f64;
    let mut n = runs + 1;
    while n < MOST {
        n = (n + n / 4 + 1).min(MOST);
        let k = (rate * n as f64).round() as usize;
        let is_flaky = interval::lower_limit(k, n, request.confidence)? > request.target.complement();
        if is_flaky || meets(k, n, request.target, request.confidence)? {
            break;
        }
    }
    Ok(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;
    use crate::looks::Looks;
    use crate::random::Random;

    fn judged(samples: &[f64], bound: f64, broken: usize) -> Judgement {
        let samples = Samples::new(samples).unwrap();
        let assertion = Assertion { direction: Direction::Upper, is_strict: true, bound };
        let site = Site { assertion, samples: &samples, broken };
        let look = Looks::cut_short(samples.len(), Confidence::STANDARD);
        judge(&site, &Request::new(Direction::Upper), &look).unwrap()
    }

    fn normal(n: usize, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..n).map(|_| random.normal()).collect()
    }

    #[test]
    fn far_bounds_are_sound_from_few_runs_and_near_ones_flaky() {
        let samples = normal(200, 1);
        let sound = judged(&samples, 12.0, 0);
        assert!(matches!(sound.verdict, Verdict::Sound(Support::Extrapolated(_))), "{sound:?}");
        let flaky = judged(&samples, 1.0, 0);
        assert_eq!(flaky.verdict, Verdict::Flaky(Support::Observed));
        let unclear = judged(&samples, 3.3, 0);
        assert!(matches!(unclear.verdict, Verdict::Undecided { runs: 2_995, .. }), "{unclear:?}");
    }

    #[test]
    fn many_runs_decide_by_counts_alone() {
        let mut samples = normal(6_000, 2);
        assert_eq!(judged(&samples[..2_995], 5.0, 0).verdict, Verdict::Sound(Support::Observed));
        samples.iter_mut().for_each(|x| *x = x.min(3.0));
        samples[17] = 9.0;
        assert_eq!(judged(&samples, 5.0, 0).verdict, Verdict::Rare(Support::Observed));
    }

    #[test]
    fn runs_without_a_number_are_failures() {
        let judgement = judged(&normal(100, 3), 50.0, 5);
        assert_eq!(judgement.verdict, Verdict::Flaky(Support::Observed));
        assert_eq!((judgement.failed, judgement.runs), (5, 105));
    }

    #[test]
    fn equal_values_are_deterministic() {
        assert_eq!(judged(&[1.0; 30], 2.0, 0).verdict, Verdict::Deterministic { passes: true });
        assert_eq!(judged(&[1.0; 30], 1.0, 0).verdict, Verdict::Deterministic { passes: false });
    }

    #[test]
    fn a_proposed_bound_is_not_called_flaky_on_the_same_samples() {
        for seed in 0..20 {
            let samples = normal(400, seed);
            let first = judged(&samples, 2.0, 0);
            let bound = first.proposal.unwrap().bound;
            let second = judged(&samples, bound * (1.0 + 1e-12), 0);
            assert!(matches!(second.verdict, Verdict::Sound(_)), "{second:?}");
        }
    }
}
