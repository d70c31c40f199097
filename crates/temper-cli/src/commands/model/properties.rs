//! `--property`: statements about a model that need no labels.

use temper_model::properties::{ModelProperty, check_property, suggested};
use temper_model::record_properties::properties_document;
use temper_model::subject::predictor::Trainer;
use temper_report::Exit;

use super::examine::ready;
use super::remarks::warn;
use super::setup::{self, Opened, failure};
use crate::args::Model;
use crate::commands::CommandContext;
use crate::message::{Failure, Message};

/// The property that asks for others.
const SUGGEST: &str = "suggest";

/// Checks every property, and prints those that do not hold with the closest pair of inputs; or prints those that do.
pub fn run(context: &CommandContext<'_>, arguments: &Model, opened: &Opened) -> Result<Exit, Failure> {
    let seed = setup::seed(context, arguments);
    let data = &opened.data;
    let is_suggested = arguments.property.iter().any(|text| text == SUGGEST);
    if is_suggested && arguments.property.len() > 1 {
        let message = Message::error("`--property suggest` lists properties, and checks no others");
        return Err(message.hint("give it alone").ends(Exit::Usage));
    }
    let stated = arguments.property.iter().filter(|_| !is_suggested);
    let properties = stated.map(|text| ModelProperty::read(text, data));
    let properties = properties.collect::<Result<Vec<_>, _>>().map_err(failure)?;
    let mut trainer = opened.trainer(|| {});
    let mut model = ready(opened, trainer.as_mut().map(|trainer| trainer as &mut dyn Trainer))?;
    let results = match is_suggested {
        true => suggested(data, model.as_mut(), seed),
        false => properties.into_iter().map(|each| check_property(each, data, model.as_mut(), seed)).collect(),
    };
    let results = results.map_err(|error| failure(error.into()))?;
    warn(context, opened);
    let run = (seed, opened.bench.python.version.as_deref());
    context.finish(&properties_document(&results, data, (&opened.path, &opened.name), run, is_suggested))
}
