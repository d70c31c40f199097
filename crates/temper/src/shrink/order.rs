//! Which of two trees, and which of two answers, is the simpler one.

use crate::choices::tree::{ChoiceNode, NodeKind, label};
use std::cmp::Ordering;

/// Whether `a` is simpler than `b`: smaller, else fewer digits in all, else simpler answers from the front. The digits
/// come before the answers, or a failure that needs a sum would end at one small number and one needlessly long one.
pub(super) fn is_simpler(a: &[ChoiceNode], b: &[ChoiceNode]) -> bool {
    compare(a, b) == Ordering::Less
}

pub(super) fn compare(a: &[ChoiceNode], b: &[ChoiceNode]) -> Ordering {
    let digits = |nodes: &[ChoiceNode]| nodes.iter().map(digits).sum::<u32>();
    size(a).cmp(&size(b)).then_with(|| digits(a).cmp(&digits(b))).then_with(|| {
        let first_other = a.iter().zip(b).find(|(a, b)| key(a) != key(b));
        first_other.map_or(a.len().cmp(&b.len()), |(a, b)| key(a).cmp(&key(b)))
    })
}

/// The number of nodes, and the number of cells of large arrays. Without the cells, an array that is just large enough to
/// be told in few answers would count as simpler than any smaller one.
fn size(nodes: &[ChoiceNode]) -> u64 {
    let cells =
        |node: &ChoiceNode| if node.kind == NodeKind::Open && node.label == label::BLOCK { node.value } else { 0 };
    nodes.len() as u64 + nodes.iter().map(cells).sum::<u64>()
}

/// How many digits after the first an integer is written with. Unsigned answers are left out: most of them are ranks and
/// positions, which nobody reads as digits.
fn digits(node: &ChoiceNode) -> u32 {
    match node.kind {
        NodeKind::Signed => (node.value as i64).unsigned_abs().checked_ilog10().unwrap_or(0),
        _ => 0,
    }
}

/// The rank of one answer among those of its kind: 0 is the simplest.
pub(super) fn key(node: &ChoiceNode) -> (u64, u64) {
    match node.kind {
        NodeKind::Signed => (0, signed_key(node.value as i64)),
        NodeKind::Float => float_key(f64::from_bits(node.value)),
        NodeKind::Open => (0, u64::from(node.label)),
        _ => (0, node.value),
    }
}

/// Small magnitudes first, and of equal ones the positive.
pub(super) fn signed_key(value: i64) -> u64 {
    let magnitude = value.unsigned_abs();
    magnitude.saturating_mul(2).saturating_add(u64::from(value < 0))
}

/// The integer with this rank.
pub(super) fn from_signed_key(key: u64) -> i64 {
    let magnitude = (key / 2) as i64;
    if key % 2 == 1 { -magnitude } else { magnitude }
}

/// Whole numbers by magnitude; then fractions by the digits they need, then by magnitude; then infinities and NaN.
fn float_key(x: f64) -> (u64, u64) {
    if x.is_nan() {
        return (u64::MAX, u64::MAX);
    }
    if x.is_infinite() {
        return (u64::MAX, u64::from(x < 0.0));
    }
    let sign = u64::from(x.is_sign_negative());
    if x.fract() == 0.0 && x.abs() < 1e15 {
        return (0, x.abs() as u64 * 2 + sign);
    }
    let digits = format!("{:e}", x.abs()).bytes().take_while(|&b| b != b'e').filter(u8::is_ascii_digit).count() as u64;
    let far = x.abs().log2().abs() as u64;
    (1 + digits + 2 * (far / 16), (x.abs().to_bits() << 1) | sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ordered: &[f64]) {
        for pair in ordered.windows(2) {
            assert!(float_key(pair[0]) < float_key(pair[1]), "{} is simpler than {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn simple_floats_come_first() {
        check(&[0.0, 1.0, -1.0, 2.0, 1000.0, 0.5, 0.25, 1.5, 0.125, 1.0 / 3.0, f64::INFINITY, f64::NAN]);
    }

    #[test]
    fn fewer_digits_come_before_a_smaller_first_number() {
        let pair = |a, b| [a, b].map(|value| ChoiceNode::answer(NodeKind::Signed, value));
        assert!(is_simpler(&pair(201, 999), &pair(200, 1000)));
        assert!(is_simpler(&pair(200, 1000), &pair(201, 1000)));
    }

    #[test]
    fn small_integers_come_first() {
        let keys = [0i64, 1, -1, 2, 100, i64::MAX].map(signed_key);
        assert!(keys.is_sorted());
        assert!([0i64, 1, -1, 77, -78].iter().all(|&value| from_signed_key(signed_key(value)) == value));
    }
}
