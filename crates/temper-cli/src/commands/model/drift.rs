//! `temper model OLDER NEWER`: where two tables differ, and whether the weak spots of a model have become more frequent.

use std::path::Path;

use temper_model::drift::{DRIFT_MARGIN, MovedSpot, judge_drift, moved_spots};
use temper_model::record_measured::{ComparedTables, MeasuredRun, drift_document};
use temper_model::regions::judge_rows::{PairedRows, RowOptions};
use temper_model::regions::weak_spots::weak_spots;
use temper_model::subject::predictor::{Trainer, predict_in_batches};
use temper_model::{ColumnChoice, Schema, read_features_like, read_two_tables};
use temper_report::Exit;

use super::examine::ready;
use super::remarks::show;
use super::setup::{self, Bench, Opened, failure};
use crate::args::Model;
use crate::commands::CommandContext;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};

/// Compares the tables, and prints where they differ.
pub fn run(
    context: &CommandContext<'_>,
    arguments: &Model,
    (older, newer): (&Path, &Path),
    interrupt: &Interrupt,
) -> Result<Exit, Failure> {
    let (seed, margin) = (setup::seed(context, arguments), setup::margin(arguments)?);
    let bench = Bench::start(context, interrupt, seed)?;
    let (older_name, newer_name) = (context.shown(older), context.shown(newer));
    let choice =
        ColumnChoice { only: arguments.columns.clone(), drop: arguments.drop.clone(), ..ColumnChoice::default() };
    let tables = (bench.table(context, older)?, bench.table(context, newer)?);
    let rows = read_two_tables((tables.0, &older_name), (tables.1, &newer_name), &choice).map_err(failure)?;
    let judgement = judge_drift(&rows, (margin, seed));
    let spots = match (&arguments.model, &arguments.train) {
        (None, None) => None,
        _ => Some(model_spots(context, arguments, newer, interrupt)?),
    };
    show(context, &rows.remarks);
    let compared = ComparedTables {
        rows: &rows,
        judgement: &judgement,
        spots: spots.as_ref().map(|(spots, schema)| (spots.as_slice(), schema)),
        margin: margin.unwrap_or(DRIFT_MARGIN),
    };
    let python = bench.python.version.as_deref();
    let run = MeasuredRun { path: &older_name, name: &newer_name, seed, python };
    context.finish(&drift_document(&compared, &run))
}

/// The weak spots of the model on the older table, with their shares of both.
fn model_spots(
    context: &CommandContext<'_>,
    arguments: &Model,
    newer: &Path,
    interrupt: &Interrupt,
) -> Result<(Vec<MovedSpot>, Schema), Failure> {
    if arguments.target.is_none() {
        let message = Message::error("weak spots of a model need the column that it predicts");
        return Err(message.hint("name it with `--target COLUMN`").ends(Exit::Usage));
    }
    let opened = Opened::new(context, arguments, interrupt)?;
    let data = &opened.data;
    if data.quantity.is_some() {
        let message = Message::error(format!("`{}` is a quantity, and weak spots are of classes", data.target));
        return Err(message.hint("leave `--model` out to compare the tables").ends(Exit::Usage));
    }
    let mut trainer = opened.trainer(|| {});
    let mut model = ready(&opened, trainer.as_mut().map(|trainer| trainer as &mut dyn Trainer))?;
    let answers = predict_in_batches(model.as_mut(), &data.features, &data.classes, &mut |_| {});
    let answers = answers.map_err(|error| failure(error.into()))?;
    let wrong: Vec<bool> = answers.iter().zip(&data.labels).map(|(answer, label)| answer != label).collect();
    let rows = PairedRows { features: &data.features, schema: &data.schema, wrong: &wrong, reference_wrong: &wrong };
    let spots = weak_spots(&rows, &RowOptions::new(0.0, setup::seed(context, arguments)));
    let table = opened.bench.table(context, newer)?;
    let (features, schema) = read_features_like(table, &context.shown(newer), &data.schema).map_err(failure)?;
    Ok((moved_spots(&spots, &data.features, &features, setup::margin(arguments)?), schema))
}
