//! Values on a lattice: accuracies k/60, counts, error rates of a fixed test set.
//!
//! A smooth tail fitted to them is wrong in two ways: ties look like a bad fit, and a bound on the last value seen is
//! one rounding error away from failing. So ties are spread evenly over their cells before a fit, and a bound lies half
//! a step past the value that supports it. Detection needs every gap to be a multiple of the smallest one; rounded
//! continuous values (three decimals) are found too, and treated alike, which is harmless.

use crate::Samples;

/// The grid that all samples lie on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    /// Distance between neighbouring points.
    pub step: f64,
    /// One of the points, the smallest sample.
    pub origin: f64,
}

/// At least this many samples for one distinct value: below, ties are too rare to matter for the fit.
const SAMPLES_A_VALUE: f64 = 2.0;
/// Gaps may miss a multiple of the step by this share of it: k/60 in double precision misses by far less.
const TOLERANCE: f64 = 1e-4;

impl Lattice {
    /// The lattice, if the samples lie on one and repeat its values.
    pub fn find(samples: &Samples) -> Option<Self> {
        let sorted = samples.sorted();
        let origin = *sorted.first()?;
        let mut distinct: Vec<f64> = sorted.to_vec();
        distinct.dedup();
        if distinct.len() < 2 || sorted.len() as f64 / (distinct.len() as f64) < SAMPLES_A_VALUE {
            return None;
        }
        let step = distinct.windows(2).map(|w| w[1] - w[0]).filter(|g| g.is_finite()).fold(f64::INFINITY, f64::min);
        let span = distinct[distinct.len() - 1] - origin;
        if !(span.is_finite() && step > 0.0) || span / step > 1e6 {
            return None;
        }
        // The mean step over the whole span is more exact than one difference of two near numbers.
        let step = span / (span / step).round();
        let is_multiple = |x: f64| {
            let steps = (x - origin) / step;
            (steps - steps.round()).abs() <= TOLERANCE
        };
        distinct.iter().all(|&x| is_multiple(x)).then_some(Self { step, origin })
    }

    /// The point half a step past the lattice value that `value` belongs to: the last one a comparison can mistake.
    pub fn past(&self, value: f64) -> f64 {
        let steps = ((value - self.origin) / self.step - TOLERANCE).ceil();
        self.origin + (steps + 0.5) * self.step
    }

    /// The samples with ties spread evenly over cells of one step around their value.
    pub fn spread(&self, samples: &Samples) -> Vec<f64> {
        let sorted = samples.sorted();
        let mut spread = Vec::with_capacity(sorted.len());
        for cell in sorted.chunk_by(|a, b| a == b) {
            let count = cell.len() as f64;
            spread.extend((0..cell.len()).map(|i| cell[0] + self.step * ((i as f64 + 0.5) / count - 0.5)));
        }
        spread.sort_by(f64::total_cmp);
        spread
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proportions_are_a_lattice_and_continuous_values_are_not() {
        let proportions: Vec<f64> = (0..200).map(|i| f64::from((i * 7) % 13 + 40) / 60.0).collect();
        let lattice = Lattice::find(&Samples::new(&proportions).unwrap()).unwrap();
        assert!((lattice.step - 1.0 / 60.0).abs() < 1e-12);
        let smooth: Vec<f64> = (1..200).map(|i| f64::from(i).sqrt()).collect();
        assert_eq!(Lattice::find(&Samples::new(&smooth).unwrap()), None);
        let tied_but_uneven = Samples::new(&[0.0, 0.0, 0.0, 1.0, 1.0, 2.5, 2.5]).unwrap();
        assert_eq!(Lattice::find(&tied_but_uneven), None);
    }

    #[test]
    fn bounds_lie_half_a_step_past_a_value() {
        let lattice = Lattice { step: 0.5, origin: 1.0 };
        for (value, past) in [(2.0, 2.25), (2.000_000_01, 2.25), (2.1, 2.75), (2.49, 2.75)] {
            assert!((lattice.past(value) - past).abs() < 1e-12, "{value}");
        }
    }

    #[test]
    fn spreading_keeps_each_value_in_its_cell() {
        let samples = Samples::new(&[1.0, 2.0, 2.0, 2.0, 4.0, 4.0]).unwrap();
        let lattice = Lattice::find(&samples).unwrap();
        let spread = lattice.spread(&samples);
        assert!(spread.windows(2).all(|w| w[0] < w[1]));
        assert!(spread.iter().zip(samples.sorted()).all(|(a, b)| (a - b).abs() < 0.5));
    }
}
