//! Targets that are quantities: how far a model's answers are off, compared with a reference, region by region.
//!
//! The loss of a row is the distance of the answer from the target. All rows, and the regions that one half of them proposes, are
//! tested by a one-sided paired t test of "further off by no more than the margin", a share of the reference's mean distance.
//! If two models are exchangeable the differences are symmetric, and the test errs to the careful side for heavy tails.

use temper_stats::paired::paired_t;

use crate::challenger::quantity::cross_fit_quantity;
use crate::data::dataset::Dataset;
use crate::error::ModelError;
use crate::judge::baseline::BaselineOrigin;
use crate::judge_model::ComparedWith;
use crate::regions::judge_rows::{PairedRows, RowOptions, halves};
use crate::regions::measured::{MeasuredJudgement, MeasuredTest, RegionMeasure, Shown, judge_measure};
use crate::regions::weak_spots::weak_spots;

/// The share of the reference's distance by which a model may be further off than an earlier one.
pub const AGAINST_MARGIN: f64 = 0.02;

/// The same for a challenger.
pub const CHALLENGER_MARGIN: f64 = 0.05;

/// The share of rows that count as far off when weak spots are looked for.
const FAR_OFF: f64 = 0.2;

/// What a model of a quantity is compared with.
pub enum QuantityReference<'a> {
    /// The answers of an earlier model, and its name.
    Answers {
        /// Its name.
        name: String,
        /// One number a row.
        answers: Vec<f64>,
    },
    /// A plain model that learns from other rows of the table, and from these.
    Challenger {
        /// Rows that the model was trained on.
        training: Option<&'a Dataset>,
    },
}

/// What was found about a model of a quantity.
pub struct JudgedDistances<'a> {
    /// The rows.
    pub rows: &'a Dataset,
    /// The model's answers.
    pub answers: Vec<f64>,
    /// How far they are off.
    pub off: Vec<f64>,
    /// How far the reference's are.
    pub reference_off: Vec<f64>,
    /// What the model was compared with.
    pub compared_with: ComparedWith,
    /// What that is called.
    pub reference: String,
    /// Whether the model has seen the rows.
    pub origin: BaselineOrigin,
    /// What may be added to the reference's distance, in units of the target.
    pub margin: f64,
    /// The difference of the means: low, estimate, high.
    pub difference: [f64; 3],
    /// The tests.
    pub judgement: MeasuredJudgement,
    /// Regions in which the model is further off than elsewhere.
    pub weak_spots: Vec<MeasuredTest>,
}

/// Judges answers; `margin` is a share of the reference's mean distance.
///
/// # Errors
/// When there are too few rows for a challenger.
pub fn judge_distances<'a>(
    rows: &'a Dataset,
    answers: Vec<f64>,
    origin: BaselineOrigin,
    reference: QuantityReference<'_>,
    (margin, seed): (Option<f64>, u64),
) -> Result<JudgedDistances<'a>, ModelError> {
    let (compared_with, reference, reference_answers, usual_margin) = match reference {
        QuantityReference::Answers { name, answers } => (ComparedWith::Model, name, answers, AGAINST_MARGIN),
        QuantityReference::Challenger { training } => {
            let found = cross_fit_quantity(rows, training, seed)?;
            let name = format!("{} trained on other rows", found.kind.word());
            (ComparedWith::Challenger, name, found.predicted, CHALLENGER_MARGIN)
        }
    };
    let off = distances(rows, &answers);
    let reference_off = distances(rows, &reference_answers);
    let margin = margin.unwrap_or(usual_margin) * mean(reference_off.iter().copied());
    let measure = Distances { off: &off, reference_off: &reference_off, margin };
    let options = RowOptions::new(0.0, seed);
    let judgement = judge_measure(&rows.features, &rows.schema, &measure, &options);
    let differences: Vec<f64> = off.iter().zip(&reference_off).map(|(own, other)| own - other).collect();
    let difference = interval(&differences);
    let mut weak_spots = far_off_spots(rows, &off, &measure, &options);
    // What is a finding already is not said twice.
    weak_spots.retain(|spot| !judgement.found.iter().any(|found| is_same(spot, found, rows)));
    Ok(JudgedDistances {
        rows,
        answers,
        compared_with,
        reference,
        origin,
        margin,
        difference,
        judgement,
        weak_spots,
        off,
        reference_off,
    })
}

impl JudgedDistances<'_> {
    /// The row of a region on which the model is further off than the reference by most, and the nearest of those that it answers
    /// well.
    pub fn example(&self, test: &MeasuredTest) -> Option<(usize, usize)> {
        let excess = |row: &usize| self.off[*row] - self.reference_off[*row];
        let inside = test.region.rows(&self.rows.features).into_iter();
        let worst = inside.max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
        let usual = mean(self.reference_off.iter().copied());
        let good = (0..self.rows.rows()).filter(|&row| row != worst && self.off[row] <= usual);
        let distance = |row: usize| crate::judge_model::distance(self.rows, worst, row);
        let nearest = good.min_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
        Some((worst, nearest))
    }
}

fn distances(rows: &Dataset, answers: &[f64]) -> Vec<f64> {
    let targets = rows.quantity.iter().flatten();
    targets.zip(answers).map(|(target, answer)| (answer - target).abs()).collect()
}

/// Whether most rows of a weak spot lie in the region of a finding.
fn is_same(spot: &MeasuredTest, found: &MeasuredTest, rows: &Dataset) -> bool {
    let own = spot.region.rows(&rows.features);
    let both = own.iter().filter(|&&row| found.region.contains(rows.features.row(row))).count();
    !found.region.is_everything() && 2 * both > own.len()
}

/// Regions with more rows that are far off than elsewhere, by Fisher's test; the figures are means.
fn far_off_spots(rows: &Dataset, off: &[f64], measure: &Distances<'_>, options: &RowOptions) -> Vec<MeasuredTest> {
    let mut sorted = off.to_vec();
    sorted.sort_by(f64::total_cmp);
    let limit = sorted[((1.0 - FAR_OFF) * sorted.len() as f64) as usize];
    let is_far: Vec<bool> = off.iter().map(|&off| off > limit).collect();
    let paired =
        PairedRows { features: &rows.features, schema: &rows.schema, wrong: &is_far, reference_wrong: &is_far };
    let [_, confirmed_on] = halves(rows.rows(), options.seed ^ 1);
    let spots = weak_spots(&paired, options).into_iter().map(|spot| {
        let region = spot.counts.region;
        let (inside, outside): (Vec<u32>, Vec<u32>) =
            confirmed_on.iter().partition(|&&row| region.contains(rows.features.row(row as usize)));
        let shown = Shown { p_value: spot.p_value, ..measure.test(0, &inside, &outside) };
        let elsewhere = Some(measure.test(0, &outside, &inside).measured[1]);
        MeasuredTest { region, direction: 0, rows: inside.len(), affected: spot.affected, shown, elsewhere }
    });
    spots.collect()
}

struct Distances<'a> {
    off: &'a [f64],
    reference_off: &'a [f64],
    margin: f64,
}

impl RegionMeasure for Distances<'_> {
    fn directions(&self) -> Vec<Vec<f32>> {
        let excess: Vec<f64> = self.off.iter().zip(self.reference_off).map(|(own, other)| own - other).collect();
        // A few far rows would decide every split.
        let mut sorted: Vec<f64> = excess.iter().map(|value| value.abs()).collect();
        sorted.sort_by(f64::total_cmp);
        let most = sorted.get(sorted.len() * 98 / 100).copied().unwrap_or(0.0);
        vec![excess.into_iter().map(|value| value.clamp(-most, most) as f32).collect()]
    }

    fn test(&self, _: usize, inside: &[u32], _: &[u32]) -> Shown {
        let own: Vec<f64> = inside.iter().map(|&row| self.off[row as usize]).collect();
        let allowed: Vec<f64> = inside.iter().map(|&row| self.reference_off[row as usize] + self.margin).collect();
        // One side of the two-sided test; rows that tell nothing are no evidence.
        let p_value = paired_t(&own, &allowed).map_or(1.0, |found| match found.statistic > 0.0 {
            true => 0.5 * found.p,
            false => 1.0 - 0.5 * found.p,
        });
        let expected = mean(allowed.iter().map(|value| value - self.margin));
        Shown { measured: interval(&own), expected, p_value }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / f64::max(count, 1.0)
}

/// The mean with its interval of 95 % (normal approximation): low, estimate, high.
pub(crate) fn interval(values: &[f64]) -> [f64; 3] {
    let middle = mean(values.iter().copied());
    let variance = mean(values.iter().map(|value| (value - middle).powi(2)));
    let half = 1.96 * (variance / (values.len().max(2) - 1) as f64).sqrt();
    [middle - half, middle, middle + half]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::{ColumnChoice, read_csv_columns};
    use crate::data::target::TargetKind;
    use crate::seed::SeedStream;

    /// A number between 0 and 1.
    fn unit(random: &mut SeedStream) -> f64 {
        random.below(100_000) as f64 / 100_000.0
    }

    fn noise(random: &mut SeedStream) -> f64 {
        (0..12).map(|_| unit(random)).sum::<f64>() - 6.0
    }

    /// y = 10 a + 5 b with noise of 1.
    fn data(seed: u64) -> Dataset {
        let mut random = SeedStream::new(&[seed]);
        let mut text = "a,b,c,y\n".to_owned();
        for _ in 0..800 {
            let [a, b, c] = [0; 3].map(|_| unit(&mut random));
            text += &format!("{a},{b},{c},{}\n", 10.0 * a + 5.0 * b + noise(&mut random));
        }
        let choice = ColumnChoice { target: TargetKind::AsItLooks, ..ColumnChoice::default() };
        read_csv_columns(text.as_bytes(), "data.csv", "y", &choice).unwrap()
    }

    fn judged(data: &Dataset, model: impl Fn(&[f64]) -> f64, against: bool) -> JudgedDistances<'_> {
        let truth = |row: &[f64]| 10.0 * row[0] + 5.0 * row[1];
        let answers = data.features.iter().map(&model).collect();
        let reference = match against {
            true => {
                QuantityReference::Answers { name: "old".into(), answers: data.features.iter().map(truth).collect() }
            }
            false => QuantityReference::Challenger { training: None },
        };
        judge_distances(data, answers, BaselineOrigin::Unseen, reference, (None, 0)).unwrap()
    }

    #[test]
    fn a_part_that_is_further_off_is_found_with_and_without_a_reference() {
        let data = data(1);
        let broken = |row: &[f64]| 10.0 * row[0] + 5.0 * row[1] + if row[0] > 0.8 { 3.0 } else { 0.0 };
        for against in [true, false] {
            let found = judged(&data, broken, against);
            let first = &found.judgement.found[0];
            let words = first.region.in_words(&data.schema);
            assert!(words.starts_with("a > 0.7") || words.starts_with("a > 0.8"), "{words}");
            assert!(first.shown.measured[1] > 2.0 && first.shown.expected < 1.5, "{first:?}");
            let (row, _) = found.example(first).unwrap();
            assert!(data.features.row(row)[0] > 0.8);
        }
    }

    #[test]
    fn models_that_are_as_good_as_can_be_are_not_accused() {
        for seed in 0..12 {
            let data = data(seed);
            let found = judged(&data, |row| 10.0 * row[0] + 5.0 * row[1], false);
            assert!(found.judgement.found.is_empty(), "seed {seed}: {:?}", found.judgement.found);
        }
    }

    #[test]
    fn a_region_with_more_noise_is_a_weak_spot_and_no_finding() {
        let mut data = data(3);
        let mut random = SeedStream::new(&[9]);
        let noisy: Vec<usize> = (0..data.rows()).filter(|&row| data.features.row(row)[1] > 0.7).collect();
        for row in noisy {
            let more = 6.0 * noise(&mut random);
            data.quantity.iter_mut().for_each(|values| values[row] += more);
        }
        let found = judged(&data, |row| 10.0 * row[0] + 5.0 * row[1], false);
        assert!(found.judgement.found.is_empty(), "{:?}", found.judgement.found);
        let words: Vec<String> = found.weak_spots.iter().map(|spot| spot.region.in_words(&data.schema)).collect();
        assert!(words.iter().any(|words| words.contains("b > 0.7") || words.contains("b > 0.6")), "{words:?}");
    }
}
