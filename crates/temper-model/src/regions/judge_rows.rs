//! Whether a model is worse than a reference on real rows, and where.
//!
//! Each row has a difference: 1 if only the new model errs, -1 if only the reference does, 0 else. All rows are tested by McNemar's
//! exact test of "worse by no more than the margin". Then the rows are split into halves; on each half a shallow tree is grown on
//! the difference, and its worst regions are tested in the same way on the other half, which did not choose them. Holm's
//! correction over these tests bounds the chance of any false finding. What a region shows is counted on the half that
//! confirmed it, so that its choice does not flatter the figures.
//!
//! It says nothing about inputs unlike the rows, and it sees only what both labels and rows show.

use temper_stats::multiple::holm;

use crate::data::bins::Bins;
use crate::data::matrix::Matrix;
use crate::data::schema::{Column, Schema};
use crate::judge::exact_tests::mcnemar_worse;
use crate::regions::narrow::narrow;
use crate::regions::region::Region;
use crate::regions::region_tree::{RegionData, RegionGrowth, RegionNode, grow_regions};
use crate::seed::SeedStream;

/// Rows that share a region with another are the same finding from this share on, of the smaller region.
pub(crate) const SAME: f64 = 0.5;

/// What two models did on the same rows.
pub struct PairedRows<'a> {
    /// The rows.
    pub features: &'a Matrix,
    /// What the columns mean.
    pub schema: &'a Schema,
    /// Whether the model errs on each row.
    pub wrong: &'a [bool],
    /// Whether the reference does.
    pub reference_wrong: &'a [bool],
}

/// What counts as worse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowOptions {
    /// The error may be greater by this share before that counts.
    pub margin: f64,
    /// Chance of any false finding that is accepted.
    pub level: f64,
    /// The trees of regions.
    pub growth: RegionGrowth,
    /// Regions of each half that are tested on the other.
    pub candidates: usize,
    /// The seed of the halves.
    pub seed: u64,
}

impl RowOptions {
    /// The margin against an earlier model, which has learnt from the same world.
    pub const AGAINST_MARGIN: f64 = 0.002;
    /// The margin against a challenger, which is only one of many possible models.
    pub const CHALLENGER_MARGIN: f64 = 0.005;

    /// Options with this margin and seed.
    pub fn new(margin: f64, seed: u64) -> RowOptions {
        let growth = RegionGrowth { depth: 3, min_leaf: 15 };
        RowOptions { margin, level: 0.05, growth, candidates: 3, seed }
    }
}

/// How often model and reference err in a region.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionCounts {
    /// The region.
    pub region: Region,
    /// Rows in it, of those that are counted here.
    pub rows: usize,
    /// Rows on which the model errs.
    pub errors: usize,
    /// Rows on which the reference errs.
    pub reference_errors: usize,
    /// Rows on which only the model errs.
    pub worse: usize,
    /// Rows on which only the reference errs.
    pub better: usize,
    /// The errors and rows outside, of those that are counted here.
    pub elsewhere: (usize, usize),
}

/// A test that the model is worse somewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionTest {
    /// What was counted, on rows that did not choose the region.
    pub counts: RegionCounts,
    /// Share of all rows that lie in the region.
    pub affected: f64,
    /// The corrected chance of counts like these, if the model were not worse.
    pub p_value: f64,
}

/// The answer for all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct RowJudgement {
    /// All rows.
    pub overall: RegionTest,
    /// Whether the model is worse on all rows taken together.
    pub is_worse_overall: bool,
    /// Regions in which the model is worse, those with most rows that are wrong because of it first.
    pub regions: Vec<RegionTest>,
    /// Number of tests that were corrected for.
    pub tests: usize,
}

impl RowJudgement {
    /// Whether anything was found.
    pub fn is_worse(&self) -> bool {
        self.is_worse_overall || !self.regions.is_empty()
    }
}

impl PairedRows<'_> {
    /// Counts a region on some rows.
    pub fn count(&self, region: &Region, among: impl Iterator<Item = usize>) -> RegionCounts {
        let region = region.clone();
        let mut counts =
            RegionCounts { region, rows: 0, errors: 0, reference_errors: 0, worse: 0, better: 0, elsewhere: (0, 0) };
        for row in among {
            let (wrong, reference) = (self.wrong[row], self.reference_wrong[row]);
            if !counts.region.contains(self.features.row(row)) {
                counts.elsewhere.0 += usize::from(wrong);
                counts.elsewhere.1 += 1;
                continue;
            }
            counts.rows += 1;
            counts.errors += usize::from(wrong);
            counts.reference_errors += usize::from(reference);
            counts.worse += usize::from(wrong && !reference);
            counts.better += usize::from(reference && !wrong);
        }
        counts
    }

    fn difference(&self, row: usize) -> f32 {
        f32::from(u8::from(self.wrong[row])) - f32::from(u8::from(self.reference_wrong[row]))
    }
}

/// Tests all rows, and the worst regions of each half on the other.
pub fn judge_rows(rows: &PairedRows<'_>, options: &RowOptions) -> RowJudgement {
    let count = rows.wrong.len();
    let everything = rows.count(&Region::default(), 0..count);
    let mut tested = vec![everything];
    let halves = halves(count, options.seed);
    if tested[0].worse > 0 {
        let bins = Bins::new(rows.features, rows.schema, Column::is_telling);
        let binned = bins.rows(rows.features);
        let values: Vec<f32> = (0..count).map(|row| rows.difference(row)).collect();
        let data = RegionData { bins: &bins, binned: &binned, schema: rows.schema, values: &values, variances: None };
        for (grown_on, confirmed_on) in [(0, 1), (1, 0)] {
            for region in candidates(rows, &data, &halves[grown_on], options) {
                tested.push(rows.count(&region, halves[confirmed_on].iter().map(|&row| row as usize)));
            }
        }
    }
    let p_values: Vec<f64> =
        tested.iter().map(|counts| mcnemar_worse(counts.worse, counts.better, counts.rows, options.margin)).collect();
    let corrected = holm(&p_values);
    let tests = tested.len();
    let tested = tested.into_iter().zip(corrected).map(|(counts, p_value)| {
        let inside = counts.region.rows(rows.features).len();
        RegionTest { affected: inside as f64 / count.max(1) as f64, counts, p_value }
    });
    let mut found: Vec<RegionTest> = tested.collect();
    let overall = found.remove(0);
    found.retain(|test| test.p_value <= options.level);
    let is_worse_overall = overall.p_value <= options.level;
    let regions = telling(merged(found, rows.features), &overall, is_worse_overall);
    RowJudgement { overall, is_worse_overall, regions, tests }
}

/// Two random halves of the rows.
pub(crate) fn halves(rows: usize, seed: u64) -> [Vec<u32>; 2] {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    SeedStream::new(&[seed, 0x68616c66]).shuffle(&mut order);
    let second = order.split_off(rows / 2);
    [order, second]
}

/// The worst regions of a half, drawn in to the rows that are wrong.
fn candidates(rows: &PairedRows<'_>, data: &RegionData<'_>, half: &[u32], options: &RowOptions) -> Vec<Region> {
    let nodes = grow_regions(data, half.to_vec(), options.growth);
    let is_wrong = |row: u32| data.values[row as usize] > 0.0;
    worst(&nodes, data, options.candidates)
        .into_iter()
        .map(|node| narrow(&node.region, rows.features, rows.schema, &node.rows, is_wrong))
        .collect()
}

/// The nodes in which the values stand out most from those of all rows, each from a part of the rows that the ones before it do not
/// share.
pub(crate) fn worst<'n>(nodes: &'n [RegionNode], data: &RegionData<'_>, most: usize) -> Vec<&'n RegionNode> {
    let everything: Vec<u32> = (0..data.values.len() as u32).collect();
    let (total, total_variance) = data.sum(&everything);
    let usual = total / total_variance.max(f64::MIN_POSITIVE);
    // The excess in units of its deviation: a region is the better, the more of what is wrong it holds and the less of what is right.
    let score = |node: &RegionNode| {
        let (sum, variance) = data.sum(&node.rows);
        if sum > 0.0 { (sum / variance - usual) * variance.sqrt() } else { 0.0 }
    };
    let mut ranked: Vec<(f64, &RegionNode)> = nodes.iter().map(|node| (score(node), node)).collect();
    ranked.retain(|(score, _)| *score > 0.0);
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut chosen: Vec<&RegionNode> = Vec::new();
    for (_, node) in ranked {
        let is_new = |other: &&RegionNode| shared(&node.rows, &other.rows) < SAME;
        if chosen.len() < most && chosen.iter().all(is_new) {
            chosen.push(node);
        }
    }
    chosen
}

/// Rows that both have, as a share of the shorter list.
pub(crate) fn shared(a: &[u32], b: &[u32]) -> f64 {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let long: std::collections::HashSet<u32> = long.iter().copied().collect();
    short.iter().filter(|row| long.contains(row)).count() as f64 / short.len().max(1) as f64
}

/// Of regions that overlap, the one with the clearest figures; those first in which most rows are wrong that need not be.
fn merged(mut found: Vec<RegionTest>, features: &Matrix) -> Vec<RegionTest> {
    found.sort_by(|a, b| a.p_value.total_cmp(&b.p_value));
    let mut kept: Vec<(RegionTest, Vec<u32>)> = Vec::new();
    for test in found {
        let rows: Vec<u32> = test.counts.region.rows(features).into_iter().map(|row| row as u32).collect();
        if kept.iter().all(|(_, other)| shared(&rows, other) < SAME) {
            kept.push((test, rows));
        }
    }
    kept.sort_by(|a, b| wrong_rows(&b.0).total_cmp(&wrong_rows(&a.0)));
    kept.into_iter().map(|(test, _)| test).collect()
}

/// The share of all rows that are wrong because of a region: a wide one in which little is worse comes after a small one in which
/// everything is.
fn wrong_rows(test: &RegionTest) -> f64 {
    test.affected * excess(&test.counts)
}

/// The share of a region's rows by which the model errs more often than its reference.
fn excess(counts: &RegionCounts) -> f64 {
    (counts.worse as f64 - counts.better as f64) / counts.rows.max(1) as f64
}

/// When the model is worse on all rows, only regions that are much worse than the rest say more.
fn telling(found: Vec<RegionTest>, overall: &RegionTest, is_worse_overall: bool) -> Vec<RegionTest> {
    let usual = excess(&overall.counts);
    found.into_iter().filter(|test| !is_worse_overall || excess(&test.counts) >= 1.5 * usual).collect()
}
