//! A region: a condition on some columns, which a row meets or not.

use crate::data::matrix::Matrix;
use crate::data::schema::Schema;
use crate::explain::property_text::{categories_in_words, condition_in_words};
use crate::tree::leaf::LeafInterval;

/// What a region asks of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum RegionCondition {
    /// A number in an interval.
    Between(LeafInterval),
    /// One of these categories, as codes; a missing cell can be among them.
    OneOf(Vec<f64>),
}

/// A region of rows: all conditions hold. Without any it is all rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// Columns in ascending order, each with its condition.
    pub conditions: Vec<(usize, RegionCondition)>,
}

impl RegionCondition {
    /// Whether a value meets it.
    pub fn holds(&self, value: f64) -> bool {
        match self {
            RegionCondition::Between(interval) => interval.contains(value),
            RegionCondition::OneOf(codes) => codes.contains(&value),
        }
    }
}

impl Region {
    /// Whether a row lies in it.
    pub fn contains(&self, row: &[f64]) -> bool {
        self.conditions.iter().all(|(column, condition)| condition.holds(row[*column]))
    }

    /// The rows that lie in it.
    pub fn rows(&self, rows: &Matrix) -> Vec<usize> {
        (0..rows.rows()).filter(|&row| self.contains(rows.row(row))).collect()
    }

    /// Whether it is all rows.
    pub fn is_everything(&self) -> bool {
        self.conditions.is_empty()
    }

    /// The region in words.
    pub fn in_words(&self, schema: &Schema) -> String {
        if self.is_everything() {
            return "all rows".to_owned();
        }
        let one = |(column, condition): &(usize, RegionCondition)| match condition {
            RegionCondition::Between(interval) => condition_in_words(&schema.columns[*column], *interval),
            RegionCondition::OneOf(codes) => categories_in_words(&schema.columns[*column], codes),
        };
        self.conditions.iter().map(one).collect::<Vec<_>>().join(" and ")
    }
}
