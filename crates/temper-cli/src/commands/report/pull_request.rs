//! `temper report --pr ID`: the text of a pull request for one patch: what was run, what it showed, what else could be
//! chosen and what the change costs.

use std::fmt::Write;

use temper_bounds::Seeds;
use temper_bounds::propose::patches;
use temper_bounds::propose::proposal::{self, Proposal, Remedy, RemedyKind, TargetLevel};
use temper_bounds::wording::{self, support_words};
use temper_report::{Exit, MarkedNumber, histogram, percent, short, thousands};

use crate::commands::{CommandContext, apply};
use crate::message::Failure;

/// Prints the text.
pub fn run(context: &CommandContext<'_>, id: &str) -> Result<Exit, Failure> {
    let (_, all) = apply::proposals(context)?;
    let proposal = apply::named(&all, id)?;
    // A file that went on has no diff to show; the rest of the text stands.
    let diff = patches::diff_of_analysis(&context.root, proposal, &all).ok();
    let diff = diff.map(|diff| String::from_utf8_lossy(&diff).into_owned());
    context.write_results(&pull_request(proposal, diff.as_deref()))?;
    Ok(Exit::Clean)
}

/// Writes a paragraph. Writing to a `String` cannot fail.
macro_rules! paragraph {
    ($out:expr, $($part:tt)*) => { let _ = writeln!($out, "{}\n", format_args!($($part)*)); };
}

fn pull_request(proposal: &Proposal, diff: Option<&str>) -> String {
    let mut out = String::new();
    paragraph!(out, "# {}", title(proposal));
    summary(&mut out, proposal);
    what_was_run(&mut out, proposal);
    distribution(&mut out, proposal);
    change(&mut out, proposal, diff);
    levels(&mut out, proposal);
    cost(&mut out, proposal);
    others(&mut out, proposal);
    paragraph!(
        out,
        "Made by temper {}. `{}` samples the test again, `temper replay {}` repeats the worst run.",
        env!("CARGO_PKG_VERSION"),
        sampling_command(proposal),
        proposal.id
    );
    out
}

/// What is wrong and what the change does, in one paragraph.
fn summary(out: &mut String, proposal: &Proposal) {
    let place = &proposal.place;
    let measured = wording::failures_words(&proposal.measured);
    let why = match (proposal.measured.failures, &proposal.measured.green_seed) {
        (0, _) => format!("accepts more than the value needs ({measured})"),
        (_, None) => format!(
            "fails by chance: the value differs from run to run, and the bound cuts off a part of it ({measured})"
        ),
        (_, Some(seed)) => format!(
            "passes today only because of seed {seed}: with other seeds the value differs from run to run, and the bound cuts off a part of it ({measured})"
        ),
    };
    let (what, promise) = change_words(proposal);
    paragraph!(
        out,
        "`{}` in `{}` ({}:{}) {why}. This change writes `{what}` instead: {promise}.",
        place.source,
        place.test,
        place.path,
        place.line
    );
}

/// What is written, and what it promises.
fn change_words(proposal: &Proposal) -> (String, String) {
    let headline = wording::headline(proposal);
    let (what, why) = headline.split_once("   ").unwrap_or((&headline, ""));
    (what.to_owned(), why.to_owned())
}

/// The command that takes the same runs.
fn sampling_command(proposal: &Proposal) -> String {
    let measured = &proposal.measured;
    let seeds = if measured.seeds == Seeds::Vary { " --seeds vary" } else { "" };
    let pass = proposal.asked.as_ref().map_or(proposal.pass, |asked| asked.pass);
    let (test, runs, seed) = (&proposal.place.test, measured.runs, measured.seed);
    format!("temper bounds {test} --runs {runs} --pass {pass} --seed {seed}{seeds}")
}

fn title(proposal: &Proposal) -> String {
    let test = proposal.place.test.rsplit("::").next().unwrap_or_default();
    match &proposal.remedy {
        Remedy::Bound { text, .. } => {
            format!("{test}: `{} {text}` instead of {}", proposal.place.label, short(proposal.measured.bound))
        }
        Remedy::Rerun { max_runs, .. } => format!("{test}: up to {max_runs} runs before it counts as failed"),
        Remedy::Rewritten { means: RemedyKind::Mean, times, .. } => {
            format!("{test}: the mean of {} repetitions is compared", short(*times))
        }
        Remedy::Rewritten { text, old: Some(old), .. } => format!("{test}: `{text}` instead of `{old}`"),
        Remedy::Rewritten { text, .. } => format!("{test}: `{text}`"),
    }
}

fn what_was_run(out: &mut String, proposal: &Proposal) {
    let measured = &proposal.measured;
    let seeds = match measured.seeds {
        Seeds::Keep => "fixed seeds in the test were kept",
        Seeds::Vary => "fixed seeds in the test were replaced",
    };
    paragraph!(out, "## What was run");
    paragraph!(
        out,
        "{} runs of the test, each in a separate process and with its own random state (all follow from seed {}; {seeds}). \
         The value behind the assertion was recorded in every run.",
        thousands(measured.runs),
        measured.seed
    );
    if let Some(verification) = &proposal.verification {
        paragraph!(out, "Then {}, under seeds that the proposal had not seen.", wording::verified_words(verification));
    }
}

fn distribution(out: &mut String, proposal: &Proposal) {
    let measured = &proposal.measured;
    let samples = measured.samples();
    let points: [(&str, f64); 7] = [
        ("least", 0.0),
        ("1 %", 0.01),
        ("5 %", 0.05),
        ("median", 0.5),
        ("95 %", 0.95),
        ("99 %", 0.99),
        ("greatest", 1.0),
    ];
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    paragraph!(out, "## The distribution of the value");
    let _ = writeln!(out, "{}", row(points.iter().map(|(name, _)| (*name).to_owned()).collect()));
    let _ = writeln!(out, "{}", row(points.iter().map(|_| "---".to_owned()).collect()));
    let values = points.iter().map(|(_, p)| samples.quantile(*p).map(short).unwrap_or_default());
    paragraph!(out, "{}", row(values.collect()));
    let new = match proposal.remedy {
        Remedy::Bound { bound, .. } => Some(MarkedNumber { name: "new bound", at: bound }),
        Remedy::Rerun { .. } | Remedy::Rewritten { .. } => None,
    };
    let marks: Vec<MarkedNumber<'_>> =
        [MarkedNumber { name: "old bound", at: measured.bound }].into_iter().chain(new).collect();
    paragraph!(out, "```\n{}\n```", histogram(&measured.numbers, &marks));
}

fn change(out: &mut String, proposal: &Proposal, diff: Option<&str>) {
    paragraph!(out, "## The change");
    if let Some(diff) = diff {
        paragraph!(out, "```diff\n{}\n```", diff.trim_end());
    }
    for words in wording::level_words(proposal) {
        paragraph!(out, "{}.", sentence(&words));
    }
    for site in &proposal.moves {
        paragraph!(out, "The same constant bounds `{site}`, which moves with it.");
    }
}

fn levels(out: &mut String, proposal: &Proposal) {
    if proposal.levels.is_empty() {
        return;
    }
    let fresh = proposal.verification.as_ref().map_or(0, |verification| verification.numbers.len());
    paragraph!(out, "## Other choices");
    let _ = writeln!(out, "| passes in | bound | rests on | beyond it, of {} further values |", thousands(fresh));
    let _ = writeln!(out, "| --- | --- | --- | --- |");
    let cells = |level: &TargetLevel| match &level.bound {
        Some(proposal::LevelBound { text, support, fresh_failures, .. }) => [
            format!("`{} {text}`", proposal.place.label),
            support_words(support, proposal.confidence),
            fresh_failures.map_or_else(|| "not tried".to_owned(), |count| count.to_string()),
        ],
        None => ["none".to_owned(), "no number there is both sure and of use".to_owned(), String::new()],
    };
    for level in &proposal.levels {
        let [bound, support, beyond] = cells(level);
        let _ = writeln!(out, "| {} | {bound} | {support} | {beyond} |", percent(level.pass));
    }
    paragraph!(out, "\n`temper apply {} --at 0.99` takes another one.", proposal.id);
}

fn cost(out: &mut String, proposal: &Proposal) {
    paragraph!(out, "## What it costs");
    match (&proposal.kill_cost, &proposal.remedy) {
        (Some(cost), _) => {
            paragraph!(out, "{}.", sentence(&wording::cost_words(cost)));
        }
        (None, Remedy::Bound { .. }) => {
            paragraph!(
                out,
                "A wider bound accepts more than the old one did. How many faults it would miss was not measured: no mutant of \
                 the code under test was run."
            );
        }
        (None, Remedy::Rerun { expected_runs, .. }) => {
            paragraph!(
                out,
                "{} runs on average instead of one. A fault that shows in some runs only may pass; raising the sample size or \
                 fixing the seed are the alternatives.",
                short(*expected_runs)
            );
        }
        (None, Remedy::Rewritten { means: RemedyKind::Seed, .. }) => {
            paragraph!(
                out,
                "The test sees one case only: a fault that shows under other seeds goes unseen. The seed was chosen \
                 because its value lies in the middle of those that were tried."
            );
        }
        (None, Remedy::Rewritten { times, .. }) => {
            paragraph!(out, "{}. The bound stays as it is.", sentence(&wording::times_words(*times)));
        }
    }
}

/// What else could be done, where it is known.
fn others(out: &mut String, proposal: &Proposal) {
    if proposal.others.is_empty() {
        return;
    }
    paragraph!(out, "What else could be done, untried but for what is said:");
    for other in &proposal.others {
        let words = wording::other_words(other, &proposal.id);
        let _ = writeln!(out, "- {}", words.strip_prefix("or ").unwrap_or(&words).trim_start());
    }
    let _ = writeln!(out);
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
