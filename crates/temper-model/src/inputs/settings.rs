//! How inputs are drawn: criterion, sampling, ends, the published tool's variants.

use crate::boundary::interval_ends::IntervalEnd;
use crate::error::ModelError;
use temper::choices::Width;

/// What a suite is to cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Criterion {
    /// Every leaf (DTC).
    Coverage,
    /// The neighbourhood of every split on the path to a leaf (BVA).
    Boundary,
}

/// Where the inputs of a leaf come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeafSampling {
    /// Around training rows of the leaf: plausible inputs.
    #[default]
    Local,
    /// Anywhere in the leaf's box, each feature by itself.
    Box,
}

/// What an end that no split gives is taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoxFill {
    /// All rows.
    #[default]
    Global,
    /// The rows of the leaf's class.
    Class,
}

/// Whether inputs follow the leaves exactly or the published tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InputMode {
    /// Every input is inside its leaf, and both ends of every interval are looked at.
    Clean(LeafSampling),
    /// Rounded ends, a few free values a property, one end of two.
    Paper {
        /// How many values a free feature is drawn from (10 in the released tool, 3 in the paper's text).
        free_values: usize,
        /// The end that is looked at where there are two; see [`crate::mersenne::RandomState::choose_of_two`].
        chosen: IntervalEnd,
    },
}

/// How inputs are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputSettings {
    /// Clean or as published.
    pub mode: InputMode,
    /// Inputs a leaf and criterion.
    pub draws: usize,
    /// Width of the slice next to a boundary, in percent of the interval.
    pub slice_percent: f64,
    /// Where ends come from that no split gives.
    pub fill: BoxFill,
    /// The type of number that the model reads.
    pub reads: Width,
    /// Seed of all inputs.
    pub seed: u64,
}

impl Default for InputSettings {
    fn default() -> Self {
        InputSettings {
            mode: InputMode::Clean(LeafSampling::Local),
            draws: 100,
            slice_percent: 20.0,
            fill: BoxFill::Global,
            reads: Width::F64,
            seed: 0,
        }
    }
}

impl InputSettings {
    /// Refuses values that make no sense.
    pub(super) fn check(&self) -> Result<(), ModelError> {
        if self.draws == 0 {
            return Err(ModelError::Setting { setting: "draws", value: "0".into(), wanted: "at least 1" });
        }
        if !(self.slice_percent > 0.0 && self.slice_percent <= 100.0) {
            let value = self.slice_percent.to_string();
            return Err(ModelError::Setting { setting: "slice", value, wanted: "above 0 and at most 100 (percent)" });
        }
        Ok(())
    }
}
