//! Laws of drawn inputs.

use crate::table::{Table, number_tables, tables};
use temper::choices::Width;
use temper::prelude::*;
use temper_model::boundary::interval_ends::IntervalEnd;
use temper_model::inputs::{
    BoxFill, Criterion, InputMode, InputSettings, InputSuite, Inputs, LeafSampling, draw_suite,
};
use temper_model::tree::Growth;
use temper_model::tree::surrogate::{Surrogate, SurrogateKind};
use temper_model::{Cell, ColumnKind, Dataset};

const CRITERIA: [Criterion; 2] = [Criterion::Coverage, Criterion::Boundary];

fn clean_settings() -> impl Iterator<Item = InputSettings> {
    let samplings = [LeafSampling::Local, LeafSampling::Box];
    let fills = [BoxFill::Global, BoxFill::Class];
    let widths = [Width::F32, Width::F64];
    samplings.into_iter().flat_map(move |sampling| {
        fills.into_iter().flat_map(move |fill| {
            widths.into_iter().map(move |reads| InputSettings {
                mode: InputMode::Clean(sampling),
                fill,
                reads,
                draws: 7,
                seed: 5,
                ..InputSettings::default()
            })
        })
    })
}

fn each_suite(kind: SurrogateKind, tests: usize, law: impl Fn(&Dataset, &Surrogate, &InputSuite, &InputSettings)) {
    forall(tables()).budget(tests).check(|table: &Table| {
        let Some(data) = table.data() else { return };
        let surrogate = Surrogate::grow(&data, &data.labels, kind, Growth::default(), 1).unwrap();
        for settings in clean_settings() {
            for criterion in CRITERIA {
                let suite = draw_suite(&surrogate, &data, criterion, &settings).unwrap();
                law(&data, &surrogate, &suite, &settings);
            }
        }
    });
}

#[test]
fn every_input_lies_in_the_box_of_its_leaf() {
    each_suite(SurrogateKind::SingleTree, 150, |_, surrogate, suite, _| {
        for (position, row) in suite.rows.iter().enumerate() {
            let leaf = suite.leaf[position];
            assert!(surrogate.leaves[leaf].contains(row), "{row:?} {:?}", surrogate.leaves[leaf]);
            assert_eq!(surrogate.leaf_of(row), leaf);
            assert_eq!(surrogate.leaves[leaf].class, suite.expected[position]);
        }
    });
}

#[test]
fn coverage_inputs_and_slices_test_the_leaf_they_were_drawn_for() {
    each_suite(SurrogateKind::SingleTree, 100, |_, surrogate, suite, settings| {
        for (position, source) in
            suite.source.iter().enumerate().filter(|(_, source)| source.draw < 10 * settings.draws)
        {
            let (row, leaf) = (suite.rows.row(position), &surrogate.leaves[source.leaf]);
            assert_eq!(source.leaf, suite.leaf[position], "{row:?} {leaf:?} {settings:?}");
            // Not only as the surrogate compares, in single precision, but to the last bit.
            assert!(leaf.intervals.iter().all(|(feature, interval)| interval.contains(row[*feature])));
        }
    });
}

#[test]
fn every_leaf_is_covered_unless_it_is_tied() {
    each_suite(SurrogateKind::SingleTree, 100, |_, surrogate, suite, settings| {
        if suite.source.first().is_some_and(|source| source.criterion == Criterion::Coverage) {
            for (index, leaf) in surrogate.leaves.iter().enumerate() {
                let inputs = suite.leaf.iter().filter(|&&other| other == index).count();
                assert_eq!(inputs, if leaf.is_tied { 0 } else { settings.draws });
            }
        }
    });
}

#[test]
fn every_cell_is_one_that_its_column_can_hold() {
    each_suite(SurrogateKind::SingleTree, 150, |data, _, suite, settings| {
        for row in suite.rows.iter() {
            for (column, &value) in data.schema.columns.iter().zip(row) {
                if column.cell(value) == Cell::Missing {
                    assert_eq!(column.missing, Some(value), "{}", column.name);
                    continue;
                }
                // In single precision the observed ends are rounded.
                let (min, max) = (settings.reads.round(column.min), settings.reads.round(column.max));
                assert!((min.min(column.min)..=max.max(column.max)).contains(&value), "{}: {value}", column.name);
                assert!(column.kind == ColumnKind::Float || value.fract() == 0.0, "{}: {value}", column.name);
            }
        }
    });
}

#[test]
fn a_forest_only_takes_inputs_away() {
    let forest = SurrogateKind::Forest { trees: 11, consensus: 0.9 };
    each_suite(forest, 40, |_, surrogate, suite, _| {
        assert!(suite.len() <= suite.drawn);
        for (row, &leaf) in suite.rows.iter().zip(&suite.leaf) {
            assert!(surrogate.is_trusted(row, leaf));
        }
    });
}

#[test]
fn one_seed_gives_one_suite_and_another_seed_another() {
    forall(number_tables()).budget(60).check(|table: &Table| {
        let Some(data) = table.data() else { return };
        let kind = SurrogateKind::Forest { trees: 5, consensus: 0.5 };
        let draw = |seed: u64| {
            let surrogate = Surrogate::grow(&data, &data.labels, kind, Growth::default(), seed).unwrap();
            draw_suite(&surrogate, &data, Criterion::Coverage, &InputSettings { seed, ..InputSettings::default() })
                .unwrap()
        };
        let suite = draw(1);
        assert_eq!(suite, draw(1));
        let varies = data.schema.columns.iter().any(|column| column.kind == ColumnKind::Float);
        assert!(suite.is_empty() || !varies || suite.rows != draw(2).rows);
    });
}

#[test]
fn every_input_can_be_drawn_again_alone() {
    each_suite(SurrogateKind::SingleTree, 60, |data, surrogate, suite, settings| {
        let inputs = Inputs::new(surrogate, data, settings).unwrap();
        for (row, &source) in suite.rows.iter().zip(&suite.source) {
            assert_eq!(inputs.redraw(source).as_deref(), Some(row));
        }
    });
}

#[test]
fn paper_inputs_have_the_class_of_their_leaf_and_stay_in_the_table() {
    forall(number_tables()).budget(150).check(|table: &Table| {
        let Some(data) = table.data() else { return };
        let surrogate = Surrogate::grow(&data, &data.labels, SurrogateKind::SingleTree, Growth::default(), 1).unwrap();
        let mode = InputMode::Paper { free_values: 10, chosen: IntervalEnd::Lower };
        let settings = InputSettings { mode, draws: 9, ..InputSettings::default() };
        let inputs = Inputs::new(&surrogate, &data, &settings).unwrap();
        for criterion in CRITERIA {
            let suite = inputs.suite(criterion);
            assert_eq!(suite.len() + 9 * suite.untested.len(), 9 * surrogate.leaves.len());
            for (position, row) in suite.rows.iter().enumerate() {
                assert_eq!(suite.expected[position], surrogate.leaves[suite.leaf[position]].class);
                assert_eq!(inputs.redraw(suite.source[position]).as_deref(), Some(row));
                for (column, &value) in data.schema.columns.iter().zip(row) {
                    assert!((column.min..=column.max).contains(&value));
                }
            }
        }
    });
}
