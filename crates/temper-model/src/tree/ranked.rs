//! The training rows in the form the split search reads: for each feature, each row's rank among the distinct `f32` values.
//!
//! Ranks make a split search a matter of small integers: they sort fast, and where few lie in a node's range they are counted
//! instead of sorted. Made once, shared by all trees of a forest.

use crate::data::matrix::Matrix;
use crate::error::ModelError;

/// Training rows, ranked per feature, with their classes.
pub struct Ranked {
    /// `keys[feature][row]` is `rank << class_bits | class`.
    pub(super) keys: Vec<Vec<u32>>,
    /// `values[feature][rank]`, ascending and distinct.
    pub(super) values: Vec<Vec<f32>>,
    pub(super) labels: Vec<u32>,
    pub(super) classes: usize,
    pub(super) class_bits: u32,
}

impl Ranked {
    /// Ranks the rows. `labels` are classes `0..classes`, one per row.
    ///
    /// # Errors
    /// When a value is not a finite `f32`, or when rows times classes pass 2^32.
    pub fn new(rows: &Matrix, labels: &[usize], classes: usize) -> Result<Self, ModelError> {
        let class_bits = usize::BITS - classes.saturating_sub(1).leading_zeros();
        if (rows.rows() as u64) << class_bits > u64::from(u32::MAX) {
            return Err(ModelError::TooManyRows { rows: rows.rows(), classes });
        }
        let labels: Vec<u32> = labels.iter().map(|&label| label as u32).collect();
        let mut ranked = Ranked { keys: Vec::new(), values: Vec::new(), labels, classes, class_bits };
        let mut order = Vec::with_capacity(rows.rows());
        for feature in 0..rows.columns() {
            ranked.add_feature(rows, feature, &mut order)?;
        }
        Ok(ranked)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    fn add_feature(&mut self, rows: &Matrix, feature: usize, order: &mut Vec<u64>) -> Result<(), ModelError> {
        order.clear();
        for (row, value) in rows.column(feature).enumerate() {
            // Adding zero turns -0.0 into 0.0: they are one value.
            let narrow = value as f32 + 0.0;
            if !narrow.is_finite() {
                return Err(ModelError::NotFinite { column: feature, row, value });
            }
            order.push(u64::from(ordered_bits(narrow)) << 32 | row as u64);
        }
        order.sort_unstable();
        let mut keys = vec![0; order.len()];
        let mut values: Vec<f32> = Vec::new();
        let mut last = None;
        for &entry in order.iter() {
            let (bits, row) = ((entry >> 32) as u32, (entry & 0xffff_ffff) as usize);
            if last != Some(bits) {
                values.push(from_ordered_bits(bits));
                last = Some(bits);
            }
            keys[row] = ((values.len() - 1) as u32) << self.class_bits | self.labels[row];
        }
        self.keys.push(keys);
        self.values.push(values);
        Ok(())
    }
}

/// Bits of a finite `f32` that compare as the number does.
fn ordered_bits(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 0x8000_0000 }
}

fn from_ordered_bits(bits: u32) -> f32 {
    f32::from_bits(if bits >> 31 == 1 { bits & 0x7fff_ffff } else { !bits })
}
