//! Far quantiles of a GPD with a weak prior on its shape.
//!
//! With some ten excesses the likelihood alone allows shapes that no loss or accuracy has, and limits from it lie several
//! times too far out. A normal prior on the shape (mean 0.1, deviation 0.25: heavier than most, from light to very heavy)
//! takes most of that away; the scale has the usual prior 1/scale. The posterior is integrated on a grid: over the step of
//! [`Profile`], which needs one pass over the data each, and for each step over the logarithm of the scale, which needs none.
//! For a fixed tilt the quantile grows with the scale, so its distribution is a sum of one-dimensional ones.
//! It speaks for the fitted family only: a threshold that is too low biases it.

use super::profile::{Point, Profile};
use super::{Gpd, fit::fit_profile};

/// The prior of the shape.
const PRIOR_MEAN: f64 = 0.1;
const PRIOR_DEVIATION: f64 = 0.25;

/// Steps of the first look, on both sides of the best fit, and the distance between them.
const SCAN: i32 = 25;
const STRIDE: f64 = 0.4;
/// Steps of the grid, and scales at each.
const STEPS: usize = 64;
const SCALES: usize = 32;
/// Logarithm of the weight, compared with the largest, below which a step does not count.
const FAINT: f64 = -18.0;
/// The scales reach this many deviations to either side.
const REACH: f64 = 6.0;

/// The posterior of a GPD.
pub(crate) struct Posterior {
    rows: Vec<PosteriorRow>,
    /// The largest excess: the unit of everything below.
    unit: f64,
}

/// The scales at one tilt.
struct PosteriorRow {
    tilt: f64,
    /// Share of the whole posterior.
    weight: f64,
    scales: ScaleGrid,
}

/// Cells of equal width in the logarithm of the scale.
struct ScaleGrid {
    low: f64,
    width: f64,
    /// Share of this row up to the upper edge of each cell.
    below: [f64; SCALES],
    /// Logarithm of the integral over the row.
    log_weight: f64,
}

impl Posterior {
    /// From ascending excesses; `None` if the largest is not positive.
    pub(crate) fn new(excesses: &[f64]) -> Option<Self> {
        let profile = Profile::new(excesses)?;
        let (left, right) = range(&profile)?;
        let width = (right - left) / STEPS as f64;
        let grids: Vec<(f64, ScaleGrid)> = (0..STEPS)
            .filter_map(|i| {
                let step = left + width * (i as f64 + 0.5);
                Some((step.exp_m1(), ScaleGrid::new(&profile, step)?))
            })
            .collect();
        let best = grids.iter().map(|(_, grid)| grid.log_weight).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = grids.iter().map(|(_, grid)| (grid.log_weight - best).exp()).sum();
        let row = |(tilt, scales): (f64, ScaleGrid)| {
            let weight = (scales.log_weight - best).exp() / total;
            PosteriorRow { tilt, weight, scales }
        };
        let rows = grids.into_iter().filter(|(_, grid)| grid.log_weight > best + FAINT).map(row).collect();
        (total > 0.0 && total.is_finite()).then_some(Self { rows, unit: profile.largest })
    }

    /// The distribution at the mean shape and the mean logarithm of the scale.
    pub(crate) fn typical(&self) -> Option<Gpd> {
        let (mut shape, mut log_scale) = (0.0, 0.0);
        for row in &self.rows {
            let mut before = 0.0;
            for (i, &below) in row.scales.below.iter().enumerate() {
                let log = row.scales.low + row.scales.width * (i as f64 + 0.5);
                shape += row.weight * (below - before) * row.tilt * log.exp();
                log_scale += row.weight * (below - before) * log;
                before = below;
            }
        }
        Gpd::new(log_scale.exp() * self.unit, shape).ok()
    }

    /// The value that the quantile at survival probability `survival` is below with probability `share`.
    pub(crate) fn quantile(&self, survival: f64, share: f64) -> f64 {
        if survival >= 1.0 {
            return 0.0;
        }
        let depth = -survival.ln();
        let (mut low, mut high) = (0.0, depth * 1e-3);
        while self.below(high, depth) < share && high < 1e100 {
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..26 {
            let middle = 0.5 * (low + high);
            if self.below(middle, depth) < share { low = middle } else { high = middle }
        }
        self.unit * 0.5 * (low + high)
    }

    /// Probability that the quantile at `depth` is at most `value` times the largest excess.
    fn below(&self, value: f64, depth: f64) -> f64 {
        let of_row = |row: &PosteriorRow| {
            let grown = row.tilt * value;
            // The scale at which this row has its quantile at the value. Beyond the end of the support all have it below.
            let scale = match grown {
                _ if grown <= -1.0 => return row.weight,
                _ if grown.abs() < 1e-9 => value / depth,
                _ => grown.ln_1p() / row.tilt / depth,
            };
            row.weight * row.scales.share_below(scale.ln())
        };
        self.rows.iter().map(of_row).sum()
    }
}

/// Ends of the steps that count.
fn range(profile: &Profile) -> Option<(f64, f64)> {
    let start = fit_profile(profile).1.unwrap_or(0.0);
    let scanned: Vec<(f64, f64)> = (-SCAN..=SCAN)
        .filter_map(|i| {
            let step = start + STRIDE * f64::from(i);
            Some((step, ScaleGrid::new(profile, step)?.log_weight))
        })
        .collect();
    let best = scanned.iter().map(|(_, weight)| *weight).fold(f64::NEG_INFINITY, f64::max);
    let mut counted = scanned.iter().filter(|(_, weight)| *weight > best + FAINT).map(|(step, _)| *step);
    let first = counted.next()?;
    Some((first - STRIDE, counted.next_back().unwrap_or(first) + STRIDE))
}

/// Minus the logarithm of the posterior of the scale at one tilt, without constants.
struct ScaleLoss {
    point: Point,
    count: f64,
}

impl ScaleLoss {
    fn value(&self, log: f64) -> f64 {
        let shape = self.point.tilt * log.exp();
        (self.count - 1.0) * log
            + self.count * self.point.scale * (-log).exp()
            + 0.5 * ((shape - PRIOR_MEAN) / PRIOR_DEVIATION).powi(2)
    }

    fn slopes(&self, log: f64) -> (f64, f64) {
        let shape = self.point.tilt * log.exp();
        let data = self.count * self.point.scale * (-log).exp();
        let precision = PRIOR_DEVIATION.powi(-2);
        let first = self.count - 1.0 - data + shape * (shape - PRIOR_MEAN) * precision;
        // Between shape 0 and half of the prior's mean the second term is negative, and always above -0.02.
        let second = data + shape * (2.0 * shape - PRIOR_MEAN) * precision;
        (first, second.max(1e-3))
    }

    /// The best logarithm of the scale and the deviation around it.
    fn peak(&self) -> (f64, f64) {
        let mut log = self.point.scale.ln();
        for _ in 0..16 {
            let (first, second) = self.slopes(log);
            let change = (first / second).clamp(-0.7, 0.7);
            log -= change;
            if change.abs() < 1e-6 {
                break;
            }
        }
        (log, self.slopes(log).1.powf(-0.5))
    }

    /// Ends of the scales that count. Shapes below -1, where the likelihood runs off to infinity, do not.
    fn range(&self) -> (f64, f64) {
        let (peak, deviation) = self.peak();
        let (low, high) = (peak - REACH * deviation, peak + REACH * deviation);
        let end = if self.point.tilt < 0.0 { -(-self.point.tilt).ln() } else { f64::INFINITY };
        if peak <= end {
            return (low, high.min(end));
        }
        let steep = -self.slopes(end).0;
        (end - (REACH * deviation).min(-FAINT / steep.max(f64::MIN_POSITIVE)), end)
    }
}

impl ScaleGrid {
    fn new(profile: &Profile, step: f64) -> Option<Self> {
        let point = profile.at(step);
        let loss = ScaleLoss { point, count: profile.len() as f64 };
        let (low, high) = loss.range();
        let width = (high - low) / SCALES as f64;
        let losses: [f64; SCALES] = std::array::from_fn(|i| loss.value(low + width * (i as f64 + 0.5)));
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let mut total = 0.0;
        let mut below = losses.map(|loss| {
            total += (least - loss).exp();
            total
        });
        below.iter_mut().for_each(|share| *share /= total);
        // The step itself is the Jacobian of the tilt, and the scale that of the prior.
        let log_weight = (total * width).ln() - least - loss.count * point.shape() + step;
        (log_weight.is_finite() && width > 0.0).then_some(Self { low, width, below, log_weight })
    }

    /// Share of the row with a smaller scale.
    fn share_below(&self, log: f64) -> f64 {
        let place = (log - self.low) / self.width;
        if place.is_nan() || place <= 0.0 {
            return 0.0;
        }
        let cell = place as usize;
        let Some(&after) = self.below.get(cell) else { return 1.0 };
        let before = if cell == 0 { 0.0 } else { self.below[cell - 1] };
        before + (after - before) * (place - cell as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn draw(shape: f64, n: usize, seed: u64) -> Vec<f64> {
        let gpd = Gpd::new(1.0, shape).unwrap();
        let mut random = Random::new(seed);
        let mut drawn: Vec<f64> = (0..n).map(|_| gpd.quantile_of_survival(random.open())).collect();
        drawn.sort_by(f64::total_cmp);
        drawn
    }

    /// Posterior quantiles by a plain grid over shape and scale, as the definition has them.
    fn by_definition(excesses: &[f64], survival: f64, share: f64) -> f64 {
        let mut cells: Vec<(f64, f64)> = Vec::new();
        for i in 0..400 {
            let shape = -0.999 + 0.005 * f64::from(i);
            for j in 0..400 {
                let log = -2.0 + 0.01 * f64::from(j);
                let gpd = Gpd::new(log.exp(), shape).unwrap();
                let prior = -0.5 * ((shape - 0.1) / 0.25_f64).powi(2);
                cells.push((gpd.quantile_of_survival(survival), gpd.log_likelihood(excesses) + prior));
            }
        }
        let best = cells.iter().map(|cell| cell.1).fold(f64::NEG_INFINITY, f64::max);
        cells.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = cells.iter().map(|cell| (cell.1 - best).exp()).sum();
        let mut sum = 0.0;
        let found = cells.iter().find(|cell| {
            sum += (cell.1 - best).exp();
            sum >= share * total
        });
        found.unwrap().0
    }

    #[test]
    fn quantiles_are_those_of_a_plain_grid_over_both_parameters() {
        for (shape, n, seed) in [(-0.5, 30, 1), (-0.1, 90, 2), (0.3, 30, 3), (0.0, 300, 4)] {
            let excesses = draw(shape, n, seed);
            let posterior = Posterior::new(&excesses).unwrap();
            for share in [0.05, 0.5, 0.965] {
                let (ours, plain) = (posterior.quantile(0.01, share), by_definition(&excesses, 0.01, share));
                assert!((ours / plain - 1.0).abs() < 0.01, "{shape} {n} {share}: {ours} {plain}");
            }
        }
    }

    #[test]
    fn the_prior_yields_to_many_excesses_and_rules_few() {
        let many = Posterior::new(&draw(-0.4, 5_000, 5)).unwrap().typical().unwrap();
        assert!((many.shape() + 0.4).abs() < 0.05, "{many:?}");
        let few = Posterior::new(&[0.1, 0.5, 1.0]).unwrap().typical().unwrap();
        assert!((few.shape() - 0.1).abs() < 0.2, "{few:?}");
    }

    #[test]
    fn the_unit_of_the_excesses_does_not_matter() {
        let excesses = draw(0.1, 40, 6);
        let large: Vec<f64> = excesses.iter().map(|x| x * 1e200).collect();
        let quantile = |excesses: &[f64]| Posterior::new(excesses).unwrap().quantile(0.01, 0.9);
        assert!((quantile(&large) / quantile(&excesses) / 1e200 - 1.0).abs() < 1e-9);
    }
}
