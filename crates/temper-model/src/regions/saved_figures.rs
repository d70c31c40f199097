//! What a report keeps of a model's errors, so that a later run can be compared with it without the model.
//!
//! Two things are kept. Which rows were wrong, with a digest of the rows: on the same rows the comparison is as sharp as with
//! the model itself. And errors by quarters of each column: on other rows, Fisher's test says where the error has grown, be it
//! the model or the world that has changed.

use sha2::{Digest, Sha256};
use temper_stats::multiple::holm;

use crate::data::dataset::Dataset;
use crate::data::schema::ColumnKind;
use crate::judge::exact_tests::fisher_more;
use crate::regions::judge_rows::{RegionCounts, RegionTest, RowJudgement, RowOptions};
use crate::regions::region::{Region, RegionCondition};
use crate::tree::leaf::LeafInterval;

/// Categories of a column that have a cell each; rarer ones are only in the total.
const MOST_CATEGORIES: usize = 8;

/// Fewest rows of a cell.
const FEWEST_ROWS: usize = 15;

/// Errors in one part of the rows: a quarter of a column, or a category.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorCell {
    /// The column.
    pub column: String,
    /// Values above this.
    pub above: Option<f64>,
    /// Values up to this.
    pub up_to: Option<f64>,
    /// Or rows of this category.
    pub category: Option<String>,
    /// Rows.
    pub rows: usize,
    /// Rows that the model got wrong.
    pub errors: usize,
}

/// What is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedFigures {
    /// Of columns, cells and labels.
    pub digest: String,
    /// One bit a row, eight to a byte, in hexadecimal: whether the model got it wrong.
    pub wrong: String,
    /// Rows.
    pub rows: usize,
    /// Rows that the model got wrong.
    pub errors: usize,
    /// Errors by parts.
    pub cells: Vec<ErrorCell>,
}

impl SavedFigures {
    /// What is kept of a model's errors on these rows.
    pub fn of(data: &Dataset, wrong: &[bool]) -> SavedFigures {
        let bytes = wrong.chunks(8).map(|bits| bits.iter().rev().fold(0u8, |byte, &bit| byte << 1 | u8::from(bit)));
        SavedFigures {
            digest: digest(data),
            wrong: bytes.map(|byte| format!("{byte:02x}")).collect(),
            rows: wrong.len(),
            errors: wrong.iter().filter(|&&wrong| wrong).count(),
            cells: cells(data, wrong),
        }
    }

    /// Which rows were wrong then, if these are the same rows.
    pub fn same_rows(&self, data: &Dataset) -> Option<Vec<bool>> {
        if self.rows != data.rows() || self.digest != digest(data) {
            return None;
        }
        let bytes: Option<Vec<u8>> = (0..self.wrong.len() / 2)
            .map(|at| u8::from_str_radix(self.wrong.get(2 * at..2 * at + 2)?, 16).ok())
            .collect();
        let bytes = bytes?;
        (0..self.rows).map(|row| Some(bytes.get(row / 8)? >> (row % 8) & 1 == 1)).collect()
    }

    /// Whether other rows have more errors than there were, by Fisher's test: in all, and in each part.
    pub fn compare(&self, data: &Dataset, wrong: &[bool], options: &RowOptions) -> RowJudgement {
        let mut tested = vec![(counted(data, wrong, Region::default()), (self.errors, self.rows))];
        for cell in &self.cells {
            if let Some(region) = cell.region(data) {
                tested.push((counted(data, wrong, region), (cell.errors, cell.rows)));
            }
        }
        let p_values: Vec<f64> = tested
            .iter()
            .map(|(counts, (errors, rows))| {
                let allowed = (options.margin * *rows as f64).ceil() as usize;
                fisher_more(counts.errors, counts.rows, (errors + allowed).min(*rows), *rows)
            })
            .collect();
        let corrected = holm(&p_values);
        let tests = tested.len();
        let tested = tested.into_iter().zip(corrected).map(|((mut counts, (errors, rows)), p_value)| {
            // The rate there was, on as many rows as there are now.
            counts.reference_errors = (errors as f64 / rows.max(1) as f64 * counts.rows as f64).round() as usize;
            RegionTest { affected: counts.rows as f64 / data.rows().max(1) as f64, counts, p_value }
        });
        let mut regions: Vec<RegionTest> = tested.collect();
        let overall = regions.remove(0);
        let is_worse_overall = overall.p_value <= options.level;
        regions.retain(|test| test.p_value <= options.level);
        regions.sort_by(|a, b| a.p_value.total_cmp(&b.p_value));
        regions.truncate(options.candidates);
        RowJudgement { overall, is_worse_overall, regions, tests }
    }
}

impl ErrorCell {
    /// The part as a region of another table; none if that has no such column or category.
    fn region(&self, data: &Dataset) -> Option<Region> {
        let column = data.schema.columns.iter().position(|column| column.name == self.column)?;
        let condition = match (&self.category, &data.schema.columns[column].kind) {
            (Some(wanted), ColumnKind::Category(names)) => {
                RegionCondition::OneOf(vec![names.iter().position(|name| name == wanted)? as f64])
            }
            (None, ColumnKind::Category(_)) | (Some(_), _) => return None,
            (None, _) => RegionCondition::Between(LeafInterval { lo: self.above, hi: self.up_to }),
        };
        Some(Region { conditions: vec![(column, condition)] })
    }
}

fn counted(data: &Dataset, wrong: &[bool], region: Region) -> RegionCounts {
    let (mut rows, mut errors, mut elsewhere) = (0, 0, (0, 0));
    for (row, &wrong) in data.features.iter().zip(wrong) {
        if region.contains(row) {
            rows += 1;
            errors += usize::from(wrong);
        } else {
            elsewhere.0 += usize::from(wrong);
            elsewhere.1 += 1;
        }
    }
    RegionCounts { region, rows, errors, reference_errors: 0, worse: 0, better: 0, elsewhere }
}

fn digest(data: &Dataset) -> String {
    let mut hash = Sha256::new();
    for column in &data.schema.columns {
        hash.update(column.name.as_bytes());
        hash.update([0]);
    }
    for value in data.features.values() {
        hash.update(value.to_le_bytes());
    }
    for &label in &data.labels {
        hash.update((label as u64).to_le_bytes());
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The rows by quarters of each column of numbers, and by the frequent categories of the others.
fn cells(data: &Dataset, wrong: &[bool]) -> Vec<ErrorCell> {
    let mut found = Vec::new();
    for (index, column) in data.schema.columns.iter().enumerate() {
        if !column.is_telling() {
            continue;
        }
        let empty =
            ErrorCell { column: column.name.clone(), above: None, up_to: None, category: None, rows: 0, errors: 0 };
        let own: Vec<ErrorCell> = match &column.kind {
            ColumnKind::Category(names) => {
                let mut counts = vec![0usize; names.len()];
                data.features
                    .column(index)
                    .filter(|&code| Some(code) != column.missing)
                    .for_each(|code| counts[code as usize] += 1);
                let mut order: Vec<usize> = (0..names.len()).collect();
                order.sort_by_key(|&code| std::cmp::Reverse(counts[code]));
                order.truncate(MOST_CATEGORIES);
                order
                    .into_iter()
                    .map(|code| ErrorCell { category: Some(names[code].clone()), ..empty.clone() })
                    .collect()
            }
            _ => {
                let mut ends: Vec<Option<f64>> =
                    quarters(data.features.column(index).collect()).into_iter().map(Some).collect();
                ends.push(None);
                let lows = std::iter::once(None).chain(ends.clone());
                lows.zip(&ends).map(|(above, up_to)| ErrorCell { above, up_to: *up_to, ..empty.clone() }).collect()
            }
        };
        found.extend(own.into_iter().filter_map(|cell| {
            let counts = counted(data, wrong, cell.region(data)?);
            let is_part = counts.rows >= FEWEST_ROWS && counts.elsewhere.1 > 0;
            is_part.then_some(ErrorCell { rows: counts.rows, errors: counts.errors, ..cell })
        }));
    }
    found
}

/// The boundaries between quarters of the values, without repeats.
fn quarters(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let mut ends: Vec<f64> = (1..4).map(|quarter| values[values.len() * quarter / 4]).collect();
    ends.dedup();
    ends.retain(|end| Some(end) != values.last());
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::read_csv;

    fn data(shift: usize) -> Dataset {
        let row = |at: usize| format!("{},{},{}\n", at % 40 + shift, ["red", "blue"][at % 2], at % 3 % 2);
        let rows: String = (0..400).map(row).collect();
        read_csv(format!("a,hue,y\n{rows}").as_bytes(), "data.csv", "y").unwrap()
    }

    #[test]
    fn the_same_rows_are_recognised_and_give_each_error_back() {
        let data = data(0);
        let wrong: Vec<bool> = (0..400).map(|row| row % 7 == 0).collect();
        let saved = SavedFigures::of(&data, &wrong);
        assert_eq!(saved.same_rows(&data), Some(wrong));
        assert_eq!(saved.same_rows(&self::data(1)), None);
    }

    #[test]
    fn other_rows_are_compared_part_by_part() {
        let (before, now) = (data(0), data(1));
        let chance = |row: u64, turn: u64| crate::seed::mixed(&[row, turn]).is_multiple_of(20);
        let saved = SavedFigures::of(&before, &(0..400).map(|row| chance(row, 0)).collect::<Vec<_>>());
        let options = RowOptions::new(0.002, 0);
        let alike: Vec<bool> = (0..400).map(|row| chance(row, 1)).collect();
        assert!(!saved.compare(&now, &alike, &options).is_worse());
        let blue_is_worse: Vec<bool> = (0..400).map(|row| chance(row, 1) || row % 10 == 3).collect();
        let found = saved.compare(&now, &blue_is_worse, &options);
        assert_eq!(found.regions[0].counts.region.in_words(&now.schema), "hue is blue");
    }
}
