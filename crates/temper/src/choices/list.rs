//! Lists of choices. The length of a list is not an answer: it is the number of items in its span, so that
//! deleting or inserting an item is one splice, and lengths need no repair.

use super::Choices;
use super::retry::FILTER_TRIES;
use super::tree::{ChoiceNode, NodeKind, flag, label};

/// A list that is being drawn; see [`Choices::begin_list`].
#[derive(Debug)]
pub struct List {
    min: usize,
    pub(super) max: usize,
    /// The length of a list that is not replayed.
    pub(super) fresh_len: usize,
    /// The length that a replayed list may have.
    likely_len: usize,
    pub(super) len: usize,
    pub(super) on_base: bool,
    is_fresh: bool,
    pub(super) is_bare: bool,
    pub(super) is_item_open: bool,
    pub(super) item_start: usize,
    discards: usize,
}

impl List {
    /// The number of items begun so far and not discarded.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no item was begun.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many items to make room for.
    #[inline]
    pub fn expected_len(&self) -> usize {
        self.fresh_len.max(self.likely_len).min(1 << 16)
    }

    /// Whether nothing is recorded about the list and it need not be the simplest.
    pub(crate) fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// Whether the list has the least length asked for.
    pub fn is_long_enough(&self) -> bool {
        self.len >= self.min
    }
}

impl Choices {
    /// Begins a list of `min` to `max` items. If `max` is `usize::MAX`, or at most `min` + [`Choices::size`], all lengths up
    /// to the smaller of the two are equally likely. If `max` is larger, so are nine lengths out of ten; one in 16 is
    /// above `min` + size, with a chance that falls with its square, and one in 32 is `max` itself, or fewer if `max` is more
    /// than 32 times the size. A search may grow a list up to `max`.
    ///
    /// `is_bare` promises that every item asks for exactly one primitive, which saves the items' spans.
    ///
    /// ```
    /// use temper::{Choices, Spread};
    /// let mut choices = Choices::random(1);
    /// let mut list = choices.begin_list(2, 5, true);
    /// let mut numbers = Vec::new();
    /// while choices.more(&mut list) {
    ///     numbers.push(choices.integer(0, 9, Spread::Uniform));
    /// }
    /// choices.end_list(list);
    /// assert!((2..=5).contains(&numbers.len()));
    /// ```
    pub fn begin_list(&mut self, min: usize, max: usize, is_bare: bool) -> List {
        self.begin_labelled_list(label::LIST, min, max, is_bare)
    }

    /// Begins a list that is empty when fresh; only edits put items in.
    pub(crate) fn begin_empty_list(&mut self, max: usize) -> List {
        let size = std::mem::replace(&mut self.size, 0);
        let list = self.begin_list(0, max, false);
        self.size = size;
        list
    }

    pub(crate) fn begin_labelled_list(&mut self, label: u32, min: usize, max: usize, is_bare: bool) -> List {
        let max = max.max(min);
        let flags = if min < max { flag::RESIZABLE } else { 0 } | if is_bare { flag::BARE } else { 0 };
        let on_base = self.open_span(label, flags);
        let fresh_len = if on_base || self.is_simple() || min == max {
            min
        } else {
            self.drawn += 1;
            self.fresh_len(min, max)
        };
        List {
            min,
            max,
            fresh_len,
            likely_len: if on_base { self.last_len.min(self.base.len() - self.pos).min(max) } else { 0 },
            len: 0,
            on_base,
            is_fresh: !on_base && !self.is_simple(),
            is_bare,
            is_item_open: false,
            item_start: self.record_len(),
            discards: 0,
        }
    }

    /// Ends the current item and begins the next one; `false` when the list is complete.
    // Into the loops of lists: of what a search replays, most items are the next ones of the tree.
    #[inline(always)]
    pub fn more(&mut self, list: &mut List) -> bool {
        if list.is_item_open && list.len < list.max && self.is_next_item() && !self.is_full() {
            self.pos += 2;
            list.item_start = self.record_len();
            list.len += 1;
            return true;
        }
        self.next_item(list)
    }

    /// Whether the base ends an item here and begins another, with nothing between or left over.
    #[inline]
    fn is_next_item(&self) -> bool {
        const ITEM: ChoiceNode = ChoiceNode::open(label::ITEM, 0);
        let next = self.base.get(self.pos..self.pos + 2);
        self.reading.off == 0 && next.is_some_and(|next| next[0].kind == NodeKind::Close && next[1] == ITEM)
    }

    #[inline(never)]
    fn next_item(&mut self, list: &mut List) -> bool {
        self.end_item(list);
        let wanted = if list.on_base {
            let has_item = self.base.get(self.pos).is_some_and(|node| node.kind != NodeKind::Close);
            list.len < list.min || (list.len < list.max && has_item)
        } else {
            list.len < list.fresh_len
        };
        if !wanted || (self.is_full() && list.len >= list.min) {
            return false;
        }
        list.item_start = self.record_len();
        list.len += 1;
        if !list.is_bare {
            self.open_span(label::ITEM, 0);
            list.is_item_open = true;
        }
        true
    }

    /// Begins all items of a list at once if nothing is recorded, and then spans are of no use; returns their number.
    #[inline]
    pub(crate) fn take_plain(&self, list: &mut List) -> usize {
        if !self.is_plain {
            return 0;
        }
        list.len = list.fresh_len;
        list.fresh_len
    }

    /// Takes back the current item, as if it had never been asked for, because it may not be in the list (a duplicate in
    /// a set). After too many of these the list stops asking for fresh items; check [`List::is_long_enough`].
    pub fn discard_item(&mut self, list: &mut List) {
        self.end_item(list);
        self.forget_from(list.item_start);
        list.len -= 1;
        list.discards += 1;
        let is_exhausted = list.discards > FILTER_TRIES as usize + list.fresh_len;
        let is_stuck = self.leave_out() || (self.is_simple() && !list.on_base);
        if is_exhausted || is_stuck {
            list.on_base = false;
            list.fresh_len = list.len;
        }
    }

    #[inline]
    fn end_item(&mut self, list: &mut List) {
        if list.is_item_open {
            self.close();
            list.is_item_open = false;
        }
    }

    /// Ends the list.
    #[inline]
    pub fn end_list(&mut self, mut list: List) {
        self.end_item(&mut list);
        self.last_len = list.len;
        self.close();
    }
}
