//! Properties in words: `2.45 < petal length ≤ 4.95 and petal width ≤ 1.65 → versicolor (47 of 47 rows)`.

use crate::dataset::Dataset;
use crate::leaf::{Interval, Leaf};
use crate::schema::{Column, ColumnKind};

/// The whole property of a leaf.
pub fn property_in_words(leaf: &Leaf, data: &Dataset) -> String {
    let columns = &data.schema.columns;
    let conditions: Vec<String> =
        leaf.intervals.iter().map(|(feature, interval)| condition_in_words(&columns[*feature], *interval)).collect();
    let condition = if conditions.is_empty() { "always".to_owned() } else { conditions.join(" and ") };
    let of_class = leaf.counts[leaf.class];
    format!("{condition} → {} ({of_class} of {} rows)", data.classes[leaf.class], leaf.rows())
}

/// What an interval says about a column.
pub fn condition_in_words(column: &Column, interval: Interval) -> String {
    let name = &column.name;
    let missing_inside = column.missing.is_some_and(|code| interval.contains(code));
    // A boundary just above the code of missing cells only tells them from the others.
    let present = Interval { lo: interval.lo.filter(|&lo| lo >= column.min || column.missing.is_none()), ..interval };
    if missing_inside && interval.hi.is_some_and(|hi| hi < column.min) {
        return format!("{name} is missing");
    }
    let values = values_in_words(column, present);
    match (values, missing_inside, column.missing.is_some()) {
        (None, false, true) => format!("{name} is present"),
        (None, _, _) => format!("{name} is anything"),
        (Some(values), true, _) => format!("({values} or {name} is missing)"),
        (Some(values), ..) => values,
    }
}

/// The condition on present values; `None` when all of them satisfy it.
fn values_in_words(column: &Column, interval: Interval) -> Option<String> {
    let name = &column.name;
    match &column.kind {
        ColumnKind::Category(names) => {
            let inside: Vec<&str> = (0..names.len())
                .filter(|&code| interval.contains(code as f64))
                .map(|code| names[code].as_str())
                .collect();
            match inside.as_slice() {
                all if all.len() == names.len() => None,
                [only] => Some(format!("{name} is {only}")),
                several => Some(format!("{name} is one of {}", several.join(", "))),
            }
        }
        ColumnKind::Boolean => match (interval.contains(0.0), interval.contains(1.0)) {
            (true, true) => None,
            (is_false, _) => Some(format!("{name} is {}", if is_false { "False" } else { "True" })),
        },
        ColumnKind::Integer | ColumnKind::Float => match (interval.lo, interval.hi) {
            (None, None) => None,
            (Some(lo), None) => Some(format!("{name} > {}", boundary(column, lo))),
            (None, Some(hi)) => Some(format!("{name} ≤ {}", boundary(column, hi))),
            (Some(lo), Some(hi)) => Some(format!("{} < {name} ≤ {}", boundary(column, lo), boundary(column, hi))),
        },
    }
}

/// A boundary in the shortest form that still tells the neighbouring values apart: as `f32`, which the surrogate compares.
fn boundary(column: &Column, threshold: f64) -> String {
    if column.is_whole() { threshold.floor().to_string() } else { (threshold as f32).to_string() }
}
