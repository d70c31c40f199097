//! `temper model --compare OLD NEW`: where two models answer differently, as leaves of a tree of their disagreement.

use temper_model::explain::compare::compare;
use temper_model::record::comparison_document;
use temper_model::tree::Growth;
use temper_report::Exit;

use super::setup::{Bench, failure, open, seed, source};
use crate::args::Model;
use crate::commands::CommandContext;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};

/// Neighbours of each row that both models are asked about.
const NEIGHBOURS: usize = 10;

/// Asks both models about the rows and their neighbours, and prints where they differ. Differing models exit with 1.
pub fn run(context: &CommandContext<'_>, arguments: &Model, interrupt: &Interrupt) -> Result<Exit, Failure> {
    let (Some(path), Some(target), [old, new]) = (&arguments.data, &arguments.target, arguments.compare.as_slice())
    else {
        return Err(Message::error("two models are compared on one table").ends(Exit::Usage));
    };
    let seed = seed(context, arguments);
    let bench = Bench::start(context, interrupt, seed)?;
    let data = bench.read(context, path, target)?;
    let mut models = Vec::new();
    for name in [old, new] {
        models.push(open(&bench, &source(context, name)?)?.predictor(&data.schema));
    }
    let growth = Growth { max_depth: arguments.max_depth, min_leaf: arguments.min_leaf, seed: seed as u32 };
    let [first, second] = models.as_mut_slice() else { return Err(Message::error("no models").ends(Exit::Internal)) };
    let found = compare(first.as_mut(), second.as_mut(), &data, NEIGHBOURS, growth, seed).map_err(failure)?;
    let shown = context.shown(path);
    let data = (&data, shown.as_str(), NEIGHBOURS);
    let document = comparison_document(&found, data, [old, new], (seed, bench.python.version.as_deref()));
    context.finish(&document)
}
