//! Passes over the items of a list that belong together: items that make up a total, and items that name each other by
//! their places.

use super::Shrinker;
use super::lower::{is_number, magnitude};
use crate::choices::tree::{ChoiceNode, NodeKind};
use crate::neighbour::ItemGroup;

/// How many numbers of an item are tried as the one that makes up a total.
const MOST_FIELDS: usize = 4;

/// Longer lists are not renumbered: each item is a test.
const MOST_RENUMBERED: usize = 256;

impl Shrinker<'_> {
    /// Leaves out items and gives what they had to others, for failures that need a total.
    pub(super) fn gather_items(&mut self) {
        let mut number = 0;
        while let Some(group) = self.group(number).filter(|_| self.left > 0) {
            for field in 0..self.fields(&group).min(MOST_FIELDS) {
                self.raise_rest(number, field);
                self.merge_neighbours(number, field);
            }
            number += 1;
        }
    }

    /// How many numbers the first item of a group has.
    fn fields(&self, group: &ItemGroup) -> usize {
        if group.len < 2 {
            return 0;
        }
        let (start, end) = (self.sites.item(group, 0), self.sites.item(group, 1));
        self.best[start..end].iter().filter(|node| is_number(node)).count()
    }

    /// Leaves out as many items as it can while one number of all the others is as large as their domain allows, or as
    /// far below zero. Later passes lower it again.
    fn raise_rest(&mut self, number: usize, field: usize) {
        let Some(group) = self.group(number) else { return };
        let mut run = group.len / 2;
        while run > 0 && self.left > 0 {
            let Some(group) = self.group(number).filter(|group| group.len > run) else { return };
            let ways = [(group.len - run, true), (0, true), (0, false)];
            let is_shorter = ways.into_iter().any(|(from, is_up)| {
                let candidate = self.without_raised(&group, field, from, run, is_up);
                self.try_nodes(&candidate)
            });
            if !is_shorter {
                run /= 2;
            }
        }
    }

    fn without_raised(&self, group: &ItemGroup, field: usize, from: usize, run: usize, is_up: bool) -> Vec<ChoiceNode> {
        let mut nodes = self.best.clone();
        for item in 0..group.len {
            if let Some(at) = self.field_at(group, item, field) {
                nodes[at].value = match nodes[at].kind {
                    NodeKind::Signed => (if is_up { i64::MAX } else { i64::MIN }) as u64,
                    NodeKind::Float => (if is_up { f64::MAX } else { f64::MIN }).to_bits(),
                    _ => u64::MAX,
                };
            }
        }
        self.cut_item(nodes, group, from, run)
    }

    /// Leaves out an item and adds one of its numbers to that of the item before it.
    fn merge_neighbours(&mut self, number: usize, field: usize) {
        let mut item = 1;
        while let Some(group) = self.group(number).filter(|group| item < group.len && self.left > 0) {
            let places = [item - 1, item].map(|item| self.field_at(&group, item, field));
            let merged = match places {
                [Some(to), Some(from)] => sum(&self.best[to], &self.best[from]).map(|node| (to, node)),
                _ => None,
            };
            let is_merged = merged.is_some_and(|(at, node)| {
                let mut nodes = self.best.clone();
                nodes[at] = node;
                let candidate = self.cut_item(nodes, &group, item, 1);
                self.try_nodes(&candidate)
            });
            item += usize::from(!is_merged);
        }
    }

    /// Leaves out an item and lowers by one every number of the list that is above its place, for lists whose items name
    /// others by their places.
    pub(super) fn renumber(&mut self) {
        let mut number = 0;
        while let Some(group) = self.group(number).filter(|_| self.left > 0) {
            let mut item = if group.len <= MOST_RENUMBERED { group.len } else { 0 };
            while item > 0 {
                item -= 1;
                self.renumber_without(number, item);
            }
            number += 1;
        }
    }

    fn renumber_without(&mut self, number: usize, item: usize) {
        let Some(group) = self.group(number).filter(|group| item < group.len) else { return };
        let mut nodes = self.best.clone();
        let mut has_changed = false;
        for node in &mut nodes[self.sites.item(&group, 0)..group.end] {
            let is_place = is_place(node) && (item as u64) < node.value && node.value <= group.len as u64;
            node.value -= u64::from(is_place);
            has_changed |= is_place;
        }
        if has_changed {
            let candidate = self.cut_item(nodes, &group, item, 1);
            self.try_nodes(&candidate);
        }
    }

    /// Where the number of an item is, if it has that many.
    fn field_at(&self, group: &ItemGroup, item: usize, field: usize) -> Option<usize> {
        let range = self.sites.item(group, item)..self.sites.item(group, item + 1);
        range.filter(|&at| is_number(&self.best[at])).nth(field)
    }

    /// `nodes`, which have the structure of the best tree, without some items.
    fn cut_item(&self, mut nodes: Vec<ChoiceNode>, group: &ItemGroup, from: usize, run: usize) -> Vec<ChoiceNode> {
        let (start, end) = (self.sites.item(group, from), self.sites.item(group, from + run));
        if let Some(at) = group.length_answer {
            nodes[at].value = (group.len - run) as u64;
        }
        nodes.drain(start..end);
        nodes
    }
}

/// Whether an answer may be the place of an item.
fn is_place(node: &ChoiceNode) -> bool {
    matches!(node.kind, NodeKind::Signed | NodeKind::Unsigned | NodeKind::Index)
}

/// The first number with the second added to it.
fn sum(a: &ChoiceNode, b: &ChoiceNode) -> Option<ChoiceNode> {
    if a.kind != b.kind || magnitude(b) == Some(0) {
        return None;
    }
    let value = match a.kind {
        NodeKind::Float => (f64::from_bits(a.value) + f64::from_bits(b.value)).to_bits(),
        NodeKind::Signed => (a.value as i64).checked_add(b.value as i64)? as u64,
        _ => a.value.checked_add(b.value)?,
    };
    Some(ChoiceNode { value, ..*a })
}
