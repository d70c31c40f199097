//! The results of `temper bounds` as a person reads them.

use std::collections::BTreeMap;
use std::fmt::Write;

use temper_bounds::findings::{JudgedSite, word};
use temper_bounds::judge::suspicion::Suspicion;
use temper_bounds::judge::verdict::{Rules, SiteVerdict};
use temper_bounds::propose::advice::{Advice, Advised};
use temper_bounds::propose::patches;
use temper_bounds::propose::proposal::Support;
use temper_bounds::sample::scheduler::{BoundsResult, TestProblem, is_finding};
use temper_stats::Direction;

use super::mutants_text;
use crate::commands::proposal_text::{self, histogram, percent, promise, quantiles, short, support_words, thousands};
use crate::terminal::{BOLD, DIM};

/// Writes a line. Writing to a `String` cannot fail.
macro_rules! line {
    ($out:expr, $($part:tt)*) => { let _ = writeln!($out, $($part)*); };
}

/// Findings and open questions, then counts; with `is_verbose`, every site.
pub fn render(
    found: &BoundsResult,
    (rows, advised): (&[JudgedSite<'_>], &Advised),
    rules: &Rules,
    is_verbose: bool,
) -> String {
    let mut out = String::new();
    for row in rows {
        let verdict = &row.result.judgement.verdict;
        let is_open = matches!(verdict, SiteVerdict::Undecided { .. } | SiteVerdict::Broken | SiteVerdict::Rare);
        if is_verbose || is_finding(verdict) || is_open {
            site(&mut out, row, advised, rules);
            out.push_str(&mutants_text::site(found, row, advised, rules, is_verbose));
        }
    }
    counts(&mut out, found, rows, advised);
    out
}

fn site(out: &mut String, row: &JudgedSite<'_>, advised: &Advised, rules: &Rules) {
    let place = format!("{}:{}:{}", row.path, row.line, row.column);
    let verdict = &row.result.judgement.verdict;
    let id = if is_finding(verdict) { format!("  {}", row.id) } else { String::new() };
    line!(out, "{BOLD}{place}{BOLD:#}  {}  {BOLD}{}{BOLD:#}{id}", cut(&row.source, 90), word(verdict));
    let tests = row.tests.len();
    let others = if tests > 1 { format!(" (the worst of {tests} tests)") } else { String::new() };
    line!(out, "  {DIM}{}{others}{DIM:#}", row.test.test.node);
    line!(out, "  {}{}", runs(row), seed_words(row));
    let pass = row.result.judgement.pass;
    if pass != rules.pass {
        line!(out, "  judged at {}, the target that its bound was made for", percent(pass.get()));
    }
    if let Ok(samples) = row.result.series.samples()
        && samples.len() > 1
    {
        let series = &row.result.series;
        let is_upper = series.direction == Direction::Upper;
        line!(out, "  {}   {}", quantiles(is_upper, &samples), histogram(series.bound, &samples));
    }
    verdict_lines(out, row, advised, rules);
}

fn verdict_lines(out: &mut String, row: &JudgedSite<'_>, advised: &Advised, rules: &Rules) {
    let pass = row.result.judgement.pass.get();
    match &row.result.judgement.verdict {
        SiteVerdict::Flaky(_) => flaky_lines(out, row, advised),
        SiteVerdict::Loose(_) => proposal_lines(out, row, advised),
        SiteVerdict::Sound(evidence) => {
            let support = support_words(&Support::from(evidence), rules.confidence.get());
            line!(out, "  holds      {} ({support})", promise(pass));
        }
        SiteVerdict::Suspect(suspicion) => {
            line!(out, "  {}: looks like a bug, no wider bound is offered", suspicion_words(suspicion));
            line!(out, "  reproduce  temper replay {}", row.id);
        }
        SiteVerdict::Rare => {
            line!(
                out,
                "  failures are as rare as asked: the fitted tail stays inside the bound in {} of runs",
                percent(pass)
            );
        }
        SiteVerdict::Undecided { .. } | SiteVerdict::Broken => {
            for words in proposal_text::no_answer_words(row.result) {
                line!(out, "  {words}");
            }
        }
        SiteVerdict::Deterministic if row.seed.is_some() => {
            line!(
                out,
                "  the value never changes; a fixed seed may be why: `--seeds vary` shows what others would give"
            );
        }
        SiteVerdict::Pinned => {
            line!(
                out,
                "  most distances are over ten times the tolerance: the expected numbers look recorded under the test's own seed"
            );
        }
        SiteVerdict::Deterministic | SiteVerdict::FailsAlways => {}
    }
}

fn flaky_lines(out: &mut String, row: &JudgedSite<'_>, advised: &Advised) {
    proposal_lines(out, row, advised);
    line!(out, "  reproduce  temper replay {}", row.id);
}

fn proposal_lines(out: &mut String, row: &JudgedSite<'_>, advised: &Advised) {
    match advised.by_id.get(&row.id) {
        Some(Advice { proposal: Some(proposal), begun, passed_over }) => {
            out.push_str(&proposal_text::lines(proposal, begun.as_ref(), passed_over));
        }
        Some(Advice { proposal: None, passed_over, .. }) => {
            line!(out, "  proposal   none");
            for why in passed_over {
                line!(out, "             {}", proposal_text::passed_over_words(why));
            }
        }
        None => {}
    }
}

/// `300 runs, 34 failed: 11.3 % (8.2 to 15.4)`.
fn runs(row: &JudgedSite<'_>) -> String {
    let (series, failures) = (&row.result.series, &row.result.judgement.failures);
    let reached = if series.reached < series.runs { format!(", {} reached it", series.reached) } else { String::new() };
    let mut text = format!("{} runs{reached}, {} failed", series.runs, series.failures);
    if series.failures > 0 {
        let [share, low, high] = [failures.share, failures.low, failures.high].map(|share| short(100.0 * share));
        text += &format!(": {share} % ({low} to {high})");
    }
    if series.nan + series.infinite > 0 {
        text += &format!("; {}", not_finite_words(series.nan, series.infinite));
    }
    if series.errors > 0 {
        text += &format!("; {} ended in an exception", series.errors);
    }
    text
}

fn seed_words(row: &JudgedSite<'_>) -> String {
    let passed = row.test.baseline == Some(temper_bounds::sample::run_record::RunEnd::Passed);
    match (&row.result.judgement.verdict, row.seed) {
        // Only varied seeds can make a seeded test flaky.
        (SiteVerdict::Flaky(_) | SiteVerdict::Suspect(_), Some(seed)) if passed => {
            format!("; green today only because of seed {seed}")
        }
        _ => String::new(),
    }
}

fn not_finite_words(nan: usize, infinite: usize) -> String {
    let parts = [(nan, "NaN"), (infinite, "infinities")].into_iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, what)| format!("{count} with {what}")).collect::<Vec<_>>().join(", ")
}

fn suspicion_words(suspicion: &Suspicion) -> String {
    match suspicion {
        Suspicion::NotFinite { nan, infinite } => {
            format!("runs without a finite value ({})", not_finite_words(*nan, *infinite))
        }
        Suspicion::Clusters { near, far, count } => {
            format!(
                "two far-apart groups of values (around {} and, {count} times, around {})",
                short(*near),
                short(*far)
            )
        }
        Suspicion::Magnitude { worst, times } => {
            format!("a value of {}, {} times as far out as the 95 % point", short(*worst), short(*times))
        }
        Suspicion::Drift { correlation } => {
            format!("the values move with the number of the run (rank correlation {})", short(*correlation))
        }
    }
}

/// What was done, what came of it, and what was left out.
fn counts(out: &mut String, found: &BoundsResult, rows: &[JudgedSite<'_>], advised: &Advised) {
    let mut by_word: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *by_word.entry(word(&row.result.judgement.verdict)).or_default() += 1;
    }
    let order = ["suspect", "flaky", "loose", "undecided", "broken", "rare", "sound", "pinned", "deterministic"];
    let parts: Vec<String> =
        order.iter().filter_map(|word| by_word.get(word).map(|count| format!("{count} {word}"))).collect();
    let judged = found.tests.iter().filter(|test| !test.sites.is_empty() && test.problem.is_none()).count();
    let words = if parts.is_empty() { "none reached".to_owned() } else { parts.join(" · ") };
    line!(
        out,
        "{BOLD}{} in {}{BOLD:#}: {words}",
        counted(rows.len(), "approximate assertion"),
        counted(judged, "test")
    );
    let runs = match (found.taken + advised.taken, found.reused) {
        (0, 0) => "no run was taken".to_owned(),
        (0, reused) => {
            format!("nothing has changed: all {} runs come from the store, none was taken", thousands(reused))
        }
        (taken, 0) => format!("{} runs", thousands(taken)),
        (taken, reused) => format!("{} runs, and {} from the store", thousands(taken), thousands(reused)),
    };
    line!(out, "  {runs}");
    out.push_str(&mutants_text::counts(found));
    left_out(out, found);
    next(out, rows, advised);
}

/// `1 to fix, 1 to look at.   temper review · temper apply B1 · .temper/patches/B1.patch`.
fn next(out: &mut String, rows: &[JudgedSite<'_>], advised: &Advised) {
    let findings: Vec<&JudgedSite<'_>> = rows.iter().filter(|row| is_finding(&row.result.judgement.verdict)).collect();
    let has_patch = |row: &&&JudgedSite<'_>| {
        let proposal = advised.by_id.get(&row.id).and_then(|advice| advice.proposal.as_ref());
        proposal.is_some_and(|proposal| proposal.verification.is_some())
    };
    let Some(first) = findings.first() else { return };
    let patched: Vec<&&JudgedSite<'_>> = findings.iter().filter(has_patch).collect();
    let rest = findings.len() - patched.len();
    let look = if rest > 0 { format!("{rest} to look at") } else { String::new() };
    match patched.first().map(|row| &row.id) {
        Some(id) => {
            let look = if rest > 0 { format!(", {look}") } else { look };
            let path = patches::path_of(id);
            line!(out, "{} to fix{look}.   temper review · temper apply {id} · {path}", patched.len());
        }
        None => {
            line!(out, "{look}.   temper replay {}", first.id);
        }
    }
}

fn left_out(out: &mut String, found: &BoundsResult) {
    let skipped = found.tests.iter().filter(|test| matches!(test.problem, Some(TestProblem::Skipped(_)))).count();
    if skipped > 0 {
        line!(out, "  left out: {} skipped or expected to fail", counted(skipped, "test"));
    }
    let waiting = found.tests.iter().filter(|test| test.problem == Some(TestProblem::NotRun)).count();
    if waiting > 0 {
        line!(out, "  not begun: {}", counted(waiting, "test"));
    }
    for (reason, count) in found.plan.left_out() {
        line!(out, "  left out: {count} because {reason}");
    }
}

fn counted(count: usize, thing: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{s}")
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}
