//! The results of `temper bounds` as a person reads them.

use std::collections::BTreeMap;
use std::fmt::Write;

use temper_bounds::job::{BoundsResult, Problem, is_finding};
use temper_bounds::series::Series;
use temper_bounds::summary::{Row, bound_label, word};
use temper_bounds::suspicion::Suspicion;
use temper_bounds::verdict::{Flaky, NoProposal, Rules, Verdict};
use temper_source::Role;
use temper_stats::bound::{Evidence, Undecided};
use temper_stats::tail::TailKind;
use temper_stats::{Direction, Samples};

use crate::terminal::{BOLD, DIM};

/// Writes a line. Writing to a `String` cannot fail.
macro_rules! line {
    ($out:expr, $($part:tt)*) => { let _ = writeln!($out, $($part)*); };
}

/// Findings and open questions, then counts; with `is_verbose`, every site.
pub fn render(found: &BoundsResult, rows: &[Row<'_>], rules: &Rules, is_verbose: bool) -> String {
    let mut out = String::new();
    for row in rows {
        let verdict = &row.result.judgement.verdict;
        let is_open = matches!(verdict, Verdict::Undecided { .. } | Verdict::Broken | Verdict::Rare);
        if is_verbose || is_finding(verdict) || is_open {
            site(&mut out, row, rules);
        }
    }
    if let Some(tightened) = &found.tightened {
        for site in &tightened.sites {
            line!(out, "DEBUG {} {} before {:?} loose {} {:?}", found.tests[site.test].test.node, site.curve.len(), site.before, site.is_loose(), site.tightening.map(|t| (t.proposal.bound, t.after.mean, t.proposal.evidence)));
        }
        line!(out, "DEBUG mutants {} unreached {} same {} runs {:?} cpu {:.1}", tightened.mutants.len(), tightened.unreached.len(), tightened.same_bytecode, tightened.runs, tightened.cpu_secs);
        for (test, trials) in &tightened.trials {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for t in trials { for e in t.effects.values() { *counts.entry(format!("{e:?}").split(['{', '[']).next().unwrap().to_owned()).or_default() += 1; } }
            line!(out, "DEBUG {} {} runs {} {counts:?}", found.tests[*test].test.node, trials.len(), trials.iter().map(|t| t.runs).sum::<usize>());
        }
    }
    counts(&mut out, found, rows);
    out
}

fn site(out: &mut String, row: &Row<'_>, rules: &Rules) {
    let place = format!("{}:{}:{}", row.path, row.line, row.column);
    let verdict = &row.result.judgement.verdict;
    let id = if is_finding(verdict) { format!("  {}", row.id) } else { String::new() };
    line!(out, "{BOLD}{place}{BOLD:#}  {}  {BOLD}{}{BOLD:#}{id}", cut(&row.source, 90), word(verdict));
    let others = if row.tests > 1 { format!(" (the worst of {} tests)", row.tests) } else { String::new() };
    line!(out, "  {DIM}{}{others}{DIM:#}", row.test.test.node);
    line!(out, "  {}{}", runs(row), seed_words(row));
    if let Ok(samples) = row.result.series.samples()
        && samples.len() > 1
    {
        line!(out, "  {}   {}", quantiles(&row.result.series, &samples), histogram(&row.result.series, &samples));
    }
    verdict_lines(out, row, rules);
}

fn verdict_lines(out: &mut String, row: &Row<'_>, rules: &Rules) {
    match &row.result.judgement.verdict {
        Verdict::Flaky(flaky) => flaky_lines(out, row, flaky, rules),
        Verdict::Sound(evidence) => {
            line!(out, "  holds      {} ({})", promise(rules), evidence_words(evidence, rules));
        }
        Verdict::Suspect(suspicion) => {
            line!(out, "  {}: looks like a bug, no wider bound is offered", suspicion_words(suspicion));
            line!(out, "  reproduce  temper replay {}", row.id);
        }
        Verdict::Rare => {
            line!(
                out,
                "  failures are as rare as asked: the fitted tail stays inside the bound in {} of runs",
                percent(rules.pass.get())
            );
        }
        Verdict::Undecided { tail, runs_needed } => {
            if let Some(tail) = tail {
                line!(out, "  {}", undecided_words(tail));
            }
            let more = if row.result.judgement.runs < *runs_needed {
                format!("{} runs without a failure would decide it", thousands(*runs_needed))
            } else {
                "more runs would decide it".to_owned()
            };
            line!(out, "  {more}: raise `--runs` or `--budget`");
        }
        Verdict::Broken => {
            let series = &row.result.series;
            let why = if series.reason.is_empty() { "most runs end in an exception" } else { &series.reason };
            line!(out, "  no verdict: {why} ({} of {} runs)", series.unreadable.max(series.errors), series.runs);
        }
        Verdict::Deterministic if row.seed.is_some() => {
            line!(
                out,
                "  the value never changes; a fixed seed may be why: `--seeds vary` shows what others would give"
            );
        }
        Verdict::Deterministic | Verdict::FailsAlways => {}
    }
}

fn flaky_lines(out: &mut String, row: &Row<'_>, flaky: &Flaky, rules: &Rules) {
    match (&flaky.proposal, &row.proposal) {
        (Ok(proposal), Some((text, _))) => {
            let label = if row.result.series.role == Role::Margin { "a margin of" } else { bound_label(row) };
            line!(
                out,
                "  proposal   {label} {text}   {} ({})",
                promise(rules),
                evidence_words(&proposal.evidence, rules)
            );
            line!(out, "             for review: a wider bound accepts more than this one did");
        }
        (Ok(_), None) => {
            line!(out, "  proposal   none: no number in the style of the one written is far enough out");
        }
        (Err(NoProposal::HardLimit), _) => {
            line!(
                out,
                "  proposal   none: the value cannot go beyond the limit that the bound stands at, so any wider bound accepts everything"
            );
            line!(out, "             rerun the test, raise its sample size, or fix its seed");
        }
        (Err(NoProposal::Undecided(why)), _) => {
            line!(out, "  proposal   none: {}", undecided_words(why));
        }
    }
    line!(out, "  reproduce  temper replay {}", row.id);
}

/// `300 runs, 34 failed: 11.3 % (8.2 to 15.4)`.
fn runs(row: &Row<'_>) -> String {
    let (series, failures) = (&row.result.series, &row.result.judgement.failures);
    let reached = if series.reached < series.runs { format!(", {} reached it", series.reached) } else { String::new() };
    let mut text = format!("{} runs{reached}, {} failed", series.runs, series.failures);
    if series.failures > 0 {
        let [share, low, high] = [failures.share, failures.low, failures.high].map(|share| short(100.0 * share));
        text += &format!(": {share} % ({low} to {high})");
    }
    if series.nan + series.infinite > 0 {
        text += &format!("; {} with NaN, {} with infinities", series.nan, series.infinite);
    }
    if series.errors > 0 {
        text += &format!("; {} ended in an exception", series.errors);
    }
    text
}

fn seed_words(row: &Row<'_>) -> String {
    let passed = row.test.baseline == Some(temper_bounds::record::RunEnd::Passed);
    match (&row.result.judgement.verdict, row.seed) {
        // Only varied seeds can make a seeded test flaky.
        (Verdict::Flaky(_) | Verdict::Suspect(_), Some(seed)) if passed => {
            format!("; green today only because of seed {seed}")
        }
        _ => String::new(),
    }
}

fn quantiles(series: &Series, samples: &Samples) -> String {
    let is_upper = series.direction == Direction::Upper;
    let points = if is_upper {
        [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)]
    } else {
        [("p50", 0.5), ("p1", 0.01), ("p0.1", 0.001)]
    };
    let value = |p: f64| samples.quantile(p).map(short).unwrap_or_default();
    points.map(|(name, p)| format!("{name} {}", value(p))).join("   ")
}

const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const COLUMNS: usize = 24;

/// Counts of the samples from the least to the greatest, with the bound marked where it lies.
fn histogram(series: &Series, samples: &Samples) -> String {
    let (Some(min), Some(max)) = (samples.min(), samples.max()) else { return String::new() };
    let width = (max - min).max(f64::MIN_POSITIVE);
    // A bound that is far away is shown at the edge, or the samples would be one column.
    let reach = |edge: f64| edge.clamp(min - 0.6 * width, max + 0.6 * width);
    let (low, high) = (min.min(reach(series.bound)), max.max(reach(series.bound)));
    let step = (high - low) / COLUMNS as f64;
    let column = |value: f64| (((value - low) / step) as usize).min(COLUMNS - 1);
    let mut counts = [0_usize; COLUMNS];
    samples.sorted().iter().for_each(|&value| counts[column(value)] += 1);
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let mark = if series.bound >= high {
        COLUMNS
    } else if series.bound <= low {
        0
    } else {
        column(series.bound)
    };
    let mut text = String::new();
    for (index, count) in counts.iter().enumerate() {
        if index == mark {
            text.push('│');
        }
        text.push(BARS[(8 * count).div_ceil(most)]);
    }
    if mark == COLUMNS {
        text.push('│');
    }
    format!("{text}  │ bound {}", short(series.bound))
}

fn promise(rules: &Rules) -> String {
    let failing = rules.pass.complement();
    let runs = (1.0 / failing).round();
    if (runs * failing - 1.0).abs() < 1e-6 {
        format!("at most 1 failure in {} runs", thousands(runs as usize))
    } else {
        format!("passes in {} of runs", percent(rules.pass.get()))
    }
}

fn percent(share: f64) -> String {
    format!("{} %", short(100.0 * share))
}

fn evidence_words(evidence: &Evidence, rules: &Rules) -> String {
    let sure = format!("{} confidence", percent(rules.confidence.get()));
    match evidence {
        Evidence::Observed { .. } => format!("{sure}, observed"),
        Evidence::Extrapolated { kind, measured, .. } => {
            let covered =
                measured.map(|m| format!("; such limits held in {} of simulations or more", percent(m.lowest)));
            format!("{sure}, extrapolated from {} tail{}", kind_words(*kind), covered.unwrap_or_default())
        }
        Evidence::Estimated { kind } => format!("point estimate from {} tail, without confidence", kind_words(*kind)),
        Evidence::Concentrated { .. } => "from a concentration inequality".to_owned(),
    }
}

fn kind_words(kind: TailKind) -> &'static str {
    match kind {
        TailKind::Light => "a light",
        TailKind::Exponential => "an exponential",
        TailKind::Heavy => "a heavy",
    }
}

fn undecided_words(why: &Undecided) -> String {
    match why {
        Undecided::NoVariation => "the values do not vary".to_owned(),
        Undecided::TooFew { needed } => format!("too few samples for a look at the tail: {needed} are needed"),
        Undecided::NoFit => "no tail model fits the values".to_owned(),
        Undecided::Heavy { shape } => {
            format!("the tail is heavy (shape {}), so a far quantile would be a guess", short(*shape))
        }
        Undecided::TooWide { .. } => "the tail is so uncertain that a far quantile would be a guess".to_owned(),
        Undecided::OutOfReach => "the samples do not reach the target".to_owned(),
    }
}

fn suspicion_words(suspicion: &Suspicion) -> String {
    match suspicion {
        Suspicion::NotFinite { nan, infinite } => format!("{nan} runs with NaN and {infinite} with infinities"),
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

/// What was done, what came of it, and what was left out.
fn counts(out: &mut String, found: &BoundsResult, rows: &[Row<'_>]) {
    let mut by_word: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *by_word.entry(word(&row.result.judgement.verdict)).or_default() += 1;
    }
    let order = ["suspect", "flaky", "undecided", "broken", "rare", "sound", "deterministic"];
    let parts: Vec<String> =
        order.iter().filter_map(|word| by_word.get(word).map(|count| format!("{count} {word}"))).collect();
    let judged = found.tests.iter().filter(|test| !test.sites.is_empty() && test.problem.is_none()).count();
    let words = if parts.is_empty() { "none reached".to_owned() } else { parts.join(" · ") };
    line!(
        out,
        "{BOLD}{} in {}{BOLD:#}: {words}",
        counted(rows.len(), "approximate assertion"),
        counted(judged, "test")
    );
    let runs = match (found.taken, found.reused) {
        (0, reused) => {
            format!("nothing has changed: all {} runs come from the store, none was taken", thousands(reused))
        }
        (taken, 0) => format!("{} runs", thousands(taken)),
        (taken, reused) => format!("{} runs, and {} from the store", thousands(taken), thousands(reused)),
    };
    line!(out, "  {runs}");
    left_out(out, found);
    let findings: Vec<&Row<'_>> = rows.iter().filter(|row| is_finding(&row.result.judgement.verdict)).collect();
    if let Some(first) = findings.first() {
        line!(out, "{} to look at.   temper replay {}", findings.len(), first.id);
    }
}

fn left_out(out: &mut String, found: &BoundsResult) {
    let skipped = found.tests.iter().filter(|test| matches!(test.problem, Some(Problem::Skipped(_)))).count();
    if skipped > 0 {
        line!(out, "  left out: {} skipped or expected to fail", counted(skipped, "test"));
    }
    for (reason, count) in found.plan.left_out() {
        line!(out, "  left out: {count} because {reason}");
    }
}

fn counted(count: usize, thing: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{s}")
}

fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with the three digits it deserves.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-4..6).contains(&exponent) {
        return format!("{value:.2e}");
    }
    let places = usize::try_from(2 - exponent).unwrap_or(0);
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (value, text) in
            [(0.02134, "0.0213"), (11.333, "11.3"), (2.0, "2"), (123_456.0, "123456"), (1e-9, "1.00e-9"), (0.5, "0.5")]
        {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn counts_have_commas() {
        for (count, text) in [(7, "7"), (2995, "2,995"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(count), text);
        }
    }
}
