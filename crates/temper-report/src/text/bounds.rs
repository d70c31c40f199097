//! How the results of `temper bounds` read as text.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::numbers::{bars, counted, percent, short, thousands};
use super::style::{BOLD, DIM, verdict_style};
use crate::details::Details;
use crate::document::Document;
use crate::evidence::bounds::{
    BoundSide, BoundsDetails, BoundsMutants, FailureRate, NotJudgedReason, NoticedMutants, PooledRuns, SiteEvidence,
    SiteMutants, SiteRow, StoppedBy, TestPower,
};
use crate::evidence::{FindingEvidence, SubjectEvidence};
use crate::finding::Finding;

/// Mutants shown below an assertion; `-v` shows all.
const SHOWN_MUTANTS: usize = 3;
/// Mutants of a kind that must all be passed over before that is said.
const UNNOTICED: usize = 3;
/// The longest assertion that is shown in full.
const SHOWN_SOURCE: usize = 90;
/// Verdicts in the order of the last lines, the ones to act on first.
const ORDER: [&str; 10] =
    ["suspect", "flaky", "fails always", "loose", "undecided", "broken", "rare", "sound", "pinned", "deterministic"];

/// Writes a line. Writing to a `String` cannot fail.
macro_rules! line {
    ($out:expr, $($part:tt)*) => { let _ = writeln!($out, $($part)*); };
}

/// Findings and open questions, then counts; with `is_verbose`, every assertion.
pub fn render(document: &Document, bounds: &BoundsDetails, is_verbose: bool) -> String {
    let mut out = String::new();
    let rows: Vec<(&SiteRow, &SiteEvidence)> =
        bounds.sites.iter().filter_map(|row| Some((row, evidence_of(document, row)?))).collect();
    for (row, evidence) in &rows {
        let is_finding = document.findings.iter().any(|finding| finding.id == row.id);
        let is_open = matches!(evidence.verdict.as_str(), "fails always" | "undecided" | "broken" | "rare");
        let has_other_side = row.mutants.as_ref().is_some_and(|mutants| mutants.opposite.is_some());
        if is_verbose || is_finding || is_open || has_other_side {
            site(&mut out, row, evidence, is_finding, bounds.pass);
            row.mutants.iter().for_each(|mutants| site_mutants(&mut out, mutants, is_verbose));
        }
    }
    document.findings.iter().for_each(|finding| elsewhere(&mut out, finding));
    counts(&mut out, bounds, &rows, is_verbose);
    next(&mut out, document);
    out
}

/// What is said about the assertion of a finding.
pub(crate) fn site_text(document: &Document, row: &SiteRow) -> String {
    let mut out = String::new();
    if let (Some(evidence), Details::Bounds { bounds }) = (evidence_of(document, row), &document.details) {
        site(&mut out, row, evidence, true, bounds.pass);
        row.mutants.iter().for_each(|mutants| site_mutants(&mut out, mutants, false));
    }
    out
}

fn evidence_of<'d>(document: &'d Document, row: &SiteRow) -> Option<&'d SiteEvidence> {
    let subject = document.subjects.iter().find(|subject| subject.name == row.subject)?;
    match &subject.evidence {
        SubjectEvidence::Site(evidence) => Some(evidence),
        _ => None,
    }
}

fn site(out: &mut String, row: &SiteRow, evidence: &SiteEvidence, is_finding: bool, pass: f64) {
    let place = format!("{}:{}:{}", row.path, row.line, row.column);
    let id = if is_finding { format!("  {}", row.id) } else { String::new() };
    let source = cut(&row.source, SHOWN_SOURCE);
    let colour = verdict_style(&evidence.verdict);
    line!(out, "{BOLD}{place}{BOLD:#}  {source}  {colour}{}{colour:#}{id}", evidence.verdict);
    let others = if row.tests > 1 { format!(" (the worst of {} tests)", row.tests) } else { String::new() };
    line!(out, "  {DIM}{}{others}{DIM:#}", row.test);
    let green = row.green_seed.as_ref().map(|seed| format!("; green today only because of seed {seed}"));
    line!(out, "  {}{}", runs(evidence), green.unwrap_or_default());
    if evidence.judged_at != pass {
        line!(out, "  judged at {}, the target that its bound was made for", percent(evidence.judged_at));
    }
    if evidence.numbers.len() > 1 {
        let bound = evidence.bound.unwrap_or(f64::NAN);
        line!(out, "  {}   {}", quantiles(evidence), bars(bound, &evidence.numbers));
    }
    for said in &row.said {
        line!(out, "  {said}");
    }
}

/// A test that fails by luck outside its approximate assertions.
fn elsewhere(out: &mut String, finding: &Finding) {
    let FindingEvidence::Test(evidence) = &finding.evidence else { return };
    let place = format!("{}:{}", finding.path, finding.line);
    let colour = verdict_style("flaky");
    line!(
        out,
        "{BOLD}{place}{BOLD:#}  fails outside its approximate assertions  {colour}flaky{colour:#}  {}",
        finding.id
    );
    line!(out, "  {DIM}{}{DIM:#}", finding.subject);
    let green = evidence.green_seed.as_ref().map(|seed| format!("; green today only because of seed {seed}"));
    let (runs, failures) = (thousands(evidence.runs), thousands(evidence.failures));
    let rate = rate(&evidence.failure_rate);
    line!(out, "  {runs} runs, {failures} failed{rate}{}", green.unwrap_or_default());
    if let Some(exception) = &finding.exception {
        line!(out, "  {exception}");
    }
    line!(out, "  reproduce  temper replay {}", finding.id);
}

/// Quantiles towards the side that fails.
fn quantiles(evidence: &SiteEvidence) -> String {
    let known = &evidence.quantiles;
    let points = match evidence.direction {
        BoundSide::Upper => [("p50", known.p50), ("p99", known.p99), ("p99.9", known.p99_9)],
        BoundSide::Lower => [("p50", known.p50), ("p1", known.p1), ("p0.1", known.p0_1)],
    };
    points.map(|(name, value)| format!("{name} {}", value.map(short).unwrap_or_default())).join("   ")
}

/// `300 runs, 34 failed: 11.3 % (8.2 to 15.4)`.
fn runs(evidence: &SiteEvidence) -> String {
    let SiteEvidence { runs, reached, failures, failure_rate, nan, infinite, errors, .. } = evidence;
    let reached = if reached < runs { format!(", {reached} reached it") } else { String::new() };
    let mut text = format!("{runs} runs{reached}, {failures} failed");
    if *failures > 0 {
        text += &rate(failure_rate);
    }
    if nan + infinite > 0 {
        let parts = [(*nan, "NaN"), (*infinite, "infinities")].into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts.map(|(count, what)| format!("{count} with {what}")).collect();
        text += &format!("; {}", parts.join(", "));
    }
    if *errors > 0 {
        text += &format!("; {errors} ended in an exception");
    }
    text
}

/// `: 3 % (0.6 to 8.5)`.
fn rate(rate: &FailureRate) -> String {
    let share = |share: Option<f64>| short(100.0 * share.unwrap_or(f64::NAN));
    format!(": {} % ({} to {})", share(rate.share), share(rate.low), share(rate.high))
}

fn site_mutants(out: &mut String, mutants: &SiteMutants, is_verbose: bool) {
    line!(out, "  kill score {}", mutants.kill_score);
    if is_verbose {
        line!(out, "  {DIM}mutants    {}{DIM:#}", mutants.ends);
    }
    let shown = if is_verbose { mutants.killable.len() } else { SHOWN_MUTANTS };
    for mutant in mutants.killable.iter().take(shown) {
        line!(out, "    {}   killed in {}", mutant.place, mutant.killed);
        line!(out, "    {DIM}-{}{DIM:#}", mutant.old);
        line!(out, "    {DIM}+{}{DIM:#}", mutant.new);
    }
    if mutants.killable.len() > shown {
        line!(out, "    {} more that it would kill: `-v` lists them", mutants.killable.len() - shown);
    }
    if let Some(opposite) = &mutants.opposite {
        line!(out, "  other side {opposite}");
    }
}

/// What was done, what it showed, and what was left out.
fn counts(out: &mut String, bounds: &BoundsDetails, rows: &[(&SiteRow, &SiteEvidence)], is_verbose: bool) {
    let parts = ORDER.iter().filter_map(|word| {
        let count = rows.iter().filter(|(_, evidence)| evidence.verdict == **word).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    let parts: Vec<String> = parts.collect();
    let words = if parts.is_empty() { "none reached".to_owned() } else { parts.join(" · ") };
    let assertions = counted(rows.len(), "approximate assertion");
    line!(out, "{BOLD}{assertions} in {}{BOLD:#}: {words}", counted(bounds.tests_judged, "test"));
    let recorded: usize = bounds.recorded.iter().map(|each| each.runs).sum();
    let is_at_rest = bounds.stopped == Some(StoppedBy::NoRun);
    let runs = match (bounds.runs_taken + bounds.runs_of_patches, bounds.runs_reused.saturating_sub(recorded)) {
        (0, 0) => "no run was taken".to_owned(),
        (0, reused) if recorded > 0 || is_at_rest => {
            format!("{} runs from the store, none was taken", thousands(reused))
        }
        (0, reused) => {
            format!("nothing has changed: all {} runs come from the store, none was taken", thousands(reused))
        }
        (taken, 0) => format!("{} runs", thousands(taken)),
        (taken, reused) => format!("{} runs, and {} from the store", thousands(taken), thousands(reused)),
    };
    line!(out, "  {runs}");
    recordings(out, bounds);
    pooled(out, bounds);
    bounds.mutants.iter().for_each(|mutants| mutant_counts(out, mutants, is_verbose));
    left_out(out, bounds);
}

/// What rests on runs that ordinary test runs have recorded.
fn recordings(out: &mut String, bounds: &BoundsDetails) {
    let runs: usize = bounds.recorded.iter().map(|each| each.runs).sum();
    if runs > 0 {
        let longest = bounds.recorded.iter().max_by_key(|each| each.commits.len()).map(|each| each.commits.as_slice());
        let of = match longest.unwrap_or_default() {
            [] => String::new(),
            [only] => format!(", of commit {only}"),
            [first, .., last] => format!(", of commits {first} to {last}"),
        };
        line!(out, "  {} were recorded in ordinary test runs{of}: nobody chose their seeds", counted(runs, "run"));
    }
    for each in &bounds.recorded {
        if let Some(drift) = &each.drift {
            let since = if drift.since.is_empty() { "a change of the code".to_owned() } else { drift.since.clone() };
            let (test, runs) = (&each.test, counted(drift.runs, "earlier run"));
            line!(out, "  {test}: its values changed with {since} (p {}); {runs} set aside", short(drift.p));
        }
        if each.outdated > 0 {
            let runs = counted(each.outdated, "recorded run");
            line!(out, "  {}: {runs} set aside, because the file with the assertions has changed since", each.test);
        }
    }
}

/// What became of stored runs that other kinds of machines took.
fn pooled(out: &mut String, bounds: &BoundsDetails) {
    let (counted, aside): (Vec<&PooledRuns>, Vec<&PooledRuns>) =
        bounds.pooled.iter().filter(|pooled| pooled.runs > 0).partition(|pooled| pooled.is_counted);
    let machines = |pooled: &[&PooledRuns]| {
        let all: BTreeSet<&str> = pooled.iter().flat_map(|each| &each.machines).map(String::as_str).collect();
        all.into_iter().collect::<Vec<_>>().join(", ")
    };
    if !counted.is_empty() {
        let runs: usize = counted.iter().map(|each| each.runs).sum();
        let p = counted.iter().map(|each| each.p).fold(1.0, f64::min);
        line!(
            out,
            "  {} of the runs from the store are of other machines ({}); their values agree with those here (p {} or more)",
            thousands(runs),
            machines(&counted),
            short(p)
        );
    }
    for each in aside {
        let (runs, machines) = (thousands(each.runs), machines(&[each]));
        line!(
            out,
            "  {}: {runs} runs of other machines ({machines}) are set aside: their values differ from those here (p {})",
            each.test,
            short(each.p)
        );
    }
}

fn mutant_counts(out: &mut String, mutants: &BoundsMutants, is_verbose: bool) {
    if !mutants.mutants.is_empty() {
        let kept = match mutants.runs_reused {
            0 => String::new(),
            reused => format!(", and {} from the store", thousands(reused)),
        };
        let unreached = match mutants.not_reached.len() {
            0 => String::new(),
            count => format!("; on lines that no test reaches: {} more", thousands(count)),
        };
        let (tried, taken) = (thousands(mutants.mutants.len()), thousands(mutants.runs_taken));
        let judged = match mutants.pending {
            0 => String::new(),
            pending => format!("{} of ", thousands(mutants.mutants.len() - pending)),
        };
        let verb = if mutants.pending > 0 { " judged" } else { "" };
        line!(out, "  {judged}{tried} mutants{verb}, {taken} runs of them{kept}{unreached}");
    }
    power(out, &mutants.power, is_verbose);
    for (reason, count) in mutants.loaded_apart.iter().filter(|_| is_verbose) {
        line!(out, "  {DIM}loaded apart: {} ({reason}){DIM:#}", counted(*count, "mutant"));
    }
    for refused in &mutants.refused {
        line!(out, "  no mutants of what {} runs: it does what mutants may not ({})", refused.test, refused.tried);
    }
    for node in &mutants.unrepeatable {
        line!(
            out,
            "  {node} gives other numbers when it is run again with the same seed; so may its mutants: \
             its bounds are not tightened"
        );
    }
}

/// What the tests notice, and which kinds of change none of them does.
fn power(out: &mut String, power: &TestPower, is_verbose: bool) {
    let NoticedMutants { noticed, changing } = power.all;
    if changing == 0 {
        return;
    }
    line!(out, "  the tests notice {noticed} of {changing} mutants that change what they compare");
    for (kind, counts) in &power.by_kind {
        if counts.noticed == 0 && counts.changing >= UNNOTICED {
            line!(out, "  no assertion notices a change of kind `{kind}`: 0 of {} mutants", counts.changing);
        }
    }
    for (name, counts) in power.by_test.iter().chain(&power.by_file).filter(|_| is_verbose) {
        line!(out, "  {DIM}{name}: {} of {} noticed{DIM:#}", counts.noticed, counts.changing);
    }
}

fn left_out(out: &mut String, bounds: &BoundsDetails) {
    let skipped = bounds.count(NotJudgedReason::Skipped);
    if skipped > 0 {
        line!(out, "  left out: {} skipped or expected to fail", counted(skipped, "test"));
    }
    let waiting = bounds.count(NotJudgedReason::NotRun);
    if waiting > 0 {
        line!(out, "  not begun: {}", counted(waiting, "test"));
    }
    for (reason, count) in &bounds.left_out {
        line!(out, "  left out: {count} because {reason}");
    }
}

/// `1 to fix, 1 to look at.   temper review · temper apply B1 · .temper/patches/B1.patch`.
fn next(out: &mut String, document: &Document) {
    let findings: Vec<&Finding> = document.findings.iter().filter(|finding| !document.is_known(finding)).collect();
    let Some(first) = findings.first() else { return };
    let patched: Vec<(&Finding, &String)> =
        findings.iter().filter_map(|finding| Some((*finding, finding.patch.as_ref()?))).collect();
    let rest = findings.len() - patched.len();
    let look = if rest > 0 { format!("{rest} to look at") } else { String::new() };
    match patched.first() {
        Some((finding, path)) => {
            let look = if rest > 0 { format!(", {look}") } else { look };
            let (count, id) = (patched.len(), &finding.id);
            line!(out, "{count} to fix{look}.   temper review · temper apply {id} · {path}");
        }
        None => {
            line!(out, "{look}.   temper replay {}", first.id);
        }
    }
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}
