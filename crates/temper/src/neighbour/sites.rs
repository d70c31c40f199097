//! Where a recorded tree can be edited: the answers that can move, and the groups of items that can be inserted, deleted,
//! copied and moved. Found in one pass over the nodes, into buffers that are used again.

use crate::choices::tree::{ChoiceNode, NodeKind, flag, label};

/// Items of at most this many answers are noted without opening them.
const SHORT: usize = 8;

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
    /// What a loop in a hand-written domain drew, and no list.
    pub is_run: bool,
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
    /// How many nodes the tree had.
    nodes: usize,
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

    /// Like [`Sites::scan`], after [`Sites::scan`] of `last`. If the two differ only in their answers, as after most moves,
    /// the places are the same.
    pub fn scan_again(&mut self, nodes: &[ChoiceNode], last: &[ChoiceNode]) {
        if !self.has_same_places(nodes, last) {
            self.scan(nodes);
        }
    }

    /// Whether another tree with the same spans may have other places: what sets the length of a group is found by its value.
    pub fn depend_on_answers(&self) -> bool {
        let is_free = |group: &ItemGroup| group.is_resizable && group.length_answer.is_none() && !group.is_run;
        !self.groups.iter().all(is_free)
    }

    fn has_same_places(&self, nodes: &[ChoiceNode], last: &[ChoiceNode]) -> bool {
        let is_same = |(a, b): (&ChoiceNode, &ChoiceNode)| {
            a.kind == b.kind && a.label == b.label && (a.kind != NodeKind::Open || a.value == b.value)
        };
        nodes.len() == last.len()
            && self.nodes == nodes.len()
            && !self.depend_on_answers()
            && nodes.iter().zip(last).all(is_same)
    }

    /// Like [`Sites::scan`], with the parts that a search does not move by itself.
    pub fn scan_all(&mut self, nodes: &[ChoiceNode]) {
        self.scan_parts(nodes, false);
    }

    fn scan_parts(&mut self, nodes: &[ChoiceNode], can_freeze: bool) {
        self.nodes = nodes.len();
        self.answers.clear();
        self.items.clear();
        self.groups.clear();
        self.steps.clear();
        self.untargeted.clear();
        self.frames.clear();
        self.children.clear();
        let (mut is_frozen, mut at) = (false, 0);
        while let Some(node) = nodes.get(at) {
            if node.label == label::ITEM && !is_frozen {
                let next = self.short_items(nodes, at);
                if next > at {
                    at = next;
                    continue;
                }
            }
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
            at += 1;
        }
    }

    /// Notes the items from here on that hold nothing but a few answers, as most items do; returns where they end.
    fn short_items(&mut self, nodes: &[ChoiceNode], mut at: usize) -> usize {
        let mut spans = 0;
        while let Some(node) = nodes.get(at)
            && node.kind == NodeKind::Open
            && node.label == label::ITEM
        {
            let inner = nodes[at + 1..].iter().take(SHORT + 1).take_while(|node| node.is_answer()).count();
            if !nodes.get(at + 1 + inner).is_some_and(|node| node.kind == NodeKind::Close) {
                break;
            }
            self.children.push(at);
            self.answers.extend(at + 1..at + 1 + inner);
            spans += 1;
            at += inner + 2;
        }
        if let Some(parent) = self.frames.last_mut() {
            parent.spans += spans;
        }
        at
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
        self.groups.push(ItemGroup { first, len, end: close, is_resizable, is_run: false, item_label, length_answer });
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
            is_run: true,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::{Choices, Spread};

    fn tree(numbers: &[i64]) -> Vec<ChoiceNode> {
        let mut choices = Choices::random(1);
        let mut list = choices.begin_list(numbers.len(), numbers.len() + 1, false);
        while choices.more(&mut list) {
            choices.integer(0, 9, Spread::Uniform);
        }
        choices.end_list(list);
        let mut nodes = choices.recorded().nodes;
        let answers = nodes.iter_mut().filter(|node| node.is_answer());
        answers.zip(numbers).for_each(|(node, &number)| node.value = number as u64);
        nodes
    }

    #[test]
    fn places_are_kept_only_if_nothing_but_answers_differs() {
        let (three, other, four) = (tree(&[1, 2, 3]), tree(&[4, 5, 6]), tree(&[1, 2, 3, 4]));
        let mut sites = Sites::default();
        sites.scan(&three);
        let answers = sites.answers.clone();
        assert!(sites.has_same_places(&other, &three));
        sites.scan_again(&other, &three);
        assert_eq!(sites.answers, answers);
        assert!(!sites.has_same_places(&four, &three));
        sites.scan_again(&four, &three);
        let mut fresh = Sites::default();
        fresh.scan(&four);
        assert_eq!(format!("{sites:?}"), format!("{fresh:?}"));
    }

    #[test]
    fn places_of_lengths_that_are_answers_are_found_again() {
        let mut sites = Sites::default();
        let nodes = |len: u64| {
            let mut choices = Choices::random(1);
            choices.unsigned(len, len, Spread::Uniform);
            let mut list = choices.begin_list(2, 2, true);
            while choices.more(&mut list) {
                choices.flag(0.5);
            }
            choices.end_list(list);
            choices.recorded().nodes
        };
        let (two, five) = (nodes(2), nodes(5));
        sites.scan(&two);
        assert_eq!(sites.groups[0].length_answer, Some(0));
        sites.scan_again(&five, &two);
        assert_eq!(sites.groups[0].length_answer, None);
    }
}
