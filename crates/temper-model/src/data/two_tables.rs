//! Two tables of the same columns as one, whose target says which table a row comes from.

use std::collections::HashSet;
use std::io::Read;

use crate::data::csv::{ColumnChoice, labelled};
use crate::data::dataset::{Dataset, Remark};
use crate::data::label::Label;
use crate::data::schema::{Column, ColumnKind};
use crate::data::table_text::{TextColumn, read_text};
use crate::data::target::TargetKind;
use crate::error::ModelError;

/// Whole numbers that differ in this many rows and in all of them number the rows.
const FEWEST_IDS: usize = 20;

/// Reads two tables, each with its name for messages: rows of class 0 are of the older, of class 1 of the newer. Columns that only
/// one of them has are left out, which is remarked; so are dates, which only go on, and whole numbers that number the rows.
///
/// # Errors
/// When a text is no table, or they have no column in common.
pub fn read_two_tables(
    (older, older_name): (impl Read, &str),
    (newer, newer_name): (impl Read, &str),
    choice: &ColumnChoice,
) -> Result<Dataset, ModelError> {
    let mut older = read_text(older, older_name)?;
    let mut newer = read_text(newer, newer_name)?;
    let mut remarks = Vec::new();
    for at in (0..older.names.len()).rev() {
        let name = &older.names[at];
        let is_chosen = (choice.only.is_empty() || choice.only.contains(name)) && !choice.drop.contains(name);
        match newer.names.iter().position(|other| other == name) {
            Some(other) if is_chosen => older.columns[at].append(&newer.columns[other]),
            found => {
                let column = older.names[at].clone();
                older.take(at);
                if found.is_none() && is_chosen {
                    remarks.push(Remark::NotCompared { column, why: format!("`{newer_name}` does not have it") });
                }
            }
        }
    }
    for name in newer.names.iter().filter(|name| !older.names.contains(name)) {
        let is_chosen = (choice.only.is_empty() || choice.only.contains(name)) && !choice.drop.contains(name);
        if is_chosen
            && !remarks.iter().any(|remark| matches!(remark, Remark::NotCompared { column, .. } if column == name))
        {
            remarks.push(Remark::NotCompared { column: name.clone(), why: format!("`{older_name}` does not have it") });
        }
    }
    let rows = older.columns.first().map_or(0, TextColumn::len);
    let new_rows = newer.columns.drain(..).next().map_or(0, |column| column.len());
    let labels: Vec<Label> = (0..rows).map(|row| Label::Integer(i64::from(row + new_rows >= rows))).collect();
    older.remarks.append(&mut remarks);
    let mut data = labelled(older, (newer_name, TargetKind::Classes), &labels)?;
    leave_out(&mut data);
    Ok(data)
}

fn leave_out(data: &mut Dataset) {
    for at in 0..data.schema.columns.len() {
        let column = &data.schema.columns[at];
        let why = match column.kind {
            ColumnKind::Moment(_) => "dates only go on".to_owned(),
            ColumnKind::Integer if numbers_rows(column, data, at) => "it numbers the rows".to_owned(),
            _ => continue,
        };
        data.remarks.push(Remark::NotCompared { column: column.name.clone(), why });
        data.schema.columns[at].is_identifier = true;
    }
}

fn numbers_rows(column: &Column, data: &Dataset, at: usize) -> bool {
    let distinct: HashSet<u64> = data.features.column(at).map(f64::to_bits).collect();
    column.missing.is_none() && data.rows() > FEWEST_IDS && distinct.len() == data.rows()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tables_become_one_and_what_cannot_be_compared_is_said() {
        let table = |first: usize, more: &str| {
            let rows: String = (0..30)
                .map(|at| format!("{},{},2020-01-{:02},{}\n", first + at, at % 3, at % 28 + 1, ["a", "b"][at % 2]))
                .collect();
            format!("id,x,day,{more}\n{rows}")
        };
        let (older, newer) = (table(0, "hue"), table(30, "tone"));
        let choice = ColumnChoice::default();
        let data = read_two_tables((older.as_bytes(), "old.csv"), (newer.as_bytes(), "new.csv"), &choice).unwrap();
        assert_eq!(data.labels, [vec![0; 30], vec![1; 30]].concat());
        let telling: Vec<&str> = data
            .schema
            .columns
            .iter()
            .filter(|column| column.is_telling())
            .map(|column| column.name.as_str())
            .collect();
        assert_eq!(telling, ["x"]);
        let said: Vec<String> = data.remarks.iter().map(ToString::to_string).collect();
        let expected = [
            "column `hue` is not compared: `new.csv` does not have it",
            "column `tone` is not compared: `old.csv` does not have it",
            "column `id` is not compared: it numbers the rows",
            "column `day` is not compared: dates only go on",
        ];
        assert_eq!(said, expected);
    }
}
