//! Folds for cross-validation, equal to scikit-learn's `StratifiedKFold(count, shuffle=True, random_state=seed)`.
//!
//! Each fold gets its share of every class. Published figures can be reproduced only on the same folds.

use crate::error::ModelError;
use crate::mersenne::RandomState;

/// The fold of each row, when every class is spread over `count` folds.
///
/// # Errors
/// When `count` is below 2 or above the number of rows.
pub fn stratified_folds(labels: &[usize], count: usize, seed: u32) -> Result<Vec<usize>, ModelError> {
    if count < 2 || count > labels.len() {
        let value = format!("{count} with {} rows", labels.len());
        return Err(ModelError::Setting {
            setting: "folds",
            value,
            wanted: "at least 2 and at most the number of rows",
        });
    }
    let classes = by_first_appearance(labels);
    let mut sorted = classes.clone();
    sorted.sort_unstable();
    let mut random = RandomState::new(seed);
    let mut folds = vec![0; labels.len()];
    for class in 0..=sorted.last().copied().unwrap_or(0) {
        // Every `count`-th row of the sorted list goes to one fold, which spreads the remainders evenly.
        let mut places: Vec<usize> = (0..count)
            .flat_map(|fold| {
                let share = sorted[fold..].iter().step_by(count).filter(|&&other| other == class).count();
                std::iter::repeat_n(fold, share)
            })
            .collect();
        random.shuffle(&mut places);
        let rows = (0..labels.len()).filter(|&row| classes[row] == class);
        for (row, fold) in rows.zip(places) {
            folds[row] = fold;
        }
    }
    Ok(folds)
}

/// Classes renumbered in the order in which they first occur.
fn by_first_appearance(labels: &[usize]) -> Vec<usize> {
    let mut numbers = std::collections::HashMap::new();
    labels
        .iter()
        .map(|&label| {
            let next = numbers.len();
            *numbers.entry(label).or_insert(next)
        })
        .collect()
}

/// Rows outside and inside a fold.
pub fn split_fold(folds: &[usize], fold: usize) -> (Vec<usize>, Vec<usize>) {
    (0..folds.len()).partition(|&row| folds[row] != fold)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Folds from scikit-learn 1.9.1 StratifiedKFold(3, shuffle=True, random_state=42).
    #[test]
    fn folds_equal_the_oracle_of_scikit_learn() {
        let labels = [2, 1, 2, 0, 1, 2, 0, 1, 2, 2, 2, 0, 2, 0, 0, 0, 0, 2, 2, 0];
        assert_eq!(
            stratified_folds(&labels, 3, 42).unwrap(),
            [2, 1, 0, 0, 0, 1, 0, 2, 0, 2, 0, 2, 1, 1, 1, 1, 2, 1, 2, 0]
        );
    }

    #[test]
    fn fold_counts_that_make_no_sense_are_refused() {
        assert!(stratified_folds(&[0, 1, 0], 1, 0).is_err());
        assert!(stratified_folds(&[0, 1, 0], 4, 0).is_err());
    }

    #[test]
    fn every_fold_has_its_share_of_every_class() {
        let labels: Vec<usize> = (0..103).map(|row| usize::from(row % 5 == 0)).collect();
        let folds = stratified_folds(&labels, 10, 7).unwrap();
        for class in 0..2 {
            let counts = (0..10).map(|fold| (0..103).filter(|&row| folds[row] == fold && labels[row] == class).count());
            let (least, most) =
                counts.fold((usize::MAX, 0), |(least, most), count| (least.min(count), most.max(count)));
            assert!(most - least <= 1);
        }
    }
}
