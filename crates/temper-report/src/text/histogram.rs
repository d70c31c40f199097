//! A histogram as text, with bounds marked where they lie: for pull requests, which show no drawings.

use std::fmt::Write;

use super::numbers::{short, thousands};

const ROWS: usize = 12;
const LONGEST: usize = 40;

/// A number that is marked, with its name.
pub struct MarkedNumber<'a> {
    /// As in `old bound`.
    pub name: &'a str,
    /// Where it lies.
    pub at: f64,
}

/// One line for each stretch of the numbers, from the least to the greatest; marks beyond them have separate lines.
pub fn histogram(numbers: &[f64], marks: &[MarkedNumber<'_>]) -> String {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if numbers.is_empty() || !least.is_finite() || !greatest.is_finite() {
        return String::new();
    }
    let rows = if least < greatest { ROWS } else { 1 };
    let step = (greatest - least) / rows as f64;
    let row = |value: f64| if step > 0.0 { (((value - least) / step) as usize).min(rows - 1) } else { 0 };
    let mut counts = vec![0_usize; rows];
    numbers.iter().for_each(|&value| counts[row(value)] += 1);
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let mut out = String::new();
    beyond(&mut out, marks, |at| at < least);
    for (index, &count) in counts.iter().enumerate() {
        let (from, to) = (least + step * index as f64, least + step * (index + 1) as f64);
        let bar = "#".repeat((LONGEST * count).div_ceil(most));
        let count = if count == 0 { String::new() } else { format!(" {}", thousands(count)) };
        let is_here = |mark: &&MarkedNumber<'_>| (least..=greatest).contains(&mark.at) && row(mark.at) == index;
        let named: String = marks.iter().filter(is_here).map(|mark| format!("   <- {}", words(mark))).collect();
        let line = format!("{:>9} to {:<9} {bar}{count}{named}", short(from), short(to));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    beyond(&mut out, marks, |at| at > greatest);
    out.trim_end().to_owned()
}

/// The marks outside of the numbers, on one side.
fn beyond(out: &mut String, marks: &[MarkedNumber<'_>], is_there: impl Fn(f64) -> bool) {
    let mut outside: Vec<&MarkedNumber<'_>> = marks.iter().filter(|mark| is_there(mark.at)).collect();
    outside.sort_by(|a, b| a.at.total_cmp(&b.at));
    for mark in outside {
        let _ = writeln!(out, "{:>9}    {:<9} <- {}", "", "", words(mark));
    }
}

fn words(mark: &MarkedNumber<'_>) -> String {
    format!("{} {}", mark.name, short(mark.at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_in_a_row_and_marks_stand_where_they_lie() {
        let numbers: Vec<f64> = (0..120).map(f64::from).collect();
        let marks = [MarkedNumber { name: "old bound", at: 60.0 }, MarkedNumber { name: "new bound", at: 150.0 }];
        let text = histogram(&numbers, &marks);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), ROWS + 1);
        let counts = lines[..ROWS].iter().map(|line| line.matches('#').count());
        assert!(counts.clone().all(|count| count > 30) && counts.max() == Some(LONGEST), "{text}");
        assert!(lines[6].contains("<- old bound 60") && lines[ROWS].ends_with("<- new bound 150"), "{text}");
    }

    #[test]
    fn one_value_is_one_row_and_none_is_nothing() {
        assert_eq!(histogram(&[2.0, 2.0], &[]).lines().count(), 1);
        assert_eq!(histogram(&[], &[]), "");
        let below = histogram(&[1.0, 2.0], &[MarkedNumber { name: "new bound", at: 0.5 }]);
        assert!(below.lines().next().is_some_and(|line| line.ends_with("<- new bound 0.5")), "{below}");
    }
}
