//! Verdicts, proposals and mutants in words, the same in the record of a run, in `temper review` and in pull requests.

mod other_remedies;

use std::collections::BTreeSet;
use std::fmt::Write;

use temper_report::{percent, short, thousands};
use temper_stats::bound::Undecided;
use temper_stats::order::samples_needed;
use temper_stats::{Confidence, Samples, Target};

use crate::findings::ConstantBecause;
use crate::judge::far_inside::FarInside;
use crate::judge::suspicion::Suspicion;
use crate::judge::verdict::{NoProposal, SiteVerdict};
use crate::mutate::tighten::MutantClass;
use crate::propose::advice::{Begun, PassedOver};
use crate::propose::candidate::LEVELS;
use crate::propose::proposal::{
    AskedLevel, KillCost, MeasuredValue, Proposal, ProposalPlace, Remedy, RemedyKind, Support, Verification,
};
use crate::sample::looks::{FIRST, SCREENING, next_look};
use crate::sample::scheduler::SiteResult;
use other_remedies::rewritten_words;
pub use other_remedies::{other_words, times_words};

/// Tests that are named where several share a bound.
const NAMED_CALLERS: usize = 3;

/// The lines `proposal`, `verified` and what stands below them, indented by two blanks.
pub fn lines(proposal: &Proposal, begun: Option<&Begun>, passed_over: &[PassedOver]) -> String {
    let mut out = format!("  proposal   {}\n", headline(proposal));
    let mut below = |text: String| {
        let _ = writeln!(out, "             {text}");
    };
    level_words(proposal).into_iter().for_each(&mut below);
    for why in passed_over {
        below(passed_over_words(why));
    }
    for site in &proposal.moves {
        below(format!("the same constant bounds {site}"));
    }
    if let Some(callers) = callers_words(&proposal.place) {
        below(callers);
    }
    match (&proposal.kill_cost, &proposal.remedy) {
        (Some(cost), _) => below(cost_words(cost)),
        (None, Remedy::Bound { .. }) => below("for review: a wider bound accepts more than this one did".to_owned()),
        (None, Remedy::Rerun { .. }) => below("for review: or raise the sample size, or fix the seed".to_owned()),
        (None, Remedy::Rewritten { means: RemedyKind::Seed, .. }) => {
            below("for review: a fault that shows under other seeds goes unseen".to_owned());
        }
        (None, Remedy::Rewritten { .. }) => {
            below("for review: the test itself changes, not what it accepts".to_owned())
        }
    }
    let verified = proposal.verification.as_ref().map_or_else(|| unverified_words(begun), verified_words);
    let _ = writeln!(out, "  verified   {verified}");
    for other in &proposal.others {
        let _ = writeln!(out, "  {}", other_words(other, &proposal.id));
    }
    out
}

/// Which bound was asked for, if the patch takes another, and what further runs would buy.
pub fn level_words(proposal: &Proposal) -> Vec<String> {
    let label = label_words(proposal);
    let asked = proposal.asked.as_ref().map(|asked| {
        let AskedLevel { pass, bound, times } = asked;
        format!(
            "{label} {}   {} ({}): {} times as far from the median, so the patch takes what was observed",
            bound.text,
            promise(*pass),
            support_words(&bound.support, proposal.confidence),
            short(*times)
        )
    });
    let more = proposal.more_runs.as_ref().map(|more| {
        let buys = match &more.about {
            Some([near, far]) if near == far => format!("about {label} {near}"),
            Some([near, far]) => format!("about {label} {near} to {far}"),
            None => "an observed bound; where it would lie cannot be told from such a tail".to_owned(),
        };
        let (runs, time) = (thousands(more.runs), seconds(more.secs));
        let promise = promise(more.pass);
        format!("with {runs} more runs ({time}) {buys}, {promise}: `temper bounds {} --sharpen`", proposal.id)
    });
    asked.into_iter().chain(more).collect()
}

/// What stands in front of the number.
fn label_words(proposal: &Proposal) -> &str {
    if proposal.place.label == "margin" { "a margin of" } else { &proposal.place.label }
}

/// The tests behind an assertion that several share: it stands in a helper, a base class or a parametrised test.
fn callers_words(place: &ProposalPlace) -> Option<String> {
    let all: BTreeSet<&str> =
        place.tests.iter().chain(&place.shared_with).map(|node| node.split('[').next().unwrap_or(node)).collect();
    if all.len() < 2 {
        return None;
    }
    let named: Vec<&str> = all.iter().copied().take(NAMED_CALLERS).collect();
    let more = match all.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("{} tests share this bound: {}{more}", all.len(), named.join(", ")))
}

/// `< 0.13   at most 1 failure in 1,000 runs (95 % confidence, observed)`.
pub fn headline(proposal: &Proposal) -> String {
    match &proposal.remedy {
        Remedy::Bound { text, support, .. } => {
            let label = label_words(proposal);
            format!("{label} {text}   {} ({})", promise_for(proposal), support_words(support, proposal.confidence))
        }
        Remedy::Rerun { text, max_runs, failure, expected_runs, .. } => format!(
            "{text}   {}, if {max_runs} runs are independent and each fails with probability {}; {} runs on average, {}",
            promise(proposal.pass),
            short(*failure),
            short(*expected_runs),
            seconds(expected_runs * proposal.measured.secs),
        ),
        Remedy::Rewritten { means, text, old, times } => {
            format!("{text}   {}", rewritten_words(*means, old.as_deref(), *times))
        }
    }
}

fn promise_for(proposal: &Proposal) -> String {
    match &proposal.remedy {
        Remedy::Bound { support: Support::Empirical { .. }, .. } => promise(empirical_level(proposal)),
        Remedy::Bound { support: Support::Chosen, .. } => "your own number".to_owned(),
        _ => promise(proposal.pass),
    }
}

/// The highest pass target that the most extreme of the samples supports.
fn empirical_level(proposal: &Proposal) -> f64 {
    let asked = proposal.pass;
    let is_supported = |level: &f64| match (Target::new(*level), Confidence::new(proposal.confidence)) {
        (Ok(level), Ok(confidence)) => samples_needed(level, confidence) <= proposal.measured.reached,
        _ => false,
    };
    LEVELS.iter().copied().filter(|level| *level < asked).chain([asked]).filter(is_supported).fold(LEVELS[0], f64::max)
}

/// `300 runs, 34 failed: 11.3 % (8.2 to 15.4)`.
pub fn failures_words(measured: &MeasuredValue) -> String {
    let MeasuredValue { runs, reached, failures, low, high, .. } = measured;
    let share = *failures as f64 / (*reached).max(1) as f64;
    let [share, low, high] = [share, *low, *high].map(|share| short(100.0 * share));
    let reached = if reached < runs { format!(", {reached} reached it") } else { String::new() };
    format!("{} runs{reached}, {failures} failed: {share} % ({low} to {high})", thousands(*runs))
}

/// What a pass target promises.
pub fn promise(pass: f64) -> String {
    let failing = 1.0 - pass;
    let runs = (1.0 / failing).round();
    if (runs * failing - 1.0).abs() < 1e-6 {
        format!("at most 1 failure in {} runs", thousands(runs as usize))
    } else {
        format!("passes in {} of runs", percent(pass))
    }
}

/// What a bound rests on.
pub fn support_words(support: &Support, confidence: f64) -> String {
    let sure = format!("{} confidence", percent(confidence));
    let article = |tail: &str| if tail == "exponential" { format!("an {tail} tail") } else { format!("a {tail} tail") };
    match support {
        Support::Observed { .. } => format!("{sure}, observed"),
        Support::Extrapolated { tail, measured_coverage, .. } => {
            let covered = measured_coverage
                .map(|share| format!("; such limits held in {} of simulations or more", percent(share)));
            format!("{sure}, extrapolated from {}{}", article(tail), covered.unwrap_or_default())
        }
        Support::Estimated { tail } => format!("point estimate from {}, without confidence", article(tail)),
        Support::Empirical { resamples, low, high } => format!(
            "{sure}, observed: the most extreme value; the extremes of {} resamples lie between {} and {}",
            thousands(*resamples),
            short(*low),
            short(*high)
        ),
        Support::Concentration => "from a concentration inequality".to_owned(),
        Support::Chosen => "chosen in review".to_owned(),
    }
}

/// `the bound is 210 times as far from the median as the worst of 10 values (a separate group ...)`.
pub fn far_inside_words(found: &FarInside) -> String {
    format!(
        "the bound is {} times as far from the median as the worst of {} values; a separate group of bad values in {} of \
         runs is missed in 1 case of 20",
        short(found.times),
        thousands(found.values),
        percent(found.unseen_share())
    )
}

/// `not yet: 37 of 500 runs with the patch, 0 failed; the same command goes on from there`.
fn unverified_words(begun: Option<&Begun>) -> String {
    let so_far = |begun: &Begun| {
        let (runs, wanted) = (thousands(begun.runs), thousands(begun.wanted));
        format!("{runs} of {wanted} runs with the patch, {} failed; ", begun.failures)
    };
    format!("not yet: {}the same command goes on from there", begun.map(so_far).unwrap_or_default())
}

/// `500 runs with the patch, 0 failed`.
pub fn verified_words(verification: &Verification) -> String {
    let Verification { runs, failures, trials, is_recount, numbers, .. } = verification;
    if *is_recount {
        format!("{failures} of {} fresh values lie beyond it", thousands(numbers.len()))
    } else if trials == runs {
        format!("{} runs with the patch, {failures} failed", thousands(*runs))
    } else {
        format!(
            "{} runs with the patch, taken as reruns: {failures} of {} tests failed",
            thousands(*runs),
            thousands(*trials)
        )
    }
}

/// `mutants killed in most of their runs: 7 of 9 → 7 of 9, nothing lost`.
pub fn cost_words(cost: &KillCost) -> String {
    let KillCost { mutants, before, after } = cost;
    let change = match after.cmp(before) {
        std::cmp::Ordering::Less => format!("{} lost", before - after),
        std::cmp::Ordering::Equal => "nothing lost".to_owned(),
        std::cmp::Ordering::Greater => format!("{} more", after - before),
    };
    format!("mutants killed in most of their runs: {before} of {mutants} → {after} of {mutants}, {change}")
}

/// Why a remedy is not offered.
pub fn passed_over_words(why: &PassedOver) -> String {
    match why {
        PassedOver::Unsupported(NoProposal::HardLimit) => {
            "no wider bound: the value cannot go beyond the limit that the bound stands at, so it would accept everything"
                .to_owned()
        }
        PassedOver::Unsupported(NoProposal::Undecided(why)) => format!("no bound from the tail: {}", undecided_words(why)),
        PassedOver::Unwritten(why) => format!("no patch: {why}"),
        PassedOver::TooWide { low, high } => format!(
            "no empirical bound: the extremes of resamples lie between {} and {}, too far apart (`--empirical-width`)",
            short(*low),
            short(*high)
        ),
        PassedOver::TooFew { values, needed } => {
            format!("no empirical bound from {} values: {} are needed", thousands(*values), thousands(*needed))
        }
        PassedOver::Rejected { text, trials, failures } => {
            format!("`{text}` was tried and failed in {failures} of {trials} fresh runs: more `--runs` would place it better")
        }
        PassedOver::FixedSeed(seed) => {
            format!("no rerun: the test gives the same value every time under its fixed seed ({seed})")
        }
        PassedOver::CannotBeHad { kind, why } => format!("no `{}`: {why}", kind.word()),
        PassedOver::StillFails { text, trials, failures } => {
            format!("`{text}` was tried and the test failed in {failures} of {trials} fresh runs")
        }
        PassedOver::MarkedAlready => "no rerun: the test carries a mark for it already".to_owned(),
        PassedOver::NoPlugin => {
            "no rerun: neither `pytest-rerunfailures` nor `flaky` is installed; install one, raise the sample size, or fix the seed"
                .to_owned()
        }
    }
}

/// What seeds have to do with a value that never changes.
pub(crate) fn constant_words(why: &ConstantBecause) -> String {
    match why {
        ConstantBecause::KeptSeed => {
            "the value never changes; a fixed seed may be why: `--seeds vary` shows what others would give".to_owned()
        }
        ConstantBecause::SeedAtImport(seed, line) => format!(
            "the value never changes; the seed {seed} in line {line} takes effect at import, once for all runs, and is kept"
        ),
        ConstantBecause::ReplacedSeeds(seeds) => {
            format!("the value never changes, also under other seeds than its own ({seeds})")
        }
    }
}

/// Why the statistics give no bound.
fn undecided_words(why: &Undecided) -> String {
    match why {
        Undecided::NoVariation => "the values do not vary".to_owned(),
        Undecided::TooFew { needed } => format!("too few samples for a look at the tail: {needed} are needed"),
        Undecided::NoFit => "no tail model fits the values".to_owned(),
        Undecided::Heavy { shape } => {
            format!("the tail is heavy (shape {}), so a far quantile would be a guess", short(*shape))
        }
        Undecided::OutOfReach => "the samples do not reach the target".to_owned(),
    }
}

/// Why a site has no verdict, and what would give it one; nothing if it has one.
pub fn no_answer_words(site: &SiteResult) -> Vec<String> {
    match &site.judgement.verdict {
        SiteVerdict::Undecided { tail, runs_needed } => {
            let more = format!("{}: raise `--runs` or `--budget`", what_would_decide(site, *runs_needed));
            tail.iter().map(undecided_words).chain([more]).collect()
        }
        SiteVerdict::Broken => {
            let series = &site.series;
            let why = if series.reason.is_empty() { "most runs end in an exception" } else { &series.reason };
            vec![format!("no verdict: {why} ({} of {} runs)", series.unreadable.max(series.errors), series.runs)]
        }
        _ => Vec::new(),
    }
}

/// What would decide a site, by what is known of it.
fn what_would_decide(site: &SiteResult, runs_needed: usize) -> String {
    let series = &site.series;
    let is_constant = series.numbers.windows(2).all(|pair| pair[0] == pair[1]);
    if series.failures == 0 && is_constant && series.reached < SCREENING {
        let runs = if series.reached == 1 { "1 run".to_owned() } else { format!("{} runs", series.reached) };
        return format!("{runs} gave one value; {SCREENING} such runs would call it deterministic");
    }
    if series.runs < FIRST {
        return format!("{} runs so far, the next look is at {}", series.runs, next_look(series.runs, FIRST));
    }
    if series.failures == 0 && site.judgement.runs < runs_needed {
        return format!("{} runs without a failure would decide it", thousands(runs_needed));
    }
    "more runs would decide it".to_owned()
}

/// Quantiles towards the side that fails.
pub fn quantiles(is_upper: bool, samples: &Samples) -> String {
    let points = if is_upper {
        [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)]
    } else {
        [("p50", 0.5), ("p1", 0.01), ("p0.1", 0.001)]
    };
    let value = |p: f64| samples.quantile(p).map(short).unwrap_or_default();
    points.map(|(name, p)| format!("{name} {}", value(p))).join("   ")
}

fn seconds(secs: f64) -> String {
    match secs {
        ..1.0 => format!("{:.0} ms", 1000.0 * secs),
        ..120.0 => format!("{} s", short(secs)),
        _ => format!("{:.0} min", secs / 60.0),
    }
}

/// What looks wrong with the values.
pub fn suspicion_words(suspicion: &Suspicion) -> String {
    match suspicion {
        Suspicion::NotFinite { nan, infinite } => {
            let parts = [(*nan, "NaN"), (*infinite, "infinities")].into_iter().filter(|(count, _)| *count > 0);
            let parts: Vec<String> = parts.map(|(count, what)| format!("{count} with {what}")).collect();
            format!("runs without a finite value ({})", parts.join(", "))
        }
        Suspicion::Clusters { near, far, count } => {
            format!(
                "two far-apart groups of values (around {} and, {count} times, around {})",
                short(*near),
                short(*far)
            )
        }
        Suspicion::Magnitude { worst, times } => {
            format!("a value of {}, {} times as far out as the 95 % point", short(*worst), short(*times))
        }
        Suspicion::Drift { correlation } => {
            format!("the values move with the number of the run (rank correlation {})", short(*correlation))
        }
    }
}

/// The result of a mutant.
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

#[cfg(test)]
mod tests {
    use temper_stats::bound::BoundMethod;
    use temper_stats::{Confidence, Direction, Target};

    use super::*;
    use crate::judge::verdict::{Rules, judge_at_end};
    use crate::sample::site_samples::SiteSamples;

    /// What would decide a site with these values, none of which fails.
    fn said(values: &[f64]) -> String {
        let rules = Rules {
            pass: Target::THOUSANDTH,
            confidence: Confidence::STANDARD,
            method: BoundMethod::Calibrated,
            most_runs: 3000,
            bound_runs: 2995,
            is_sharpened: false,
        };
        let series = SiteSamples::of_values(Direction::Upper, true, 1e-9, values);
        let judgement = judge_at_end(&series, &rules);
        no_answer_words(&SiteResult { number: 1, series, judgement }).join("; ")
    }

    #[test]
    fn what_would_decide_a_site_goes_by_what_is_known_of_it() {
        assert_eq!(
            said(&[4e-16; 4]),
            "4 runs gave one value; 30 such runs would call it deterministic: raise `--runs` or `--budget`"
        );
        assert_eq!(said(&[4e-16, 2e-16, 0.0]), "3 runs so far, the next look is at 10: raise `--runs` or `--budget`");
        let near: Vec<f64> = (0..40).map(|index| 1e-10 * f64::from(index % 7) * 1.5).collect();
        assert!(!said(&near).contains("2,995"), "{}", said(&near));
    }
}
