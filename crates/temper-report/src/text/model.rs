//! How the results of `temper model` read as text.

use std::fmt::Write;

use serde_json::Value;

use super::style::{BOLD, DIM};
use crate::document::Document;
use crate::evidence::model::{
    AnsweredBy, BaselineFigures, ClosestInput, LeafEvidence, MeasuredOn, ModelRunRecord, ModelSuiteRecord,
    MutantFigures,
};
use crate::evidence::{AgreementFigures, FindingEvidence, LeafRow};
use crate::finding::Finding;

/// Leaves that are listed unless all are asked for.
const SHOWN_LEAVES: usize = 20;
/// Findings that are explained unless all are asked for.
const SHOWN_FINDINGS: usize = 5;
/// Columns of a row that are shown, unless all are asked for; those that differ always are.
const SHOWN_COLUMNS: usize = 8;

/// A finding, or the worst leaf, which has no id.
struct ShownLeaf<'r> {
    id: Option<&'r str>,
    evidence: &'r LeafEvidence,
}

/// Surrogate, baseline, leaves, findings, and one line that sums up.
pub(super) fn one_run(document: &Document, run: &ModelRunRecord, is_verbose: bool) -> String {
    let model = document.subjects.first().map(|subject| subject.name.as_str()).unwrap_or_default();
    let mut out = format!("{BOLD}{}{BOLD:#}   {model}\n", run.data);
    let _ = writeln!(out, "  surrogate  {}", surrogate(run));
    let _ = writeln!(out, "  baseline   {}", baseline(&run.baseline));
    let _ = writeln!(out, "  inputs     {}", inputs(run));
    let _ = writeln!(out, "  accuracy   {}", accuracy(run));
    out.push('\n');
    leaves(&mut out, run, is_verbose);
    if !run.judged {
        out.push_str("\nThe tree imitates the model itself: its leaves explain the model, and nothing was judged.\n");
        return out;
    }
    let findings: Vec<ShownLeaf<'_>> = document.findings.iter().filter_map(shown_leaf).collect();
    let shown = if is_verbose { usize::MAX } else { SHOWN_FINDINGS };
    for finding in findings.iter().take(shown) {
        out.push('\n');
        one_leaf(&mut out, run, finding, is_verbose);
    }
    if let Some(more) = findings.len().checked_sub(shown).filter(|more| *more > 0) {
        let _ = writeln!(out, "\n{more} more findings; -v shows all");
    }
    if let Some(worst) = &run.worst {
        let _ = writeln!(out, "\n{DIM}no finding; the worst leaf, for a look:{DIM:#}");
        one_leaf(&mut out, run, &ShownLeaf { id: None, evidence: worst }, is_verbose);
    }
    if let Some(figures) = &run.mutants {
        out.push('\n');
        mutants(&mut out, figures, is_verbose);
    }
    let _ = writeln!(out, "\n{}", summary(run, &findings));
    out
}

fn shown_leaf(finding: &Finding) -> Option<ShownLeaf<'_>> {
    match &finding.evidence {
        FindingEvidence::Leaf(evidence) => Some(ShownLeaf { id: Some(&finding.id), evidence }),
        _ => None,
    }
}

pub(super) fn mutants(out: &mut String, figures: &MutantFigures, is_verbose: bool) {
    let all = figures.fates.len();
    let _ = writeln!(
        out,
        "mutants of the model: {} of {all} killed by {} inputs, {} of {all} by {} rows held out",
        figures.fates.iter().filter(|fate| fate.killed_by_inputs).count(),
        figures.inputs,
        figures.fates.iter().filter(|fate| fate.killed_by_holdout).count(),
        figures.held_out
    );
    for mutant in &figures.unviable {
        let _ = writeln!(out, "  {:<32}   {mutant}", "unviable");
    }
    for fate in figures.fates.iter().filter(|fate| is_verbose || !fate.killed_by_inputs) {
        let words = match (fate.killed_by_inputs, fate.killed_by_holdout) {
            (true, true) => "killed",
            (true, false) => "killed by the inputs only",
            (false, true) => "killed by the rows held out only",
            (false, false) => "survived",
        };
        let _ = writeln!(out, "  {words:<32}   {}", fate.mutant);
    }
}

fn surrogate(run: &ModelRunRecord) -> String {
    let figures = &run.surrogate;
    format!(
        "{}, depth {} · gives {} of the rows their label, {} the model's answer",
        counted(figures.leaves, "leaf", "leaves"),
        figures.depth,
        percent(figures.training_accuracy),
        percent(figures.fidelity)
    )
}

/// What the model usually gets wrong.
fn baseline(baseline: &BaselineFigures) -> String {
    let rows = match baseline.origin {
        MeasuredOn::CrossValidation => "in 10-fold cross-validation",
        MeasuredOn::Holdout => "of the hold-out",
        MeasuredOn::Unseen => "that it has not seen",
        MeasuredOn::GivenRows => "of the rows given, which it may have been trained on",
    };
    let BaselineFigures { errors, rows: all, .. } = baseline;
    format!("the model gets {errors} of {all} rows wrong {rows}: {}", percent(baseline.share()))
}

fn inputs(run: &ModelRunRecord) -> String {
    let mut text = format!(
        "{} covering leaves, {} next to splits ({} different) · {} of {} tested",
        run.coverage.inputs,
        run.boundary.inputs,
        run.coverage.different + run.boundary.different,
        run.leaves.len(),
        counted(run.surrogate.leaves, "leaf", "leaves")
    );
    for (count, words) in [
        (run.untested.tied, "have no majority"),
        (run.untested.no_consensus, "are too uncertain to test"),
        (run.untested.empty, "are empty after rounding"),
    ] {
        if count > 0 {
            let _ = write!(text, ", {count} {words}");
        }
    }
    text
}

fn accuracy(run: &ModelRunRecord) -> String {
    if run.interrupted {
        return "not known: the run was interrupted before the model had answered".to_owned();
    }
    let figures = |of: &AgreementFigures| format!("{:.2} (F1 {:.2})", of.accuracy, of.weighted.f1);
    let whose = if run.totals.of == AnsweredBy::FoldModels { ", mean of the fold models" } else { "" };
    let (coverage, boundary) = (figures(&run.totals.coverage), figures(&run.totals.boundary));
    let crossed = run.cross_validation.as_ref().map(|of| format!(" · {} in cross-validation", figures(of)));
    format!("{coverage} covering leaves, {boundary} next to splits{whose}{}", crossed.unwrap_or_default())
}

fn leaves(out: &mut String, run: &ModelRunRecord, is_verbose: bool) {
    let most = if is_verbose { usize::MAX } else { SHOWN_LEAVES };
    let _ = writeln!(out, "  {DIM} passes   inputs   property{DIM:#}");
    for leaf in run.leaves.iter().take(most) {
        let LeafRow { id, property, rows, rows_of_class, inputs, pass_rate, is_finding, .. } = leaf;
        let id = if *is_finding { format!("   {BOLD}{id}{BOLD:#}") } else { String::new() };
        let passes = percent(*pass_rate);
        let _ = writeln!(out, "  {passes:>7}   {inputs:>6}   {property} ({rows_of_class} of {rows} rows){id}");
    }
    if let Some(more) = run.leaves.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(out, "  {more} more leaves; -v lists all");
    }
}

fn one_leaf(out: &mut String, run: &ModelRunRecord, leaf: &ShownLeaf<'_>, is_verbose: bool) {
    let LeafEvidence { property, inputs, failures, pass_rate: [low, share, high], closest, .. } = leaf.evidence;
    let mark = leaf.id.map(|id| format!("   {BOLD}{id}{BOLD:#}")).unwrap_or_default();
    let _ = writeln!(out, "{BOLD}{property}{BOLD:#}{mark}");
    let _ = writeln!(
        out,
        "  {failures} of {inputs} inputs fail: {} pass ({:.1} to {:.1}), of real rows {}",
        percent(*share),
        low * 100.0,
        high * 100.0,
        percent(1.0 - run.baseline.share())
    );
    match (closest, leaf.id) {
        (Some(closest), _) => {
            let words = "the failing input that is closest to a row of the data which the model gets right:";
            table(out, &run.columns, closest, words, is_verbose);
        }
        (None, Some(id)) if !run.interrupted => {
            let row = run.leaves.iter().find(|row| row.id == id);
            let class = row.map(|row| row.class.as_str()).unwrap_or_default();
            let _ = writeln!(out, "  no row of class {class} to compare with: the model gets none of them right");
        }
        (None, _) => {}
    }
    if let Some(id) = leaf.id.filter(|_| run.replayable) {
        let _ = writeln!(out, "  {DIM}reproduce: temper replay {id}{DIM:#}");
    }
}

/// An input that fails next to a row that does not.
pub(super) fn table(out: &mut String, columns: &[String], closest: &ClosestInput, words: &str, is_verbose: bool) {
    let differs = |name: &String| closest.differs.contains(name);
    let most = if is_verbose { usize::MAX } else { SHOWN_COLUMNS };
    let numbered = columns.iter().enumerate();
    let shown: Vec<&String> = numbered.filter(|(at, name)| differs(name) || *at < most).map(|(_, name)| name).collect();
    let row_name = match closest.nearest_row {
        0 => "other".to_owned(),
        row => format!("row {row}"),
    };
    let first = shown.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(10);
    let cells: Vec<[String; 2]> =
        shown.iter().map(|name| [&closest.input, &closest.nearest].map(|row| cell(row.get(name.as_str())))).collect();
    let answers = [&closest.predicted, &closest.expected];
    let width = |at: usize| {
        let widest = cells.iter().map(|pair| pair[at].chars().count()).max().unwrap_or(0);
        widest.max(answers[at].chars().count()).max(if at == 0 { 5 } else { row_name.len() })
    };
    let (input, near) = (width(0), width(1));
    let _ = writeln!(out, "  {words}");
    let _ = writeln!(out, "    {:first$}   {:input$}   {row_name}", "", "input");
    for (name, pair) in shown.iter().zip(&cells) {
        let mark = if differs(name) {
            difference(closest.input.get(*name), closest.nearest.get(*name))
        } else {
            String::new()
        };
        let line = format!("    {name:first$}   {:input$}   {:near$}{mark}", pair[0], pair[1]);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let hidden = columns.len() - shown.len();
    if hidden > 0 {
        let _ = writeln!(out, "    {hidden} more columns are equal; -v shows them");
    }
    let line = format!("    {:first$}   {:input$}   {:near$}", "model says", answers[0], answers[1]);
    let _ = writeln!(out, "{}", line.trim_end());
}

/// That two cells differ, and by how much if that is not seen.
fn difference(one: Option<&Value>, other: Option<&Value>) -> String {
    let numbers = one.and_then(Value::as_f64).zip(other.and_then(Value::as_f64));
    let gap = numbers.map(|(a, b)| ((a - b).abs(), a.abs().max(b.abs())));
    match gap {
        Some((gap, size)) if gap <= 1e-6 * size => format!("   differs by {gap:.0e}"),
        _ => "   differs".to_owned(),
    }
}

/// A cell as the table shows it.
fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "missing".to_owned(),
        Some(Value::Bool(value)) => if *value { "True" } else { "False" }.to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        Some(other) => other.to_string(),
    }
}

fn summary(run: &ModelRunRecord, findings: &[ShownLeaf<'_>]) -> String {
    let tested = run.leaves.len();
    let mut text = match (tested, findings.len()) {
        (0, _) => "no leaf could be tested; `--surrogate labels` tests without asking a forest".to_owned(),
        (_, 0) => format!("{} tested, none fails more often than real rows do", counted(tested, "leaf", "leaves")),
        (_, count) => format!(
            "{count} of {} {} more often than real rows do",
            counted(tested, "leaf", "leaves"),
            if count == 1 { "fails" } else { "fail" }
        ),
    };
    if !findings.is_empty() {
        text.push_str(
            "\nfor each: is the row labelled right, and could the input occur? then the model needs rows like it",
        );
    }
    if run.interrupted {
        text.push_str("\ninterrupted: leaves that were not reached are not shown");
    }
    text
}

/// Figures of each data set, and how the ways of testing differ across them.
pub(super) fn several_runs(document: &Document, suite: &ModelSuiteRecord) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{BOLD}leaves  findings   covering   splits   cross-validation   data{BOLD:#}   (accuracy)");
    for run in &suite.suite {
        let crossed = run.cross_validation.map_or("-".to_owned(), |of| format!("{:.2}", of.accuracy));
        let _ = writeln!(
            out,
            "{:>6}  {:>8}   {:>8.2}   {:>6.2}   {crossed:>16}   {}",
            run.surrogate.leaves,
            document.findings.iter().filter(|finding| finding.path == run.data).count(),
            run.totals.coverage.accuracy,
            run.totals.boundary.accuracy,
            run.data
        );
    }
    if suite.suite.len() < suite.planned {
        let _ = writeln!(
            out,
            "\ninterrupted after {} of {} data sets: nothing is compared across them",
            suite.suite.len(),
            suite.planned
        );
        return out;
    }
    out.push('\n');
    for found in &suite.differences {
        let [first, second] = found.shapiro_p;
        let _ = writeln!(
            out,
            "{}: t {:.2} (p {:.2e}), Wilcoxon p {:.2e}; Shapiro-Wilk p {first:.2} and {second:.2}",
            found.between, found.t, found.t_p, found.wilcoxon_p
        );
    }
    for each in &suite.not_compared {
        let _ = writeln!(out, "{}: not compared ({})", each.between, each.reason);
    }
    out
}

/// A count with its noun.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_read_as_in_the_table() {
        for (value, expected) in [
            (json!(6.0), "6"),
            (json!(6.19945), "6.19945"),
            (json!(3), "3"),
            (json!(true), "True"),
            (json!("red"), "red"),
            (Value::Null, "missing"),
        ] {
            assert_eq!(cell(Some(&value)), expected);
        }
    }
}
