//! Reading rows that must mean the same as those of another table: a hold-out.

use std::io::Read;

use crate::data::csv::{CsvText, boolean, is_missing, nearest_name, read_text};
use crate::data::dataset::Dataset;
use crate::data::label::{Label, class_of};
use crate::data::matrix::Matrix;
use crate::data::schema::{Column, ColumnKind};
use crate::error::{ModelError, listed};

/// Reads CSV text with the columns and classes of `like`, in any order; further columns are left out. `file` is only used in
/// messages.
///
/// # Errors
/// When the text is no table, lacks a column, or holds a class, a category or an empty cell that `like` does not have.
pub fn read_csv_like(reader: impl Read, file: &str, like: &Dataset) -> Result<Dataset, ModelError> {
    let text = read_text(reader, file)?;
    let target = cells(&text, &like.target)?;
    let unlike = |column: &str, row: usize, cell: &str| ModelError::Unlike {
        file: file.into(),
        column: column.into(),
        row: row + 1,
        value: cell.into(),
    };
    let mut labels = Vec::with_capacity(target.len());
    for (row, cell) in target.iter().enumerate() {
        labels.push(class(&like.classes, cell).ok_or_else(|| unlike(&like.target, row, cell))?);
    }
    let columns = &like.schema.columns;
    let mut features = Matrix::from_values(columns.len(), vec![0.0; columns.len() * target.len()]);
    for (index, column) in columns.iter().enumerate() {
        for (row, cell) in cells(&text, &column.name)?.iter().enumerate() {
            features.row_mut(row)[index] = number(column, cell).ok_or_else(|| unlike(&column.name, row, cell))?;
        }
    }
    let (schema, target, classes) = (like.schema.clone(), like.target.clone(), like.classes.clone());
    Ok(Dataset { features, schema, target, classes, labels, remarks: Vec::new() })
}

fn cells<'t>(text: &'t CsvText, name: &str) -> Result<&'t [String], ModelError> {
    let found = text.names.iter().position(|other| other == name);
    found.map(|position| text.columns[position].as_slice()).ok_or_else(|| ModelError::NoTarget {
        target: name.into(),
        columns: listed(&text.names),
        nearest: nearest_name(name, &text.names),
    })
}

fn class(classes: &[Label], cell: &str) -> Option<usize> {
    let named = classes.iter().position(|class| class.to_string() == cell);
    named.or_else(|| {
        let number = boolean(cell).map(Label::Boolean).or_else(|| cell.parse().ok().map(Label::Float))?;
        class_of(classes, &number)
    })
}

fn number(column: &Column, cell: &str) -> Option<f64> {
    if is_missing(cell) {
        return column.missing;
    }
    match &column.kind {
        ColumnKind::Category(names) => names.iter().position(|name| name == cell).map(|code| code as f64),
        ColumnKind::Boolean => boolean(cell).map(|value| f64::from(u8::from(value))),
        ColumnKind::Integer | ColumnKind::Float => cell.parse().ok().filter(|value: &f64| value.is_finite()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::read_csv;

    #[test]
    fn a_holdout_is_read_with_the_codes_of_the_data() {
        let data = read_csv("a,hue,y\n1,red,k\n2,blue,m\n,red,k\n4,blue,m\n".as_bytes(), "data.csv", "y").unwrap();
        let holdout = read_csv_like("y,extra,hue,a\nm,0,blue,7\nk,0,red,\n".as_bytes(), "more.csv", &data).unwrap();
        assert_eq!(holdout.labels, [1, 0]);
        assert_eq!(holdout.features.row(1), data.features.row(2));
        let message = |text: &str| read_csv_like(text.as_bytes(), "more.csv", &data).unwrap_err().to_string();
        let expected = "`more.csv` holds `green` in column `hue` of row 1, which the data do not have\nhint: leave such rows out of the hold-out";
        assert_eq!(message("a,hue,y\n1,green,k\n"), expected);
        assert!(message("a,y\n1,k\n").starts_with("no column is named `hue`"));
    }
}
