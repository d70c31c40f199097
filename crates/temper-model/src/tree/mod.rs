//! The surrogate: a CART decision tree with Gini impurity, equal to scikit-learn's node for node.
//!
//! Source: Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, in the form scikit-learn 1.9
//! gives it (values cast to `f32`, thresholds half-way between neighbours, ties between features decided by the order in
//! which features are visited). [`Ranked`] prepares the data once and [`grow()`] builds the tree. It fails as a description of
//! the data where splits along one feature cannot follow the truth (a diagonal border becomes a staircase) and where rows
//! with equal features carry different labels; those leaves are *tied* or impure.

pub mod forest;
mod grow;
pub mod leaf;
mod ranked;
mod split;
pub mod surrogate;

pub use grow::{Growth, grow};
pub use ranked::Ranked;

use crate::data::matrix::Matrix;

/// A split of a surrogate: values up to and including the boundary go left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// The feature that is compared.
    pub feature: usize,
    /// The boundary, between two neighbouring `f32` values of the training rows.
    pub threshold: f64,
    /// Node id of the side with `value <= threshold`.
    pub left: usize,
    /// Node id of the other side.
    pub right: usize,
}

impl Split {
    /// Whether a value goes left. It is compared as `f32`, as the learner saw it.
    pub fn goes_left(&self, value: f64) -> bool {
        f64::from(value as f32) <= self.threshold
    }
}

/// One node of a tree: a split, or a leaf when `split` is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode {
    /// The test at this node; absent in a leaf.
    pub split: Option<Split>,
    /// Gini impurity of the training rows in this node.
    pub impurity: f64,
}

/// A grown tree. Node ids are positions in creation order: a node, then its left side, then its right side.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionTree {
    features: usize,
    classes: usize,
    nodes: Vec<TreeNode>,
    counts: Vec<u32>,
    /// Each node's class, kept because predicting asks for it all the time.
    node_class: Vec<u32>,
}

impl DecisionTree {
    /// All nodes by id.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// Number of features a row has.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many training rows of each class are in a node.
    pub fn class_counts(&self, node: usize) -> &[u32] {
        &self.counts[node * self.classes..(node + 1) * self.classes]
    }

    /// Ids of the leaves, in creation order.
    pub fn leaves(&self) -> impl Iterator<Item = usize> + '_ {
        self.nodes.iter().enumerate().filter(|(_, node)| node.split.is_none()).map(|(id, _)| id)
    }

    /// The id of the leaf that a row falls into.
    pub fn leaf_of(&self, row: &[f64]) -> usize {
        let mut id = 0;
        while let Some(split) = &self.nodes[id].split {
            id = if split.goes_left(row[split.feature]) { split.left } else { split.right };
        }
        id
    }

    /// The class of a node: the most frequent one, the lowest of several.
    pub fn class_of(&self, node: usize) -> usize {
        self.node_class[node] as usize
    }

    /// Whether two classes share the first place in a node, so that its class is arbitrary.
    pub fn is_tied(&self, node: usize) -> bool {
        let counts = self.class_counts(node);
        let most = counts[self.class_of(node)];
        counts.iter().filter(|&&count| count == most).count() > 1
    }

    /// The class of the leaf that a row falls into.
    pub fn predict(&self, row: &[f64]) -> usize {
        self.class_of(self.leaf_of(row))
    }

    /// Number of splits on the longest path.
    pub fn depth(&self) -> usize {
        let mut depth = vec![0; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            if let Some(split) = &node.split {
                depth[split.left] = depth[id] + 1;
                depth[split.right] = depth[id] + 1;
            }
        }
        depth.into_iter().max().unwrap_or(0)
    }

    /// Share of rows whose class the tree gives.
    pub fn agreement(&self, rows: &Matrix, classes: &[usize]) -> f64 {
        let equal = rows.iter().zip(classes).filter(|(row, class)| self.predict(row) == **class).count();
        equal as f64 / classes.len().max(1) as f64
    }
}
