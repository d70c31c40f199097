//! A proposed bound as source text: rounded outward, with few digits, in the style of the literal it replaces.

use temper_source::Role;
use temper_stats::Direction;

/// What decides how a number is written.
#[derive(Clone, Copy, Debug)]
pub struct LiteralStyle<'a> {
    /// The text that stands there now.
    pub literal: &'a str,
    /// What the number is.
    pub role: Role,
    /// Outward is up for an upper bound, down for a lower one.
    pub direction: Direction,
    /// Whether the bound itself fails.
    pub is_strict: bool,
    /// Whether all samples are whole numbers.
    pub is_whole: bool,
    /// How far the bound lies from the middle of the samples: a tenth of this is worth a digit.
    pub distance: f64,
}

/// The text of `bound`, and the bound that this text stands for. Nothing if no text of this style is further out.
#[must_use]
pub fn written(bound: f64, style: &LiteralStyle<'_>) -> Option<(String, f64)> {
    if is_no_tolerance(style.role, bound) {
        return None;
    }
    match style.role {
        Role::Decimal => digits(bound, 1.5, style.direction).map(|(count, value)| (count.to_string(), value)),
        Role::Places => digits(bound, 0.5, style.direction).map(|(count, value)| (count.to_string(), value)),
        Role::Significant => {
            let (count, value) = digits(bound, 1.0, style.direction)?;
            (count >= 0).then(|| ((count + 1).to_string(), value))
        }
        _ if style.is_whole && is_integer(style.literal) => whole(bound, style),
        _ => rounded(bound, style),
    }
}

/// Whether a number is asked for where a tolerance is written, and is none. An absolute tolerance is needed below 0 where the relative
/// one next to it leaves room: then no absolute one can be tight.
pub(crate) fn is_no_tolerance(role: Role, bound: f64) -> bool {
    matches!(role, Role::Relative | Role::Absolute | Role::Delta) && bound < 0.0
}

/// The digits whose distance `factor * 10^-digits` is the nearest one outward of `bound`: fewer digits accept more, so an
/// upper bound takes the most digits that still reach it, and a lower one the fewest that stay below.
fn digits(bound: f64, factor: f64, direction: Direction) -> Option<(i64, f64)> {
    if !(bound > 0.0 && bound.is_finite()) {
        return None;
    }
    let exact = -(bound / factor).log10();
    // Comparisons with digits are strict: the bound itself must fit inside.
    let count = match direction {
        Direction::Upper => (exact - 1e-12).floor(),
        Direction::Lower => (exact + 1e-12).ceil(),
    };
    Some((count as i64, factor * 10f64.powf(-count)))
}

fn is_integer(literal: &str) -> bool {
    let digits = literal.trim_start_matches('-');
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
}

/// Counts: the bound lies between two whole numbers, and the one that accepts the same values is taken.
fn whole(bound: f64, style: &LiteralStyle<'_>) -> Option<(String, f64)> {
    let value = match (style.direction, style.is_strict) {
        (Direction::Upper, true) | (Direction::Lower, false) => bound.ceil(),
        (Direction::Upper, false) | (Direction::Lower, true) => bound.floor(),
    };
    (value.abs() < 1e15).then(|| (format!("{value:.0}"), value))
}

fn rounded(bound: f64, style: &LiteralStyle<'_>) -> Option<(String, f64)> {
    if !bound.is_finite() {
        return None;
    }
    let distance = if style.distance > 0.0 { style.distance } else { bound.abs() };
    let places = (1.0 - distance.log10()).ceil().clamp(-15.0, 300.0) as i32;
    // More places only where rounding at these would be inward after all, as it can be in binary.
    (places..places + 18).find_map(|places| {
        let text = outward(bound, places, style.direction, style.is_strict);
        let text = match text.strip_suffix(".0") {
            _ if has_exponent(style.literal) => with_exponent(&text),
            Some(whole) if is_integer(style.literal) => whole.to_owned(),
            _ => text,
        };
        let value: f64 = text.parse().ok()?;
        let (value_out, bound_out) = (style.direction.oriented(value), style.direction.oriented(bound));
        // The value that supports the bound must pass. Zero is often the end of what a value can be: a bound there would accept
        // everything.
        let is_outward = if style.is_strict { value_out > bound_out } else { value_out >= bound_out };
        (is_outward && (value != 0.0 || bound == 0.0)).then_some((text, value))
    })
}

fn has_exponent(literal: &str) -> bool {
    literal.contains(['e', 'E']) && !literal.contains(['x', 'X'])
}

/// `bound` with `places` decimals (negative ones are zeros before the point), away from the samples; not the bound itself
/// where that would fail.
fn outward(bound: f64, places: i32, direction: Direction, is_strict: bool) -> String {
    let sign = direction.oriented(1.0);
    let is_outward = |value: f64| sign * value > sign * bound || !is_strict && value == bound;
    let unit = 10f64.powi(-places);
    if places <= 0 {
        let nearest = sign * (sign * bound / unit).ceil() * unit;
        let value = if is_outward(nearest) { nearest } else { nearest + sign * unit };
        return point_zero(format!("{value:.0}"));
    }
    let digits = places as usize;
    let nearest = format!("{bound:.digits$}");
    // A step of the last place is counted from a number with that many places. Adding it to the bound may not reach it.
    let text = match nearest.parse::<f64>() {
        Ok(value) if !is_outward(value) => format!("{:.digits$}", value + sign * unit),
        _ => nearest,
    };
    point_zero(trimmed(&text))
}

fn trimmed(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
}

fn point_zero(text: String) -> String {
    let text = if text == "-0" { "0".to_owned() } else { text };
    if text.contains('.') { text } else { format!("{text}.0") }
}

/// `0.0013` as `1.3e-3`.
fn with_exponent(text: &str) -> String {
    let Ok(value) = text.parse::<f64>() else { return text.to_owned() };
    format!("{value:e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bound: f64, literal: &str, role: Role, direction: Direction, distance: f64, expected: &str) {
        let style = LiteralStyle { literal, role, direction, is_strict: true, is_whole: false, distance };
        let (text, value) = written(bound, &style).unwrap();
        assert_eq!(text, expected);
        let is_outward = direction.oriented(value) >= direction.oriented(bound);
        assert!(is_outward || matches!(role, Role::Significant), "{text} is not outward of {bound}");
    }

    #[test]
    fn numbers_are_rounded_outward_to_a_tenth_of_their_distance() {
        check(0.08131, "0.05", Role::Value, Direction::Upper, 0.06, "0.082");
        check(0.9317, "0.95", Role::Value, Direction::Lower, 0.04, "0.931");
        check(-2.31, "-2", Role::Value, Direction::Lower, 5.0, "-2.4");
        check(1234.5, "1000.0", Role::Value, Direction::Upper, 900.0, "1240.0");
        check(0.46, "0.25", Role::Value, Direction::Upper, 0.3, "0.47");
        check(4.0, "2.0", Role::Value, Direction::Upper, 30.0, "5.0");
        check(0.0071, "0.3", Role::Value, Direction::Lower, 0.5, "0.007");
        check(2.61, "2", Role::Value, Direction::Upper, 20.0, "3");
    }

    #[test]
    fn exponents_stay_exponents() {
        check(0.001_234, "1e-3", Role::Relative, Direction::Upper, 0.001, "1.3e-3");
        check(2.46e-7, "1e-7", Role::Relative, Direction::Upper, 2e-7, "2.5e-7");
    }

    #[test]
    fn digits_become_fewer() {
        check(0.012, "3", Role::Decimal, Direction::Upper, 0.01, "2");
        check(0.016, "3", Role::Decimal, Direction::Upper, 0.01, "1");
        check(0.004, "7", Role::Places, Direction::Upper, 0.01, "2");
        check(0.02, "7", Role::Significant, Direction::Upper, 0.01, "2");
    }

    #[test]
    fn digits_of_values_that_must_differ_become_more() {
        check(0.004, "2", Role::Places, Direction::Lower, 0.01, "3");
        check(0.0005, "2", Role::Places, Direction::Lower, 0.01, "4");
    }

    #[test]
    fn counts_keep_whole_bounds() {
        let style = |direction, is_strict| LiteralStyle {
            literal: "5",
            role: Role::Value,
            direction,
            is_strict,
            is_whole: true,
            distance: 3.0,
        };
        let text = |bound, style| written(bound, &style).unwrap().0;
        assert_eq!(text(7.5, style(Direction::Upper, true)), "8");
        assert_eq!(text(7.5, style(Direction::Upper, false)), "7");
        assert_eq!(text(2.5, style(Direction::Lower, true)), "2");
        assert_eq!(text(2.5, style(Direction::Lower, false)), "3");
    }
}
