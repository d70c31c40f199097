//! Insertions that nest: what is wrapped inside stays inside, whatever order the wraps are asked for.

use temper_source::{Edit, Span};

/// At one offset: first what closes (inner before outer), then what separates, then what opens (outer before inner).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum InsertionPlace {
    Close { len: u32, reversed: usize },
    Between,
    Open { reversed_len: u32, order: usize },
    End,
}

/// Insertions into one text.
#[derive(Default)]
pub(super) struct Inserts {
    items: Vec<(u32, InsertionPlace, String)>,
}

impl Inserts {
    /// Puts `open` before a span and `close` behind it. Of two wraps of the same span, the later one is inside.
    pub(super) fn wrap(&mut self, span: Span, open: String, close: String) {
        let order = self.items.len();
        let len = span.end - span.start;
        self.items.push((span.start, InsertionPlace::Open { reversed_len: u32::MAX - len, order }, open));
        self.items.push((span.end, InsertionPlace::Close { len, reversed: usize::MAX - order }, close));
    }

    /// Puts `text` at an offset where one operand has ended and none begins.
    pub(super) fn between(&mut self, at: u32, text: String) {
        self.items.push((at, InsertionPlace::Between, text));
    }

    /// Puts `text` behind everything.
    pub(super) fn at_end(&mut self, at: u32, text: String) {
        self.items.push((at, InsertionPlace::End, text));
    }

    pub(super) fn into_edits(mut self) -> Vec<Edit> {
        self.items.sort_by_key(|(at, place, _)| (*at, *place));
        self.items.into_iter().map(|(at, _, text)| Edit::insert(at, &text)).collect()
    }
}
