//! What the columns of a table are, and how their cells become numbers and back.
//!
//! Every column is one feature of the surrogate. Numbers and booleans are themselves. Categories become codes in the order of
//! how often the first class comes with them: for two classes the best cut of a set of categories is a cut of that order
//! (Breiman et al. 1984, section 4.2.2), for more it is a heuristic. Missing cells become one number below all others, so
//! that a split can put them on a separate side; if no split does, they go with the low values.

use std::borrow::Cow;
use std::fmt;

use crate::data::matrix::Matrix;
use crate::data::moment::MomentForm;

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnKind {
    /// Real numbers.
    Float,
    /// Whole numbers.
    Integer,
    /// `True` and `False`, coded 1 and 0.
    Boolean,
    /// Texts; the code of a category is its position in this list.
    Category(Vec<String>),
    /// Dates or times, as seconds since 1970.
    Moment(MomentForm),
}

/// One column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The name in the header.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// The code that stands for a missing cell; absent when no cell is missing.
    pub missing: Option<f64>,
    /// Smallest observed value, missing cells aside.
    pub min: f64,
    /// Largest observed value, missing cells aside.
    pub max: f64,
    /// Standard deviation of the observed values (dividing by their number), missing cells aside.
    pub deviation: f64,
    /// Whether most rows have a different text, as with names: it tells rows apart and says nothing of others.
    pub is_identifier: bool,
    /// Whether the model is known not to read it.
    pub is_unread: bool,
}

/// A cell as the user knows it.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A real number.
    Float(f64),
    /// A whole number.
    Integer(i64),
    /// `True` or `False`.
    Boolean(bool),
    /// A category, or a moment.
    Text(Cow<'a, str>),
    /// Nothing.
    Missing,
}

impl fmt::Display for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Float(value) => write!(f, "{value}"),
            Cell::Integer(value) => write!(f, "{value}"),
            Cell::Boolean(value) => f.write_str(if *value { "True" } else { "False" }),
            Cell::Text(value) => f.write_str(value),
            Cell::Missing => f.write_str("missing"),
        }
    }
}

impl Column {
    /// A column of real numbers with the given observed values.
    pub fn float(name: impl Into<String>, values: impl Iterator<Item = f64> + Clone) -> Self {
        Column::observed(name.into(), ColumnKind::Float, None, values)
    }

    pub(crate) fn observed(
        name: String,
        kind: ColumnKind,
        missing: Option<f64>,
        values: impl Iterator<Item = f64> + Clone,
    ) -> Self {
        let present = values.filter(|&value| Some(value) != missing);
        let (mut min, mut max, mut sum, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0.0);
        for value in present.clone() {
            (min, max, sum, count) = (value.min(min), value.max(max), sum + value, count + 1.0);
        }
        // Few texts may be all different by chance.
        let is_identifier =
            matches!(&kind, ColumnKind::Category(names) if names.len() > 20 && 2.0 * names.len() as f64 > count);
        if count == 0.0 {
            return Column { name, kind, missing, min: 0.0, max: 0.0, deviation: 0.0, is_identifier, is_unread: false };
        }
        let mean = sum / count;
        let deviation = (present.map(|value| (value - mean) * (value - mean)).sum::<f64>() / count).sqrt();
        Column { name, kind, missing, min, max, deviation, is_identifier, is_unread: false }
    }

    /// The cell that a number stands for.
    pub fn cell(&self, value: f64) -> Cell<'_> {
        if Some(value) == self.missing {
            return Cell::Missing;
        }
        match &self.kind {
            ColumnKind::Float => Cell::Float(value),
            ColumnKind::Integer => Cell::Integer(value as i64),
            ColumnKind::Boolean => Cell::Boolean(value != 0.0),
            ColumnKind::Category(names) => {
                names.get(value as usize).map_or(Cell::Missing, |name| Cell::Text(name.as_str().into()))
            }
            ColumnKind::Moment(form) => Cell::Text(form.write(value).into()),
        }
    }

    /// Whether only whole numbers stand for cells.
    pub fn is_whole(&self) -> bool {
        self.kind != ColumnKind::Float
    }

    /// Whether regions may be described by it.
    pub fn is_telling(&self) -> bool {
        !self.is_identifier && !self.is_unread
    }

    /// Whether the model reads texts there.
    pub fn is_text(&self) -> bool {
        matches!(self.kind, ColumnKind::Category(_) | ColumnKind::Moment(_))
    }

    /// Whether values have an order and distances.
    pub fn is_ordered(&self) -> bool {
        self.is_numeric() || matches!(self.kind, ColumnKind::Moment(_))
    }

    /// Whether the column holds numbers that may be moved a little.
    pub fn is_numeric(&self) -> bool {
        matches!(self.kind, ColumnKind::Float | ColumnKind::Integer)
    }

    /// The smallest number that stands for a cell: that of a missing cell, where there is one.
    pub fn lowest(&self) -> f64 {
        self.missing.unwrap_or(self.min)
    }
}

/// The columns of a table apart from the target.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// In table order.
    pub columns: Vec<Column>,
}

impl Schema {
    /// The rows as a tree may split them: columns that only tell rows apart are the same in all.
    pub(crate) fn splittable<'a>(&self, rows: &'a Matrix) -> Cow<'a, Matrix> {
        let hidden: Vec<usize> = (0..self.columns.len()).filter(|&column| self.columns[column].is_identifier).collect();
        let mut shown = Cow::Borrowed(rows);
        if !hidden.is_empty() {
            let shown = shown.to_mut();
            for row in 0..rows.rows() {
                hidden.iter().for_each(|&column| shown.row_mut(row)[column] = 0.0);
            }
        }
        shown
    }
}
