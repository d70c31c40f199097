//! `--property`: statements about a model that need no labels.

use temper_model::properties::{ModelProperty, check_property};
use temper_model::record_properties::properties_document;
use temper_model::subject::predictor::Trainer;
use temper_report::Exit;

use super::examine::ready;
use super::remarks::warn;
use super::setup::{self, Opened, failure};
use crate::args::Model;
use crate::commands::CommandContext;
use crate::message::Failure;

/// Checks every property, and prints those that do not hold with the closest pair of inputs.
pub fn run(context: &CommandContext<'_>, arguments: &Model, opened: &Opened) -> Result<Exit, Failure> {
    let seed = setup::seed(context, arguments);
    let properties = arguments.property.iter().map(|text| ModelProperty::read(text, &opened.data));
    let properties = properties.collect::<Result<Vec<_>, _>>().map_err(failure)?;
    let mut trainer = opened.trainer(|| {});
    let mut model = ready(opened, trainer.as_mut().map(|trainer| trainer as &mut dyn Trainer))?;
    let results = properties.into_iter().map(|property| check_property(property, &opened.data, model.as_mut(), seed));
    let results = results.collect::<Result<Vec<_>, _>>().map_err(|error| failure(error.into()))?;
    warn(context, opened);
    let python = opened.bench.python.version.as_deref();
    context.finish(&properties_document(&results, &opened.data, (&opened.path, &opened.name), (seed, python)))
}
