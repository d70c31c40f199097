//! Passes over numbers that depend on each other: equal ones, those with a fixed difference, and those with a fixed sum.

use super::Shrinker;
use super::lower::{at_magnitude, is_number, magnitude};
use crate::choices::tree::{ChoiceNode, NodeKind};

/// How many numbers apart two of them may be to be moved together, if there are many. Of few, all pairs are tried.
const REACH: usize = 8;
const FEW_NUMBERS: usize = 24;

impl Shrinker<'_> {
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

    /// Lowers answers that are equal and of the same kind together, for failures that need them equal.
    pub(super) fn lower_equal(&mut self) {
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

    /// Lowers numbers by the same amount, for failures that need a difference: all at once, and two at a time.
    pub(super) fn lower_together(&mut self) {
        self.lower_by_steps(None);
        self.for_pairs_of_numbers(|shrinker, first, second| shrinker.lower_by_steps(Some((first, second))));
    }

    /// Lowers two numbers, or all, by one or two as a trial, and if that helps by as much as it goes.
    fn lower_by_steps(&mut self, pair: Option<(usize, usize)>) {
        let Some(mut amount) = [1, 2].into_iter().find(|&amount| self.lower_by(pair, amount)) else { return };
        while self.lower_by(pair, amount * 2) {
            amount *= 2;
        }
        while amount > 0 && self.left > 0 {
            if !self.lower_by(pair, amount) {
                amount /= 2;
            }
        }
    }

    fn lower_by(&mut self, pair: Option<(usize, usize)>, amount: u64) -> bool {
        let mut candidate = self.best.clone();
        let places = match pair {
            Some((first, second)) => vec![first, second],
            None => (0..candidate.len()).filter(|&at| magnitude_of_number(&candidate[at]) > 0).collect(),
        };
        let all_lowered = places.iter().all(|&at| {
            let Some(node) = candidate.get_mut(at) else { return false };
            let sign = if node.kind == NodeKind::Signed && (node.value as i64) < 0 { -1 } else { 1 };
            lowered(*node, amount, sign).map(|lower| *node = lower).is_some()
        });
        places.len() > 1 && all_lowered && self.try_nodes(&candidate)
    }

    /// Lowers a number and raises a later one by the same amount, for failures that need a sum.
    pub(super) fn redistribute(&mut self) {
        self.for_pairs_of_numbers(Self::give);
    }

    fn give(&mut self, from: usize, to: usize) {
        let a = self.best[from];
        let all = match a.kind {
            NodeKind::Float => f64::from_bits(a.value).abs() as u64,
            _ => magnitude(&a).unwrap_or(0),
        };
        let mut part = if all > 0 && self.give_part(from, to, all) { 0 } else { all / 2 };
        // If a single unit makes no difference to the failure, larger parts have a chance.
        if part > 0 && !self.give_part(from, to, 1) && !self.give_part(from, to, part) {
            part = 0;
        }
        while part > 0 && self.left > 0 {
            if !self.give_part(from, to, part) {
                part /= 2;
            }
        }
        self.give_back(from, to);
    }

    fn give_part(&mut self, from: usize, to: usize, part: u64) -> bool {
        let (Some(&a), Some(&b)) = (self.best.get(from), self.best.get(to)) else { return false };
        shift(a, b, part).is_some_and(|(a, b)| self.try_with([(from, a), (to, b)]))
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
            self.try_with([(from, a), (to, b)]);
        }
    }

    /// Calls `change` with the places of two numbers of the same kind, for all pairs that are near enough. Numbers that
    /// became zero take part no more.
    fn for_pairs_of_numbers(&mut self, change: impl Fn(&mut Self, usize, usize)) {
        let numbers: Vec<usize> = (0..self.best.len()).filter(|&at| is_number(&self.best[at])).collect();
        let reach = if numbers.len() <= FEW_NUMBERS { FEW_NUMBERS } else { REACH };
        for (i, &first) in numbers.iter().enumerate() {
            for &second in numbers[i + 1..].iter().take(reach) {
                if self.left == 0 {
                    return;
                }
                let pair = self.best.get(first).zip(self.best.get(second));
                if pair.is_some_and(|(a, b)| a.kind == b.kind && is_number(a) && a.value != 0) {
                    change(self, first, second);
                }
            }
        }
    }
}

/// How far a number is from zero; 0 for other answers and for fractions.
fn magnitude_of_number(node: &ChoiceNode) -> u64 {
    if is_number(node) { magnitude(node).unwrap_or(0) } else { 0 }
}

/// The number less an amount, of which `sign` is the side of zero that it is on. `None` if it would cross zero.
fn lowered(node: ChoiceNode, amount: u64, sign: i64) -> Option<ChoiceNode> {
    let value = match node.kind {
        NodeKind::Float => {
            let x = f64::from_bits(node.value);
            (x.abs() >= amount as f64).then(|| (x - x.signum() * amount as f64).to_bits())?
        }
        NodeKind::Signed => {
            let amount = i64::try_from(amount).ok()?;
            let value = node.value as i64;
            (value.unsigned_abs() >= amount.unsigned_abs()).then(|| (value - sign * amount) as u64)?
        }
        _ => node.value.checked_sub(amount)?,
    };
    Some(ChoiceNode { value, ..node })
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
