//! The last pass: if few inputs are left below the best one, all of them are tried. The other passes go down step by
//! step, and counterexamples that lie far apart (years that break a rule, multiples, hashes) have no steps between them.

use super::Shrinker;
use super::lower::{at_magnitude, magnitude};
use super::order::compare;
use crate::choices::tree::{ChoiceNode, Op};

/// An answer that can be lowered: where it is, and its least and its present magnitude.
struct Free {
    at: usize,
    low: u64,
    high: u64,
}

impl Free {
    fn count(&self) -> usize {
        usize::try_from(self.high - self.low).unwrap_or(usize::MAX).saturating_add(1)
    }
}

impl Shrinker<'_> {
    /// Tries, from the simplest on, every input whose numbers lie between their simplest and their present value; only
    /// if what is left of the budget is enough for all of them. Then none of them is a simpler counterexample.
    pub(super) fn exhaust(&mut self) -> bool {
        let free = self.free_answers();
        let count = free.iter().map(Free::count).fold(1, usize::saturating_mul);
        if count > self.left {
            return false;
        }
        let mut below: Vec<Vec<ChoiceNode>> = (0..count).map(|rank| self.numbered(&free, rank)).collect();
        below.sort_unstable_by(|a, b| compare(a, b));
        below.iter().any(|answers| {
            let mut candidate = self.best.clone();
            free.iter().zip(answers).for_each(|(free, node)| candidate[free.at] = *node);
            self.try_nodes(&candidate)
        })
    }

    fn free_answers(&mut self) -> Vec<Free> {
        if self.left == 0 {
            return Vec::new();
        }
        let lowest = |node: &ChoiceNode| if node.is_answer() { node.with(Op::Simple) } else { *node };
        let simplest: Vec<ChoiceNode> = self.best.iter().map(lowest).collect();
        let floor = self.replayed(&simplest).to_vec();
        let is_alike = floor.len() == self.best.len();
        let free = self.best.iter().enumerate().filter_map(|(at, node)| {
            let high = magnitude(node)?;
            // If the simplest input has another structure, its numbers are not those of the same requests.
            let low = if is_alike { magnitude(&floor[at]).map_or(0, |low| low.min(high)) } else { 0 };
            (low < high).then_some(Free { at, low, high })
        });
        free.collect()
    }

    /// The free answers of one of the inputs below the best one, numbered from 0.
    fn numbered(&self, free: &[Free], mut rank: usize) -> Vec<ChoiceNode> {
        let one = |free: &Free| {
            let magnitude = free.low + (rank % free.count()) as u64;
            rank /= free.count();
            at_magnitude(self.best[free.at], magnitude)
        };
        free.iter().map(one).collect()
    }
}
