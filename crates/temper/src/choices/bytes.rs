//! The byte form of a choice tree, in which failures are saved. It is stable: kinds and labels keep their numbers, and a
//! later version of the form gets another first byte.
//!
//! One byte of version, then per node one byte of kind and its payload as little-endian base-128 numbers: opening nodes
//! carry label and flags, answers their value (integers with the sign folded into the lowest bit, floats with the bytes
//! swapped so that short ones stay short).

use super::tree::{ChoiceNode, ChoiceTree, NodeKind};

const VERSION: u8 = 1;

/// Bytes that are no saved choice tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The first byte names a version that this library does not know.
    #[error("saved choices have version {0}, and only version 1 is known here")]
    Version(u8),
    /// A node has a kind that does not exist.
    #[error("saved choices have an unknown kind of node, {0}")]
    NodeKind(u8),
    /// The bytes end inside a node.
    #[error("saved choices end too early")]
    End,
}

impl ChoiceTree {
    /// The tree as bytes, in a form that later versions of this library read too.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        for node in &self.nodes {
            bytes.push(node.kind as u8);
            match node.kind {
                NodeKind::Open => {
                    put_number(&mut bytes, u64::from(node.label));
                    put_number(&mut bytes, node.value);
                }
                NodeKind::Close | NodeKind::Hole => {}
                kind => put_number(&mut bytes, fold(kind, node.value)),
            }
        }
        bytes
    }

    /// The tree that [`ChoiceTree::to_bytes`] wrote.
    ///
    /// # Errors
    /// When the bytes are not such a form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (&version, mut rest) = bytes.split_first().ok_or(DecodeError::End)?;
        if version != VERSION {
            return Err(DecodeError::Version(version));
        }
        let mut nodes = Vec::new();
        while let Some((&tag, after)) = rest.split_first() {
            rest = after;
            nodes.push(take_node(kind(tag)?, &mut rest)?);
        }
        Ok(ChoiceTree { nodes })
    }
}

fn take_node(kind: NodeKind, rest: &mut &[u8]) -> Result<ChoiceNode, DecodeError> {
    Ok(match kind {
        NodeKind::Open => {
            let label = take_number(rest)? as u32;
            ChoiceNode::open(label, take_number(rest)?)
        }
        NodeKind::Close => ChoiceNode::CLOSE,
        kind => ChoiceNode::answer(kind, unfold(kind, take_number(rest)?)),
    })
}

fn kind(tag: u8) -> Result<NodeKind, DecodeError> {
    use NodeKind::*;
    [Open, Close, Signed, Unsigned, Float, Flag, Index, Bits]
        .get(usize::from(tag))
        .copied()
        .ok_or(DecodeError::NodeKind(tag))
}

fn fold(kind: NodeKind, value: u64) -> u64 {
    match kind {
        NodeKind::Signed => (value << 1) ^ ((value as i64 >> 63) as u64),
        NodeKind::Float => value.swap_bytes(),
        _ => value,
    }
}

fn unfold(kind: NodeKind, value: u64) -> u64 {
    match kind {
        NodeKind::Signed => (value >> 1) ^ (value & 1).wrapping_neg(),
        NodeKind::Float => value.swap_bytes(),
        _ => value,
    }
}

fn put_number(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take_number(rest: &mut &[u8]) -> Result<u64, DecodeError> {
    let mut value = 0u64;
    for shift in (0..70).step_by(7) {
        let (&byte, after) = rest.split_first().ok_or(DecodeError::End)?;
        *rest = after;
        value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(DecodeError::End)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_keep_every_kind_of_answer() {
        let mut nodes = vec![ChoiceNode::open(0x8000_1234, 3), ChoiceNode::CLOSE];
        for value in [0u64, 1, 127, 128, u64::MAX, i64::MIN as u64, 0.1f64.to_bits(), (-7i64) as u64] {
            nodes.extend(
                [NodeKind::Signed, NodeKind::Unsigned, NodeKind::Float, NodeKind::Index, NodeKind::Bits]
                    .map(|k| ChoiceNode::answer(k, value)),
            );
        }
        let tree = ChoiceTree { nodes };
        assert_eq!(ChoiceTree::from_bytes(&tree.to_bytes()), Ok(tree));
    }

    #[test]
    fn the_form_of_version_one_is_fixed() {
        // Written by hand from the description above: a list of the integers 3 and -1.
        let nodes = vec![
            ChoiceNode::open(1, 3),
            ChoiceNode::answer(NodeKind::Signed, 3),
            ChoiceNode::answer(NodeKind::Signed, -1i64 as u64),
            ChoiceNode::CLOSE,
        ];
        assert_eq!(ChoiceTree { nodes }.to_bytes(), [1, 0, 1, 3, 2, 6, 2, 1, 1]);
    }

    #[test]
    fn other_bytes_are_refused_with_the_reason() {
        assert_eq!(ChoiceTree::from_bytes(&[]), Err(DecodeError::End));
        assert_eq!(ChoiceTree::from_bytes(&[9]), Err(DecodeError::Version(9)));
        assert_eq!(ChoiceTree::from_bytes(&[1, 200]), Err(DecodeError::NodeKind(200)));
        assert_eq!(ChoiceTree::from_bytes(&[1, 2, 0x80]), Err(DecodeError::End));
    }
}
