//! Reading a CSV file: header, quotes, numbers, booleans, categories, missing cells.
//!
//! A column is whole numbers, numbers or booleans when all its cells are, else categories. Cells are read as pandas reads
//! them by default, so that the model sees what it was trained on.

use crate::data::dataset::{Dataset, Remark};
use crate::data::label::Label;
use crate::data::matrix::Matrix;
use crate::data::moment::MomentForm;
use crate::data::schema::{Column, ColumnKind, Schema};
use crate::data::table_text::{TableText, TextColumn, read_text};
use crate::data::target::{TargetKind, strata};
use crate::error::{ModelError, listed};
use std::io::Read;

/// Cells that mean "no value".
const MISSING: [&str; 13] =
    ["", "na", "n/a", "nan", "null", "none", "<na>", "#n/a", "#na", "-nan", "-1.#ind", "1.#qnan", "#n/a n/a"];

/// A reader of one kind of cell; `None` for cells of other kinds.
type ReadNumber = fn(&str) -> Option<f64>;

/// Which columns are read, and what the target is taken for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnChoice {
    /// Only these; all if there are none.
    pub only: Vec<String>,
    /// Not these.
    pub drop: Vec<String>,
    /// What the target is.
    pub target: TargetKind,
}

/// Reads labelled rows from CSV text. `file` is only used in messages.
///
/// # Errors
/// When the text is no table, when the target column is absent, or when there is nothing to learn (see
/// [`Dataset::from_numbers`]).
pub fn read_csv(reader: impl Read, file: &str, target: &str) -> Result<Dataset, ModelError> {
    read_csv_columns(reader, file, target, &ColumnChoice::default())
}

/// Reads labelled rows as [`read_csv`] does, of the chosen columns.
///
/// # Errors
/// As [`read_csv`], and when a chosen column is absent.
pub fn read_csv_columns(
    reader: impl Read,
    file: &str,
    target: &str,
    choice: &ColumnChoice,
) -> Result<Dataset, ModelError> {
    let mut text = read_text(reader, file)?;
    let labels = text.take(position(&text, target)?);
    let labels = read_labels(&labels, target)?;
    for name in choice.only.iter().chain(&choice.drop).filter(|name| *name != target) {
        position(&text, name)?;
    }
    for at in (0..text.names.len()).rev() {
        let name = &text.names[at];
        if choice.drop.contains(name) || !(choice.only.is_empty() || choice.only.contains(name)) {
            text.take(at);
        }
    }
    labelled(text, (target, choice.target), &labels)
}

/// The position of a column.
pub(crate) fn position(text: &TableText, name: &str) -> Result<usize, ModelError> {
    text.names.iter().position(|other| other == name).ok_or_else(|| ModelError::NoTarget {
        target: name.into(),
        columns: listed(&text.names),
        nearest: nearest_name(name, &text.names),
    })
}

/// Reads rows from CSV text and joins the caller's labels to them. `target` is what messages call them.
///
/// # Errors
/// When the text is no table, has not as many rows as there are labels, or there is nothing to learn.
pub fn read_csv_with_labels(
    reader: impl Read,
    (target, kind): (&str, TargetKind),
    labels: &[Label],
) -> Result<Dataset, ModelError> {
    let text = read_text(reader, "rows")?;
    let rows = text.columns.first().map_or(0, TextColumn::len);
    if rows != labels.len() {
        return Err(ModelError::Lengths { rows, labels: labels.len() });
    }
    labelled(text, (target, kind), labels)
}

pub(crate) fn labelled(
    mut text: TableText,
    (target, kind): (&str, TargetKind),
    labels: &[Label],
) -> Result<Dataset, ModelError> {
    if text.names.is_empty() {
        return Err(ModelError::NoFeatures { target: target.into() });
    }
    let classes = strata(labels, kind);
    let mut remarks = std::mem::take(&mut text.remarks);
    let mut columns = Vec::new();
    let width = text.names.len();
    let mut features = Matrix::from_values(width, vec![0.0; width * labels.len()]);
    // Each text is dropped when its numbers are in the matrix: both at once would not fit for large tables.
    for (at, (name, cells)) in text.names.into_iter().zip(text.columns).enumerate() {
        let (column, values) = read_column(name, &cells, &classes, &mut remarks)?;
        columns.push(column);
        values.into_iter().enumerate().for_each(|(row, value)| features.row_mut(row)[at] = value);
    }
    Dataset::checked(features, Schema { columns }, (target.into(), kind), labels, remarks)
}

pub(crate) fn is_missing(cell: &str) -> bool {
    // Most cells are numbers, and this is asked of every one.
    let could_be = |first: u8| matches!(first, b'n' | b'N' | b'<' | b'#' | b'-' | b'1');
    if cell.len() > 8 || !cell.bytes().next().is_none_or(could_be) {
        return false;
    }
    MISSING.iter().any(|missing| cell.eq_ignore_ascii_case(missing))
}

pub(crate) fn boolean(cell: &str) -> Option<bool> {
    ["false", "true"].iter().position(|name| cell.eq_ignore_ascii_case(name)).map(|index| index == 1)
}

/// A whole number that `f64` holds exactly.
fn whole(cell: &str) -> Option<f64> {
    let value: i64 = cell.parse().ok()?;
    (value.unsigned_abs() <= 1 << 53).then_some(value as f64)
}

fn read_labels(cells: &TextColumn, target: &str) -> Result<Vec<Label>, ModelError> {
    if let Some(row) = cells.iter().position(is_missing) {
        return Err(ModelError::MissingLabel { target: target.into(), row: row + 1 });
    }
    let kinds: [fn(&str) -> Option<Label>; 3] = [
        |cell| boolean(cell).map(Label::Boolean),
        |cell| cell.parse().ok().map(Label::Integer),
        |cell| cell.parse().ok().map(Label::Float),
    ];
    let read = kinds.iter().find_map(|kind| cells.iter().map(kind).collect::<Option<Vec<_>>>());
    Ok(read.unwrap_or_else(|| cells.iter().map(|cell| Label::Text(cell.to_owned())).collect()))
}

fn read_column(
    name: String,
    cells: &TextColumn,
    classes: &[usize],
    remarks: &mut Vec<Remark>,
) -> Result<(Column, Vec<f64>), ModelError> {
    let kinds: [(ColumnKind, ReadNumber); 3] = [
        (ColumnKind::Boolean, |cell| boolean(cell).map(|value| f64::from(u8::from(value)))),
        (ColumnKind::Integer, whole),
        (ColumnKind::Float, |cell| cell.parse().ok()),
    ];
    let is_empty = cells.iter().all(is_missing);
    for (kind, parse) in kinds {
        let values: Option<Vec<Option<f64>>> =
            cells.iter().map(|cell| if is_missing(cell) { Some(None) } else { parse(cell).map(Some) }).collect();
        if let Some(values) = values
            && !is_empty
        {
            if let Some(row) = values.iter().position(|value| value.is_some_and(f64::is_infinite)) {
                return Err(ModelError::Infinite { column: name, row: row + 1, value: cells.cell(row).to_owned() });
            }
            return Ok(with_missing_code(name, kind, &values));
        }
    }
    let present = cells.iter().filter(|cell| !is_missing(cell));
    if let Some(form) = MomentForm::of(present) {
        let values: Vec<Option<f64>> = cells.iter().map(|cell| form.read(cell)).collect();
        return Ok(with_missing_code(name, ColumnKind::Moment(form), &values));
    }
    note_mixed(&name, cells, remarks);
    let (names, values) = number_categories(cells, classes);
    Ok(with_missing_code(name, ColumnKind::Category(names), &values))
}

fn note_mixed(name: &str, cells: &TextColumn, remarks: &mut Vec<Remark>) {
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
fn number_categories(cells: &TextColumn, classes: &[usize]) -> (Vec<String>, Vec<Option<f64>>) {
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
    let values = cells.iter().map(|cell| codes.get(cell).map(|&code| code as f64)).collect();
    (names.iter().map(|name| (*name).to_owned()).collect(), values)
}

/// The name with the fewest edits to `wanted`, if they are few.
pub(crate) fn nearest_name(wanted: &str, names: &[String]) -> Option<String> {
    let near = names.iter().map(|name| (edits(&wanted.to_lowercase(), &name.to_lowercase()), name)).min()?;
    (near.0 * 3 <= wanted.chars().count()).then(|| near.1.clone())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::schema::Cell;

    fn read(text: &str) -> Result<Dataset, ModelError> {
        read_csv(text.as_bytes(), "data.csv", "y")
    }

    fn check_message(text: &str, message: &str) {
        assert_eq!(read(text).unwrap_err().to_string(), message);
    }

    #[test]
    fn columns_get_the_kind_of_their_cells() {
        let text = "a,b,c,\"d, e\",f,y\n1,1.5,true,red,,1\n2,2,False,\"blue\"\"ish\",3,0\n-3,1e2,TRUE,red,NA,1\n4,.5,false,,4,0\n";
        let data = read(text).unwrap();
        let kinds: Vec<&ColumnKind> = data.schema.columns.iter().map(|column| &column.kind).collect();
        let categories = ColumnKind::Category(vec!["blue\"ish".into(), "red".into()]);
        let expected = [ColumnKind::Integer, ColumnKind::Float, ColumnKind::Boolean, categories, ColumnKind::Integer];
        assert_eq!(kinds, expected.iter().collect::<Vec<_>>());
        assert_eq!(data.schema.columns[3].name, "d, e");
        assert_eq!(data.labels, [1, 0, 1, 0]);
        let cells: Vec<Cell> = data.schema.columns.iter().zip(data.features.row(0)).map(|(c, v)| c.cell(*v)).collect();
        let first = [Cell::Integer(1), Cell::Float(1.5), Cell::Boolean(true), Cell::Text("red".into()), Cell::Missing];
        assert_eq!(cells, first);
    }

    #[test]
    fn a_missing_cell_is_below_all_others_as_a_single_too() {
        let data = read("a,b,y\n1e30,5,0\n,,0\n2e30,7,1\n3e30,8,1\n").unwrap();
        for (column, schema) in data.schema.columns.iter().enumerate() {
            let code = schema.missing.unwrap();
            assert_eq!(data.features.row(1)[column], code);
            assert!((code as f32) < schema.min as f32);
        }
    }

    #[test]
    fn categories_are_ordered_by_the_share_of_the_first_class() {
        let data = read("a,y\nx,1\nx,1\nm,0\nm,1\nk,0\nk,0\n").unwrap();
        let ColumnKind::Category(names) = &data.schema.columns[0].kind else { panic!("{:?}", data.schema) };
        assert_eq!(names, &["k", "m", "x"]);
    }

    #[test]
    fn labels_keep_their_kind() {
        let label = |text: &str| read(text).unwrap().classes[0].clone();
        assert_eq!(label("a,y\n1,true\n2,false\n3,true\n4,false\n"), Label::Boolean(false));
        assert_eq!(label("a,y\n1,7\n2,3\n3,7\n4,3\n"), Label::Integer(3));
        assert_eq!(label("a,y\n1,7.5\n2,3\n3,7.5\n4,3\n"), Label::Float(3.0));
        assert_eq!(label("a,y\n1,7\n2,x\n3,7\n4,x\n"), Label::Text("7".into()));
    }

    #[test]
    fn tables_that_cannot_be_read_say_why() {
        check_message("a,b\n1,2\n", "no column is named `y`\n  columns: `a`, `b`");
        check_message("a,Y\n1,2\n", "no column is named `y`\n  columns: `a`, `Y`\nhint: did you mean `Y`?");
        check_message("a,y\n", "the table has no rows\n  only a header was found");
        check_message(
            "y\n1\n0\n",
            "the table has no column besides the target `y`\nhint: give the columns that the model reads",
        );
        check_message(
            "a,y\n1,2\n1,2,3\n",
            "line 3 of `data.csv` has 3 cells, its header has 2\nhint: quote cells that contain commas",
        );
        check_message("a,a,y\n1,2,3\n", "`data.csv` has two columns named `a`\nhint: rename one of them in the header");
        check_message(
            "a,y\n1,0\n2,\n",
            "row 2 has no value in the target column `y`\nhint: drop the rows whose label is unknown",
        );
        check_message(
            "a,y\n1,0\ninf,1\n",
            "column `a` holds `inf` in row 2\n  numbers must be finite\nhint: drop the row or put the largest meaningful number there",
        );
        assert!(matches!(read_csv(&b"a,y\n\xff,1\n"[..], "x", "y"), Err(ModelError::Unreadable { .. })));
    }

    #[test]
    fn tables_without_anything_to_learn_say_why() {
        check_message(
            "a,y\n1,k\n2,k\n",
            "the target column `y` holds one class only, `k`\n  a classifier needs two classes to tell apart",
        );
        check_message(
            "a,y\n1,k\n2,k\n3,m\n",
            "class `m` of `y` has 1 row\n  at least 2 rows a class are needed\nhint: drop the class, or merge it with another",
        );
        check_message(
            "a,y\n1,k\n1,k\n1,m\n1,m\n",
            "all 1 columns are constant\n  a surrogate needs at least one column that varies",
        );
        let rows: String = (0..30).map(|row| format!("{row},{}.25\n", row / 2)).collect();
        check_message(
            &format!("a,y\n{rows}"),
            "the target column `y` looks like a quantity: 15 distinct numbers in 30 rows, for example 0.25\n  leaves and their properties are about classes\nhint: leave `--task` and `--paper` out, or cut the quantity into classes",
        );
    }

    #[test]
    fn what_stops_nothing_is_remarked() {
        let data = read("a,b,c,y\n1,5,1,0\n2,5,2,1\n3,5,3,0\n4,5,?,1\n").unwrap();
        let remarks: Vec<String> = data.remarks.iter().map(ToString::to_string).collect();
        assert_eq!(
            remarks,
            [
                "column `c` is read as categories: 3 of its cells are numbers, but one is `?`\nhint: leave the cell empty if it means \"missing\"",
                "column `b` is constant (`5`): no property depends on it",
            ]
        );
    }
}
