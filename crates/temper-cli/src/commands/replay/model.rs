//! `temper replay` of a finding of `temper model`: its failing input, asked again in a fresh process.

use std::fmt::Write;
use std::path::Path;

use temper_model::Matrix;
use temper_model::subject::predictor::predict_classes;
use temper_model::subject::worker_model::ModelSource;
use temper_report::Exit;

use crate::commands::CommandContext;
use crate::commands::model::keep::{Kept, RECORDS};
use crate::commands::model::setup::{Bench, Threshold, failure, open};
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::project_store;

/// What is needed to ask again, if `temper model` made a finding with this id.
pub fn find(context: &CommandContext<'_>, id: &str) -> Result<Option<Kept>, Failure> {
    // Opening makes the folder; a project without one has no findings.
    if !context.root.join(".temper").is_dir() {
        return Ok(None);
    }
    let cannot_read = |error: temper_store::StoreError| Message::error(error.to_string()).ends(Exit::Inconclusive);
    let store = project_store::open(context)?;
    let text = store.record(RECORDS, id).map_err(cannot_read)?;
    Ok(text.as_deref().and_then(Kept::from_text))
}

/// Asks the model again and says whether it still answers another class.
pub fn run(context: &CommandContext<'_>, kept: &Kept, interrupt: &Interrupt) -> Result<Exit, Failure> {
    let bench = Bench::start(context, interrupt, kept.seed)?;
    let data = bench.read(context, &context.root.join(&kept.data), &kept.target, &kept.columns())?;
    let codes = kept.codes(&data).map_err(|column| {
        Message::error(format!("the input no longer fits column `{column}` of `{}`", kept.data))
            .hint(format!("run `temper model {}` again", Path::new(&kept.data).display()))
            .ends(Exit::Usage)
    })?;
    let loaded = open(&bench, &kept.source)?;
    let mut model = match (&kept.source, loaded.trainer()) {
        (ModelSource::Train(_), Some(mut trainer)) => trainer.train(&data).map_err(|error| failure(error.into()))?,
        _ => loaded.predictor(&data.schema),
    };
    if let (Some(share), [first, second]) = (kept.threshold, data.classes.as_slice()) {
        model = Threshold::apply(Some(&Threshold { share, classes: [first.clone(), second.clone()] }), model);
    }
    let answer = predict_classes(model.as_mut(), &Matrix::from_values(codes.len(), codes.clone()), &data.classes);
    let answer = answer.map_err(|error| failure(error.into()))?[0];
    let said = data.classes[answer].to_string();
    let is_failing = said != kept.expected;
    let mut out = format!("{}\n", kept.property);
    for (column, code) in data.schema.columns.iter().zip(&codes) {
        let _ = writeln!(out, "  {} = {}", column.name, column.cell(*code));
    }
    let verdict = if is_failing { "still fails" } else { "passes now" };
    let _ = writeln!(out, "  model says {said}, the property {}: {verdict}", kept.expected);
    context.write_results(&out)?;
    Ok(if is_failing { Exit::Findings } else { Exit::Clean })
}
