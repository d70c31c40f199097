//! Permutations. The record is the order itself, as positions in the given values, so that moving an item or exchanging
//! two is one edit; other records of one (random keys, the rank among those left) shift everything behind the edit.

use super::{Domain, Encoder};
use crate::choices::{Choices, List, Rejected};

/// The given values in some order; see [`permutations`].
#[derive(Clone, Debug)]
pub struct Permutations<T> {
    values: Vec<T>,
}

/// The given values in any order, all orders equally likely; the order given is the simplest. A search exchanges items and
/// moves runs of them.
///
/// ```
/// use temper::prelude::*;
/// let falls = |order: &Vec<u32>| order.windows(2).filter(|w| w[0] > w[1]).count();
/// let report = forall(permutations(0..6)).maximize(|order| falls(order) as f64).run(|order| falls(order) < 5);
/// assert_eq!(report.value(), Some(&(0..6).rev().collect()));
/// ```
pub fn permutations<T: Clone>(values: impl IntoIterator<Item = T>) -> Permutations<T> {
    Permutations { values: values.into_iter().collect() }
}

impl<T: Clone> Domain for Permutations<T> {
    type Value = Vec<T>;

    fn draw(&self, choices: &mut Choices) -> Result<Vec<T>, Rejected> {
        let len = self.values.len();
        let mut list = choices.begin_list(len, len, true);
        let order = choices.unrecorded(|choices| {
            if list.is_fresh() { shuffled(len, choices) } else { repaired(len, &mut list, choices) }
        });
        let mut answers = Encoder::default();
        order.iter().for_each(|&place| answers.index(place));
        choices.note(&answers.nodes);
        choices.end_list(list);
        Ok(order.into_iter().map(|place| self.values[place].clone()).collect())
    }
}

fn shuffled(len: usize, choices: &mut Choices) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    for i in (1..len).rev() {
        order.swap(i, choices.index(i + 1));
    }
    order
}

/// The recorded order, made one again after an edit. Answers that are new keep their places before those that are not, and
/// what is then twice gives way to what is missing: if one answer is new, two items have changed places.
fn repaired(len: usize, list: &mut List, choices: &mut Choices) -> Vec<usize> {
    let mut wanted = Vec::with_capacity(len);
    while choices.more(list) {
        let before = choices.drawn();
        let place = choices.index(len);
        wanted.push((place, choices.drawn() > before));
    }
    let mut is_used = vec![false; len];
    let mut order = vec![None; len];
    for is_new in [true, false] {
        for (i, &(place, _)) in wanted.iter().enumerate().filter(|(_, answer)| answer.1 == is_new) {
            if !std::mem::replace(&mut is_used[place], true) {
                order[i] = Some(place);
            }
        }
    }
    let mut missing = (0..len).filter(|&place| !is_used[place]);
    order.into_iter().filter_map(|place| place.or_else(|| missing.next())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::ChoiceTree;
    use crate::neighbour;
    use crate::prelude::forall;
    use std::collections::HashSet;

    #[test]
    fn every_order_is_drawn() {
        let mut choices = Choices::random(1);
        let domain = permutations([1, 2, 3, 4]);
        // 24 orders; the chance that 400 draws miss one of them is below one in a million.
        let orders: HashSet<_> = (0..400).map(|_| domain.draw(&mut choices).unwrap()).collect();
        assert_eq!(orders.len(), 24);
    }

    #[test]
    fn neighbours_are_permutations_and_often_differ_in_two_places() {
        let domain = permutations(0..20);
        let mut choices = Choices::random(1);
        let base = domain.draw(&mut choices).unwrap();
        let tree = choices.recorded();
        let mut exchanged = 0;
        for seed in 0..400 {
            let near = domain.draw(&mut neighbour::choices_near(&tree.nodes, 1.0, seed, 42)).unwrap();
            assert_eq!(near.iter().collect::<HashSet<_>>().len(), 20);
            exchanged += usize::from(near.iter().zip(&base).filter(|(a, b)| a != b).count() == 2);
        }
        // More than one neighbour in four has a single edit, and that mostly exchanges two items.
        assert!(exchanged > 80, "{exchanged} of 400");
    }

    #[test]
    fn replay_is_exact_and_the_given_order_is_the_simplest() {
        let domain = permutations("abcdef".chars());
        let mut choices = Choices::random(3);
        let drawn = domain.draw(&mut choices).unwrap();
        assert_eq!(domain.draw(&mut Choices::replay(&choices.recorded())), Ok(drawn));
        let simplest = domain.draw(&mut Choices::replay(&ChoiceTree::default())).unwrap();
        assert_eq!(simplest, "abcdef".chars().collect::<Vec<_>>());
    }

    #[test]
    fn shrinking_sorts_what_does_not_matter() {
        for seed in 0..5 {
            let report = forall(permutations(0..8)).seed(seed).run(|order| order[0] != 5);
            assert_eq!(report.value(), Some(&vec![5, 0, 1, 2, 3, 4, 6, 7]), "seed {seed}");
        }
    }

    #[test]
    fn of_no_values_there_is_one_order() {
        assert_eq!(permutations(Vec::<u8>::new()).draw(&mut Choices::random(1)), Ok(Vec::new()));
    }
}
