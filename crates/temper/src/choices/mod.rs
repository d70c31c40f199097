//! The source that every domain draws from. A domain asks for typed primitives inside labelled spans; the source
//! answers from its random source or from a recorded tree, and records what it answered.
//!
//! Replay follows the recorded tree as long as it fits. If it does not fit:
//! - A float outside the requested range is clamped, and an integer is while shrinking. In a search such an integer is
//!   drawn fresh, because all those beyond a smaller range would crowd at its end.
//! - An index that is too large, an answer of another kind and a missing answer are drawn fresh, or get the simplest
//!   answer while shrinking.
//! - A span that the tree does not have is drawn fresh as a whole, and what a span has too much is skipped. So a change
//!   inside one span never shifts the answers of another.

mod answers;
mod bytes;
mod counted_answers;
mod enumeration;
mod float;
mod fresh;
mod lengths;
mod list;
mod moves;
mod numbers;
mod retry;
mod spans;
pub(crate) mod spread;
mod steps;
mod swarm;
pub(crate) mod tree;
mod unchanged;

pub use bytes::DecodeError;
pub use float::{EmptyBounds, FloatBounds, Width};
pub use list::List;
pub use numbers::RecordedNumber;
pub(crate) use retry::FILTER_TRIES;
pub use retry::Mark;
pub use spread::Spread;
pub use tree::ChoiceTree;
pub use unchanged::Unchanged;

use crate::rng::Rng;
use counted_answers::Enumeration;
use swarm::Swarm;
use tree::ChoiceNode;

/// A draw was given up: a filter found no value, or a part of a domain is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no value was found that the domain's filters accept")]
pub struct Rejected;

/// Lists stop growing and recursion takes its simplest way once a tree has this many nodes. A runaway domain then
/// costs some megabytes, not the machine.
const MAX_NODES: usize = 1 << 20;

/// How many items the long lists of one value may have together before no further one begins. A list of lists is then long
/// on the outside or on the inside, and not both.
const LONG_ITEMS: usize = 1 << 12;

/// The largest length that a draw of an unbounded list has, unless the caller sets another (PropEr's size limit). Lists
/// with a bound are longer now and then, see [`Choices::begin_list`].
pub const DEFAULT_SIZE: usize = 42;

/// How the base is read at the moment.
#[derive(Clone, Copy, Debug)]
struct BaseReading {
    /// How many spans deep we are in a part that the base does not have; 0 while on the base.
    off: u32,
    /// Inside a part that is to be the simplest possible.
    simple_part: bool,
    /// Answers on the base are passed over and drawn fresh (a filter that gave up its recorded answers).
    redraw: bool,
}

/// Answers the requests of domains, from randomness or from a recorded tree, and records the answers.
#[derive(Debug)]
pub struct Choices {
    rng: Rng,
    /// The tree that is replayed, and how far it has been read.
    base: Vec<ChoiceNode>,
    pos: usize,
    reading: BaseReading,
    /// Requests without a recorded answer get the simplest one instead of a random one.
    simple_fallback: bool,
    /// What was answered, up to the base from `copied` to `pos`: that is written down when spans differ, in one piece, or
    /// never if nobody asks. An answer that differs takes the place of the one in the base. So a neighbour with few edits
    /// costs little more than reading.
    record: Vec<ChoiceNode>,
    copied: usize,
    /// How many first nodes of the base come before the record: as long as nothing else is recorded they need no copy.
    lead: usize,
    /// The nodes of the base whose answers were replaced by other ones, and where, for a part that is drawn again.
    replaced: Vec<(usize, ChoiceNode)>,
    is_recording: bool,
    /// Every answer is random and none is recorded: the requests then skip everything else.
    is_plain: bool,
    temperature: f64,
    /// The usual greatest length of fresh lists, here and outside of all recursions.
    size: usize,
    full_size: usize,
    /// The first inputs of a run grow; until then no list is long.
    is_growing: bool,
    /// How many items further long lists may have.
    long_items: usize,
    /// The length of the list that ended last: what the next one will have, more often than not.
    last_len: usize,
    /// How many levels of derived recursive domains are open.
    level: usize,
    /// How many answers did not come from the tree as they were.
    drawn: u64,
    swarm: Swarm,
    /// Which value is next, while all values of a domain are enumerated.
    enumeration: Option<Box<Enumeration>>,
}

impl Choices {
    /// A source of random answers, recording.
    pub fn random(seed: u64) -> Self {
        Choices {
            rng: Rng::new(seed),
            base: Vec::new(),
            pos: 0,
            reading: BaseReading { off: 1, simple_part: false, redraw: false },
            simple_fallback: false,
            record: Vec::new(),
            copied: 0,
            lead: 0,
            replaced: Vec::new(),
            is_recording: true,
            is_plain: false,
            temperature: 1.0,
            size: DEFAULT_SIZE,
            full_size: DEFAULT_SIZE,
            is_growing: false,
            long_items: LONG_ITEMS,
            last_len: 0,
            level: 0,
            drawn: 0,
            swarm: Swarm::default(),
            enumeration: None,
        }
    }

    /// A source that gives the answers of `tree`, and the simplest ones if it has none.
    pub fn replay(tree: &ChoiceTree) -> Self {
        let mut choices = Choices::random(0);
        choices.start_replay(&tree.nodes, true);
        choices
    }

    /// Forgets everything and answers at random from `seed`.
    pub fn start_random(&mut self, seed: u64, is_recording: bool) {
        self.start_from(Rng::new(seed), is_recording);
    }

    /// Answers at random without recording, from the present state of the random source; returns the source as it was.
    #[inline]
    pub(crate) fn start_unrecorded(&mut self) -> Rng {
        let before = self.rng.clone();
        if self.is_plain {
            // Nothing was recorded or replayed since the last such start: only what a draw may leave behind is put back.
            self.reading = BaseReading { off: 1, simple_part: false, redraw: false };
            self.level = 0;
            self.size = self.full_size;
            self.long_items = LONG_ITEMS;
            self.swarm = Swarm::default();
        } else {
            self.start_fresh(false);
        }
        before
    }

    /// Whether the last start was one without recording.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Forgets everything and answers at random from this source.
    pub(crate) fn start_from(&mut self, rng: Rng, is_recording: bool) {
        self.rng = rng;
        self.start_fresh(is_recording);
    }

    /// Forgets everything but the random source and answers at random.
    fn start_fresh(&mut self, is_recording: bool) {
        self.base.clear();
        self.restart(1, false);
        self.is_recording = is_recording;
        self.is_plain = !is_recording;
    }

    /// Forgets everything but the random source and answers from `nodes`.
    pub(crate) fn start_replay(&mut self, nodes: &[ChoiceNode], simple_fallback: bool) {
        self.base.clear();
        self.base.extend_from_slice(nodes);
        self.restart(0, simple_fallback);
    }

    /// Like [`Choices::start_replay`], from nodes that `fill` writes into the emptied base.
    pub(crate) fn start_edited(&mut self, temperature: f64, fill: impl FnOnce(&mut Vec<ChoiceNode>, &mut Rng)) {
        self.base.clear();
        fill(&mut self.base, &mut self.rng);
        self.restart(0, false);
        self.temperature = temperature;
    }

    /// Like [`Choices::start_edited`], into the last base, of which as many nodes as `same` has are put back as they are there
    /// where their answers were replaced.
    pub(crate) fn start_edited_again(
        &mut self,
        temperature: f64,
        same: &[ChoiceNode],
        fill: impl FnOnce(&mut Vec<ChoiceNode>, &mut Rng),
    ) {
        for &(at, _) in &self.replaced {
            if let Some(&node) = same.get(at) {
                self.base[at] = node;
            }
        }
        fill(&mut self.base, &mut self.rng);
        self.restart(0, false);
        self.temperature = temperature;
    }

    fn restart(&mut self, off: u32, simple_fallback: bool) {
        self.pos = 0;
        self.copied = 0;
        self.lead = 0;
        self.reading = BaseReading { off, simple_part: false, redraw: false };
        self.simple_fallback = simple_fallback;
        self.record.clear();
        self.replaced.clear();
        self.is_recording = true;
        self.is_plain = false;
        self.size = self.full_size;
        self.long_items = LONG_ITEMS;
        self.level = 0;
        self.drawn = 0;
        self.swarm = Swarm::default();
    }

    /// The answers given since the start, as a tree.
    pub fn recorded(&self) -> ChoiceTree {
        let mut tree = ChoiceTree::default();
        self.record_into(&mut tree);
        tree
    }

    /// Writes the answers given since the start into a tree, in the memory that the tree has.
    pub fn record_into(&self, tree: &mut ChoiceTree) {
        tree.nodes.clear();
        tree.nodes.extend_from_slice(&self.base[..self.lead]);
        tree.nodes.extend_from_slice(&self.record);
        if self.is_recording {
            tree.nodes.extend_from_slice(&self.base[self.copied..self.pos]);
        }
    }

    pub(crate) fn record(&mut self) -> &[ChoiceNode] {
        self.write_down();
        self.record.splice(..0, self.base[..self.lead].iter().copied());
        self.lead = 0;
        &self.record
    }

    /// The number of nodes recorded since the start.
    #[inline]
    pub(crate) fn record_len(&self) -> usize {
        self.lead + self.record.len() + (self.pos - self.copied)
    }

    /// Exchanges the recording with `other` without copying more than is needed. Returns how many first nodes of it the base
    /// had.
    pub(crate) fn swap_record(&mut self, other: &mut Vec<ChoiceNode>) -> usize {
        if !self.is_answered_in_place() {
            self.write_down();
            self.base.truncate(self.lead);
            self.base.append(&mut self.record);
        } else {
            self.lead = self.base.len();
        }
        std::mem::swap(&mut self.base, other);
        self.pos = self.base.len();
        self.copied = 0;
        std::mem::take(&mut self.lead)
    }

    /// What was given in exchange for the recording, after [`Choices::swap_record`].
    pub(crate) fn exchanged(&self) -> &[ChoiceNode] {
        &self.base
    }

    /// Whether the recording is the base with other answers, span by span.
    pub(crate) fn is_answered_in_place(&self) -> bool {
        self.is_recording && self.record.is_empty() && self.copied == self.lead && self.pos == self.base.len()
    }

    /// Whether these nodes were recorded since the start.
    pub(crate) fn has_recorded(&self, nodes: &[ChoiceNode]) -> bool {
        let equal = &self.base[self.copied..self.pos];
        nodes.len() == self.record_len()
            && nodes.starts_with(&self.base[..self.lead])
            && nodes[self.lead..].starts_with(&self.record)
            && nodes.ends_with(equal)
    }

    /// Writes down what equals the base. To be called before anything else is recorded, and before the base is left.
    #[inline]
    fn write_down(&mut self) {
        if self.copied != self.pos {
            self.write_down_read();
        }
    }

    #[inline(never)]
    fn write_down_read(&mut self) {
        if self.is_recording && self.record.is_empty() && self.copied == self.lead {
            self.lead = self.pos;
        } else if self.is_recording {
            self.record.extend_from_slice(&self.base[self.copied..self.pos]);
        }
        self.copied = self.pos;
    }

    /// Forgets what was recorded from this length on.
    fn forget_from(&mut self, len: usize) {
        self.write_down();
        self.lead = self.lead.min(len);
        self.record.truncate(len - self.lead);
    }

    /// How many answers since the start did not come from the tree as they were.
    pub(crate) fn drawn(&self) -> u64 {
        self.drawn
    }

    /// The largest length of fresh lists without their own bound.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Sets the largest length of fresh lists without their own bound, for the rest of this draw. While it is smaller
    /// than it was at the start, lists with a bound are no longer either: set it lower for what is deeper in a recursion.
    pub fn set_size(&mut self, size: usize) {
        self.size = size;
    }

    /// Sets the largest length of fresh lists without their own bound for this draw and the next ones. While the inputs
    /// of a run grow, lists with a larger bound are no longer either.
    pub(crate) fn set_full_size(&mut self, size: usize, is_growing: bool) {
        self.size = size;
        self.full_size = size;
        self.is_growing = is_growing;
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
        self.record_len() >= MAX_NODES
    }

    /// Whether requests without a recorded answer get the simplest one here.
    #[inline]
    fn is_simple(&self) -> bool {
        self.simple_fallback || self.reading.simple_part
    }

    /// Draws with the simplest answer to every request that has no recorded one.
    pub(crate) fn simplest<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> T {
        let was_simple = std::mem::replace(&mut self.reading.simple_part, true);
        let value = draw(self);
        self.reading.simple_part = was_simple;
        value
    }

    /// Draws without recording; the caller notes what is to be replayed instead.
    pub(crate) fn unrecorded<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> T {
        self.write_down();
        let was_recording = std::mem::replace(&mut self.is_recording, false);
        let value = draw(self);
        self.write_down();
        self.is_recording = was_recording;
        value
    }

    /// A number below `n`, for a part that nothing is recorded about; nothing if its answers are given. Not recorded: the
    /// caller notes what it made of it.
    pub(crate) fn fresh_below(&mut self, n: usize) -> Option<usize> {
        let is_fresh = self.reading.off > 0 && !self.is_simple() && self.enumeration.is_none();
        is_fresh.then(|| self.rng.index(n))
    }

    /// A number from 1 to `most`, for a part that nothing is recorded about: as likely in each doubling. Not recorded.
    pub(crate) fn fresh_few(&mut self, most: usize) -> usize {
        let most = most.max(1);
        (((most + 1) as f64).powf(self.rng.unit()) as usize).clamp(1, most)
    }

    /// True with this probability, for a part that nothing is recorded about.
    pub(crate) fn fresh_chance(&mut self, p: f64) -> bool {
        self.rng.chance(p)
    }

    /// Records answers as if they had been asked for.
    pub(crate) fn note(&mut self, answers: &[ChoiceNode]) {
        self.write_down();
        if self.is_recording {
            self.record.extend_from_slice(answers);
        }
    }
}

#[cfg(test)]
mod tests;
