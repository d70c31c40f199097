//! Runs the benchmark problems and prints their tables: `bench-targeted [problems|throughput|shrinking|challenge|cost] [runs]
//! [B1,B4,...] [first seed]`. Runs are 100 unless given, from seed 0; B5 and B6 take a tenth of them, B8 and B9 half, as the problems ask.

#![expect(clippy::print_stdout, reason = "a program that prints tables")]

mod challenge;
mod cpu;
mod problems;
mod shrinking;
mod suite;
mod table;
mod throughput;

use std::env;
use std::ops::Range;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let part = arguments.first().map_or("all", String::as_str);
    let runs = arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(100);
    let only = arguments.get(2).cloned().unwrap_or_default();
    if matches!(part, "all" | "problems") {
        let first = arguments.get(3).and_then(|text| text.parse().ok()).unwrap_or(0);
        print_problems(runs, &only, first);
    }
    if matches!(part, "all" | "throughput") {
        throughput::print();
    }
    if matches!(part, "all" | "shrinking") {
        shrinking::print();
    }
    if part == "cost" {
        // For callgrind, which counts the instructions of everything that runs: one problem and nothing else.
        println!("{} tests of B1 with path 21", suite::cost(20));
    }
    if matches!(part, "all" | "challenge") {
        challenge::print(runs);
    }
}

type Problem = (&'static str, fn(&Range<u64>) -> Vec<(table::Row, String, String)>, u64);

fn print_problems(runs: u64, only: &str, first: u64) {
    let problems: [Problem; 10] = [
        ("B1", suite::b1, 1),
        ("B2", suite::b2, 1),
        ("B3", suite::b3, 1),
        ("B4", suite::b4, 1),
        ("B5", suite::b5, 10),
        ("B6", suite::b6, 10),
        ("B7", suite::b7, 1),
        ("B8", suite::b8, 2),
        ("B9", suite::b9, 2),
        ("B10", suite::b10, 1),
    ];
    println!("{}", table::HEADER);
    for (name, problem, divisor) in problems {
        if only.is_empty() || only.split(',').any(|wanted| wanted == name) {
            for (row, asked, others) in problem(&(first..first + (runs / divisor).max(1))) {
                println!("{}", row.line(&asked, &others));
            }
        }
    }
}
