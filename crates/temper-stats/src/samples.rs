//! Samples of one assertion site: finite, sorted once, growing as runs come in.

use crate::Error;
use crate::error::check_finite;

/// Finite samples in ascending order. Every method of the crate that reads quantiles takes these.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples {
    sorted: Vec<f64>,
}

impl Samples {
    /// Sorts a copy. Minus zero counts as zero.
    ///
    /// # Errors
    /// [`Error::NotFinite`] names the first NaN or infinity.
    pub fn new(values: &[f64]) -> Result<Self, Error> {
        let mut samples = Self::default();
        samples.extend(values)?;
        Ok(samples)
    }

    /// Adds a batch. On an error nothing is added.
    ///
    /// # Errors
    /// [`Error::NotFinite`] names the first NaN or infinity of the batch.
    pub fn extend(&mut self, batch: &[f64]) -> Result<(), Error> {
        check_finite(batch)?;
        self.sorted.extend(batch.iter().map(|x| x + 0.0));
        // Stable sort: merging a sorted run with a short one is linear.
        self.sorted.sort_by(f64::total_cmp);
        Ok(())
    }

    /// The samples in ascending order.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// The largest; `None` without samples.
    pub fn max(&self) -> Option<f64> {
        self.sorted.last().copied()
    }

    /// The smallest; `None` without samples.
    pub fn min(&self) -> Option<f64> {
        self.sorted.first().copied()
    }

    /// Whether all are equal, or there are none.
    pub fn is_constant(&self) -> bool {
        self.min() == self.max()
    }

    /// The same samples with their signs turned: the lower tail becomes the upper one.
    pub fn negated(&self) -> Self {
        Self { sorted: self.sorted.iter().rev().map(|x| 0.0 - x).collect() }
    }

    /// How many lie strictly above `value`.
    pub fn count_above(&self, value: f64) -> usize {
        self.sorted.len() - self.sorted.partition_point(|x| *x <= value)
    }

    /// How many lie at `value` or above.
    pub fn count_at_or_above(&self, value: f64) -> usize {
        self.sorted.len() - self.sorted.partition_point(|x| *x < value)
    }

    /// Quantile by linear interpolation (type 7, the default of R and numpy); `None` without samples or outside 0..=1.
    pub fn quantile(&self, p: f64) -> Option<f64> {
        quantile_of_sorted(&self.sorted, p)
    }
}

/// Type-7 quantile of ascending values.
pub(crate) fn quantile_of_sorted(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    if !(0.0..=1.0).contains(&p) {
        return None;
    }
    let position = p * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let share = position - below as f64;
    let (low, high) = (sorted[below], sorted[above]);
    // Weights, not a difference: high - low can overflow.
    let value = if share == 0.0 || low == high { low } else { low * (1.0 - share) + high * share };
    Some(value.clamp(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_give_the_same_samples_as_one_slice() {
        let mut grown = Samples::new(&[3.0, 1.0]).unwrap();
        grown.extend(&[2.0, -0.0]).unwrap();
        assert_eq!(grown, Samples::new(&[0.0, 1.0, 2.0, 3.0]).unwrap());
        assert!(grown.extend(&[5.0, f64::NAN]).is_err());
        assert_eq!(grown.len(), 4);
        assert_eq!((grown.count_above(2.0), grown.count_at_or_above(2.0)), (1, 2));
    }

    #[test]
    fn quantiles_of_huge_numbers_do_not_overflow() {
        let samples = Samples::new(&[-1.7e308, 1.7e308]).unwrap();
        assert_eq!(samples.quantile(0.5), Some(0.0));
        assert_eq!(samples.quantile(1.5), None);
    }
}
