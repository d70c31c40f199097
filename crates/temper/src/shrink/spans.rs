//! Passes over spans: parts are replaced by simpler ones, by what they contain, or moved to another list.

use super::Shrinker;
use super::order::is_simpler;
use crate::choices::tree::{ChoiceNode, NodeKind, Op, label, span_end};

/// Items are moved and parts exchanged between all pairs of at most this many spans, and else between neighbouring ones.
const FEW_SPANS: usize = 12;

impl Shrinker<'_> {
    /// Replaces whole spans by the simplest that they can be.
    pub(super) fn simplify_spans(&mut self) {
        let mut at = 0;
        while at < self.best.len() && self.left > 0 {
            if self.best[at].kind == NodeKind::Open {
                self.try_node(at, self.best[at].with(Op::Simple));
            }
            at += 1;
        }
    }

    /// Puts a level of a recursive domain in the place of one that contains it.
    pub(super) fn hoist_spans(&mut self) {
        let mut at = 0;
        while at < self.best.len() && self.left > 0 {
            if is_level(&self.best[at]) {
                while self.hoist(at) {}
            }
            at += 1;
        }
    }

    fn hoist(&mut self, at: usize) -> bool {
        let end = span_end(&self.best, at);
        let inner: Vec<usize> = (at + 1..end).filter(|&i| is_level(&self.best[i])).collect();
        inner.into_iter().any(|from| {
            let to = span_end(&self.best, from);
            let candidate = [&self.best[..at], &self.best[from..to], &self.best[end..]].concat();
            self.try_nodes(&candidate)
        })
    }

    /// Moves the items of one list into another, so that one long list can take the place of several.
    pub(super) fn move_items(&mut self) {
        self.for_pairs(label::LIST, |shrinker, first, second| {
            shrinker.move_all(first, second) || shrinker.move_all(second, first)
        });
    }

    /// Moves all items of the list at `from` to the end of the list at `to`. If the list was an item itself, it goes.
    fn move_all(&mut self, from: usize, to: usize) -> bool {
        let (from_end, to_close) = (span_end(&self.best, from), span_end(&self.best, to) - 1);
        if from_end == from + 2 {
            return false;
        }
        let nodes = &self.best;
        let items = nodes[from + 1..from_end - 1].to_vec();
        let is_item = from > 0 && nodes[from - 1].kind == NodeKind::Open && nodes[from - 1].label == label::ITEM;
        let rests = [(from + 1, from_end - 1), (from.saturating_sub(1), from_end + 1)];
        let candidates = rests.into_iter().take(1 + usize::from(is_item)).rev().map(|(start, end)| {
            if to < from {
                [&nodes[..to_close], &items, &nodes[to_close..start], &nodes[end..]].concat()
            } else {
                [&nodes[..start], &nodes[end..to_close], &items, &nodes[to_close..]].concat()
            }
        });
        let candidates: Vec<Vec<ChoiceNode>> = candidates.collect();
        candidates.iter().any(|candidate| self.try_nodes(candidate))
    }

    /// Exchanges two lists, or two levels of a recursion.
    pub(super) fn exchange_spans(&mut self) {
        for label in [label::LIST, label::LEVEL] {
            self.for_pairs(label, |shrinker, first, second| {
                let (first_end, second_end) = (span_end(&shrinker.best, first), span_end(&shrinker.best, second));
                let nodes = &shrinker.best;
                let candidate = [
                    &nodes[..first],
                    &nodes[second..second_end],
                    &nodes[first_end..second],
                    &nodes[first..first_end],
                    &nodes[second_end..],
                ]
                .concat();
                is_simpler(&candidate, nodes) && shrinker.try_nodes(&candidate)
            });
        }
    }

    /// Calls `change` for pairs of spans with this label of which none contains the other, with their places.
    fn for_pairs(&mut self, label: u32, change: impl Fn(&mut Self, usize, usize) -> bool) {
        let mut first = 0;
        while first < self.spans(label).len() && self.left > 0 {
            let mut second = first + 1;
            loop {
                let spans = self.spans(label);
                let reach = if spans.len() <= FEW_SPANS { FEW_SPANS } else { 1 };
                let Some(&b) = spans.get(second).filter(|_| second <= first + reach && self.left > 0) else { break };
                let a = spans[first];
                if span_end(&self.best, a) <= b {
                    change(self, a, b);
                }
                second += 1;
            }
            first += 1;
        }
    }

    fn spans(&self, label: u32) -> Vec<usize> {
        let is_span = |&at: &usize| self.best[at].kind == NodeKind::Open && self.best[at].label == label;
        (0..self.best.len()).filter(is_span).collect()
    }
}

fn is_level(node: &ChoiceNode) -> bool {
    node.kind == NodeKind::Open && node.label == label::LEVEL
}
