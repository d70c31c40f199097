//! What the samples of the mutants say: which mutants count, and how many each bound would kill.

use std::collections::{BTreeMap, BTreeSet};

use temper_stats::bound::{self, BoundMethod};
use temper_stats::concentration::Reading;
use temper_stats::kill::effect::{self, LEVEL};
use temper_stats::kill::faser::{self, WEIGHTS};
use temper_stats::kill::tighten::{self, Tightening};
use temper_stats::kill::{Assertion, KillCurve, KillScore, LOOSE_GAIN};
use temper_stats::multiple::benjamini_hochberg;
use temper_stats::order::{OrderLevel, levels};
use temper_stats::{Samples, smirnov};

use super::early_stop::{Measure, looks};
use super::opposite::{self, opposite};
use super::possible::{possible, suits_all};
use super::tighten::{MutantEffect, MutantScope, SCREENING, SiteKills, Tighten, TightenMethod, Tightened};
use crate::judge::verdict;
use crate::plan::sampling_plan::SamplingPlan;
use crate::propose::literal::is_no_tolerance;
use crate::sample::scheduler::SuiteSampling;
use crate::sample::site_samples::SiteSamples;

/// The pass target of the paper.
const FASER_PASS: f64 = 0.99;

/// Decides for every mutant and site whether the value changes.
pub(super) fn settle(tighten: &Tighten, found: &mut Tightened) {
    for (test, trials) in &mut found.trials {
        let Some(measures) = found.measures.get(test) else { continue };
        for measure in measures.iter() {
            let sampled: Vec<&mut MutantEffect> = trials
                .iter_mut()
                .filter_map(|trial| trial.effects.get_mut(&measure.number))
                .filter(|effect| matches!(effect, MutantEffect::None { .. }))
                .collect();
            settle_site(tighten.style, measure, sampled);
        }
    }
}

fn settle_site(style: TightenMethod, measure: &Measure, effects: Vec<&mut MutantEffect>) {
    let all: Vec<Vec<f64>> = effects.iter().map(|effect| values(effect).to_vec()).collect();
    let p_values: Vec<f64> = match style {
        TightenMethod::Faser => all.iter().map(|values| plain_p(values, &measure.reference)).collect(),
        TightenMethod::Calibrated => {
            let plain: Vec<f64> = all.iter().map(|values| sequential_p(values, &measure.reference)).collect();
            benjamini_hochberg(&plain)
        }
    };
    for ((effect, values), p) in effects.into_iter().zip(all).zip(p_values) {
        if p < LEVEL {
            let improves = improves(measure, &values);
            *effect = MutantEffect::Effective { values, p, improves };
        }
    }
}

fn values(effect: &MutantEffect) -> &[f64] {
    match effect {
        MutantEffect::None { values } | MutantEffect::Effective { values, .. } => values,
        MutantEffect::Same | MutantEffect::Crashed(_) => &[],
    }
}

fn plain_p(values: &[f64], reference: &[f64]) -> f64 {
    smirnov::exact(values, reference).map_or(1.0, |found| found.p)
}

/// The p-value of the look that settled it. Where the runs ended between two looks, that of the samples there are, doubled: the
/// looks before have had less than half of the level.
fn sequential_p(values: &[f64], reference: &[f64]) -> f64 {
    let settled = looks().and_then(|looks| looks.settle(values, reference).ok()?.ok());
    settled.map_or_else(|| (2.0 * plain_p(values, reference)).min(1.0), |settled| settled.p)
}

/// Whether a mutant moves the value away from failing and never beyond the worst of the original.
fn improves(measure: &Measure, values: &[f64]) -> bool {
    let direction = measure.direction();
    let effect = effect::effects(&measure.reference, [values], direction, LEVEL, false);
    let is_improvement = effect.is_ok_and(|effects| effects.first().is_some_and(|effect| effect.is_improvement));
    let worst = |values: &[f64]| values.iter().map(|&value| direction.oriented(value)).fold(f64::MIN, f64::max);
    is_improvement && worst(values) <= worst(&measure.reference)
}

/// Samples of the mutants that a bound could kill.
fn curve(style: TightenMethod, found: &Tightened, test: usize, number: i64, series: &SiteSamples) -> KillCurve {
    curve_of(style, effects(found, test, number), series)
}

/// What the mutants did that count for a test.
pub(super) fn effects(found: &Tightened, test: usize, number: i64) -> impl Iterator<Item = &MutantEffect> {
    let end = found.rings_counted(test);
    let trials = found.trials.get(&test).into_iter().flatten();
    let counted = trials.filter(move |trial| found.ring(trial.mutant, test) < end);
    counted.filter_map(move |trial| trial.effects.get(&number))
}

fn curve_of<'a>(
    style: TightenMethod,
    effects: impl Iterator<Item = &'a MutantEffect>,
    series: &SiteSamples,
) -> KillCurve {
    let all: Vec<&[f64]> = effects.filter(|effect| is_counted(style, effect)).map(values).collect();
    let counted = if style == TightenMethod::Faser { all } else { distinct(&all) };
    KillCurve::new(counted, series.direction, series.is_strict)
}

/// Whether a bound could kill a mutant that does this.
fn is_counted(style: TightenMethod, effect: &MutantEffect) -> bool {
    match effect {
        MutantEffect::Effective { improves, .. } => !improves || style == TightenMethod::Faser,
        _ => false,
    }
}

/// Different values among the first runs from which on equal samples show that two mutants do the same. Fewer, as of an accuracy that
/// falls to one half whatever is wrong, may be equal by chance.
const TELLING: usize = 4;

/// Samples without those that another mutant gave in the same runs: two ways to write one fault are one fault. Of two, the longer
/// are kept.
pub(super) fn distinct<'a>(all: &[&'a [f64]]) -> Vec<&'a [f64]> {
    let mut kept: Vec<&[f64]> = Vec::new();
    for &values in all {
        match kept.iter_mut().find(|other| is_same_fault(other, values)) {
            Some(other) if other.len() < values.len() => *other = values,
            Some(_) => {}
            None => kept.push(values),
        }
    }
    kept
}

fn is_same_fault(one: &[f64], other: &[f64]) -> bool {
    let is_equal = one.iter().zip(other).all(|(a, b)| a.to_bits() == b.to_bits());
    let [Some(first), Some(_)] = [one, other].map(|values| values.get(..SCREENING)) else { return false };
    let different: BTreeSet<u64> = first.iter().map(|value| value.to_bits()).collect();
    is_equal && different.len() >= TELLING
}

fn assertion(series: &SiteSamples) -> Assertion {
    Assertion { direction: series.direction, is_strict: series.is_strict, bound: series.bound }
}

/// Tests with a site that is not known to be loose and may turn out to be at this level: the bound is one of the most extreme
/// samples, which only move outward, and would kill clearly more where it lies now.
pub(super) fn promising(
    sampling: &SuiteSampling<'_>,
    found: &Tightened,
    subjects: &BTreeMap<usize, Vec<i64>>,
    level: &OrderLevel,
) -> Vec<usize> {
    let is_promising = |test: usize, number: &i64| {
        let series = sampling.series_now(test, *number);
        let Some(series) = series else { return false };
        let curve = curve(TightenMethod::Calibrated, found, test, *number, &series);
        let samples = series.samples().ok().map(|samples| series.direction.orient(&samples));
        let extreme = samples.and_then(|samples| samples.sorted().iter().rev().nth(level.beyond).copied());
        let is_possible =
            |extreme: f64| curve.score(series.direction.oriented(extreme)) - curve.score(series.bound) > LOOSE_GAIN;
        let is_loose = || weigh(sampling, &series, &curve).is_some_and(|found| found.is_loose);
        let has_other_side =
            || level.beyond == 0 && opposite::is_promising(sampling.plan, found, (test, *number), &series);
        extreme.is_some_and(is_possible) && !(level.beyond > 0 && is_loose()) || has_other_side()
    };
    let tests = subjects.iter().filter(|(test, sites)| sites.iter().any(|number| is_promising(**test, number)));
    tests.map(|(test, _)| *test).collect()
}

/// The sites with their kill scores and the bounds that the evidence supports.
pub(super) fn sites(
    sampling: &SuiteSampling<'_>,
    tighten: &Tighten,
    found: &Tightened,
    subjects: &BTreeMap<usize, Vec<i64>>,
) -> Vec<SiteKills> {
    let mut sites = Vec::new();
    for (&test, numbers) in subjects.iter().filter(|(test, _)| found.trials.contains_key(test)) {
        for &number in numbers {
            let Some(series) = sampling.series_now(test, number) else { continue };
            let series = &series;
            let curve = curve(tighten.style, found, test, number, series);
            let (tightening, faser) = match tighten.style {
                TightenMethod::Calibrated => (weigh(sampling, series, &curve), None),
                TightenMethod::Faser => (None, by_the_paper(series, &curve)),
            };
            let node = sampling.courses[test].test.node.clone();
            let none = KillScore { mean: 0.0, low: 0.0, high: 1.0 };
            let reach = found.reach(test);
            let is_moving = |effect: &&MutantEffect| is_counted(tighten.style, effect);
            let duplicates = effects(found, test, number).filter(is_moving).count() - curve.len();
            let opposite = match tighten.scope {
                MutantScope::All => opposite(sampling.plan, found, (test, number), series, sampling.rules()),
                MutantScope::Widened { .. } => None,
            };
            let is_pointed_at = found.is_cut && !found.unrepeatable.contains(&node);
            let possible = || possible(series, &curve, written(sampling.plan, number));
            let possible = if is_pointed_at { possible() } else { None };
            let mut kills = SiteKills {
                test,
                node,
                number,
                curve,
                reach,
                duplicates,
                before: none,
                tightening,
                opposite,
                possible,
                faser,
            };
            kills.before = kills.score(series.bound, sampling.rules().confidence);
            sites.push(kills);
        }
    }
    leave_possible_to_all(sampling, &mut sites);
    sites
}

/// Keeps of the bounds that look possible those that suit every test at their site.
fn leave_possible_to_all(sampling: &SuiteSampling<'_>, sites: &mut [SiteKills]) {
    let turned = |kills: &SiteKills| {
        let direction = sampling.series_now(kills.test, kills.number)?.direction;
        Some(direction.oriented(kills.possible.as_ref()?.bound))
    };
    let of_site = |number: i64| sites.iter().filter(move |other| other.number == number).map(turned);
    let is_kept = |kills: &SiteKills| turned(kills).is_some_and(|own| suits_all(own, of_site(kills.number)));
    let kept: Vec<bool> = sites.iter().map(is_kept).collect();
    for (kills, _) in sites.iter_mut().zip(kept).filter(|(_, is_kept)| !is_kept) {
        kills.possible = None;
    }
}

/// The bound of a site as source text; empty if it is not written in the assertion.
fn written(plan: &SamplingPlan, number: i64) -> &str {
    let expression = plan.site(number).and_then(|(planned, site)| Some(planned.file.slice(site.bound().expression?)));
    expression.unwrap_or_default()
}

/// The first level of the samples whose bound gains enough, else what the last one gives. With fewer samples than the first
/// level has, the limit of the fitted tail.
fn weigh(sampling: &SuiteSampling<'_>, series: &SiteSamples, curve: &KillCurve) -> Option<Tightening> {
    let rules = verdict::Rules { method: BoundMethod::Calibrated, ..*sampling.rules() };
    let all = series.samples().ok()?;
    let request = verdict::request(series, &rules, &all, rules.confidence);
    let mut last = None;
    for level in levels(rules.pass, rules.confidence) {
        let Some(first) = series.numbers.get(..level.samples) else { break };
        let proposal = bound::propose_at(&level, &Samples::new(first).ok()?, &request)?;
        if is_no_tolerance(series.role, proposal.bound) {
            return None;
        }
        last = Some(tighten::weigh(proposal, curve, &assertion(series), rules.confidence));
        if last.is_some_and(|found| found.is_loose) {
            return last;
        }
    }
    let by_tail = || tighten::tighten(&all, curve, &assertion(series), &request).ok()?.ok();
    last.or_else(by_tail).filter(|found| !is_no_tolerance(series.role, found.proposal.bound))
}

fn by_the_paper(series: &SiteSamples, curve: &KillCurve) -> Option<faser::Faser> {
    faser::optimise(&series.numbers, curve, &assertion(series), FASER_PASS, &WEIGHTS, Reading::Paper).ok()?
}

#[cfg(test)]
mod tests;
