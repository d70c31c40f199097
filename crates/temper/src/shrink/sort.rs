//! Passes that put items and numbers in order.

use super::Shrinker;
use super::lower::is_number;
use super::order::{compare, key};
use std::cmp::Ordering;

impl Shrinker<'_> {
    /// Exchanges neighbouring items that are out of order, and neighbouring numbers.
    pub(super) fn sort_items(&mut self) {
        let mut number = 0;
        while let Some(group) = self.group(number).filter(|_| self.left > 0) {
            for last in 1..group.len {
                let mut i = last;
                while i > 0 && self.exchange(number, i) {
                    i -= 1;
                }
            }
            number += 1;
        }
        self.sort_numbers();
    }

    /// Exchanges items `i - 1` and `i` of a group if that makes the tree simpler.
    fn exchange(&mut self, number: usize, i: usize) -> bool {
        let Some(group) = self.group(number).filter(|group| i < group.len) else { return false };
        let [start, middle, end] = [i - 1, i, i + 1].map(|item| self.sites.item(&group, item));
        let (first, second) = (&self.best[start..middle], &self.best[middle..end]);
        if compare(second, first) != Ordering::Less {
            return false;
        }
        let candidate = [&self.best[..start], second, first, &self.best[end..]].concat();
        self.try_nodes(&candidate)
    }

    /// Exchanges each number with the next one of its kind, if that is simpler.
    fn sort_numbers(&mut self) {
        let mut at = 0;
        while at < self.best.len() && self.left > 0 {
            let node = self.best[at];
            let is_next = |&i: &usize| is_number(&self.best[i]);
            let next = (at + 1..self.best.len()).find(is_next).filter(|&i| self.best[i].kind == node.kind);
            if let Some(next) = next.filter(|&i| is_number(&node) && key(&self.best[i]) < key(&node)) {
                self.try_with([(at, self.best[next]), (next, node)]);
            }
            at += 1;
        }
    }
}
