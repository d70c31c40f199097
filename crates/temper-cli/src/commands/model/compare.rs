//! `temper model --compare OLD NEW`: where two models answer differently, as leaves of a tree of their disagreement.

use std::fmt::Write;

use serde_json::{Value, json};
use temper_model::Dataset;
use temper_model::explain::compare::{ModelComparison, compare};
use temper_model::explain::property_text::box_in_words;
use temper_model::tree::Growth;
use temper_report::Exit;

use super::setup::{Bench, failure, open, seed, source};
use super::text::percent;
use crate::args::Model;
use crate::commands::Context;
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::terminal::BOLD;

/// Neighbours of each row that both models are asked about.
const NEIGHBOURS: usize = 10;

/// Leaves that are listed unless all are asked for.
const SHOWN: usize = 10;

/// Asks both models about the rows and their neighbours, and prints where they differ. Differing models exit with 1.
pub fn run(context: &Context<'_>, arguments: &Model, interrupt: &Interrupt) -> Result<Exit, Failure> {
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
    context.print(
        || render(&found, &data, &shown, [old, new], context.common.verbose > 0),
        || {
            let model = json!({ "data": shown, "comparison": comparison(&found, &data, [old, new]) });
            Ok(super::json::empty(seed, &bench.python, model))
        },
    )?;
    Ok(if found.differing > 0 { Exit::Findings } else { Exit::Clean })
}

fn render(found: &ModelComparison, data: &Dataset, path: &str, [old, new]: [&String; 2], is_verbose: bool) -> String {
    let mut out = format!("{BOLD}{path}{BOLD:#}   {old} and {new}\n");
    let share = found.differing as f64 / found.asked.max(1) as f64;
    let rows = data.rows();
    let _ = writeln!(
        out,
        "  {} of {} answers differ ({}): {rows} rows and {NEIGHBOURS} neighbours of each",
        found.differing,
        found.asked,
        percent(share)
    );
    for (before, after, count) in &found.changes {
        let _ = writeln!(out, "  {count:>7}   {} becomes {}", data.classes[*before], data.classes[*after]);
    }
    if !found.leaves.is_empty() {
        out.push_str("\n  differ   of   where\n");
    }
    let most = if is_verbose { usize::MAX } else { SHOWN };
    for leaf in found.leaves.iter().take(most) {
        let _ = writeln!(out, "  {:>6}   {:>2}   {}", leaf.counts[1], leaf.rows(), box_in_words(leaf, data));
    }
    if let Some(more) = found.leaves.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(out, "  {more} more leaves; -v lists all, --min-leaf 20 makes them fewer");
    }
    out
}

fn comparison(found: &ModelComparison, data: &Dataset, [old, new]: [&String; 2]) -> Value {
    let changes = found.changes.iter().map(|(before, after, count)| {
        let name = |class: &usize| data.classes[*class].to_string();
        json!({ "old": name(before), "new": name(after), "count": count })
    });
    let leaves = found
        .leaves
        .iter()
        .map(|leaf| json!({ "where": box_in_words(leaf, data), "differing": leaf.counts[1], "asked": leaf.rows() }));
    json!({
        "old": old,
        "new": new,
        "asked": found.asked,
        "differing": found.differing,
        "changes": changes.collect::<Vec<_>>(),
        "leaves": leaves.collect::<Vec<_>>(),
    })
}
