//! Labelled rows: the features as numbers, the classes, the columns' meaning, and remarks about what was read.

use crate::data::label::Label;
use crate::data::matrix::Matrix;
use crate::data::schema::{Column, ColumnKind, Schema};
use crate::data::target::{TargetKind, TargetValues};
use crate::error::{ModelError, listed};
use std::fmt;

/// A table with a target column, checked and turned into numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// One row per row of the table, one column per column apart from the target.
    pub features: Matrix,
    /// What the columns of `features` mean.
    pub schema: Schema,
    /// Name of the target column.
    pub target: String,
    /// The distinct labels, sorted.
    pub classes: Vec<Label>,
    /// Each row's class, as a position in `classes`; of a quantity the quarter of its values, for folds and the order of categories.
    pub labels: Vec<usize>,
    /// Each row's target, if that is a quantity; there are no classes then.
    pub quantity: Option<Vec<f64>>,
    /// What the user should know and need not change.
    pub remarks: Vec<Remark>,
}

/// Something worth saying about the data that stops nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// Cells are separated by something else than commas.
    Separator {
        /// What it is.
        between: String,
    },
    /// Commas are decimal ones.
    DecimalComma {
        /// In these columns.
        columns: Vec<String>,
    },
    /// The model answers the same whatever a column says.
    Unread {
        /// The columns.
        columns: Vec<String>,
    },
    /// A column of two tables tells nothing about how they differ.
    NotCompared {
        /// The column.
        column: String,
        /// Why.
        why: String,
    },
    /// A column never varies, so no split uses it.
    Constant {
        /// The column.
        column: String,
        /// Its only value.
        value: String,
    },
    /// Most rows have a different text in a column, so no split uses it.
    Identifier {
        /// The column.
        column: String,
        /// How many texts it has.
        texts: usize,
    },
    /// A column of numbers has a few texts in it, and so counts as categories.
    MostlyNumbers {
        /// The column.
        column: String,
        /// Cells that are numbers.
        numbers: usize,
        /// A text among them.
        example: String,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::Separator { between } => write!(f, "cells are separated by {between}"),
            Remark::DecimalComma { columns } => match columns.as_slice() {
                [only] => write!(f, "column `{only}` has decimal commas"),
                several => write!(f, "{} columns have decimal commas", several.len()),
            },
            Remark::Unread { columns } => match columns.as_slice() {
                [only] => write!(f, "the model's answers do not depend on column `{only}`: no finding is about it"),
                several => write!(
                    f,
                    "the model's answers do not depend on {} of the columns: no finding is about them\n  columns: {}",
                    several.len(),
                    listed(several)
                ),
            },
            Remark::NotCompared { column, why } => write!(f, "column `{column}` is not compared: {why}"),
            Remark::Constant { column, value } => {
                write!(f, "column `{column}` is constant (`{value}`): no property depends on it")
            }
            Remark::Identifier { column, texts } => {
                write!(f, "column `{column}` has {texts} texts, most of them in one row: no property depends on it")
            }
            Remark::MostlyNumbers { column, numbers, example } => write!(
                f,
                "column `{column}` is read as categories: {numbers} of its cells are numbers, but one is `{example}`\nhint: leave the cell empty if it means \"missing\""
            ),
        }
    }
}

impl Dataset {
    /// Numbers in named columns, with one label a row.
    ///
    /// # Errors
    /// When there is nothing to learn: no rows, no columns, one class, a class of one row, only constant columns, a number
    /// that is not finite, or a target that is a quantity.
    ///
    /// # Panics
    /// When there are not as many labels as rows, or as many names as columns.
    pub fn from_numbers(names: &[&str], features: Matrix, target: &str, labels: &[Label]) -> Result<Self, ModelError> {
        assert_eq!(names.len(), features.columns(), "one name per column");
        for (row, values) in features.iter().enumerate() {
            if let Some(column) = values.iter().position(|value| !value.is_finite()) {
                return Err(ModelError::NotFinite { column, row, value: values[column] });
            }
        }
        let columns = names.iter().enumerate();
        let columns = columns.map(|(index, name)| Column::float(*name, features.iter().map(move |row| row[index])));
        let schema = Schema { columns: columns.collect() };
        Dataset::checked(features, schema, (target.into(), TargetKind::Classes), labels, Vec::new())
    }

    pub(crate) fn checked(
        features: Matrix,
        schema: Schema,
        (target, kind): (String, TargetKind),
        labels: &[Label],
        mut remarks: Vec<Remark>,
    ) -> Result<Self, ModelError> {
        if schema.columns.is_empty() {
            return Err(ModelError::NoFeatures { target });
        }
        assert_eq!(labels.len(), features.rows(), "one label per row");
        if labels.is_empty() {
            return Err(ModelError::NoRows);
        }
        let TargetValues { classes, labels, quantity } = TargetValues::checked(&target, labels, kind)?;
        for column in &schema.columns {
            if is_constant(column) {
                let value = column.cell(column.lowest()).to_string();
                remarks.push(Remark::Constant { column: column.name.clone(), value });
            }
            if let (true, ColumnKind::Category(texts)) = (column.is_identifier, &column.kind) {
                remarks.push(Remark::Identifier { column: column.name.clone(), texts: texts.len() });
            }
        }
        if schema.columns.iter().all(is_constant) {
            return Err(ModelError::AllConstant { columns: schema.columns.len() });
        }
        Ok(Dataset { features, schema, target, classes, labels, quantity, remarks })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// The named rows of the same table; columns and classes keep their meaning.
    pub fn select(&self, rows: &[usize]) -> Dataset {
        Dataset {
            features: self.features.select(rows),
            labels: rows.iter().map(|&row| self.labels[row]).collect(),
            quantity: self.quantity.as_ref().map(|values| rows.iter().map(|&row| values[row]).collect()),
            schema: self.schema.clone(),
            target: self.target.clone(),
            classes: self.classes.clone(),
            remarks: Vec::new(),
        }
    }

    /// The classes as a list for a message.
    pub fn class_list(&self) -> String {
        listed(&self.classes)
    }
}

fn is_constant(column: &Column) -> bool {
    column.lowest() == column.max
}
