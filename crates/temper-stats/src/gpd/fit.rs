//! Maximum-likelihood fit of the GPD by profile likelihood (Grimshaw 1993), the exponential fit, and the
//! likelihood-ratio test between the two (FLEX section 4.2).
//!
//! For shapes below -1 the likelihood grows without bound, so the fit is the best *interior* maximum with shape at
//! least -1. Where there is none (uniform-like or tied data, very small samples), the answer is the uniform law on
//! [0, largest], the best point with shape -1, marked as `is_interior: false`. Below about 30 excesses the shape is
//! mostly noise; between shapes -1 and -0.5 the usual standard errors do not hold.

use super::Gpd;
use super::profile::{Point, Profile};
use crate::Error;
use crate::error::check;
use crate::special::chi_square_1_sf;

/// A fitted GPD.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// The distribution.
    pub gpd: Gpd,
    /// Its log-likelihood on the excesses it was fitted to.
    pub log_likelihood: f64,
    /// False when the likelihood has no interior maximum and the uniform law stands in.
    pub is_interior: bool,
    /// Number of excesses.
    pub count: usize,
}

/// A fitted exponential distribution: the GPD with shape 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponential {
    /// Its scale, which is the mean of the excesses.
    pub scale: f64,
    /// Its log-likelihood on the excesses it was fitted to.
    pub log_likelihood: f64,
}

/// Exponential against GPD.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LikelihoodRatio {
    /// Twice the gain in log-likelihood, at least 0.
    pub statistic: f64,
    /// Chi-square with one degree of freedom.
    pub p: f64,
}

/// Fits the GPD to positive excesses in any order.
///
/// # Errors
/// [`Error::TooFew`] for no excesses, [`Error::NotFinite`], and [`Error::OutOfRange`] for an excess that is not
/// positive.
pub fn fit(excesses: &[f64]) -> Result<Fit, Error> {
    let sorted = sorted_excesses(excesses)?;
    fit_sorted(&sorted)
}

/// Fits the exponential distribution to positive excesses.
///
/// # Errors
/// As [`fit`].
pub fn fit_exponential(excesses: &[f64]) -> Result<Exponential, Error> {
    let sorted = sorted_excesses(excesses)?;
    let profile = profile_of(&sorted)?;
    Ok(exponential_of(&profile))
}

/// Tests whether the fitted GPD is significantly better than the exponential.
pub fn likelihood_ratio(fit: &Fit, exponential: &Exponential) -> LikelihoodRatio {
    let statistic = (2.0 * (fit.log_likelihood - exponential.log_likelihood)).max(0.0);
    LikelihoodRatio { statistic, p: chi_square_1_sf(statistic) }
}

fn sorted_excesses(excesses: &[f64]) -> Result<Vec<f64>, Error> {
    check(excesses, 1)?;
    if let Some(&value) = excesses.iter().find(|&&x| x <= 0.0) {
        return Err(Error::OutOfRange { name: "excess", value, range: "positive" });
    }
    let mut sorted = excesses.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Ok(sorted)
}

fn profile_of(sorted: &[f64]) -> Result<Profile, Error> {
    Profile::new(sorted).ok_or(Error::TooFew { needed: 1, got: sorted.len() })
}

/// [`fit`] of excesses known to be positive, finite and ascending.
pub(crate) fn fit_sorted(sorted: &[f64]) -> Result<Fit, Error> {
    Ok(fit_profile(&profile_of(sorted)?).0)
}

/// The fit, and the step it lies at when it is interior.
pub(crate) fn fit_profile(profile: &Profile) -> (Fit, Option<f64>) {
    let best = interior_maximum(profile);
    let fit = match best {
        Some((_, point)) => Fit {
            gpd: gpd_from_units(point.scale, point.shape(), profile.largest),
            log_likelihood: in_user_units(profile, point.mean_log_likelihood()),
            is_interior: true,
            count: profile.len(),
        },
        None => Fit {
            gpd: gpd_from_units(1.0, -1.0, profile.largest),
            log_likelihood: in_user_units(profile, 0.0),
            is_interior: false,
            count: profile.len(),
        },
    };
    (fit, best.map(|(step, _)| step))
}

pub(crate) fn exponential_of(profile: &Profile) -> Exponential {
    let at_zero = profile.at(0.0);
    Exponential {
        scale: at_zero.scale * profile.largest,
        log_likelihood: in_user_units(profile, at_zero.mean_log_likelihood()),
    }
}

/// A mean log-likelihood in units of the largest excess, as a sum in the unit of the samples.
fn in_user_units(profile: &Profile, mean: f64) -> f64 {
    profile.len() as f64 * (mean - profile.largest.ln())
}

fn gpd_from_units(scale: f64, shape: f64, largest: f64) -> Gpd {
    // A scale can leave the range of doubles only with the largest excess near its ends.
    Gpd { scale: (scale * largest).clamp(f64::MIN_POSITIVE, f64::MAX), shape }
}

/// Steps where the slope is looked at first: this many up to -2, of size 1/4 to 2, and this many beyond.
const LEFT_STEPS: usize = 16;
const RIGHT_STEPS: usize = 12;

/// Best local maximum of the profile with shape at least -1, and its step.
fn interior_maximum(profile: &Profile) -> Option<(f64, Point)> {
    let mut best: Option<(f64, Point)> = None;
    let mut previous: Option<(f64, f64)> = None;
    for step in grid(profile) {
        let slope = profile.at(step).slope();
        if let Some((rising_step, rising)) = previous
            && rising > 0.0
            && slope <= 0.0
        {
            let top_step = summit(profile, (rising_step, rising), (step, slope));
            let top = profile.at(top_step);
            let is_better = best.is_none_or(|(_, b)| top.mean_log_likelihood() > b.mean_log_likelihood());
            if top.shape() >= -1.0 && is_better {
                best = Some((top_step, top));
            }
        }
        previous = Some((step, slope));
    }
    best
}

fn grid(profile: &Profile) -> impl Iterator<Item = f64> {
    let first = first_step(profile);
    let last = last_step(profile);
    let left_size = (-2.0 - first).max(0.0) / LEFT_STEPS as f64;
    let left = (0..LEFT_STEPS).map(move |i| first + left_size * i as f64).filter(|&s| s < -2.0);
    let middle = (-8..=8).map(|i| f64::from(i) * 0.25).filter(move |&s| s > first);
    let right_size = (last - 2.0).max(0.5) / RIGHT_STEPS as f64;
    let right = (1..=RIGHT_STEPS).map(move |i| 2.0 + right_size * i as f64);
    left.chain(middle).chain(right)
}

/// The step at which the shape reaches -1. Left of it the likelihood only grows towards its infinity, which is no fit.
pub(crate) fn first_step(profile: &Profile) -> f64 {
    // A largest excess closer than e^-80 to the endpoint is beyond what doubles tell apart.
    let (mut low, mut high) = (-80.0, 0.0);
    if profile.at(low).shape() >= -1.0 {
        return low;
    }
    for _ in 0..14 {
        let middle = 0.5 * (low + high);
        if profile.at(middle).shape() < -1.0 { low = middle } else { high = middle }
    }
    high
}

/// No stationary point lies beyond this step: Grimshaw (1993, section 2) bounds the tilt by
/// 2 (mean - smallest) / smallest².
fn last_step(profile: &Profile) -> f64 {
    let smallest = profile.ratios[0].max(1e-150);
    let tilt = 2.0 * (profile.mean() - smallest) / (smallest * smallest);
    tilt.clamp(2.0, 1e280).ln_1p()
}

/// The root of the slope between a rising and a falling step: Illinois false position, with every fourth step a
/// bisection so that no form of the slope can stall it.
fn summit(profile: &Profile, rising: (f64, f64), falling: (f64, f64)) -> f64 {
    let ((mut a, mut fa), (mut b, mut fb)) = (rising, falling);
    let mut last_rose = None;
    for round in 0..200 {
        let step = if round % 4 == 3 { 0.5 * (a + b) } else { (fa * b - fb * a) / (fa - fb) };
        if !(step > a && step < b) || b - a < 1e-14 {
            break;
        }
        let slope = profile.at(step).slope();
        let rose = slope > 0.0;
        if rose {
            (a, fa) = (step, slope);
            fb *= if last_rose == Some(true) { 0.5 } else { 1.0 };
        } else {
            (b, fb) = (step, slope);
            fa *= if last_rose == Some(false) { 0.5 } else { 1.0 };
        }
        last_rose = Some(rose);
        // The likelihood is flat to second order here: an error of 1e-9 in the step costs 1e-18 of it.
        if slope.abs() < 1e-13 {
            return step;
        }
    }
    0.5 * (a + b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn draw(shape: f64, scale: f64, n: usize, seed: u64) -> Vec<f64> {
        let gpd = Gpd::new(scale, shape).unwrap();
        let mut random = Random::new(seed);
        (0..n).map(|_| gpd.quantile_of_survival(random.open())).collect()
    }

    #[test]
    fn shape_and_scale_are_recovered_from_many_excesses() {
        for shape in [-0.4, -0.1, 0.0, 0.3, 0.8] {
            let fit = fit(&draw(shape, 3.0, 20_000, 7)).unwrap();
            // Standard error of the shape is (1 + shape) / sqrt(n), below 0.013 here; five of them.
            assert!((fit.gpd.shape() - shape).abs() < 0.064, "{shape}: {fit:?}");
            assert!((fit.gpd.scale() / 3.0 - 1.0).abs() < 0.08, "{shape}: {fit:?}");
        }
    }

    #[test]
    fn no_point_of_a_fine_grid_is_better() {
        for seed in 0..60 {
            let shape = -0.9 + 0.05 * seed as f64;
            let excesses = draw(shape, 1.0, 12 + 3 * seed as usize, seed);
            let best = fit(&excesses).unwrap();
            if !best.is_interior {
                continue;
            }
            let (s, k) = (best.gpd.scale(), best.gpd.shape());
            for (ds, dk) in [(1.0, 1e-3), (1.001, 0.0), (0.999, 0.0), (1.0, -1e-3), (1.01, -0.01), (0.99, 0.01)] {
                let other = Gpd::new(s * ds, k + dk).unwrap().log_likelihood(&excesses);
                assert!(other <= best.log_likelihood + 1e-9, "{seed}: {other} {best:?}");
            }
            assert!((best.gpd.log_likelihood(&excesses) - best.log_likelihood).abs() < 1e-8);
        }
    }

    /// The grid looks at some 45 places; a scan of 4,000 must not find a higher interior maximum.
    #[test]
    fn no_maximum_of_a_dense_scan_is_missed() {
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let n = 3 + random.index(40);
            let kind = random.index(3);
            let mut excesses: Vec<f64> = (0..n)
                .map(|_| match kind {
                    0 => random.open(),
                    1 => 1.0 / random.open(),
                    _ => (1.0 + random.index(6) as f64) * if random.open() < 0.1 { 30.0 } else { 1.0 },
                })
                .collect();
            excesses.sort_by(f64::total_cmp);
            let profile = Profile::new(&excesses).unwrap();
            let found = interior_maximum(&profile).map(|(_, p)| p.mean_log_likelihood());
            let (first, last) = (first_step(&profile), last_step(&profile));
            let points: Vec<Point> =
                (0..4_000).map(|i| profile.at(first + (last - first) * f64::from(i) / 4e3)).collect();
            let scanned = points.windows(3).filter(|w| {
                let height = |i: usize| w[i].mean_log_likelihood();
                w[1].shape() >= -1.0 && height(1) > height(0) + 1e-9 && height(1) > height(2) + 1e-9
            });
            let best = scanned.map(|w| w[1].mean_log_likelihood()).fold(f64::NEG_INFINITY, f64::max);
            assert!(found.unwrap_or(f64::NEG_INFINITY) >= best - 1e-9, "{seed}: {found:?} {best} {excesses:?}");
        }
    }

    #[test]
    fn ties_and_single_excesses_fall_back_to_the_uniform_law() {
        for excesses in [vec![2.0], vec![3.0; 40]] {
            let fit = fit(&excesses).unwrap();
            assert!(!fit.is_interior);
            assert_eq!((fit.gpd.scale(), fit.gpd.shape()), (excesses[0], -1.0));
        }
    }

    #[test]
    fn extreme_units_change_the_scale_and_nothing_else() {
        let excesses = draw(-0.2, 1.0, 200, 3);
        let plain = fit(&excesses).unwrap();
        for unit in [1e-300, 1e-150, 1e150, 1e300] {
            let scaled: Vec<f64> = excesses.iter().map(|x| x * unit).collect();
            let other = fit(&scaled).unwrap();
            assert!((other.gpd.shape() - plain.gpd.shape()).abs() < 1e-9, "{unit}");
            assert!((other.gpd.scale() / unit / plain.gpd.scale() - 1.0).abs() < 1e-9, "{unit}");
        }
    }

    #[test]
    fn wrong_excesses_are_named() {
        assert!(matches!(fit(&[]), Err(Error::TooFew { .. })));
        assert!(matches!(fit(&[1.0, f64::NAN]), Err(Error::NotFinite { index: 1, .. })));
        assert!(matches!(fit(&[1.0, 0.0]), Err(Error::OutOfRange { .. })));
    }
}
