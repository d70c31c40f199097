//! Items of a list that nothing is recorded about. Their answers come straight from the random source, many items in one loop:
//! what an answer has to be checked for elsewhere is checked once for all of them.

use super::tree::{ChoiceNode, NodeKind, Op, label};
use super::{Choices, FloatBounds, List, MAX_NODES, Spread, spread};

/// The place of an item that is to be drawn fresh, as an edit leaves it.
const FRESH_ITEM: [ChoiceNode; 2] = [ChoiceNode::open(label::ITEM, 0).with(Op::Fresh), ChoiceNode::CLOSE];

impl Choices {
    /// How many of the next items of the list are fresh ones, of this many answers each: the tree has places for them without
    /// answers, or has no such list. For items that ask for no span. If there are any they are begun, and each of them has to
    /// be drawn between [`Choices::begin_fresh_item`] and [`Choices::end_fresh_item`], and then [`Choices::end_fresh_items`].
    pub(crate) fn begin_fresh_items(&mut self, list: &mut List, answers: usize) -> usize {
        let is_fresh = self.is_recording && !self.is_simple() && !self.reading.redraw && self.enumeration.is_none();
        if !is_fresh || list.is_bare {
            return 0;
        }
        let count = if list.on_base { self.fresh_places(list) } else { self.fresh_rest(list) };
        // Near the largest tree, every item is asked for: the list may have to end.
        if count == 0 || self.record_len() + count * (answers + 2) >= MAX_NODES {
            return 0;
        }
        if list.is_item_open {
            self.close();
            list.is_item_open = false;
        }
        self.write_down();
        self.record.reserve(count * (answers + 2));
        self.reading.off += 1;
        self.drawn += 1;
        count
    }

    /// How many places for fresh items the tree has next.
    fn fresh_places(&self, list: &List) -> usize {
        let nodes = match self.base.get(self.pos..) {
            Some([first, nodes @ ..]) if list.is_item_open && first.kind == NodeKind::Close => nodes,
            Some(nodes) if !list.is_item_open => nodes,
            _ => return 0,
        };
        if self.reading.off > 0 {
            return 0;
        }
        nodes.chunks_exact(2).take(list.max - list.len).take_while(|nodes| **nodes == FRESH_ITEM).count()
    }

    /// How many items a list has left that the tree does not have.
    fn fresh_rest(&self, list: &List) -> usize {
        if self.reading.off == 0 { 0 } else { list.fresh_len.saturating_sub(list.len) }
    }

    #[inline(always)]
    pub(crate) fn begin_fresh_item(&mut self, list: &mut List) {
        if list.on_base {
            self.pos += FRESH_ITEM.len();
            self.copied = self.pos;
        }
        list.item_start = self.record_len();
        list.len += 1;
        self.record.push(ChoiceNode::open(label::ITEM, 0));
    }

    /// Ends a fresh item. One that was not drawn stays open, like every span that a rejected draw is in.
    #[inline(always)]
    pub(crate) fn end_fresh_item(&mut self) {
        self.record.push(ChoiceNode::CLOSE);
    }

    pub(crate) fn end_fresh_items(&mut self) {
        self.reading.off -= 1;
    }

    /// An integer in `lo..=hi`, in a fresh item or where nothing is recorded.
    #[inline(always)]
    pub(crate) fn fresh_integer(&mut self, lo: i64, hi: i64, spread: Spread) -> i64 {
        let width = hi.wrapping_sub(lo) as u64;
        let value = if spread::is_scaled(width, spread) {
            lo.wrapping_add(spread::scaled(&mut self.rng, width) as i64)
        } else {
            spread::fresh_signed(&mut self.rng, lo, hi, spread)
        };
        self.note_fresh(NodeKind::Signed, value as u64);
        value
    }

    /// Like [`Choices::fresh_integer`].
    #[inline(always)]
    pub(crate) fn fresh_natural(&mut self, lo: u64, hi: u64, spread: Spread) -> u64 {
        let value = spread::fresh_unsigned(&mut self.rng, lo, hi, spread);
        self.note_fresh(NodeKind::Unsigned, value);
        value
    }

    /// A float within `bounds`, like [`Choices::fresh_integer`].
    #[inline]
    pub(crate) fn fresh_float(&mut self, bounds: &FloatBounds) -> f64 {
        let value = bounds.fresh(&mut self.rng);
        self.note_fresh(NodeKind::Float, value.to_bits());
        value
    }

    /// `true` with probability `p`, like [`Choices::fresh_integer`].
    #[inline]
    pub(crate) fn fresh_bool(&mut self, p: f64) -> bool {
        let value = self.rng.chance(p);
        self.note_fresh(NodeKind::Flag, u64::from(value));
        value
    }

    #[inline(always)]
    fn note_fresh(&mut self, kind: NodeKind, value: u64) {
        if !self.is_plain {
            self.record.push(ChoiceNode::answer(kind, value));
        }
    }

    /// The place of a fresh answer, for [`Choices::forget_fresh`].
    #[inline(always)]
    pub(crate) fn fresh_place(&self) -> usize {
        self.record.len()
    }

    /// Forgets the fresh answers from this place on.
    #[inline(always)]
    pub(crate) fn forget_fresh(&mut self, place: usize) {
        self.record.truncate(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Domain, bools, floats, ints, vecs};
    use std::fmt::Debug;

    /// A list of one recorded item, then as many places for fresh ones, then another recorded one.
    fn edited(places: usize) -> Choices {
        let item =
            |value| [ChoiceNode::open(label::ITEM, 0), ChoiceNode::answer(NodeKind::Signed, value), ChoiceNode::CLOSE];
        let mut choices = Choices::random(1);
        choices.start_edited(0.5, |out, _| {
            out.push(ChoiceNode::open(label::LIST, 1));
            out.extend(item(7));
            out.extend(FRESH_ITEM.repeat(places));
            out.extend(item(8));
            out.push(ChoiceNode::CLOSE);
        });
        choices
    }

    #[test]
    fn places_are_begun_together_up_to_the_largest_length() {
        for (places, max, begun) in [(0, 9, 0), (1, 9, 1), (5, 9, 5), (5, 4, 3), (5, 1, 0)] {
            let mut choices = edited(places);
            let mut list = choices.begin_list(0, max, false);
            assert_eq!(choices.begin_fresh_items(&mut list, 1), 0, "the first item is recorded");
            assert!(choices.more(&mut list));
            assert_eq!(choices.integer(0, 9, Spread::Uniform), 7);
            assert_eq!(choices.begin_fresh_items(&mut list, 1), begun, "{places} places, {max} items");
        }
    }

    /// Draws that are not recorded, drawn fresh and asked for one by one, and what is left of the random source after them.
    fn check<D: Domain<Value: Debug>>(item: D) {
        for seed in 0..200 {
            let [mut fresh, mut asked] = [Choices::random(seed), Choices::random(seed)];
            for choices in [&mut fresh, &mut asked] {
                choices.start_unrecorded();
            }
            let items = vecs(&item).len(9..=9).draw(&mut fresh);
            let mut list = asked.begin_list(9, 9, false);
            asked.take_plain(&mut list);
            let others: Result<Vec<_>, _> = (0..9).map(|_| item.draw(&mut asked)).collect();
            assert_eq!(format!("{items:?}"), format!("{others:?}"), "seed {seed}");
            assert_eq!(fresh.bits(), asked.bits(), "seed {seed}");
        }
    }

    #[test]
    fn fresh_draws_are_those_that_are_asked_for() {
        check((ints(0..=99i32), ints::<i64>(..), ints(0..=1u64 << 40).uniform()));
        check((bools(), floats(0.0..=1.0), ints(0..=u64::MAX)));
        // One draw in 32 is kept: one item in five finds none, and its list is rejected.
        check((ints(0..=31u8), bools()).filter(|(value, _)| *value == 3));
    }
}
