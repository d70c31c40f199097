use crate::subjects::{Rule, corner, truth};
use temper_model::baseline::{Baseline, Origin};
use temper_model::findings::{LeafResult, judge, run};
use temper_model::inputs::{Criterion, Settings, draw_suite};
use temper_model::surrogate::{Kind, Surrogate};
use temper_model::tree::Growth;
use temper_model::words::property_in_words;

fn results(model: fn(&[f64]) -> bool) -> Vec<(String, LeafResult)> {
    let data = corner();
    let surrogate = Surrogate::grow(&data, &data.labels, Kind::default(), Growth::default(), 1).unwrap();
    let baseline = Baseline { errors: 4, rows: 400, origin: Origin::Holdout };
    let suites = [Criterion::Coverage, Criterion::Boundary]
        .map(|criterion| draw_suite(&surrogate, &data, criterion, &Settings::default()).unwrap());
    let runs = suites.each_ref().map(|suite| run(suite, &mut Rule(model), &data.classes).unwrap());
    let judged = judge(&[(&suites[0], &runs[0]), (&suites[1], &runs[1])], &baseline, 0.05).unwrap();
    let words = |result: &LeafResult| property_in_words(&surrogate.leaves[result.leaf], &data);
    judged.into_iter().map(|result| (words(&result), result)).collect()
}

#[test]
fn a_model_that_follows_the_truth_has_no_findings() {
    let results = results(|row| truth(row[0], row[1]));
    assert!(results.len() >= 3);
    assert!(results.iter().all(|(_, result)| !result.is_finding && result.inputs > 0));
}

#[test]
fn the_leaf_that_a_model_gets_wrong_is_the_finding() {
    let results = results(|row| row[1] > 0.5);
    let found: Vec<&(String, LeafResult)> = results.iter().filter(|(_, result)| result.is_finding).collect();
    let [(words, result)] = found.as_slice() else { panic!("{results:?}") };
    assert_eq!(words, "a ≤ 0.5 and b > 0.5 → 0 (100 of 100 rows)");
    assert!(result.failures == result.failing.len() && result.failures * 10 > result.inputs * 9);
    assert!(result.pass_rate.high < 0.2 && result.p_value < 1e-10);
}
