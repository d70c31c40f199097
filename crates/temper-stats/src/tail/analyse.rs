//! The decision procedure: FLEX algorithm 2, with the transform of algorithm 1 around it.

use super::threshold::{ThresholdTest, choose, test_all};
use super::{TailOptions, Transform};
use crate::boxcox::{self, BoxCox};
use crate::gpd::{Gpd, LikelihoodRatio, growth, likelihood_ratio, power_of_two_near};
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
pub struct TailAnalysis {
    /// Number of samples.
    pub n: usize,
    /// The accepted tail; `None` when no threshold fits.
    pub tail: Option<Tail>,
    /// All thresholds tested, highest first, of the round that the answer came from.
    pub tests: Vec<ThresholdTest>,
    /// The samples as analysed: divided by `unit`, then transformed.
    pub(crate) analysed: Vec<f64>,
    /// A power of two that brings the samples below 1 in size, so that no finite sample overflows.
    pub(crate) unit: f64,
}

/// Looks for the upper tail.
///
/// # Errors
/// [`Error::TooFew`] without samples, [`Error::NoVariation`] when all are equal.
pub fn analyse(samples: &Samples, options: &TailOptions) -> Result<TailAnalysis, Error> {
    let (Some(min), Some(max)) = (samples.min(), samples.max()) else {
        return Err(Error::TooFew { needed: 1, got: 0 });
    };
    if min == max {
        return Err(Error::NoVariation { value: min });
    }
    let unit = 2.0 * power_of_two_near(max.abs().max(min.abs()));
    let plain: Vec<f64> = samples.sorted().iter().map(|x| x / unit).collect();
    let analysis = round(&plain, None, options, unit);
    let needs_transform = match options.transform {
        Transform::Never => false,
        Transform::NoFitOrHeavy => analysis.tail.is_none_or(|t| t.kind == TailKind::Heavy),
    };
    if needs_transform && let Ok(fitted) = boxcox::fit(&plain) {
        let bent: Vec<f64> = plain.iter().map(|x| fitted.forward(*x)).collect();
        if bent.iter().all(|y| y.is_finite()) && bent.is_sorted() {
            let again = round(&bent, Some(fitted), options, unit);
            if again.tail.is_some_and(|t| t.kind != TailKind::Heavy) {
                return Ok(again);
            }
        }
    }
    Ok(analysis)
}

fn round(sorted: &[f64], transform: Option<BoxCox>, options: &TailOptions, unit: f64) -> TailAnalysis {
    let mut tests = test_all(sorted, options);
    if transform.is_none() {
        tests.iter_mut().for_each(|t| *t = t.scaled(unit));
    }
    let tail = choose(&tests, options).map(|i| classify(tests[i], transform, options));
    TailAnalysis { n: sorted.len(), tail, tests, analysed: sorted.to_vec(), unit }
}

fn classify(at: ThresholdTest, transform: Option<BoxCox>, options: &TailOptions) -> Tail {
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

impl TailAnalysis {
    /// Point estimate of the quantile of the whole distribution: u + scale/shape ((1 - target) n / n_u)^-shape - 1).
    /// Below the threshold it is the sample quantile. `None` without a tail, or when it is no finite number.
    ///
    /// A point estimate is too low about half of the time: see [`super::limit`] for limits that are not.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::tail::Candidates;

    /// The procedure of the paper on few thresholds, without its transform.
    const FEW: TailOptions =
        TailOptions { candidates: Candidates::Quantiles, transform: Transform::Never, ..TailOptions::FLEX };

    fn draw(n: usize, seed: u64, value: impl Fn(&mut Random) -> f64) -> Samples {
        let mut random = Random::new(seed);
        Samples::new(&(0..n).map(|_| value(&mut random)).collect::<Vec<_>>()).unwrap()
    }

    fn target(p: f64) -> Target {
        Target::new(p).unwrap()
    }

    #[test]
    fn kinds_of_tails_are_told_apart() {
        let kind = |samples: &Samples| analyse(samples, &FEW).unwrap().tail.unwrap().kind;
        assert_eq!(kind(&draw(2_000, 1, Random::open)), TailKind::Light);
        assert_eq!(kind(&draw(2_000, 2, |r| 1.0 / r.open())), TailKind::Heavy);
        // A fitted shape below 0 is called light whatever its size, so exponential samples are one or the other.
        assert_ne!(kind(&draw(2_000, 3, |r| -r.open().ln())), TailKind::Heavy);
    }

    #[test]
    fn point_estimates_are_near_the_truth_for_many_samples() {
        let analysis = analyse(&draw(20_000, 4, |r| -r.open().ln()), &FEW).unwrap();
        for p in [0.3, 0.9, 0.99, 0.999] {
            let truth = -f64::ln(1.0 - p);
            // Ten percent is more than six standard errors at 0.999, and more elsewhere.
            assert!((analysis.quantile(target(p)).unwrap() / truth - 1.0).abs() < 0.1, "{p}");
        }
    }

    #[test]
    fn transformed_tails_answer_in_the_unit_of_the_samples() {
        let heavy = draw(1_000, 5, |r| (1.5 * r.normal()).exp());
        let analysis = analyse(&heavy, &TailOptions { transform: Transform::NoFitOrHeavy, ..FEW }).unwrap();
        assert!(analysis.tail.unwrap().transform.is_some());
        let q = analysis.quantile(target(0.99)).unwrap();
        // exp(1.5 * 2.326) = 32.8; its standard error is below a tenth of it.
        assert!((20.0..50.0).contains(&q), "{q}");
    }

    #[test]
    fn evidence_is_in_the_unit_of_the_samples() {
        let plain = draw(500, 6, Random::normal);
        let large = Samples::new(&plain.sorted().iter().map(|x| x * 1e9).collect::<Vec<_>>()).unwrap();
        let (a, b) = (analyse(&plain, &FEW).unwrap(), analyse(&large, &FEW).unwrap());
        for (x, y) in a.tests.iter().zip(&b.tests) {
            assert!((y.threshold / x.threshold / 1e9 - 1.0).abs() < 1e-9);
            assert!((y.fit.gpd.scale() / x.fit.gpd.scale() / 1e9 - 1.0).abs() < 1e-6);
            let expected = x.fit.log_likelihood - x.exceedances as f64 * 1e9_f64.ln();
            assert!((y.fit.log_likelihood - expected).abs() < 1e-6);
        }
    }
}
