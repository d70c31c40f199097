//! Spans: which answers belong together. A replay finds its place again at every span, so a change inside one span never
//! shifts the answers of another.

use super::Choices;
use super::tree::{ChoiceNode, NodeKind, Op, label, span_end};

impl Choices {
    /// Opens a span; says whether the replayed tree has one here. Every open needs its [`Choices::close`].
    ///
    /// Spans tell a replay which answers belong together. Open one around whatever asks for a varying number of answers.
    #[inline]
    pub fn open(&mut self, label: &str) -> bool {
        self.open_span(user_label(label), 0)
    }

    #[inline]
    pub(crate) fn open_span(&mut self, label: u32, flags: u64) -> bool {
        if self.reading.off == 0 && self.base.get(self.pos).is_some_and(|node| *node == ChoiceNode::open(label, flags))
        {
            self.pos += 1;
            return true;
        }
        self.open_other(label, flags)
    }

    /// Opens a span that the base does not have here just like this.
    fn open_other(&mut self, label: u32, flags: u64) -> bool {
        self.write_down();
        if self.is_recording {
            self.record.push(ChoiceNode::open(label, flags));
        }
        if self.reading.off > 0 {
            self.reading.off += 1;
            return false;
        }
        let is_entered = self.enter(label);
        self.copied = self.pos;
        is_entered
    }

    /// Whether the tree has a span with this label as its next node.
    pub(crate) fn is_before(&self, label: u32) -> bool {
        let next = self.base.get(self.pos).filter(|_| self.reading.off == 0 && !self.reading.redraw);
        next.is_some_and(|node| node.kind == NodeKind::Open && node.label == label && node.op == Op::Keep)
    }

    /// Moves into the base's span with this label, or off the base when it has none here.
    #[inline]
    fn enter(&mut self, label: u32) -> bool {
        let here = self.base.get(self.pos).is_some_and(|n| n.kind == NodeKind::Open && n.label == label);
        if !here && !self.find_ahead(label) {
            self.reading.off = 1;
            return false;
        }
        let op = self.base[self.pos].op;
        if op == Op::Fresh || op == Op::Simple {
            self.pos = span_end(&self.base, self.pos);
            self.reading.off = 1;
            self.reading.simple_part = op == Op::Simple;
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
                NodeKind::Close => return false,
                NodeKind::Open if node.label == label => {
                    self.pos = at;
                    return true;
                }
                NodeKind::Open => at = span_end(&self.base, at),
                _ => at += 1,
            }
        }
        false
    }

    /// Closes the span opened last, and passes over what the replayed tree has left in it.
    #[inline]
    pub fn close(&mut self) {
        if self.reading.off == 0 && self.base.get(self.pos).is_some_and(|node| node.kind == NodeKind::Close) {
            self.pos += 1;
            return;
        }
        self.close_other();
    }

    /// Closes a span in which the base has something left, or that it does not have.
    fn close_other(&mut self) {
        self.write_down();
        if self.is_recording {
            self.record.push(ChoiceNode::CLOSE);
        }
        if self.reading.off > 0 {
            self.reading.off -= 1;
            self.reading.simple_part &= self.reading.off > 0;
            return;
        }
        self.skip_rest();
        self.copied = self.pos;
    }

    /// Moves behind the end of the base's span.
    fn skip_rest(&mut self) {
        while let Some(node) = self.base.get(self.pos) {
            match node.kind {
                NodeKind::Close => {
                    self.pos += 1;
                    return;
                }
                NodeKind::Open => self.pos = span_end(&self.base, self.pos),
                _ => self.pos += 1,
            }
        }
    }
}

/// FNV-1a over the text, in the part of the labels that is the users'.
pub(crate) fn user_label(text: &str) -> u32 {
    let hash = text.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash | label::USER
}
