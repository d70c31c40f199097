//! The recorded choice tree: what was asked and answered while one value was drawn, in order, as a flat list of nodes.
//! Spans are an opening and a closing node, so that deleting, inserting and moving parts is splicing.

use std::fmt;

/// What a node holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub(crate) enum NodeKind {
    /// Start of a span; `label` says of what, `value` holds flags or a size.
    Open = 0,
    /// End of a span.
    Close = 1,
    /// An `i64`.
    Signed = 2,
    /// A `u64`.
    Unsigned = 3,
    /// The bits of an `f64`.
    Float = 4,
    /// 0 or 1.
    Flag = 5,
    /// One of some alternatives.
    Index = 6,
    /// 64 bits without an order, such as a seed.
    Bits = 7,
    /// Stands for an answer that is still to be drawn; never in a finished recording.
    Hole = 8,
}

/// What a replay does with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub(crate) enum Op {
    /// Give the recorded answer.
    Keep,
    /// Give an answer near the recorded one; how near depends on the temperature.
    Move,
    /// Draw again; on an opening node, the whole span.
    Fresh,
    /// Give the simplest answer; on an opening node, for the whole span.
    Simple,
}

/// One request with its answer, or one end of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ChoiceNode {
    pub value: u64,
    pub label: u32,
    pub kind: NodeKind,
    pub op: Op,
}

impl ChoiceNode {
    pub const CLOSE: ChoiceNode = ChoiceNode { value: 0, label: 0, kind: NodeKind::Close, op: Op::Keep };
    pub const HOLE: ChoiceNode = ChoiceNode { value: 0, label: 0, kind: NodeKind::Hole, op: Op::Fresh };

    #[inline]
    pub fn answer(kind: NodeKind, value: u64) -> ChoiceNode {
        ChoiceNode { value, label: 0, kind, op: Op::Keep }
    }

    #[inline]
    pub const fn open(label: u32, flags: u64) -> ChoiceNode {
        ChoiceNode { value: flags, label, kind: NodeKind::Open, op: Op::Keep }
    }

    /// Whether a replay gives this answer as it is, to a request of this kind. Both in one comparison: lists ask it of every
    /// answer they replay.
    #[inline(always)]
    pub fn is_kept(&self, kind: NodeKind) -> bool {
        u32::from(self.kind as u16) | u32::from(self.op as u16) << 16
            == u32::from(kind as u16) | u32::from(Op::Keep as u16) << 16
    }

    /// Everything but the value, as one word: its parts fill it, and are read and compared together.
    #[inline(always)]
    pub const fn head(&self) -> u64 {
        self.label as u64 | (self.kind as u64) << 32 | (self.op as u64) << 48
    }

    #[inline]
    pub fn is_answer(&self) -> bool {
        !matches!(self.kind, NodeKind::Open | NodeKind::Close)
    }

    #[inline]
    pub const fn with(self, op: Op) -> ChoiceNode {
        ChoiceNode { op, ..self }
    }
}

/// Labels of the spans that domains open. They are part of the byte form: never renumber one.
pub(crate) mod label {
    /// A sequence of items; the flags say whether its length may change and whether items are bare answers.
    pub const LIST: u32 = 1;
    /// One item of a list.
    pub const ITEM: u32 = 2;
    /// A value whose structure depends on earlier answers.
    pub const DEPENDENT: u32 = 3;
    /// One draw inside a hand-written domain.
    pub const DRAW: u32 = 4;
    /// One level of a recursive domain.
    pub const LEVEL: u32 = 5;
    /// A part that a search draws again for every test.
    pub const UNTARGETED: u32 = 6;
    /// A part moved by the user's own neighbour function: first a value, then a list of steps.
    pub const STEPPED: u32 = 7;
    /// The list of steps of a `STEPPED` part.
    pub const STEPS: u32 = 8;
    /// The cells of an array, in fewer answers than cells; `value` holds how many cells.
    pub const BLOCK: u32 = 9;
    /// Alternative `i` of a choice is `ALTERNATIVE + i`.
    pub const ALTERNATIVE: u32 = 0x100;
    /// Labels that users give, by the hash of their text.
    pub const USER: u32 = 0x8000_0000;
}

/// Flags in the `value` of an opening `LIST` node.
pub(crate) mod flag {
    /// The list may hold more or fewer items.
    pub const RESIZABLE: u64 = 1;
    /// Items are single answers, without spans.
    pub const BARE: u64 = 2;
}

/// What was asked and answered while one value was drawn.
///
/// Replayed through the domain that made it, it gives that value again, bit for bit. It is what shrinking simplifies,
/// what a search moves and what is saved after a failure (see [`ChoiceTree::to_bytes`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChoiceTree {
    pub(crate) nodes: Vec<ChoiceNode>,
}

impl ChoiceTree {
    /// The number of answers in the tree, spans not counted.
    pub fn len(&self) -> usize {
        self.nodes.iter().filter(|node| node.is_answer()).count()
    }

    /// Whether nothing was asked.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The answers in order, separated by commas; an alternative is `#` and its number.
impl fmt::Display for ChoiceTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answers = self.nodes.iter().filter(|node| node.is_answer());
        for (i, node) in answers.enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            match node.kind {
                NodeKind::Signed => write!(f, "{}", node.value as i64)?,
                NodeKind::Float => write!(f, "{:?}", f64::from_bits(node.value))?,
                NodeKind::Flag => write!(f, "{}", node.value == 1)?,
                NodeKind::Index => write!(f, "#{}", node.value)?,
                _ => write!(f, "{}", node.value)?,
            }
        }
        if self.is_empty() { f.write_str("none") } else { Ok(()) }
    }
}

/// The position after the close that ends the span opened at `open`; the end of the nodes when it is never closed.
pub(crate) fn span_end(nodes: &[ChoiceNode], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, node) in nodes.iter().enumerate().skip(open) {
        match node.kind {
            NodeKind::Open => depth += 1,
            NodeKind::Close => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    nodes.len()
}
