use crate::subjects::{Neighbours, Rule, corner, truth};
use temper_model::assess::{Assessment, GrownOn, ModelOptions, assess};
use temper_model::explain::property_text::property_in_words;
use temper_model::judge::baseline::{Baseline, BaselineOrigin};
use temper_model::judge::cross_validation::cross_validate;
use temper_model::judge::folds::stratified_folds;
use temper_model::judge::suite_totals::totals;

fn assessed(model: fn(&[f64]) -> bool) -> Assessment {
    let baseline = Baseline { errors: 4, rows: 400, origin: BaselineOrigin::Holdout };
    assess(&corner(), &mut Rule(model), &baseline, &ModelOptions::default(), &mut |_| {}).unwrap()
}

#[test]
fn a_model_that_follows_the_truth_has_no_findings() {
    let assessment = assessed(|row| truth(row[0], row[1]));
    assert!(assessment.findings.is_empty());
    assert_eq!(assessment.leaves_covered(), 1.0);
    assert_eq!((assessment.fidelity.training_accuracy, assessment.fidelity.to_model), (1.0, 1.0));
}

#[test]
fn the_leaf_that_a_model_gets_wrong_is_the_finding() {
    let assessment = assessed(|row| row[1] > 0.5);
    let [finding] = assessment.findings.as_slice() else { panic!("{:?}", assessment.findings) };
    let result = &finding.result;
    assert_eq!(finding.property, "a ≤ 0.5 and b > 0.5 → 0 (100 of 100 rows)");
    assert!(result.failures == result.failing.len() && result.failures * 10 > result.inputs * 9);
    assert!(result.pass_rate.high < 0.2 && result.p_value < 1e-10);
    // The model gets no row of this leaf right, so the nearest row of its class is one of another leaf, beyond the split on `b`.
    let closest = finding.closest.as_ref().unwrap();
    assert_eq!((closest.expected, closest.predicted, closest.differs.as_slice()), (0, 1, &[1][..]));
    assert!(corner().features.row(closest.row)[1] < 0.5, "{closest:?}");
}

#[test]
fn a_surrogate_of_the_model_explains_it_instead_of_judging_it() {
    let baseline = Baseline { errors: 4, rows: 400, origin: BaselineOrigin::Holdout };
    let options = ModelOptions { grown_on: GrownOn::Predictions, ..ModelOptions::default() };
    let assessment = assess(&corner(), &mut Rule(|row| row[1] > 0.5), &baseline, &options, &mut |_| {}).unwrap();
    assert!(assessment.findings.is_empty());
    let words: Vec<String> =
        assessment.surrogate.leaves.iter().map(|leaf| property_in_words(leaf, &corner())).collect();
    assert_eq!(words, ["b ≤ 0.5 → 0 (200 of 200 rows)", "b > 0.5 → 1 (200 of 200 rows)"]);
}

#[test]
fn totals_are_means_over_the_models_of_the_folds() {
    let data = corner();
    let assessment = assessed(|row| truth(row[0], row[1]));
    let folds = stratified_folds(&data.labels, 10, 1).unwrap();
    let mut crossed = cross_validate(&mut Neighbours, &data, &folds).unwrap();
    let found = totals(&mut crossed, &assessment.coverage.0, &assessment.boundary.0, &data.classes).unwrap();
    assert_eq!(found.cross_validation, crossed.mean());
    for figures in [found.coverage, found.boundary, found.cross_validation] {
        assert!(figures.accuracy > 0.8 && figures.accuracy <= 1.0, "{figures:?}");
    }
}
