//! How distances of answers, probabilities and drift of `temper model` read as text.

use std::fmt::Write;

use super::model::{counted, percent, table};
use super::model_rows::{origin_in_words, points};
use super::numbers::thousands;
use super::style::{BOLD, DIM};
use super::wrap::{WIDTH, wrapped};
use crate::document::Document;
use crate::evidence::SubjectEvidence;
use crate::evidence::model_measured::{MeasuredModelRecord, MeasuredRegion, ModelMeasure, ModelMeasureEvidence};
use crate::evidence::{FindingEvidence, MeasuredOn};
use crate::finding::Finding;
use crate::verdict::{Doubt, Verdict};

/// Figures on all rows, findings, regions for information, and one line that sums up.
pub fn render(document: &Document, run: &MeasuredModelRecord, is_verbose: bool) -> String {
    let Some(subject) = document.subjects.first() else { return String::new() };
    let SubjectEvidence::ModelMeasure(evidence) = &subject.evidence else { return String::new() };
    let mut out = format!("{BOLD}{}{BOLD:#}   {}\n", run.data, subject.name);
    figures(&mut out, run, evidence);
    for finding in &document.findings {
        let FindingEvidence::Measured(found) = &finding.evidence else { continue };
        out.push('\n');
        one_region(&mut out, run, finding, found, is_verbose);
    }
    weak_spots(&mut out, run);
    let _ = writeln!(out, "\n{}", summary(run, evidence, &subject.verdict, document.findings.len()));
    wrapped(&out, WIDTH)
}

fn figures(out: &mut String, run: &MeasuredModelRecord, evidence: &ModelMeasureEvidence) {
    let ModelMeasureEvidence { rows, measured, expected, margin } = *evidence;
    let origin = origin_in_words(run.origin.unwrap_or(MeasuredOn::Unseen));
    let [low, middle, high] = run.difference;
    let _ = match run.measure {
        ModelMeasure::Quantity => writeln!(
            out,
            "  model       off by {} on average, on {} rows {origin}\n  reference   {} is off by {}\n  difference  {} ({} \
             to {}); more than {} counts as worse",
            short(measured),
            thousands(rows),
            run.reference,
            short(expected),
            signed(middle),
            signed(low),
            signed(high),
            short(margin)
        ),
        ModelMeasure::Calibration => writeln!(
            out,
            "  model       says {} on average, on {} rows {origin}\n  rows        {} on {}\n  difference  {:+.1} points \
             ({:+.1} to {:+.1}); more than {} counts",
            percent(expected),
            thousands(rows),
            run.reference,
            percent(measured),
            100.0 * middle,
            100.0 * low,
            100.0 * high,
            points(margin)
        ),
        ModelMeasure::Drift => writeln!(
            out,
            "  rows        {} and {}; a share that differs by more than {} counts",
            thousands(expected as usize),
            thousands(measured as usize),
            points(margin)
        ),
    };
}

fn one_region(
    out: &mut String,
    run: &MeasuredModelRecord,
    finding: &Finding,
    found: &MeasuredRegion,
    is_verbose: bool,
) {
    let word = match (run.measure, found.is_more) {
        (ModelMeasure::Quantity, _) => "worse",
        (ModelMeasure::Calibration, true) => "says too little",
        (ModelMeasure::Calibration, false) => "says too much",
        (ModelMeasure::Drift, true) => "more frequent",
        (ModelMeasure::Drift, false) => "rarer",
    };
    let _ = writeln!(out, "{BOLD}{word}: {}{BOLD:#}   {BOLD}{}{BOLD:#}", found.condition, finding.id);
    let _ = writeln!(out, "  {}", region_figures(run, found));
    if let Some(example) = &found.example {
        let words =
            "the row on which it is further off than the reference by most, and the nearest one that it answers well:";
        table(out, &run.columns, example, words, is_verbose);
    }
}

fn region_figures(run: &MeasuredModelRecord, found: &MeasuredRegion) -> String {
    let [low, middle, high] = found.measured;
    let there = if found.elsewhere.is_some() { " there" } else { "" };
    let affects = format!("affects {} of rows", percent(found.affected));
    match run.measure {
        ModelMeasure::Quantity => {
            let mut text = format!(
                "{affects}; off by {} ({} to {}){there}, the reference by {}",
                short(middle),
                short(low),
                short(high),
                short(found.expected)
            );
            if let Some(elsewhere) = found.elsewhere {
                let _ = write!(text, ", the model elsewhere by {}", short(elsewhere));
            }
            text
        }
        ModelMeasure::Calibration => format!(
            "{affects}; it says {}{there}, and {} on {} ({:.1} to {:.1})",
            percent(found.expected),
            run.reference,
            percent(middle),
            100.0 * low,
            100.0 * high
        ),
        ModelMeasure::Drift => format!(
            "{} ({:.1} to {:.1}) of the rows of {}, {} of those of {}",
            percent(middle),
            100.0 * low,
            100.0 * high,
            run.reference,
            percent(found.expected),
            run.data
        ),
    }
}

fn weak_spots(out: &mut String, run: &MeasuredModelRecord) {
    if run.weak_spots.is_empty() {
        return;
    }
    let words = match run.measure {
        ModelMeasure::Drift => "weak spots of the model, and how frequent they have become",
        _ => "weak spots, for information: regions in which the model is further off than elsewhere",
    };
    let _ = writeln!(out, "\n{DIM}{words}{DIM:#}");
    for spot in &run.weak_spots {
        let error = spot.error.map(|error| format!("error {}; ", percent(error))).unwrap_or_default();
        let _ = writeln!(out, "  {}\n    {error}{}", spot.condition, region_figures(run, spot));
    }
}

fn summary(run: &MeasuredModelRecord, evidence: &ModelMeasureEvidence, verdict: &Verdict, findings: usize) -> String {
    let tests = format!("{} at a level of 5 %", counted(run.tests, "test", "tests"));
    let findings = counted(findings, "finding", "findings");
    let margin = evidence.margin;
    let rows = thousands(evidence.rows);
    match (verdict, run.measure) {
        (Verdict::Undecided(Doubt { reason, hint }), _) => {
            let hint = hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
            format!("nothing can be concluded: {reason}{hint}")
        }
        (Verdict::Clean(_), ModelMeasure::Quantity) => format!(
            "not shown to be further off than {} by more than {}: not on all {rows} rows, not in a region of them",
            run.reference,
            short(margin)
        ),
        (Verdict::Clean(_), ModelMeasure::Calibration) => format!(
            "its probabilities are not shown to be off by more than {}: not on all {rows} rows, not in a region of them",
            points(margin)
        ),
        (Verdict::Clean(_), ModelMeasure::Drift) => {
            format!("the tables are not shown to differ: in no region by more than {} of the rows", points(margin))
        }
        (_, ModelMeasure::Quantity) => {
            format!("the model is further off than {}: {findings} ({tests})", run.reference)
        }
        (_, ModelMeasure::Calibration) => format!("its probabilities do not hold: {findings} ({tests})"),
        (_, ModelMeasure::Drift) => format!("the tables differ: {findings} ({tests})"),
    }
}

/// A number in three digits, or more if they are before the point.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = (2 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn signed(value: f64) -> String {
    format!("{}{}", if value < 0.0 { "" } else { "+" }, short(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let cases =
            [(0.0, "0"), (3.14259, "3.14"), (0.001234, "0.00123"), (12345.6, "12346"), (2.0, "2"), (20.0, "20")];
        for (value, expected) in cases {
            assert_eq!(short(value), expected);
        }
        assert_eq!([signed(2.0), signed(-0.5)], ["+2", "-0.5"]);
    }
}
