//! Does a bound reach the pass probability it promises, as often as it promises? Fourteen distributions, three sample
//! sizes, three targets, 95 % confidence; ours beside the point estimate of FLEX and the bound of FASER as written.
//!
//! FLEX is run on the default thresholds: with every sample as a threshold a repetition takes a second, and the point
//! estimates hardly differ. Seeds are fixed and are not those that the constants of the crate were tuned on.

use crate::distributions::{ALL, Distribution, TARGETS};
use std::fmt::Write as _;
use temper_stats::bound::{BoundMethod, Request, propose};
use temper_stats::tail::{Candidates, TailKind, TailOptions, analyse};
use temper_stats::{Direction, Samples, Target, order};

const SIZES: [usize; 3] = [300, 1_000, 3_000];
/// Exact bounds are cheap; this many repetitions make 0.93 four standard errors away from their 0.95.
const OBSERVED: u64 = 4_000;
const FITTED: u64 = 600;
const SEED: u64 = 2_024_000_000;

/// Outcomes of one method on one row.
#[derive(Default)]
struct Tally {
    tried: u64,
    covered: u64,
    excess: Vec<f64>,
}

impl Tally {
    fn add(&mut self, bound: Option<f64>, truth: f64, deviation: f64) {
        self.tried += 1;
        if let Some(bound) = bound {
            self.covered += u64::from(bound >= truth - 1e-12);
            self.excess.push((bound - truth) / deviation);
        }
    }

    /// Coverage among the bounds given, share undecided, median excess in standard deviations.
    fn summary(&mut self) -> (f64, f64, f64) {
        let given = self.excess.len() as f64;
        self.excess.sort_unstable_by(f64::total_cmp);
        let median = self.excess.get(self.excess.len() / 2).copied().unwrap_or(f64::NAN);
        (self.covered as f64 / given, 1.0 - given / self.tried as f64, median)
    }
}

struct Row {
    distribution: &'static Distribution,
    samples: usize,
    target: f64,
    is_observed: bool,
    repetitions: u64,
    ours: (f64, f64, f64),
    flex: (f64, f64, f64),
    faser: (f64, f64, f64),
}

/// Runs the benchmark; the table and whether every line of the specification holds.
pub fn run(scale: f64) -> (String, String, bool) {
    let halves: Vec<Vec<Row>> = std::thread::scope(|scope| {
        let tasks: Vec<_> = (0..2_usize)
            .map(|half| scope.spawn(move || ALL.iter().skip(half).step_by(2).flat_map(|d| rows(d, scale)).collect()))
            .collect();
        tasks.into_iter().filter_map(|t| t.join().ok()).collect()
    });
    let mut rows: Vec<Row> = halves.into_iter().flatten().collect();
    let place = |r: &Row| ALL.iter().position(|d| d.name == r.distribution.name);
    rows.sort_by_key(|r| (place(r), r.samples, (r.target * 1e6) as u64));
    let (lines, holds) = verdict(&rows);
    (table(&rows), lines, holds)
}

fn rows(distribution: &'static Distribution, scale: f64) -> Vec<Row> {
    SIZES.iter().flat_map(|n| rows_of_size(distribution, *n, scale)).collect()
}

fn rows_of_size(distribution: &'static Distribution, n: usize, scale: f64) -> Vec<Row> {
    let mut tallies: [[Tally; 3]; 3] = Default::default();
    let count = |c: u64| (c as f64 * scale) as u64;
    for repetition in 0..count(OBSERVED) {
        let seed = SEED + repetition * 1_000_003 + n as u64;
        let Ok(samples) = Samples::new(&distribution.draw(n, seed)) else { continue };
        let is_fitted = repetition < count(FITTED);
        let mut estimates = None;
        for (i, tally) in tallies.iter_mut().enumerate() {
            let Ok(target) = Target::new(TARGETS[i]) else { continue };
            let is_observed = n >= order::samples_needed(target, Request::new(Direction::Upper).confidence);
            let (truth, deviation) = (distribution.quantiles[i], distribution.deviation);
            let bound =
                |method| propose(&samples, &Request { target, method, ..Request::new(Direction::Upper) }).ok()?.ok();
            if is_observed || is_fitted {
                tally[0].add(bound(BoundMethod::Calibrated).map(|p| p.bound), truth, deviation);
            }
            if is_fitted {
                let flex: &[Option<f64>; 3] = estimates.get_or_insert_with(|| flex(&samples));
                tally[1].add(flex[i], truth, deviation);
                tally[2].add(bound(BoundMethod::Faser).map(|p| p.bound), truth, deviation);
            }
        }
    }
    let row = |(i, mut tally): (usize, [Tally; 3])| Row {
        distribution,
        samples: n,
        target: TARGETS[i],
        is_observed: tally[0].tried > tally[1].tried,
        repetitions: tally[0].tried,
        ours: tally[0].summary(),
        flex: tally[1].summary(),
        faser: tally[2].summary(),
    };
    tallies.into_iter().enumerate().map(row).collect()
}

/// The paper's point estimates at all targets.
fn flex(samples: &Samples) -> [Option<f64>; 3] {
    let options = TailOptions { candidates: Candidates::Quantiles, ..TailOptions::FLEX };
    let Ok(analysis) = analyse(samples, &options) else { return [None; 3] };
    let is_bounded = analysis.tail.is_some_and(|t| t.kind != TailKind::Heavy);
    TARGETS.map(|t| Target::new(t).ok().and_then(|t| analysis.quantile(t)).filter(|_| is_bounded))
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "# Coverage among the bounds given, share undecided, median excess over the true quantile in standard deviations.\n\
         # Made by: cargo run --release -p bench-stats -- calibration\n\
         distribution\tkind\tsamples\ttarget\tevidence\trepetitions\tcoverage\tundecided\texcess\tflex coverage\tflex undecided\t\
         flex excess\tfaser coverage\tfaser undecided\tfaser excess\n",
    );
    for r in rows {
        let evidence = if r.is_observed { "observed" } else { "extrapolated" };
        let _ = write!(
            text,
            "{}\t{}\t{}\t{}\t{evidence}\t{}",
            r.distribution.name, r.distribution.kind, r.samples, r.target, r.repetitions
        );
        for (coverage, undecided, excess) in [r.ours, r.flex, r.faser] {
            let _ = write!(text, "\t{coverage:.3}\t{undecided:.3}\t{excess:+.3}");
        }
        text.push('\n');
    }
    text
}

/// The lines of the specification, each with the row that comes nearest to breaking it.
fn verdict(rows: &[Row]) -> (String, bool) {
    let name = |r: &Row| format!("{} n={} {}", r.distribution.name, r.samples, r.target);
    let mut text = String::new();
    let mut all = true;
    let mut line = |what: &str, worst: Option<(&Row, f64)>, holds: &dyn Fn(f64) -> bool| {
        let Some((row, value)) = worst else { return };
        let is_met = holds(value);
        all &= is_met;
        let _ = writeln!(text, "{} {what}: worst {value:.3} ({})", if is_met { "holds" } else { "FAILS" }, name(row));
    };
    let observed = || rows.iter().filter(|r| r.is_observed);
    let fitted = || rows.iter().filter(|r| !r.is_observed);
    let least = |a: &(&Row, f64), b: &(&Row, f64)| a.1.total_cmp(&b.1);
    line("observed coverage >= 0.93", observed().map(|r| (r, r.ours.0)).min_by(least), &|v| v >= 0.93);
    line("observed never undecided", observed().map(|r| (r, r.ours.1)).max_by(least), &|v| v == 0.0);
    // FASER gives no bound where its inequality cannot reach the target; such rows have nothing to compare with.
    let gains = || observed().filter(|r| r.faser.2.is_finite()).map(|r| (r, r.faser.2 - r.ours.2));
    line("observed excess below FASER's, by", gains().min_by(least), &|v| v > 0.0);
    line("extrapolated coverage >= 0.90", fitted().map(|r| (r, r.ours.0)).min_by(least), &|v| v >= 0.90);
    let light = || fitted().filter(|r| r.distribution.kind == "light");
    line("light-tailed undecided <= 0.20", light().map(|r| (r, r.ours.1)).max_by(least), &|v| v <= 0.20);
    line("(for information) any undecided", fitted().map(|r| (r, r.ours.1)).max_by(least), &|_| true);
    line(
        "(for information) FLEX coverage",
        fitted().filter(|r| r.flex.0.is_finite()).map(|r| (r, r.flex.0)).min_by(least),
        &|_| true,
    );
    (text, all)
}
