//! A random forest on binned columns (Breiman, "Random Forests", Machine Learning 45, 2001): bootstrapped rows, a few random
//! columns at each split, trees grown to the end, and the mean of their leaves' shares.

use rayon::prelude::*;

use crate::data::bins::{BinnedRows, Bins, MOST_BINS};
use crate::seed::SeedStream;

/// Nodes below this size are split by sorting their few rows: clearing a histogram would cost more.
const SORTED_ROWS: usize = 128;

/// Rows of one tree, at most.
const MOST_ROWS: usize = 10_000;

/// A forest that has learnt from some rows.
pub struct ChallengerForest {
    trees: Vec<ForestTree>,
    classes: usize,
}

/// Nodes in creation order; the shares of leaves after one another.
struct ForestTree {
    nodes: Vec<ForestNode>,
    shares: Vec<f32>,
}

#[derive(Clone, Copy)]
enum ForestNode {
    /// Rows whose bin is at most `bin` go to the node after this one, the others to `right`.
    Split { column: u32, bin: u8, right: u32 },
    /// Where the leaf's shares begin.
    Leaf { shares: u32 },
}

/// The rows that a forest learns from.
pub struct ForestRows<'a> {
    pub bins: &'a Bins,
    pub binned: &'a BinnedRows,
    pub labels: &'a [usize],
    pub classes: usize,
    /// Those of the rows that may be seen.
    pub seen: &'a [u32],
}

impl ChallengerForest {
    /// Grows that many trees.
    pub fn grow(rows: &ForestRows<'_>, trees: usize, seed: u64) -> ChallengerForest {
        let varying: Vec<u32> = (0..rows.binned.columns.len())
            .filter(|&column| rows.bins.count(column) > 1)
            .map(|column| column as u32)
            .collect();
        let grow = |index: usize| {
            let random = SeedStream::new(&[seed, index as u64, 0x7472_6565]);
            ForestGrower::new(rows, varying.clone(), random).grow()
        };
        ChallengerForest { trees: (0..trees).into_par_iter().map(grow).collect(), classes: rows.classes }
    }

    /// The shares of the classes that the trees give a row, summed.
    pub fn votes(&self, binned: &BinnedRows, row: usize) -> Vec<f32> {
        let mut votes = vec![0.0; self.classes];
        for tree in &self.trees {
            let mut at = 0;
            while let ForestNode::Split { column, bin, right } = tree.nodes[at] {
                at = if binned.columns[column as usize][row] <= bin { at + 1 } else { right as usize };
            }
            if let ForestNode::Leaf { shares } = tree.nodes[at] {
                let shares = &tree.shares[shares as usize..][..self.classes];
                votes.iter_mut().zip(shares).for_each(|(vote, share)| *vote += share);
            }
        }
        votes
    }

    /// The class with most votes.
    pub fn predict(&self, binned: &BinnedRows, row: usize) -> usize {
        most(&self.votes(binned, row))
    }
}

/// The position of the greatest number, the first of several.
pub(crate) fn most(votes: &[f32]) -> usize {
    let mut best = 0;
    for (class, &vote) in votes.iter().enumerate() {
        if vote > votes[best] {
            best = class;
        }
    }
    best
}

struct ForestGrower<'a> {
    rows: &'a ForestRows<'a>,
    columns: Vec<u32>,
    tried: usize,
    random: SeedStream,
    drawn: Vec<u32>,
    spare: Vec<u32>,
    histogram: Vec<u32>,
    keys: Vec<u32>,
    tree: ForestTree,
}

struct ForestSplit {
    column: u32,
    bin: u8,
    score: f64,
}

impl<'a> ForestGrower<'a> {
    fn new(rows: &'a ForestRows<'a>, columns: Vec<u32>, mut random: SeedStream) -> Self {
        let count = rows.seen.len().min(MOST_ROWS);
        let drawn: Vec<u32> = (0..count).map(|_| rows.seen[random.below(rows.seen.len())]).collect();
        ForestGrower {
            tried: (columns.len() as f64).sqrt().ceil() as usize,
            columns,
            random,
            spare: vec![0; drawn.len()],
            drawn,
            histogram: vec![0; (MOST_BINS + 1) * rows.classes],
            keys: Vec::new(),
            tree: ForestTree { nodes: Vec::new(), shares: Vec::new() },
            rows,
        }
    }

    fn grow(mut self) -> ForestTree {
        let mut pending: Vec<(usize, usize, Option<usize>)> = vec![(0, self.drawn.len(), None)];
        while let Some((start, end, right_of)) = pending.pop() {
            let id = self.tree.nodes.len();
            if let Some(parent) = right_of
                && let ForestNode::Split { right, .. } = &mut self.tree.nodes[parent]
            {
                *right = id as u32;
            }
            let mut counts = vec![0u32; self.rows.classes];
            self.drawn[start..end].iter().for_each(|&row| counts[self.rows.labels[row as usize]] += 1);
            let is_pure = counts.iter().filter(|&&count| count > 0).count() < 2;
            let split = if is_pure { None } else { self.best_split(start, end, &counts) };
            let Some(split) = split else {
                let shares = self.tree.shares.len() as u32;
                let all = (end - start).max(1) as f32;
                self.tree.shares.extend(counts.iter().map(|&count| count as f32 / all));
                self.tree.nodes.push(ForestNode::Leaf { shares });
                continue;
            };
            let middle = self.partition(start, end, &split);
            self.tree.nodes.push(ForestNode::Split { column: split.column, bin: split.bin, right: 0 });
            pending.push((middle, end, Some(id)));
            pending.push((start, middle, None));
        }
        self.tree
    }

    /// The best split over a few random columns; more are tried while none of them varies.
    fn best_split(&mut self, start: usize, end: usize, counts: &[u32]) -> Option<ForestSplit> {
        let mut best: Option<ForestSplit> = None;
        for at in 0..self.columns.len() {
            if at >= self.tried && best.is_some() {
                break;
            }
            let chosen = at + self.random.below(self.columns.len() - at);
            self.columns.swap(at, chosen);
            let column = self.columns[at];
            if end - start < SORTED_ROWS {
                self.try_sorted(column, start, end, counts, &mut best);
            } else {
                self.try_counted(column, start, end, counts, &mut best);
            }
        }
        best
    }

    fn try_sorted(&mut self, column: u32, start: usize, end: usize, counts: &[u32], best: &mut Option<ForestSplit>) {
        let codes = &self.rows.binned.columns[column as usize];
        self.keys.clear();
        for &row in &self.drawn[start..end] {
            self.keys.push(u32::from(codes[row as usize]) << 24 | self.rows.labels[row as usize] as u32);
        }
        self.keys.sort_unstable();
        let mut left = vec![0u32; counts.len()];
        for at in 0..self.keys.len() - 1 {
            left[(self.keys[at] & 0xff_ffff) as usize] += 1;
            let bin = self.keys[at] >> 24;
            if bin != self.keys[at + 1] >> 24 {
                keep_better(best, column, bin as u8, &left, counts);
            }
        }
    }

    fn try_counted(&mut self, column: u32, start: usize, end: usize, counts: &[u32], best: &mut Option<ForestSplit>) {
        let classes = counts.len();
        let bins = self.rows.bins.count(column as usize);
        self.histogram[..bins * classes].fill(0);
        let codes = &self.rows.binned.columns[column as usize];
        for &row in &self.drawn[start..end] {
            self.histogram[codes[row as usize] as usize * classes + self.rows.labels[row as usize]] += 1;
        }
        let mut left = vec![0u32; classes];
        let mut seen = 0;
        for bin in 0..bins - 1 {
            let own = &self.histogram[bin * classes..(bin + 1) * classes];
            let count: u32 = own.iter().sum();
            if count == 0 {
                continue;
            }
            left.iter_mut().zip(own).for_each(|(left, own)| *left += own);
            seen += count as usize;
            if seen == end - start {
                break;
            }
            keep_better(best, column, bin as u8, &left, counts);
        }
    }

    fn partition(&mut self, start: usize, end: usize, split: &ForestSplit) -> usize {
        let codes = &self.rows.binned.columns[split.column as usize];
        let (mut left, mut right) = (start, 0);
        for at in start..end {
            let row = self.drawn[at];
            let is_left = codes[row as usize] <= split.bin;
            self.drawn[left] = row;
            self.spare[right] = row;
            left += usize::from(is_left);
            right += usize::from(!is_left);
        }
        self.drawn[left..end].copy_from_slice(&self.spare[..right]);
        left
    }
}

/// Keeps the split if its sides are purer than those of the best so far (Gini impurity).
fn keep_better(best: &mut Option<ForestSplit>, column: u32, bin: u8, left: &[u32], all: &[u32]) {
    let (mut left_rows, mut right_rows, mut left_squares, mut right_squares) = (0.0, 0.0, 0.0, 0.0);
    for (&left, &all) in left.iter().zip(all) {
        let (left, right) = (f64::from(left), f64::from(all - left));
        left_rows += left;
        right_rows += right;
        left_squares += left * left;
        right_squares += right * right;
    }
    let score = left_squares / left_rows + right_squares / right_rows;
    if best.as_ref().is_none_or(|best| score > best.score) {
        *best = Some(ForestSplit { column, bin, score });
    }
}
