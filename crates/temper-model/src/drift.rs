//! Where two tables differ: regions whose share of the rows has changed.
//!
//! A shallow tree between the tables, grown on one half of the rows of both, proposes regions; Fisher's test on the other half says
//! whether more than the margin's share of the newer rows has come to a region, or has left it. Tables of the same world give
//! a finding in at most 5 % of cases.

use temper_stats::Confidence;
use temper_stats::interval::wilson;
use temper_stats::multiple::holm;

use crate::data::dataset::Dataset;
use crate::data::matrix::Matrix;
use crate::judge::exact_tests::fisher_more;
use crate::regions::judge_rows::{RegionTest, RowOptions};
use crate::regions::measured::{MeasuredJudgement, MeasuredTest, RegionMeasure, Shown, judge_measure};
use crate::regions::region::Region;

/// The share of the rows by which a region may have changed.
pub const DRIFT_MARGIN: f64 = 0.01;

/// Where the rows of class 1 lie more often than those of class 0, and where more rarely.
pub fn judge_drift(rows: &Dataset, (margin, seed): (Option<f64>, u64)) -> MeasuredJudgement {
    let margin = margin.unwrap_or(DRIFT_MARGIN);
    let measure = TableShares { labels: &rows.labels, margin };
    let mut judgement = judge_measure(&rows.features, &rows.schema, &measure, &RowOptions::new(0.0, seed));
    judgement.found = without_counterparts(judgement.found);
    judgement
}

/// What comes to one region leaves another: of two findings in opposite directions about the same columns, the clearer one is kept.
fn without_counterparts(mut found: Vec<MeasuredTest>) -> Vec<MeasuredTest> {
    found.sort_by(|a, b| a.shown.p_value.total_cmp(&b.shown.p_value));
    let columns = |region: &Region| -> Vec<usize> { region.conditions.iter().map(|(column, _)| *column).collect() };
    let mut kept: Vec<MeasuredTest> = Vec::new();
    for test in found {
        let own = columns(&test.region);
        let is_counterpart = |other: &MeasuredTest| {
            let known = columns(&other.region);
            other.direction != test.direction && own.iter().all(|column| known.contains(column))
        };
        if !kept.iter().any(is_counterpart) {
            kept.push(test);
        }
    }
    kept
}

/// A weak spot of a model, and which share of the rows it has in both tables.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedSpot {
    /// The region with its shares of the rows; the chance is corrected over all weak spots.
    pub test: MeasuredTest,
    /// The model's error there.
    pub error: f64,
}

/// How frequent the weak spots of a model are in newer rows, compared with those in which they were found.
pub fn moved_spots(spots: &[RegionTest], older: &Matrix, newer: &Matrix, margin: Option<f64>) -> Vec<MovedSpot> {
    let margin = margin.unwrap_or(DRIFT_MARGIN);
    let count = |region: &Region, rows: &Matrix| rows.iter().filter(|row| region.contains(row)).count();
    let counts: Vec<TableCounts> = spots
        .iter()
        .map(|spot| TableCounts {
            inside: [count(&spot.counts.region, older), count(&spot.counts.region, newer)],
            all: [older.rows(), newer.rows()],
        })
        .collect();
    let shown: Vec<Shown> = counts.iter().map(|counts| counts.shown(0, margin)).collect();
    let corrected = holm(&shown.iter().map(|shown| shown.p_value).collect::<Vec<_>>());
    let moved = spots.iter().zip(&counts).zip(shown.into_iter().zip(corrected));
    moved
        .map(|((spot, counts), (shown, p_value))| MovedSpot {
            test: MeasuredTest {
                region: spot.counts.region.clone(),
                direction: 0,
                rows: counts.inside[1],
                affected: shown.measured[1],
                shown: Shown { p_value, ..shown },
                elsewhere: None,
            },
            error: spot.counts.errors as f64 / spot.counts.rows.max(1) as f64,
        })
        .collect()
}

/// Rows in a region and in all, of the older and the newer table.
struct TableCounts {
    inside: [usize; 2],
    all: [usize; 2],
}

impl TableCounts {
    /// Whether more rows have come to the region (direction 0), or have left it.
    fn shown(&self, direction: usize, margin: f64) -> Shown {
        let (before, now) = if direction == 0 { (0, 1) } else { (1, 0) };
        let allowed = (margin * self.all[before] as f64).ceil() as usize;
        let known = (self.inside[before] + allowed).min(self.all[before]);
        let share = wilson(self.inside[1], self.all[1], Confidence::STANDARD);
        Shown {
            measured: share.map_or([0.0; 3], |share| [share.low, share.share, share.high]),
            expected: self.inside[0] as f64 / self.all[0].max(1) as f64,
            p_value: fisher_more(self.inside[now], self.all[now], known, self.all[before]),
        }
    }
}

struct TableShares<'a> {
    labels: &'a [usize],
    margin: f64,
}

impl TableShares<'_> {
    fn count(&self, rows: &[u32]) -> [usize; 2] {
        let newer = rows.iter().filter(|&&row| self.labels[row as usize] == 1).count();
        [rows.len() - newer, newer]
    }
}

impl RegionMeasure for TableShares<'_> {
    fn directions(&self) -> Vec<Vec<f32>> {
        let newer = self.labels.iter().filter(|&&label| label == 1).count() as f32 / self.labels.len().max(1) as f32;
        let more: Vec<f32> = self.labels.iter().map(|&label| label as f32 - newer).collect();
        let less = more.iter().map(|value| -value).collect();
        vec![more, less]
    }

    fn test(&self, direction: usize, inside: &[u32], outside: &[u32]) -> Shown {
        let (own, other) = (self.count(inside), self.count(outside));
        TableCounts { inside: own, all: [own[0] + other[0], own[1] + other[1]] }.shown(direction, self.margin)
    }

    fn has_overall(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::ColumnChoice;
    use crate::data::two_tables::read_two_tables;
    use crate::seed::SeedStream;

    fn table(seed: u64, is_moved: bool) -> String {
        let mut random = SeedStream::new(&[seed]);
        let mut text = "a,hue,c\n".to_owned();
        for _ in 0..600 {
            let unit = |random: &mut SeedStream| random.below(1000) as f64 / 1000.0;
            let (mut a, c) = (unit(&mut random), unit(&mut random));
            let hue = ["red", "green", "blue"][random.below(3)];
            if is_moved && hue == "green" && unit(&mut random) < 0.5 {
                a = 0.8 + 0.2 * a;
            }
            text += &format!("{a},{hue},{c}\n");
        }
        text
    }

    fn judged(older: &str, newer: &str) -> (MeasuredJudgement, Dataset) {
        let choice = ColumnChoice::default();
        let rows = read_two_tables((older.as_bytes(), "old.csv"), (newer.as_bytes(), "new.csv"), &choice).unwrap();
        (judge_drift(&rows, (None, 0)), rows)
    }

    #[test]
    fn a_region_to_which_rows_have_moved_is_found() {
        let (found, rows) = judged(&table(1, false), &table(2, true));
        let words: Vec<String> = found.found.iter().map(|test| test.region.in_words(&rows.schema)).collect();
        assert!(words.iter().any(|words| words.contains("a > 0.") && words.contains("hue is green")), "{words:?}");
        let first = &found.found[0];
        assert!(first.direction == 1 || first.shown.measured[1] > first.shown.expected, "{first:?}");
    }

    #[test]
    fn tables_of_one_world_are_not_told_apart() {
        let alarms = (0..40).filter(|&seed| {
            let (found, _) = judged(&table(100 + 2 * seed, false), &table(101 + 2 * seed, false));
            !found.found.is_empty()
        });
        // At a level of 5 % and with a margin, three or more of 40 would be rarer than 1 in 100.
        assert!(alarms.count() <= 2);
    }
}
