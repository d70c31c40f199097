//! Properties that need no labels: statements about pairs of inputs, which hold for all inputs or do not.
//!
//! A property makes pairs from real rows, and the model is asked about both inputs of each. One pair that breaks it is a
//! counterexample, whatever the labels say. Of those that do, the pair whose inputs are closest is shown, after the one cell in which
//! they differ has been moved together as far as the property stays broken. A property that holds on all pairs is not proved.

use crate::data::dataset::Dataset;
use crate::data::matrix::Matrix;
use crate::error::{ModelError, PredictError};
use crate::seed::SeedStream;
use crate::subject::predictor::{Predictor, predict_classes, predict_in_batches};

/// Rows from which pairs are made.
const ROWS: usize = 500;
/// Pairs of each row, where a property gives a choice.
const PAIRS: usize = 8;
/// Rows that are also asked one at a time.
const SINGLE_ROWS: usize = 40;
/// Rounds in which the inputs of a pair are moved together: to a millionth of their distance.
const ROUNDS: usize = 20;

/// A statement about a model.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelProperty {
    /// Another value in a column changes no answer.
    Indifferent {
        /// The column.
        column: usize,
    },
    /// A greater value in a column never gives a lower class, or never a higher one.
    Monotone {
        /// The column.
        column: usize,
        /// Whether classes rise with it.
        is_rising: bool,
    },
    /// Exchanging the cells of two columns changes no answer.
    Symmetric {
        /// The columns.
        columns: [usize; 2],
    },
    /// Moving all numbers by this share of their standard deviation changes no answer.
    Stable {
        /// The share.
        share: f64,
    },
    /// The order of the rows of a batch changes no answer.
    Order,
    /// A row has the same answer alone as in a batch.
    Batch,
}

/// A pair of inputs that breaks a property.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakingPair {
    /// The row that it was made from.
    pub row: usize,
    /// The inputs.
    pub inputs: [Vec<f64>; 2],
    /// The classes that the model answers.
    pub answers: [usize; 2],
}

/// Whether a property holds.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyResult {
    /// The property.
    pub property: ModelProperty,
    /// Pairs that were asked about.
    pub pairs: usize,
    /// Pairs that break it.
    pub broken: usize,
    /// The closest of them.
    pub closest: Option<BreakingPair>,
}

impl ModelProperty {
    /// Reads a property as users write it: `indifferent:COLUMN`, `rising:COLUMN`, `falling:COLUMN`, `symmetric:A,B`, `stable:SHARE`,
    /// `order`, `batch`.
    ///
    /// # Errors
    /// When it is none, or names a column that the table does not have.
    pub fn read(text: &str, data: &Dataset) -> Result<ModelProperty, ModelError> {
        let wrong = |wanted: &'static str| ModelError::Setting { setting: "property", value: text.to_owned(), wanted };
        let column = |name: &str| {
            let found = data.schema.columns.iter().position(|column| column.name == name);
            found.ok_or_else(|| wrong("a property of columns that the table has"))
        };
        let ordered = |name: &str| {
            let at = column(name)?;
            if data.schema.columns[at].is_numeric() { Ok(at) } else { Err(wrong("a property of a column of numbers")) }
        };
        match text.split_once(':').unwrap_or((text, "")) {
            ("indifferent", name) => Ok(ModelProperty::Indifferent { column: column(name)? }),
            ("rising", name) => Ok(ModelProperty::Monotone { column: ordered(name)?, is_rising: true }),
            ("falling", name) => Ok(ModelProperty::Monotone { column: ordered(name)?, is_rising: false }),
            ("symmetric", names) => {
                let (first, second) = names.split_once(',').ok_or_else(|| wrong("two columns, as in symmetric:a,b"))?;
                Ok(ModelProperty::Symmetric { columns: [column(first)?, column(second)?] })
            }
            ("stable", share) => match share.parse() {
                Ok(share) if share > 0.0 => Ok(ModelProperty::Stable { share }),
                _ => Err(wrong("a share of the standard deviation, as in stable:1e-6")),
            },
            ("order", "") => Ok(ModelProperty::Order),
            ("batch", "") => Ok(ModelProperty::Batch),
            _ => Err(wrong(
                "one of indifferent:COLUMN, rising:COLUMN, falling:COLUMN, symmetric:A,B, stable:SHARE, order, batch",
            )),
        }
    }

    /// The property in words.
    pub fn in_words(&self, data: &Dataset) -> String {
        let name = |column: usize| &data.schema.columns[column].name;
        match self {
            ModelProperty::Indifferent { column } => format!("indifferent to {}", name(*column)),
            ModelProperty::Monotone { column, is_rising: true } => {
                format!("never a lower class for a greater {}", name(*column))
            }
            ModelProperty::Monotone { column, is_rising: false } => {
                format!("never a higher class for a greater {}", name(*column))
            }
            ModelProperty::Symmetric { columns: [a, b] } => format!("symmetric in {} and {}", name(*a), name(*b)),
            ModelProperty::Stable { share } => format!("stable under moves of {share} standard deviations"),
            ModelProperty::Order => "indifferent to the order of rows".to_owned(),
            ModelProperty::Batch => "the same for a row alone and in a batch".to_owned(),
        }
    }

    /// Whether answers to the two inputs of a pair break it.
    fn is_broken(&self, [first, second]: [usize; 2]) -> bool {
        match self {
            ModelProperty::Monotone { is_rising: true, .. } => second < first,
            ModelProperty::Monotone { is_rising: false, .. } => second > first,
            _ => first != second,
        }
    }

    /// The column in which the inputs of a pair differ, if it is one of numbers.
    fn moved_column(&self, data: &Dataset) -> Option<usize> {
        match self {
            ModelProperty::Indifferent { column } | ModelProperty::Monotone { column, .. } => {
                data.schema.columns[*column].is_numeric().then_some(*column)
            }
            _ => None,
        }
    }

    /// Other inputs for a row.
    fn partners(&self, data: &Dataset, row: usize, random: &mut SeedStream) -> Vec<Vec<f64>> {
        let own = data.features.row(row);
        let with = |column: usize, value: f64| {
            let mut changed = own.to_vec();
            changed[column] = value;
            changed
        };
        let other = |column: usize, random: &mut SeedStream| data.features.row(random.below(data.rows()))[column];
        match self {
            ModelProperty::Indifferent { column } => {
                (0..PAIRS).map(|_| with(*column, other(*column, random))).collect()
            }
            ModelProperty::Monotone { column, .. } => {
                let missing = data.schema.columns[*column].missing;
                let values = (0..2 * PAIRS).map(|_| other(*column, random));
                let greater = values.filter(|value| *value > own[*column] && Some(own[*column]) != missing);
                greater.take(PAIRS).map(|value| with(*column, value)).collect()
            }
            ModelProperty::Symmetric { columns: [a, b] } => {
                let mut changed = own.to_vec();
                changed.swap(*a, *b);
                vec![changed]
            }
            ModelProperty::Stable { share } => {
                let moved = |random: &mut SeedStream| {
                    let cells = data.schema.columns.iter().zip(own);
                    let moved = cells.map(|(column, &value)| {
                        let is_fixed = column.is_whole() || Some(value) == column.missing;
                        let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
                        if is_fixed { value } else { value + sign * share * column.deviation }
                    });
                    moved.collect()
                };
                (0..PAIRS).map(|_| moved(random)).collect()
            }
            ModelProperty::Order | ModelProperty::Batch => Vec::new(),
        }
    }
}

/// Asks the model about pairs.
///
/// # Errors
/// When the model does not answer as a classifier must.
pub fn check_property(
    property: ModelProperty,
    data: &Dataset,
    model: &mut dyn Predictor,
    seed: u64,
) -> Result<PropertyResult, PredictError> {
    let mut random = SeedStream::new(&[seed, 0x7061_6972]);
    let mut order: Vec<usize> = (0..data.rows()).collect();
    random.shuffle(&mut order);
    order.truncate(ROWS);
    if matches!(property, ModelProperty::Order | ModelProperty::Batch) {
        return same_rows(property, data, model, &order);
    }
    let mut batch = Matrix::new(data.features.columns());
    let mut sources = Vec::new();
    for &row in &order {
        for partner in property.partners(data, row, &mut random) {
            batch.push(data.features.row(row));
            batch.push(&partner);
            sources.push(row);
        }
    }
    let answers = predict_in_batches(model, &batch, &data.classes, &mut |_| {})?;
    let pair = |at: usize| BreakingPair {
        row: sources[at],
        inputs: [batch.row(2 * at).to_vec(), batch.row(2 * at + 1).to_vec()],
        answers: [answers[2 * at], answers[2 * at + 1]],
    };
    let breaking: Vec<BreakingPair> =
        (0..sources.len()).map(pair).filter(|pair| property.is_broken(pair.answers)).collect();
    let broken = breaking.len();
    let closest = breaking.into_iter().min_by(|a, b| distance(data, a).total_cmp(&distance(data, b)));
    let closest = closest.map(|pair| moved_together(&property, data, model, pair)).transpose()?;
    Ok(PropertyResult { property, pairs: sources.len(), broken, closest })
}

/// The same rows in another order, or one at a time.
fn same_rows(
    property: ModelProperty,
    data: &Dataset,
    model: &mut dyn Predictor,
    order: &[usize],
) -> Result<PropertyResult, PredictError> {
    let rows = data.features.select(order);
    let answers = predict_classes(model, &rows, &data.classes)?;
    let again = if property == ModelProperty::Order {
        let backwards: Vec<usize> = (0..order.len()).rev().collect();
        let mut answers = predict_classes(model, &rows.select(&backwards), &data.classes)?;
        answers.reverse();
        answers
    } else {
        let alone =
            (0..order.len().min(SINGLE_ROWS)).map(|at| predict_classes(model, &rows.select(&[at]), &data.classes));
        alone.collect::<Result<Vec<_>, _>>()?.concat()
    };
    let differing: Vec<usize> = (0..again.len()).filter(|&at| again[at] != answers[at]).collect();
    let closest = differing.first().map(|&at| BreakingPair {
        row: order[at],
        inputs: [rows.row(at).to_vec(), rows.row(at).to_vec()],
        answers: [answers[at], again[at]],
    });
    Ok(PropertyResult { property, pairs: again.len(), broken: differing.len(), closest })
}

/// The pair with the cells in which it differs moved together, as long as it breaks the property.
fn moved_together(
    property: &ModelProperty,
    data: &Dataset,
    model: &mut dyn Predictor,
    mut pair: BreakingPair,
) -> Result<BreakingPair, PredictError> {
    let Some(column) = property.moved_column(data) else { return Ok(pair) };
    let is_whole = data.schema.columns[column].is_whole();
    for _ in 0..ROUNDS {
        let [low, high] = [pair.inputs[0][column], pair.inputs[1][column]];
        let mut middle = low + 0.5 * (high - low);
        if is_whole {
            middle = middle.floor();
        }
        if middle == low || middle == high {
            break;
        }
        let mut between = pair.inputs[0].clone();
        between[column] = middle;
        let answer = predict_classes(model, &Matrix::from_values(between.len(), between.clone()), &data.classes)?[0];
        // If the ends break the property, one of the halves does.
        let side = usize::from(property.is_broken([pair.answers[0], answer]));
        pair.inputs[side] = between;
        pair.answers[side] = answer;
    }
    Ok(pair)
}

/// How far the inputs of a pair are apart, in standard deviations; another category counts as one.
fn distance(data: &Dataset, pair: &BreakingPair) -> f64 {
    let cells = pair.inputs[0].iter().zip(&pair.inputs[1]);
    let columns = data.schema.columns.iter().zip(cells);
    columns
        .map(|(column, (a, b))| match column.is_ordered() && column.deviation > 0.0 {
            true => ((a - b) / column.deviation).powi(2),
            false => f64::from(u8::from(a != b)),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::label::Label;

    /// A model as a function of a row and of the size of its batch.
    struct Rule(fn(&[f64], usize) -> bool);

    impl Predictor for Rule {
        fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
            Ok(batch.iter().map(|row| Label::Integer(i64::from((self.0)(row, batch.rows())))).collect())
        }
    }

    fn data() -> Dataset {
        let mut rows = Matrix::new(3);
        let mut random = SeedStream::new(&[1]);
        for _ in 0..300 {
            let unit = |random: &mut SeedStream| random.below(1000) as f64 / 1000.0;
            rows.push(&[unit(&mut random), unit(&mut random), unit(&mut random)]);
        }
        let labels: Vec<Label> = rows.iter().map(|row| Label::Integer(i64::from(row[0] > 0.5))).collect();
        Dataset::from_numbers(&["a", "b", "c"], rows, "y", &labels).unwrap()
    }

    fn check(text: &str, rule: fn(&[f64], usize) -> bool) -> PropertyResult {
        let data = data();
        check_property(ModelProperty::read(text, &data).unwrap(), &data, &mut Rule(rule), 0).unwrap()
    }

    #[test]
    fn planted_violations_are_found_and_clean_models_are_quiet() {
        type Planted = (&'static str, fn(&[f64], usize) -> bool, fn(&[f64], usize) -> bool);
        let planted: [Planted; 10] = [
            ("indifferent:b", |x, _| x[0] + 0.2 * x[1] > 0.6, |x, _| x[0] > 0.5),
            ("indifferent:c", |x, _| x[0] > 0.5 && x[2] < 0.9, |x, _| x[0] > 0.5 && x[1] < 0.9),
            ("rising:a", |x, _| x[0] > 0.5 && x[0] < 0.8, |x, _| x[0] > 0.5 + 0.2 * x[1]),
            ("rising:b", |x, _| x[0] - 0.3 * x[1] > 0.4, |x, _| x[0] > 0.5),
            ("falling:a", |x, _| x[0] > 0.5, |x, _| x[0] < 0.5),
            ("falling:c", |x, _| (x[2] * 5.0) as i64 % 2 == 0, |x, _| x[2] < 0.4),
            ("symmetric:a,b", |x, _| x[0] + 0.8 * x[1] > 1.0, |x, _| x[0] + x[1] > 1.0),
            ("stable:1e-6", |x, _| x[0].to_bits() % 2 == 0, |x, _| x[0] > 0.50035),
            ("batch", |x, rows| x[0] > 0.5 && rows > 1, |x, _| x[0] > 0.5),
            ("order", |x, _| x[0] > 0.5, |x, _| x[0] > 0.5),
        ];
        for (text, broken, clean) in planted.into_iter().filter(|(text, ..)| *text != "order") {
            let found = check(text, broken);
            assert!(found.broken > 0 && found.closest.is_some(), "{text}: {found:?}");
            let quiet = check(text, clean);
            assert!(quiet.broken == 0 && quiet.pairs > 30, "{text}: {quiet:?}");
        }
    }

    /// Answers by position: the first half of a batch is of one class.
    struct ByPosition;

    impl Predictor for ByPosition {
        fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
            Ok((0..batch.rows()).map(|at| Label::Integer(i64::from(2 * at < batch.rows()))).collect())
        }
    }

    #[test]
    fn a_model_that_looks_at_the_order_of_rows_is_found() {
        let data = data();
        assert!(check_property(ModelProperty::Order, &data, &mut ByPosition, 0).unwrap().broken > 0);
        assert_eq!(check("order", |x, _| x[0] > 0.5).broken, 0);
    }

    #[test]
    fn the_pair_is_moved_together_to_where_the_answer_changes() {
        let found = check("rising:a", |x, _| x[0] > 0.5 && x[0] < 0.8).closest.unwrap();
        let [low, high] = [found.inputs[0][0], found.inputs[1][0]];
        assert!((low - 0.8).abs() < 1e-5 && (high - 0.8).abs() < 1e-5, "{low} {high}");
        assert_eq!(found.inputs[0][1..], found.inputs[1][1..]);
    }

    #[test]
    fn properties_that_cannot_be_read_are_refused() {
        let data = data();
        for text in ["rising:z", "stable:x", "symmetric:a", "round", "order:a"] {
            assert!(ModelProperty::read(text, &data).is_err(), "{text}");
        }
    }
}
