//! `temper replay` of a finding of `temper bounds`: its run again, with its seed.

use std::fmt::Write;
use std::path::Path;

use temper_bounds::Seeds;
use temper_bounds::sample::replay::{ReplayedRun, RunReplay};
use temper_bounds::sample::run_record::RunEnd;
use temper_report::{Exit, short};
use temper_worker::Outcome;

use crate::commands::{CommandContext, bounds};
use crate::interrupt::Interrupt;
use crate::message::{Failure, Message};
use crate::project_store;
use crate::setup_hints::ProjectSetup;
use crate::workers;

/// What is needed to run the finding again, if `temper bounds` made one with this id.
pub fn find(context: &CommandContext<'_>, id: &str) -> Result<Option<RunReplay>, Failure> {
    // Opening makes the folder; a project without one has no findings.
    if !context.root.join(".temper").is_dir() {
        return Ok(None);
    }
    let cannot_read = |error: temper_store::StoreError| Message::error(error.to_string()).ends(Exit::Inconclusive);
    let store = project_store::open(context)?;
    let text = store.record(bounds::RECORDS, id).map_err(cannot_read)?;
    Ok(text.as_deref().and_then(RunReplay::from_text))
}

/// Runs it again and says what its assertion saw.
pub fn run(context: &CommandContext<'_>, wanted: &RunReplay, interrupt: &Interrupt) -> Result<Exit, Failure> {
    let (mut driver, python) = workers::start(context, interrupt)?;
    let setup = ProjectSetup { root: &context.root, python: &python };
    let replayed = wanted
        .run(&context.root, &context.settings.limits, &mut driver)
        .map_err(|error| bounds::failure(error, &setup))?;
    let replayed = replayed.ok_or_else(|| Message::error("the run gave no answer").ends(Exit::Inconclusive))?;
    context.write_results(&render(wanted, &replayed, &context.root))?;
    Ok(if replayed.record.is_pass() { Exit::Clean } else { Exit::Findings })
}

fn render(wanted: &RunReplay, replayed: &ReplayedRun, root: &Path) -> String {
    // pytest by itself would run the test with the seeds that it fixes.
    let place = if wanted.seeds == Seeds::Vary { ", in place of those that it fixes" } else { "" };
    let mut out = format!("{} with seed {}{place}\n", wanted.node, wanted.seed);
    for (number, run) in &replayed.record.sites {
        let Some((planned, site)) = replayed.plan.site(*number) else { continue };
        let said = if run.failed > 0 { "fails" } else { "passes" };
        let source: Vec<&str> = planned.file.slice(site.assertion).split_whitespace().collect();
        let _ = writeln!(out, "  line {}  {said}  {}", site.position.line, source.join(" "));
        for needed in &run.needed {
            let role = temper_bounds::sample::run_record::role_name(needed.role);
            let _ = writeln!(out, "    {role}: {} against {}", short(needed.number), short(needed.bound));
        }
        if run.nan + run.infinite > 0 {
            let _ = writeln!(out, "    {} NaN, {} infinite", run.nan, run.infinite);
        }
    }
    match &replayed.record.end {
        RunEnd::Passed => {}
        RunEnd::Failed(said) | RunEnd::Error(said) | RunEnd::Skipped(said) => {
            let _ = writeln!(out, "  {said}");
        }
    }
    if let Some(Outcome::Test(run)) = replayed.plain.as_ref().map(|report| &report.outcome) {
        // The frames before the user's own are pytest's.
        let root = root.display().to_string();
        let is_own = |line: &str| line.trim_start().starts_with("File ") && line.contains(&root);
        let skipped = run.text.lines().take_while(|line| !is_own(line)).count();
        let skipped = if skipped == run.text.lines().count() { 0 } else { skipped };
        for line in run.text.lines().skip(skipped) {
            let _ = writeln!(out, "  | {line}");
        }
    }
    out
}
