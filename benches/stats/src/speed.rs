//! CPU time of the hot paths, and of scipy on the same samples in the same run.
//!
//! Every figure is the least of several repeats of process CPU time, so that other work on the machine does not count.

use cpu_time::ProcessTime;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use temper_stats::random::Random;
use temper_stats::tail::limit::FittedTail;
use temper_stats::tail::{TailOptions, analyse};
use temper_stats::{Confidence, Samples, Target, boxcox, gpd, shapiro, smirnov};

const REPEATS: usize = 5;

struct Measured {
    name: &'static str,
    seconds: f64,
}

/// Least CPU seconds of one call, over repeats of enough calls to last ten milliseconds.
fn time(mut call: impl FnMut()) -> f64 {
    let mut calls = 1_u32;
    loop {
        let start = ProcessTime::now();
        (0..calls).for_each(|_| call());
        if start.elapsed().as_secs_f64() > 0.01 || calls > 1_000_000 {
            break;
        }
        calls *= 2;
    }
    let once = |_| {
        let start = ProcessTime::now();
        (0..calls).for_each(|_| call());
        start.elapsed().as_secs_f64() / f64::from(calls)
    };
    (0..REPEATS).map(once).fold(f64::INFINITY, f64::min)
}

fn normal(n: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..n).map(|_| random.normal()).collect()
}

/// Runs all measurements; the report and whether every line of the specification holds.
pub fn run(python: &str) -> Result<(String, bool), String> {
    let mut report = String::new();
    let mut holds = true;
    let samples = Samples::new(&normal(3_000, 1)).map_err(|e| e.to_string())?;
    let default = time(|| {
        let tail = FittedTail::new(black_box(&samples));
        black_box(tail.and_then(|tail| tail.limit(Target::THOUSANDTH, Confidence::STANDARD)));
    });
    limit_line(&mut report, &mut holds, "limit of a far quantile, 3,000 samples", default, 0.05);
    let start = ProcessTime::now();
    let analysis = analyse(black_box(&samples), &TailOptions::FLEX).map_err(|e| e.to_string())?;
    let every = start.elapsed().as_secs_f64();
    let what = format!("tail analysis, 3,000 samples, {} thresholds (flex)", analysis.tests.len());
    limit_line(&mut report, &mut holds, &what, every, 5.0);

    let sets = Sets::new();
    let theirs = scipy(python, &sets)?;
    let _ = writeln!(report, "\n{:<44}{:>12}{:>12}{:>10}", "CPU time of one call", "ours", "scipy", "ratio");
    for ours in measure(&sets) {
        let Some(other) = theirs.iter().find(|t| t.0 == ours.name) else {
            return Err(format!("the scipy side did not measure `{}`", ours.name));
        };
        let ratio = other.1 / ours.seconds;
        holds &= ratio > 1.0;
        let _ = writeln!(
            report,
            "{:<44}{:>10.1}us{:>10.1}us{ratio:>9.1}x{}",
            ours.name,
            ours.seconds * 1e6,
            other.1 * 1e6,
            if ratio > 1.0 { "" } else { "  SLOWER" }
        );
    }
    Ok((report, holds))
}

fn limit_line(report: &mut String, holds: &mut bool, what: &str, seconds: f64, most: f64) {
    *holds &= seconds <= most;
    let word = if seconds <= most { "holds" } else { "FAILS" };
    let _ = writeln!(report, "{word} {what}: {:.2} ms of CPU, at most {:.0} ms", seconds * 1e3, most * 1e3);
}

/// The samples that both sides see.
struct Sets {
    excesses: Vec<f64>,
    normal: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
    shifted: Vec<f64>,
    positive: Vec<f64>,
}

impl Sets {
    fn new() -> Self {
        let mut random = Random::new(7);
        let mut light = |n: usize| -> Vec<f64> { (0..n).map(|_| (1.0 - random.open().powf(0.2)) * 5.0).collect() };
        Self {
            excesses: light(300),
            normal: normal(1_000, 2),
            left: normal(100, 3),
            right: normal(100, 4),
            shifted: normal(300, 5).iter().map(|x| x + 0.3).collect(),
            positive: normal(1_000, 6).iter().map(|x| (0.5 * x).exp()).collect(),
        }
    }

    fn lists(&self) -> [(&'static str, &[f64]); 6] {
        [
            ("excesses", &self.excesses),
            ("normal", &self.normal),
            ("left", &self.left),
            ("right", &self.right),
            ("shifted", &self.shifted),
            ("positive", &self.positive),
        ]
    }
}

fn measure(sets: &Sets) -> Vec<Measured> {
    let of = |name, seconds| Measured { name, seconds };
    vec![
        of("GPD fit, 300 excesses", time(|| drop(black_box(gpd::fit(black_box(&sets.excesses)))))),
        of("Shapiro-Wilk, 1,000 samples", time(|| drop(black_box(shapiro::shapiro_wilk(black_box(&sets.normal)))))),
        of("KS exact, 100 and 100", time(|| drop(black_box(smirnov::exact(black_box(&sets.left), &sets.right))))),
        of("KS exact, 100 and 300", time(|| drop(black_box(smirnov::exact(black_box(&sets.left), &sets.shifted))))),
        of("Box-Cox fit, 1,000 samples", time(|| drop(black_box(boxcox::fit(black_box(&sets.positive)))))),
    ]
}

/// Runs `scipy_side.py` on the same samples; lines `name<TAB>seconds`.
fn scipy(python: &str, sets: &Sets) -> Result<Vec<(String, f64)>, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scipy_side.py");
    let file = std::env::temp_dir().join(format!("bench-stats-{}.tsv", std::process::id()));
    let mut text = String::new();
    for (name, values) in sets.lists() {
        let cells: Vec<String> = values.iter().map(f64::to_string).collect();
        let _ = writeln!(text, "{name}\t{}", cells.join("\t"));
    }
    std::fs::write(&file, text).map_err(|e| format!("cannot write `{}`: {e}", file.display()))?;
    let output = Command::new(python).arg(&script).arg(&file).output();
    std::fs::remove_file(&file).ok();
    let output = output.map_err(|e| format!("cannot start `{python}`: {e}"))?;
    if !output.status.success() {
        return Err(format!("`{python}` failed:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let parse = |line: &str| {
        let (name, seconds) = line.split_once('\t')?;
        Some((name.to_string(), seconds.parse().ok()?))
    };
    Ok(lines.lines().filter_map(parse).collect())
}
