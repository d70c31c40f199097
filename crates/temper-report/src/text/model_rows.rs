//! How a verdict of `temper model` on real rows reads as text.

use std::fmt::Write;

use super::model::{counted, mutants, percent, table};
use super::numbers::thousands;
use super::style::{BOLD, DIM};
use super::wrap::{WIDTH, wrapped};
use crate::document::Document;
use crate::evidence::FindingEvidence;
use crate::evidence::SubjectEvidence;
use crate::evidence::model::MeasuredOn;
use crate::evidence::model_rows::{
    JudgedModelRecord, ModelRowsEvidence, ReferenceKind, RegionEvidence, SuspicionsRecord,
};
use crate::finding::Finding;
use crate::verdict::{Doubt, Verdict};

/// Findings that are explained unless all are asked for.
const SHOWN_FINDINGS: usize = 5;
/// Suspicions that are shown unless all are asked for.
const SHOWN_SUSPICIONS: usize = 3;

/// Figures, findings, weak spots, suspicions, and one line that sums up.
pub fn render(document: &Document, run: &JudgedModelRecord, is_verbose: bool) -> String {
    let Some(subject) = document.subjects.first() else { return String::new() };
    let SubjectEvidence::ModelRows(evidence) = &subject.evidence else { return String::new() };
    let mut out = format!("{BOLD}{}{BOLD:#}   {}\n", run.data, subject.name);
    figures(&mut out, run, evidence);
    let most = if is_verbose { usize::MAX } else { SHOWN_FINDINGS };
    let regions: Vec<(&Finding, &RegionEvidence)> = document.findings.iter().filter_map(region).collect();
    for (finding, evidence) in regions.iter().take(most) {
        out.push('\n');
        one_region(&mut out, run, finding, evidence, is_verbose);
    }
    if let Some(more) = regions.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(out, "\n{more} more findings; -v shows all");
    }
    weak_spots(&mut out, run);
    if let Some(found) = &run.suspicions {
        suspicions(&mut out, run, found, is_verbose);
    }
    if let Some(figures) = &run.mutants {
        out.push('\n');
        mutants(&mut out, figures, is_verbose);
    }
    let _ = writeln!(out, "\n{}", summary(run, evidence, &subject.verdict, regions.len()));
    wrapped(&out, WIDTH)
}

fn region(finding: &Finding) -> Option<(&Finding, &RegionEvidence)> {
    match &finding.evidence {
        FindingEvidence::Region(evidence) => Some((finding, evidence)),
        _ => None,
    }
}

fn figures(out: &mut String, run: &JudgedModelRecord, evidence: &ModelRowsEvidence) {
    let ModelRowsEvidence { rows, errors, reference_errors, margin } = *evidence;
    let share = |errors: usize| percent(errors as f64 / rows.max(1) as f64);
    let _ = writeln!(
        out,
        "  model       wrong on {} of {} rows {}: {}",
        thousands(errors),
        thousands(rows),
        origin_in_words(run.judged_on.origin),
        share(errors)
    );
    let reference = match run.reference.kind {
        ReferenceKind::OtherRows => {
            format!("{} had {} wrong, on other rows", run.reference.name, share(reference_errors))
        }
        _ => format!("{} is wrong on {}: {}", run.reference.name, thousands(reference_errors), share(reference_errors)),
    };
    let _ = writeln!(out, "  reference   {reference}");
    let [low, middle, high] = run.difference.map(|share| 100.0 * share);
    let _ = writeln!(
        out,
        "  difference  {middle:+.1} points ({low:+.1} to {high:+.1}); more than {} counts as worse",
        points(margin)
    );
}

pub(super) fn origin_in_words(origin: MeasuredOn) -> &'static str {
    match origin {
        MeasuredOn::CrossValidation => "in cross-validation",
        MeasuredOn::Holdout => "of the hold-out",
        MeasuredOn::Unseen => "that it has not seen",
        MeasuredOn::GivenRows => "given, which it may have been trained on",
    }
}

pub(super) fn points(share: f64) -> String {
    let text = format!("{:.2}", 100.0 * share);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} {}", if text == "1" { "point" } else { "points" })
}

fn one_region(out: &mut String, run: &JudgedModelRecord, finding: &Finding, found: &RegionEvidence, is_verbose: bool) {
    let _ = writeln!(out, "{BOLD}worse: {}{BOLD:#}   {BOLD}{}{BOLD:#}", found.condition, finding.id);
    let _ = writeln!(out, "  {}", region_figures(found));
    if let Some(example) = &found.example {
        let words = "a row that the model gets wrong, and the nearest one of its class that it gets right:";
        table(out, &run.columns, example, words, is_verbose);
    }
    if run.replayable && found.example.is_some() {
        let _ = writeln!(out, "  {DIM}reproduce: temper replay {}{DIM:#}", finding.id);
    }
}

/// `affects 3.1 % of rows; error there 31 % (24 to 39), of the reference 4 %, elsewhere 4 %`.
fn region_figures(found: &RegionEvidence) -> String {
    let [low, middle, high] = found.error.map(|share| 100.0 * share);
    let there = if found.elsewhere.is_some() { " there" } else { "" };
    let mut text = format!(
        "affects {} of rows; error{there} {middle:.1} % ({low:.1} to {high:.1}), of the reference {}",
        percent(found.affected),
        percent(found.reference_errors as f64 / found.rows.max(1) as f64)
    );
    if let Some(elsewhere) = found.elsewhere {
        let _ = write!(text, ", elsewhere {}", percent(elsewhere));
    }
    text
}

fn weak_spots(out: &mut String, run: &JudgedModelRecord) {
    if run.weak_spots.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n{DIM}weak spots, for information: regions in which the model errs more often than elsewhere{DIM:#}"
    );
    for spot in &run.weak_spots {
        let _ = writeln!(out, "  {}\n    {}", spot.condition, region_figures(spot));
    }
}

fn suspicions(out: &mut String, run: &JudgedModelRecord, found: &SuspicionsRecord, is_verbose: bool) {
    let _ = writeln!(
        out,
        "\n{DIM}{} inputs were made around real rows, for {}; they decide nothing{DIM:#}",
        thousands(found.inputs),
        counted(found.leaves, "leaf", "leaves")
    );
    let most = if is_verbose { usize::MAX } else { SHOWN_SUSPICIONS };
    for each in found.found.iter().take(most) {
        let _ = writeln!(out, "{BOLD}suspicion: {}{BOLD:#}", each.property);
        let _ = writeln!(
            out,
            "  around {} of {} rows most inputs fail ({} of {} inputs)",
            each.failing_sources, each.sources, each.failures, each.inputs
        );
        if let Some(closest) = &each.closest {
            let words = "an input that fails, and the row that it was made from, which the model gets right:";
            table(out, &run.columns, closest, words, is_verbose);
        }
    }
    if let Some(more) = found.found.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(out, "  {more} more suspicions; -v shows all");
    }
    if found.found.is_empty() {
        out.push_str("  no suspicion\n");
    }
}

fn summary(run: &JudgedModelRecord, evidence: &ModelRowsEvidence, verdict: &Verdict, findings: usize) -> String {
    let reference = &run.reference.name;
    match verdict {
        Verdict::Undecided(Doubt { reason, hint }) => {
            let hint = hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
            format!("nothing can be concluded: {reason}{hint}")
        }
        Verdict::Clean(_) => format!(
            "not shown to be worse than {reference} by more than {}: not on all {} rows, not in a region of them",
            points(evidence.margin),
            thousands(evidence.rows)
        ),
        _ => format!(
            "the model is worse than {reference}: {} ({} at a level of 5 %)",
            counted(findings, "finding", "findings"),
            counted(run.tests, "test", "tests")
        ),
    }
}
