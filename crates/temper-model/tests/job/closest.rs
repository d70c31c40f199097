use crate::subjects::{Rule, corner, truth};
use temper_model::Matrix;
use temper_model::explain::closest::closest_failure;
use temper_model::inputs::{Criterion, InputSettings, draw_suite};
use temper_model::judge::findings::run;
use temper_model::subject::predictor::Predictor;
use temper_model::tree::Growth;
use temper_model::tree::surrogate::{Surrogate, SurrogateKind};

/// Wrong where `a > 0.5` and `0.2 < b < 0.4`; `c` does not matter.
fn wrong_in_a_band(row: &[f64]) -> bool {
    truth(row[0], row[1]) || (row[0] > 0.5 && row[1] > 0.2 && row[1] < 0.4)
}

#[test]
fn the_closest_failure_differs_from_a_correct_row_only_where_it_must() {
    let data = corner();
    let surrogate = Surrogate::grow(&data, &data.labels, SurrogateKind::default(), Growth::default(), 1).unwrap();
    let suite = draw_suite(&surrogate, &data, Criterion::Coverage, &InputSettings::default()).unwrap();
    let mut model = Rule(wrong_in_a_band);
    let answers = run(&suite, &mut model, &data.classes).unwrap();
    let failing: Vec<_> = (0..suite.len())
        .filter(|&position| answers.predicted[position] != suite.expected[position])
        .map(|position| (&suite, position))
        .collect();
    let correct: Vec<bool> =
        data.features.iter().zip(&data.labels).map(|(row, l)| wrong_in_a_band(row) == (*l == 1)).collect();
    let leaf = suite.leaf[failing[0].1];
    let closest = closest_failure(&surrogate, &data, &mut model, &correct, leaf, &failing).unwrap().unwrap();
    assert_eq!((closest.expected, closest.predicted), (0, 1));
    assert_eq!(closest.differs, [1], "only `b` decides: {closest:?}");
    // Bisection ends next to the edge of the band, at 0.2 or 0.4; fewer digits may cost a tenth of the way to the row.
    let edge = (closest.input[1] - 0.2).abs().min((closest.input[1] - 0.4).abs());
    let way = (closest.input[1] - data.features.row(closest.row)[1]).abs();
    assert!(edge < way / 10.0, "{closest:?}");
    assert!(closest.input[1].to_string().len() <= 5, "{closest:?}");
    let answer = model.predict(&Matrix::from_values(3, closest.input.clone())).unwrap();
    assert_eq!(answer[0].to_string(), "1");
    assert!(correct[closest.row] && surrogate.leaves[leaf].contains(&closest.input));
}
