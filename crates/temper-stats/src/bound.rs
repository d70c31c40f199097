//! The bound that the evidence supports: reaches the pass target with the asked confidence.
//!
//! Where order statistics suffice the bound is exact and *observed*; beyond the data it is the calibrated limit of the
//! fitted tail and *extrapolated*, with the coverage that the benchmark measured for such samples. Values on a lattice
//! get a bound half a step past the supporting value; known limits of a value are never passed. [`BoundMethod::Flex`] gives
//! the paper's point estimate, [`BoundMethod::Faser`] the concentration bound, both without confidence. No bound is better
//! than a wild one: see [`Undecided`].

use crate::concentration::{self, Reading};
use crate::coverage::{self, Coverage};
use crate::lattice::Lattice;
use crate::moments::Moments;
use crate::order::{self, OrderBound, OrderLevel};
use crate::tail::limit::{FittedTail, LEAST_SAMPLES};
use crate::tail::{self, TailKind};
use crate::{Confidence, Direction, Error, Samples, Target};

/// Whose rules are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundMethod {
    /// Exact where possible, else the calibrated limit.
    Calibrated,
    /// FLEX: the point estimate of the tail quantile, for light and exponential tails.
    Flex,
    /// FASER: mean plus a multiple of the standard deviation.
    Faser,
}

/// Values that the actual cannot pass: 0 and 1 for a share, 0 for a count.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Range {
    /// Smallest possible value.
    pub low: Option<f64>,
    /// Largest possible value.
    pub high: Option<f64>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// Which side is bounded.
    pub direction: Direction,
    /// Pass probability that the bound must reach.
    pub target: Target,
    /// How sure that must be.
    pub confidence: Confidence,
    /// Whose rules.
    pub method: BoundMethod,
    /// Known limits of the value.
    pub range: Range,
}

impl Request {
    /// The job's default: 0.999 with 95 % confidence, calibrated.
    pub fn new(direction: Direction) -> Self {
        Self {
            direction,
            target: Target::THOUSANDTH,
            confidence: Confidence::STANDARD,
            method: BoundMethod::Calibrated,
            range: Range::default(),
        }
    }
}

/// What a bound rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BoundEvidence {
    /// An order statistic, exact for every distribution.
    Observed {
        /// Rank from the passing side, 1 being the sample farthest from failing.
        rank: usize,
        /// Confidence reached, at least the one asked for.
        confidence: f64,
    },
    /// The calibrated limit of the fitted tail.
    Extrapolated {
        /// Kind of the tail.
        kind: TailKind,
        /// Fitted shape.
        shape: f64,
        /// Samples beyond the threshold.
        exceedances: usize,
        /// Point estimate of the quantile, from the same threshold.
        estimate: f64,
        /// What the benchmark measured for samples like these.
        measured: Option<Coverage>,
    },
    /// A point estimate, right about half of the time.
    Estimated {
        /// Kind of the tail.
        kind: TailKind,
    },
    /// A concentration inequality.
    Concentrated {
        /// The choice between the two inequalities.
        choice: concentration::Choice,
    },
}

/// A bound with its evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundEstimate {
    /// The bound, in the sign and unit of the samples.
    pub bound: f64,
    /// What it rests on.
    pub evidence: BoundEvidence,
    /// Number of samples.
    pub samples: usize,
    /// The lattice that moved the bound by half a step.
    pub lattice: Option<Lattice>,
}

/// Why there is no bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Undecided {
    /// All samples are equal.
    NoVariation,
    /// Too few samples for a fit.
    TooFew {
        /// With this many there would be a fit to look at.
        needed: usize,
    },
    /// No threshold gives a tail that fits.
    NoFit,
    /// A tail too heavy for the method.
    Heavy {
        /// Fitted shape.
        shape: f64,
    },
    /// The inequality never reaches the target with so few samples.
    OutOfReach,
}

/// Beyond this shape the variance is infinite, and limits are too low more often than they may be.
const HEAVIEST: f64 = 0.5;

/// Proposes a bound.
///
/// # Errors
/// The outer error is about the samples ([`Error::TooFew`] without any); the inner one says why there is no bound, and
/// [`order::samples_needed`] says how many samples would give one whatever the tail.
pub fn propose(samples: &Samples, request: &Request) -> Result<Result<BoundEstimate, Undecided>, Error> {
    if samples.is_empty() {
        return Err(Error::TooFew { needed: 1, got: 0 });
    }
    let oriented = request.direction.orient(samples);
    if oriented.is_constant() {
        return Ok(Err(Undecided::NoVariation));
    }
    let upper = match request.method {
        BoundMethod::Calibrated => calibrated(&oriented, request),
        BoundMethod::Flex => flex(&oriented, request),
        BoundMethod::Faser => faser(&oriented, request),
    };
    Ok(upper.map(|proposal| finish(proposal, request)))
}

impl BoundEvidence {
    /// The evidence for samples whose signs were turned, in the sign of the samples.
    pub(crate) fn turned(self, direction: Direction) -> Self {
        match self {
            Self::Extrapolated { kind, shape, exceedances, estimate, measured } => {
                Self::Extrapolated { kind, shape, exceedances, estimate: direction.oriented(estimate), measured }
            }
            other => other,
        }
    }
}

/// Keeps the bound inside the known range and turns it to the sign of the samples.
fn finish(proposal: BoundEstimate, request: &Request) -> BoundEstimate {
    let direction = request.direction;
    let highest = match direction {
        Direction::Upper => request.range.high,
        Direction::Lower => request.range.low.map(|v| direction.oriented(v)),
    };
    let bound = highest.map_or(proposal.bound, |high| proposal.bound.min(high));
    let evidence = proposal.evidence.turned(direction);
    let lattice = proposal.lattice.map(|l| Lattice { origin: direction.oriented(l.origin), ..l });
    BoundEstimate { bound: direction.oriented(bound), evidence, lattice, ..proposal }
}

fn calibrated(samples: &Samples, request: &Request) -> Result<BoundEstimate, Undecided> {
    if let Some(OrderBound { value, rank, confidence }) =
        order::upper_bound(samples, request.target, request.confidence)
    {
        return Ok(observed(samples, value, BoundEvidence::Observed { rank, confidence }));
    }
    extrapolated(samples, request.target, request.confidence)
}

/// The calibrated limit of the fitted tail, as an upper bound.
fn extrapolated(samples: &Samples, target: Target, confidence: Confidence) -> Result<BoundEstimate, Undecided> {
    if samples.len() < LEAST_SAMPLES {
        return Err(Undecided::TooFew { needed: LEAST_SAMPLES });
    }
    let tail = FittedTail::new(samples).ok_or(Undecided::NoFit)?;
    let (shape, kind) = (tail.shape(), tail.kind());
    let heavy = Undecided::Heavy { shape };
    if shape > HEAVIEST {
        return Err(heavy);
    }
    let limit = tail.limit(target, confidence).ok_or(heavy)?;
    // Ties were spread over half a step either side, so the limit belongs to the cell it lies in.
    let lattice = tail.lattice;
    let bound = finite_or(lattice.map(|l| l.past(limit.high - 0.5 * l.step)), limit.high);
    let evidence = BoundEvidence::Extrapolated {
        kind,
        shape,
        exceedances: limit.exceedances,
        estimate: limit.estimate,
        measured: coverage::measured(samples.len(), target, kind),
    };
    Ok(BoundEstimate { bound, evidence, samples: samples.len(), lattice })
}

fn observed(samples: &Samples, value: f64, evidence: BoundEvidence) -> BoundEstimate {
    let lattice = Lattice::find(samples);
    let bound = finite_or(lattice.map(|l| l.past(value)), value);
    BoundEstimate { bound, evidence, samples: samples.len(), lattice }
}

/// The bound of one level of a growing set of samples, of which these are the first; nothing if they are fewer than that
/// level has, or more.
#[must_use]
pub fn propose_at(level: &OrderLevel, samples: &Samples, request: &Request) -> Option<BoundEstimate> {
    let oriented = request.direction.orient(samples);
    let rank = samples.len().checked_sub(level.beyond).filter(|_| samples.len() == level.samples)?;
    let value = *oriented.sorted().get(rank.checked_sub(1)?)?;
    let evidence = BoundEvidence::Observed { rank, confidence: level.confidence };
    Some(finish(observed(&oriented, value, evidence), request))
}

fn finite_or(value: Option<f64>, other: f64) -> f64 {
    value.filter(|v| v.is_finite()).unwrap_or(other)
}

fn flex(samples: &Samples, request: &Request) -> Result<BoundEstimate, Undecided> {
    let options = tail::TailOptions::FLEX;
    let analysis = tail::analyse(samples, &options).map_err(|_| Undecided::NoVariation)?;
    if analysis.tests.is_empty() {
        return Err(Undecided::TooFew { needed: (2 * options.least_exceedances).max(samples.len() + 1) });
    }
    let Some(tail) = analysis.tail else { return Err(Undecided::NoFit) };
    let heavy = Undecided::Heavy { shape: tail.at.fit.gpd.shape() };
    if tail.kind == TailKind::Heavy {
        return Err(heavy);
    }
    let bound = analysis.quantile(request.target).ok_or(heavy)?;
    Ok(BoundEstimate {
        bound,
        evidence: BoundEvidence::Estimated { kind: tail.kind },
        samples: samples.len(),
        lattice: None,
    })
}

fn faser(samples: &Samples, request: &Request) -> Result<BoundEstimate, Undecided> {
    // Shapiro-Wilk ends at 5,000 samples; evenly spaced order statistics keep the shape of a larger set.
    let sorted = samples.sorted();
    let stride = sorted.len().div_ceil(5_000);
    let thinned: Vec<f64> = sorted.iter().copied().step_by(stride).collect();
    let choice = concentration::choose(&thinned, Reading::Paper).map_err(|_| Undecided::TooFew { needed: 5 })?;
    let moments = Moments::of(sorted);
    let bound = concentration::bound_for(choice.inequality, &moments, moments.deviation(), request.target.get())
        .filter(|b| b.is_finite())
        .ok_or(Undecided::OutOfReach)?;
    Ok(BoundEstimate { bound, evidence: BoundEvidence::Concentrated { choice }, samples: samples.len(), lattice: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn normal(n: usize, seed: u64) -> Samples {
        let mut random = Random::new(seed);
        Samples::new(&(0..n).map(|_| random.normal()).collect::<Vec<_>>()).unwrap()
    }

    fn request(target: f64, method: BoundMethod) -> Request {
        Request { target: Target::new(target).unwrap(), method, ..Request::new(Direction::Upper) }
    }

    #[test]
    fn enough_samples_give_an_observed_bound() {
        let proposal = propose(&normal(299, 1), &request(0.99, BoundMethod::Calibrated)).unwrap().unwrap();
        assert!(matches!(proposal.evidence, BoundEvidence::Observed { rank: 299, .. }));
        let proposal = propose(&normal(298, 1), &request(0.99, BoundMethod::Calibrated)).unwrap().unwrap();
        assert!(matches!(proposal.evidence, BoundEvidence::Extrapolated { .. }));
    }

    #[test]
    fn calibrated_bounds_lie_beyond_the_point_estimate() {
        for seed in 0..5 {
            let samples = normal(600, seed);
            let ours = propose(&samples, &request(0.999, BoundMethod::Calibrated)).unwrap().unwrap();
            let BoundEvidence::Extrapolated { estimate, .. } = ours.evidence else { panic!("{ours:?}") };
            assert!(ours.bound > estimate && ours.bound < 8.0, "{ours:?}");
        }
    }

    #[test]
    fn few_or_equal_samples_are_undecided() {
        assert!(matches!(
            propose(&normal(40, 1), &request(0.999, BoundMethod::Calibrated)).unwrap(),
            Err(Undecided::TooFew { .. })
        ));
        let equal = Samples::new(&[2.0; 50]).unwrap();
        assert_eq!(propose(&equal, &request(0.99, BoundMethod::Calibrated)).unwrap(), Err(Undecided::NoVariation));
        assert!(propose(&Samples::default(), &request(0.99, BoundMethod::Calibrated)).is_err());
    }

    #[test]
    fn estimates_and_limits_have_the_sign_of_the_samples() {
        let samples = normal(400, 7);
        let wanted = Request { direction: Direction::Lower, ..request(0.999, BoundMethod::Calibrated) };
        let found = propose(&samples, &wanted).unwrap().unwrap();
        let BoundEvidence::Extrapolated { estimate, .. } = found.evidence else { panic!("{found:?}") };
        assert!(found.bound < estimate && estimate < -2.0, "{found:?}");
    }

    #[test]
    fn a_tail_without_variance_yields_no_bound() {
        let mut random = Random::new(5);
        let cauchy: Vec<f64> = (0..1_000).map(|_| (std::f64::consts::PI * (random.open() - 0.5)).tan()).collect();
        let samples = Samples::new(&cauchy).unwrap();
        for method in [BoundMethod::Flex, BoundMethod::Calibrated] {
            let found = propose(&samples, &request(0.9999, method)).unwrap();
            assert!(matches!(found, Err(Undecided::Heavy { .. })), "{found:?}");
        }
    }

    #[test]
    fn known_limits_are_not_passed_and_lattice_bounds_lie_between_values() {
        let mut random = Random::new(8);
        let shares: Vec<f64> =
            (0..400).map(|_| (0..50).filter(|_| random.open() < 0.97).count() as f64 / 50.0).collect();
        let samples = Samples::new(&shares).unwrap();
        let mut wanted = request(0.99, BoundMethod::Calibrated);
        let free = propose(&samples, &wanted).unwrap().unwrap();
        assert!((free.bound - 1.01).abs() < 1e-9, "{free:?}");
        wanted.range.high = Some(1.0);
        assert_eq!(propose(&samples, &wanted).unwrap().unwrap().bound, 1.0);
        wanted.direction = Direction::Lower;
        let lower = propose(&samples, &wanted).unwrap().unwrap();
        let steps = lower.bound * 50.0;
        assert!((steps - steps.floor() - 0.5).abs() < 1e-6, "{lower:?}");
    }
}
