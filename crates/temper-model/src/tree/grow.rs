//! Growing a tree: depth first, left side first, features visited in scikit-learn's random order.
//!
//! The order matters only for ties between features, yet those are frequent in small nodes. It is a Fisher-Yates draw that
//! skips features already known to be constant; its array is kept and permuted across nodes, and so it is here.

use super::ranked::Ranked;
use super::split::{Best, SplitSearch};
use super::{DecisionTree, Split, TreeNode};
use crate::mersenne::RandomState;

/// scikit-learn's limit for "pure" and for "no worse than before".
const EPSILON: f64 = f64::EPSILON;

/// How far a tree is grown, and the seed of its feature order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Most splits on a path; unlimited when absent.
    pub max_depth: Option<usize>,
    /// Fewest training rows in a leaf.
    pub min_leaf: u32,
    /// scikit-learn's `random_state`.
    pub seed: u32,
}

impl Default for Growth {
    fn default() -> Self {
        Growth { max_depth: None, min_leaf: 1, seed: 0 }
    }
}

/// Grows a tree on the given rows of the ranked data; a row may be given more than once.
pub fn grow(ranked: &Ranked, rows: Vec<u32>, growth: Growth) -> DecisionTree {
    let features = ranked.values.len();
    let mut grower = Grower {
        ranked,
        growth,
        search: SplitSearch::new(ranked, rows.len(), growth.min_leaf.max(1)),
        order: FeatureOrder::new(features, growth.seed),
        spare: vec![0; rows.len()],
        rows,
        tree: DecisionTree {
            features,
            classes: ranked.classes,
            nodes: Vec::new(),
            counts: Vec::new(),
            node_class: Vec::new(),
        },
    };
    grower.run();
    grower.tree
}

/// A node still to be built: a stretch of the row list.
struct PendingNode {
    start: usize,
    end: usize,
    depth: usize,
    constants: usize,
    /// The parent whose right side this is. A left side directly follows its parent.
    right_of: Option<usize>,
}

struct Grower<'a> {
    ranked: &'a Ranked,
    growth: Growth,
    search: SplitSearch<'a>,
    order: FeatureOrder,
    rows: Vec<u32>,
    spare: Vec<u32>,
    tree: DecisionTree,
}

impl Grower<'_> {
    fn run(&mut self) {
        let mut pending = vec![PendingNode { start: 0, end: self.rows.len(), depth: 0, constants: 0, right_of: None }];
        while let Some(node) = pending.pop() {
            let id = self.add_node(&node);
            let Some((best, constants)) = self.find_split(&node, id) else { continue };
            let middle = self.partition(&node, &best);
            // The right id is filled in when that side is created.
            self.tree.nodes[id].split =
                Some(Split { feature: best.feature, threshold: best.threshold, left: id + 1, right: 0 });
            let depth = node.depth + 1;
            pending.push(PendingNode { start: middle, end: node.end, depth, constants, right_of: Some(id) });
            pending.push(PendingNode { start: node.start, end: middle, depth, constants, right_of: None });
        }
    }

    fn add_node(&mut self, node: &PendingNode) -> usize {
        let id = self.tree.nodes.len();
        if let Some(parent) = node.right_of
            && let Some(split) = &mut self.tree.nodes[parent].split
        {
            split.right = id;
        }
        let first = self.tree.counts.len();
        self.tree.counts.resize(first + self.ranked.classes, 0);
        let counts = &mut self.tree.counts[first..];
        for &row in &self.rows[node.start..node.end] {
            counts[self.ranked.labels[row as usize] as usize] += 1;
        }
        let impurity = gini(counts.iter().copied());
        let class = most_frequent(counts);
        self.tree.node_class.push(class);
        self.tree.nodes.push(TreeNode { split: None, impurity });
        id
    }

    /// The best split of a node and the number of features now known to be constant; `None` where a leaf stays a leaf.
    fn find_split(&mut self, node: &PendingNode, id: usize) -> Option<(Best, usize)> {
        let count = node.end - node.start;
        let is_final = self.growth.max_depth.is_some_and(|most| node.depth >= most)
            || count < 2
            || count < 2 * self.growth.min_leaf as usize
            || self.tree.nodes[id].impurity <= EPSILON;
        if is_final {
            return None;
        }
        let rows = &self.rows[node.start..node.end];
        let total = &self.tree.counts[id * self.ranked.classes..(id + 1) * self.ranked.classes];
        let mut best =
            Best { score: f64::NEG_INFINITY, feature: 0, threshold: 0.0, left_rank: 0, left_rows: count as u32 };
        let search = &mut self.search;
        let constants = self.order.visit(node.constants, |feature| search.try_feature(feature, rows, total, &mut best));
        let is_split = best.score > f64::NEG_INFINITY && !self.makes_worse(id, rows, &best);
        is_split.then_some((best, constants))
    }

    /// scikit-learn drops a split whose rounding makes the impurity grow by more than its epsilon.
    fn makes_worse(&self, id: usize, rows: &[u32], best: &Best) -> bool {
        let classes = self.ranked.classes;
        let total = &self.tree.counts[id * classes..(id + 1) * classes];
        let count = rows.len() as f64;
        let left_count = f64::from(best.left_rows);
        // Only a split that gains nothing can be rounded below zero; its score then equals the parent's within rounding.
        if best.score > -count * self.tree.nodes[id].impurity + count * 1e-12 {
            return false;
        }
        let mut left = vec![0u32; classes];
        for &row in rows {
            if self.goes_left(row, best) {
                left[self.ranked.labels[row as usize] as usize] += 1;
            }
        }
        let left_gini = gini(left.iter().copied());
        let right_gini = gini(total.iter().zip(&left).map(|(all, left)| all - left));
        let gain = (count / self.rows.len() as f64)
            * (self.tree.nodes[id].impurity
                - (count - left_count) / count * right_gini
                - left_count / count * left_gini);
        gain + EPSILON < 0.0
    }

    fn goes_left(&self, row: u32, best: &Best) -> bool {
        self.ranked.keys[best.feature][row as usize] >> self.ranked.class_bits <= best.left_rank
    }

    /// Moves the rows that go left to the front of the node's stretch, keeping order, and returns where the right ones start.
    fn partition(&mut self, node: &PendingNode, best: &Best) -> usize {
        let mut left = node.start;
        let mut right = 0;
        for position in node.start..node.end {
            let row = self.rows[position];
            let is_left = self.goes_left(row, best);
            // Both stores happen and only one counter moves: no branch to mispredict.
            self.rows[left] = row;
            self.spare[right] = row;
            left += usize::from(is_left);
            right += usize::from(!is_left);
        }
        self.rows[left..node.end].copy_from_slice(&self.spare[..right]);
        left
    }
}

/// The most frequent class, the lowest of several.
fn most_frequent(counts: &[u32]) -> u32 {
    let mut best = 0;
    for (class, &count) in counts.iter().enumerate() {
        if count > counts[best] {
            best = class;
        }
    }
    best as u32
}

/// Gini impurity in scikit-learn's form.
fn gini(counts: impl Iterator<Item = u32>) -> f64 {
    let (mut rows, mut squares) = (0.0, 0.0);
    for count in counts {
        rows += f64::from(count);
        squares += f64::from(count) * f64::from(count);
    }
    1.0 - squares / (rows * rows)
}

/// The order in which a node visits the features.
struct FeatureOrder {
    features: Vec<usize>,
    constant: Vec<usize>,
    state: u32,
}

impl FeatureOrder {
    fn new(count: usize, seed: u32) -> Self {
        let state = RandomState::new(seed).up_to((1 << 31) - 2);
        FeatureOrder { features: (0..count).collect(), constant: vec![0; count], state }
    }

    /// Visits the features of a node with `known` constant ones; `try_feature` says whether the feature varies.
    /// Returns the number of constant features now known.
    fn visit(&mut self, known: usize, mut try_feature: impl FnMut(usize) -> bool) -> usize {
        let mut unvisited_end = self.features.len();
        let (mut found, mut drawn) = (0, 0);
        while unvisited_end > known + found {
            let mut index = drawn + self.random() % (unvisited_end - found - drawn);
            if index < known {
                self.features.swap(drawn, index);
                drawn += 1;
                continue;
            }
            index += found;
            if try_feature(self.features[index]) {
                unvisited_end -= 1;
                self.features.swap(unvisited_end, index);
            } else {
                self.features.swap(index, known + found);
                found += 1;
            }
        }
        self.features[..known].copy_from_slice(&self.constant[..known]);
        self.constant[known..known + found].copy_from_slice(&self.features[known..known + found]);
        known + found
    }

    /// scikit-learn's 32-bit xorshift (Marsaglia 2003).
    fn random(&mut self) -> usize {
        if self.state == 0 {
            self.state = 1;
        }
        self.state ^= self.state << 13;
        self.state ^= self.state >> 17;
        self.state ^= self.state << 5;
        (self.state & 0x7fff_ffff) as usize
    }
}
