//! The inputs of all leaves, ready to be drawn: which rows and ends belong to which leaf.

use super::paper_tables::PaperTables;
use super::settings::{BoxFill, InputMode, InputSettings};
use crate::data::dataset::Dataset;
use crate::error::ModelError;
use crate::tree::surrogate::Surrogate;

/// The inputs of all leaves, ready to be drawn.
pub struct Inputs<'a> {
    pub(super) surrogate: &'a Surrogate,
    pub(super) data: &'a Dataset,
    pub(super) settings: &'a InputSettings,
    /// Rows of each class.
    pub(super) rows_of_class: Vec<Vec<usize>>,
    /// Rows of the leaf's own class, leaf by leaf.
    pub(super) rows_of_leaf: Vec<Vec<usize>>,
    /// Smallest and largest values of each column: overall, or within each class.
    pub(super) ends: Vec<Vec<(f64, f64)>>,
    pub(super) paper: Option<PaperTables>,
}

impl<'a> Inputs<'a> {
    /// Prepares drawing.
    ///
    /// # Errors
    /// When a setting makes no sense.
    pub fn new(surrogate: &'a Surrogate, data: &'a Dataset, settings: &'a InputSettings) -> Result<Self, ModelError> {
        settings.check()?;
        let mut rows_of_class = vec![Vec::new(); data.classes.len()];
        let mut rows_of_leaf = vec![Vec::new(); surrogate.leaves.len()];
        for (row, &leaf) in surrogate.leaf_of_row.iter().enumerate() {
            let class = surrogate.class_of_row[row];
            rows_of_class[class].push(row);
            if class == surrogate.leaves[leaf].class {
                rows_of_leaf[leaf].push(row);
            }
        }
        let global = || data.schema.columns.iter().map(|column| (column.min, column.max)).collect::<Vec<_>>();
        let ends = match settings.fill {
            BoxFill::Global => vec![global(); data.classes.len()],
            BoxFill::Class => rows_of_class.iter().map(|rows| class_ends(data, rows)).collect(),
        };
        let paper = matches!(settings.mode, InputMode::Paper { .. }).then(|| PaperTables::new(data, &rows_of_class));
        Ok(Inputs { surrogate, data, settings, rows_of_class, rows_of_leaf, ends, paper })
    }
}

fn class_ends(data: &Dataset, rows: &[usize]) -> Vec<(f64, f64)> {
    let columns = data.schema.columns.iter().enumerate();
    columns
        .map(|(index, column)| {
            let values = rows.iter().map(|&row| data.features.row(row)[index]).filter(|&v| Some(v) != column.missing);
            let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), v| (v.min(min), v.max(max)));
            // A class may have no value at all in a column.
            if ends.0 <= ends.1 { ends } else { (column.min, column.max) }
        })
        .collect()
}
