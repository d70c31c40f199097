//! A shallow tree over a number that each row has: its nodes are candidates for regions in which the number is large.
//!
//! The tree is CART for regression (Breiman et al. 1984) on binned columns. Categories are ordered by their mean in each node,
//! which finds the best set of them. If numbers vary by chance in some rows more than in others, a sum counts in units of its
//! deviation. Depth and leaf size keep candidates readable and large enough to be confirmed.

use crate::data::bins::{BinnedRows, Bins, MOST_BINS};
use crate::data::schema::{ColumnKind, Schema};
use crate::regions::region::{Region, RegionCondition};
use crate::tree::leaf::LeafInterval;

/// How far a tree of regions is grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionGrowth {
    /// Most conditions on the way to a leaf.
    pub depth: usize,
    /// Fewest rows of a leaf.
    pub min_leaf: usize,
}

/// A node of the tree apart from its root.
#[derive(Clone, Debug)]
pub struct RegionNode {
    /// Its condition.
    pub region: Region,
    /// Its rows among those that the tree was grown on.
    pub rows: Vec<u32>,
    /// Splits on the way to it.
    pub depth: usize,
    /// Whether it was not split further.
    pub is_leaf: bool,
}

/// What the tree is grown on.
pub struct RegionData<'a> {
    /// The bins.
    pub bins: &'a Bins,
    /// The rows in them.
    pub binned: &'a BinnedRows,
    /// What the columns mean.
    pub schema: &'a Schema,
    /// The number of each row.
    pub values: &'a [f32],
    /// How far the number of each row varies by chance (its variance), if that differs from row to row.
    pub variances: Option<&'a [f32]>,
}

impl RegionData<'_> {
    fn variance(&self, row: u32) -> f64 {
        self.variances.map_or(1.0, |variances| f64::from(variances[row as usize]))
    }

    /// What chance leaves of the numbers of some rows: their sum, and its variance.
    pub(crate) fn sum(&self, rows: &[u32]) -> (f64, f64) {
        let value = |row: u32| f64::from(self.values[row as usize]);
        rows.iter().fold((0.0, 0.0), |(sum, variance), &row| (sum + value(row), variance + self.variance(row)))
    }
}

/// The bins of one column that a node allows, as a path has narrowed them.
type Allowed = Vec<(usize, Vec<bool>)>;

/// Grows a tree on the given rows and returns its nodes, parents first.
pub fn grow_regions(data: &RegionData<'_>, rows: Vec<u32>, growth: RegionGrowth) -> Vec<RegionNode> {
    let mut nodes = Vec::new();
    let mut pending: Vec<(Vec<u32>, Allowed, usize)> = vec![(rows, Vec::new(), 0)];
    while let Some((rows, allowed, depth)) = pending.pop() {
        let split = if depth < growth.depth { best_split(data, &rows, growth.min_leaf) } else { None };
        if depth > 0 {
            let region = region(data, &allowed);
            nodes.push(RegionNode { region, rows: rows.clone(), depth, is_leaf: split.is_none() });
        }
        let Some(split) = split else { continue };
        let codes = &data.binned.columns[split.column];
        let (left, right): (Vec<u32>, Vec<u32>) =
            rows.into_iter().partition(|&row| split.goes_left[codes[row as usize] as usize]);
        for (rows, is_left) in [(left, true), (right, false)] {
            pending.push((rows, narrowed(&allowed, &split, is_left), depth + 1));
        }
    }
    nodes
}

struct RegionSplit {
    column: usize,
    /// For each bin, the side.
    goes_left: Vec<bool>,
}

/// The split that explains most of the values; none if no split leaves enough rows on both sides, or none explains anything.
fn best_split(data: &RegionData<'_>, rows: &[u32], min_leaf: usize) -> Option<RegionSplit> {
    if rows.len() < 2 * min_leaf {
        return None;
    }
    let (total, total_variance) = data.sum(rows);
    let mut best_gain = total * total / total_variance + 1e-9;
    let mut best = None;
    let mut histogram = vec![(0.0f64, 0.0f64, 0u32); MOST_BINS + 1];
    for column in 0..data.binned.columns.len() {
        let count = data.bins.count(column);
        if count < 2 {
            continue;
        }
        histogram[..count].fill((0.0, 0.0, 0));
        let codes = &data.binned.columns[column];
        for &row in rows {
            let cell = &mut histogram[codes[row as usize] as usize];
            cell.0 += f64::from(data.values[row as usize]);
            cell.1 += data.variance(row);
            cell.2 += 1;
        }
        let mut order: Vec<usize> = (0..count).filter(|&bin| histogram[bin].2 > 0).collect();
        if is_category(data.schema, column) {
            let mean = |bin: usize| histogram[bin].0 / histogram[bin].1;
            order.sort_by(|&a, &b| mean(a).total_cmp(&mean(b)));
        }
        let (mut sum, mut variance, mut seen) = (0.0, 0.0, 0usize);
        for at in 0..order.len().saturating_sub(1) {
            sum += histogram[order[at]].0;
            variance += histogram[order[at]].1;
            seen += histogram[order[at]].2 as usize;
            let rest = rows.len() - seen;
            if seen < min_leaf || rest < min_leaf {
                continue;
            }
            let gain = sum * sum / variance + (total - sum) * (total - sum) / (total_variance - variance);
            if gain > best_gain {
                best_gain = gain;
                best = Some((column, order[..=at].to_vec(), order[at + 1]));
            }
        }
    }
    best.map(|(column, left, _)| {
        let count = data.bins.count(column);
        let goes_left = if is_category(data.schema, column) {
            (0..count).map(|bin| left.contains(&bin)).collect()
        } else {
            let last = left.last().copied().unwrap_or(0);
            (0..count).map(|bin| bin <= last).collect()
        };
        RegionSplit { column, goes_left }
    })
}

fn is_category(schema: &Schema, column: usize) -> bool {
    matches!(schema.columns[column].kind, ColumnKind::Category(_))
}

fn narrowed(allowed: &Allowed, split: &RegionSplit, is_left: bool) -> Allowed {
    let mut narrowed = allowed.clone();
    let side = split.goes_left.iter().map(|&left| left == is_left);
    match narrowed.iter_mut().find(|(column, _)| *column == split.column) {
        Some((_, bins)) => bins.iter_mut().zip(side).for_each(|(bin, side)| *bin &= side),
        None => narrowed.push((split.column, side.collect())),
    }
    narrowed
}

/// Bins that are allowed, as a condition on values.
fn region(data: &RegionData<'_>, allowed: &Allowed) -> Region {
    let mut conditions: Vec<(usize, RegionCondition)> = allowed
        .iter()
        .map(|(column, bins)| {
            let condition = match &data.schema.columns[*column].kind {
                ColumnKind::Category(names) => {
                    let missing = data.schema.columns[*column].missing;
                    let codes = (0..names.len()).map(|code| code as f64).chain(missing);
                    let inside = codes.filter(|&code| bins[data.bins.of(*column, code) as usize]);
                    RegionCondition::OneOf(inside.collect())
                }
                _ => RegionCondition::Between(interval(data.bins, *column, bins)),
            };
            (*column, condition)
        })
        .collect();
    conditions.sort_by_key(|(column, _)| *column);
    Region { conditions }
}

fn interval(bins: &Bins, column: usize, allowed: &[bool]) -> LeafInterval {
    let first = allowed.iter().position(|&is| is).unwrap_or(0);
    let last = allowed.iter().rposition(|&is| is).unwrap_or(allowed.len() - 1);
    LeafInterval { lo: first.checked_sub(1).and_then(|below| bins.above(column, below)), hi: bins.above(column, last) }
}
