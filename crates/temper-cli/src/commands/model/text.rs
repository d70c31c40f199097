//! How the results of `temper model` read as text.

use std::fmt::Write;

use temper_model::assess::Finding;
use temper_model::baseline::{Baseline, Origin};
use temper_model::closest::Closest;
use temper_model::words::property_in_words;

use super::Found;
use super::setup::Opened;
use crate::terminal::{BOLD, DIM};

/// Leaves that are listed unless all are asked for.
const SHOWN_LEAVES: usize = 20;

/// Leaves, findings, and one line that sums up.
pub fn render(found: &Found, opened: &Opened, is_verbose: bool) -> String {
    let mut out = format!("{BOLD}{}{BOLD:#}   {}\n", opened.path, found.model);
    let _ = writeln!(out, "  {}", surrogate(found));
    let _ = writeln!(out, "  {}", baseline(&found.baseline));
    out.push_str(&leaves(found, opened, is_verbose));
    for finding in &found.assessment.findings {
        out.push_str(&one_finding(found, opened, finding));
    }
    out
}

fn surrogate(found: &Found) -> String {
    let fidelity = &found.assessment.fidelity;
    let tied = match fidelity.tied_leaves {
        0 => String::new(),
        count => format!(", {count} of them tied and not tested"),
    };
    format!(
        "tree of {} leaves{tied}, depth {}; gives {} of the rows their label and {} the model's answer",
        fidelity.leaves,
        fidelity.depth,
        percent(fidelity.training_accuracy),
        percent(fidelity.to_model)
    )
}

fn baseline(baseline: &Baseline) -> String {
    let rows = match baseline.origin {
        Origin::CrossValidation => "in 10-fold cross-validation",
        Origin::Holdout => "of the hold-out",
        Origin::GivenRows => "of the rows given, which it may know",
    };
    let share = baseline.errors as f64 / baseline.rows.max(1) as f64;
    format!("the model gets {} of {} rows wrong {rows} ({})", baseline.errors, baseline.rows, percent(share))
}

fn leaves(found: &Found, opened: &Opened, is_verbose: bool) -> String {
    let mut out = String::new();
    let most = if is_verbose { usize::MAX } else { SHOWN_LEAVES };
    for result in found.assessment.leaves.iter().take(most) {
        let property = property_in_words(&found.assessment.surrogate.leaves[result.leaf], &opened.data);
        let _ = writeln!(out, "  {:>6}  {} of {}  {property}", percent(result.pass_rate.share), result.inputs - result.failures, result.inputs);
    }
    out
}

fn one_finding(_found: &Found, opened: &Opened, finding: &Finding) -> String {
    let mut out = format!("{}\n", finding.property);
    if let Some(closest) = &finding.closest {
        out.push_str(&table(opened, closest));
    }
    let _ = writeln!(out, "  {DIM}p {}{DIM:#}", finding.result.p_value);
    out
}

fn table(opened: &Opened, closest: &Closest) -> String {
    format!("{:?} {:?}\n", closest, opened.data.features.row(closest.row))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
