//! Models that cannot be better: perfect ones, and ones that are optimal for noisy labels. Every alarm on them is false.

use temper::Choices;
use temper_model::judge::baseline::{Baseline, BaselineOrigin};
use temper_model::judge_model::{ModelAnswers, ModelReference, judge_model};
use temper_model::subject::predictor::Predictor;
use temper_model::suspicions::find_suspicions;
use temper_model::{Dataset, Label, Matrix, ModelError, PredictError};

use crate::truths::truth::{TRUTHS, Truth};

/// Rows of each table.
const ROWS: usize = 1000;

/// Tables of each truth and noise.
const SEEDS: u64 = 7;

/// How labels differ from the truth. Less than half of them do anywhere, so that the truth stays the best answer.
enum LabelNoise {
    /// Not at all.
    None,
    /// This share, everywhere.
    Everywhere(f64),
    /// This share of the rows near a border.
    Border(f64),
}

/// Prints alarms by noise.
pub fn print_alarms() {
    let noises = [
        ("no noise", LabelNoise::None),
        ("5 % of labels flipped", LabelNoise::Everywhere(0.05)),
        ("10 % of labels flipped", LabelNoise::Everywhere(0.1)),
        ("30 % flipped near borders", LabelNoise::Border(0.3)),
    ];
    let (mut alarms, mut models) = (0, 0);
    for (name, noise) in &noises {
        let (mut own, mut suspected) = (0, 0);
        for truth in &TRUTHS {
            for seed in 0..SEEDS {
                match accused(truth, noise, seed) {
                    Ok((is_found, is_suspected)) => {
                        own += usize::from(is_found);
                        suspected += usize::from(is_suspected);
                    }
                    Err(error) => println!("{}: {error}", truth.name),
                }
            }
        }
        let own_models = TRUTHS.len() * SEEDS as usize;
        println!("{name:26} alarms on {own} of {own_models} optimal models, suspicions of {suspected}");
        alarms += own;
        models += own_models;
    }
    println!("{:26} alarms on {alarms} of {models}: {:.1} %", "together", 100.0 * alarms as f64 / models as f64);
}

/// Whether there is a finding, and whether there is a suspicion.
fn accused(truth: &Truth, noise: &LabelNoise, seed: u64) -> Result<(bool, bool), ModelError> {
    let plain = truth.rows(ROWS, 0.0, 1000 + seed)?;
    let mut choices = Choices::random(0);
    choices.start_random(2000 + seed, false);
    let labels = (0..ROWS).map(|row| {
        let values = plain.features.row(row);
        let rate = match noise {
            LabelNoise::None => 0.0,
            LabelNoise::Everywhere(rate) => *rate,
            LabelNoise::Border(rate) if is_near_border(truth, values) => *rate,
            LabelNoise::Border(_) => 0.0,
        };
        let is_flipped = choices.flag(rate);
        let class = (truth.class)(values);
        let other = (class + 1) % truth.classes;
        Label::Integer(if is_flipped { other } else { class } as i64)
    });
    let labels: Vec<Label> = labels.collect();
    let data = Dataset::from_numbers(&["a", "b", "c", "d"], plain.features.clone(), "class", &labels)?;
    let predicted: Vec<usize> = data.features.iter().map(|row| (truth.class)(row)).collect();
    let answers = ModelAnswers { rows: &data, predicted, origin: BaselineOrigin::Holdout };
    let judged = judge_model(answers, ModelReference::Challenger { training: None }, None, seed)?;
    let usual = Baseline::of(&data.labels, &judged.predicted, BaselineOrigin::Holdout);
    let suspicions = find_suspicions(&data, &mut TruthModel { truth }, &usual, seed)?;
    Ok((!judged.findings.is_empty(), !suspicions.found.is_empty()))
}

/// The truth as a model.
struct TruthModel<'a> {
    truth: &'a Truth,
}

impl Predictor for TruthModel<'_> {
    fn predict(&mut self, batch: &Matrix) -> Result<Vec<Label>, PredictError> {
        Ok(batch.iter().map(|row| Label::Integer((self.truth.class)(row) as i64)).collect())
    }
}

fn is_near_border(truth: &Truth, row: &[f64]) -> bool {
    let own = (truth.class)(row);
    [(0.06, 0.0), (-0.06, 0.0), (0.0, 0.06), (0.0, -0.06)].iter().any(|(first, second)| {
        let mut moved = row.to_vec();
        moved[0] += first;
        moved[1] += second;
        (truth.class)(&moved) != own
    })
}
