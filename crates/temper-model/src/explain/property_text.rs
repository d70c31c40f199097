//! Properties in words: `2.45 < petal length ≤ 4.95 and petal width ≤ 1.65 → versicolor (47 of 47 rows)`.

use crate::data::dataset::Dataset;
use crate::data::schema::{Column, ColumnKind};
use crate::tree::leaf::{Leaf, LeafInterval};

/// Categories that are listed; of more the first ones stand for all.
const SHOWN_CATEGORIES: usize = 6;

/// The whole property of a leaf, with the rows behind it.
pub fn property_in_words(leaf: &Leaf, data: &Dataset) -> String {
    let of_class = leaf.counts[leaf.class];
    format!("{} ({of_class} of {} rows)", rule_in_words(leaf, data), leaf.rows())
}

/// The property of a leaf: its condition and its class.
pub fn rule_in_words(leaf: &Leaf, data: &Dataset) -> String {
    format!("{} → {}", box_in_words(leaf, data), data.classes[leaf.class])
}

/// The condition under which a row is in a leaf.
pub fn box_in_words(leaf: &Leaf, data: &Dataset) -> String {
    let columns = &data.schema.columns;
    let conditions: Vec<String> =
        leaf.intervals.iter().map(|(feature, interval)| condition_in_words(&columns[*feature], *interval)).collect();
    if conditions.is_empty() { "always".to_owned() } else { conditions.join(" and ") }
}

/// What an interval says about a column.
pub fn condition_in_words(column: &Column, interval: LeafInterval) -> String {
    let name = &column.name;
    let missing_inside = column.missing.is_some_and(|code| interval.contains(code));
    // A boundary just above the code of missing cells only tells them from the others.
    let present =
        LeafInterval { lo: interval.lo.filter(|&lo| lo >= column.min || column.missing.is_none()), ..interval };
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
fn values_in_words(column: &Column, interval: LeafInterval) -> Option<String> {
    let name = &column.name;
    match &column.kind {
        ColumnKind::Category(names) => {
            let inside: Vec<&str> = (0..names.len())
                .filter(|&code| interval.contains(code as f64))
                .map(|code| names[code].as_str())
                .collect();
            (inside.len() < names.len()).then(|| named(name, &inside))
        }
        ColumnKind::Boolean => match (interval.contains(0.0), interval.contains(1.0)) {
            (true, true) => None,
            (is_false, _) => Some(format!("{name} is {}", if is_false { "False" } else { "True" })),
        },
        ColumnKind::Integer | ColumnKind::Float | ColumnKind::Moment(_) => match (interval.lo, interval.hi) {
            (None, None) => None,
            (Some(lo), None) => Some(format!("{name} > {}", boundary(column, lo))),
            (None, Some(hi)) => Some(format!("{name} ≤ {}", boundary(column, hi))),
            (Some(lo), Some(hi)) => Some(format!("{} < {name} ≤ {}", boundary(column, lo), boundary(column, hi))),
        },
    }
}

/// An interval of a column that the reader knows: `≤ 2.45`, `2.45 to 4.95`, `> 4.95`.
pub fn interval_in_words(column: &Column, interval: LeafInterval) -> String {
    match (interval.lo, interval.hi) {
        (None, None) => "all".to_owned(),
        (Some(lo), None) => format!("> {}", boundary(column, lo)),
        (None, Some(hi)) => format!("≤ {}", boundary(column, hi)),
        (Some(lo), Some(hi)) => format!("{} to {}", boundary(column, lo), boundary(column, hi)),
    }
}

/// What a set of categories, as codes, says about a column.
pub fn categories_in_words(column: &Column, codes: &[f64]) -> String {
    let cells: Vec<String> = codes.iter().map(|&code| column.cell(code).to_string()).collect();
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let (name, ColumnKind::Category(names)) = (&column.name, &column.kind) else { return named(&column.name, &cells) };
    let all = names.len() + usize::from(column.missing.is_some());
    // The shorter of the two lists is read more easily.
    if cells.len() * 2 > all && cells.len() > SHOWN_CATEGORIES {
        let others =
            (0..names.len()).map(|code| code as f64).chain(column.missing).filter(|code| !codes.contains(code));
        let others: Vec<String> = others.map(|code| column.cell(code).to_string()).collect();
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        return named(name, &others).replacen(" is ", " is not ", 1);
    }
    named(name, &cells)
}

/// A column with the values that it may have; of many only the first ones are named.
fn named(name: &str, values: &[&str]) -> String {
    match values {
        [only] => format!("{name} is {only}"),
        few if few.len() <= SHOWN_CATEGORIES => format!("{name} is one of {}", few.join(", ")),
        many => {
            let (first, more) = (many[..SHOWN_CATEGORIES - 2].join(", "), many.len() - (SHOWN_CATEGORIES - 2));
            format!("{name} is one of {first} and {more} more")
        }
    }
}

/// A boundary in the shortest form that single precision, in which the surrogate compares, does not tell from it: a split
/// between 1.6 and 1.7 reads 1.65, not 1.6500000357627869.
fn boundary(column: &Column, threshold: f64) -> String {
    if let ColumnKind::Moment(form) = column.kind {
        return form.write(threshold);
    }
    if column.is_whole() {
        return threshold.floor().to_string();
    }
    let shorter = (0..9).map(|digits| format!("{threshold:.digits$e}").parse::<f64>().unwrap_or(threshold));
    let is_near = |short: &f64| (short - threshold).abs() <= f64::from(f32::EPSILON) * threshold.abs();
    let mut near = shorter.filter(is_near);
    near.next().unwrap_or(threshold).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::read_csv;
    use crate::tree::leaf::leaves;
    use crate::tree::{Growth, Ranked, grow};

    fn properties(csv: &str, growth: Growth) -> Vec<String> {
        let data = read_csv(csv.as_bytes(), "data.csv", "y").unwrap();
        let ranked = Ranked::new(&data.features, &data.labels, data.classes.len()).unwrap();
        let tree = grow(&ranked, (0..data.rows() as u32).collect(), growth);
        leaves(&tree).iter().map(|leaf| property_in_words(leaf, &data)).collect()
    }

    #[test]
    fn numbers_read_as_comparisons() {
        let csv = "a,y\n0.1,k\n0.2,k\n0.6,m\n0.7,m\n1.1,k\n1.3,k\n";
        let expected = ["a ≤ 0.4 → k (2 of 2 rows)", "0.4 < a ≤ 0.9 → m (2 of 2 rows)", "a > 0.9 → k (2 of 2 rows)"];
        assert_eq!(properties(csv, Growth::default()), expected);
    }

    #[test]
    fn whole_numbers_booleans_and_categories_read_as_themselves() {
        assert_eq!(
            properties("age,y\n1,k\n2,k\n7,m\n8,m\n", Growth::default()),
            ["age ≤ 4 → k (2 of 2 rows)", "age > 4 → m (2 of 2 rows)"]
        );
        assert_eq!(
            properties("on,y\ntrue,k\nfalse,m\ntrue,k\nfalse,m\n", Growth::default()),
            ["on is False → m (2 of 2 rows)", "on is True → k (2 of 2 rows)"]
        );
        assert_eq!(
            properties("hue,y\nred,k\nblue,k\ngreen,m\ngreen,m\n", Growth::default()),
            ["hue is one of blue, red → k (2 of 2 rows)", "hue is green → m (2 of 2 rows)"]
        );
    }

    #[test]
    fn missing_cells_have_a_side_of_their_own() {
        assert_eq!(
            properties("a,y\n1,k\n2,k\n,m\n,m\n", Growth::default()),
            ["a is missing → m (2 of 2 rows)", "a is present → k (2 of 2 rows)"]
        );
        assert_eq!(
            properties("a,y\n1,m\n,m\n5,k\n6,k\n", Growth::default()),
            ["(a ≤ 3 or a is missing) → m (2 of 2 rows)", "a > 3 → k (2 of 2 rows)"]
        );
    }

    #[test]
    fn a_tree_of_one_leaf_has_one_property() {
        let growth = Growth { max_depth: Some(0), ..Growth::default() };
        assert_eq!(properties("a,y\n1,k\n2,k\n7,m\n8,k\n9,m\n", growth), ["always → k (3 of 5 rows)"]);
    }
}
