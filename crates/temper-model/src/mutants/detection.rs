//! How many model mutants the generated inputs notice, beside a hold-out of equal size.
//!
//! A third of the rows is held out; model, mutants and surrogate see the rest. Of the generated inputs as many are used as rows
//! are held out, evenly over leaves and criteria, so that neither side has more chances to notice something.

use crate::assess::ModelOptions;
use crate::data::dataset::Dataset;
use crate::error::{ModelError, PredictError};
use crate::inputs::{Criterion, InputSuite, Inputs};
use crate::judge::baseline::{Baseline, BaselineOrigin};
use crate::judge::findings::{judge, run};
use crate::judge::folds::{split_fold, stratified_folds};
use crate::mutants::model_mutant::{Fate, ModelMutant, all_mutants, is_killed_by_holdout, is_killed_by_suite};
use crate::subject::predictor::{Predictor, Trainer, predict_classes};
use crate::tree::surrogate::Surrogate;

/// One row in so many is held out.
const HELD_OUT: usize = 3;

/// What became of all mutants.
#[derive(Clone, Debug, PartialEq)]
pub struct Challenge {
    /// Each mutant's fate.
    pub fates: Vec<Fate>,
    /// Mutants that could not be trained or asked, for example because too few rows were left.
    pub unviable: Vec<ModelMutant>,
    /// Rows held out, and the most inputs that were used.
    pub held_out: usize,
    /// Inputs that were used.
    pub inputs: usize,
}

/// Trains all mutants and asks them. `on_mutant` is told how many are done, of how many.
///
/// # Errors
/// When a model cannot be trained or does not answer as a classifier must.
pub fn challenge(
    trainer: &mut dyn Trainer,
    data: &Dataset,
    options: &ModelOptions,
    on_mutant: &mut dyn FnMut(usize, usize),
) -> Result<Challenge, ModelError> {
    let seed = options.inputs.seed;
    let folds = stratified_folds(&data.labels, HELD_OUT, seed as u32)?;
    let (seen, unseen) = split_fold(&folds, 0);
    let (known, held_out) = (data.select(&seen), data.select(&unseen));
    let suite = equal_suite(&known, options, held_out.rows())?;
    let mut original = trainer.train(&known)?;
    let errors = predict_classes(original.as_mut(), &held_out.features, &data.classes)?;
    let baseline = Baseline::of(&held_out.labels, &errors, BaselineOrigin::Holdout);
    let results = |model: &mut dyn Predictor| -> Result<_, ModelError> {
        let answers = run(&suite, model, &data.classes)?;
        Ok(judge(&[(&suite, &answers)], &baseline, options.level)?)
    };
    let before = results(original.as_mut())?;
    let mutants = all_mutants(&known);
    let mut found =
        Challenge { fates: Vec::new(), unviable: Vec::new(), held_out: held_out.rows(), inputs: suite.len() };
    for (done, &mutant) in mutants.iter().enumerate() {
        on_mutant(done, mutants.len());
        let asked = mutant.train(trainer, &known, seed).and_then(|mut model| {
            let predicted = predict_classes(&mut model, &held_out.features, &data.classes)?;
            Ok((model, predicted))
        });
        let (mut model, predicted) = match asked {
            Err(error @ (PredictError::Interrupted | PredictError::Workers { .. })) => return Err(error.into()),
            Err(_) => {
                found.unviable.push(mutant);
                continue;
            }
            Ok(asked) => asked,
        };
        let killed_by_suite = is_killed_by_suite(&results(&mut model)?, &before);
        let killed_by_holdout = is_killed_by_holdout(&held_out.labels, &predicted, &baseline, options.level);
        found.fates.push(Fate { mutant, killed_by_suite, killed_by_holdout });
    }
    Ok(found)
}

fn equal_suite(known: &Dataset, options: &ModelOptions, most: usize) -> Result<InputSuite, ModelError> {
    let surrogate = Surrogate::grow(known, &known.labels, options.surrogate, options.growth, options.inputs.seed)?;
    let inputs = Inputs::new(&surrogate, known, &options.inputs)?;
    let mut suite = inputs.suite(Criterion::Coverage);
    suite.append(inputs.suite(Criterion::Boundary));
    Ok(suite.thinned(most))
}
