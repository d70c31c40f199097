//! One row per problem: how often it was solved, in how many tests, how fast, and what is asked and what others reach.

use crate::cpu::Stopwatch;
use std::ops::Range;

/// A rate over less CPU time says more about the clock than about the search.
const LEAST_SECS: f64 = 0.01;

/// What the runs of one problem gave.
#[derive(Debug)]
pub struct Row {
    pub name: String,
    pub runs: usize,
    /// The tests of the runs that found something, sorted.
    pub found: Vec<usize>,
    pub all_tests: usize,
    pub cpu_secs: f64,
}

impl Row {
    /// Runs `run` with each seed; it returns whether it found something, and its tests.
    pub fn measure(name: impl Into<String>, seeds: &Range<u64>, run: impl Fn(u64) -> (bool, usize)) -> Row {
        let watch = Stopwatch::start();
        let results: Vec<(bool, usize)> = seeds.clone().map(run).collect();
        let mut found: Vec<usize> = results.iter().filter(|(is_found, _)| *is_found).map(|&(_, tests)| tests).collect();
        found.sort_unstable();
        let all_tests = results.iter().map(|&(_, tests)| tests).sum();
        Row { name: name.into(), runs: results.len(), found, all_tests, cpu_secs: watch.seconds() }
    }

    /// The mean tests of the runs that found something.
    pub fn mean(&self) -> f64 {
        self.found.iter().sum::<usize>() as f64 / self.found.len() as f64
    }

    /// Tests per counterexample, runs without one counted: what the mean would be without a budget, for a memoryless search.
    pub fn tests_per_find(&self) -> f64 {
        self.all_tests as f64 / self.found.len() as f64
    }

    pub fn median(&self) -> usize {
        self.found.get(self.found.len() / 2).copied().unwrap_or(0)
    }

    pub fn rate(&self) -> f64 {
        self.all_tests as f64 / self.cpu_secs
    }

    /// The row as Markdown, with what is asked and what others reach.
    pub fn line(&self, asked: &str, others: &str) -> String {
        let Row { name, runs, found, .. } = self;
        let [mean, median] = match found.is_empty() {
            true => ["-".to_owned(), "-".to_owned()],
            false => [format!("{:.0}", self.mean()), self.median().to_string()],
        };
        let k = found.len();
        let rate =
            if self.cpu_secs < LEAST_SECS { "too short to say".to_owned() } else { format!("{:.0}", self.rate()) };
        format!("| {name} | {k}/{runs} | {mean} | {median} | {rate} | {asked} | {others} |")
    }
}

pub const HEADER: &str =
    "| problem | found | mean tests | median | tests per CPU s | asked | others |\n|---|---|---|---|---|---|---|";
