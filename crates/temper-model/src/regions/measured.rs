//! Regions in which something that was measured is not as expected: grown on one half of the rows, confirmed on the other.
//!
//! The procedure is that of [`crate::regions::judge_rows`] for anything that can be counted or averaged over rows: how far answers
//! are off, what probabilities promise, which table a row comes from. What is measured says how much each row speaks for a
//! difference, and how rows that did not choose a region are tested. Holm's correction is over all tests of all directions.

use temper_stats::multiple::holm;

use crate::data::bins::Bins;
use crate::data::matrix::Matrix;
use crate::data::schema::{Column, Schema};
use crate::regions::judge_rows::{RowOptions, SAME, halves, shared, worst};
use crate::regions::region::Region;
use crate::regions::region_tree::{RegionData, grow_regions};

/// What some rows show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// What was measured: low, estimate, high.
    pub measured: [f64; 3],
    /// What it is compared with.
    pub expected: f64,
    /// The chance of figures like these if nothing were wrong; corrected in a [`MeasuredTest`].
    pub p_value: f64,
}

/// Something that is measured.
pub trait RegionMeasure {
    /// For each way in which rows can differ from what is expected, how much each row speaks for it.
    fn directions(&self) -> Vec<Vec<f32>>;

    /// How far what a row speaks for varies by chance, if that differs from row to row; never zero.
    fn variances(&self) -> Option<Vec<f32>> {
        None
    }

    /// What rows show, tested in one direction. `outside` are the other rows of the same half.
    fn test(&self, direction: usize, inside: &[u32], outside: &[u32]) -> Shown;

    /// Whether all rows together are tested also.
    fn has_overall(&self) -> bool {
        true
    }
}

/// A test of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredTest {
    /// The region.
    pub region: Region,
    /// The direction, as a position.
    pub direction: usize,
    /// Rows in it that did not choose the region.
    pub rows: usize,
    /// Share of all rows that lie in it.
    pub affected: f64,
    /// What those rows show.
    pub shown: Shown,
    /// What was measured outside.
    pub elsewhere: Option<f64>,
}

/// The answer for all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredJudgement {
    /// What is not as expected: all rows first, then regions, those that hold most of the difference first.
    pub found: Vec<MeasuredTest>,
    /// Number of tests that were corrected for.
    pub tests: usize,
}

/// Tests all rows, and in each direction the regions of each half that stand out most on the other.
pub fn judge_measure(
    features: &Matrix,
    schema: &Schema,
    measure: &dyn RegionMeasure,
    options: &RowOptions,
) -> MeasuredJudgement {
    let (directions, variances) = (measure.directions(), measure.variances());
    let halves = halves(features.rows(), options.seed);
    let bins = Bins::new(features, schema, Column::is_telling);
    let binned = bins.rows(features);
    let everything: Vec<u32> = (0..features.rows() as u32).collect();
    let mut tested = Vec::new();
    for (direction, values) in directions.iter().enumerate() {
        if measure.has_overall() {
            tested.push(test(measure, direction, Region::default(), &everything, features));
        }
        let data = RegionData { bins: &bins, binned: &binned, schema, values, variances: variances.as_deref() };
        for (grown_on, confirmed_on) in [(0, 1), (1, 0)] {
            let nodes = grow_regions(&data, halves[grown_on].clone(), options.growth);
            for node in worst(&nodes, &data, options.candidates) {
                tested.push(test(measure, direction, node.region.clone(), &halves[confirmed_on], features));
            }
        }
    }
    let corrected = holm(&tested.iter().map(|test| test.shown.p_value).collect::<Vec<_>>());
    let tests = tested.len();
    for (test, p_value) in tested.iter_mut().zip(corrected) {
        test.shown.p_value = p_value;
    }
    tested.retain(|test| test.shown.p_value <= options.level);
    MeasuredJudgement { found: telling(tested, &directions, features), tests }
}

fn test(
    measure: &dyn RegionMeasure,
    direction: usize,
    region: Region,
    among: &[u32],
    features: &Matrix,
) -> MeasuredTest {
    let (inside, outside): (Vec<u32>, Vec<u32>) =
        among.iter().partition(|&&row| region.contains(features.row(row as usize)));
    let elsewhere = (!outside.is_empty()).then(|| measure.test(direction, &outside, &inside).measured[1]);
    let shown = if inside.is_empty() {
        Shown { measured: [0.0; 3], expected: 0.0, p_value: 1.0 }
    } else {
        measure.test(direction, &inside, &outside)
    };
    let affected = region.rows(features).len() as f64 / features.rows().max(1) as f64;
    MeasuredTest { region, direction, rows: inside.len(), affected, shown, elsewhere }
}

/// Without what is said already: regions that share their rows with a clearer one, regions that are no worse than all rows are,
/// and all rows if regions explain them.
fn telling(mut tested: Vec<MeasuredTest>, directions: &[Vec<f32>], features: &Matrix) -> Vec<MeasuredTest> {
    tested.sort_by(|a, b| a.shown.p_value.total_cmp(&b.shown.p_value));
    let (overall, regions): (Vec<_>, Vec<_>) = tested.into_iter().partition(|test| test.region.is_everything());
    let sum = |direction: usize, rows: &[u32]| -> f64 {
        rows.iter().map(|&row| f64::from(directions[direction][row as usize])).sum()
    };
    let all: Vec<u32> = (0..features.rows() as u32).collect();
    let mut kept: Vec<(MeasuredTest, Vec<u32>)> = Vec::new();
    for test in regions {
        let rows: Vec<u32> = test.region.rows(features).into_iter().map(|row| row as u32).collect();
        let usual = sum(test.direction, &all) / all.len().max(1) as f64;
        let is_worse_everywhere = overall.iter().any(|each| each.direction == test.direction);
        let stands_out = sum(test.direction, &rows) / rows.len().max(1) as f64 >= 1.5 * usual;
        let is_new = kept.iter().all(|(other, own)| other.direction != test.direction || shared(&rows, own) < SAME);
        if is_new && (!is_worse_everywhere || stands_out) {
            kept.push((test, rows));
        }
    }
    let is_explained = |overall: &MeasuredTest| {
        let own = kept.iter().filter(|(test, _)| test.direction == overall.direction);
        let mut rows: Vec<u32> = own.flat_map(|(_, rows)| rows.iter().copied()).collect();
        rows.sort_unstable();
        rows.dedup();
        !rows.is_empty() && 3.0 * sum(overall.direction, &rows) >= 2.0 * sum(overall.direction, &all)
    };
    let mut found: Vec<MeasuredTest> = overall.into_iter().filter(|test| !is_explained(test)).collect();
    kept.sort_by(|a, b| sum(b.0.direction, &b.1).total_cmp(&sum(a.0.direction, &a.1)));
    found.extend(kept.into_iter().map(|(test, _)| test));
    found
}
