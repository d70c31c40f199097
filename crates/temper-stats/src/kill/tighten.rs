//! The calibrated choice: the tightest bound that meets the pass target with the asked confidence.
//!
//! Unlike the paper it never trades passes for kills, and it knows how sure it is: the bound comes from
//! [`crate::bound`]. Tests that are already flaky are not tightened.

use super::LOOSE_GAIN;
use super::curve::{Assertion, KillCurve, KillScore};
use crate::bound::{self, BoundEstimate, Request, Undecided};
use crate::{Confidence, Error, Samples};

/// A proposal with what it gains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tightening {
    /// The bound and its evidence.
    pub proposal: BoundEstimate,
    /// Kill score of the bound as written.
    pub before: KillScore,
    /// Kill score of the proposed bound.
    pub after: KillScore,
    /// Whether the gain is more than five points and the proposed bound is the tighter one.
    pub is_loose: bool,
}

/// Proposes a tighter bound and weighs it.
///
/// # Errors
/// As [`bound::propose`]; the inner error says why there is no bound.
pub fn tighten(
    original: &Samples,
    curve: &KillCurve,
    assertion: &Assertion,
    request: &Request,
) -> Result<Result<Tightening, Undecided>, Error> {
    let proposal = match bound::propose(original, request)? {
        Ok(proposal) => proposal,
        Err(reason) => return Ok(Err(reason)),
    };
    Ok(Ok(weigh(proposal, curve, assertion, request.confidence)))
}

/// Weighs a bound that was proposed.
#[must_use]
pub fn weigh(proposal: BoundEstimate, curve: &KillCurve, assertion: &Assertion, confidence: Confidence) -> Tightening {
    let turned = |b: f64| assertion.direction.oriented(b);
    let before = curve.score_with_interval(assertion.bound, confidence);
    let after = curve.score_with_interval(proposal.bound, confidence);
    let is_tighter = turned(proposal.bound) < turned(assertion.bound);
    let is_loose = is_tighter && after.mean - before.mean > LOOSE_GAIN;
    Tightening { proposal, before, after, is_loose }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::{Direction, Target};

    #[test]
    fn a_wide_bound_is_loose_and_the_proposed_one_is_not() {
        let mut random = Random::new(2);
        let original: Vec<f64> = (0..400).map(|_| random.normal()).collect();
        let mutants: Vec<Vec<f64>> =
            (0..5).map(|i| (0..60).map(|_| random.normal() + f64::from(i) + 2.0).collect()).collect();
        let curve = KillCurve::new(mutants.iter().map(Vec::as_slice), Direction::Upper, true);
        let samples = Samples::new(&original).unwrap();
        let request = Request { target: Target::new(0.99).unwrap(), ..Request::new(Direction::Upper) };
        let wide = Assertion { direction: Direction::Upper, is_strict: true, bound: 20.0 };
        let first = tighten(&samples, &curve, &wide, &request).unwrap().unwrap();
        assert!(first.is_loose && first.after.mean > 0.4 && first.before.mean == 0.0);
        assert!(first.after.low < first.after.mean && first.after.mean < first.after.high);
        let tight = Assertion { bound: first.proposal.bound, ..wide };
        assert!(!tighten(&samples, &curve, &tight, &request).unwrap().unwrap().is_loose);
    }
}
