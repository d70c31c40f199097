//! The surrogate as a whole: a tree, its leaves, and perhaps a forest that says where to trust them.
//!
//! Durelli et al. take every leaf of one tree for the truth. On known truths about half of the failures that this reports are
//! the tree's own errors, and nearly three quarters when 5 % of the labels are wrong (`benches/model`). A forest's consent
//! removes almost all of them, at the price of testing fewer inputs.

use crate::data::dataset::Dataset;
use crate::error::ModelError;
use crate::tree::forest::Forest;
use crate::tree::leaf::{Leaf, leaves};
use crate::tree::{DecisionTree, Growth, Ranked, grow};

/// What the leaves are taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SurrogateKind {
    /// One tree on the labels, as in the paper.
    SingleTree,
    /// One tree on the labels, and bagged trees that must agree on an input.
    Forest {
        /// How many trees vote.
        trees: usize,
        /// The share of them that must give the expected class.
        consensus: f64,
    },
}

impl Default for SurrogateKind {
    /// 100 trees and 90 %, as measured in `benches/model`. A lower share keeps more inputs and more of the tree's errors.
    fn default() -> Self {
        SurrogateKind::Forest { trees: 100, consensus: 0.9 }
    }
}

/// A surrogate of the labels.
pub struct Surrogate {
    /// The tree whose leaves give the properties.
    pub tree: DecisionTree,
    /// Its leaves, in creation order.
    pub leaves: Vec<Leaf>,
    /// The leaf of each training row, as a position in `leaves`.
    pub leaf_of_row: Vec<usize>,
    /// The class of each training row that the tree was grown on.
    pub class_of_row: Vec<usize>,
    forest: Option<(Forest, f64)>,
    leaf_of_node: Vec<usize>,
}

/// How good a surrogate is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fidelity {
    /// Share of training rows to which the tree gives the class it was grown on.
    pub training_accuracy: f64,
    /// Share of training rows to which the tree gives the model's class.
    pub to_model: f64,
    /// Number of leaves.
    pub leaves: usize,
    /// Number of leaves whose class is arbitrary.
    pub tied_leaves: usize,
    /// Splits on the longest path.
    pub depth: usize,
}

impl Surrogate {
    /// Grows a surrogate on the rows with the given classes: the labels, or a model's own predictions to explain it.
    ///
    /// # Errors
    /// When the rows cannot be ranked, or a setting makes no sense.
    pub fn grow(
        data: &Dataset,
        classes: &[usize],
        kind: SurrogateKind,
        growth: Growth,
        seed: u64,
    ) -> Result<Surrogate, ModelError> {
        if let SurrogateKind::Forest { trees, consensus } = kind
            && (trees == 0 || !(0.0..=1.0).contains(&consensus))
        {
            let value = format!("{consensus} of {trees} trees");
            return Err(ModelError::Setting { setting: "consensus", value, wanted: "a share of at least one tree" });
        }
        let ranked = Ranked::new(&data.schema.splittable(&data.features), classes, data.classes.len())?;
        let tree = grow(&ranked, (0..data.rows() as u32).collect(), growth);
        let forest = match kind {
            SurrogateKind::SingleTree => None,
            SurrogateKind::Forest { trees, consensus } => Some((Forest::grow(&ranked, trees, growth, seed), consensus)),
        };
        let leaves = leaves(&tree);
        let mut leaf_of_node = vec![usize::MAX; tree.nodes().len()];
        for (index, leaf) in leaves.iter().enumerate() {
            leaf_of_node[leaf.id] = index;
        }
        let leaf_of_row = data.features.iter().map(|row| leaf_of_node[tree.leaf_of(row)]).collect();
        Ok(Surrogate { tree, leaves, leaf_of_row, class_of_row: classes.to_vec(), forest, leaf_of_node })
    }

    /// The leaf that a row falls into, as a position in `leaves`.
    pub fn leaf_of(&self, row: &[f64]) -> usize {
        self.leaf_of_node[self.tree.leaf_of(row)]
    }

    /// Whether the surrogate's word on this row may be used against a model: its leaf is not tied and the forest, if there
    /// is one, agrees.
    pub fn is_trusted(&self, row: &[f64], leaf: usize) -> bool {
        let leaf = &self.leaves[leaf];
        !leaf.is_tied && self.forest.as_ref().is_none_or(|(forest, share)| forest.agrees(row, leaf.class, *share))
    }

    /// How good the surrogate is. `predicted` are a model's classes for the training rows.
    pub fn fidelity(&self, data: &Dataset, predicted: &[usize]) -> Fidelity {
        Fidelity {
            training_accuracy: self.tree.agreement(&data.features, &self.class_of_row),
            to_model: self.tree.agreement(&data.features, predicted),
            leaves: self.leaves.len(),
            tied_leaves: self.leaves.iter().filter(|leaf| leaf.is_tied).count(),
            depth: self.tree.depth(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::read_csv;
    use crate::explain::property_text::rule_in_words;

    #[test]
    fn no_property_depends_on_a_text_that_only_tells_rows_apart() {
        // Rows from the thirtieth on are of one class, and their names would tell as much.
        let row = |row: usize| format!("guest {row},{row},{}\n", if row < 30 { "k" } else { "m" });
        let csv = format!("name,age,y\n{}", (0..60).map(row).collect::<String>());
        let data = read_csv(csv.as_bytes(), "data.csv", "y").unwrap();
        let remarks: Vec<String> = data.remarks.iter().map(ToString::to_string).collect();
        assert_eq!(remarks, ["column `name` has 60 texts, most of them in one row: no property depends on it"]);
        // Features are tried in an order that the seed decides.
        for seed in 0..5 {
            let growth = Growth { seed, ..Growth::default() };
            let surrogate = Surrogate::grow(&data, &data.labels, SurrogateKind::default(), growth, 1).unwrap();
            let rules: Vec<String> = surrogate.leaves.iter().map(|leaf| rule_in_words(leaf, &data)).collect();
            assert_eq!(rules, ["age ≤ 29 → k", "age > 29 → m"]);
            assert!(surrogate.is_trusted(&[7.0, 3.0], 0));
        }
    }
}
