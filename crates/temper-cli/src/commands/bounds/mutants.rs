//! What the settings of `temper bounds` say about mutants.

use std::time::Duration;

use temper_bounds::Seeds;
use temper_bounds::findings::JudgedSite;
use temper_bounds::mutate::tighten::{MOST_RUNS, MutantScope, Tighten, TightenMethod};
use temper_bounds::propose::advice::Advised;
use temper_bounds::sample::scheduler::BoundsResult;
use temper_report::Exit;
use temper_source::{Operator, Wanted};

use super::mutants_export;
use crate::args::{Bounds, RemedyChoice};
use crate::commands::{CommandContext, cannot_write};
use crate::fault;
use crate::message::{Failure, Message};
use crate::settings::MethodSetting;

/// Mutants of a test that show what a wider bound costs: enough to tell a bound that kills most from one that kills few.
const MUTANTS_FOR_COST: usize = 40;
/// Processor time for them at most, over all tests: a plain `temper bounds` must not become slow. No clock: it would make the figures
/// depend on what else the machine does.
const CPU_FOR_COST: Duration = Duration::from_secs(40);

/// What is asked of mutants; nothing if none are run.
pub fn tighten(context: &CommandContext<'_>, bounds: &Bounds) -> Result<Option<Tighten>, Failure> {
    let settings = &context.settings.bounds;
    if !bounds.tighten && settings.method == MethodSetting::Faser {
        let message = Message::error("`--method faser` is a way to tighten bounds");
        return Err(message.hint("add `--tighten`").ends(Exit::Usage));
    }
    let keeps_bound = bounds.remedy.is_some_and(|remedy| remedy != RemedyChoice::Bound);
    if !bounds.tighten && (bounds.no_mutants || bounds.no_run || keeps_bound) {
        return Ok(None);
    }
    let mut wanted = Wanted::default();
    if !settings.operators.is_empty() {
        wanted.operators = settings.operators.iter().filter_map(|name| Operator::named(name)).collect();
    }
    for row in &settings.swaps {
        wanted.swaps.add(row).map_err(|error| Message::error(error.to_string()).ends(Exit::Usage))?;
    }
    let style = if settings.method == MethodSetting::Faser { TightenMethod::Faser } else { TightenMethod::Calibrated };
    let widened = MutantScope::Widened { most: MUTANTS_FOR_COST, cpu: CPU_FOR_COST };
    let scope = if bounds.tighten { MutantScope::All } else { widened };
    let fraction = settings.mutant_fraction;
    Ok(Some(Tighten { wanted, fraction, style, scope, replaces_code: !fault::is_planted("load-mutants") }))
}

/// Fixed seeds vary when bounds are tightened: one seed says nothing about how far a value can go.
pub fn seeds(context: &CommandContext<'_>, is_tightened: bool) -> Seeds {
    let is_varied = context.settings.bounds.varies_seeds || is_tightened && !context.options.is_chosen("seeds");
    if is_varied { Seeds::Vary } else { Seeds::Keep }
}

/// Most runs of the original; the paper has 100.
pub fn most_runs(context: &CommandContext<'_>) -> usize {
    let settings = &context.settings.bounds;
    let is_as_published = settings.method == MethodSetting::Faser && !context.options.is_chosen("runs");
    if is_as_published { MOST_RUNS } else { settings.runs }
}

/// Writes the mutants in the format of mutation-testing-elements, if that is asked for.
pub fn export(
    bounds: &Bounds,
    found: &BoundsResult,
    rows: &[JudgedSite<'_>],
    advised: &Advised,
) -> Result<(), Failure> {
    let Some(path) = &bounds.mutants_to else { return Ok(()) };
    let document = mutants_export::elements(found, rows, advised);
    let written = temper_files::write_output(path, format!("{document:#}\n").as_bytes());
    written.map_err(|error| cannot_write(&path.display().to_string(), &error.reason()))
}
