//! `--calibration`: whether what a model gives probabilities for is the case as often as they say.

use temper_model::calibration::{Promise, judge_promises, promises};
use temper_model::record_measured::{MeasuredRun, promises_document};
use temper_model::subject::predictor::{Predictor, ask_in_batches};
use temper_model::{Dataset, Matrix, PredictError};
use temper_report::Exit;

use super::remarks::warn;
use super::setup::{self, Opened};
use super::unseen_answers::unseen_answers;
use crate::args::Model;
use crate::commands::CommandContext;
use crate::message::Failure;

/// Judges the probabilities, and prints what was found.
pub fn run(context: &CommandContext<'_>, arguments: &Model, opened: &Opened) -> Result<Exit, Failure> {
    let (seed, margin) = (setup::seed(context, arguments), setup::margin(arguments)?);
    let asked = unseen_answers(context, arguments, opened, false, promised)?;
    let judged = judge_promises(opened.judged_rows(), asked.answers, asked.origin, (margin, seed));
    warn(context, opened);
    let python = opened.bench.python.version.as_deref();
    let run = MeasuredRun { path: &opened.path, name: &opened.name, seed, python };
    context.finish(&promises_document(&judged, &run))
}

fn promised(model: &mut dyn Predictor, rows: &Dataset) -> Result<Vec<Promise>, PredictError> {
    let mut first = 0;
    let ask = |batch: &Matrix| {
        let own: Vec<usize> = (first..first + batch.rows()).collect();
        first += batch.rows();
        let found = model.probabilities(batch)?;
        promises(&rows.select(&own), &found)
    };
    ask_in_batches(&rows.features, ask, &mut |_| {})
}
