//! Trees and properties against scikit-learn 1.9.1 and the published tool's numbers, for every oracle file there is.

use crate::files::{Oracle, dataset_named, oracles, published_datasets};
use temper_model::boundary::interval_ends::{Ends, IntervalEnd, PaperRounding, column_decimals};
use temper_model::mersenne::RandomState;
use temper_model::tree::leaf::{leaves, path};
use temper_model::tree::{DecisionTree, Growth, Ranked, grow};
use temper_model::{ColumnKind, Dataset};

fn tree_of(data: &Dataset, growth: Growth) -> DecisionTree {
    let ranked = Ranked::new(&data.features, &data.labels, data.classes.len()).unwrap();
    grow(&ranked, (0..data.rows() as u32).collect(), growth)
}

fn each_oracle(mut check: impl FnMut(&Oracle, &Dataset, &DecisionTree)) {
    let mut seen = 0;
    for oracle in oracles() {
        let Some(data) = dataset_named(&oracle.dataset) else { continue };
        check(&oracle, &data, &tree_of(&data, oracle.growth));
        seen += 1;
    }
    assert!(seen > 0, "no oracle was compared");
}

#[test]
fn trees_equal_the_oracle_node_for_node() {
    each_oracle(|oracle, data, tree| {
        let name = &oracle.name;
        assert_eq!(tree.nodes().len(), oracle.nodes.len(), "{name}: nodes");
        for (id, (node, expected)) in tree.nodes().iter().zip(&oracle.nodes).enumerate() {
            let split = node.split.map(|split| (split.left, split.right, split.feature, split.threshold.to_bits()));
            let wanted =
                expected.split.map(|(left, right, feature, threshold)| (left, right, feature, threshold.to_bits()));
            assert_eq!(split, wanted, "{name}: split of node {id}");
            assert_eq!(tree.class_counts(id), expected.counts, "{name}: counts of node {id}");
            assert_eq!(node.impurity, expected.impurity, "{name}: impurity of node {id}");
        }
        assert_eq!(tree.depth(), oracle.depth, "{name}: depth");
        assert_eq!(tree.agreement(&data.features, &data.labels), oracle.training_accuracy, "{name}: training accuracy");
        let tied: Vec<usize> = tree.leaves().filter(|&leaf| tree.is_tied(leaf)).collect();
        assert_eq!(tied, oracle.tied_leaves, "{name}: tied leaves");
    });
}

#[test]
fn column_decimals_and_ends_equal_the_oracle() {
    each_oracle(|oracle, data, _| {
        let Some(decimals) = &oracle.decimals else { return };
        assert_eq!(column_decimals(&columns(data), is_whole_table(data)), *decimals, "{}: decimals", oracle.name);
        let ends: Vec<(f64, f64)> = data.schema.columns.iter().map(|column| (column.min, column.max)).collect();
        assert_eq!(ends, oracle.column_ends, "{}: column ends", oracle.name);
    });
}

#[test]
fn coverage_and_boundary_intervals_equal_the_oracle() {
    each_oracle(|oracle, data, tree| {
        if oracle.properties.is_empty() {
            return;
        }
        let decimals = column_decimals(&columns(data), is_whole_table(data));
        let chosen =
            [IntervalEnd::Lower, IntervalEnd::Upper][RandomState::like_python(oracle.growth.seed).choose_of_two()];
        let leaves = leaves(tree);
        assert_eq!(leaves.len(), oracle.properties.len(), "{}: properties", oracle.name);
        for (leaf, property) in leaves.iter().zip(&oracle.properties) {
            let place = format!("{} leaf {}", oracle.name, property.leaf);
            assert_eq!(
                (leaf.id, leaf.class, path(tree, leaf.id).count()),
                (property.leaf, property.class, property.depth),
                "{place}"
            );
            assert_eq!(leaf.intervals.len(), property.intervals.len(), "{place}");
            for (&(feature, interval), expected) in leaf.intervals.iter().zip(&property.intervals) {
                let column = &data.schema.columns[feature];
                let rounding = PaperRounding::new(decimals[feature]);
                let clean = Ends::filled(interval, column.min, column.max);
                let coverage = rounding.coverage(interval, column.min, column.max);
                let boundary = rounding.boundary(interval, coverage, chosen, oracle.percent);
                let lower = interval.lo.map(|_| clean.slice(IntervalEnd::Lower, oracle.percent));
                let upper = interval.hi.map(|_| clean.slice(IntervalEnd::Upper, oracle.percent));
                assert_eq!(feature, expected.feature, "{place}");
                assert_eq!((interval.lo.is_some(), interval.hi.is_some()), expected.from_tree, "{place} x{feature}");
                assert_eq!(clean, expected.clean, "{place} x{feature}: clean");
                assert_eq!(coverage, expected.coverage, "{place} x{feature}: coverage");
                assert_eq!(boundary, expected.boundary, "{place} x{feature}: boundary");
                assert_eq!(lower, expected.lower, "{place} x{feature}: lower slice");
                assert_eq!(upper, expected.upper, "{place} x{feature}: upper slice");
            }
        }
    });
}

#[test]
fn property_counts_equal_the_oracle_of_table_6() {
    for (published, data) in published_datasets() {
        assert_eq!(
            leaves(&tree_of(&data, Growth { seed: 42, ..Growth::default() })).len(),
            published.properties,
            "{}",
            published.name
        );
    }
}

fn columns(data: &Dataset) -> Vec<Vec<f64>> {
    (0..data.features.columns()).map(|column| data.features.column(column).collect()).collect()
}

fn is_whole_table(data: &Dataset) -> bool {
    data.schema.columns.iter().all(|column| column.kind == ColumnKind::Integer)
}
