//! Laws of trees and leaves.

use crate::table::{Table, number_tables, tables};
use temper::prelude::*;
use temper_model::tree::leaf::{leaves, path};
use temper_model::tree::{DecisionTree, Growth, Ranked, grow};
use temper_model::{Dataset, Matrix};

fn tree_of(data: &Dataset, growth: Growth) -> DecisionTree {
    let ranked = Ranked::new(&data.features, &data.labels, data.classes.len()).unwrap();
    grow(&ranked, (0..data.rows() as u32).collect(), growth)
}

fn each_tree(domain: impl Domain<Value = Table>, law: impl Fn(&Dataset, &DecisionTree)) {
    forall(domain).budget(400).check(|table: &Table| {
        if let Some(data) = table.data() {
            law(&data, &tree_of(&data, Growth { seed: 3, ..Growth::default() }));
        }
    });
}

#[test]
fn every_training_row_falls_into_exactly_one_box() {
    each_tree(tables(), |data, tree| {
        let leaves = leaves(tree);
        for row in data.features.iter() {
            let inside: Vec<usize> = leaves.iter().filter(|leaf| leaf.contains(row)).map(|leaf| leaf.id).collect();
            assert_eq!(inside, [tree.leaf_of(row)]);
        }
    });
}

#[test]
fn class_counts_of_leaves_are_those_of_their_rows() {
    each_tree(tables(), |data, tree| {
        let mut counts = vec![vec![0; data.classes.len()]; tree.nodes().len()];
        for (row, &label) in data.features.iter().zip(&data.labels) {
            counts[tree.leaf_of(row)][label] += 1;
        }
        assert!(tree.leaves().all(|leaf| tree.class_counts(leaf) == counts[leaf]));
    });
}

#[test]
fn a_full_tree_is_wrong_only_about_rows_that_others_contradict() {
    each_tree(number_tables(), |data, tree| {
        for (row, &label) in data.features.iter().zip(&data.labels) {
            let same = |other: &[f64]| other.iter().zip(row).all(|(a, b)| *a as f32 == *b as f32);
            let is_contradicted = data.features.iter().zip(&data.labels).any(|(other, l)| *l != label && same(other));
            assert!(is_contradicted || tree.predict(row) == label);
        }
    });
}

#[test]
fn the_order_of_rows_does_not_change_the_tree() {
    each_tree(tables(), |data, tree| {
        let mut order: Vec<usize> = (0..data.rows()).rev().collect();
        order.rotate_left(data.rows() / 3);
        assert_eq!(*tree, tree_of(&data.select(&order), Growth { seed: 3, ..Growth::default() }));
    });
}

#[test]
fn scaling_all_columns_by_a_power_of_two_scales_the_boundaries() {
    each_tree(number_tables(), |data, tree| {
        let mut scaled = data.clone();
        for row in 0..scaled.rows() {
            scaled.features.row_mut(row).iter_mut().for_each(|value| *value *= 4.0);
        }
        let scaled = tree_of(&scaled, Growth { seed: 3, ..Growth::default() });
        let boundaries = |tree: &DecisionTree, factor: f64| -> Vec<Option<(usize, f64)>> {
            tree.nodes().iter().map(|node| node.split.map(|split| (split.feature, split.threshold * factor))).collect()
        };
        assert_eq!(boundaries(tree, 4.0), boundaries(&scaled, 1.0));
    });
}

#[test]
fn limits_of_growth_are_kept() {
    each_tree(tables(), |data, _| {
        let tree = tree_of(data, Growth { max_depth: Some(2), min_leaf: 3, seed: 1 });
        assert!(tree.depth() <= 2);
        let smallest = tree.leaves().map(|leaf| tree.class_counts(leaf).iter().sum::<u32>()).min();
        assert!(smallest >= Some(3) || tree.nodes().len() == 1);
    });
}

#[test]
fn paths_lead_to_their_nodes() {
    each_tree(tables(), |_, tree| {
        for node in 0..tree.nodes().len() {
            let last =
                path(tree, node).last().map_or(0, |step| if step.is_left { step.split.left } else { step.split.right });
            assert_eq!(last, node);
        }
    });
}

#[test]
fn a_tree_as_deep_as_it_has_rows_has_its_leaves() {
    // Classes that alternate along a feature are peeled off one row at a time.
    let mut rows = Matrix::new(1);
    (0..4000).for_each(|row| rows.push(&[f64::from(row)]));
    let labels: Vec<usize> = (0..4000).map(|row| row % 2).collect();
    let ranked = Ranked::new(&rows, &labels, 2).unwrap();
    let tree = grow(&ranked, (0..4000).collect(), Growth::default());
    assert_eq!((leaves(&tree).len(), tree.agreement(&rows, &labels)), (4000, 1.0));
    assert!(tree.depth() > 1000);
}
