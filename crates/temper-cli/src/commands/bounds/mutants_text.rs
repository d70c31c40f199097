//! What mutants say about bounds, as a person reads it: kill scores, and the mutants that a tighter bound would kill.

use std::collections::BTreeMap;
use std::fmt::Write;

use temper_bounds::findings::JudgedSite;
use temper_bounds::judge::verdict::Rules;
use temper_bounds::mutate::tighten::{self, Judged, MutantClass, Tightened};
use temper_bounds::propose::advice::Advised;
use temper_bounds::propose::proposal::Remedy;
use temper_bounds::sample::scheduler::BoundsResult;
use temper_stats::kill::KillScore;

use crate::commands::proposal_text::{short, thousands};
use crate::terminal::DIM;

/// Mutants shown below a finding; `-v` shows all.
const SHOWN: usize = 3;

/// The kill score of a site, and the mutants that a tighter bound would kill.
pub fn site(found: &BoundsResult, row: &JudgedSite<'_>, advised: &Advised, rules: &Rules, is_verbose: bool) -> String {
    let mut out = String::new();
    let Some(tightened) = &found.tightened else { return out };
    let Some(kills) = tightened.of(&row.test.test.node, row.result.number) else { return out };
    let proposal = advised.by_id.get(&row.id).and_then(|advice| advice.proposal.as_ref());
    let bound = proposal.and_then(|proposal| match proposal.remedy {
        Remedy::Bound { bound, .. } => Some(bound),
        Remedy::Rerun { .. } => None,
    });
    let judged = tighten::judged(tightened, kills, &row.result.series, bound);
    if kills.curve.is_empty() {
        let _ = writeln!(out, "  kill score none: no mutant moves the value towards failing");
    } else {
        let after = bound.map(|bound| kills.curve.score_with_interval(bound, rules.confidence));
        let change = after.map(|after| format!(" → {}", score(&after))).unwrap_or_default();
        let before = score(&kills.before);
        let _ = writeln!(out, "  kill score {before}{change} of {} mutants that change the value", kills.curve.len());
    }
    if is_verbose {
        let _ = writeln!(out, "  {DIM}mutants    {}{DIM:#}", classes(&judged));
    }
    let killable: Vec<&Judged> = judged.iter().filter(|each| each.class == MutantClass::Killable).collect();
    let shown = if is_verbose { killable.len() } else { SHOWN };
    for each in killable.iter().take(shown) {
        mutant(&mut out, tightened, each);
    }
    if killable.len() > shown {
        let _ = writeln!(out, "    {} more that it would kill: `-v` lists them", killable.len() - shown);
    }
    out
}

/// `12 % (8 to 17)`.
fn score(score: &KillScore) -> String {
    let [mean, low, high] = [score.mean, score.low, score.high].map(|share| (100.0 * share).round());
    format!("{mean} % ({low} to {high})")
}

fn mutant(out: &mut String, tightened: &Tightened, judged: &Judged) {
    let placed = &tightened.mutants[judged.mutant];
    let (old, new) = placed.mutant.diff(&placed.file);
    let at = placed.mutant.at;
    let percent = short((100.0 * judged.after).round());
    let _ = writeln!(out, "    {}:{}:{}   killed in {percent} % of runs", placed.path, at.line, at.column);
    let _ = writeln!(out, "    {DIM}-{}{DIM:#}", old.trim_end());
    let _ = writeln!(out, "    {DIM}+{}{DIM:#}", new.trim_end());
}

/// How many mutants came to which end.
fn classes(judged: &[Judged]) -> String {
    let mut counts: BTreeMap<MutantClass, usize> = BTreeMap::new();
    judged.iter().for_each(|each| *counts.entry(each.class).or_default() += 1);
    let part = |(class, count): (&MutantClass, &usize)| format!("{count} {}", class_word(*class));
    counts.iter().map(part).collect::<Vec<_>>().join(" · ")
}

/// A class in words.
pub fn class_word(class: MutantClass) -> &'static str {
    match class {
        MutantClass::Killed => "killed",
        MutantClass::Killable => "killable by a tighter bound",
        MutantClass::NeedsAnotherAssertion => "need another assertion",
        MutantClass::Improves => "improve the value",
        MutantClass::NothingMeasurable => "change nothing measurable",
        MutantClass::Crashed(crash) => crash.word(),
    }
}

/// One line about all mutants.
pub fn counts(found: &BoundsResult) -> String {
    let Some(tightened) = &found.tightened else { return String::new() };
    let mut out = String::new();
    let (taken, reused) = tightened.runs;
    if !tightened.mutants.is_empty() {
        let kept = if reused > 0 { format!(", and {} from the store", thousands(reused)) } else { String::new() };
        let unreached = match tightened.unreached.len() {
            0 => String::new(),
            count => format!("; on lines that no test reaches: {} more", thousands(count)),
        };
        let mutants = thousands(tightened.mutants.len());
        let _ = writeln!(out, "  {mutants} mutants, {} runs of them{kept}{unreached}", thousands(taken));
    }
    for (node, said) in &tightened.refused {
        let _ = writeln!(out, "  no mutants of what {node} runs: it does what mutants may not ({said})");
    }
    for node in &tightened.unrepeatable {
        let _ =
            writeln!(out, "  {node} gives other numbers when it is run again with the same seed; so may its mutants");
    }
    out
}
