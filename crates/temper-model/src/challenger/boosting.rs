//! Boosted trees for a quantity (Friedman, "Greedy function approximation", Annals of Statistics 29, 2001): shallow trees on binned
//! columns, each grown on what the ones before it leave over, with squared loss.

use crate::data::bins::{BinnedRows, Bins, MOST_BINS};
use crate::seed::SeedStream;

/// Trees, one after the other.
const TREES: usize = 150;
/// The share of each tree that counts.
const RATE: f64 = 0.1;
/// Most conditions on the way to a leaf.
const DEPTH: usize = 4;
/// Fewest rows of a leaf.
const MIN_LEAF: usize = 5;
/// Columns that a tree may use, at most; drawn for each.
const MOST_COLUMNS: usize = 40;

/// Trees that have learnt from some rows.
pub struct BoostedTrees {
    start: f64,
    trees: Vec<Vec<BoostedNode>>,
}

#[derive(Clone, Copy)]
enum BoostedNode {
    /// Rows whose bin is at most `bin` go to `left`, the others to the node after it.
    Split { column: usize, bin: u8, left: usize },
    /// What a leaf adds.
    Leaf { value: f64 },
}

/// What trees learn from.
pub struct BoostedRows<'a> {
    pub bins: &'a Bins,
    pub binned: &'a BinnedRows,
    /// One number for each row of `binned`.
    pub values: &'a [f64],
    /// Those of the rows that may be seen.
    pub seen: &'a [u32],
}

impl BoostedTrees {
    pub fn grow(rows: &BoostedRows<'_>, seed: u64) -> BoostedTrees {
        let sum: f64 = rows.seen.iter().map(|&row| rows.values[row as usize]).sum();
        let start = sum / rows.seen.len().max(1) as f64;
        let mut left_over: Vec<f64> = rows.values.iter().map(|value| value - start).collect();
        let mut random = SeedStream::new(&[seed, 0x626f_6f73]);
        let mut columns: Vec<usize> =
            (0..rows.binned.columns.len()).filter(|&column| rows.bins.count(column) > 1).collect();
        let mut trees = Vec::with_capacity(TREES);
        for _ in 0..TREES {
            random.shuffle(&mut columns);
            let used = &columns[..columns.len().min(MOST_COLUMNS)];
            trees.push(grow_tree(rows, used, &mut left_over));
        }
        BoostedTrees { start, trees }
    }

    /// The answer for a row.
    pub fn predict(&self, binned: &BinnedRows, row: usize) -> f64 {
        let of_tree = |tree: &Vec<BoostedNode>| {
            let mut at = 0;
            loop {
                match tree[at] {
                    BoostedNode::Leaf { value } => return value,
                    BoostedNode::Split { column, bin, left } => {
                        at = if binned.columns[column][row] <= bin { left } else { left + 1 };
                    }
                }
            }
        };
        self.start + self.trees.iter().map(of_tree).sum::<f64>()
    }
}

/// Grows one tree and takes what it explains from what is left over.
fn grow_tree(rows: &BoostedRows<'_>, columns: &[usize], left_over: &mut [f64]) -> Vec<BoostedNode> {
    let mut nodes = vec![BoostedNode::Leaf { value: 0.0 }];
    let mut pending = vec![(0, rows.seen.to_vec(), 0)];
    while let Some((id, own, depth)) = pending.pop() {
        let split = if depth < DEPTH { best_split(rows, columns, &own, left_over) } else { None };
        let Some((column, bin)) = split else {
            let sum: f64 = own.iter().map(|&row| left_over[row as usize]).sum();
            let value = RATE * sum / own.len().max(1) as f64;
            own.iter().for_each(|&row| left_over[row as usize] -= value);
            nodes[id] = BoostedNode::Leaf { value };
            continue;
        };
        let left = nodes.len();
        nodes[id] = BoostedNode::Split { column, bin, left };
        nodes.extend([BoostedNode::Leaf { value: 0.0 }; 2]);
        let codes = &rows.binned.columns[column];
        let (below, above): (Vec<u32>, Vec<u32>) = own.into_iter().partition(|&row| codes[row as usize] <= bin);
        pending.push((left, below, depth + 1));
        pending.push((left + 1, above, depth + 1));
    }
    nodes
}

/// The split that explains most of what is left over.
fn best_split(rows: &BoostedRows<'_>, columns: &[usize], own: &[u32], left_over: &[f64]) -> Option<(usize, u8)> {
    if own.len() < 2 * MIN_LEAF {
        return None;
    }
    let total: f64 = own.iter().map(|&row| left_over[row as usize]).sum();
    let mut best_gain = total * total / own.len() as f64 + 1e-12;
    let mut best = None;
    let mut histogram = [(0.0f64, 0u32); MOST_BINS + 1];
    for &column in columns {
        let count = rows.bins.count(column);
        histogram[..count].fill((0.0, 0));
        let codes = &rows.binned.columns[column];
        for &row in own {
            let cell = &mut histogram[codes[row as usize] as usize];
            cell.0 += left_over[row as usize];
            cell.1 += 1;
        }
        let (mut sum, mut seen) = (0.0, 0usize);
        for (bin, &(own_sum, own_count)) in histogram[..count - 1].iter().enumerate() {
            sum += own_sum;
            seen += own_count as usize;
            let rest = own.len() - seen;
            if own_count == 0 || seen < MIN_LEAF || rest < MIN_LEAF {
                continue;
            }
            let gain = sum * sum / seen as f64 + (total - sum) * (total - sum) / rest as f64;
            if gain > best_gain {
                best_gain = gain;
                best = Some((column, bin as u8));
            }
        }
    }
    best
}
