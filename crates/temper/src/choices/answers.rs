//! Answers to requests: one recorded answer becomes the answer to a new request. It is kept if it still fits, clamped,
//! moved by the temperature, or drawn fresh.

use super::tree::{ChoiceNode, NodeKind, Op};
use super::{Choices, FloatBounds, Spread, moves, spread};
use crate::rng::Rng;

impl Choices {
    /// Whether a recorded integer that is or is not in its range is kept, clamped if need be.
    #[inline]
    fn keeps(&self, is_in_range: bool) -> bool {
        is_in_range || self.simple_fallback
    }

    /// The recorded answer to a request of this kind, if it is to be given as it is. The caller checks that it fits and
    /// moves on.
    #[inline(always)]
    fn kept(&self, kind: NodeKind) -> Option<u64> {
        if (self.reading.off | u32::from(self.reading.redraw)) != 0 {
            return None;
        }
        let node = self.base.get(self.pos)?;
        node.is_kept(kind).then_some(node.value)
    }

    /// The node that answers a request of this kind, if the tree has one here; `None` asks for a fresh answer. The answer
    /// that is given has to be [`put`](Choices::put) into the record.
    #[inline]
    fn take(&self, kind: NodeKind) -> Option<ChoiceNode> {
        if self.reading.off > 0 {
            return None;
        }
        let node = *self.base.get(self.pos)?;
        let fits = node.kind == kind && !self.reading.redraw && node.op != Op::Fresh;
        fits.then_some(node)
    }

    /// Gives an answer: in place of the one that the base has here, of whatever kind, or else at the end of the record.
    #[inline]
    fn put(&mut self, kind: NodeKind, value: u64) {
        let answer = ChoiceNode::answer(kind, value);
        if self.reading.off == 0
            && let Some(node) = self.base.get_mut(self.pos)
            && node.is_answer()
        {
            self.replaced.push((self.pos, *node));
            *node = answer;
            self.pos += 1;
            return;
        }
        self.write_down();
        if self.is_recording {
            self.record.push(answer);
        }
    }

    /// An integer in `lo..=hi`; `lo` when the range is empty.
    #[inline(always)]
    pub fn integer(&mut self, lo: i64, hi: i64, spread: Spread) -> i64 {
        let hi = hi.max(lo);
        if self.is_plain {
            return spread::fresh_signed(&mut self.rng, lo, hi, spread);
        }
        if let Some(value) = self.kept(NodeKind::Signed)
            && (lo..=hi).contains(&(value as i64))
        {
            self.pos += 1;
            return value as i64;
        }
        self.recorded_integer(lo, hi, spread)
    }

    /// Out of line, so that a draw that is not recorded stays small.
    #[inline(never)]
    fn recorded_integer(&mut self, lo: i64, hi: i64, spread: Spread) -> i64 {
        let value = match self.take(NodeKind::Signed) {
            Some(node) if node.op == Op::Keep && self.keeps((lo..=hi).contains(&(node.value as i64))) => {
                (node.value as i64).clamp(lo, hi)
            }
            Some(node) if node.op == Op::Move => {
                self.drawn += 1;
                moves::move_signed(&mut self.rng, node.value as i64, lo, hi, spread, self.temperature)
            }
            Some(node) if node.op == Op::Simple => spread::simplest_signed(lo, hi),
            _ if self.is_simple() => spread::simplest_signed(lo, hi),
            _ => {
                self.drawn += 1;
                self.fresh_signed(lo, hi, spread)
            }
        };
        self.put(NodeKind::Signed, value as u64);
        value
    }

    /// An unsigned integer in `lo..=hi`; `lo` when the range is empty.
    #[inline]
    pub fn unsigned(&mut self, lo: u64, hi: u64, spread: Spread) -> u64 {
        let hi = hi.max(lo);
        if self.is_plain {
            return spread::fresh_unsigned(&mut self.rng, lo, hi, spread);
        }
        if let Some(value) = self.kept(NodeKind::Unsigned)
            && (lo..=hi).contains(&value)
        {
            self.pos += 1;
            return value;
        }
        self.recorded_unsigned(lo, hi, spread)
    }

    /// Out of line, so that a draw that is not recorded stays small.
    #[inline(never)]
    fn recorded_unsigned(&mut self, lo: u64, hi: u64, spread: Spread) -> u64 {
        let value = match self.take(NodeKind::Unsigned) {
            Some(node) if node.op == Op::Keep && self.keeps((lo..=hi).contains(&node.value)) => {
                node.value.clamp(lo, hi)
            }
            Some(node) if node.op == Op::Move => {
                self.drawn += 1;
                moves::move_unsigned(&mut self.rng, node.value, lo, hi, spread, self.temperature)
            }
            Some(node) if node.op == Op::Simple => lo,
            _ if self.is_simple() => lo,
            _ => {
                self.drawn += 1;
                self.fresh_unsigned(lo, hi, spread)
            }
        };
        self.put(NodeKind::Unsigned, value);
        value
    }

    /// A float within `bounds`.
    #[inline]
    pub fn float(&mut self, bounds: &FloatBounds) -> f64 {
        if self.is_plain {
            return bounds.fresh(&mut self.rng);
        }
        if let Some(value) = self.kept(NodeKind::Float)
            && bounds.fit(f64::from_bits(value)).is_some_and(|fitting| fitting.to_bits() == value)
        {
            self.pos += 1;
            return f64::from_bits(value);
        }
        self.recorded_float(bounds)
    }

    /// Out of line, so that a draw that is not recorded stays small.
    #[inline(never)]
    fn recorded_float(&mut self, bounds: &FloatBounds) -> f64 {
        let taken = self.take(NodeKind::Float);
        let kept = taken.and_then(|node| match node.op {
            Op::Keep => bounds.fit(f64::from_bits(node.value)),
            Op::Simple => Some(bounds.simplest()),
            _ => None,
        });
        let value = match (kept, taken) {
            (Some(value), _) => value,
            (None, Some(node)) if node.op == Op::Move => {
                self.drawn += 1;
                bounds.neighbour(&mut self.rng, f64::from_bits(node.value), self.temperature)
            }
            _ if self.is_simple() => bounds.simplest(),
            _ => {
                self.drawn += 1;
                self.enumerated_float(bounds).unwrap_or_else(|| bounds.fresh(&mut self.rng))
            }
        };
        self.put(NodeKind::Float, value.to_bits());
        value
    }

    /// `true` with probability `p` when fresh; moving turns it over, and `false` is simpler.
    #[inline]
    pub fn flag(&mut self, p: f64) -> bool {
        if let Some(value @ 0..=1) = self.kept(NodeKind::Flag) {
            self.pos += 1;
            return value == 1;
        }
        let value = match self.take(NodeKind::Flag) {
            Some(node) if node.op == Op::Keep => node.value & 1 == 1,
            Some(node) if node.op == Op::Move => {
                self.drawn += 1;
                node.value & 1 == 0
            }
            Some(_) => false,
            None if self.is_simple() => false,
            None => {
                self.drawn += 1;
                self.fresh_flag(p)
            }
        };
        self.put(NodeKind::Flag, u64::from(value));
        value
    }

    /// One of `n` alternatives, each equally likely; the first is the simplest. 0 when `n` is 0.
    #[inline]
    pub fn index(&mut self, n: usize) -> usize {
        self.choose(n, |rng| rng.index(n))
    }

    /// One of the alternatives, as likely as its weight says; the first is the simplest. 0 when all weights are 0.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let total: u64 = weights.iter().map(|&w| u64::from(w)).sum();
        let chosen = self.choose(weights.len(), |rng| {
            let mut left = rng.below(total);
            weights
                .iter()
                .position(|&w| {
                    let here = left < u64::from(w);
                    left = left.saturating_sub(u64::from(w));
                    here
                })
                .unwrap_or(0)
        });
        if total > 0 && weights.get(chosen) == Some(&0) {
            self.leave_out();
        }
        chosen
    }

    #[inline]
    fn fresh_signed(&mut self, lo: i64, hi: i64, spread: Spread) -> i64 {
        if self.enumeration.is_some()
            && let Some(value) = self.enumerated_signed(lo, hi)
        {
            return value;
        }
        spread::fresh_signed(&mut self.rng, lo, hi, spread)
    }

    fn fresh_unsigned(&mut self, lo: u64, hi: u64, spread: Spread) -> u64 {
        match self.enumerated((hi - lo).saturating_add(1)) {
            Some(rank) => lo + rank,
            None => spread::fresh_unsigned(&mut self.rng, lo, hi, spread),
        }
    }

    fn fresh_flag(&mut self, p: f64) -> bool {
        let Some(rank) = self.enumerated(2) else { return self.rng.chance(p) };
        let is_possible = if rank == 1 { p > 0.0 } else { p < 1.0 };
        if !is_possible {
            self.leave_out();
        }
        rank == 1
    }

    #[inline]
    fn choose(&mut self, n: usize, fresh: impl Fn(&mut Rng) -> usize) -> usize {
        if let Some(value) = self.kept(NodeKind::Index).filter(|&value| (value as usize) < n) {
            self.pos += 1;
            return value as usize;
        }
        let value = match self.take(NodeKind::Index) {
            Some(node) if node.op == Op::Keep && (node.value as usize) < n => node.value as usize,
            Some(node) if node.op == Op::Move => {
                self.drawn += 1;
                let base = (node.value as usize).min(n.saturating_sub(1));
                self.moved_index(base, n, fresh)
            }
            Some(node) if node.op == Op::Simple => 0,
            _ if self.is_simple() => 0,
            _ => {
                self.drawn += 1;
                match self.enumerated(n.max(1) as u64) {
                    Some(rank) => rank as usize,
                    None if self.swarm.is_step_next => self.preferred(fresh),
                    None => fresh(&mut self.rng),
                }
            }
        };
        self.put(NodeKind::Index, value as u64);
        value
    }

    /// Another alternative, by the weights of a fresh draw; after some tries that only gave the base, any other.
    fn moved_index(&mut self, base: usize, n: usize, fresh: impl Fn(&mut Rng) -> usize) -> usize {
        let other = (0..4).map(|_| fresh(&mut self.rng)).find(|&i| i != base);
        other.unwrap_or_else(|| moves::move_index(&mut self.rng, base, n))
    }

    /// 64 random bits, such as the seed of something drawn elsewhere; 0 is the simplest.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let value = match self.take(NodeKind::Bits) {
            Some(node) if node.op == Op::Keep => node.value,
            Some(node) if node.op == Op::Simple => 0,
            None if self.is_simple() => 0,
            _ => {
                self.drawn += 1;
                self.enumerated(u64::MAX).unwrap_or_else(|| self.rng.bits())
            }
        };
        self.put(NodeKind::Bits, value);
        value
    }

    /// Records a float that is not drawn but given, such as the current temperature; a replay gives the recorded one.
    pub(crate) fn given(&mut self, value: f64) -> f64 {
        let value = match self.take(NodeKind::Float) {
            Some(node) if node.op == Op::Keep => f64::from_bits(node.value),
            _ => value,
        };
        self.put(NodeKind::Float, value.to_bits());
        value
    }
}
