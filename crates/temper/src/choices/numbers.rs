//! The numbers of a recorded tree, to be read and set from outside: what a search over numbers moves.

use std::ops::Range;

use super::tree::{ChoiceNode, ChoiceTree, NodeKind, flag, label, span_end};

/// A recorded answer that is a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RecordedNumber {
    /// A whole number.
    Int(i128),
    /// A float.
    Float(f64),
}

impl ChoiceTree {
    /// The numbers among the answers, in order: whole numbers and floats, not flags and choices of alternatives.
    pub fn numbers(&self) -> Vec<RecordedNumber> {
        self.nodes.iter().filter_map(number).collect()
    }

    /// The tree with another number at a place of [`ChoiceTree::numbers`]. A number that the answer cannot hold becomes
    /// the nearest one that it can; replay brings it into the range of the request.
    pub fn with_number(&self, place: usize, value: RecordedNumber) -> ChoiceTree {
        let mut nodes = self.nodes.clone();
        if let Some(node) = nodes.iter_mut().filter(|node| number(node).is_some()).nth(place) {
            node.value = match node.kind {
                NodeKind::Float => float(value).to_bits(),
                NodeKind::Unsigned => whole(value).clamp(0, i128::from(u64::MAX)) as u64,
                _ => whole(value).clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64 as u64,
            };
        }
        ChoiceTree { nodes }
    }

    /// The lists whose items are plain whole numbers without a sign, such as the characters of a text; in order. A list
    /// without items may be of anything.
    pub fn plain_lists(&self) -> Vec<Vec<u64>> {
        let spans = self.plain_spans();
        spans.into_iter().map(|span| self.nodes[span].iter().map(|node| node.value).collect()).collect()
    }

    /// The tree with other items in the list at a place of [`ChoiceTree::plain_lists`]; replay ends it at its greatest length.
    pub fn with_plain_list(&self, place: usize, items: &[u64]) -> ChoiceTree {
        let mut nodes = self.nodes.clone();
        if let Some(span) = self.plain_spans().into_iter().nth(place) {
            nodes.splice(span, items.iter().map(|&item| ChoiceNode::answer(NodeKind::Unsigned, item)));
        }
        ChoiceTree { nodes }
    }

    /// Where the items of plain lists are.
    fn plain_spans(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let is_list = node.kind == NodeKind::Open && node.label == label::LIST;
            if is_list && node.value & flag::BARE != 0 {
                let items = at + 1..span_end(&self.nodes, at).saturating_sub(1).max(at + 1);
                if self.nodes[items.clone()].iter().all(|item| item.kind == NodeKind::Unsigned) {
                    found.push(items);
                }
            }
        }
        found
    }
}

fn number(node: &ChoiceNode) -> Option<RecordedNumber> {
    match node.kind {
        NodeKind::Signed => Some(RecordedNumber::Int(i128::from(node.value as i64))),
        NodeKind::Unsigned => Some(RecordedNumber::Int(i128::from(node.value))),
        NodeKind::Float => Some(RecordedNumber::Float(f64::from_bits(node.value))),
        _ => None,
    }
}

fn float(value: RecordedNumber) -> f64 {
    match value {
        RecordedNumber::Int(value) => value as f64,
        RecordedNumber::Float(value) => value,
    }
}

fn whole(value: RecordedNumber) -> i128 {
    match value {
        RecordedNumber::Int(value) => value,
        // The cast saturates, and turns not-a-number into 0.
        RecordedNumber::Float(value) => value.round() as i128,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choices;
    use crate::choices::{FloatBounds, Spread, Width};

    #[test]
    fn a_number_is_set_where_it_was_read_and_kept_in_its_range() {
        let ask = |choices: &mut Choices| {
            let flag = choices.flag(0.5);
            let whole = choices.integer(-5, 9, Spread::Edges);
            (flag, whole, choices.float(&FloatBounds::finite(Width::F64)))
        };
        let mut choices = Choices::random(3);
        let (flag, whole, float) = ask(&mut choices);
        let tree = choices.recorded();
        assert_eq!(tree.numbers(), [RecordedNumber::Int(i128::from(whole)), RecordedNumber::Float(float)]);
        let moved = tree.with_number(0, RecordedNumber::Int(7)).with_number(1, RecordedNumber::Float(0.25));
        assert_eq!(ask(&mut Choices::replay(&moved)), (flag, 7, 0.25));
        let outside = tree.with_number(0, RecordedNumber::Float(1e30));
        assert_eq!(ask(&mut Choices::replay(&outside)), (flag, 9, float));
        assert_eq!(tree.with_number(2, RecordedNumber::Int(1)), tree);
    }
    #[test]
    fn the_items_of_a_list_are_set_where_they_were_read() {
        let ask = |choices: &mut Choices| {
            let before = choices.integer(-5, 9, Spread::Edges);
            let mut list = choices.begin_list(0, 4, true);
            let mut items = Vec::new();
            while choices.more(&mut list) {
                items.push(choices.unsigned(0, 9, Spread::Uniform));
            }
            choices.end_list(list);
            (before, items, choices.flag(0.5))
        };
        let mut choices = Choices::random(3);
        let (before, items, after) = ask(&mut choices);
        let tree = choices.recorded();
        assert_eq!(tree.plain_lists(), [items]);
        let changed = tree.with_plain_list(0, &[7, 1, 2]);
        assert_eq!(ask(&mut Choices::replay(&changed)), (before, vec![7, 1, 2], after));
        let too_long = tree.with_plain_list(0, &[1, 2, 3, 4, 5]);
        assert_eq!(ask(&mut Choices::replay(&too_long)), (before, vec![1, 2, 3, 4], after));
        assert_eq!(tree.with_plain_list(1, &[1]), tree);
    }
}
