//! `--against`: an earlier model, or an earlier report.

use temper_model::judge_model::ModelReference;
use temper_model::record_rows::saved_figures;
use temper_model::regions::saved_figures::SavedFigures;
use temper_model::subject::predictor::predict_in_batches;
use temper_model::subject::worker_model::LoadedModel;
use temper_model::{Dataset, PredictError};
use temper_report::{Document, Exit};

use super::setup::{Bench, Threshold, failure, open, source};
use crate::commands::CommandContext;
use crate::message::{Failure, Message};

/// What `--against` names.
pub enum Against {
    /// A model, loaded.
    Model(Box<LoadedModel>),
    /// What a report has kept.
    Report(SavedFigures),
}

impl Against {
    /// Opens what is named.
    pub fn open(context: &CommandContext<'_>, bench: &Bench, name: &str) -> Result<Against, Failure> {
        if name.ends_with(".json") {
            return report(context, name).map(Against::Report);
        }
        Ok(Against::Model(Box::new(open(bench, &source(context, name)?)?)))
    }

    /// The reference for these rows.
    pub fn reference(
        &self,
        name: &str,
        rows: &Dataset,
        threshold: Option<&Threshold>,
    ) -> Result<ModelReference<'static>, Failure> {
        let name = name.to_owned();
        match self {
            Against::Report(figures) => Ok(ModelReference::Report { name, figures: figures.clone() }),
            Against::Model(loaded) => {
                let mut model = Threshold::apply(threshold, loaded.predictor(&rows.schema));
                let answers = predict_in_batches(model.as_mut(), &rows.features, &rows.classes, &mut |_| {});
                let predicted = answers.map_err(|error| of_reference(&name, error))?;
                Ok(ModelReference::Answers { name, predicted })
            }
        }
    }
}

/// An error of the reference, which says so.
pub fn of_reference(name: &str, error: PredictError) -> Failure {
    let mut failed = failure(error.into());
    failed.message.facts.insert(0, format!("model: {name}"));
    failed
}

fn report(context: &CommandContext<'_>, name: &str) -> Result<SavedFigures, Failure> {
    let wrong = |said: String| {
        Message::error(format!("`{name}` is no report of a model that was judged"))
            .fact(said)
            .hint("write one with `temper model ... --format json --output FILE`")
            .ends(Exit::Usage)
    };
    let text = std::fs::read_to_string(context.current.join(name)).map_err(|error| wrong(error.to_string()))?;
    let report = Document::from_json(&text).map_err(|error| wrong(error.to_string()))?;
    saved_figures(&report).ok_or_else(|| wrong("it has no errors of a model on real rows".to_owned()))
}
