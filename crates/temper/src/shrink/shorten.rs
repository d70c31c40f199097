//! The pass over numbers that decide how many answers follow, such as the sides of an array.

use super::lower::{at_magnitude, is_number, magnitude};
use super::{Shrinker, hash};
use crate::choices::tree::{ChoiceNode, Op};

/// How many places are tried for the answers that go when a number is lowered. Arrays with single cells have no more.
const PLACES: usize = 64;

/// How many ways to spread those answers are tried, apart from the one in which they stand together.
const CUTS: usize = 4;

impl Shrinker<'_> {
    /// Lowers a number that decides how many answers follow, such as a side of an array, and leaves out others than the
    /// last of them: the answer that matters may be the last.
    pub(super) fn shorten(&mut self) {
        let mut at = 0;
        while at < self.best.len() && self.left > 0 {
            let mut is_shorter = is_number(&self.best[at]) && self.best[at].value != 0;
            while is_shorter {
                let node = self.best[at];
                is_shorter = self.shorten_to(at, node.with(Op::Simple)) || self.shorten_to(at, nearer(node));
            }
            at += 1;
        }
    }

    fn shorten_to(&mut self, at: usize, lower: ChoiceNode) -> bool {
        if self.left == 0 {
            return false;
        }
        let mut lowered = self.best.clone();
        lowered[at] = lower;
        // What was replayed here before has not changed: the answer decides nothing about those that follow.
        if !self.seen.insert(!hash(&lowered)) {
            return false;
        }
        let before = magnitude(&self.best[at]).unwrap_or(0);
        let replayed = self.replayed(&lowered);
        let after = replayed.get(at).and_then(magnitude).unwrap_or(0);
        let spare = lowered.len().saturating_sub(replayed.len());
        spare > 0 && cuts(before, after, spare).any(|cut| self.cut(&lowered, at, &cut))
    }

    /// Makes a cut at the first place behind `at` where what is left fails.
    fn cut(&mut self, lowered: &[ChoiceNode], at: usize, cut: &Cut) -> bool {
        let places = (at + 1..=lowered.len().saturating_sub(cut.reach())).take(PLACES);
        places.filter(|&from| lowered[from..from + cut.reach()].iter().all(is_number)).any(|from| {
            let candidate: Vec<ChoiceNode> =
                (0..lowered.len()).filter(|&i| i < from || !cut.contains(i - from)).map(|i| lowered[i]).collect();
            self.try_nodes(&candidate)
        })
    }
}

/// Which answers go when a side of an array is lowered: runs of equal length at equal distances, as the cells of a column
/// lie in a table that is told row by row. A single run is a row.
struct Cut {
    run: usize,
    period: usize,
    runs: usize,
}

impl Cut {
    /// How many answers there are from the first to the last that goes.
    fn reach(&self) -> usize {
        (self.runs - 1) * self.period + self.run
    }

    fn contains(&self, i: usize) -> bool {
        i < self.reach() && i % self.period < self.run
    }
}

/// The cuts by which `spare` answers may go when a side is lowered from `before` to `after`, the single run first.
fn cuts(before: u64, after: u64, spare: usize) -> impl Iterator<Item = Cut> {
    let (side, lost) = (before as usize, before.saturating_sub(after) as usize);
    let parts = if lost > 0 && spare.is_multiple_of(lost) { spare / lost } else { 1 };
    let whole = std::iter::once(Cut { run: spare, period: spare, runs: 1 });
    let split = (2..=parts).filter(move |&runs| parts.is_multiple_of(runs)).map(move |runs| {
        let cells = parts / runs;
        Cut { run: lost * cells, period: side.saturating_mul(cells), runs }
    });
    whole.chain(split.take(CUTS))
}

/// The number one nearer to zero; a fraction stays.
fn nearer(node: ChoiceNode) -> ChoiceNode {
    magnitude(&node).map_or(node, |far| at_magnitude(node, far.saturating_sub(1)))
}
