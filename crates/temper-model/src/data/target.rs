//! What the target column holds: classes, or a quantity.

use crate::data::label::{Label, number_classes};
use crate::error::ModelError;

/// What the target is taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetKind {
    /// Classes; what looks like a quantity is refused.
    #[default]
    Classes,
    /// A quantity.
    Quantity,
    /// What it looks like.
    AsItLooks,
}

/// The target of every row.
pub(crate) struct TargetValues {
    /// The distinct classes, sorted; none of a quantity.
    pub classes: Vec<Label>,
    /// Each row's class, or the quarter of its quantity.
    pub labels: Vec<usize>,
    /// The quantities.
    pub quantity: Option<Vec<f64>>,
}

impl TargetValues {
    /// Reads labels as what they are taken for.
    pub fn checked(target: &str, labels: &[Label], kind: TargetKind) -> Result<TargetValues, ModelError> {
        if is_quantity(labels, kind) {
            return quantities(target, labels);
        }
        let (classes, labels) = checked_classes(target, labels)?;
        Ok(TargetValues { classes, labels, quantity: None })
    }
}

/// Each row's class, or the quarter of its quantity, unchecked: for the order of categories.
pub(crate) fn strata(labels: &[Label], kind: TargetKind) -> Vec<usize> {
    let numbers: Option<Vec<f64>> = labels.iter().map(Label::number).collect();
    match numbers {
        Some(numbers) if is_quantity(labels, kind) => quarters(&numbers),
        _ => number_classes(labels).1,
    }
}

fn is_quantity(labels: &[Label], kind: TargetKind) -> bool {
    match kind {
        TargetKind::Classes => false,
        TargetKind::Quantity => true,
        TargetKind::AsItLooks => quantity_example(&number_classes(labels).0, labels.len()).is_some(),
    }
}

fn quantities(target: &str, labels: &[Label]) -> Result<TargetValues, ModelError> {
    let number = |label: &Label| label.number().filter(|value| value.is_finite());
    if let Some(row) = labels.iter().position(|label| number(label).is_none()) {
        let value = labels[row].to_string();
        return Err(ModelError::NotQuantity { target: target.into(), row: row + 1, value });
    }
    let values: Vec<f64> = labels.iter().filter_map(number).collect();
    if values.iter().all(|value| *value == values[0]) {
        return Err(ModelError::OneClass { target: target.into(), class: labels[0].clone() });
    }
    Ok(TargetValues { classes: Vec::new(), labels: quarters(&values), quantity: Some(values) })
}

/// The quarter of the values in which each lies.
pub(crate) fn quarters(values: &[f64]) -> Vec<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let ends: Vec<f64> = (1..4).map(|quarter| sorted[sorted.len() * quarter / 4]).collect();
    values.iter().map(|value| ends.partition_point(|end| end <= value)).collect()
}

/// Classes, if there is something to tell apart.
fn checked_classes(target: &str, labels: &[Label]) -> Result<(Vec<Label>, Vec<usize>), ModelError> {
    let (classes, rows) = number_classes(labels);
    if let [class] = classes.as_slice() {
        return Err(ModelError::OneClass { target: target.into(), class: class.clone() });
    }
    if let Some(example) = quantity_example(&classes, rows.len()) {
        let (distinct, rows) = (classes.len(), rows.len());
        return Err(ModelError::Regression { target: target.into(), distinct, rows, example });
    }
    let mut counts = vec![0; classes.len()];
    for &row in &rows {
        counts[row] += 1;
    }
    if let Some(class) = counts.iter().position(|&count| count == 1) {
        return Err(ModelError::SmallClass { target: target.into(), class: classes[class].clone() });
    }
    Ok((classes, rows))
}

/// An example when the labels look like a quantity: more than ten numbers with fractions, or whole numbers of which most
/// rows have their own. Both limits are far from any target of classes we have met.
fn quantity_example(classes: &[Label], rows: usize) -> Option<Label> {
    let numbers: Option<Vec<f64>> = classes.iter().map(Label::number).collect();
    let numbers = numbers?;
    let fraction = numbers.iter().position(|number| number.fract() != 0.0);
    match fraction {
        Some(index) if classes.len() > 10 => Some(classes[index].clone()),
        None if classes.len() > 20 && classes.len() * 2 > rows => Some(classes[0].clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_told_from_classes_by_their_looks_and_have_quarters() {
        let numbers: Vec<Label> = (0..40).map(|at| Label::Float(f64::from(at) + 0.5)).collect();
        let looks = TargetValues::checked("y", &numbers, TargetKind::AsItLooks).unwrap();
        assert_eq!(looks.quantity.as_ref().map(Vec::len), Some(40));
        assert_eq!(
            (0..4).map(|quarter| looks.labels.iter().filter(|&&own| own == quarter).count()).collect::<Vec<_>>(),
            [10; 4]
        );
        let classes: Vec<Label> = (0..40).map(|at| Label::Integer(at % 2)).collect();
        assert!(TargetValues::checked("y", &classes, TargetKind::AsItLooks).unwrap().quantity.is_none());
        assert!(TargetValues::checked("y", &classes, TargetKind::Quantity).unwrap().quantity.is_some());
    }

    #[test]
    fn a_text_is_no_quantity() {
        let labels = [Label::Text("high".into()), Label::Text("low".into())];
        let error = TargetValues::checked("y", &labels, TargetKind::Quantity).err().map(|error| error.to_string());
        assert!(error.is_some_and(|text| text.contains("`high`")));
    }
}
