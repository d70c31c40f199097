//! Reading rows that must mean the same as those of another table: a hold-out.

use std::collections::HashMap;
use std::io::Read;

use crate::data::csv::{boolean, is_missing, position};
use crate::data::dataset::Dataset;
use crate::data::label::{Label, class_of};
use crate::data::matrix::Matrix;
use crate::data::schema::{Column, ColumnKind, Schema};
use crate::data::table_text::{TableText, TextColumn, read_text};
use crate::data::target::quarters;
use crate::error::ModelError;

/// Reads CSV text with the columns and classes of `like`, in any order; further columns are left out. Categories and empty cells
/// that `like` does not have get codes after its own, so that its rows mean the same under the schema of the result. `file`
/// is only used in messages.
///
/// # Errors
/// When the text is no table, lacks a column, or holds a class or a kind of cell that `like` does not have.
pub fn read_csv_like(reader: impl Read, file: &str, like: &Dataset) -> Result<Dataset, ModelError> {
    let text = read_text(reader, file)?;
    let target = &text.columns[position(&text, &like.target)?];
    let cells = target.iter().enumerate();
    let unlike = |row: usize, cell: &str| unlike(file, (&like.target, row), cell);
    let (labels, quantity) = match &like.quantity {
        Some(_) => {
            let number = |cell: &str| cell.parse().ok().filter(|value: &f64| value.is_finite());
            let values = cells.map(|(row, cell)| number(cell).ok_or_else(|| unlike(row, cell)));
            let values = values.collect::<Result<Vec<f64>, _>>()?;
            (quarters(&values), Some(values))
        }
        None => {
            let labels = cells.map(|(row, cell)| class(&like.classes, cell).ok_or_else(|| unlike(row, cell)));
            (labels.collect::<Result<Vec<_>, _>>()?, None)
        }
    };
    let (features, schema) = features_like(&text, file, &like.schema)?;
    let (target, classes) = (like.target.clone(), like.classes.clone());
    Ok(Dataset { features, schema, target, classes, labels, quantity, remarks: text.remarks })
}

/// Reads rows without labels, as [`read_csv_like`] reads those with labels; and what their columns mean.
///
/// # Errors
/// When the text is no table, lacks a column, or holds a kind of cell that `like` does not have.
pub fn read_features_like(reader: impl Read, file: &str, like: &Schema) -> Result<(Matrix, Schema), ModelError> {
    features_like(&read_text(reader, file)?, file, like)
}

fn unlike(file: &str, (column, row): (&str, usize), cell: &str) -> ModelError {
    ModelError::Unlike { file: file.into(), column: column.into(), row: row + 1, value: cell.into() }
}

fn features_like(text: &TableText, file: &str, like: &Schema) -> Result<(Matrix, Schema), ModelError> {
    let mut schema = like.clone();
    let width = schema.columns.len();
    let rows = text.columns.first().map_or(0, TextColumn::len);
    let mut features = Matrix::from_values(width, vec![0.0; width * rows]);
    for (index, column) in schema.columns.iter_mut().enumerate() {
        let cells = &text.columns[position(text, &column.name)?];
        let mut reader = CellReader::new(column);
        for (row, cell) in cells.iter().enumerate() {
            let number = reader.read(cell).ok_or_else(|| unlike(file, (&reader.column.name, row), cell))?;
            features.row_mut(row)[index] = number;
        }
    }
    Ok((features, schema))
}

/// Reads the cells of a column, and adds to its meaning what is new.
struct CellReader<'a> {
    codes: HashMap<String, usize>,
    column: &'a mut Column,
}

impl CellReader<'_> {
    fn new(column: &mut Column) -> CellReader<'_> {
        let codes = match &column.kind {
            ColumnKind::Category(names) => names.iter().cloned().enumerate().map(|(code, name)| (name, code)).collect(),
            _ => HashMap::new(),
        };
        CellReader { codes, column }
    }

    fn read(&mut self, cell: &str) -> Option<f64> {
        if is_missing(cell) {
            let Column { min, max, missing, .. } = self.column;
            // Below all others, as if the first table had such a cell.
            return Some(*missing.get_or_insert((*min - (*max - *min).max(min.abs()).max(1.0)).floor()));
        }
        match &mut self.column.kind {
            ColumnKind::Category(names) => {
                let next = names.len();
                let code = *self.codes.entry(cell.to_owned()).or_insert(next);
                if code == next {
                    names.push(cell.to_owned());
                }
                Some(code as f64)
            }
            ColumnKind::Moment(form) => form.read(cell),
            ColumnKind::Boolean => boolean(cell).map(|value| f64::from(u8::from(value))),
            ColumnKind::Integer | ColumnKind::Float => cell.parse().ok().filter(|value: &f64| value.is_finite()),
        }
    }
}

fn class(classes: &[Label], cell: &str) -> Option<usize> {
    let named = classes.iter().position(|class| class.to_string() == cell);
    named.or_else(|| {
        let number = boolean(cell).map(Label::Boolean).or_else(|| cell.parse().ok().map(Label::Float))?;
        class_of(classes, &number)
    })
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
        let expected = "`more.csv` holds `x` in column `a` of row 1, which the data do not have\nhint: leave such rows out of the hold-out";
        assert_eq!(message("a,hue,y\nx,red,k\n"), expected);
        assert!(message("a,y\n1,k\n").starts_with("no column is named `hue`"));
    }
    #[test]
    fn categories_and_empty_cells_that_the_data_do_not_have_are_added() {
        let data = read_csv("a,hue,y\n1,red,k\n2,blue,m\n3,red,k\n4,blue,m\n".as_bytes(), "data.csv", "y").unwrap();
        let holdout = read_csv_like("a,hue,y\n1,green,k\n,,m\n2,red,k\n".as_bytes(), "more.csv", &data).unwrap();
        let cell = |row: usize, column: usize| {
            holdout.schema.columns[column].cell(holdout.features.row(row)[column]).to_string()
        };
        assert_eq!([cell(0, 1), cell(1, 0), cell(1, 1), cell(2, 1)], ["green", "missing", "missing", "red"]);
        assert_eq!(holdout.schema.columns[1].cell(data.features.row(0)[1]).to_string(), "red");
    }
}
