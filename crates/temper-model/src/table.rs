//! Reading a CSV file: header, quotes, numbers, booleans, categories, missing cells.
//!
//! A column is whole numbers, numbers or booleans when all its cells are, else categories. Cells are read as pandas reads
//! them by default, so that the model sees what it was trained on.

use crate::dataset::{Dataset, Remark};
use crate::error::{ModelError, listed};
use crate::label::{Label, number_classes};
use crate::matrix::Matrix;
use crate::schema::{Column, ColumnKind, Schema};
use std::io::Read;

/// Cells that mean "no value".
const MISSING: [&str; 13] =
    ["", "na", "n/a", "nan", "null", "none", "<na>", "#n/a", "#na", "-nan", "-1.#ind", "1.#qnan", "#n/a n/a"];

/// A reader of one kind of cell; `None` for cells of other kinds.
type ReadNumber = fn(&str) -> Option<f64>;

/// A table as read: names and, column by column, the cells as text.
struct Text {
    names: Vec<String>,
    columns: Vec<Vec<String>>,
}

/// Reads labelled rows from CSV text. `file` is only used in messages.
///
/// # Errors
/// When the text is no table, when the target column is absent, or when there is nothing to learn (see
/// [`Dataset::from_numbers`]).
pub fn read_csv(reader: impl Read, file: &str, target: &str) -> Result<Dataset, ModelError> {
    let mut text = read_text(reader, file)?;
    let Some(position) = text.names.iter().position(|name| name == target) else {
        let nearest = nearest_name(target, &text.names);
        return Err(ModelError::NoTarget { target: target.into(), columns: listed(&text.names), nearest });
    };
    text.names.remove(position);
    let labels = read_labels(&text.columns.remove(position), target)?;
    if text.names.is_empty() {
        return Err(ModelError::NoFeatures { target: target.into() });
    }
    let (_, classes) = number_classes(&labels);
    let mut remarks = Vec::new();
    let mut columns = Vec::new();
    let mut numbers = Vec::new();
    for (name, cells) in text.names.into_iter().zip(&text.columns) {
        let (column, values) = read_column(name, cells, &classes, &mut remarks)?;
        columns.push(column);
        numbers.push(values);
    }
    let mut features = Matrix::new(columns.len());
    let mut buffer = vec![0.0; columns.len()];
    for row in 0..labels.len() {
        for (cell, column) in buffer.iter_mut().zip(&numbers) {
            *cell = column[row];
        }
        features.push(&buffer);
    }
    Dataset::checked(features, Schema { columns }, target.into(), &labels, remarks)
}

fn read_text(reader: impl Read, file: &str) -> Result<Text, ModelError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(reader);
    let header = reader.headers().map_err(|error| csv_error(file, error))?;
    // Spreadsheets put a byte-order mark in front of the first name.
    let names: Vec<String> = header.iter().map(|name| name.trim_start_matches('\u{feff}').to_owned()).collect();
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            return Err(ModelError::DuplicateColumn { file: file.into(), column: name.clone() });
        }
    }
    let mut columns = vec![Vec::new(); names.len()];
    for record in reader.records() {
        let record = record.map_err(|error| csv_error(file, error))?;
        for (column, cell) in columns.iter_mut().zip(&record) {
            column.push(cell.to_owned());
        }
    }
    if columns.iter().all(Vec::is_empty) {
        return Err(ModelError::NoRows);
    }
    Ok(Text { names, columns })
}

fn csv_error(file: &str, error: csv::Error) -> ModelError {
    if let csv::ErrorKind::UnequalLengths { pos, expected_len, len } = error.kind() {
        let line = pos.as_ref().map_or(0, csv::Position::line);
        return ModelError::RaggedLine { file: file.into(), line, found: *len, expected: *expected_len };
    }
    ModelError::Unreadable { file: file.into(), reason: error.to_string() }
}

fn is_missing(cell: &str) -> bool {
    MISSING.iter().any(|missing| cell.eq_ignore_ascii_case(missing))
}

fn boolean(cell: &str) -> Option<bool> {
    ["false", "true"].iter().position(|name| cell.eq_ignore_ascii_case(name)).map(|index| index == 1)
}

/// A whole number that `f64` holds exactly.
fn whole(cell: &str) -> Option<f64> {
    let value: i64 = cell.parse().ok()?;
    (value.unsigned_abs() <= 1 << 53).then_some(value as f64)
}

fn read_labels(cells: &[String], target: &str) -> Result<Vec<Label>, ModelError> {
    if let Some(row) = cells.iter().position(|cell| is_missing(cell)) {
        return Err(ModelError::MissingLabel { target: target.into(), row: row + 1 });
    }
    let kinds: [fn(&str) -> Option<Label>; 3] = [
        |cell| boolean(cell).map(Label::Boolean),
        |cell| cell.parse().ok().map(Label::Integer),
        |cell| cell.parse().ok().map(Label::Float),
    ];
    let read = kinds.iter().find_map(|kind| cells.iter().map(|cell| kind(cell)).collect::<Option<Vec<_>>>());
    Ok(read.unwrap_or_else(|| cells.iter().map(|cell| Label::Text(cell.clone())).collect()))
}

fn read_column(
    name: String,
    cells: &[String],
    classes: &[usize],
    remarks: &mut Vec<Remark>,
) -> Result<(Column, Vec<f64>), ModelError> {
    let kinds: [(ColumnKind, ReadNumber); 3] = [
        (ColumnKind::Boolean, |cell| boolean(cell).map(|value| f64::from(u8::from(value)))),
        (ColumnKind::Integer, whole),
        (ColumnKind::Float, |cell| cell.parse().ok()),
    ];
    let is_empty = cells.iter().all(|cell| is_missing(cell));
    for (kind, parse) in kinds {
        let values: Option<Vec<Option<f64>>> =
            cells.iter().map(|cell| if is_missing(cell) { Some(None) } else { parse(cell).map(Some) }).collect();
        if let Some(values) = values
            && !is_empty
        {
            if let Some(row) = values.iter().position(|value| value.is_some_and(f64::is_infinite)) {
                return Err(ModelError::Infinite { column: name, row: row + 1, value: cells[row].clone() });
            }
            return Ok(with_missing_code(name, kind, &values));
        }
    }
    note_mixed(&name, cells, remarks);
    let (names, values) = number_categories(cells, classes);
    Ok(with_missing_code(name, ColumnKind::Category(names), &values))
}

fn note_mixed(name: &str, cells: &[String], remarks: &mut Vec<Remark>) {
    let (numbers, texts): (Vec<_>, Vec<_>) =
        cells.iter().filter(|cell| !is_missing(cell)).partition(|cell| cell.parse::<f64>().is_ok());
    if let Some(example) = texts.first()
        && numbers.len() > texts.len()
    {
        let example = example.to_string();
        remarks.push(Remark::MostlyNumbers { column: name.into(), numbers: numbers.len(), example });
    }
}

/// Gives missing cells a code below all others, far enough to be a different `f32`.
fn with_missing_code(name: String, kind: ColumnKind, values: &[Option<f64>]) -> (Column, Vec<f64>) {
    let present = values.iter().flatten();
    let (min, max) = present.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), &v| (v.min(min), v.max(max)));
    let code = if min > max { -1.0 } else { (min - (max - min).max(min.abs()).max(1.0)).floor() };
    let missing = values.iter().any(Option::is_none).then_some(code);
    let numbers: Vec<f64> = values.iter().map(|value| value.unwrap_or(code)).collect();
    (Column::observed(name, kind, missing, numbers.iter().copied()), numbers)
}

/// Categories ordered by the share of their rows that are of the first class, then by name.
fn number_categories(cells: &[String], classes: &[usize]) -> (Vec<String>, Vec<Option<f64>>) {
    let mut tally: std::collections::BTreeMap<&str, (usize, usize)> = std::collections::BTreeMap::new();
    for (cell, class) in cells.iter().zip(classes).filter(|(cell, _)| !is_missing(cell)) {
        let (first, all) = tally.entry(cell).or_default();
        *first += usize::from(*class == 0);
        *all += 1;
    }
    let mut names: Vec<&str> = tally.keys().copied().collect();
    names.sort_by(|a, b| {
        let ((first_a, all_a), (first_b, all_b)) = (tally[a], tally[b]);
        (first_b * all_a).cmp(&(first_a * all_b))
    });
    let codes: std::collections::HashMap<&str, usize> =
        names.iter().enumerate().map(|(code, name)| (*name, code)).collect();
    let values = cells.iter().map(|cell| codes.get(cell.as_str()).map(|&code| code as f64)).collect();
    (names.iter().map(|name| (*name).to_owned()).collect(), values)
}

/// The name with the fewest edits to `wanted`, if they are few.
fn nearest_name(wanted: &str, names: &[String]) -> Option<String> {
    let near = names.iter().map(|name| (edits(&wanted.to_lowercase(), &name.to_lowercase()), name)).min()?;
    (near.0 <= wanted.len().div_ceil(3)).then(|| near.1.clone())
}

/// Levenshtein distance.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
