//! Does the fitted GPD describe the excesses? Anderson-Darling and Cramér-von Mises with estimated parameters
//! (Choulakian and Stephens 2001).
//!
//! P-values depend on the shape because it was estimated. They come from a table simulated with this crate's own fit
//! (`data/gpd-fitness.tsv`, made by `cargo run --release -p bench-stats -- fitness-table`), or from a parametric
//! bootstrap, which is the check on the table. Beyond p = 0.001 the table is continued log-linearly: such p-values are
//! only "very small". Shapes outside -1..=1 use the nearest row. Below about 20 excesses the table is approximate.

use super::fit::fit_sorted;
pub use super::table::Distance;
use super::table::Table;
use super::{Fit, Gpd, fit};
use crate::Error;
use crate::edf;
use crate::random::Random;

/// A distance and how often chance alone makes it at least as large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fitness {
    /// The distance.
    pub statistic: f64,
    /// Its p-value.
    pub p: f64,
}

/// Measures a fit made with [`fit`](fn@fit) and takes the p-value from the table.
///
/// # Errors
/// As [`fit`](fn@fit).
pub fn test(excesses: &[f64], distance: Distance) -> Result<(Fit, Fitness), Error> {
    let fit = fit(excesses)?;
    let mut sorted = excesses.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Ok((fit, test_sorted(&fit, &sorted, distance)))
}

pub(crate) fn test_sorted(fit: &Fit, sorted: &[f64], distance: Distance) -> Fitness {
    let statistic = statistic(fit, sorted, distance);
    Fitness { statistic, p: p_value(fit.gpd.shape(), statistic, distance) }
}

/// The table's p-value of a distance at an estimated shape.
pub fn p_value(shape: f64, statistic: f64, distance: Distance) -> f64 {
    Table::shared().p_value(shape, statistic, distance)
}

/// The distance between a fit and the ascending excesses it was made from.
pub fn statistic(fit: &Fit, sorted: &[f64], distance: Distance) -> f64 {
    let gpd = measured(fit);
    let hazards: Vec<f64> = sorted.iter().map(|&x| gpd.cumulative_hazard(x)).collect();
    let n = sorted.len();
    match distance {
        Distance::AndersonDarling => {
            let log_cdf = |i: usize| (-(-hazards[i]).exp_m1()).max(f64::MIN_POSITIVE).ln();
            edf::anderson_darling(log_cdf, |i| -hazards[i].min(700.0), n)
        }
        Distance::CramerVonMises => edf::cramer_von_mises(|i| -(-hazards[i]).exp_m1(), n),
    }
}

/// The uniform stand-in ends at the largest excess, where A² is infinite; its unbiased endpoint lies (n + 1) / n
/// further.
fn measured(fit: &Fit) -> Gpd {
    if fit.is_interior {
        return fit.gpd;
    }
    let n = fit.count as f64;
    Gpd { scale: fit.gpd.scale * ((n + 1.0) / n), ..fit.gpd }
}

/// P-value by parametric bootstrap: refits `resamples` draws from the fit. Monte-Carlo error is sqrt(p (1 - p) /
/// resamples).
///
/// # Errors
/// As [`fit`](fn@fit).
pub fn bootstrap(excesses: &[f64], distance: Distance, resamples: usize, seed: u64) -> Result<(Fit, Fitness), Error> {
    let (fit, observed) = test(excesses, distance)?;
    let mut random = Random::new(seed);
    let mut at_least = 0_usize;
    let mut drawn = vec![0.0; excesses.len()];
    // Drawn in units of the scale, which the statistic does not see, so that no unit can overflow.
    let standard = Gpd { scale: 1.0, shape: fit.gpd.shape };
    for _ in 0..resamples {
        drawn.iter_mut().for_each(|x| *x = standard.quantile_of_survival(random.open()).max(f64::MIN_POSITIVE));
        drawn.sort_unstable_by(f64::total_cmp);
        let refit = fit_sorted(&drawn)?;
        at_least += usize::from(statistic(&refit, &drawn, distance) >= observed.statistic);
    }
    let p = (at_least as f64 + 1.0) / (resamples as f64 + 2.0);
    Ok((fit, Fitness { statistic: observed.statistic, p }))
}
