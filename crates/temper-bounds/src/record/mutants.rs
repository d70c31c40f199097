//! Mutants in the record of a run: the result of each, and what they say about each bound.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use temper_report::{
    BoundsMutants, KillableMutant, NoticedMutants, RefusedTest, SiteMutants, TestPower, percent, thousands,
};
use temper_stats::kill::KillScore;
use temper_stats::{Confidence, Direction, interval};

use crate::findings::JudgedSite;
use crate::judge::verdict::Rules;
use crate::mutate::tighten::{
    self, Judged, MutantClass, MutantEffect, OppositeBound, PlacedMutant, Reach, SiteKills, Tightened,
};
use crate::propose::advice::Advised;
use crate::propose::proposal::Remedy;
use crate::sample::scheduler::BoundsResult;
use crate::wording::class_word;

/// What mutants showed, if some were run.
pub(crate) fn record(
    found: &BoundsResult,
    rows: &[JudgedSite<'_>],
    advised: &Advised,
    rules: &Rules,
) -> Option<BoundsMutants> {
    let tightened = found.tightened.as_ref()?;
    let mut by_mutant: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    let mut classes = Vec::new();
    let mut sites = Vec::new();
    for kills in &tightened.sites {
        let judged = judged(found, tightened, kills, rows, advised);
        classes.extend(judged.iter().map(|each| (kills.node.as_str(), each.mutant, each.class)));
        for each in &judged {
            by_mutant.entry(each.mutant).or_default().push(json!({
                "test": kills.node,
                "site": kills.number,
                "class": class_word(each.class),
                "runs": each.runs,
                "killed_before": each.before,
                "killed_after": each.after,
                "values": values(tightened, kills, each.mutant),
            }));
        }
        let score = |score: KillScore| json!({ "mean": score.mean, "low": score.low, "high": score.high });
        sites.push(json!({
            "test": kills.node,
            "site": kills.number,
            "mutants": kills.curve.len(),
            "duplicates": kills.duplicates,
            "judged": kills.reach.judged,
            "nearest": kills.reach.nearest,
            "reached": kills.reach.all,
            "place": kills.reach.place,
            "kill_score": score(kills.before),
            "tightest": kills.tightening.map(|each| json!({ "bound": each.proposal.bound, "kill_score": score(each.after) })),
            "possible": kills.possible.as_ref().map(|each| json!({
                "bound": each.bound,
                "runs": each.runs,
                "kill_score": score(kills.score(each.bound, rules.confidence)),
            })),
            "opposite": kills.opposite.as_ref().map(|each| json!({
                "bound": each.bound,
                "runs": each.runs,
                "killed": each.killed,
                "improving": each.improving,
            })),
            "faser": kills.faser.as_ref().map(|faser| json!({
                "label": format!("{:?}", faser.label).to_lowercase(),
                "bound": faser.best.map(|best| best.bound),
                "pass": faser.best.map(|best| best.pass),
                "kill_score": faser.best.map(|best| best.kill),
            })),
        }));
    }
    let mutants: Vec<Value> = tightened
        .mutants
        .iter()
        .enumerate()
        .map(|(index, placed)| {
            let mut value = described(placed);
            value["loaded_apart"] = json!(tightened.loaded_apart.get(&index));
            value["trials"] = Value::Array(by_mutant.remove(&index).unwrap_or_default());
            value
        })
        .collect();
    let (runs_taken, runs_reused) = tightened.runs;
    let (judged, asked) = tightened.judged_of_all();
    let refused = tightened.refused.iter().cloned();
    Some(BoundsMutants {
        mutants,
        not_reached: tightened.unreached.iter().map(described).collect(),
        same_bytecode: tightened.same_bytecode,
        duplicates: tightened.duplicates,
        loaded_apart: by_reason(tightened),
        power: power(tightened, &classes),
        refused: refused.map(|(test, tried)| RefusedTest { test, tried }).collect(),
        unrepeatable: tightened.unrepeatable.clone(),
        sites,
        runs_taken,
        runs_reused,
        cpu_secs: tightened.cpu_secs,
        pending: asked - judged,
    })
}

/// What the tests notice, from the result of each mutant at each site.
fn power(tightened: &Tightened, classes: &[(&str, usize, MutantClass)]) -> TestPower {
    let mut power = TestPower::default();
    let mut by_test: BTreeMap<(&str, usize), Option<bool>> = BTreeMap::new();
    let mut by_mutant: BTreeMap<usize, Option<bool>> = BTreeMap::new();
    for (node, mutant, class) in classes {
        let is_noticed = match class {
            MutantClass::Killed | MutantClass::Crashed(_) => Some(true),
            MutantClass::NothingMeasurable => None,
            MutantClass::Killable | MutantClass::NeedsAnotherAssertion | MutantClass::Improves => Some(false),
        };
        for known in [by_test.entry((*node, *mutant)).or_default(), by_mutant.entry(*mutant).or_default()] {
            // A mutant that one assertion notices is noticed.
            *known = (*known).max(is_noticed);
        }
    }
    let count = |counts: &mut NoticedMutants, is_noticed: bool| {
        counts.changing += 1;
        counts.noticed += usize::from(is_noticed);
    };
    for ((node, _), is_noticed) in by_test {
        is_noticed.into_iter().for_each(|is| count(power.by_test.entry(node.to_owned()).or_default(), is));
    }
    for (mutant, is_noticed) in by_mutant {
        let PlacedMutant { path, mutant, .. } = &tightened.mutants[mutant];
        if let Some(is) = is_noticed {
            count(&mut power.all, is);
            count(power.by_file.entry(path.clone()).or_default(), is);
            count(power.by_kind.entry(mutant.operator.name().to_owned()).or_default(), is);
        }
    }
    power
}

fn by_reason(tightened: &Tightened) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    tightened.loaded_apart.values().for_each(|reason| *counts.entry(reason.clone()).or_default() += 1);
    counts
}

/// The samples of a mutant at a site, in run order; none if it gave none or the same ones.
fn values<'a>(tightened: &'a Tightened, kills: &SiteKills, mutant: usize) -> &'a [f64] {
    let trials = tightened.trials.get(&kills.test).map(Vec::as_slice).unwrap_or_default();
    let effect = trials.iter().find(|trial| trial.mutant == mutant).and_then(|trial| trial.effects.get(&kills.number));
    match effect {
        Some(MutantEffect::None { values } | MutantEffect::Effective { values, .. }) => values,
        _ => &[],
    }
}

fn described(placed: &PlacedMutant) -> Value {
    let mutant = &placed.mutant;
    json!({
        "name": format!("{}:{}", placed.path, mutant.name(&placed.file)),
        "path": placed.path,
        "line": mutant.at.line,
        "column": mutant.at.column,
        "operator": mutant.operator.name(),
        "function": mutant.function,
        "replaced": placed.file.slice(mutant.span),
        "replacement": mutant.replacement,
    })
}

/// The results of the mutants of a site, with the bound that is proposed for it.
pub fn judged(
    found: &BoundsResult,
    tightened: &Tightened,
    kills: &SiteKills,
    rows: &[JudgedSite<'_>],
    advised: &Advised,
) -> Vec<Judged> {
    let row = rows.iter().find(|row| row.result.number == kills.number);
    let bound = row.and_then(|row| proposed_bound(row, advised));
    let site = found.tests[kills.test].sites.iter().find(|site| site.number == kills.number);
    site.map(|site| tighten::judged(tightened, kills, &site.series, bound)).unwrap_or_default()
}

fn proposed_bound(row: &JudgedSite<'_>, advised: &Advised) -> Option<f64> {
    match advised.by_id.get(&row.id)?.proposal.as_ref()?.remedy {
        Remedy::Bound { bound, .. } => Some(bound),
        Remedy::Rerun { .. } | Remedy::Rewritten { .. } => None,
    }
}

/// What mutants say about one bound.
pub(crate) fn of_site(
    found: &BoundsResult,
    row: &JudgedSite<'_>,
    advised: &Advised,
    rules: &Rules,
) -> Option<SiteMutants> {
    let tightened = found.tightened.as_ref()?;
    let kills = tightened.of(&row.test.test.node, row.result.number)?;
    let bound = proposed_bound(row, advised);
    let judged = tighten::judged(tightened, kills, &row.result.series, bound);
    let kill_score = kill_score(tightened, kills, bound, rules);
    let killable = judged.iter().filter(|each| each.class == MutantClass::Killable);
    let killable = killable.map(|each| killable_mutant(tightened, each)).collect();
    let opposite = kills.opposite.as_ref().map(|opposite| opposite_words(row, opposite, rules));
    Some(SiteMutants { kill_score, ends: ends(&judged), killable, opposite })
}

/// `0.09 < ratio < 0.9 would also kill 6 of 6 mutants that move the value away from failing (least of 3,351 values, 95 % confidence)`.
fn opposite_words(row: &JudgedSite<'_>, opposite: &OppositeBound, rules: &Rules) -> String {
    let OppositeBound { text, runs, killed, improving, .. } = opposite;
    let is_upper = row.result.series.direction == Direction::Upper;
    let (sign, which) = if is_upper { ("<", "least") } else { (">", "greatest") };
    let file = &row.planned.file;
    let comparison = file.slice(row.site.comparison);
    // Where a function compares, it takes no third argument.
    let written = match row.site.callee.is_none() && comparison.starts_with(file.slice(row.site.actual)) {
        true => format!("`{text} {sign} {comparison}`"),
        false => format!("`{text} {sign} {}`", file.slice(row.site.actual)),
    };
    let (runs, confidence) = (thousands(*runs), percent(rules.confidence.get()));
    format!(
        "{written} would also kill {killed} of {improving} mutants that move the value away from failing \
         ({which} of {runs} values, {confidence} confidence)"
    )
}

/// `12 % (8 to 17) → 40 % (31 to 49) of 28 mutants that change the value; 40 of 73 judged, drawn at random`.
fn kill_score(tightened: &Tightened, kills: &SiteKills, bound: Option<f64>, rules: &Rules) -> String {
    let share = reach_words(&kills.reach);
    if kills.curve.is_empty() {
        return match kills.reach.judged < kills.reach.nearest {
            true => format!("unknown{share}"),
            false => "none: no mutant moves the value towards failing".to_owned(),
        };
    }
    // A cut run proposes nothing. What its samples point at is for the next run to verify.
    let possible = kills.possible.as_ref().filter(|_| tightened.is_cut && bound.is_none());
    let after = bound.or(possible.map(|each| each.bound)).map(|bound| kills.score(bound, rules.confidence));
    let change = after.map(|after| format!(" → {}", score_words(&after))).unwrap_or_default();
    let counted = match kills.curve.len() {
        1 => "1 mutant that changes the value".to_owned(),
        many => format!("{many} mutants that change the value"),
    };
    let again = match kills.duplicates {
        0 => String::new(),
        1 => " (1 more does the same as another)".to_owned(),
        more => format!(" ({more} more do the same as another)"),
    };
    let possible = possible.map(|each| {
        let runs = thousands(each.runs);
        format!("; a bound of {} looks possible, beyond all {runs} values so far: run again to verify it", each.text)
    });
    format!("{}{change} of {counted}{again}{share}{}", score_words(&kills.before), possible.unwrap_or_default())
}

/// `; 40 of 73 judged, drawn at random`, or `; 412 of 2,795 mutants judged: those in sklearn/neural_network`.
fn reach_words(reach: &Reach) -> String {
    let Reach { judged, nearest, all, place } = reach;
    let [judged_text, nearest_text, all_text] = [judged, nearest, all].map(|count| thousands(*count));
    match (judged < nearest, nearest < all) {
        (false, false) => String::new(),
        (true, false) => format!("; {judged_text} of {all_text} judged, drawn at random"),
        (false, true) => format!("; {judged_text} of {all_text} mutants judged: those in {place}"),
        (true, true) => format!(
            "; {judged_text} of {all_text} mutants judged: of the {nearest_text} nearest, in {place}, drawn at random"
        ),
    }
}

/// `12 of 73 mutants were judged`, of those that a test reaches.
pub(crate) fn judged_words(reach: Option<&Reach>) -> String {
    match reach {
        Some(Reach { judged, all, .. }) if *all > 0 => format!("{judged} of {all} mutants were judged"),
        _ => "no mutant was judged".to_owned(),
    }
}

/// `12 % (8 to 17)`.
fn score_words(score: &KillScore) -> String {
    let [mean, low, high] = [score.mean, score.low, score.high].map(|share| (100.0 * share).round());
    format!("{mean} % ({low} to {high})")
}

fn killable_mutant(tightened: &Tightened, judged: &Judged) -> KillableMutant {
    let placed = &tightened.mutants[judged.mutant];
    let (old, new) = placed.mutant.diff(&placed.file);
    let at = placed.mutant.at;
    KillableMutant {
        place: format!("{}:{}:{}", placed.path, at.line, at.column),
        killed: killed_words(judged),
        old: old.trim_end().to_owned(),
        new: new.trim_end().to_owned(),
    }
}

/// `90 % of 10 runs (55 to 100)`: a share of few runs says little without its interval.
fn killed_words(judged: &Judged) -> String {
    let killed = (judged.after * judged.runs as f64).round() as usize;
    let share = (100.0 * judged.after).round();
    let between = interval::clopper_pearson(killed, judged.runs, Confidence::STANDARD).map(|found| {
        let [low, high] = [found.low, found.high].map(|share| (100.0 * share).round());
        format!(" ({low} to {high})")
    });
    format!("{share} % of {} runs{}", judged.runs, between.unwrap_or_default())
}

/// How many mutants came to which end.
fn ends(judged: &[Judged]) -> String {
    let mut counts: BTreeMap<MutantClass, usize> = BTreeMap::new();
    judged.iter().for_each(|each| *counts.entry(each.class).or_default() += 1);
    let part = |(class, count): (&MutantClass, &usize)| format!("{count} {}", class_word(*class));
    counts.iter().map(part).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kill_score_of_some_mutants_says_of_how_many_and_where() {
        let words = |judged, nearest, all| {
            reach_words(&Reach { judged, nearest, all, place: "sklearn/neural_network".to_owned() })
        };
        assert_eq!(words(73, 73, 73), "");
        assert_eq!(words(40, 73, 73), "; 40 of 73 judged, drawn at random");
        assert_eq!(words(412, 412, 2795), "; 412 of 2,795 mutants judged: those in sklearn/neural_network");
        let part = "; 40 of 2,795 mutants judged: of the 412 nearest, in sklearn/neural_network, drawn at random";
        assert_eq!(words(40, 412, 2795), part);
    }
}
