//! Pictures of where a model errs, for people: a map by parts of two columns around a region, and the tree of regions.
//!
//! They choose nothing and test nothing. The columns of a map are those of the region, and if it has fewer than two, those whose
//! parts differ most. Parts are fifths of a column, with the ends of the region among their boundaries, or its most
//! frequent categories.

use crate::data::bins::{Bins, boundary_between};
use crate::data::matrix::Matrix;
use crate::data::schema::{Column, ColumnKind};
use crate::explain::property_text::interval_in_words;
use crate::regions::judge_rows::{PairedRows, RegionCounts, RowOptions};
use crate::regions::region::{Region, RegionCondition};
use crate::regions::region_tree::{RegionData, grow_regions};
use crate::tree::leaf::LeafInterval;

/// Parts of a column.
const PARTS: usize = 5;

/// Rows from which columns, parts and the tree are chosen.
const SAMPLED_ROWS: usize = 20_000;

/// Errors by parts of two columns.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorMap {
    /// The columns, as positions: across and down.
    pub columns: [usize; 2],
    /// Their parts in words.
    pub parts: [Vec<String>; 2],
    /// For each part down, and in it each part across: rows, errors of the model, errors of the reference.
    pub cells: Vec<Vec<[usize; 3]>>,
}

/// A node of the tree of regions.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorNode {
    /// Number of conditions.
    pub depth: usize,
    /// What was counted in it.
    pub counts: RegionCounts,
}

/// One part of a column.
struct ColumnPart {
    words: String,
    /// What is left over if absent: cells that are missing, rare categories.
    condition: Option<RegionCondition>,
}

/// The map of a region; none if there are not two columns to draw it by.
pub fn error_map(rows: &PairedRows<'_>, region: &Region) -> Option<ErrorMap> {
    let sample = sampled(rows.features.rows());
    let mut columns: Vec<usize> = region.conditions.iter().map(|(column, _)| *column).take(2).collect();
    if columns.len() < 2 {
        let others = (0..rows.schema.columns.len()).filter(|column| !columns.contains(column));
        let others = others.filter(|&column| rows.schema.columns[column].is_telling());
        let mut ranked: Vec<(f64, usize)> = others
            .map(|column| (explained(rows, &parts(rows, &sample, column, region), &sample, column), column))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let wanted = 2 - columns.len();
        columns.extend(ranked.into_iter().map(|(_, column)| column).take(wanted));
    }
    let [across, down] = <[usize; 2]>::try_from(columns).ok()?;
    let own = [across, down].map(|column| parts(rows, &sample, column, region));
    let mut cells = vec![vec![[0; 3]; own[0].len()]; own[1].len()];
    for (row, values) in rows.features.iter().enumerate() {
        let cell = &mut cells[part_of(&own[1], values[down])][part_of(&own[0], values[across])];
        cell[0] += 1;
        cell[1] += usize::from(rows.wrong[row]);
        cell[2] += usize::from(rows.reference_wrong[row]);
    }
    Some(ErrorMap {
        columns: [across, down],
        parts: own.map(|parts| parts.into_iter().map(|part| part.words).collect()),
        cells,
    })
}

/// The tree that splits what is wrong, or worse than the reference, from the rest; all rows first, each node before its parts.
pub fn error_tree(rows: &PairedRows<'_>, options: &RowOptions) -> Vec<ErrorNode> {
    let sample = sampled(rows.features.rows());
    let features: Matrix = rows.features.select(&sample);
    let is_compared = rows.wrong != rows.reference_wrong;
    let error = |is_wrong: bool| f32::from(u8::from(is_wrong));
    let value = |&row: &usize| {
        let reference = if is_compared { error(rows.reference_wrong[row]) } else { 0.0 };
        error(rows.wrong[row]) - reference
    };
    let values: Vec<f32> = sample.iter().map(value).collect();
    let bins = Bins::new(&features, rows.schema, Column::is_telling);
    let binned = bins.rows(&features);
    let data = RegionData { bins: &bins, binned: &binned, schema: rows.schema, values: &values, variances: None };
    let nodes = grow_regions(&data, (0..sample.len() as u32).collect(), options.growth);
    let all = 0..rows.features.rows();
    let mut found = vec![ErrorNode { depth: 0, counts: rows.count(&Region::default(), all.clone()) }];
    if nodes.len() > 1 {
        let own = |region: &Region| rows.count(region, all.clone());
        found.extend(nodes.iter().map(|node| ErrorNode { depth: node.depth, counts: own(&node.region) }));
    }
    found
}

fn sampled(rows: usize) -> Vec<usize> {
    (0..rows).step_by(rows.div_ceil(SAMPLED_ROWS).max(1)).collect()
}

fn part_of(parts: &[ColumnPart], value: f64) -> usize {
    let inside = |part: &ColumnPart| part.condition.as_ref().is_none_or(|condition| condition.holds(value));
    parts.iter().position(inside).unwrap_or(0)
}

/// How much of what is worse the parts of a column explain.
fn explained(rows: &PairedRows<'_>, parts: &[ColumnPart], sample: &[usize], column: usize) -> f64 {
    let mut sums = vec![(0.0, 0.0f64); parts.len()];
    for &row in sample {
        let own = &mut sums[part_of(parts, rows.features.row(row)[column])];
        own.0 += f64::from(u8::from(rows.wrong[row])) - f64::from(u8::from(rows.reference_wrong[row]));
        own.1 += 1.0;
    }
    sums.iter().map(|(sum, rows)| sum * sum / rows.max(1.0)).sum()
}

fn parts(rows: &PairedRows<'_>, sample: &[usize], column: usize, region: &Region) -> Vec<ColumnPart> {
    let own = &rows.schema.columns[column];
    let condition = region.conditions.iter().find(|(at, _)| *at == column).map(|(_, condition)| condition);
    let values = || sample.iter().map(|&row| rows.features.row(row)[column]);
    let mut parts = match own.kind {
        ColumnKind::Category(_) | ColumnKind::Boolean => frequent(own, values(), condition),
        _ => fifths(own, values(), condition),
    };
    if values().any(|value| !parts.iter().any(|part| part.condition.as_ref().is_some_and(|own| own.holds(value)))) {
        let words = if own.is_ordered() { "missing" } else { "others" };
        parts.push(ColumnPart { words: words.to_owned(), condition: None });
    }
    parts
}

/// The most frequent categories, those of the region first.
fn frequent(
    column: &Column,
    values: impl Iterator<Item = f64>,
    condition: Option<&RegionCondition>,
) -> Vec<ColumnPart> {
    let mut counts: Vec<(f64, usize)> = Vec::new();
    for value in values {
        match counts.iter_mut().find(|(code, _)| *code == value) {
            Some((_, count)) => *count += 1,
            None => counts.push((value, 1)),
        }
    }
    let is_inside = |code: f64| condition.is_some_and(|condition| condition.holds(code));
    counts.sort_by(|a, b| (is_inside(b.0), b.1).cmp(&(is_inside(a.0), a.1)).then(a.0.total_cmp(&b.0)));
    let part = |&(code, _): &(f64, usize)| ColumnPart {
        words: column.cell(code).to_string(),
        condition: Some(RegionCondition::OneOf(vec![code])),
    };
    counts.iter().take(PARTS).map(part).collect()
}

/// Fifths of the values that are there; the boundary nearest to an end of the region is that end.
fn fifths(column: &Column, values: impl Iterator<Item = f64>, condition: Option<&RegionCondition>) -> Vec<ColumnPart> {
    let mut present: Vec<f64> = values.filter(|&value| Some(value) != column.missing).collect();
    present.sort_by(f64::total_cmp);
    let mut edges: Vec<f64> = Vec::new();
    for part in 1..PARTS {
        let at = part * present.len() / PARTS;
        let above = present[at.min(present.len())..].iter().find(|&&value| at > 0 && value > present[at - 1]);
        edges.extend(above.map(|&above| boundary_between(column, present[at - 1], above)));
    }
    if let Some(RegionCondition::Between(interval)) = condition {
        for end in [interval.lo, interval.hi].into_iter().flatten().filter(|&end| end >= column.min) {
            match edges.iter_mut().min_by(|a, b| (**a - end).abs().total_cmp(&(**b - end).abs())) {
                Some(nearest) => *nearest = end,
                None => edges.push(end),
            }
        }
    }
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    let lowest = column.missing;
    (0..=edges.len())
        .map(|at| {
            // The lowest part begins above the code of missing cells.
            let lo = if at == 0 { lowest } else { Some(edges[at - 1]) };
            let interval = LeafInterval { lo, hi: edges.get(at).copied() };
            let shown = LeafInterval { lo: lo.filter(|_| at > 0), ..interval };
            ColumnPart { words: interval_in_words(column, shown), condition: Some(RegionCondition::Between(interval)) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::read_csv;
    use crate::data::dataset::Dataset;

    /// Two numbers, a hue with an empty cell now and then; wrong where `a` is above 0.7 and the hue is red.
    fn data() -> (Dataset, Vec<bool>) {
        let row = |at: usize| {
            let a = at * 37 % 100;
            let hue = ["red", "green", "blue", ""][at % 4];
            format!("{},{},{hue},{}\n", a as f64 / 100.0, at % 10, at % 2)
        };
        let text: String = (0..400).map(row).collect();
        let data = read_csv(format!("a,b,hue,y\n{text}").as_bytes(), "data.csv", "y").unwrap();
        let wrong = (0..400).map(|at| at * 37 % 100 > 70 && at % 4 == 0).collect();
        (data, wrong)
    }

    fn pictures(region: &Region) -> (ErrorMap, Vec<ErrorNode>) {
        let (data, wrong) = data();
        let right = vec![false; 400];
        let rows =
            PairedRows { features: &data.features, schema: &data.schema, wrong: &wrong, reference_wrong: &right };
        (error_map(&rows, region).unwrap(), error_tree(&rows, &RowOptions::new(0.002, 0)))
    }

    #[test]
    fn a_map_has_every_row_and_the_ends_of_the_region_are_boundaries() {
        let interval = LeafInterval { lo: Some(0.7), hi: None };
        let (map, _) = pictures(&Region { conditions: vec![(0, RegionCondition::Between(interval))] });
        assert_eq!(map.columns, [0, 2], "the hue explains more than `b`");
        assert!(map.parts[0].iter().any(|words| words == "> 0.7" || words.starts_with("0.7 to ")), "{:?}", map.parts);
        assert_eq!(map.parts[1].len(), 4, "three hues and none");
        let sum = |at: usize| map.cells.iter().flatten().map(|cell| cell[at]).sum::<usize>();
        assert_eq!((sum(0), sum(2)), (400, 0));
        let (data, wrong) = data();
        assert_eq!(sum(1), wrong.iter().filter(|&&wrong| wrong).count());
        let worst = map.cells.iter().flatten().filter(|cell| cell[1] > 0).count();
        assert!(worst <= 2 && data.rows() == 400, "all that is wrong lies in the last parts of one hue: {map:?}");
    }

    #[test]
    fn without_a_region_the_map_is_of_the_columns_that_tell_most() {
        let (map, _) = pictures(&Region::default());
        assert_eq!(map.columns, [2, 0]);
    }

    #[test]
    fn the_tree_starts_with_all_rows_and_parts_add_up() {
        let (_, tree) = pictures(&Region::default());
        assert_eq!((tree[0].depth, tree[0].counts.rows), (0, 400));
        let first: usize = tree.iter().filter(|node| node.depth == 1).map(|node| node.counts.rows).sum();
        assert_eq!(first, 400);
        assert!(tree.iter().any(|node| node.counts.errors == node.counts.rows && node.counts.rows > 10), "{tree:?}");
    }
}
