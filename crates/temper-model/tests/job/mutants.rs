use crate::subjects::{Neighbours, corner};
use temper_model::inputs::{Criterion, InputSettings, draw_suite};
use temper_model::judge::baseline::{Baseline, BaselineOrigin};
use temper_model::judge::cross_validation::cross_validate;
use temper_model::judge::findings::{judge, run};
use temper_model::judge::folds::stratified_folds;
use temper_model::mutants::model_mutant::{
    Fate, ModelMutant, all_mutants, is_killed_by_holdout, is_killed_by_suite, kill_rates,
};
use temper_model::subject::predictor::{Predictor, Trainer, predict_classes};
use temper_model::tree::Growth;
use temper_model::tree::surrogate::{Surrogate, SurrogateKind};

#[test]
fn mutants_that_lose_a_deciding_feature_are_killed_and_harmless_ones_survive() {
    let data = corner();
    let folds = stratified_folds(&data.labels, 10, 1).unwrap();
    let crossed = cross_validate(&mut Neighbours, &data, &folds).unwrap();
    let baseline = Baseline::of(&data.labels, &crossed.predicted, BaselineOrigin::CrossValidation);
    let surrogate = Surrogate::grow(&data, &data.labels, SurrogateKind::default(), Growth::default(), 1).unwrap();
    let suite = draw_suite(&surrogate, &data, Criterion::Coverage, &InputSettings::default()).unwrap();
    let results = |model: &mut dyn Predictor| {
        let answers = run(&suite, model, &data.classes).unwrap();
        judge(&[(&suite, &answers)], &baseline, 0.05).unwrap()
    };
    let original = results(Neighbours.train(&data).unwrap().as_mut());
    let fate = |mutant: ModelMutant| {
        let mut model = mutant.train(&mut Neighbours, &data, 1).unwrap();
        let predicted = predict_classes(&mut model, &data.features, &data.classes).unwrap();
        Fate {
            mutant,
            killed_by_suite: is_killed_by_suite(&results(&mut model), &original),
            killed_by_holdout: is_killed_by_holdout(&data.labels, &predicted, &baseline, 0.05),
        }
    };
    assert!(fate(ModelMutant::ZeroedFeature(0)).killed_by_suite);
    assert!(fate(ModelMutant::WrongUnit(1, 10.0)).killed_by_suite);
    // Nothing is swapped with itself.
    assert!(!fate(ModelMutant::SwappedFeatures(0, 0)).killed_by_suite);
    assert!(!fate(ModelMutant::LessData(1.0)).killed_by_suite);
    let fates: Vec<Fate> = all_mutants(&data).into_iter().map(fate).collect();
    let (by_suite, by_holdout) = kill_rates(&fates).unwrap();
    assert!(by_suite > 0.0 && by_holdout > 0.0 && by_suite <= 1.0);
}

#[test]
fn label_noise_changes_the_share_of_labels_it_says() {
    let data = corner();
    let noisy = ModelMutant::LabelNoise(0.25).training_rows(&data, 3);
    let changed = data.labels.iter().zip(&noisy.labels).filter(|(a, b)| a != b).count();
    // Binomial with mean 100 and deviation 8.7: 52 is six deviations.
    assert!((48..=152).contains(&changed), "{changed}");
    assert_eq!(data.features, noisy.features);
}

#[test]
fn every_class_keeps_two_rows_in_a_smaller_table() {
    let data = corner();
    for mutant in [ModelMutant::LessData(0.0), ModelMutant::DroppedRegion(0)] {
        let fewer = mutant.training_rows(&data, 3);
        assert!(fewer.rows() < data.rows());
        assert!((0..2).all(|class| fewer.labels.iter().filter(|&&label| label == class).count() >= 2));
    }
}
