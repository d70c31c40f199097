//! A number on its way into the source: rounded in the style of the literal it replaces, and the edits that write it.
//!
//! Loosening and tightening both end here: [`number`] asks for the samples of a site and the bound that they support, and
//! nothing else.

use temper_source::{BodyEdits, Bound, Edit, EditSet, Role, Site, SourceError, analyse};
use temper_stats::Samples;

use crate::plan::sampling_plan::PlannedFile;
use crate::propose::literal::{self, LiteralStyle};
use crate::sample::site_samples::SiteSamples;

/// An edit of one file that is not verified yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What is written: a number, a decorator, or what changes in the body.
    pub text: String,
    /// The bound that the number stands for, in the unit of the samples.
    pub bound: f64,
    /// The edits, tied to the text of the file.
    pub edits: EditSet,
    /// Other sites of the file (indices into its analysis) whose bound moves too.
    pub moves: Vec<usize>,
}

/// Why a number cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum NoDraft {
    /// No number in the style of the one written is far enough out.
    #[error("no number in the style of the one written is far enough out")]
    NoNumber,
    /// The bound is not written where an edit could reach it.
    #[error("the bound is computed, so there is no number to change")]
    NoPlace,
    /// Moving the bound would help one answer of the comparison and hurt the other.
    #[error("the number decides both answers of the comparison: what helps one of them hurts the other")]
    BothAnswers,
    /// The edited body would be read as other assertions.
    #[error("the assertions of the file would not stay the same")]
    OtherSites,
    /// The edited text is no valid Python: a fault of ours.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// Writes `bound`, which the samples of `series` support, as the bound of `site`.
///
/// # Errors
/// When there is no such number, or no place for it.
pub fn number(planned: &PlannedFile, site: &Site, series: &SiteSamples, bound: f64) -> Result<Draft, NoDraft> {
    let owner = site.bounds.iter().find(|owner| owner.role == series.role).ok_or(NoDraft::NoPlace)?;
    let (text, bound) = written(planned, owner, series, bound).ok_or(NoDraft::NoNumber)?;
    exact(planned, site, series, &text, bound)
}

/// Writes a number that is given as text, and stands for `bound`.
///
/// # Errors
/// When there is no place for it, or the text is no number.
pub fn exact(
    planned: &PlannedFile,
    site: &Site,
    series: &SiteSamples,
    text: &str,
    bound: f64,
) -> Result<Draft, NoDraft> {
    if site.answer.is_some() {
        return Err(NoDraft::BothAnswers);
    }
    let owner = site.bounds.iter().find(|owner| owner.role == series.role).ok_or(NoDraft::NoPlace)?;
    let edits = edits(planned, (site, owner), series, text).ok_or(NoDraft::NoPlace)?;
    // A constant moves every site that reads it; a number that is written in the assertion moves none but this one.
    let is_elsewhere = edits.iter().all(|edit| !site.assertion.contains(edit.span));
    let moves = if is_elsewhere { owner.shared_with.clone() } else { Vec::new() };
    let edits = EditSet::new(&planned.file, edits)?;
    edits.reparse(&planned.file)?;
    Ok(Draft { text: text.to_owned(), bound, edits, moves })
}

/// Another body of a test, with the same assertions in the same order: runs are recorded by their number.
///
/// # Errors
/// When the edited text has others.
pub fn body(planned: &PlannedFile, series: &SiteSamples, written: BodyEdits) -> Result<Draft, NoDraft> {
    let edits = EditSet::new(&planned.file, written.edits)?;
    let edited = analyse(&edits.reparse(&planned.file)?)?;
    let sites = &planned.analysis.sites;
    let is_same = |(before, after): (&Site, &Site)| {
        let values = |site: &Site| site.bounds.iter().map(|bound| (bound.role, bound.value)).collect::<Vec<_>>();
        before.form == after.form
            && before.direction == after.direction
            && before.owner == after.owner
            && before.likely_exact == after.likely_exact
            && values(before) == values(after)
    };
    if edited.sites.len() != sites.len() || !sites.iter().zip(&edited.sites).all(is_same) {
        return Err(NoDraft::OtherSites);
    }
    Ok(Draft { text: written.text, bound: series.bound, edits, moves: Vec::new() })
}

fn edits(planned: &PlannedFile, (site, owner): (&Site, &Bound), series: &SiteSamples, text: &str) -> Option<Vec<Edit>> {
    if series.is_margin && series.role != Role::Margin {
        return next_to_expression(planned, owner, text);
    }
    let other = series.in_force.iter().find(|(role, _)| *role != series.role);
    let other = other.map(|(_, number)| plain(*number));
    // A constant that bounds other sites from the other side stays: what helps here would hurt there.
    let is_opposed = |&index: &usize| planned.analysis.sites[index].direction != site.direction;
    if owner.shared_with.iter().any(is_opposed) {
        return owner.edits_here(text, other.as_deref());
    }
    owner.edits(text, other.as_deref())
}

/// A bound that differs from run to run is moved where it stands: `f(x)` becomes `f(x) + 0.1`.
fn next_to_expression(planned: &PlannedFile, owner: &Bound, margin: &str) -> Option<Vec<Edit>> {
    if matches!(owner.role, Role::Decimal | Role::Significant | Role::Places) {
        return None;
    }
    let at = owner.expression?;
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let step = match margin.strip_prefix('-') {
        Some(positive) => format!(" - {positive}"),
        None => format!(" + {margin}"),
    };
    Some(if is_name(planned.file.slice(at)) {
        vec![Edit::insert(at.end, &step)]
    } else {
        vec![Edit::insert(at.start, "("), Edit::insert(at.end, &format!("){step}"))]
    })
}

fn written(planned: &PlannedFile, owner: &Bound, series: &SiteSamples, bound: f64) -> Option<(String, f64)> {
    let samples = series.samples().ok()?;
    let literal = match (owner.places.as_slice(), owner.expression) {
        ([place], _) => planned.file.slice(place.span),
        (_, Some(span)) => planned.file.slice(span),
        _ => "",
    };
    let style = LiteralStyle {
        literal: if series.is_margin { "" } else { literal },
        role: if series.is_margin { Role::Margin } else { series.role },
        direction: series.direction,
        is_strict: series.is_strict,
        is_whole: is_whole(&samples),
        distance: (bound - samples.quantile(0.5)?).abs(),
    };
    literal::written(bound, &style)
}

fn is_whole(samples: &Samples) -> bool {
    samples.sorted().iter().all(|value| value.fract() == 0.0)
}

/// A tolerance as Python source: short, and the same number when read.
fn plain(number: f64) -> String {
    if number != 0.0 && (number.abs() < 1e-3 || number.abs() >= 1e6) {
        format!("{number:e}")
    } else {
        format!("{number:?}")
    }
}
