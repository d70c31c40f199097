//! How far a recorded number moves at a temperature. The width of a move follows Tables I and II of "Automating Targeted
//! Property-Based Testing" (Loescher and Sagonas): 5 % of the range to each side at temperature 1.

use super::spread::{Spread, fresh_signed, fresh_unsigned};
use crate::rng::Rng;

/// Half the width of a move at temperature 1, as a part of the range (Table I of the paper).
const REACH: f64 = 0.05;

/// How often a move of a number is a fresh draw instead, at temperature 1. Without it a search over wide ranges cannot
/// leave a basin; above one half, moves stop being local. Chosen on the benchmarks B2, B3 and B5, which hardly feel it
/// between 0.05 and 0.3.
const REDRAW: f64 = 0.15;

/// The same for a narrow range, of at most [`NARROW`] values. Digits, letters and nodes are often names without an order,
/// and a walk of single units over them is blind.
const NARROW_REDRAW: f64 = 1.0;
const NARROW: u64 = 256;

/// How often a move is fine: its reach is divided log-uniformly, so that one walk both crosses a range and settles on a
/// digit. With 0.3, meeting one integer of 32 bits takes more than twice the tests.
const FINE: f64 = 0.5;

/// By up to how many halvings the reach of a fine move of a float is divided; that of an integer goes down to one unit.
const FINE_BITS: f64 = 20.0;

/// Ranges wider than this count as unbounded: the move then scales with the magnitude of the value.
const WIDE: f64 = (1u64 << 40) as f64;

/// An offset for a number with a range of this width, in `±reach`; at least one unit when `unit` is 1.
fn offset(rng: &mut Rng, range: f64, magnitude: f64, temperature: f64, unit: f64) -> f64 {
    let scale = if range > WIDE || !range.is_finite() { magnitude.max(20.0) * 4.0 } else { range };
    let mut reach = scale * REACH * temperature;
    if rng.chance(FINE) {
        let bits = if unit > 0.0 { (reach / unit).max(1.0).log2() } else { FINE_BITS };
        reach *= (-bits * rng.unit()).exp2();
    }
    let reach = reach.max(unit);
    let step = rng.signed_unit() * reach;
    if unit > 0.0 && step.abs() < unit {
        return if rng.bits() & 1 == 0 { unit } else { -unit };
    }
    step
}

/// Whether a move in a range of this width is a fresh draw.
fn is_redraw_of(rng: &mut Rng, width: u64, temperature: f64) -> bool {
    rng.chance(if width < NARROW { NARROW_REDRAW } else { REDRAW } * temperature)
}

pub(crate) fn move_signed(rng: &mut Rng, base: i64, lo: i64, hi: i64, spread: Spread, temperature: f64) -> i64 {
    if lo == hi {
        return lo;
    }
    let base = base.clamp(lo, hi);
    if is_redraw_of(rng, hi.wrapping_sub(lo) as u64, temperature) {
        return fresh_signed(rng, lo, hi, spread);
    }
    let range = hi as f64 - lo as f64;
    let step = offset(rng, range, base.unsigned_abs() as f64, temperature, 1.0) as i64;
    let moved = base.saturating_add(step).clamp(lo, hi);
    if moved == base { base.saturating_sub(step).clamp(lo, hi) } else { moved }
}

pub(crate) fn move_unsigned(rng: &mut Rng, base: u64, lo: u64, hi: u64, spread: Spread, temperature: f64) -> u64 {
    if lo == hi {
        return lo;
    }
    let base = base.clamp(lo, hi);
    if is_redraw_of(rng, hi - lo, temperature) {
        return fresh_unsigned(rng, lo, hi, spread);
    }
    let step = offset(rng, (hi - lo) as f64, base as f64, temperature, 1.0) as i64;
    let moved = base.saturating_add_signed(step).clamp(lo, hi);
    if moved == base { base.saturating_add_signed(step.saturating_neg()).clamp(lo, hi) } else { moved }
}

pub(crate) fn move_float(rng: &mut Rng, base: f64, lo: f64, hi: f64, temperature: f64) -> f64 {
    let step = offset(rng, hi - lo, base.abs(), temperature, 0.0);
    (base + step).clamp(lo, hi)
}

/// Whether this move of a float is a fresh draw.
pub(crate) fn is_redraw(rng: &mut Rng, temperature: f64) -> bool {
    rng.chance(REDRAW * temperature)
}

/// An index other than `base`, uniform; `base` when there is no other.
pub(crate) fn move_index(rng: &mut Rng, base: usize, n: usize) -> usize {
    if n < 2 {
        return 0;
    }
    let other = rng.index(n - 1);
    other + usize::from(other >= base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_stay_in_range_and_leave_the_base() {
        let mut rng = Rng::new(3);
        for (lo, hi) in [(0, 1), (-5, 5), (i64::MIN, i64::MAX), (7, 1_000_000), (i64::MAX - 3, i64::MAX)] {
            for _ in 0..2000 {
                let base = fresh_signed(&mut rng, lo, hi, Spread::Edges);
                let moved = move_signed(&mut rng, base, lo, hi, Spread::Edges, 0.0);
                assert!((lo..=hi).contains(&base) && (lo..=hi).contains(&moved));
                assert_ne!(base, moved, "a move at low temperature is at least one unit in {lo}..={hi}");
            }
        }
    }

    #[test]
    fn moves_reach_five_percent_of_the_range() {
        let mut rng = Rng::new(4);
        let far = (0..4000).map(|_| (move_float(&mut rng, 0.5, 0.0, 1.0, 1.0) - 0.5).abs()).fold(0.0, f64::max);
        assert!(far <= 0.05 && far > 0.049, "{far}");
    }

    #[test]
    fn an_index_moves_to_every_other_alternative() {
        let mut rng = Rng::new(6);
        let mut seen = [false; 4];
        (0..200).for_each(|_| seen[move_index(&mut rng, 2, 4)] = true);
        assert_eq!(seen, [true, true, false, true]);
        assert_eq!(move_index(&mut rng, 0, 1), 0);
    }
}
