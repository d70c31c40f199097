//! The passes of the shrinker. Each walks over the best tree so far and tries candidates; the tree may change under it,
//! so positions are looked up again after every success.

use super::Shrinker;
use super::order::{compare, key};
use crate::choices::tree::{ChoiceNode, NodeKind, Op, label, span_end};
use crate::neighbour::{Editor, SHAPE};
use std::cmp::Ordering;

/// How many answers apart two numbers may be for one to give to the other.
const REACH: usize = 8;

/// How many places are tried for the answers that go when a number is lowered. Arrays with single cells have no more.
const PLACES: usize = 64;

/// How many ways to spread those answers are tried, besides the one in which they stand together.
const CUTS: usize = 4;

impl Shrinker<'_> {
    /// Deletes items of lists and rounds of loops, long runs first, from the back to the front.
    pub(super) fn delete_items(&mut self) {
        let mut group = 0;
        while group < self.sites().groups.len() {
            let len = self.sites().groups[group].len;
            let mut run = len;
            while run > 0 {
                self.delete_runs(group, run);
                // Pairs are always tried: a length that must stay odd or even can only change by two.
                run = if run == 3 { 2 } else { run / 2 };
            }
            group += 1;
        }
    }

    fn delete_runs(&mut self, group: usize, run: usize) {
        let mut end = usize::MAX;
        loop {
            let sites = self.sites();
            let Some(g) = sites.groups.get(group) else { return };
            end = end.min(g.len);
            if end < run || self.left == 0 {
                return;
            }
            let from = end - run;
            let mut editor = Editor::new(SHAPE);
            editor.delete(&sites, g, from, run);
            editor.set_length(g, g.len - run);
            let mut candidate = Vec::new();
            editor.apply(&self.best, &mut candidate);
            let is_shorter = self.try_nodes(&candidate);
            end = if is_shorter { from } else { end - 1 };
        }
    }

    /// Replaces whole spans by the simplest that they can be.
    pub(super) fn simplify_spans(&mut self) {
        let mut at = 0;
        while at < self.best.len() {
            if self.best[at].kind == NodeKind::Open {
                self.try_node(at, self.best[at].with(Op::Simple));
            }
            at += 1;
        }
    }

    /// Puts a level of a recursive domain in the place of one that contains it.
    pub(super) fn hoist_spans(&mut self) {
        let mut at = 0;
        while at < self.best.len() {
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

    /// Moves the items of a list into the list before it, so that one long list can take the place of several.
    pub(super) fn join_lists(&mut self) {
        let lists = |nodes: &[ChoiceNode]| -> Vec<usize> {
            (0..nodes.len()).filter(|&i| nodes[i].kind == NodeKind::Open && nodes[i].label == label::LIST).collect()
        };
        let mut second = 1;
        while let Some(&from) = lists(&self.best).get(second) {
            let first = lists(&self.best)[second - 1];
            let first_close = span_end(&self.best, first) - 1;
            if first_close < from {
                let end = span_end(&self.best, from) - 1;
                let items = &self.best[from + 1..end];
                let candidate =
                    [&self.best[..first_close], items, &self.best[first_close..from + 1], &self.best[end..]].concat();
                self.try_nodes(&candidate);
            }
            second += 1;
        }
    }

    /// Turns all negative numbers positive at once, if one alone would not do.
    pub(super) fn drop_signs(&mut self) {
        let without_sign = |node: &ChoiceNode| match node.kind {
            NodeKind::Signed => ChoiceNode { value: (node.value as i64).saturating_abs() as u64, ..*node },
            NodeKind::Float => ChoiceNode { value: f64::from_bits(node.value).abs().to_bits(), ..*node },
            _ => *node,
        };
        let candidate: Vec<ChoiceNode> = self.best.iter().map(without_sign).collect();
        self.try_nodes(&candidate);
    }

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
        // A property of parity or of digits fails below what halving finds: try some lower neighbours too.
        for step in 2..=4u64.min(high) {
            let Some(&node) = self.best.get(at) else { return };
            if self.try_node(at, at_magnitude(node, high - step)) {
                return self.bisect(at, high - step);
            }
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

    /// Lowers answers that are equal and of the same kind together, for failures that need them equal.
    pub(super) fn lower_together(&mut self) {
        let mut at = 0;
        while at < self.best.len() && self.left > 0 {
            let node = self.best[at];
            let is_same = |other: &ChoiceNode| other.kind == node.kind && other.value == node.value;
            let is_first = !self.best[..at].iter().any(is_same);
            if is_number(&node) && node.value != 0 && is_first && self.best.iter().filter(|n| is_same(n)).count() > 1 {
                self.lower_all(node);
            }
            at += 1;
        }
    }

    fn lower_all(&mut self, node: ChoiceNode) {
        // A fraction has no magnitude to lower but the simplest.
        let high = magnitude(&node).unwrap_or(0);
        let mut steps = vec![0, high / 2];
        steps.extend((1..=3).filter_map(|step| high.checked_sub(step)));
        for lower in steps {
            let value = at_magnitude(node, lower).value;
            let lowered = |other: &ChoiceNode| {
                let is_same = other.kind == node.kind && other.value == node.value;
                if is_same { ChoiceNode { value, ..*other } } else { *other }
            };
            let candidate: Vec<ChoiceNode> = self.best.iter().map(lowered).collect();
            if self.try_nodes(&candidate) {
                return self.lower_all(ChoiceNode { value, ..node });
            }
        }
    }

    /// Lowers a number and raises a later one by the same amount, for failures that need a sum.
    pub(super) fn redistribute(&mut self) {
        let numbers: Vec<usize> = (0..self.best.len()).filter(|&i| is_number(&self.best[i])).collect();
        for (i, &from) in numbers.iter().enumerate() {
            for &to in numbers[i + 1..].iter().take(REACH) {
                if self.left == 0 || to >= self.best.len() {
                    return;
                }
                self.give(from, to);
            }
        }
    }

    fn give(&mut self, from: usize, to: usize) {
        let (a, b) = (self.best[from], self.best[to]);
        if a.kind != b.kind || a.value == 0 {
            return;
        }
        let mut part = match a.kind {
            NodeKind::Float => f64::from_bits(a.value).abs() as u64,
            _ => magnitude(&a).unwrap_or(0),
        };
        while part > 0 && self.left > 0 {
            let (Some(&a), Some(&b)) = (self.best.get(from), self.best.get(to)) else { return };
            let is_given = shift(a, b, part).is_some_and(|(a, b)| {
                let mut candidate = self.best.clone();
                (candidate[from], candidate[to]) = (a, b);
                self.try_nodes(&candidate)
            });
            if !is_given {
                part /= 2;
            }
        }
        self.give_back(from, to);
    }

    /// Gives a number just as much of a later one as that has above its last power of ten, so that it loses a digit.
    fn give_back(&mut self, from: usize, to: usize) {
        let (Some(&a), Some(&b)) = (self.best.get(from), self.best.get(to)) else { return };
        if b.kind != NodeKind::Signed || a.kind != NodeKind::Signed {
            return;
        }
        let magnitude = (b.value as i64).unsigned_abs();
        let Some(power) = magnitude.checked_ilog10().filter(|&power| power > 0) else { return };
        if let Some((b, a)) = shift(b, a, magnitude - (10u64.pow(power) - 1)) {
            let mut candidate = self.best.clone();
            (candidate[from], candidate[to]) = (a, b);
            self.try_nodes(&candidate);
        }
    }

    /// Exchanges neighbouring items that are out of order.
    pub(super) fn sort_items(&mut self) {
        let mut group = 0;
        while group < self.sites().groups.len() && self.left > 0 {
            let len = self.sites().groups[group].len;
            for last in 1..len {
                let mut i = last;
                while i > 0 && self.exchange(group, i) {
                    i -= 1;
                }
            }
            group += 1;
        }
    }

    /// Exchanges items `i - 1` and `i` of a group if that makes the tree simpler.
    fn exchange(&mut self, group: usize, i: usize) -> bool {
        let sites = self.sites();
        let Some(g) = sites.groups.get(group).filter(|g| i < g.len) else { return false };
        let (start, middle, end) = (sites.item(g, i - 1), sites.item(g, i), sites.item(g, i + 1));
        let (first, second) = (&self.best[start..middle], &self.best[middle..end]);
        if compare(second, first) != Ordering::Less {
            return false;
        }
        let candidate = [&self.best[..start], second, first, &self.best[end..]].concat();
        self.try_nodes(&candidate)
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

fn is_level(node: &ChoiceNode) -> bool {
    node.kind == NodeKind::Open && node.label == label::LEVEL
}

fn is_number(node: &ChoiceNode) -> bool {
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

/// The number one nearer to zero; a fraction stays.
fn nearer(node: ChoiceNode) -> ChoiceNode {
    magnitude(&node).map_or(node, |far| at_magnitude(node, far.saturating_sub(1)))
}

/// Two numbers of one kind after `amount` went from the first, towards zero, to the second.
fn shift(a: ChoiceNode, b: ChoiceNode, amount: u64) -> Option<(ChoiceNode, ChoiceNode)> {
    let (x, y) = match a.kind {
        NodeKind::Float => {
            let (x, y) = (f64::from_bits(a.value), f64::from_bits(b.value));
            let amount = amount as f64 * x.signum();
            ((x - amount).to_bits(), (y + amount).to_bits())
        }
        NodeKind::Signed => {
            let (x, y) = (a.value as i64, b.value as i64);
            let amount = i64::try_from(amount).ok()?.checked_mul(x.signum())?;
            (x.checked_sub(amount)? as u64, y.checked_add(amount)? as u64)
        }
        _ => (a.value.checked_sub(amount)?, b.value.checked_add(amount)?),
    };
    Some((ChoiceNode { value: x, ..a }, ChoiceNode { value: y, ..b }))
}
