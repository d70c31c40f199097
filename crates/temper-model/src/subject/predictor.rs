//! The model under test, as this crate sees it: a batch in, labels out.

use crate::data::dataset::Dataset;
use crate::data::label::{Label, class_of};
use crate::data::matrix::Matrix;
use crate::error::{PredictError, listed};

/// A trained classifier.
pub trait Predictor {
    /// One label per row of the batch. Cells are numbers; [`crate::Column::cell`] says what they stand for.
    ///
    /// # Errors
    /// When the model raises.
    fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError>;

    /// One number per row, of a model whose target is a quantity.
    ///
    /// # Errors
    /// When the model raises, or answers something else.
    fn quantities(&mut self, batch: &Matrix) -> Result<Vec<f64>, PredictError> {
        numbers(&self.predict(batch)?)
    }

    /// The probabilities of classes.
    ///
    /// # Errors
    /// When the model raises, or has none.
    fn probabilities(&mut self, _: &Matrix) -> Result<Probabilities, PredictError> {
        Err(PredictError::NoProbabilities { message: "it answers classes".to_owned() })
    }

    /// The same model for batches whose columns are in another order, given as positions in its own; none if columns have no
    /// names for it.
    fn with_columns(&self, _order: &[usize]) -> Option<Box<dyn Predictor>> {
        None
    }
}

/// The probabilities that a model gives to the classes of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Probabilities {
    /// The class of each column; none if the model does not say.
    pub classes: Vec<Label>,
    /// One row for each row that was asked about.
    pub shares: Matrix,
}

/// Labels as finite numbers.
fn numbers(labels: &[Label]) -> Result<Vec<f64>, PredictError> {
    let number = |label: &Label| {
        let found = label.number().filter(|value| value.is_finite());
        found.ok_or_else(|| PredictError::NotNumber { message: format!("it answers `{label}`") })
    };
    labels.iter().map(number).collect()
}

/// A model that answers the second of two classes if its probability is at least the threshold.
pub struct AtThreshold {
    /// The model.
    pub model: Box<dyn Predictor>,
    /// The two classes, sorted.
    pub classes: [Label; 2],
    /// The threshold.
    pub threshold: f64,
}

impl Predictor for AtThreshold {
    fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
        let found = self.model.probabilities(batch)?;
        let second = match found.classes.is_empty() {
            true => Some(found.shares.columns() - 1),
            false => class_of(&found.classes, &self.classes[1]),
        };
        let column = second.filter(|column| *column < found.shares.columns()).ok_or_else(|| {
            PredictError::NoProbabilities { message: format!("it has none of class `{}`", self.classes[1]) }
        })?;
        let class = |row: &[f64]| self.classes[usize::from(row[column] >= self.threshold)].clone();
        Ok(found.shares.iter().map(class).collect())
    }

    fn probabilities(&mut self, batch: &Matrix) -> Result<Probabilities, PredictError> {
        self.model.probabilities(batch)
    }
}

/// A way to train classifiers, for cross-validation and for mutants.
pub trait Trainer {
    /// A classifier trained on these rows.
    ///
    /// # Errors
    /// When training raises.
    fn train(&mut self, rows: &Dataset) -> Result<Box<dyn Predictor>, PredictError>;
}

/// Asks the model and turns its labels into classes.
///
/// # Errors
/// When the model raises, answers another number of labels, or answers something that is no class.
pub fn predict_classes(
    model: &mut dyn Predictor,
    batch: &Matrix,
    classes: &[Label],
) -> Result<Vec<usize>, PredictError> {
    if batch.rows() == 0 {
        return Ok(Vec::new());
    }
    let labels = model.predict(batch)?;
    if labels.len() != batch.rows() {
        return Err(PredictError::WrongLength { found: labels.len(), expected: batch.rows() });
    }
    // Unknown labels are judged only when met: a model that answers classes never pays for it.
    let found: Option<Vec<usize>> = labels.iter().map(|label| class_of(classes, label)).collect();
    found.ok_or_else(|| explain(&labels, classes))
}

/// Rows that a model is asked about at once.
pub const BATCH: usize = 10_000;

/// Asks the model in batches, and says after each how many rows it had.
///
/// # Errors
/// As [`predict_classes`].
pub fn predict_in_batches(
    model: &mut dyn Predictor,
    rows: &Matrix,
    classes: &[Label],
    on_batch: &mut dyn FnMut(usize),
) -> Result<Vec<usize>, PredictError> {
    ask_in_batches(rows, |batch| predict_classes(model, batch, classes), on_batch)
}

/// Asks about rows in batches, whatever is asked.
///
/// # Errors
/// Those of `ask`, and when there is not one answer a row.
pub fn ask_in_batches<T>(
    rows: &Matrix,
    mut ask: impl FnMut(&Matrix) -> Result<Vec<T>, PredictError>,
    on_batch: &mut dyn FnMut(usize),
) -> Result<Vec<T>, PredictError> {
    let mut answers = Vec::with_capacity(rows.rows());
    let columns = rows.columns();
    for batch in rows.values().chunks(BATCH * columns.max(1)) {
        let batch = Matrix::from_values(columns, batch.to_vec());
        let found = ask(&batch)?;
        if found.len() != batch.rows() {
            return Err(PredictError::WrongLength { found: found.len(), expected: batch.rows() });
        }
        answers.extend(found);
        on_batch(batch.rows());
    }
    Ok(answers)
}

fn explain(labels: &[Label], classes: &[Label]) -> PredictError {
    let unknown = labels.iter().find(|label| class_of(classes, label).is_none());
    let value = unknown.cloned().unwrap_or(Label::Text(String::new()));
    let classes_list = listed(classes);
    let between = |label: &Label| label.number().is_some_and(|number| (0.0..=1.0).contains(&number));
    let is_fraction = |label: &Label| label.number().is_some_and(|number| number.fract() != 0.0);
    if labels.iter().all(between) && labels.iter().any(is_fraction) {
        return PredictError::Probabilities { value, classes: classes_list };
    }
    PredictError::UnseenLabel { value, classes: classes_list }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(Vec<Label>);

    impl Predictor for Fixed {
        fn predict(&mut self, _: &Matrix) -> Result<Vec<Label>, PredictError> {
            Ok(self.0.clone())
        }
    }

    fn check(answers: Vec<Label>, expected: Result<Vec<usize>, &str>) {
        let batch = Matrix::from_values(1, vec![0.0, 1.0]);
        let classes = [Label::Integer(0), Label::Integer(1)];
        let found = predict_classes(&mut Fixed(answers), &batch, &classes).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[test]
    fn answers_that_are_no_labels_are_explained() {
        check(vec![Label::Integer(1), Label::Float(0.0)], Ok(vec![1, 0]));
        check(
            vec![Label::Integer(1)],
            Err("the model answered 1 labels for 2 rows\nhint: `predict` takes a batch and returns one label a row"),
        );
        check(
            vec![Label::Float(0.2), Label::Float(0.9)],
            Err(
                "the model answered `0.2`, which looks like a probability, not like a class\n  classes: `0`, `1`\nhint: return labels, for example `model.predict_proba(rows).argmax(axis=1)`",
            ),
        );
        check(
            vec![Label::Integer(1), Label::Integer(7)],
            Err("the model answered `7`, which is no class of the target column\n  classes: `0`, `1`"),
        );
    }
}
