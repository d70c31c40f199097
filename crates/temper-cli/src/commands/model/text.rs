//! How the results of `temper model` read as text.

use std::fmt::Write;

use temper_model::assess::{Assessment, LeafFinding};
use temper_model::explain::closest::Closest;
use temper_model::explain::property_text::property_in_words;
use temper_model::inputs::{InputSuite, Untested};
use temper_model::judge::baseline::{Baseline, BaselineOrigin};
use temper_model::judge::metrics::Metrics;
use temper_model::mutants::detection::Challenge;
use temper_model::mutants::model_mutant::Fate;
use temper_model::{Column, Dataset};

use super::Found;
use crate::terminal::{BOLD, DIM};

/// Leaves that are listed unless all are asked for.
const SHOWN_LEAVES: usize = 20;

/// Findings that are explained unless all are asked for.
const SHOWN_FINDINGS: usize = 5;

/// Columns of a row that are shown, unless all are asked for; those that differ always are.
const SHOWN_COLUMNS: usize = 8;

/// Surrogate, baseline, leaves, findings, and one line that sums up.
pub fn render(found: &Found, data: &Dataset, path: &str, is_verbose: bool) -> String {
    let assessment = &found.assessment;
    let mut out = format!("{BOLD}{path}{BOLD:#}   {}\n", found.model);
    let _ = writeln!(out, "  surrogate  {}", surrogate(assessment));
    let _ = writeln!(out, "  baseline   {}", baseline(&found.baseline));
    let _ = writeln!(out, "  inputs     {}", inputs(assessment));
    let _ = writeln!(out, "  accuracy   {}", accuracy(found));
    out.push('\n');
    leaves(&mut out, found, data, is_verbose);
    if !found.is_judged {
        out.push_str("\nThe tree imitates the model itself: its leaves explain the model, and nothing was judged.\n");
        return out;
    }
    let shown = if is_verbose { usize::MAX } else { SHOWN_FINDINGS };
    for finding in assessment.findings.iter().take(shown) {
        out.push('\n');
        one_finding(&mut out, found, data, finding, is_verbose);
    }
    if let Some(more) = assessment.findings.len().checked_sub(shown).filter(|more| *more > 0) {
        let _ = writeln!(out, "\n{more} more findings; -v shows all");
    }
    if let Some(worst) = &assessment.worst {
        let _ = writeln!(out, "\n{DIM}no finding; the worst leaf, for a look:{DIM:#}");
        one_finding(&mut out, found, data, worst, is_verbose);
    }
    if let Some(mutants) = &found.mutants {
        out.push('\n');
        challenge(&mut out, mutants, data, is_verbose);
    }
    let _ = writeln!(out, "\n{}", summary(found));
    out
}

fn challenge(out: &mut String, mutants: &Challenge, data: &Dataset, is_verbose: bool) {
    let count = |killed: fn(&Fate) -> bool| mutants.fates.iter().filter(|fate| killed(fate)).count();
    let all = mutants.fates.len();
    let _ = writeln!(
        out,
        "mutants of the model: {} of {all} killed by {} inputs, {} of {all} by {} rows held out",
        count(|fate| fate.killed_by_suite),
        mutants.inputs,
        count(|fate| fate.killed_by_holdout),
        mutants.held_out
    );
    for mutant in &mutants.unviable {
        let _ = writeln!(out, "  {:<32}   {}", "unviable", mutant.in_words(&data.schema));
    }
    for fate in mutants.fates.iter().filter(|fate| is_verbose || !fate.killed_by_suite) {
        let words = match (fate.killed_by_suite, fate.killed_by_holdout) {
            (true, true) => "killed",
            (true, false) => "killed by the inputs only",
            (false, true) => "killed by the rows held out only",
            (false, false) => "survived",
        };
        let _ = writeln!(out, "  {words:<32}   {}", fate.mutant.in_words(&data.schema));
    }
}

fn surrogate(assessment: &Assessment) -> String {
    let fidelity = &assessment.fidelity;
    format!(
        "{}, depth {} · gives {} of the rows their label, {} the model's answer",
        counted(fidelity.leaves, "leaf", "leaves"),
        fidelity.depth,
        percent(fidelity.training_accuracy),
        percent(fidelity.to_model)
    )
}

/// What the model usually gets wrong.
pub fn baseline(baseline: &Baseline) -> String {
    let rows = match baseline.origin {
        BaselineOrigin::CrossValidation => "in 10-fold cross-validation",
        BaselineOrigin::Holdout => "of the hold-out",
        BaselineOrigin::GivenRows => "of the rows given, which it may have been trained on",
    };
    let share = baseline.errors as f64 / baseline.rows.max(1) as f64;
    format!("the model gets {} of {} rows wrong {rows}: {}", baseline.errors, baseline.rows, percent(share))
}

fn inputs(assessment: &Assessment) -> String {
    let (coverage, boundary) = (&assessment.coverage.0, &assessment.boundary.0);
    let unique = coverage.unique() + boundary.unique();
    let mut text = format!(
        "{} covering leaves, {} next to splits ({unique} different) · {} of {} tested",
        coverage.len(),
        boundary.len(),
        assessment.leaves.len(),
        counted(assessment.surrogate.leaves.len(), "leaf", "leaves")
    );
    for (why, words) in [
        (Untested::Tied, "have no majority"),
        (Untested::NoConsensus, "are too uncertain to test"),
        (Untested::Empty, "are empty after rounding"),
    ] {
        let count = untested(assessment, why);
        if count > 0 {
            let _ = write!(text, ", {count} {words}");
        }
    }
    text
}

/// Leaves without any input, for this reason.
pub fn untested(assessment: &Assessment, why: Untested) -> usize {
    let is_tested = |leaf: usize| assessment.leaves.iter().any(|result| result.leaf == leaf);
    let of = |suite: &InputSuite| -> Vec<usize> {
        suite.untested.iter().filter(|(leaf, reason)| *reason == why && !is_tested(*leaf)).map(|each| each.0).collect()
    };
    let mut leaves = of(&assessment.coverage.0);
    leaves.extend(of(&assessment.boundary.0));
    leaves.sort_unstable();
    leaves.dedup();
    leaves.len()
}

fn accuracy(found: &Found) -> String {
    let figures = |metrics: &Metrics| format!("{:.2} (F1 {:.2})", metrics.accuracy, metrics.weighted.f1);
    let own = (found.assessment.coverage.1.metrics, found.assessment.boundary.1.metrics);
    let (coverage, boundary, whose) = match &found.totals {
        Some(totals) => (totals.coverage, totals.boundary, ", mean of the fold models"),
        None => (own.0, own.1, ""),
    };
    let mut text = format!("{} covering leaves, {} next to splits{whose}", figures(&coverage), figures(&boundary));
    if let Some(crossed) = &found.crossed {
        let _ = write!(text, " · {} in cross-validation", figures(crossed));
    }
    text
}

fn leaves(out: &mut String, found: &Found, data: &Dataset, is_verbose: bool) {
    let assessment = &found.assessment;
    let most = if is_verbose { usize::MAX } else { SHOWN_LEAVES };
    let _ = writeln!(out, "  {DIM} passes   inputs   property{DIM:#}");
    for result in assessment.leaves.iter().take(most) {
        let property = property_in_words(&assessment.surrogate.leaves[result.leaf], data);
        let finding = assessment.findings.iter().find(|finding| finding.result.leaf == result.leaf);
        let id = finding.map_or(String::new(), |finding| format!("   {BOLD}{}{BOLD:#}", finding.id));
        let _ = writeln!(out, "  {:>7}   {:>6}   {property}{id}", percent(result.pass_rate.share), result.inputs);
    }
    if let Some(more) = assessment.leaves.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(out, "  {more} more leaves; -v lists all");
    }
}

fn one_finding(out: &mut String, found: &Found, data: &Dataset, finding: &LeafFinding, is_verbose: bool) {
    let result = &finding.result;
    let mark = match (result.is_finding, found.known.contains(&finding.id)) {
        (false, _) => String::new(),
        (true, false) => format!("   {BOLD}{}{BOLD:#}", finding.id),
        (true, true) => format!("   {} (known)", finding.id),
    };
    let _ = writeln!(out, "{BOLD}{}{BOLD:#}{mark}", finding.property);
    let usual = 1.0 - found.baseline.errors as f64 / found.baseline.rows.max(1) as f64;
    let pass = &result.pass_rate;
    let _ = writeln!(
        out,
        "  {} of {} inputs fail: {} pass ({:.1} to {:.1}), of real rows {}",
        result.failures,
        result.inputs,
        percent(pass.share),
        pass.low * 100.0,
        pass.high * 100.0,
        percent(usual)
    );
    match &finding.closest {
        Some(closest) => table(out, data, closest, is_verbose),
        None if result.is_finding && !found.assessment.is_interrupted => {
            let class = &data.classes[found.assessment.surrogate.leaves[result.leaf].class];
            let _ = writeln!(out, "  no row of class {class} to compare with: the model gets none of them right");
        }
        None => {}
    }
    if result.is_finding && found.is_kept {
        let _ = writeln!(out, "  {DIM}reproduce: temper replay {}{DIM:#}", finding.id);
    }
}

/// The closest failing input beside the row it was moved towards.
fn table(out: &mut String, data: &Dataset, closest: &Closest, is_verbose: bool) {
    let row = data.features.row(closest.row);
    let cell = |column: &Column, value: f64| column.cell(value).to_string();
    let columns = data.schema.columns.iter().enumerate();
    let differs = |index: &usize| closest.differs.contains(index);
    let most = if is_verbose { usize::MAX } else { SHOWN_COLUMNS };
    let shown: Vec<_> = columns.filter(|(index, _)| differs(index) || *index < most).collect();
    let row_name = format!("row {}", closest.row + 1);
    let first = shown.iter().map(|(_, column)| column.name.chars().count()).max().unwrap_or(0).max(10);
    let cells: Vec<[String; 2]> =
        shown.iter().map(|(index, column)| [cell(column, closest.input[*index]), cell(column, row[*index])]).collect();
    let answers = [&data.classes[closest.predicted], &data.classes[closest.expected]].map(ToString::to_string);
    let width = |at: usize| {
        let widest = cells.iter().map(|pair| pair[at].chars().count()).max().unwrap_or(0);
        widest.max(answers[at].chars().count()).max(if at == 0 { 5 } else { row_name.len() })
    };
    let (input, near) = (width(0), width(1));
    let _ = writeln!(out, "  the failing input that is closest to a row of the data which the model gets right:");
    let _ = writeln!(out, "    {:first$}   {:input$}   {row_name}", "", "input");
    for ((index, column), pair) in shown.iter().zip(&cells) {
        let mark = if differs(index) { "   differs" } else { "" };
        let line = format!("    {:first$}   {:input$}   {:near$}{mark}", column.name, pair[0], pair[1]);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let hidden = data.schema.columns.len() - shown.len();
    if hidden > 0 {
        let _ = writeln!(out, "    {hidden} more columns are equal; -v shows them");
    }
    let line = format!("    {:first$}   {:input$}   {:near$}", "model says", answers[0], answers[1]);
    let _ = writeln!(out, "{}", line.trim_end());
}

fn summary(found: &Found) -> String {
    let tested = found.assessment.leaves.len();
    let findings = &found.assessment.findings;
    let known = findings.iter().filter(|finding| found.known.contains(&finding.id)).count();
    let mut text = match (tested, findings.len()) {
        (0, _) => "no leaf could be tested; `--surrogate labels` tests without asking a forest".to_owned(),
        (_, 0) => format!("{} tested, none fails more often than real rows do", counted(tested, "leaf", "leaves")),
        (_, count) => format!(
            "{count} of {} {} more often than real rows do",
            counted(tested, "leaf", "leaves"),
            if count == 1 { "fails" } else { "fail" }
        ),
    };
    if known > 0 {
        let _ = write!(text, "; {known} of them known from the baseline report");
    }
    if !findings.is_empty() {
        text.push_str(
            "\nfor each: is the row labelled right, and could the input occur? then the model needs rows like it",
        );
        if found.is_kept {
            text.push_str("; if not, keep this report (--format json) and pass it as --baseline");
        }
    }
    if found.assessment.is_interrupted {
        text.push_str("\ninterrupted: leaves that were not reached are not shown");
    }
    text
}

/// A count with its noun.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
