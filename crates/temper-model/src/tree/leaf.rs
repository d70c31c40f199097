//! The box of a leaf: for each feature on the path, the values that lead there.
//!
//! Source: Durelli et al., "Property-based Testing for Machine Learning Models", section 4.3, with both ends exact: the lower
//! end is excluded and the upper one included, as the splits have it.

use crate::tree::{DecisionTree, Split};

/// Values above `lo` and up to `hi`. An absent end is not limited by the path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LeafInterval {
    /// Largest boundary passed to the right; excluded.
    pub lo: Option<f64>,
    /// Smallest boundary passed to the left; included.
    pub hi: Option<f64>,
}

impl LeafInterval {
    /// Whether a value lies inside.
    pub fn contains(&self, value: f64) -> bool {
        self.lo.is_none_or(|lo| value > lo) && self.hi.is_none_or(|hi| value <= hi)
    }
}

/// A split on the way to a leaf and the side taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathStep {
    /// The split.
    pub split: Split,
    /// Whether the path goes left.
    pub is_left: bool,
}

/// A leaf and its box. Its path is not kept: in a degenerate tree all paths together are as long as rows squared.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// Node id in the tree.
    pub id: usize,
    /// The class the tree gives there.
    pub class: usize,
    /// Whether that class is arbitrary because another is as frequent.
    pub is_tied: bool,
    /// Training rows of each class.
    pub counts: Vec<u32>,
    /// The features on the path in ascending order, with their intervals. All others are free.
    pub intervals: Vec<(usize, LeafInterval)>,
}

impl Leaf {
    /// The interval of a feature; unlimited when the feature is free.
    pub fn interval(&self, feature: usize) -> LeafInterval {
        let found = self.intervals.binary_search_by_key(&feature, |entry| entry.0);
        found.map_or(LeafInterval::default(), |index| self.intervals[index].1)
    }

    /// Whether a row lies in the box, compared in single precision as the tree does: a double that rounds across a boundary
    /// is where the tree puts it.
    pub fn contains(&self, row: &[f64]) -> bool {
        self.intervals.iter().all(|(feature, interval)| interval.contains(f64::from(row[*feature] as f32)))
    }

    /// Number of training rows.
    pub fn rows(&self) -> u32 {
        self.counts.iter().sum()
    }
}

/// All leaves of a tree in creation order.
pub fn leaves(tree: &DecisionTree) -> Vec<Leaf> {
    let leaf = |id: usize| Leaf {
        id,
        class: tree.class_of(id),
        is_tied: tree.is_tied(id),
        counts: tree.class_counts(id).to_vec(),
        intervals: intervals(path(tree, id)),
    };
    tree.leaves().map(leaf).collect()
}

/// The splits passed on the way to a node, from the root.
pub fn path(tree: &DecisionTree, node: usize) -> impl Iterator<Item = PathStep> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let split = tree.nodes()[at].split.filter(|_| at != node)?;
        // Ids are given in creation order, so all nodes of the left side come before the right one.
        let is_left = node < split.right;
        at = if is_left { split.left } else { split.right };
        Some(PathStep { split, is_left })
    })
}

fn intervals(path: impl Iterator<Item = PathStep>) -> Vec<(usize, LeafInterval)> {
    let mut intervals: Vec<(usize, LeafInterval)> = Vec::new();
    for step in path {
        let feature = step.split.feature;
        let index = match intervals.binary_search_by_key(&feature, |entry| entry.0) {
            Ok(index) => index,
            Err(index) => {
                intervals.insert(index, (feature, LeafInterval::default()));
                index
            }
        };
        let interval = &mut intervals[index].1;
        let threshold = step.split.threshold;
        if step.is_left {
            interval.hi = Some(interval.hi.map_or(threshold, |hi| hi.min(threshold)));
        } else {
            interval.lo = Some(interval.lo.map_or(threshold, |lo| lo.max(threshold)));
        }
    }
    intervals
}
