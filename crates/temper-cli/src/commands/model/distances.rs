//! A model whose target is a quantity: how far its answers are off, compared with a reference.

use temper_model::Dataset;
use temper_model::PredictError;
use temper_model::distances::{QuantityReference, judge_distances};
use temper_model::record_measured::{MeasuredRun, distances_document};
use temper_model::subject::predictor::{Predictor, ask_in_batches};
use temper_model::unread_columns::unread_of_quantity;
use temper_report::Exit;

use super::against::{Against, of_reference};
use super::remarks::warn;
use super::setup::{self, Opened, failure};
use super::unseen_answers::unseen_answers;
use crate::args::Model;
use crate::commands::CommandContext;
use crate::message::{Failure, Message};

/// Judges the model, and prints what was found.
pub fn run(context: &CommandContext<'_>, arguments: &Model, mut opened: Opened) -> Result<Exit, Failure> {
    let (seed, margin) = (setup::seed(context, arguments), setup::margin(arguments)?);
    let against = match &arguments.against {
        Some(name) => match Against::open(context, &opened.bench, name)? {
            Against::Model(loaded) => Some((name, loaded)),
            Against::Report(_) => return Err(no_report(name)),
        },
        None => None,
    };
    let mut asked = unseen_answers(context, arguments, &opened, against.is_some(), quantities)?;
    let unread = unread_of_quantity(asked.model.as_mut(), &opened.data, seed).map_err(|error| failure(error.into()))?;
    opened.leave_out(&unread);
    let rows = opened.judged_rows();
    let reference = match against {
        Some((name, loaded)) => {
            let answers = quantities(loaded.predictor(&rows.schema).as_mut(), rows);
            QuantityReference::Answers {
                name: name.clone(),
                answers: answers.map_err(|error| of_reference(name, error))?,
            }
        }
        None => QuantityReference::Challenger { training: opened.holdout.as_ref().map(|_| &opened.data) },
    };
    let judged = judge_distances(rows, asked.answers, asked.origin, reference, (margin, seed)).map_err(failure)?;
    warn(context, &opened);
    let python = opened.bench.python.version.as_deref();
    let run = MeasuredRun { path: &opened.path, name: &opened.name, seed, python };
    context.finish(&distances_document(&judged, &run))
}

fn quantities(model: &mut dyn Predictor, rows: &Dataset) -> Result<Vec<f64>, PredictError> {
    ask_in_batches(&rows.features, |batch| model.quantities(batch), &mut |_| {})
}

fn no_report(name: &str) -> Failure {
    Message::error(format!("`--against {name}` is a report, and reports keep nothing about quantities"))
        .hint("give the earlier model")
        .ends(Exit::Usage)
}
