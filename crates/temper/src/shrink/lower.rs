//! The pass that lowers answers one at a time, and what is known about single answers. Passes walk over the best tree so
//! far and try candidates; the tree may change under them, so places are looked up again after every success.

use super::Shrinker;
use super::order::{from_signed_key, key, signed_key};
use crate::choices::tree::{ChoiceNode, NodeKind, Op};

/// How many of the next simpler numbers are tried below the one at which halving ends: a property of parity, of digits or
/// of distinct numbers fails below it.
const LOWER_NEIGHBOURS: u64 = 8;

impl Shrinker<'_> {
    /// Lowers every answer as far as it goes.
    pub(super) fn lower_answers(&mut self) {
        let mut at = 0;
        while at < self.best.len() && self.left > 0 {
            self.lower_answer(at);
            at += 1;
        }
    }

    fn lower_answer(&mut self, at: usize) {
        let node = self.best[at];
        match node.kind {
            NodeKind::Open | NodeKind::Close | NodeKind::Hole => {}
            NodeKind::Float => self.lower_float(at),
            _ if node.value == 0 => {}
            _ if self.try_node(at, node.with(Op::Simple)) => {}
            NodeKind::Signed => self.lower_signed(at),
            _ => self.bisect(at, node.value),
        }
    }

    fn lower_signed(&mut self, at: usize) {
        let node = self.best[at];
        let value = node.value as i64;
        if value < 0 && value > i64::MIN && self.try_node(at, ChoiceNode { value: value.unsigned_abs(), ..node }) {
            return self.lower_signed(at);
        }
        self.bisect(at, value.unsigned_abs());
    }

    /// Finds, by halving, a magnitude that fails while the next lower one does not. Assumes only that `high` fails.
    fn bisect(&mut self, at: usize, mut high: u64) {
        let mut low = 0;
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            let Some(&node) = self.best.get(at) else { return };
            if self.try_node(at, at_magnitude(node, middle)) { high = middle } else { low = middle }
        }
        let Some(&node) = self.best.get(at) else { return };
        let lower = lower_neighbours(node).into_iter().find(|&lower| self.try_node(at, lower));
        if let Some(high) = lower.and_then(|lower| magnitude(&lower)) {
            self.bisect(at, high);
        }
    }

    fn lower_float(&mut self, at: usize) {
        let node = self.best[at];
        let x = f64::from_bits(node.value);
        let put = |x: f64| ChoiceNode { value: x.to_bits(), ..node };
        if x == 0.0 || self.try_node(at, node.with(Op::Simple)) {
            return;
        }
        for simple in [1.0, -1.0, x.abs(), x.round(), x.trunc(), x.trunc() + x.signum(), f64::MAX] {
            if key(&put(simple)) < key(&put(x)) && self.try_node(at, put(simple)) {
                return self.lower_float(at);
            }
        }
        match magnitude(&node) {
            Some(high) => self.bisect(at, high),
            None => self.round_fraction(at, x),
        }
    }

    /// Tries the value with fewer and fewer digits, binary and decimal, rounded to both sides.
    fn round_fraction(&mut self, at: usize, x: f64) {
        let node = self.best[at];
        let scales = [2.0, 4.0, 8.0, 10.0, 100.0, 1e3, 1e4, 1e6, 1e9];
        for scale in scales {
            for rounded in [(x * scale).round(), (x * scale).floor(), (x * scale).ceil()] {
                let candidate = ChoiceNode { value: (rounded / scale).to_bits(), ..node };
                if key(&candidate) < key(&node) && self.try_node(at, candidate) {
                    return;
                }
            }
        }
    }
}

pub(super) fn is_number(node: &ChoiceNode) -> bool {
    matches!(node.kind, NodeKind::Signed | NodeKind::Unsigned | NodeKind::Float)
}

/// How far a whole answer is from zero; `None` for fractions, numbers too large to be counted down, and spans.
pub(super) fn magnitude(node: &ChoiceNode) -> Option<u64> {
    let x = f64::from_bits(node.value);
    match node.kind {
        NodeKind::Open | NodeKind::Close | NodeKind::Hole => None,
        NodeKind::Signed => Some((node.value as i64).unsigned_abs()),
        NodeKind::Float => (x.fract() == 0.0 && x.abs() < 1e15).then_some(x.abs() as u64),
        _ => Some(node.value),
    }
}

/// The answer so far from zero, on the same side of it.
pub(super) fn at_magnitude(node: ChoiceNode, magnitude: u64) -> ChoiceNode {
    let value = match node.kind {
        NodeKind::Float if magnitude > 0 && f64::from_bits(node.value) < 0.0 => (-(magnitude as f64)).to_bits(),
        NodeKind::Float => (magnitude as f64).to_bits(),
        NodeKind::Signed if (node.value as i64) < 0 => (magnitude as i64).wrapping_neg() as u64,
        _ => magnitude,
    };
    ChoiceNode { value, ..node }
}

/// The next simpler numbers, the nearest first.
fn lower_neighbours(node: ChoiceNode) -> Vec<ChoiceNode> {
    if node.kind == NodeKind::Signed {
        let key = signed_key(node.value as i64);
        let keys = (key.saturating_sub(LOWER_NEIGHBOURS)..key).rev();
        return keys.map(|key| ChoiceNode { value: from_signed_key(key) as u64, ..node }).collect();
    }
    let Some(high) = magnitude(&node) else { return Vec::new() };
    (2..=LOWER_NEIGHBOURS.min(high) / 2).map(|step| at_magnitude(node, high - step)).collect()
}
