//! What `temper bounds` says on standard error.

use std::collections::BTreeSet;

use temper_bounds::propose::patches::PatchError;
use temper_bounds::sample::scheduler::{BoundsError, BoundsResult, Stop, TestProblem};
use temper_report::Exit;
use temper_worker::{LoadFailure, WorkerError};

use crate::commands::CommandContext;
use crate::message::{Failure, Message};
use crate::setup_hints::ProjectSetup;
use crate::terminal::Stderr;
use crate::workers::no_cluster;

/// The message for a patch that cannot be kept, shown or applied.
pub fn cannot_patch(error: &PatchError) -> Failure {
    let message = Message::error(error.to_string());
    match error {
        PatchError::Changed { .. } => {
            message.hint("`temper bounds` makes it again; runs that the change does not touch are reused")
        }
        PatchError::Overlap { .. } => message.hint("run `temper bounds` again: it proposes for the file as it is"),
        PatchError::NoLevel { known, .. } if known.is_empty() => message.hint("only wider bounds have other targets"),
        PatchError::NoLevel { known, .. } => {
            let known: Vec<String> = known.iter().map(f64::to_string).collect();
            message.hint(format!("there is one at {}", known.join(", ")))
        }
        _ => message,
    }
    .ends(if matches!(error, PatchError::Store(_) | PatchError::File(_)) {
        Exit::Inconclusive
    } else {
        Exit::Usage
    })
}

/// The message for a job that could not start.
pub fn failure(error: BoundsError, setup: &ProjectSetup<'_>) -> Failure {
    match error {
        BoundsError::Load(failure) => {
            let text = load_text(&failure);
            let message = load_message("the project's tests cannot be collected", &text);
            let message = message.fact(format!("python: {}", setup.python.shown));
            match setup.hint(&text) {
                Some(hint) => message.hint(hint),
                None => message,
            }
            .ends(Exit::TestsFail)
        }
        BoundsError::Probed(failure) => {
            load_message("the tests cannot be collected with probes in them", &load_text(&failure)).ends(Exit::Internal)
        }
        BoundsError::Worker(WorkerError::Unfit(error)) => no_cluster(&error, setup.python),
        BoundsError::Worker(WorkerError::Cancelled) => Message::warning("interrupted").ends(Exit::Interrupted),
        other => Message::error("the job failed").fact(other.to_string()).ends(Exit::Inconclusive),
    }
}

/// The message for a budget that ended while the tests were still being collected.
pub fn spent_before_the_first_run(context: &CommandContext<'_>) -> Failure {
    let spent = context.settings.budget.unwrap_or_default();
    Message::error("the budget was spent before the first run")
        .fact(format!("importing and collecting the project's tests took all of its {} s", spent.as_secs_f64()))
        .hint("name one test file, or give a larger `--budget`")
        .ends(Exit::Inconclusive)
}

/// What Python or pytest said.
fn load_text(failure: &LoadFailure) -> String {
    match failure {
        LoadFailure::Import(exception) => format!("{}: {}", exception.type_name, exception.message),
        LoadFailure::Collection { exception: Some(exception), .. } => {
            format!("{}: {}", exception.type_name, exception.message)
        }
        LoadFailure::Collection { output, .. } => String::from_utf8_lossy(&output.bytes).into_owned(),
        LoadFailure::Ended { end, output } => {
            format!("{}\nthe process {}", String::from_utf8_lossy(&output.bytes), end.words())
        }
    }
}

/// The last lines of what was said.
fn load_message(headline: &str, text: &str) -> Message {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.len().saturating_sub(12);
    lines[last..].iter().fold(Message::error(headline), |message, line| message.fact(*line))
}

/// What kept tests from being judged, one message each; the other tests went on.
pub fn show_problems(
    context: &CommandContext<'_>,
    setup: &ProjectSetup<'_>,
    found: &BoundsResult,
    stopped: Option<Stop>,
) {
    let mut stderr = Stderr::new(context.common.quiet);
    let mut hinted = BTreeSet::new();
    // The same hint for many files is said once.
    let mut with_hint = |message: Message, error: &str| match setup.hint(error) {
        Some(hint) if hinted.insert(hint.clone()) => message.hint(hint),
        _ => message,
    };
    for error in &found.loaded.errors {
        let last = error.text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let message = Message::error(format!("`{}` cannot be collected", error.node)).fact(last.trim());
        stderr.show(&with_hint(message, &error.text));
    }
    for error in &found.plan.unread {
        stderr.show(&Message::warning(error.to_string()));
    }
    for test in &found.tests {
        let node = &test.test.node;
        match &test.problem {
            Some(TestProblem::FailsAlways(said)) => {
                let headline = format!("`{node}` fails in every run ({} of {})", test.runs, test.runs);
                stderr.show(&with_hint(Message::error(headline).fact(said), said));
            }
            Some(TestProblem::Errors(said)) => {
                stderr.show(
                    &Message::error(format!("`{node}` raises in more than half of its {} runs", test.runs)).fact(said),
                );
            }
            _ => {}
        }
    }
    show_own_seeds(&mut stderr, found, context.common.verbose > 0);
    if let Some(reason) = &found.loaded.spawn_reason {
        stderr.show(&Message::warning("each run needs a fresh interpreter, which is slow").fact(reason));
    }
    match stopped {
        Some(Stop::Interrupt) => stderr
            .show(&Message::warning("interrupted; what was sampled is kept, and the same command goes on from there")),
        Some(Stop::Budget) => {
            stderr.show(&Message::warning("the budget is spent; the same command goes on from there"))
        }
        Some(Stop::NoRun) => {
            stderr.show(&Message::warning("nothing was run, and what there is does not decide everything"));
        }
        None => {}
    }
}

/// What the runs may depend on and nobody sees. With `-v`, and where data files were left out.
pub fn show_unseen(context: &CommandContext<'_>, found: &BoundsResult) {
    let mut stderr = Stderr::new(context.common.quiet);
    let data = found.surroundings.data();
    if context.common.verbose > 0 {
        stderr.note(
            "stored runs count as long as all files, folders, variables and packages that they used are as they were",
        );
        stderr.note("  not seen: the network, the clock, and files that are only asked for their size or time");
        if let Some(data) = &data {
            stderr.note(&format!(
                "  libraries that read files in C are loaded, so all {} data files of the project count ({} MB)",
                data.files,
                data.bytes >> 20
            ));
        }
    }
    if let Some(data) = data.filter(|data| data.is_cut) {
        let message = Message::warning("not all data files of the project are looked at")
            .fact(format!("the first 64 of {} MB decide whether stored runs still count", data.bytes >> 20));
        stderr.show(&message.hint("after a change of the other files, `temper clean --all` starts again"));
    }
}

/// Tests that compare exactly with what their own seed gives: one message for all of them.
fn show_own_seeds(stderr: &mut Stderr, found: &BoundsResult, is_verbose: bool) {
    let own = found.tests.iter().filter_map(|test| match &test.problem {
        Some(TestProblem::OwnSeed(said)) => Some(format!("{}: {said}", test.test.node)),
        _ => None,
    });
    let own: Vec<String> = own.collect();
    if own.is_empty() {
        return;
    }
    let (tests, shown) = (own.len(), if is_verbose { own.len() } else { 3 });
    let headline = match tests {
        1 => "1 test fails with most seeds but its own, and is not judged with them".to_owned(),
        _ => format!("{tests} tests fail with most seeds but their own, and are not judged with them"),
    };
    let message = own.iter().take(shown).fold(Message::warning(headline), |message, line| message.fact(line));
    let message =
        if tests > shown { message.fact(format!("{} more: `-v` lists them", tests - shown)) } else { message };
    stderr.show(&message.hint("`--seeds keep` judges tests as they are"));
}
