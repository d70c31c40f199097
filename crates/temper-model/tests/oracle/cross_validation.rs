//! Cross-validation of 5-NN on raw features against table 7 of Durelli et al., which prints two digits.
//!
//! The table's headings are mixed up: "Precision" and "Accuracy" are the accuracy, "Recall" is the weighted F1, and "F1" the
//! weighted precision. Folds are those of `StratifiedKFold(10, shuffle=True, random_state=42)`.

use crate::files::published_datasets;
use temper_model::judge::cross_validation::cross_validate;
use temper_model::judge::folds::stratified_folds;
use temper_model::subject::neighbours::NeighboursTrainer;

#[test]
fn cross_validation_equals_the_oracle_of_table_7() {
    let mut wrong = Vec::new();
    for (published, data) in published_datasets() {
        let folds = stratified_folds(&data.labels, 10, 42).unwrap();
        let figures = cross_validate(&mut NeighboursTrainer { neighbours: 5 }, &data, &folds).unwrap().mean();
        let found = [figures.accuracy, figures.weighted.f1, figures.accuracy, figures.weighted.precision];
        let rounded = found.map(|figure| (figure * 100.0).round() / 100.0);
        if rounded != published.cross_validation {
            wrong.push(format!("{}: {found:?}, published {:?}", published.name, published.cross_validation));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
