//! The decision procedure: FLEX algorithm 2, with the transform of algorithm 1 around it.

use super::threshold::{ThresholdTest, choose, test_all};
use super::{Options, Transform};
use crate::boxcox::{self, BoxCox};
use crate::gpd::{Gpd, LikelihoodRatio, growth, likelihood_ratio, power_of_two_near};
use crate::lattice::Lattice;
use crate::samples::quantile_of_sorted;
use crate::{Error, Samples, Target};

/// How fast the tail thins out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailKind {
    /// Shape below 0: there is a largest possible value.
    Light,
    /// Shape 0, or so near that the likelihood-ratio test cannot tell.
    Exponential,
    /// Shape above 0: far quantiles are guesses.
    Heavy,
}

/// The accepted tail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tail {
    /// What kind it is.
    pub kind: TailKind,
    /// The threshold and the fits above it.
    pub at: ThresholdTest,
    /// Exponential against GPD.
    pub ratio: LikelihoodRatio,
    /// The distribution of the excesses: the GPD, or the exponential where that stands in for a mildly heavy fit.
    pub gpd: Gpd,
    /// The transform that the threshold and the fit live behind.
    pub transform: Option<BoxCox>,
}

/// Everything the procedure found.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// Number of samples.
    pub n: usize,
    /// The accepted tail; `None` when no threshold fits.
    pub tail: Option<Tail>,
    /// All thresholds tested, highest first, of the round that the answer came from.
    pub tests: Vec<ThresholdTest>,
    /// The lattice the samples lie on, if they do.
    pub lattice: Option<Lattice>,
    /// The samples as analysed: spread over their cells when on a lattice, then transformed; divided by `unit` first.
    pub(crate) analysed: Vec<f64>,
    /// A power of two that brings the samples below 1 in size, so that no finite sample overflows.
    pub(crate) unit: f64,
}

/// Looks for the upper tail.
///
/// # Errors
/// [`Error::TooFew`] without samples, [`Error::NoVariation`] when all are equal.
pub fn analyse(samples: &Samples, options: &Options) -> Result<Analysis, Error> {
    let (Some(min), Some(max)) = (samples.min(), samples.max()) else {
        return Err(Error::TooFew { needed: 1, got: 0 });
    };
    if min == max {
        return Err(Error::NoVariation { value: min });
    }
    let lattice = if options.spread_ties { Lattice::find(samples) } else { None };
    let spread = match lattice {
        Some(lattice) => lattice.spread(samples),
        None => samples.sorted().to_vec(),
    };
    let unit = 2.0 * power_of_two_near(max.abs().max(min.abs()));
    let plain: Vec<f64> = spread.iter().map(|x| x / unit).collect();
    let analysis = round(&plain, None, options, unit, lattice);
    let needs_transform = match options.transform {
        Transform::Never => false,
        Transform::NoFit => analysis.tail.is_none(),
        Transform::NoFitOrHeavy => analysis.tail.is_none_or(|t| t.kind == TailKind::Heavy),
    };
    if needs_transform && let Ok(fitted) = boxcox::fit(&plain) {
        let bent: Vec<f64> = plain.iter().map(|x| fitted.forward(*x)).collect();
        if bent.iter().all(|y| y.is_finite()) && bent.is_sorted() {
            let again = round(&bent, Some(fitted), options, unit, lattice);
            if again.tail.is_some_and(|t| t.kind != TailKind::Heavy) {
                return Ok(again);
            }
        }
    }
    Ok(analysis)
}

fn round(
    sorted: &[f64],
    transform: Option<BoxCox>,
    options: &Options,
    unit: f64,
    lattice: Option<Lattice>,
) -> Analysis {
    let mut tests = test_all(sorted, options);
    if transform.is_none() {
        tests.iter_mut().for_each(|t| *t = t.scaled(unit));
    }
    let tail = choose(&tests, options).map(|i| classify(tests[i], transform, options));
    Analysis { n: sorted.len(), tail, tests, lattice, analysed: sorted.to_vec(), unit }
}

fn classify(at: ThresholdTest, transform: Option<BoxCox>, options: &Options) -> Tail {
    let ratio = likelihood_ratio(&at.fit, &at.exponential);
    let shape = at.fit.gpd.shape();
    let exponential = Gpd::new(at.exponential.scale, 0.0).unwrap_or(at.fit.gpd);
    let (kind, gpd) = if shape < 0.0 {
        (TailKind::Light, at.fit.gpd)
    } else if ratio.p > options.significance {
        (TailKind::Exponential, exponential)
    } else {
        (TailKind::Heavy, at.fit.gpd)
    };
    Tail { kind, at, ratio, gpd, transform }
}

impl Analysis {
    /// Point estimate of the quantile of the whole distribution: u + scale/shape ((1 - target) n / n_u)^-shape - 1).
    /// Below the threshold it is the sample quantile. `None` without a tail, or when it is no finite number.
    ///
    /// A point estimate is too low about half of the time: see [`super::limit`] for one that is not.
    pub fn quantile(&self, target: Target) -> Option<f64> {
        let tail = self.tail?;
        let survival = target.complement() * self.n as f64 / tail.at.exceedances as f64;
        let value = if survival >= 1.0 {
            quantile_of_sorted(&self.analysed, target.get())?
        } else {
            self.place(&tail.at) + self.length(tail.gpd.scale()) * growth(tail.gpd.shape(), survival)
        };
        self.in_user_units(value)
    }

    /// Estimated probability that a sample lies above `value`.
    pub fn probability_above(&self, value: f64) -> Option<f64> {
        let tail = self.tail?;
        let scaled = value / self.unit;
        let place = match tail.transform {
            // Outside the transform's support the sign alone decides.
            Some(t) if (scaled < 0.0) != t.is_negated || scaled == 0.0 => {
                return Some(if scaled >= 0.0 && t.is_negated { 0.0 } else { 1.0 });
            }
            Some(t) => t.forward(scaled),
            None => scaled,
        };
        let threshold = self.place(&tail.at);
        if place < threshold {
            let above = self.analysed.len() - self.analysed.partition_point(|x| *x <= place);
            return Some(above as f64 / self.n as f64);
        }
        let share = tail.at.exceedances as f64 / self.n as f64;
        let gpd = Gpd::new(self.length(tail.gpd.scale()), tail.gpd.shape()).ok()?;
        Some(share * gpd.survival(place - threshold))
    }

    /// A threshold among the analysed values.
    pub(crate) fn place(&self, test: &ThresholdTest) -> f64 {
        self.length(test.threshold)
    }

    /// A length of the evidence as one among the analysed values.
    fn length(&self, value: f64) -> f64 {
        if self.tail.is_some_and(|t| t.transform.is_some()) { value } else { value / self.unit }
    }

    /// Undoes the transform and the division by the unit.
    pub(crate) fn in_user_units(&self, value: f64) -> Option<f64> {
        let plain = match self.tail.and_then(|t| t.transform) {
            Some(transform) => transform.inverse(value)?,
            None => value,
        };
        let scaled = plain * self.unit;
        scaled.is_finite().then_some(scaled)
    }
}
