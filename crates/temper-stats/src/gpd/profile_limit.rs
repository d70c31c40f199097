//! Upper confidence limits for far quantiles of a fitted GPD.
//!
//! Profile likelihood: the largest quantile whose twofold log-likelihood ratio stays below a cut (Coles 2001, section
//! 4.3.3). For a fixed tilt the admissible scales form an interval in closed form, so the search runs over one number.
//! The chi-square cut (2.71 for 95 %, one-sided) covers too little at the sample sizes of this job: callers widen it
//! as measured ([`crate::tail::limit`]), or take it from a parametric bootstrap ([`bootstrap_cut`]).
//! The limit speaks for the fitted family only: a threshold that is too low biases it, whatever the cut.

use super::fit::{first_step, fit_profile, fit_sorted};
use super::profile::Profile;
use super::{Gpd, growth_of_log};
use crate::Error;
use crate::random::Random;

/// The parameters that a cut admits, and the depth of the quantile wanted: it is exceeded with probability exp(-depth).
struct Region<'a> {
    profile: &'a Profile,
    depth: f64,
    best: f64,
    /// Cut / (2 n): how far the mean log-likelihood may fall.
    drop: f64,
    /// Ends of the admitted steps.
    left: f64,
    right: f64,
    /// The quantile of the uniform law, where that stands in for a maximum.
    uniform: Option<f64>,
}

/// Largest quantile at survival probability `survival` that the cut admits, in the unit of the ascending excesses.
///
/// # Errors
/// [`Error::TooFew`] for no excesses.
pub fn upper_limit(sorted: &[f64], survival: f64, cut: f64) -> Result<f64, Error> {
    let profile = Profile::new(sorted).ok_or(Error::TooFew { needed: 1, got: sorted.len() })?;
    let (_, step) = fit_profile(&profile);
    Ok(upper_limit_of(&profile, step, survival, cut))
}

/// [`upper_limit`] from a profile and the step of its interior maximum.
fn upper_limit_of(profile: &Profile, best_step: Option<f64>, survival: f64, cut: f64) -> f64 {
    if survival >= 1.0 { 0.0 } else { profile.largest * Region::new(profile, best_step, survival, cut).highest() }
}

/// Smallest and largest quantile that the cut admits.
pub(crate) fn limits_of(profile: &Profile, best_step: Option<f64>, survival: f64, cut: f64) -> (f64, f64) {
    if survival >= 1.0 {
        return (0.0, 0.0);
    }
    let region = Region::new(profile, best_step, survival, cut);
    let high = region.highest();
    (profile.largest * region.lowest().clamp(0.0, high), profile.largest * high)
}

/// Beyond, the shape is over 100 for any data with a spread.
const LAST_STEP: f64 = 300.0;

impl<'a> Region<'a> {
    fn new(profile: &'a Profile, best_step: Option<f64>, survival: f64, cut: f64) -> Self {
        let best = best_step.map_or(0.0, |s| profile.at(s).mean_log_likelihood());
        let depth = -survival.ln();
        // Left of shape -1 the likelihood runs off to its infinity: no evidence for anything. Where there is no interior
        // maximum the uniform law stands in, and the region starts there.
        let leftmost = first_step(profile);
        let start = best_step.unwrap_or(leftmost).max(leftmost);
        let uniform = best_step.is_none().then(|| -(-depth).exp_m1());
        let drop = cut / (2.0 * profile.len() as f64);
        let mut region = Self { profile, depth, best, drop, left: start, right: start, uniform };
        region.left = region.edge(start, -1.0).max(leftmost);
        region.right = region.edge(start, 1.0);
        region
    }

    fn highest(&self) -> f64 {
        self.largest(&|step| self.quantile(step, widest)).max(self.uniform.unwrap_or(0.0))
    }

    fn lowest(&self) -> f64 {
        let low = -self.largest(&|step| self.quantile(step, narrowest).map(|q| -q));
        self.uniform.map_or(low, |u| low.min(u))
    }

    /// How much of the drop is left at the best scale of this step; negative outside the region.
    fn room(&self, step: f64) -> f64 {
        self.profile.at(step).mean_log_likelihood() - self.best + self.drop
    }

    /// The most extreme quantile at this step in the direction of `reach`; `None` outside the region.
    fn quantile(&self, step: f64, reach: fn(f64) -> f64) -> Option<f64> {
        let point = self.profile.at(step);
        let room = point.mean_log_likelihood() - self.best + self.drop;
        if room.is_nan() || room < 0.0 {
            return None;
        }
        let scale = point.scale * reach(room.min(700.0));
        Some(scale * growth_of_log(point.tilt * scale, self.depth))
    }

    /// The end of the region in one direction from a step inside it.
    fn edge(&self, inside: f64, direction: f64) -> f64 {
        let mut stride = 0.05;
        let (mut inner, mut outer) = (inside, inside + direction * stride);
        while self.room(outer) >= 0.0 && outer.abs() < LAST_STEP {
            stride *= 1.6;
            (inner, outer) = (outer, outer + direction * stride);
        }
        for _ in 0..24 {
            let middle = 0.5 * (inner + outer);
            if self.room(middle) >= 0.0 { inner = middle } else { outer = middle }
        }
        inner
    }

    /// Largest value over the admitted steps: a coarse scan, then golden sections around its best point.
    fn largest(&self, value: &dyn Fn(f64) -> Option<f64>) -> f64 {
        const POINTS: usize = 24;
        let width = (self.right - self.left) / POINTS as f64;
        let at = |i: f64| value(self.left + width * i).unwrap_or(f64::NEG_INFINITY);
        let scan = (0..=POINTS).map(|i| (i as f64, at(i as f64)));
        let (best, mut largest) = scan.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0.0, f64::NEG_INFINITY));
        let (mut low, mut high) = ((best - 1.0).max(0.0), (best + 1.0).min(POINTS as f64));
        for _ in 0..18 {
            let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
            let (qa, qb) = (at(a), at(b));
            largest = largest.max(qa).max(qb);
            if qa > qb { high = b } else { low = a }
        }
        largest
    }
}

/// The z >= 1 with ln z + 1/z - 1 = room: how much larger than the best the scale may be.
fn widest(room: f64) -> f64 {
    // Newton in ln z, started to the right of the root, where the function is convex.
    let mut log = room + (2.0 * room).sqrt();
    for _ in 0..60 {
        let value = log + (-log).exp_m1() - room;
        let slope = -(-log).exp_m1();
        if slope <= 0.0 {
            break;
        }
        let next = (log - value / slope).max(0.0);
        if (next - log).abs() <= 1e-13 * (1.0 + log) {
            break;
        }
        log = next;
    }
    log.exp()
}

/// The z <= 1 with the same property: how much smaller than the best the scale may be.
fn narrowest(room: f64) -> f64 {
    // Newton in ln z from the left, where 1/z dominates.
    let mut log = -(2.0 * room).sqrt().min((1.0 + room).ln() + 1.0).max(0.0);
    for _ in 0..100 {
        let value = log + (-log).exp_m1() - room;
        let slope = -(-log).exp_m1();
        if slope >= 0.0 {
            break;
        }
        let next = (log - value / slope).min(0.0);
        if (next - log).abs() <= 1e-13 * (1.0 - log) {
            break;
        }
        log = next;
    }
    log.exp()
}

/// The cut at which limits from samples of the fitted distribution cover its own quantile with the asked confidence.
///
/// # Errors
/// As [`upper_limit`].
pub fn bootstrap_cut(
    sorted: &[f64],
    survival: f64,
    confidence: f64,
    resamples: usize,
    seed: u64,
) -> Result<f64, Error> {
    let fitted = fit_sorted(sorted)?.gpd;
    let standard = Gpd { scale: 1.0, shape: fitted.shape };
    let truth = standard.quantile_of_survival(survival);
    let mut random = Random::new(seed);
    let mut needed: Vec<f64> = Vec::with_capacity(resamples);
    let mut drawn = vec![0.0; sorted.len()];
    for _ in 0..resamples {
        drawn.iter_mut().for_each(|x| *x = standard.quantile_of_survival(random.open()).max(f64::MIN_POSITIVE));
        drawn.sort_unstable_by(f64::total_cmp);
        if let Some(profile) = Profile::new(&drawn) {
            needed.push(cut_needed(&profile, survival, truth));
        }
    }
    needed.sort_unstable_by(f64::total_cmp);
    let rank = ((confidence * needed.len() as f64).ceil() as usize).clamp(1, needed.len().max(1));
    Ok(needed.get(rank - 1).copied().unwrap_or(f64::INFINITY))
}

/// Upper limit with the cut from [`bootstrap_cut`]: needs no table and no constant, at the price of some hundred refits.
/// It believes the fitted shape, so it is too low where the threshold is.
///
/// # Errors
/// As [`upper_limit`].
pub fn bootstrap_upper_limit(
    sorted: &[f64],
    survival: f64,
    confidence: f64,
    resamples: usize,
    seed: u64,
) -> Result<f64, Error> {
    upper_limit(sorted, survival, bootstrap_cut(sorted, survival, confidence, resamples, seed)?)
}

/// The smallest cut whose limit reaches `truth`, to within a hundredth; at most 40.
fn cut_needed(profile: &Profile, survival: f64, truth: f64) -> f64 {
    let (_, step) = fit_profile(profile);
    let reaches = |cut: f64| upper_limit_of(profile, step, survival, cut) >= truth;
    if reaches(0.0) {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 40.0);
    while high - low > 0.01 {
        let middle = 0.5 * (low + high);
        if reaches(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(shape: f64, n: usize, seed: u64) -> Vec<f64> {
        let gpd = Gpd::new(1.0, shape).unwrap();
        let mut random = Random::new(seed);
        let mut drawn: Vec<f64> = (0..n).map(|_| gpd.quantile_of_survival(random.open())).collect();
        drawn.sort_by(f64::total_cmp);
        drawn
    }

    #[test]
    fn no_admissible_parameters_of_a_grid_exceed_the_limit() {
        for (shape, seed) in [(-0.4, 1), (-0.1, 2), (0.2, 3)] {
            let excesses = draw(shape, 120, seed);
            let best = fit_sorted(&excesses).unwrap();
            let (survival, cut) = (0.005, 3.84);
            let limit = upper_limit(&excesses, survival, cut).unwrap();
            let mut largest: f64 = 0.0;
            for i in 0..400 {
                for j in 0..200 {
                    let gpd = Gpd::new(0.3 + 0.01 * f64::from(j), -0.8 + 0.005 * f64::from(i)).unwrap();
                    if gpd.log_likelihood(&excesses) >= best.log_likelihood - 0.5 * cut {
                        largest = largest.max(gpd.quantile_of_survival(survival));
                    }
                }
            }
            assert!(largest <= limit * (1.0 + 1e-9), "{largest} {limit}");
            assert!(largest >= limit * 0.97, "{largest} {limit}");
        }
    }

    #[test]
    fn the_scales_at_the_ends_spend_exactly_the_room() {
        for room in [1e-9, 1e-3, 0.1, 1.0, 20.0] {
            for z in [widest(room), narrowest(room)] {
                assert!((z.ln() + 1.0 / z - 1.0 - room).abs() < 1e-9 * (1.0 + room), "{room}: {z}");
            }
            assert!(widest(room) > 1.0 && narrowest(room) < 1.0);
        }
    }

    #[test]
    fn limits_grow_with_the_cut_and_with_the_depth() {
        let excesses = draw(-0.2, 90, 9);
        let limit = |survival, cut| upper_limit(&excesses, survival, cut).unwrap();
        let cuts: Vec<f64> = (0..12).map(|i| limit(0.01, f64::from(i))).collect();
        assert!(cuts.is_sorted(), "{cuts:?}");
        let depths: Vec<f64> = (1..12).map(|i| limit(0.5_f64.powi(i), 4.0)).collect();
        assert!(depths.is_sorted(), "{depths:?}");
    }

    #[test]
    fn bootstrap_cut_is_near_the_chi_square_cut_for_many_excesses() {
        let cut = bootstrap_cut(&draw(0.1, 600, 4), 0.01, 0.95, 300, 5).unwrap();
        assert!((1.2..5.5).contains(&cut), "{cut}");
    }

    #[test]
    fn bootstrap_limits_cover_as_often_as_asked() {
        let truth = Gpd::new(1.0, -0.2).unwrap().quantile_of_survival(0.01);
        let covers = |seed: u64| {
            let limit = bootstrap_upper_limit(&draw(-0.2, 60, 500 + seed), 0.01, 0.9, 40, seed).unwrap();
            u32::from(limit >= truth)
        };
        let covered: u32 = (0..100).map(covers).sum();
        // 90 expected; 78 is four standard errors below, and the seeds are fixed.
        assert!(covered >= 78, "{covered}");
    }
}
