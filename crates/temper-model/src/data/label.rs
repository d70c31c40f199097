//! Labels: what a model answers and what the target column holds.

use std::cmp::Ordering;
use std::fmt;

/// One label. Labels of one data set have one kind; they sort as their kind does, kinds in the order given here.
#[derive(Clone, Debug)]
pub enum Label {
    /// `True` or `False`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction, or one that was written with a point.
    Float(f64),
    /// Anything else.
    Text(String),
}

impl Label {
    fn kind(&self) -> u8 {
        match self {
            Label::Boolean(_) => 0,
            Label::Integer(_) => 1,
            Label::Float(_) => 2,
            Label::Text(_) => 3,
        }
    }

    /// The label as a number, where it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Label::Boolean(value) => Some(f64::from(u8::from(*value))),
            Label::Integer(value) => Some(*value as f64),
            Label::Float(value) => Some(*value),
            Label::Text(_) => None,
        }
    }
}

impl Ord for Label {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Label::Boolean(a), Label::Boolean(b)) => a.cmp(b),
            (Label::Integer(a), Label::Integer(b)) => a.cmp(b),
            (Label::Float(a), Label::Float(b)) => a.total_cmp(b),
            (Label::Text(a), Label::Text(b)) => a.cmp(b),
            _ => self.kind().cmp(&other.kind()),
        }
    }
}

impl PartialOrd for Label {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Label {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Label {}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Boolean(value) => f.write_str(if *value { "True" } else { "False" }),
            Label::Integer(value) => value.fmt(f),
            Label::Float(value) => write!(f, "{value:?}"),
            Label::Text(value) => value.fmt(f),
        }
    }
}

/// The distinct labels in sorted order, and each row's class as a position among them.
pub fn number_classes(labels: &[Label]) -> (Vec<Label>, Vec<usize>) {
    let mut classes = labels.to_vec();
    classes.sort();
    classes.dedup();
    let rows = labels.iter().map(|label| classes.partition_point(|class| class < label)).collect();
    (classes, rows)
}

/// The class of a label that a model returned. Numbers are compared by value, because models turn `1` into `1.0` or `True`, and
/// texts by what they say, because models that were trained on texts answer `'1'`.
pub fn class_of(classes: &[Label], label: &Label) -> Option<usize> {
    let same_text = |class: &Label| {
        matches!((class, label), (Label::Text(_), _) | (_, Label::Text(_))) && class.to_string() == label.to_string()
    };
    classes.binary_search(label).ok().or_else(|| {
        let number = label.number();
        classes.iter().position(|class| (number.is_some() && class.number() == number) || same_text(class))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_numbered_in_sorted_order() {
        let labels = ["b", "a", "c", "a"].map(|text| Label::Text(text.into()));
        let (classes, rows) = number_classes(&labels);
        assert_eq!(classes.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(rows, [1, 0, 2, 0]);
    }

    #[test]
    fn labels_match_across_kinds_by_value_or_by_what_they_say() {
        let classes = [Label::Integer(0), Label::Integer(1)];
        assert_eq!(class_of(&classes, &Label::Float(1.0)), Some(1));
        assert_eq!(class_of(&classes, &Label::Boolean(true)), Some(1));
        assert_eq!(class_of(&classes, &Label::Float(0.5)), None);
        assert_eq!(class_of(&classes, &Label::Text("1".into())), Some(1));
        assert_eq!(class_of(&classes, &Label::Text("one".into())), None);
    }
}
