//! Simulates the critical values of the two distances that test a GPD fit, over the shape.
//!
//! Each draw is a GPD sample of [`EXCESSES`] values, fitted with the crate's own fit, so the table answers exactly the
//! question that the test asks. Seeds are fixed: the same command gives the same file.

use std::fmt::Write as _;
use temper_stats::gpd::fitness::{Distance, statistic};
use temper_stats::gpd::{Gpd, fit};
use temper_stats::random::Random;

/// Near enough to the limit law: critical values at 100 and at 500 excesses differ by less than the Monte-Carlo error.
const EXCESSES: usize = 400;
const DRAWS: usize = 40_000;
const LEVELS: [f64; 30] = [
    0.999, 0.995, 0.99, 0.975, 0.95, 0.925, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3,
    0.25, 0.2, 0.15, 0.1, 0.075, 0.05, 0.025, 0.01, 0.005, 0.0025, 0.001,
];

/// The whole table as text.
pub fn run() -> String {
    let mut text = String::from(
        "# Critical values of the Anderson-Darling (ad) and Cramer-von Mises (cvm) distances of a fitted GPD, by shape.\n\
         # Made by: cargo run --release -p bench-stats -- fitness-table\n",
    );
    let levels: Vec<String> = LEVELS.iter().map(f64::to_string).collect();
    let _ = writeln!(text, "level\t-\t{}", levels.join("\t"));
    let shapes: Vec<i32> = (-20..=20).collect();
    let halves: Vec<Vec<String>> = std::thread::scope(|scope| {
        let tasks: Vec<_> = (0..2)
            .map(|half| {
                let mine: Vec<i32> = shapes.iter().copied().skip(half).step_by(2).collect();
                scope.spawn(move || mine.into_iter().map(rows).collect::<Vec<String>>())
            })
            .collect();
        tasks.into_iter().filter_map(|t| t.join().ok()).collect()
    });
    for i in 0..shapes.len() {
        text.push_str(&halves[i % 2][i / 2]);
    }
    text
}

fn rows(twentieths: i32) -> String {
    let shape = f64::from(twentieths) / 20.0;
    let Ok(gpd) = Gpd::new(1.0, shape) else { return String::new() };
    let mut random = Random::new(20_240_000 + (twentieths + 100) as u64);
    let (mut ad, mut cvm) = (Vec::with_capacity(DRAWS), Vec::with_capacity(DRAWS));
    for _ in 0..DRAWS {
        let mut excesses: Vec<f64> = (0..EXCESSES).map(|_| gpd.quantile_of_survival(random.open())).collect();
        excesses.sort_unstable_by(f64::total_cmp);
        let Ok(fitted) = fit(&excesses) else { continue };
        ad.push(statistic(&fitted, &excesses, Distance::AndersonDarling));
        cvm.push(statistic(&fitted, &excesses, Distance::CramerVonMises));
    }
    format!("{}{}", row("ad", shape, ad), row("cvm", shape, cvm))
}

fn row(kind: &str, shape: f64, mut values: Vec<f64>) -> String {
    values.sort_unstable_by(f64::total_cmp);
    let at = |level: f64| values[((1.0 - level) * values.len() as f64) as usize];
    let cells: Vec<String> = LEVELS.iter().map(|&l| format!("{:.5}", at(l))).collect();
    format!("{kind}\t{shape}\t{}\n", cells.join("\t"))
}
