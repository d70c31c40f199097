//! Several utilities at once. Which of two inputs is better is decided by all changes together, each measured by the losses
//! that are usual for its utility. Inputs that none other beats in everything are kept (a Pareto archive), and a climb that
//! does not rise goes on from another of them, or with more weight on one of the utilities.

use super::acceptance::Acceptance;
use crate::choices::tree::ChoiceNode;
use crate::rng::Rng;
use std::cmp::Ordering;

/// The most inputs that are kept. More of them would each be climbed from too rarely.
const MOST_MEMBERS: usize = 24;

/// What the utility in focus counts, compared with each of the others.
const FOCUS: f64 = 8.0;

/// An input with its utilities.
#[derive(Clone, Debug, Default)]
pub(super) struct Rated {
    pub utilities: Vec<f64>,
    pub tree: Vec<ChoiceNode>,
}

/// How the utilities of two inputs compare; nothing if each is better in something.
fn compare(a: &[f64], b: &[f64]) -> Option<Ordering> {
    let pairs = (0..a.len().max(b.len())).map(|i| at(a, i).total_cmp(&at(b, i)));
    pairs.into_iter().try_fold(Ordering::Equal, |all, one| match (all, one) {
        (Ordering::Equal, one) => Some(one),
        (all, one) if one == all || one == Ordering::Equal => Some(all),
        _ => None,
    })
}

/// A utility that was not told is worse than all others.
fn at(utilities: &[f64], i: usize) -> f64 {
    utilities.get(i).copied().filter(|utility| !utility.is_nan()).unwrap_or(f64::NEG_INFINITY)
}

/// Inputs of which none beats another in everything.
#[derive(Debug, Default)]
pub(super) struct Archive {
    members: Vec<Rated>,
}

impl Archive {
    /// Whether an input with these utilities would be kept: no member is as good in everything.
    pub fn wants(&self, utilities: &[f64]) -> bool {
        let is_beaten =
            |member: &Rated| matches!(compare(utilities, &member.utilities), Some(Ordering::Less | Ordering::Equal));
        !self.members.iter().any(is_beaten)
    }

    /// Keeps an input that is wanted, in place of those that it beats.
    pub fn keep(&mut self, utilities: &[f64], tree: &[ChoiceNode], rng: &mut Rng) {
        self.members.retain(|member| compare(&member.utilities, utilities) != Some(Ordering::Less));
        if self.members.len() == MOST_MEMBERS {
            self.members.swap_remove(rng.index(MOST_MEMBERS));
        }
        self.members.push(Rated { utilities: utilities.to_vec(), tree: tree.to_vec() });
    }

    /// One of the members.
    pub fn pick(&self, rng: &mut Rng) -> Option<&Rated> {
        if self.members.is_empty() { None } else { Some(&self.members[rng.index(self.members.len())]) }
    }
}

/// The state of a search with several utilities, apart from what it has in common with any search.
#[derive(Debug, Default)]
pub(super) struct Front {
    /// The utilities of the current input.
    pub current: Vec<f64>,
    /// What the present climb reached, and what all of them did.
    pub climbed: Archive,
    pub best: Archive,
    scales: Vec<Acceptance>,
    focus: Option<usize>,
}

impl Front {
    /// Chooses at random whether all utilities count the same, or which of them counts more.
    pub fn turn_focus(&mut self, rng: &mut Rng) {
        let chosen = rng.index(2 * self.current.len().max(1));
        self.focus = (chosen < self.current.len()).then_some(chosen);
    }

    /// How much better an input is than the current one, in losses of the usual size.
    pub fn change(&mut self, utilities: &[f64]) -> f64 {
        let count = utilities.len().max(self.current.len());
        self.scales.resize_with(count, Acceptance::new);
        let changes = (0..count).map(|i| {
            let change = difference(at(utilities, i), at(&self.current, i));
            self.scales[i].learn(change);
            let weight = if self.focus == Some(i) { FOCUS } else { 1.0 };
            weight * self.scales[i].in_usual_losses(change)
        });
        let sum: f64 = changes.sum();
        // Gained and lost without limit: what is lost counts.
        if sum.is_nan() { f64::NEG_INFINITY } else { sum }
    }
}

/// The difference of two utilities; two that were not told are equal.
fn difference(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { a - b }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::NEG_INFINITY;

    #[test]
    fn what_was_not_told_is_worst_and_each_may_be_better_in_something() {
        assert_eq!(compare(&[1.0, 2.0], &[1.0, 2.0]), Some(Ordering::Equal));
        assert_eq!(compare(&[1.0, 3.0], &[1.0, 2.0]), Some(Ordering::Greater));
        assert_eq!(compare(&[1.0], &[1.0, 2.0]), Some(Ordering::Less));
        assert_eq!(compare(&[f64::NAN], &[NONE]), Some(Ordering::Equal));
        assert_eq!(compare(&[2.0, 1.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn an_archive_keeps_what_nothing_beats() {
        let (mut archive, mut rng) = (Archive::default(), Rng::new(1));
        for utilities in [[1.0, 5.0], [5.0, 1.0], [0.0, 0.0], [1.0, 5.0], [2.0, 6.0], [5.0, 0.0]] {
            if archive.wants(&utilities) {
                archive.keep(&utilities, &[], &mut rng);
            }
        }
        let kept: Vec<_> = archive.members.iter().map(|member| member.utilities.clone()).collect();
        assert_eq!(kept, [[5.0, 1.0], [2.0, 6.0]]);
    }

    #[test]
    fn changes_count_by_the_losses_that_are_usual_for_each_utility() {
        let mut front = Front { current: vec![0.0, 0.0], ..Front::default() };
        (0..50).for_each(|_| assert!(front.change(&[-1000.0, -0.001]) < 0.0));
        assert!(front.change(&[-1000.0, 0.01]) > 0.0);
        assert!(front.change(&[100.0, -0.01]) < 0.0);
        assert_eq!(front.change(&[1.0, NONE]), NONE);
        assert_eq!(Front { current: vec![1.0, NONE], ..Front::default() }.change(&[1.0]), 0.0);
    }
}
