//! The source that every domain draws from. A domain asks for typed primitives inside labelled spans; the source
//! answers from its random source or from a recorded tree, and records what it answered.
//!
//! Replay follows the recorded tree as long as it fits. Where it does not, the behaviour is defined:
//! a float outside the requested range is clamped, as is an integer while shrinking; in a search such an integer is drawn
//! fresh, since all those beyond a shrunk range would else crowd at its end; an index that is too large, an answer of
//! another kind and a missing answer are drawn fresh (or simplest, while shrinking); a span that the tree does not have is drawn fresh as a whole,
//! and what a span has too much is skipped. A change inside one span therefore never shifts the answers of another.

mod bytes;
mod float;
mod list;
pub(crate) mod moves;
mod numbers;
pub(crate) mod tree;

pub use bytes::DecodeError;
pub use float::{EmptyBounds, FloatBounds, Width};
pub use list::List;
pub use moves::Spread;
pub use numbers::Number;
pub use tree::ChoiceTree;

use crate::domain::{Domain, Encoder};
use crate::rng::Rng;
use tree::{Kind, Node, Op, label, span_end};

/// A draw was given up: a filter found no value, or a part of a domain is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no value was found that the domain's filters accept")]
pub struct Rejected;

/// Lists stop growing and recursion takes its simplest way once a tree has so many nodes; a runaway domain then costs
/// some megabytes, not the machine.
const MAX_NODES: usize = 1 << 20;

/// How often a filter tries again before it gives up its recorded answers, and again before it rejects.
pub(crate) const FILTER_TRIES: u32 = 50;

/// The largest length that a draw of an unbounded list has, unless the caller sets another (PropEr's size limit).
pub const DEFAULT_SIZE: usize = 42;

/// Answers the requests of domains, from randomness or from a recorded tree, and records the answers.
#[derive(Debug)]
pub struct Choices {
    rng: Rng,
    /// The tree that is replayed, and how far it has been read.
    base: Vec<Node>,
    pos: usize,
    /// How many spans deep we are in a part that the base does not have; 0 while on the base.
    off: u32,
    /// Inside a part that is to be the simplest possible.
    simple_part: bool,
    /// Answers on the base are passed over and drawn fresh (a filter that gave up its recorded answers).
    redraw: bool,
    /// Requests without a recorded answer get the simplest one instead of a random one.
    simple_fallback: bool,
    record: Vec<Node>,
    is_recording: bool,
    /// Every answer is random and none is recorded: the requests then skip everything else.
    is_plain: bool,
    temperature: f64,
    size: usize,
    /// How many levels of derived recursive domains are open.
    level: usize,
    /// How many answers did not come from the tree as they were.
    drawn: u64,
}

/// A place to which [`Choices::retry`] returns.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pos: usize,
    off: u32,
    simple_part: bool,
    redraw: bool,
    recorded: usize,
    drawn: u64,
    tries: u32,
}

impl Choices {
    /// A source of random answers, recording.
    pub fn random(seed: u64) -> Self {
        Choices {
            rng: Rng::new(seed),
            base: Vec::new(),
            pos: 0,
            off: 1,
            simple_part: false,
            redraw: false,
            simple_fallback: false,
            record: Vec::new(),
            is_recording: true,
            is_plain: false,
            temperature: 1.0,
            size: DEFAULT_SIZE,
            level: 0,
            drawn: 0,
        }
    }

    /// A source that gives the answers of `tree`, and the simplest ones where it has none.
    pub fn replay(tree: &ChoiceTree) -> Self {
        let mut choices = Choices::random(0);
        choices.start_replay(&tree.nodes, true);
        choices
    }

    /// Forgets everything and answers at random from `seed`.
    pub fn start_random(&mut self, seed: u64, is_recording: bool) {
        self.rng = Rng::new(seed);
        self.start_fresh(is_recording);
    }

    /// Answers at random without recording, from where the random source stands; returns the source as it was.
    #[inline]
    pub(crate) fn start_unrecorded(&mut self) -> Rng {
        let before = self.rng.clone();
        if self.is_plain {
            // Nothing was recorded or replayed since the last such start: only what a draw may leave behind is put back.
            self.off = 1;
            self.redraw = false;
            self.level = 0;
        } else {
            self.start_fresh(false);
        }
        before
    }

    /// Whether the last start was one without recording.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Answers at random from this source, recording.
    pub(crate) fn start_recorded(&mut self, rng: Rng) {
        self.rng = rng;
        self.start_fresh(true);
    }

    /// Forgets everything but the random source and answers at random.
    fn start_fresh(&mut self, is_recording: bool) {
        self.base.clear();
        self.restart(1, false);
        self.is_recording = is_recording;
        self.is_plain = !is_recording;
    }

    /// Forgets everything but the random source and answers from `nodes`.
    pub(crate) fn start_replay(&mut self, nodes: &[Node], simple_fallback: bool) {
        self.base.clear();
        self.base.extend_from_slice(nodes);
        self.restart(0, simple_fallback);
    }

    /// Like [`Choices::start_replay`], from nodes that `fill` writes into the emptied base.
    pub(crate) fn start_edited(&mut self, temperature: f64, fill: impl FnOnce(&mut Vec<Node>, &mut Rng)) {
        self.base.clear();
        fill(&mut self.base, &mut self.rng);
        self.restart(0, false);
        self.temperature = temperature;
    }

    fn restart(&mut self, off: u32, simple_fallback: bool) {
        self.pos = 0;
        self.off = off;
        self.simple_part = false;
        self.redraw = false;
        self.simple_fallback = simple_fallback;
        self.record.clear();
        self.is_recording = true;
        self.is_plain = false;
        self.level = 0;
        self.drawn = 0;
    }

    /// The answers given since the start, as a tree of their own.
    pub fn recorded(&self) -> ChoiceTree {
        ChoiceTree { nodes: self.record.clone() }
    }

    pub(crate) fn record(&self) -> &[Node] {
        &self.record
    }

    /// Exchanges the recording with `other` without copying.
    pub(crate) fn swap_record(&mut self, other: &mut Vec<Node>) {
        std::mem::swap(&mut self.record, other);
    }

    /// How many answers since the start did not come from the tree as they were.
    pub(crate) fn drawn(&self) -> u64 {
        self.drawn
    }

    /// The largest length of fresh lists without a bound of their own.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Sets the largest length of fresh lists without a bound of their own.
    pub fn set_size(&mut self, size: usize) {
        self.size = size;
    }

    /// The temperature of the current neighbour, in `0..=1`.
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    pub(crate) fn enter_level(&mut self) -> usize {
        self.level += 1;
        self.level
    }

    pub(crate) fn leave_level(&mut self) {
        self.level = self.level.saturating_sub(1);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.record.len() >= MAX_NODES
    }

    /// Whether requests without a recorded answer get the simplest one here.
    #[inline]
    fn is_simple(&self) -> bool {
        self.simple_fallback || self.simple_part
    }

    /// Whether a recorded integer that is or is not in its range is kept, clamped if need be.
    #[inline]
    fn keeps(&self, is_in_range: bool) -> bool {
        is_in_range || self.simple_fallback
    }

    /// The node that answers a request of this kind, if the tree has one here; `None` asks for a fresh answer.
    #[inline]
    fn take(&mut self, kind: Kind) -> Option<Node> {
        if self.off > 0 {
            return None;
        }
        let node = *self.base.get(self.pos)?;
        if node.is_answer() {
            self.pos += 1;
        }
        let fits = node.kind == kind && !self.redraw && node.op != Op::Fresh;
        fits.then_some(node)
    }

    #[inline]
    fn put(&mut self, kind: Kind, value: u64) {
        if self.is_recording {
            self.record.push(Node::answer(kind, value));
        }
    }

    /// An integer in `lo..=hi`; `lo` when the range is empty.
    #[inline]
    pub fn integer(&mut self, lo: i64, hi: i64, spread: Spread) -> i64 {
        let hi = hi.max(lo);
        if self.is_plain {
            return moves::fresh_signed(&mut self.rng, lo, hi, spread);
        }
        self.recorded_integer(lo, hi, spread)
    }

    /// Out of line, so that a draw that is not recorded stays small.
    #[inline(never)]
    fn recorded_integer(&mut self, lo: i64, hi: i64, spread: Spread) -> i64 {
        let value = match self.take(Kind::Signed) {
            Some(node) if node.op == Op::Keep && self.keeps((lo..=hi).contains(&(node.value as i64))) => {
                (node.value as i64).clamp(lo, hi)
            }
            Some(node) if node.op == Op::Move => {
                self.drawn += 1;
                moves::move_signed(&mut self.rng, node.value as i64, lo, hi, spread, self.temperature)
            }
            Some(node) if node.op == Op::Simple => moves::simplest_signed(lo, hi),
            _ if self.is_simple() => moves::simplest_signed(lo, hi),
            _ => {
                self.drawn += 1;
                moves::fresh_signed(&mut self.rng, lo, hi, spread)
            }
        };
        self.put(Kind::Signed, value as u64);
        value
    }

    /// An unsigned integer in `lo..=hi`; `lo` when the range is empty.
    #[inline]
    pub fn unsigned(&mut self, lo: u64, hi: u64, spread: Spread) -> u64 {
        let hi = hi.max(lo);
        if self.is_plain {
            return moves::fresh_unsigned(&mut self.rng, lo, hi, spread);
        }
        self.recorded_unsigned(lo, hi, spread)
    }

    /// Out of line, so that a draw that is not recorded stays small.
    #[inline(never)]
    fn recorded_unsigned(&mut self, lo: u64, hi: u64, spread: Spread) -> u64 {
        let value = match self.take(Kind::Unsigned) {
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
                moves::fresh_unsigned(&mut self.rng, lo, hi, spread)
            }
        };
        self.put(Kind::Unsigned, value);
        value
    }

    /// A float within `bounds`.
    #[inline]
    pub fn float(&mut self, bounds: &FloatBounds) -> f64 {
        if self.is_plain {
            return bounds.fresh(&mut self.rng);
        }
        let taken = self.take(Kind::Float);
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
                bounds.fresh(&mut self.rng)
            }
        };
        self.put(Kind::Float, value.to_bits());
        value
    }

    /// `true` with probability `p` when fresh; moving turns it over, and `false` is simpler.
    #[inline]
    pub fn flag(&mut self, p: f64) -> bool {
        let value = match self.take(Kind::Flag) {
            Some(node) if node.op == Op::Keep => node.value & 1 == 1,
            Some(node) if node.op == Op::Move => {
                self.drawn += 1;
                node.value & 1 == 0
            }
            Some(_) => false,
            None if self.is_simple() => false,
            None => {
                self.drawn += 1;
                self.rng.chance(p)
            }
        };
        self.put(Kind::Flag, u64::from(value));
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
        self.choose(weights.len(), |rng| {
            let mut left = rng.below(total);
            weights
                .iter()
                .position(|&w| {
                    let here = left < u64::from(w);
                    left = left.saturating_sub(u64::from(w));
                    here
                })
                .unwrap_or(0)
        })
    }

    #[inline]
    fn choose(&mut self, n: usize, fresh: impl Fn(&mut Rng) -> usize) -> usize {
        let value = match self.take(Kind::Index) {
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
                fresh(&mut self.rng)
            }
        };
        self.put(Kind::Index, value as u64);
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
        let value = match self.take(Kind::Bits) {
            Some(node) if node.op == Op::Keep => node.value,
            Some(node) if node.op == Op::Simple => 0,
            None if self.is_simple() => 0,
            _ => {
                self.drawn += 1;
                self.rng.bits()
            }
        };
        self.put(Kind::Bits, value);
        value
    }

    /// Records a float that is not drawn but given, such as the current temperature; a replay gives the recorded one.
    pub(crate) fn given(&mut self, value: f64) -> f64 {
        let value = match self.take(Kind::Float) {
            Some(node) if node.op == Op::Keep => f64::from_bits(node.value),
            _ => value,
        };
        self.put(Kind::Float, value.to_bits());
        value
    }

    /// Opens a span; says whether the replayed tree has one here. Every open needs its [`Choices::close`].
    ///
    /// Spans tell a replay which answers belong together. Open one around whatever asks for a varying number of answers.
    #[inline]
    pub fn open(&mut self, label: &str) -> bool {
        self.open_span(user_label(label), 0)
    }

    #[inline]
    pub(crate) fn open_span(&mut self, label: u32, flags: u64) -> bool {
        if self.is_recording {
            self.record.push(Node::open(label, flags));
        }
        if self.off > 0 {
            self.off += 1;
            return false;
        }
        self.enter(label)
    }

    /// Whether the tree has a span with this label as its next node.
    pub(crate) fn is_before(&self, label: u32) -> bool {
        let next = self.base.get(self.pos).filter(|_| self.off == 0 && !self.redraw);
        next.is_some_and(|node| node.kind == Kind::Open && node.label == label && node.op == Op::Keep)
    }

    /// Moves into the base's span with this label, or off the base when it has none here.
    #[inline]
    fn enter(&mut self, label: u32) -> bool {
        let here = self.base.get(self.pos).is_some_and(|n| n.kind == Kind::Open && n.label == label);
        if !here && !self.find_ahead(label) {
            self.off = 1;
            return false;
        }
        let op = self.base[self.pos].op;
        if op == Op::Fresh || op == Op::Simple {
            self.pos = span_end(&self.base, self.pos);
            self.off = 1;
            self.simple_part = op == Op::Simple;
            return false;
        }
        self.pos += 1;
        true
    }

    /// Looks for a span with this label further on in the span that is being read.
    fn find_ahead(&mut self, label: u32) -> bool {
        let mut at = self.pos;
        while let Some(node) = self.base.get(at) {
            match node.kind {
                Kind::Close => return false,
                Kind::Open if node.label == label => {
                    self.pos = at;
                    return true;
                }
                Kind::Open => at = span_end(&self.base, at),
                _ => at += 1,
            }
        }
        false
    }

    /// Closes the span opened last, and passes over what the replayed tree has left in it.
    #[inline]
    pub fn close(&mut self) {
        if self.is_recording {
            self.record.push(Node::CLOSE);
        }
        if self.off > 0 {
            self.off -= 1;
            self.simple_part &= self.off > 0;
            return;
        }
        while let Some(node) = self.base.get(self.pos) {
            match node.kind {
                Kind::Close => {
                    self.pos += 1;
                    return;
                }
                Kind::Open => self.pos = span_end(&self.base, self.pos),
                _ => self.pos += 1,
            }
        }
    }

    /// Draws from a domain in a span of its own. This is how hand-written domains use other domains.
    ///
    /// # Errors
    /// When the domain rejects.
    #[inline]
    pub fn draw<D: Domain + ?Sized>(&mut self, domain: &D) -> Result<D::Value, Rejected> {
        if domain.is_bare() {
            return domain.draw(self);
        }
        self.open_span(label::DRAW, 0);
        let value = domain.draw(self);
        self.close();
        value
    }

    /// Draws with the simplest answer to every request that has no recorded one.
    pub(crate) fn simplest<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> T {
        let was_simple = std::mem::replace(&mut self.simple_part, true);
        let value = draw(self);
        self.simple_part = was_simple;
        value
    }

    /// Draws without recording; the caller notes what is to be replayed instead.
    pub(crate) fn unrecorded<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> T {
        let was_recording = std::mem::replace(&mut self.is_recording, false);
        let value = draw(self);
        self.is_recording = was_recording;
        value
    }

    /// Records answers as if they had been asked for.
    pub(crate) fn note(&mut self, answers: &Encoder) {
        if self.is_recording {
            self.record.extend_from_slice(&answers.nodes);
        }
    }

    /// Remembers this place, for a part that may have to be drawn again.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark {
            pos: self.pos,
            off: self.off,
            simple_part: self.simple_part,
            redraw: self.redraw,
            recorded: self.record.len(),
            drawn: self.drawn,
            tries: 0,
        }
    }

    /// Forgets what was recorded since `mark` and returns there to draw that part again; `false` when trying again
    /// is of no use: the tries are used up, or no answer could be different.
    ///
    /// The first tries move the same recorded answers again; when those cannot differ or fail too often, the part is
    /// drawn fresh.
    pub fn retry(&mut self, mark: &mut Mark) -> bool {
        let was_random = self.drawn > mark.drawn;
        mark.tries += 1;
        if self.simple_fallback || (mark.off > 0 && self.simple_part) || mark.tries > 2 * FILTER_TRIES {
            return false;
        }
        if mark.off > 0 && mark.tries > FILTER_TRIES {
            return false;
        }
        self.record.truncate(mark.recorded);
        self.pos = mark.pos;
        self.off = mark.off;
        self.simple_part = mark.simple_part;
        self.redraw |= !was_random || mark.tries >= FILTER_TRIES;
        self.drawn = mark.drawn;
        true
    }

    /// Ends the retries begun at `mark`, after a draw that is kept or given up.
    #[inline]
    pub fn settle(&mut self, mark: &Mark) {
        self.redraw = mark.redraw;
    }
}

/// FNV-1a over the text, in the part of the labels that is the users'.
pub(crate) fn user_label(text: &str) -> u32 {
    let hash = text.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash | label::USER
}

#[cfg(test)]
mod tests;
