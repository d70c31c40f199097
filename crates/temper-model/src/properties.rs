//! Properties that need no labels: statements about pairs of inputs, which hold for all inputs or do not.
//!
//! A property makes pairs from real rows, and the model is asked about both inputs of each. One pair that breaks it is a
//! counterexample, whatever the labels say. Of those that do, the pair whose inputs are closest is shown, after the one cell in which
//! they differ has been moved together as far as the property stays broken. A property that holds on all pairs is not proved.
//! Properties of a single row compare two ways of asking about it: alone or in a batch, with its columns in another order, by
//! its class or by its probabilities.

use crate::calibration::class_columns;
use crate::data::dataset::Dataset;
use crate::data::matrix::Matrix;
use crate::data::schema::ColumnKind;
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
    /// The order of the columns changes no answer.
    Columns,
    /// The class that is answered is the one with the highest probability.
    Probabilities,
    /// A quantity in another unit, with the unit's column changed, has the same answer.
    Units {
        /// The column of the quantity.
        column: usize,
        /// The column of the unit.
        unit: usize,
        /// The two units, as codes of that column.
        between: [f64; 2],
        /// What a quantity in the first unit is multiplied by for the second.
        factor: f64,
    },
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
    /// `units:COLUMN,UNIT COLUMN,FROM,TO,FACTOR`, `order`, `columns`, `batch`, `probabilities`.
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
            ("columns", "") => Ok(ModelProperty::Columns),
            ("probabilities", "") => Ok(ModelProperty::Probabilities),
            ("units", parts) => {
                let wanted =
                    wrong("a column, that of its unit, two units and a factor, as in units:weight,unit,kg,g,1000");
                let parts: Vec<&str> = parts.split(',').collect();
                let [name, unit, from, to, factor] = parts.as_slice() else { return Err(wanted) };
                let (column, unit) = (ordered(name)?, column(unit)?);
                let code = |name: &str| match &data.schema.columns[unit].kind {
                    ColumnKind::Category(names) => names.iter().position(|other| other == name).map(|at| at as f64),
                    _ => None,
                };
                match (code(from), code(to), factor.parse::<f64>()) {
                    (Some(from), Some(to), Ok(factor)) if factor > 0.0 => {
                        Ok(ModelProperty::Units { column, unit, between: [from, to], factor })
                    }
                    _ => Err(wanted),
                }
            }
            _ => Err(wrong(
                "one of indifferent:COLUMN, rising:COLUMN, falling:COLUMN, symmetric:A,B, stable:SHARE, units:..., order, \
                 columns, batch, probabilities, suggest",
            )),
        }
    }

    /// The property as users write it.
    pub fn written(&self, data: &Dataset) -> String {
        let name = |column: usize| &data.schema.columns[column].name;
        match self {
            ModelProperty::Indifferent { column } => format!("indifferent:{}", name(*column)),
            ModelProperty::Monotone { column, is_rising: true } => format!("rising:{}", name(*column)),
            ModelProperty::Monotone { column, is_rising: false } => format!("falling:{}", name(*column)),
            ModelProperty::Symmetric { columns: [a, b] } => format!("symmetric:{},{}", name(*a), name(*b)),
            ModelProperty::Stable { share } => format!("stable:{share}"),
            ModelProperty::Order => "order".to_owned(),
            ModelProperty::Batch => "batch".to_owned(),
            ModelProperty::Columns => "columns".to_owned(),
            ModelProperty::Probabilities => "probabilities".to_owned(),
            ModelProperty::Units { column, unit, between, factor } => {
                let [from, to] = between.map(|code| data.schema.columns[*unit].cell(code).to_string());
                format!("units:{},{},{from},{to},{factor}", name(*column), name(*unit))
            }
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
            ModelProperty::Columns => "indifferent to the order of columns".to_owned(),
            ModelProperty::Probabilities => "answers the class with the highest probability".to_owned(),
            ModelProperty::Units { column, unit, between, factor } => {
                let [from, to] = between.map(|code| data.schema.columns[*unit].cell(code).to_string());
                format!("the same for {} in {from} and, times {factor}, in {to}", name(*column))
            }
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
            ModelProperty::Units { column, unit, between: [from, to], factor } => {
                let is_present = Some(own[*column]) != data.schema.columns[*column].missing;
                let mut changed = own.to_vec();
                changed[*unit] = *to;
                changed[*column] *= factor;
                if own[*unit] == *from && is_present { vec![changed] } else { Vec::new() }
            }
            _ => Vec::new(),
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
    if let Some(way) = OtherWay::of(&property) {
        return same_rows(property, way, data, model, &order);
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

/// Another way of asking about the same rows.
#[derive(Clone, Copy)]
enum OtherWay {
    Backwards,
    Alone,
    ColumnsBackwards,
    ByProbabilities,
}

impl OtherWay {
    fn of(property: &ModelProperty) -> Option<OtherWay> {
        match property {
            ModelProperty::Order => Some(OtherWay::Backwards),
            ModelProperty::Batch => Some(OtherWay::Alone),
            ModelProperty::Columns => Some(OtherWay::ColumnsBackwards),
            ModelProperty::Probabilities => Some(OtherWay::ByProbabilities),
            _ => None,
        }
    }

    /// The classes of the rows, or of the first ones, when the model is asked in this way.
    fn ask(
        self,
        data: &Dataset,
        model: &mut dyn Predictor,
        rows: &Matrix,
        first: &[usize],
    ) -> Result<Vec<usize>, PredictError> {
        let classes = &data.classes;
        match self {
            OtherWay::Backwards => {
                let backwards: Vec<usize> = (0..rows.rows()).rev().collect();
                let mut answers = predict_classes(model, &rows.select(&backwards), classes)?;
                answers.reverse();
                Ok(answers)
            }
            OtherWay::Alone => {
                let alone = 0..rows.rows().min(SINGLE_ROWS);
                let alone = alone.map(|at| predict_classes(model, &rows.select(&[at]), classes));
                Ok(alone.collect::<Result<Vec<_>, _>>()?.concat())
            }
            OtherWay::ColumnsBackwards => {
                let order: Vec<usize> = (0..rows.columns()).rev().collect();
                let mut turned = Matrix::new(rows.columns());
                for row in rows.iter() {
                    turned.push(&order.iter().map(|&column| row[column]).collect::<Vec<_>>());
                }
                match model.with_columns(&order) {
                    Some(mut other) => predict_classes(other.as_mut(), &turned, classes),
                    None => Ok(Vec::new()),
                }
            }
            OtherWay::ByProbabilities => {
                let found = model.probabilities(rows)?;
                let columns = class_columns(data, &found)?;
                // A class whose probability is as high as any other is a right answer.
                let highest = |(shares, &first): (&[f64], &usize)| most_likely(shares, columns.as_deref(), first);
                Ok(found.shares.iter().zip(first).map(highest).collect())
            }
        }
    }
}

/// The class with the highest probability; `first` if none is higher than its own.
fn most_likely(shares: &[f64], columns: Option<&[usize]>, first: usize) -> usize {
    let share = |class: usize| match columns {
        Some(columns) => shares[columns[class]],
        None if class == 1 => shares[0],
        None => 1.0 - shares[0],
    };
    let classes = columns.map_or(2, <[usize]>::len);
    let best = (0..classes).max_by(|&a, &b| share(a).total_cmp(&share(b))).unwrap_or(first);
    if share(first) >= share(best) - 1e-9 { first } else { best }
}

/// The same rows, asked about in two ways.
fn same_rows(
    property: ModelProperty,
    way: OtherWay,
    data: &Dataset,
    model: &mut dyn Predictor,
    order: &[usize],
) -> Result<PropertyResult, PredictError> {
    let rows = data.features.select(order);
    let answers = predict_classes(model, &rows, &data.classes)?;
    let again = way.ask(data, model, &rows, &answers)?;
    let differing: Vec<usize> = (0..again.len()).filter(|&at| again[at] != answers[at]).collect();
    let closest = differing.first().map(|&at| BreakingPair {
        row: order[at],
        inputs: [rows.row(at).to_vec(), rows.row(at).to_vec()],
        answers: [answers[at], again[at]],
    });
    Ok(PropertyResult { property, pairs: again.len(), broken: differing.len(), closest })
}

/// Answers that must change with a column before a direction is suggested.
const FEWEST_CHANGES: usize = 20;

/// Properties that the model has on the rows given: columns with which the class only rises or only falls, and columns that it
/// does not read.
///
/// # Errors
/// When the model does not answer as a classifier must.
pub fn suggested(data: &Dataset, model: &mut dyn Predictor, seed: u64) -> Result<Vec<PropertyResult>, PredictError> {
    let mut found = Vec::new();
    for (column, own) in data.schema.columns.iter().enumerate() {
        if own.is_identifier || own.lowest() == own.max {
            continue;
        }
        let directions = if own.is_numeric() { one_direction(data, model, column, seed)? } else { Vec::new() };
        let indifferent = check_property(ModelProperty::Indifferent { column }, data, model, seed)?;
        let is_indifferent = indifferent.broken == 0 && indifferent.pairs > 0;
        found.extend(if is_indifferent { vec![indifferent] } else { directions });
    }
    Ok(found)
}

/// The one direction in which the class changes with a column, if it does often enough.
fn one_direction(
    data: &Dataset,
    model: &mut dyn Predictor,
    column: usize,
    seed: u64,
) -> Result<Vec<PropertyResult>, PredictError> {
    let mut check = |is_rising| check_property(ModelProperty::Monotone { column, is_rising }, data, model, seed);
    let (rising, falling) = (check(true)?, check(false)?);
    let is_clear = |kept: &PropertyResult, other: &PropertyResult| kept.broken == 0 && other.broken >= FEWEST_CHANGES;
    Ok(if is_clear(&rising, &falling) {
        vec![rising]
    } else if is_clear(&falling, &rising) {
        vec![falling]
    } else {
        Vec::new()
    })
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
    use crate::subject::predictor::Probabilities;

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
    fn suggested_properties_are_those_that_hold_and_say_something() {
        let data = data();
        let found = suggested(&data, &mut Rule(|x, _| x[0] - x[1] > 0.1), 0).unwrap();
        let written: Vec<String> = found.iter().map(|result| result.property.written(&data)).collect();
        assert_eq!(written, ["rising:a", "falling:b", "indifferent:c"]);
        for text in &written {
            assert_eq!(ModelProperty::read(text, &data).unwrap().written(&data), *text);
        }
    }

    /// A model with probabilities, which answers by the threshold 0.5 or by another one.
    struct WithProbabilities(f64);

    impl Predictor for WithProbabilities {
        fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
            Ok(batch.iter().map(|row| Label::Integer(i64::from(row[0] > self.0))).collect())
        }

        fn probabilities(&mut self, batch: &Matrix) -> Result<Probabilities, PredictError> {
            let shares = batch.iter().flat_map(|row| [1.0 - row[0], row[0]]).collect();
            Ok(Probabilities {
                classes: vec![Label::Integer(0), Label::Integer(1)],
                shares: Matrix::from_values(2, shares),
            })
        }
    }

    #[test]
    fn classes_that_are_not_the_likeliest_are_found() {
        let data = data();
        let broken = check_property(ModelProperty::Probabilities, &data, &mut WithProbabilities(0.4), 0).unwrap();
        let pair = broken.closest.unwrap();
        assert!(broken.broken > 0 && pair.answers == [1, 0] && pair.inputs[0] == pair.inputs[1], "{pair:?}");
        let clean = check_property(ModelProperty::Probabilities, &data, &mut WithProbabilities(0.5), 0).unwrap();
        assert_eq!((clean.broken, clean.pairs), (0, 300));
    }

    /// Reads `a` by its name, or the first column whatever it is called.
    struct ByName {
        at: usize,
        is_by_position: bool,
    }

    impl Predictor for ByName {
        fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
            Ok(batch.iter().map(|row| Label::Integer(i64::from(row[self.at] > 0.5))).collect())
        }

        fn with_columns(&self, order: &[usize]) -> Option<Box<dyn Predictor>> {
            let at = if self.is_by_position { 0 } else { order.iter().position(|&column| column == self.at)? };
            Some(Box::new(ByName { at, is_by_position: self.is_by_position }))
        }
    }

    #[test]
    fn a_model_that_reads_columns_by_their_position_is_found() {
        let data = data();
        let broken = |is_by_position| {
            let mut model = ByName { at: 0, is_by_position };
            check_property(ModelProperty::Columns, &data, &mut model, 0).unwrap().broken
        };
        assert!(broken(true) > 0);
        assert_eq!(broken(false), 0);
    }

    #[test]
    fn a_unit_that_is_changed_with_its_column_changes_no_answer() {
        let row = |at: usize| {
            let (unit, factor) = [("kg", 1.0), ("g", 1000.0)][at % 2];
            format!("{},{unit},{}\n", at as f64 * factor, u8::from(at > 50))
        };
        let rows: String = (0..100).map(row).collect();
        let data = crate::data::csv::read_csv(format!("weight,unit,y\n{rows}").as_bytes(), "data.csv", "y").unwrap();
        let property = ModelProperty::read("units:weight,unit,kg,g,1000", &data).unwrap();
        assert_eq!(property.written(&data), "units:weight,unit,kg,g,1000");
        let ModelProperty::Units { between: [kg, _], .. } = property else { panic!("{property:?}") };
        // A rule is a plain function: the code of `kg` is 0 or 1 by the order of the categories.
        let heavy: fn(&[f64], usize) -> bool = match kg == 0.0 {
            true => |x, _| x[0] / if x[1] == 0.0 { 1.0 } else { 1000.0 } > 50.0,
            false => |x, _| x[0] / if x[1] == 1.0 { 1.0 } else { 1000.0 } > 50.0,
        };
        let clean = check_property(property.clone(), &data, &mut Rule(heavy), 0).unwrap();
        assert_eq!((clean.broken, clean.pairs), (0, 50));
        let broken = check_property(property, &data, &mut Rule(|x, _| x[0] > 50.0), 0).unwrap();
        assert!(broken.broken > 0 && broken.closest.is_some());
    }

    #[test]
    fn properties_that_cannot_be_read_are_refused() {
        let data = data();
        for text in ["rising:z", "stable:x", "symmetric:a", "round", "order:a", "units:a,b,kg,g,2", "units:a"] {
            assert!(ModelProperty::read(text, &data).is_err(), "{text}");
        }
    }
}
