//! Where a recorded tree can be edited: the answers that can move, and the groups of items that can be inserted, deleted,
//! copied and moved. Found in one pass over the nodes, into buffers that are used again.

use crate::choices::tree::{ChoiceNode, NodeKind, flag, label};

/// How far back a group looks for the answer that set its length.
const LOOK_BACK: usize = 24;

/// Consecutive items of the same kind: a list, or what a loop in a hand-written domain drew.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemGroup {
    /// Index of the first item in [`Sites::items`].
    pub first: usize,
    pub len: usize,
    /// Where the last item ends.
    pub end: usize,
    pub is_resizable: bool,
    /// The label of fresh items; `None` for bare answers.
    pub item_label: Option<u32>,
    /// The answer before the group that equals its length, if the length is not free.
    pub length_answer: Option<usize>,
}

/// The places of one tree.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    /// Positions of the answers that can move.
    pub answers: Vec<usize>,
    /// Positions of the items of all groups.
    pub items: Vec<usize>,
    pub groups: Vec<ItemGroup>,
    /// Where another step can be appended, for parts with the user's own neighbours.
    pub steps: Vec<usize>,
    /// Where the spans open that are only drawn.
    pub untargeted: Vec<usize>,
    frames: Vec<OpenSpan>,
    children: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct OpenSpan {
    open: usize,
    label: u32,
    flags: u64,
    first_child: usize,
    /// How many of the children are spans.
    spans: usize,
    is_frozen: bool,
}

impl Sites {
    /// Finds the places of `nodes`, forgetting those of the last tree.
    pub fn scan(&mut self, nodes: &[ChoiceNode]) {
        self.scan_parts(nodes, true);
    }

    /// Like [`Sites::scan`], with the parts that a search does not move by itself.
    pub fn scan_all(&mut self, nodes: &[ChoiceNode]) {
        self.scan_parts(nodes, false);
    }

    fn scan_parts(&mut self, nodes: &[ChoiceNode], can_freeze: bool) {
        self.answers.clear();
        self.items.clear();
        self.groups.clear();
        self.steps.clear();
        self.untargeted.clear();
        self.frames.clear();
        self.children.clear();
        let mut is_frozen = false;
        for (at, node) in nodes.iter().enumerate() {
            match node.kind {
                NodeKind::Open => is_frozen = self.open(at, node, is_frozen) && can_freeze,
                NodeKind::Close => is_frozen = self.close(nodes, at, is_frozen),
                _ => {
                    self.children.push(at);
                    if !is_frozen {
                        self.answers.push(at);
                    }
                }
            }
        }
    }

    fn open(&mut self, at: usize, node: &ChoiceNode, is_frozen: bool) -> bool {
        self.children.push(at);
        let first_child = self.children.len();
        if let Some(parent) = self.frames.last_mut() {
            parent.spans += 1;
        }
        let (label, flags) = (node.label, node.value);
        self.frames.push(OpenSpan { open: at, label, flags, first_child, spans: 0, is_frozen });
        if is_frozen {
            return true;
        }
        if node.label == label::UNTARGETED {
            self.untargeted.push(at);
        }
        matches!(node.label, label::UNTARGETED | label::STEPPED)
    }

    fn close(&mut self, nodes: &[ChoiceNode], at: usize, is_frozen: bool) -> bool {
        let Some(frame) = self.frames.pop() else { return is_frozen };
        let is_stepped = |parent: &OpenSpan| parent.label == label::STEPPED && !parent.is_frozen;
        if frame.label == label::STEPS && self.frames.last().is_some_and(is_stepped) {
            self.steps.push(at);
        }
        if !is_frozen {
            if matches!(frame.label, label::LIST | label::STEPS) {
                self.list(nodes, &frame, at);
            } else if frame.spans > 1 {
                self.runs(nodes, &frame, at);
            }
        }
        self.children.truncate(frame.first_child);
        frame.is_frozen
    }

    fn list(&mut self, nodes: &[ChoiceNode], frame: &OpenSpan, close: usize) {
        let is_bare = frame.flags & flag::BARE != 0;
        let is_resizable = frame.flags & flag::RESIZABLE != 0;
        let len = self.children.len() - frame.first_child;
        let length_answer = if is_resizable { None } else { answer_before(nodes, frame.open, len) };
        let first = self.items.len();
        self.items.extend_from_slice(&self.children[frame.first_child..]);
        let item_label = (!is_bare).then_some(label::ITEM);
        self.groups.push(ItemGroup { first, len, end: close, is_resizable, item_label, length_answer });
    }

    /// Runs of two or more spans with the same label are taken for the rounds of a loop.
    fn runs(&mut self, nodes: &[ChoiceNode], frame: &OpenSpan, close: usize) {
        let mut at = frame.first_child;
        while at < self.children.len() {
            let start = nodes[self.children[at]];
            let same = |&&child: &&usize| nodes[child].kind == NodeKind::Open && nodes[child].label == start.label;
            let len = self.children[at..].iter().take_while(same).count();
            if len >= 2 && !matches!(start.label, label::UNTARGETED | label::STEPPED | label::LIST) {
                self.run(nodes, at, len, close);
            }
            at += len.max(1);
        }
    }

    fn run(&mut self, nodes: &[ChoiceNode], at: usize, len: usize, close: usize) {
        let first = self.items.len();
        self.items.extend_from_slice(&self.children[at..at + len]);
        let open = self.children[at];
        let end = self.children.get(at + len).copied().unwrap_or(close);
        self.groups.push(ItemGroup {
            first,
            len,
            end,
            is_resizable: true,
            item_label: Some(nodes[open].label),
            length_answer: answer_before(nodes, open, len),
        });
    }

    /// Where item `i` of a group starts; `i` may be its length.
    pub fn item(&self, group: &ItemGroup, i: usize) -> usize {
        if i >= group.len { group.end } else { self.items[group.first + i] }
    }
}

/// The nearest integer answer before `open` that equals `len`.
fn answer_before(nodes: &[ChoiceNode], open: usize, len: usize) -> Option<usize> {
    let from = open.saturating_sub(LOOK_BACK);
    (from..open).rev().find(|&at| {
        let node = nodes[at];
        matches!(node.kind, NodeKind::Signed | NodeKind::Unsigned | NodeKind::Index) && node.value == len as u64
    })
}
