//! The values behind a bound as a drawing.

use std::fmt::Write;

use serde_json::{Map, Value};

const BINS: usize = 48;
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 80.0;
/// A bound further away than this many times the range of the values is drawn at the edge: the values would be a line.
const FARTHEST: f64 = 2.0;

/// A drawing of `numbers` with `bound` marked, if the evidence has them.
pub fn svg(evidence: &Map<String, Value>) -> Option<String> {
    let numbers: Vec<f64> = evidence.get("numbers")?.as_array()?.iter().filter_map(Value::as_f64).collect();
    let bound = evidence.get("bound")?.as_f64()?;
    let (low, high) = numbers
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &number| (low.min(number), high.max(number)));
    let range = high - low;
    if numbers.len() < 2 || range.is_nan() || range <= 0.0 || range.is_infinite() {
        return None;
    }
    let shown = bound.clamp(low - FARTHEST * range, high + FARTHEST * range);
    let (left, right) = (low.min(shown), high.max(shown));
    let scale = WIDTH / (right - left);
    let mut counts = vec![0_usize; BINS];
    for number in &numbers {
        counts[((number - low) / range * BINS as f64).min(BINS as f64 - 1.0) as usize] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1) as f64;
    let mut out = format!("<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\">", HEIGHT + 16.0);
    let _ = write!(out, "<title>{} values from {low:.4} to {high:.4}; the bound is {bound}</title>", numbers.len());
    let width = range / BINS as f64 * scale;
    for (at, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let tall = (count as f64 / most * HEIGHT).max(1.0);
        let x = (low - left) * scale + at as f64 * width;
        let y = HEIGHT - tall;
        let _ = write!(out, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{tall:.1}\"/>", width.max(0.5));
    }
    let x = ((shown - left) * scale).clamp(1.0, WIDTH - 1.0);
    let is_far = shown != bound;
    let _ = write!(out, "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{HEIGHT}\"/>");
    let anchor = if x > WIDTH / 2.0 { "end" } else { "start" };
    let far = if is_far { ", further out" } else { "" };
    let _ =
        write!(out, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"{anchor}\">bound {bound}{far}</text>", HEIGHT + 12.0);
    Some(out + "</svg>")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn drawn(value: &Value) -> Option<String> {
        svg(value.as_object().unwrap())
    }

    #[test]
    fn every_value_is_in_a_bar_and_the_bound_is_marked() {
        let text = drawn(&json!({ "numbers": [0.0, 0.0, 1.0, null], "bound": 2.0 })).unwrap();
        assert_eq!(text.matches("<rect").count(), 2);
        assert!(text.contains("3 values from 0.0000 to 1.0000"), "{text}");
        assert!(text.contains("<line x1=\"479.0\"") && text.contains(">bound 2</text>"), "{text}");
    }

    #[test]
    fn a_bound_far_away_is_drawn_at_the_edge_and_says_so() {
        let text = drawn(&json!({ "numbers": [0.0, 1.0], "bound": 1e6 })).unwrap();
        assert!(text.contains("bound 1000000, further out"), "{text}");
    }

    #[test]
    fn nothing_is_drawn_of_values_that_do_not_differ() {
        assert_eq!(drawn(&json!({ "numbers": [1.0, 1.0], "bound": 2.0 })), None);
        assert_eq!(drawn(&json!({ "numbers": [], "bound": 2.0 })), None);
        assert_eq!(drawn(&json!({ "bound": 2.0 })), None);
    }
}
