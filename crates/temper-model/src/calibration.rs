//! Whether a model's probabilities hold: how often what they are given for is the case, on all rows and region by region.
//!
//! Of two classes the probability of the second is looked at, of more that of the class with the highest. The probability is also a
//! column that regions may be described by, so that a model which is too sure of itself everywhere is found.
//!
//! The null hypothesis is that no probability is off by more than the margin. Then the count of what is the case is at most that of
//! events with the chances said plus the margin, whose distribution is known exactly (Poisson binomial): the test, one-sided in both
//! directions, errs to the careful side for every such model. Regions are looked for in units of what chance allows: one row
//! in ten that fails tells little at 0.8 and much at 0.99.

use std::borrow::Cow;

use temper_stats::Confidence;
use temper_stats::interval::wilson;
use temper_stats::poisson_binomial::at_least;

use crate::data::dataset::Dataset;
use crate::data::label::class_of;
use crate::data::matrix::Matrix;
use crate::data::schema::{Column, Schema};
use crate::error::PredictError;
use crate::judge::baseline::BaselineOrigin;
use crate::regions::judge_rows::RowOptions;
use crate::regions::measured::{MeasuredJudgement, RegionMeasure, Shown, judge_measure};
use crate::subject::predictor::Probabilities;

/// The points by which a probability may be off: what a hundred rows and more can tell from nothing, and few decisions turn on.
pub const CALIBRATION_MARGIN: f64 = 0.02;

/// The least chance that is told from none when regions are looked for: a probability of 0 is no proof that rows cannot differ.
const LEAST_CHANCE: f64 = 0.02;

/// The name of the probability as a column.
const OWN_COLUMN: &str = "the probability";

/// What a model promises about a row, and whether it is so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// The probability.
    pub said: f64,
    /// Whether it is so.
    pub is_so: bool,
}

/// What was found about probabilities.
pub struct JudgedPromises<'a> {
    /// The rows.
    pub rows: &'a Dataset,
    /// The columns by which regions are described: those of the rows, and the probability.
    pub schema: Schema,
    /// What is promised, for people.
    pub event: String,
    /// Whether the model has seen the rows.
    pub origin: BaselineOrigin,
    /// One promise a row.
    pub promises: Vec<Promise>,
    /// The points by which probabilities may be off.
    pub margin: f64,
    /// What is the case minus what was said, on all rows: low, estimate, high.
    pub difference: [f64; 3],
    /// The tests.
    pub judgement: MeasuredJudgement,
}

/// What probabilities promise about labelled rows.
///
/// # Errors
/// When they are of other classes than the rows.
pub fn promises(rows: &Dataset, found: &Probabilities) -> Result<Vec<Promise>, PredictError> {
    let columns = class_columns(rows, found)?;
    let one = |(shares, &label): (&[f64], &usize)| {
        if rows.classes.len() == 2 {
            // A single column is that of the second class.
            let said = columns.as_ref().map_or(shares[0], |columns| shares[columns[1]]);
            return Promise { said, is_so: label == 1 };
        }
        let columns = columns.as_deref().unwrap_or(&[]);
        let highest =
            (0..columns.len()).max_by(|&a, &b| shares[columns[a]].total_cmp(&shares[columns[b]])).unwrap_or(0);
        Promise { said: shares[columns[highest]], is_so: label == highest }
    };
    Ok(found.shares.iter().zip(&rows.labels).map(one).collect())
}

/// For each class of the rows, its column; none if a single column is that of the second of two classes.
pub(crate) fn class_columns(rows: &Dataset, found: &Probabilities) -> Result<Option<Vec<usize>>, PredictError> {
    let (classes, width) = (rows.classes.len(), found.shares.columns());
    if classes == 2 && width == 1 {
        return Ok(None);
    }
    if found.classes.is_empty() && width == classes {
        return Ok(Some((0..classes).collect()));
    }
    let own = |class| class_of(&found.classes, class).filter(|&column| column < width);
    let columns: Option<Vec<usize>> = rows.classes.iter().map(own).collect();
    let message = || format!("it has {width} of them for a row, and the target has {classes} classes");
    columns.map(Some).ok_or_else(|| PredictError::NoProbabilities { message: message() })
}

/// Judges promises; `margin` is a share.
pub fn judge_promises(
    rows: &Dataset,
    promises: Vec<Promise>,
    origin: BaselineOrigin,
    (margin, seed): (Option<f64>, u64),
) -> JudgedPromises<'_> {
    let margin = margin.unwrap_or(CALIBRATION_MARGIN);
    let (features, schema) = with_own_column(rows, &promises);
    let measure = Promises { promises: &promises, margin };
    let judgement = judge_measure(&features, &schema, &measure, &RowOptions::new(0.0, seed));
    let event = match rows.classes.as_slice() {
        [_, second] => format!("the label is {second}"),
        _ => "its answer is right".to_owned(),
    };
    let residuals: Vec<f64> = promises.iter().map(Promise::residual).collect();
    let difference = crate::distances::interval(&residuals);
    JudgedPromises { rows, schema, event, origin, promises, margin, difference, judgement }
}

fn with_own_column<'a>(rows: &'a Dataset, promises: &[Promise]) -> (Cow<'a, Matrix>, Schema) {
    let mut schema = rows.schema.clone();
    schema.columns.push(Column::float(OWN_COLUMN, promises.iter().map(|promise| promise.said)));
    let mut features = Matrix::new(schema.columns.len());
    let mut row = Vec::with_capacity(schema.columns.len());
    for (values, promise) in rows.features.iter().zip(promises) {
        row.clear();
        row.extend_from_slice(values);
        row.push(promise.said);
        features.push(&row);
    }
    (Cow::Owned(features), schema)
}

impl Promise {
    fn residual(&self) -> f64 {
        f64::from(u8::from(self.is_so)) - self.said
    }
}

struct Promises<'a> {
    promises: &'a [Promise],
    margin: f64,
}

impl RegionMeasure for Promises<'_> {
    fn directions(&self) -> Vec<Vec<f32>> {
        let more: Vec<f32> = self.promises.iter().map(|promise| promise.residual() as f32).collect();
        let less = more.iter().map(|residual| -residual).collect();
        vec![more, less]
    }

    fn variances(&self) -> Option<Vec<f32>> {
        let chance = |promise: &Promise| promise.said.clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE);
        Some(self.promises.iter().map(|promise| (chance(promise) * (1.0 - chance(promise))) as f32).collect())
    }

    fn test(&self, direction: usize, inside: &[u32], _: &[u32]) -> Shown {
        let rows = inside.len();
        let own = || inside.iter().map(|&row| self.promises[row as usize]);
        let count = own().filter(|promise| promise.is_so).count();
        let said = own().map(|promise| promise.said).sum::<f64>() / rows.max(1) as f64;
        let p_value = match direction {
            0 => at_least(count, &own().map(|promise| promise.said + self.margin).collect::<Vec<_>>()),
            _ => at_least(rows - count, &own().map(|promise| 1.0 - promise.said + self.margin).collect::<Vec<_>>()),
        };
        let share = wilson(count, rows, Confidence::STANDARD);
        let measured = share.map_or([0.0; 3], |share| [share.low, share.share, share.high]);
        Shown { measured, expected: said, p_value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::label::Label;
    use crate::seed::SeedStream;

    /// Rows whose label is 1 with the chance that `truth` gives.
    fn data(seed: u64, truth: fn(&[f64]) -> f64) -> Dataset {
        let mut random = SeedStream::new(&[seed]);
        let mut rows = Matrix::new(2);
        let mut labels = Vec::new();
        for _ in 0..1500 {
            let row = [0; 2].map(|_| random.below(1000) as f64 / 1000.0);
            labels.push(Label::Integer(i64::from((random.below(100_000) as f64) < 1e5 * truth(&row))));
            rows.push(&row);
        }
        Dataset::from_numbers(&["a", "b"], rows, "y", &labels).unwrap()
    }

    fn judged(data: &Dataset, said: impl Fn(&[f64]) -> f64) -> JudgedPromises<'_> {
        let shares = data.features.iter().flat_map(|row| [1.0 - said(row), said(row)]).collect();
        let found = Probabilities { classes: Vec::new(), shares: Matrix::from_values(2, shares) };
        judge_promises(data, promises(data, &found).unwrap(), BaselineOrigin::Unseen, (None, 0))
    }

    #[test]
    fn a_region_in_which_probabilities_do_not_hold_is_found_in_its_direction() {
        let data = data(1, |row| if row[1] > 0.7 { 0.3 } else { row[0] });
        let found = judged(&data, |row| if row[1] > 0.7 { 0.6 } else { row[0] });
        let first = &found.judgement.found[0];
        assert_eq!(first.direction, 1, "it says too much");
        let words = first.region.in_words(&found.schema);
        assert!(words.contains("b > 0.7") || words.contains("b > 0.6"), "{words}");
        assert!(first.shown.measured[2] < 0.45 && first.shown.expected > 0.5, "{first:?}");
    }

    #[test]
    fn probabilities_that_hold_are_not_accused() {
        for seed in 0..20 {
            let data = data(seed, |row| 0.1 + 0.8 * row[0]);
            let found = judged(&data, |row| 0.1 + 0.8 * row[0]);
            assert!(found.judgement.found.is_empty(), "seed {seed}: {:?}", found.judgement.found);
        }
    }

    #[test]
    fn a_model_that_is_too_sure_of_itself_is_found_by_its_probability() {
        let data = data(2, |row| if row[0] > 0.5 { 0.75 } else { 0.25 });
        let found = judged(&data, |row| if row[0] > 0.5 { 0.97 } else { 0.03 });
        let directions: Vec<usize> = found.judgement.found.iter().map(|test| test.direction).collect();
        assert!(directions.contains(&0) && directions.contains(&1), "{:?}", found.judgement.found);
    }

    #[test]
    fn few_rows_that_fail_tell_much_where_the_model_is_sure() {
        let data = data(4, |row| if row[1] > 0.8 { 0.9 } else { row[0] });
        let found = judged(&data, |row| if row[1] > 0.8 { 0.99 } else { row[0] });
        let first =
            found.judgement.found.first().expect("nine points too many are found next to noise of half a point");
        assert_eq!(first.direction, 1);
        assert!(first.region.in_words(&found.schema).contains("b > "), "{first:?}");
    }

    #[test]
    fn columns_of_other_classes_are_refused_and_others_are_put_in_order() {
        let data = data(3, |row| row[0]);
        let shares = Matrix::from_values(2, vec![0.9, 0.1]);
        let one = data.select(&[0]);
        let named = Probabilities { classes: vec![Label::Integer(1), Label::Integer(0)], shares: shares.clone() };
        let swapped = Probabilities { classes: vec![Label::Integer(0), Label::Integer(1)], shares: shares.clone() };
        assert_eq!(promises(&one, &swapped).unwrap()[0].said, 0.1);
        // Classes are sorted by those who give them; what is not is looked up.
        assert_eq!(promises(&one, &named).unwrap()[0].said, 0.9);
        let other = Probabilities { classes: vec![Label::Integer(0), Label::Integer(7)], shares };
        assert!(promises(&one, &other).is_err());
    }
}
