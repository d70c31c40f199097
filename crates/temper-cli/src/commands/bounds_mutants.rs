//! What the settings of `temper bounds` say about mutants.

use temper_bounds::Seeds;
use temper_bounds::tighten::{MOST_RUNS, Scope, Style, Tighten};
use temper_source::{Operator, Wanted};

use super::Context;
use crate::args::Bounds;
use crate::exit::Exit;
use crate::message::{Failure, Message};

/// What is asked of mutants; nothing if none are run.
pub fn tighten(context: &Context<'_>, bounds: &Bounds) -> Result<Option<Tighten>, Failure> {
    let settings = &context.settings;
    if !bounds.tighten {
        return Ok(None);
    }
    let mut wanted = Wanted::default();
    if !settings.operators.is_empty() {
        wanted.operators = settings.operators.iter().filter_map(|name| Operator::named(name)).collect();
    }
    for row in &settings.swaps {
        wanted.swaps.add(row).map_err(|error| Message::error(error.to_string()).ends(Exit::Usage))?;
    }
    let style = if settings.is_faser { Style::Faser } else { Style::Calibrated };
    Ok(Some(Tighten { wanted, fraction: settings.mutant_fraction, style, scope: Scope::All }))
}

/// Fixed seeds vary when bounds are tightened: one seed says nothing about how far a value can go.
pub fn seeds(context: &Context<'_>, is_tightened: bool) -> Seeds {
    let is_varied = context.settings.varies_seeds || is_tightened && !context.options.is_chosen("seeds");
    if is_varied { Seeds::Vary } else { Seeds::Keep }
}

/// Most runs of the original; the paper has 100.
pub fn most_runs(context: &Context<'_>) -> usize {
    if context.settings.is_faser && !context.options.is_chosen("runs") { MOST_RUNS } else { context.settings.runs }
}
