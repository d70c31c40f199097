//! Numbers as a person reads them.

const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const COLUMNS: usize = 24;

/// Counts of the numbers from the least to the greatest as bars, with the bound marked.
pub fn bars(bound: f64, numbers: &[f64]) -> String {
    let min = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let max = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if numbers.is_empty() {
        return String::new();
    }
    let width = (max - min).max(f64::MIN_POSITIVE);
    // A bound that is far away is shown at the edge, or the numbers would be one column.
    let reach = |edge: f64| edge.clamp(min - 0.6 * width, max + 0.6 * width);
    let (low, high) = (min.min(reach(bound)), max.max(reach(bound)));
    let step = (high - low) / COLUMNS as f64;
    let column = |value: f64| (((value - low) / step) as usize).min(COLUMNS - 1);
    let mut counts = [0_usize; COLUMNS];
    numbers.iter().for_each(|&value| counts[column(value)] += 1);
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let mark = if bound >= high {
        COLUMNS
    } else if bound <= low {
        0
    } else {
        column(bound)
    };
    let mut text = String::new();
    for (index, count) in counts.iter().enumerate() {
        if index == mark {
            text.push('│');
        }
        text.push(BARS[(8 * count).div_ceil(most)]);
    }
    if mark == COLUMNS {
        text.push('│');
    }
    format!("{text}  │ bound {}", short(bound))
}

/// `99.9 %`.
pub fn percent(share: f64) -> String {
    let text = format!("{:.4}", 100.0 * share);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// `2,995`.
pub fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 run`, `3 runs`.
pub fn counted(count: usize, thing: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{s}")
}

/// A number with the three digits it deserves.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-4..6).contains(&exponent) {
        return format!("{value:.2e}");
    }
    let places = usize::try_from(2 - exponent).unwrap_or(0);
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (value, text) in
            [(0.02134, "0.0213"), (11.333, "11.3"), (2.0, "2"), (123_456.0, "123456"), (1e-9, "1.00e-9"), (0.5, "0.5")]
        {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn counts_have_commas() {
        for (count, text) in [(0, "0"), (7, "7"), (999, "999"), (2995, "2,995"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(count), text);
        }
    }

    #[test]
    fn targets_keep_their_nines() {
        for (share, text) in [(0.9999, "99.99 %"), (0.95, "95 %"), (0.9, "90 %")] {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn every_number_is_in_a_bar_and_the_bound_is_marked_once() {
        let text = bars(2.5, &[0.0, 0.0, 1.0]);
        assert!(text.starts_with('█') && text.ends_with("│ bound 2.5"), "{text}");
        assert_eq!(text.split("  │ bound").next().map(|drawn| drawn.matches('│').count()), Some(1));
    }
}
