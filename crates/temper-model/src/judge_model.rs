//! The whole job on real rows: what a model answered, compared with a reference, gives a verdict and the regions behind it.

use std::borrow::Cow;

use crate::challenger::cross_fit;
use crate::data::dataset::Dataset;
use crate::error::ModelError;
use crate::judge::baseline::BaselineOrigin;
use crate::regions::error_map::{ErrorMap, ErrorNode, error_map, error_tree};
use crate::regions::judge_rows::{PairedRows, RegionTest, RowJudgement, RowOptions, judge_rows};
use crate::regions::saved_figures::SavedFigures;
use crate::regions::weak_spots::weak_spots;
use crate::seed::SeedStream;

/// Fewest rows from which anything is concluded.
pub const FEWEST_ROWS: usize = 30;

/// Rows on which a model is compared with a challenger, at most: these tell differences far below the margin.
pub const MOST_CHALLENGED_ROWS: usize = 50_000;

/// Rows that are looked at for an example of a failure, of each kind.
const EXAMPLE_ROWS: usize = 2_000;

/// What a model is compared with.
pub enum ModelReference<'a> {
    /// The answers of an earlier model to the same rows.
    Answers {
        /// Its name.
        name: String,
        /// One class a row.
        predicted: Vec<usize>,
    },
    /// What a report has kept.
    Report {
        /// Its name.
        name: String,
        /// What was kept.
        figures: SavedFigures,
    },
    /// A plain model that learns from other rows of the same table, and from these.
    Challenger {
        /// Rows that the model was trained on.
        training: Option<&'a Dataset>,
    },
}

/// What the comparison turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedWith {
    /// An earlier model.
    Model,
    /// A report on the same rows.
    SameRows,
    /// A report on other rows.
    OtherRows,
    /// A challenger.
    Challenger,
}

/// The answers that are judged.
pub struct ModelAnswers<'a> {
    /// The rows.
    pub rows: &'a Dataset,
    /// One class a row.
    pub predicted: Vec<usize>,
    /// Whether the model has seen the rows.
    pub origin: BaselineOrigin,
}

/// A row that the model gets wrong and one of its class that it gets right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowExample {
    /// The row that is wrong.
    pub row: usize,
    /// The nearest one that is right; absent if none is.
    pub nearest: Option<usize>,
}

/// A finding: the test behind it, and a row that shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct RowFinding {
    /// The test.
    pub test: RegionTest,
    /// The example.
    pub example: Option<RowExample>,
    /// Errors in and around the region.
    pub map: Option<ErrorMap>,
}

/// What was found about a model on real rows.
pub struct JudgedModel<'a> {
    /// The judged rows: those given, or a sample of them.
    pub rows: Cow<'a, Dataset>,
    /// How many rows were given.
    pub given: usize,
    /// One class a row.
    pub predicted: Vec<usize>,
    /// Whether the model is wrong on each row.
    pub wrong: Vec<bool>,
    /// Whether the model has seen the rows.
    pub origin: BaselineOrigin,
    /// What it was compared with.
    pub compared_with: ComparedWith,
    /// What that is called.
    pub reference: String,
    /// The tests.
    pub judgement: RowJudgement,
    /// What survives the correction: all rows first, then regions.
    pub findings: Vec<RowFinding>,
    /// Regions in which the model errs more often than elsewhere.
    pub weak_spots: Vec<RegionTest>,
    /// How rows that are wrong, or worse than the reference, are told from the others.
    pub tree: Vec<ErrorNode>,
    /// The model's error minus the reference's: low, estimate, high (95 %, normal approximation).
    pub difference: [f64; 3],
    /// The share by which the error may be greater.
    pub margin: f64,
}

/// Judges answers against a reference; `margin` is that of the kind of reference if absent.
///
/// # Errors
/// When there are too few rows for a challenger.
pub fn judge_model<'a>(
    answers: ModelAnswers<'a>,
    reference: ModelReference<'_>,
    margin: Option<f64>,
    seed: u64,
) -> Result<JudgedModel<'a>, ModelError> {
    let ModelAnswers { rows, predicted, origin } = answers;
    let given = rows.rows();
    let is_sampled = matches!(reference, ModelReference::Challenger { .. }) && given > MOST_CHALLENGED_ROWS;
    let (rows, predicted) = if is_sampled { sample(rows, &predicted, seed) } else { (Cow::Borrowed(rows), predicted) };
    let wrong = errors(&rows, &predicted);
    let against = margin.unwrap_or(RowOptions::AGAINST_MARGIN);
    let (compared_with, name, reference_wrong, margin) = match reference {
        ModelReference::Answers { name, predicted } => {
            (ComparedWith::Model, name, Some(errors(&rows, &predicted)), against)
        }
        ModelReference::Report { name, figures } => match figures.same_rows(&rows) {
            Some(then) => (ComparedWith::SameRows, name, Some(then), against),
            None => {
                let options = RowOptions::new(against, seed);
                let judgement = figures.compare(&rows, &wrong, &options);
                let difference = unpaired(&wrong, figures.errors, figures.rows);
                let found = Judging { rows, predicted, wrong, reference_wrong: None, options };
                return Ok(found.finish((given, origin), (ComparedWith::OtherRows, name), judgement, difference));
            }
        },
        ModelReference::Challenger { training } => {
            let challenger = cross_fit(&rows, training, seed)?;
            let name = format!("{} trained on other rows", challenger.kind.word());
            let margin = margin.unwrap_or(RowOptions::CHALLENGER_MARGIN);
            (ComparedWith::Challenger, name, Some(errors(&rows, &challenger.predicted)), margin)
        }
    };
    let options = RowOptions::new(margin, seed);
    let found = Judging { rows, predicted, wrong, reference_wrong, options };
    let judgement = judge_rows(&found.paired(), &options);
    let difference = paired(&judgement);
    Ok(found.finish((given, origin), (compared_with, name), judgement, difference))
}

/// What is known before the findings are explained.
struct Judging<'a> {
    rows: Cow<'a, Dataset>,
    predicted: Vec<usize>,
    wrong: Vec<bool>,
    /// Absent if the reference is known on other rows only.
    reference_wrong: Option<Vec<bool>>,
    options: RowOptions,
}

impl<'a> Judging<'a> {
    fn paired(&self) -> PairedRows<'_> {
        PairedRows {
            features: &self.rows.features,
            schema: &self.rows.schema,
            wrong: &self.wrong,
            reference_wrong: self.reference_wrong.as_deref().unwrap_or(&self.wrong),
        }
    }

    fn finish(
        self,
        (given, origin): (usize, BaselineOrigin),
        (compared_with, reference): (ComparedWith, String),
        judgement: RowJudgement,
        difference: [f64; 3],
    ) -> JudgedModel<'a> {
        let is_explained = self.is_explained(&judgement.regions);
        let overall = Some(&judgement.overall).filter(|_| judgement.is_worse_overall && !is_explained);
        let tests = overall.into_iter().chain(&judgement.regions);
        let finding = |test: &RegionTest| RowFinding {
            example: self.example(test),
            map: error_map(&self.paired(), &test.counts.region),
            test: test.clone(),
        };
        let findings: Vec<RowFinding> = tests.map(finding).collect();
        let mut weak_spots = weak_spots(&self.paired(), &self.options);
        // What is a finding already is not said twice.
        let is_told = |spot: &RegionTest| {
            findings.iter().any(|finding| {
                let region = &finding.test.counts.region;
                !region.is_everything()
                    && overlap(&spot.counts.region.rows(&self.rows.features), region, &self.rows) > 0.5
            })
        };
        weak_spots.retain(|spot| !is_told(spot));
        JudgedModel {
            given,
            origin,
            compared_with,
            reference,
            judgement,
            findings,
            weak_spots,
            tree: error_tree(&self.paired(), &self.options),
            difference,
            margin: self.options.margin,
            rows: self.rows,
            predicted: self.predicted,
            wrong: self.wrong,
        }
    }

    /// Whether regions hold most of what is worse on all rows, so that these are not a further finding.
    fn is_explained(&self, regions: &[RegionTest]) -> bool {
        let Some(reference_wrong) = self.reference_wrong.as_ref().filter(|_| !regions.is_empty()) else { return false };
        let (mut inside, mut all) = (0, 0);
        for (row, (&wrong, &reference)) in self.wrong.iter().zip(reference_wrong).enumerate() {
            let difference = i64::from(wrong) - i64::from(reference);
            let values = self.rows.features.row(row);
            all += difference;
            inside += difference * i64::from(regions.iter().any(|test| test.counts.region.contains(values)));
        }
        3 * inside >= 2 * all
    }

    /// The failing row of a region that is nearest to a row of its class which the model gets right.
    fn example(&self, test: &RegionTest) -> Option<RowExample> {
        let Judging { rows, wrong, reference_wrong, .. } = self;
        let is_worse = |row: &usize| wrong[*row] && reference_wrong.as_ref().is_none_or(|reference| !reference[*row]);
        let failing = (0..rows.rows()).filter(is_worse);
        let failing = failing.filter(|&row| test.counts.region.contains(rows.features.row(row)));
        let failing: Vec<usize> = failing.take(EXAMPLE_ROWS / 20).collect();
        let right: Vec<usize> = (0..rows.rows()).filter(|&row| !wrong[row]).take(EXAMPLE_ROWS).collect();
        let pairs = failing.iter().flat_map(|&row| {
            let own = right.iter().filter(move |&&other| rows.labels[other] == rows.labels[row]);
            own.map(move |&other| (distance(rows, row, other), row, other))
        });
        let nearest = pairs.min_by(|a, b| a.0.total_cmp(&b.0));
        let alone = failing.first().map(|&row| RowExample { row, nearest: None });
        nearest.map(|(_, row, other)| RowExample { row, nearest: Some(other) }).or(alone)
    }
}

fn overlap(spot: &[usize], region: &crate::regions::region::Region, rows: &Dataset) -> f64 {
    let both = spot.iter().filter(|&&row| region.contains(rows.features.row(row))).count();
    both as f64 / spot.len().max(1) as f64
}

/// Squared distance in standard deviations; another category counts as one.
pub(crate) fn distance(rows: &Dataset, a: usize, b: usize) -> f64 {
    let cells = rows.features.row(a).iter().zip(rows.features.row(b));
    let columns = rows.schema.columns.iter().zip(cells).filter(|(column, _)| column.is_telling());
    columns
        .map(|(column, (a, b))| match column.is_ordered() && column.deviation > 0.0 {
            true => ((a - b) / column.deviation).powi(2),
            false => f64::from(u8::from(a != b)),
        })
        .sum()
}

fn errors(rows: &Dataset, predicted: &[usize]) -> Vec<bool> {
    predicted.iter().zip(&rows.labels).map(|(answer, label)| answer != label).collect()
}

fn sample(rows: &Dataset, predicted: &[usize], seed: u64) -> (Cow<'static, Dataset>, Vec<usize>) {
    let mut order: Vec<usize> = (0..rows.rows()).collect();
    SeedStream::new(&[seed, 0x726f_7773]).shuffle(&mut order);
    order.truncate(MOST_CHALLENGED_ROWS);
    order.sort_unstable();
    (Cow::Owned(rows.select(&order)), order.iter().map(|&row| predicted[row]).collect())
}

/// The difference of two errors on the same rows.
fn paired(judgement: &RowJudgement) -> [f64; 3] {
    let counts = &judgement.overall.counts;
    let rows = counts.rows.max(1) as f64;
    let (worse, better) = (counts.worse as f64 / rows, counts.better as f64 / rows);
    let difference = worse - better;
    let deviation = ((worse + better - difference * difference).max(0.0) / rows).sqrt();
    [difference - 1.96 * deviation, difference, difference + 1.96 * deviation]
}

/// The difference of two errors on different rows.
fn unpaired(wrong: &[bool], then: usize, rows_then: usize) -> [f64; 3] {
    let rate = |errors: usize, rows: usize| errors as f64 / rows.max(1) as f64;
    let now = rate(wrong.iter().filter(|&&wrong| wrong).count(), wrong.len());
    let then = rate(then, rows_then);
    let variance = now * (1.0 - now) / wrong.len().max(1) as f64 + then * (1.0 - then) / rows_then.max(1) as f64;
    let difference = now - then;
    [difference - 1.96 * variance.sqrt(), difference, difference + 1.96 * variance.sqrt()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::read_csv;

    fn data() -> Dataset {
        let row = |at: u64| {
            let mixed = crate::seed::mixed(&[at]);
            let (a, b) = (mixed % 1000, mixed / 1000 % 1000);
            format!("{},{},{}\n", a as f64 / 100.0, b as f64 / 100.0, u8::from(a + b > 1000))
        };
        let rows: String = (0..1200).map(row).collect();
        read_csv(format!("a,b,y\n{rows}").as_bytes(), "data.csv", "y").unwrap()
    }

    fn judged(predicted: Vec<usize>, data: &Dataset, origin: BaselineOrigin) -> JudgedModel<'_> {
        let answers = ModelAnswers { rows: data, predicted, origin };
        judge_model(answers, ModelReference::Challenger { training: None }, None, 0).unwrap()
    }

    #[test]
    fn a_perfect_model_is_not_accused() {
        let data = data();
        let found = judged(data.labels.clone(), &data, BaselineOrigin::Holdout);
        assert!(found.findings.is_empty(), "{:?}", found.findings);
    }

    #[test]
    fn a_defect_in_a_region_is_found_there_and_shown_by_a_row() {
        let data = data();
        let is_inside = |row: &[f64]| row[0] > 4.2 && row[0] <= 4.8;
        let broken = data.features.iter().zip(&data.labels);
        let predicted = broken.map(|(row, label)| if is_inside(row) { 1 - label } else { *label }).collect();
        let found = judged(predicted, &data, BaselineOrigin::Holdout);
        let region = &found.findings.last().unwrap().test.counts.region;
        let rows = region.rows(&data.features);
        let inside = rows.iter().filter(|&&row| is_inside(data.features.row(row))).count();
        assert!(2 * inside > rows.len(), "{}", region.in_words(&data.schema));
        let example = found.findings[0].example.unwrap();
        assert!(found.wrong[example.row] && !found.wrong[example.nearest.unwrap()]);
    }

    #[test]
    fn the_same_answers_are_never_worse_than_themselves() {
        let data = data();
        let predicted: Vec<usize> = (0..1200).map(|row| row % 2).collect();
        let answers = ModelAnswers { rows: &data, predicted: predicted.clone(), origin: BaselineOrigin::Unseen };
        let reference = ModelReference::Answers { name: "old".into(), predicted };
        let found = judge_model(answers, reference, None, 0).unwrap();
        assert!(found.findings.is_empty());
        assert_eq!(found.difference, [0.0; 3]);
    }
}
