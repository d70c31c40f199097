//! A proposed bound as source text: rounded outward, with few digits, in the style of the literal it replaces.

use temper_source::Role;
use temper_stats::Direction;

/// What decides how a number is written.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
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
pub fn written(bound: f64, style: &Style<'_>) -> Option<(String, f64)> {
    match style.role {
        Role::Decimal => digits(bound / 1.5, 1.5),
        Role::Places => digits(bound / 0.5, 0.5),
        Role::Significant => digits(bound, 1.0).and_then(|(text, value)| {
            let count: i64 = text.parse().ok()?;
            (count >= 0).then(|| ((count + 1).to_string(), value))
        }),
        _ if style.is_whole && is_integer(style.literal) => whole(bound, style),
        _ => rounded(bound, style),
    }
}

/// The most digits whose distance `factor * 10^-digits` is still at least `factor * tolerance`.
fn digits(tolerance: f64, factor: f64) -> Option<(String, f64)> {
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return None;
    }
    // Comparisons with digits are strict: the tolerance itself must fit inside.
    let count = (-tolerance.log10() - 1e-12).floor();
    Some(((count as i64).to_string(), factor * 10f64.powf(-count)))
}

fn is_integer(literal: &str) -> bool {
    let digits = literal.trim_start_matches('-');
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
}

/// Counts: the bound lies between two whole numbers, and the one that accepts the same values is taken.
fn whole(bound: f64, style: &Style<'_>) -> Option<(String, f64)> {
    let value = match (style.direction, style.is_strict) {
        (Direction::Upper, true) | (Direction::Lower, false) => bound.ceil(),
        (Direction::Upper, false) | (Direction::Lower, true) => bound.floor(),
    };
    (value.abs() < 1e15).then(|| (format!("{value:.0}"), value))
}

fn rounded(bound: f64, style: &Style<'_>) -> Option<(String, f64)> {
    if !bound.is_finite() {
        return None;
    }
    let distance = if style.distance > 0.0 { style.distance } else { bound.abs() };
    let places = (1.0 - distance.log10()).ceil().clamp(-15.0, 300.0) as i32;
    // More places only where rounding at these would be inward after all, as it can be in binary.
    (places..places + 18).find_map(|places| {
        let text = outward(bound, places, style.direction);
        let text = if has_exponent(style.literal) { with_exponent(&text) } else { text };
        let value: f64 = text.parse().ok()?;
        let is_outward = style.direction.oriented(value) >= style.direction.oriented(bound);
        is_outward.then_some((text, value))
    })
}

fn has_exponent(literal: &str) -> bool {
    literal.contains(['e', 'E']) && !literal.contains(['x', 'X'])
}

/// `bound` with `places` decimals (negative ones are zeros before the point), away from the samples.
fn outward(bound: f64, places: i32, direction: Direction) -> String {
    let up = direction == Direction::Upper;
    if places <= 0 {
        let unit = 10f64.powi(-places);
        let steps = if up { (bound / unit).ceil() } else { (bound / unit).floor() };
        return point_zero(format!("{:.0}", steps * unit));
    }
    let places = places as usize;
    let nearest = format!("{bound:.places$}");
    let is_outward = nearest.parse::<f64>().is_ok_and(|value| if up { value >= bound } else { value <= bound });
    let text = if is_outward { nearest } else { stepped(bound, places, up) };
    point_zero(trimmed(&text))
}

/// One unit of the last place further out.
fn stepped(bound: f64, places: usize, up: bool) -> String {
    let unit = 10f64.powi(-i32::try_from(places).unwrap_or(300));
    let moved = if up { bound + 0.5 * unit } else { bound - 0.5 * unit };
    format!("{moved:.places$}")
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
        let style = Style { literal, role, direction, is_strict: true, is_whole: false, distance };
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
        check(0.5, "0.25", Role::Value, Direction::Upper, 0.3, "0.5");
    }

    #[test]
    fn exponents_stay_exponents() {
        check(0.001_234, "1e-3", Role::Relative, Direction::Upper, 0.001, "1.3e-3");
        check(2.5e-7, "1e-7", Role::Relative, Direction::Upper, 2e-7, "2.5e-7");
    }

    #[test]
    fn digits_become_fewer() {
        check(0.012, "3", Role::Decimal, Direction::Upper, 0.01, "2");
        check(0.016, "3", Role::Decimal, Direction::Upper, 0.01, "1");
        check(0.004, "7", Role::Places, Direction::Upper, 0.01, "2");
        check(0.02, "7", Role::Significant, Direction::Upper, 0.01, "2");
    }

    #[test]
    fn counts_keep_whole_bounds() {
        let style = |direction, is_strict| Style {
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
