//! A proposal in words, the same in the results of `temper bounds`, in `temper review` and in pull requests.

use std::fmt::Write;

use temper_bounds::judge::verdict::{NoProposal, SiteVerdict};
use temper_bounds::propose::advice::{Begun, PassedOver};
use temper_bounds::propose::proposal::{KillCost, MeasuredValue, Proposal, Remedy, Support, Verification};
use temper_bounds::sample::scheduler::SiteResult;
use temper_stats::Samples;
use temper_stats::bound::Undecided;

/// The lines `proposal`, `verified` and what stands below them, indented by two blanks.
pub fn lines(proposal: &Proposal, begun: Option<&Begun>, passed_over: &[PassedOver]) -> String {
    let mut out = format!("  proposal   {}\n", headline(proposal));
    let mut below = |text: String| {
        let _ = writeln!(out, "             {text}");
    };
    for why in passed_over {
        below(passed_over_words(why));
    }
    for site in &proposal.moves {
        below(format!("the same constant bounds {site}"));
    }
    match (&proposal.kill_cost, &proposal.remedy) {
        (Some(cost), _) => below(cost_words(cost)),
        (None, Remedy::Bound { .. }) => below("for review: a wider bound accepts more than this one did".to_owned()),
        (None, Remedy::Rerun { .. }) => below("for review: or raise the sample size, or fix the seed".to_owned()),
    }
    let verified = proposal.verification.as_ref().map_or_else(|| unverified_words(begun), verified_words);
    let _ = writeln!(out, "  verified   {verified}");
    out
}

/// `< 0.13   at most 1 failure in 1,000 runs (95 % confidence, observed)`.
pub fn headline(proposal: &Proposal) -> String {
    match &proposal.remedy {
        Remedy::Bound { text, support, .. } => {
            let label = if proposal.place.label == "margin" { "a margin of" } else { &proposal.place.label };
            format!("{label} {text}   {} ({})", promise_for(proposal), support_words(support, proposal.confidence))
        }
        Remedy::Rerun { text, max_runs, failure, expected_runs, .. } => format!(
            "{text}   {}, if {max_runs} runs are independent and each fails with probability {}; {} runs on average, {}",
            promise(proposal.pass),
            short(*failure),
            short(*expected_runs),
            seconds(expected_runs * proposal.measured.secs),
        ),
    }
}

fn promise_for(proposal: &Proposal) -> String {
    match &proposal.remedy {
        Remedy::Bound { support: Support::Empirical { .. }, .. } => {
            format!("what {} runs showed", thousands(proposal.measured.runs))
        }
        Remedy::Bound { support: Support::Chosen, .. } => "your own number".to_owned(),
        _ => promise(proposal.pass),
    }
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
            "empirical: the extremes of {} resamples lie between {} and {}; rarer values are not ruled out",
            thousands(*resamples),
            short(*low),
            short(*high)
        ),
        Support::Concentration => "from a concentration inequality".to_owned(),
        Support::Chosen => "chosen in review".to_owned(),
    }
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

/// `mutants killed 7 of 9 → 7 of 9: nothing lost`.
pub fn cost_words(cost: &KillCost) -> String {
    let KillCost { mutants, before, after } = cost;
    let change = match after.cmp(before) {
        std::cmp::Ordering::Less => format!("{} lost", before - after),
        std::cmp::Ordering::Equal => "nothing lost".to_owned(),
        std::cmp::Ordering::Greater => format!("{} more", after - before),
    };
    format!("mutants killed {before} of {mutants} → {after} of {mutants}: {change}")
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
        PassedOver::Rejected { text, trials, failures } => {
            format!("`{text}` was tried and failed in {failures} of {trials} fresh runs: more `--runs` would place it better")
        }
        PassedOver::FixedSeed(seed) => {
            format!("no rerun: under its fixed seed {seed} the test gives the same value every time")
        }
        PassedOver::MarkedAlready => "no rerun: the test carries a mark for it already".to_owned(),
        PassedOver::NoPlugin => {
            "no rerun: neither `pytest-rerunfailures` nor `flaky` is installed; install one, raise the sample size, or fix the seed"
                .to_owned()
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
        Undecided::TooWide { .. } => "the tail is so uncertain that a far quantile would be a guess".to_owned(),
        Undecided::OutOfReach => "the samples do not reach the target".to_owned(),
    }
}

/// Why a site has no verdict, and what would give it one; nothing where it has.
pub fn no_answer_words(site: &SiteResult) -> Vec<String> {
    match &site.judgement.verdict {
        SiteVerdict::Undecided { tail, runs_needed } => {
            let more = if site.judgement.runs < *runs_needed && site.series.failures == 0 {
                format!("{} runs without a failure would decide it", thousands(*runs_needed))
            } else {
                "more runs would decide it".to_owned()
            };
            tail.iter().map(undecided_words).chain([format!("{more}: raise `--runs` or `--budget`")]).collect()
        }
        SiteVerdict::Broken => {
            let series = &site.series;
            let why = if series.reason.is_empty() { "most runs end in an exception" } else { &series.reason };
            vec![format!("no verdict: {why} ({} of {} runs)", series.unreadable.max(series.errors), series.runs)]
        }
        _ => Vec::new(),
    }
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

const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const COLUMNS: usize = 24;

/// Counts of the samples from the least to the greatest, with the bound marked where it lies.
pub fn histogram(bound: f64, samples: &Samples) -> String {
    let (Some(min), Some(max)) = (samples.min(), samples.max()) else { return String::new() };
    let width = (max - min).max(f64::MIN_POSITIVE);
    // A bound that is far away is shown at the edge, or the samples would be one column.
    let reach = |edge: f64| edge.clamp(min - 0.6 * width, max + 0.6 * width);
    let (low, high) = (min.min(reach(bound)), max.max(reach(bound)));
    let step = (high - low) / COLUMNS as f64;
    let column = |value: f64| (((value - low) / step) as usize).min(COLUMNS - 1);
    let mut counts = [0_usize; COLUMNS];
    samples.sorted().iter().for_each(|&value| counts[column(value)] += 1);
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let mark = if bound >= high {
        COLUMNS
    } else if bound <= low {
        0
    } else {
        column(bound)
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
    format!("{text}  │ bound {}", short(bound))
}

/// `99.9 %`.
pub fn percent(share: f64) -> String {
    let text = format!("{:.4}", 100.0 * share);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

fn seconds(secs: f64) -> String {
    if secs < 1.0 { format!("{:.0} ms", 1000.0 * secs) } else { format!("{} s", short(secs)) }
}

/// `2,995`.
pub fn thousands(count: usize) -> String {
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

    #[test]
    fn targets_keep_their_nines() {
        for (share, text) in [(0.9999, "99.99 %"), (0.95, "95 %"), (0.9, "90 %")] {
            assert_eq!(percent(share), text);
        }
    }
}
