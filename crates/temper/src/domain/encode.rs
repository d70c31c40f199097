//! From a value back to answers, for the domains that know how: what [`Domain::neighbour`](super::Domain::neighbour)
//! moves, and how a search starts from a value that the user gives.

use super::Domain;
use crate::choices::ChoiceTree;
use crate::choices::tree::{ChoiceNode, NodeKind, flag, label};

/// Collects the answers that would make a domain draw a given value.
#[derive(Debug, Default)]
pub struct Encoder {
    pub(crate) nodes: Vec<ChoiceNode>,
}

impl Encoder {
    /// The answers collected so far, as a tree.
    pub fn finish(self) -> ChoiceTree {
        ChoiceTree { nodes: self.nodes }
    }

    /// The answer to [`Choices::integer`](crate::Choices::integer).
    pub fn integer(&mut self, value: i64) {
        self.nodes.push(ChoiceNode::answer(NodeKind::Signed, value as u64));
    }

    /// The answer to [`Choices::unsigned`](crate::Choices::unsigned).
    pub fn unsigned(&mut self, value: u64) {
        self.nodes.push(ChoiceNode::answer(NodeKind::Unsigned, value));
    }

    /// The answer to [`Choices::float`](crate::Choices::float).
    pub fn float(&mut self, value: f64) {
        self.nodes.push(ChoiceNode::answer(NodeKind::Float, value.to_bits()));
    }

    /// The answer to [`Choices::flag`](crate::Choices::flag).
    pub fn flag(&mut self, value: bool) {
        self.nodes.push(ChoiceNode::answer(NodeKind::Flag, u64::from(value)));
    }

    /// The answer to [`Choices::index`](crate::Choices::index).
    pub fn index(&mut self, value: usize) {
        self.nodes.push(ChoiceNode::answer(NodeKind::Index, value as u64));
    }

    /// The items of a list drawn with [`Choices::begin_list`](crate::Choices::begin_list).
    pub fn list<'v, D>(&mut self, item: &D, values: impl IntoIterator<Item = &'v D::Value>, is_resizable: bool) -> bool
    where
        D: Domain + ?Sized,
        D::Value: 'v,
    {
        let is_bare = item.is_bare();
        let flags = if is_resizable { flag::RESIZABLE } else { 0 } | if is_bare { flag::BARE } else { 0 };
        self.nodes.push(ChoiceNode::open(label::LIST, flags));
        for value in values {
            let is_encoded = if is_bare { item.encode(value, self) } else { self.span(label::ITEM, item, value) };
            if !is_encoded {
                return false;
            }
        }
        self.nodes.push(ChoiceNode::CLOSE);
        true
    }

    pub(crate) fn open_item(&mut self) {
        self.nodes.push(ChoiceNode::open(label::ITEM, 0));
    }

    pub(crate) fn close(&mut self) {
        self.nodes.push(ChoiceNode::CLOSE);
    }

    pub(crate) fn span<D: Domain + ?Sized>(&mut self, label: u32, domain: &D, value: &D::Value) -> bool {
        self.nodes.push(ChoiceNode::open(label, 0));
        let is_encoded = domain.encode(value, self);
        self.nodes.push(ChoiceNode::CLOSE);
        is_encoded
    }
}
