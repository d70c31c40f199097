//! Passes that leave out items of lists, and those that make many numbers simple at once.

use super::Shrinker;
use super::lower::is_number;
use crate::choices::tree::{ChoiceNode, Op};
use crate::neighbour::ItemGroup;

/// Runs of items are tried at every place of a list of at most this length, and at overlapping places of longer ones.
const SHORT_LIST: usize = 48;

/// Into how many parts the numbers are divided at most when they are made simple a part at a time; single numbers have
/// their own pass.
const MOST_PARTS: usize = 64;

impl Shrinker<'_> {
    /// Deletes items of lists and rounds of loops, long runs first, from the back to the front.
    pub(super) fn delete_items(&mut self) {
        let mut number = 0;
        while let Some(group) = self.group(number) {
            let mut run = group.len;
            while run > 0 && self.left > 0 {
                self.delete_runs(number, run);
                // Pairs are always tried: a length that must stay odd or even can only change by two.
                run = if run == 3 { 2 } else { run / 2 };
            }
            number += 1;
        }
    }

    fn delete_runs(&mut self, number: usize, run: usize) {
        let mut end = usize::MAX;
        while let Some(group) = self.group(number).filter(|_| self.left > 0) {
            end = end.min(group.len);
            if end < run {
                return;
            }
            let candidate = self.without(&group, end - run, run);
            let step = if group.len <= SHORT_LIST { 1 } else { (run / 2).max(1) };
            end = if self.try_nodes(&candidate) { end - run } else { end.saturating_sub(step) };
        }
    }

    /// The best tree without some items of a group; the answer that set its length is lowered.
    pub(super) fn without(&self, group: &ItemGroup, from: usize, run: usize) -> Vec<ChoiceNode> {
        let (start, end) = (self.sites.item(group, from), self.sites.item(group, from + run));
        let mut candidate = Vec::with_capacity(self.best.len());
        candidate.extend_from_slice(&self.best[..start]);
        candidate.extend_from_slice(&self.best[end..]);
        if let Some(at) = group.length_answer {
            candidate[at].value = (group.len - run) as u64;
        }
        candidate
    }

    /// Makes many numbers the simplest at once: all, then halves, quarters and so on.
    pub(super) fn simplify_numbers(&mut self) {
        let mut parts = 1;
        while parts <= MOST_PARTS && parts <= self.best.len() && self.left > 0 {
            (0..parts).for_each(|part| self.simplify_part(part, parts));
            parts *= 2;
        }
    }

    fn simplify_part(&mut self, part: usize, parts: usize) {
        let len = self.best.len();
        let mut candidate = self.best.clone();
        let mut changed = 0;
        for node in candidate[len * part / parts..len * (part + 1) / parts].iter_mut().filter(|node| is_number(node)) {
            changed += usize::from(node.value != 0);
            *node = node.with(Op::Simple);
        }
        // Single numbers have their own pass, which halves.
        if changed > 1 {
            self.try_nodes(&candidate);
        }
    }
}
