//! What became of each mutant at one site, and what could be done about it.

use temper_stats::kill::Assertion;

use super::tighten::{Crash, MutantEffect, SiteKills, Tightened};
use crate::sample::site_samples::SiteSamples;

/// What became of a mutant at one assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MutantClass {
    /// It fails with the bound as written, more often than not.
    Killed,
    /// It would fail with the bound proposed, more often than not.
    Killable,
    /// It changes the value, but no reliable bound here notices: that needs another assertion.
    NeedsAnotherAssertion,
    /// It moves the value away from failing.
    Improves,
    /// No difference was found.
    NothingMeasurable,
    /// It ends the test some other way.
    Crashed(Crash),
}

/// One mutant at one site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Its index in [`Tightened::mutants`].
    pub mutant: usize,
    /// What became of it.
    pub class: MutantClass,
    /// Kill probability with the bound as written.
    pub before: f64,
    /// Kill probability with the bound proposed, or as written if there is none.
    pub after: f64,
    /// Runs it was given.
    pub runs: usize,
}

/// A mutant counts as killed when more than half of its runs fail.
const KILLED: f64 = 0.5;

/// All mutants of a site, those that a tighter bound gains most with first.
#[must_use]
pub fn judged(found: &Tightened, kills: &SiteKills, series: &SiteSamples, proposed: Option<f64>) -> Vec<Judged> {
    let assertion = Assertion { direction: series.direction, is_strict: series.is_strict, bound: series.bound };
    let tighter = Assertion { bound: proposed.unwrap_or(series.bound), ..assertion };
    let mut all: Vec<Judged> = Vec::new();
    for trial in found.trials.get(&kills.test).into_iter().flatten() {
        let Some(effect) = trial.effects.get(&kills.number) else { continue };
        let share = |assertion: &Assertion| match effect {
            MutantEffect::None { values } | MutantEffect::Effective { values, .. } if !values.is_empty() => {
                values.iter().filter(|&&value| assertion.fails(value)).count() as f64 / values.len() as f64
            }
            _ => 0.0,
        };
        let (before, after) = (share(&assertion), share(&tighter));
        let class = match effect {
            MutantEffect::Crashed(crash) => MutantClass::Crashed(*crash),
            MutantEffect::Same | MutantEffect::None { .. } => MutantClass::NothingMeasurable,
            MutantEffect::Effective { .. } if before > KILLED => MutantClass::Killed,
            MutantEffect::Effective { .. } if after > KILLED => MutantClass::Killable,
            MutantEffect::Effective { improves: true, .. } => MutantClass::Improves,
            MutantEffect::Effective { .. } => MutantClass::NeedsAnotherAssertion,
        };
        all.push(Judged { mutant: trial.mutant, class, before, after, runs: trial.runs });
    }
    all.sort_by(|a, b| (b.after - b.before).total_cmp(&(a.after - a.before)).then(a.mutant.cmp(&b.mutant)));
    all
}
