use crate::subjects::{Rule, corner, truth};
use temper_model::explain::compare::compare;
use temper_model::explain::property_text::condition_in_words;
use temper_model::tree::Growth;

#[test]
fn equal_models_do_not_differ() {
    let data = corner();
    let rule = |row: &[f64]| truth(row[0], row[1]);
    let found = compare(&mut Rule(rule), &mut Rule(rule), &data, 2, Growth::default(), 1).unwrap();
    assert_eq!((found.asked, found.differing, found.leaves.len()), (1200, 0, 0));
}

#[test]
fn a_difference_is_described_by_its_leaf() {
    let data = corner();
    let growth = Growth { max_depth: Some(3), min_leaf: 5, seed: 1 };
    let mut old = Rule(|row| truth(row[0], row[1]));
    let mut new = Rule(|row| truth(row[0], row[1]) || row[0] > 0.8);
    let found = compare(&mut old, &mut new, &data, 2, growth, 1).unwrap();
    assert_eq!(found.changes, [(0, 1, found.differing)]);
    let [leaf] = found.leaves.as_slice() else { panic!("{found:?}") };
    let words: Vec<String> = leaf
        .intervals
        .iter()
        .map(|(feature, interval)| condition_in_words(&data.schema.columns[*feature], *interval))
        .collect();
    assert!(words[0].starts_with("a > 0.79") || words[0].starts_with("a > 0.8"), "{words:?}");
    assert!(words[1].starts_with("b ≤ 0.49") || words[1].starts_with("b ≤ 0.5"), "{words:?}");
    assert_eq!(leaf.counts[1] as usize, found.differing);
}
