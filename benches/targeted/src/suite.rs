//! The problems with their budgets, what is asked of them and what others reach (published by Loescher and Sagonas, or
//! measured with PropEr 1.5 on a shared two-core machine in November 2026).

use crate::problems::{exact, graph, labyrinth, machine, pairs, spells, trees};
use crate::table::Row;
use std::ops::Range;
use temper::prelude::*;

type Line = (Row, String, String);

fn asked(row: Row, asked: &str, others: &str) -> Line {
    (row, asked.to_owned(), others.to_owned())
}

fn graph_run<D: Domain<Value = Vec<graph::Edge>>>(domain: D, length: u32) -> impl Fn(u64) -> (bool, usize) {
    move |seed| {
        let report = forall(&domain).budget(100_000).seed(seed).shrink_budget(0).run_with(|edges, goal| {
            let far = graph::longest_path(edges);
            goal.maximize(far.into());
            far < length
        });
        (report.is_found(), report.tests)
    }
}

/// B1: a long shortest path.
pub fn b1(seeds: &Range<u64>) -> Vec<Line> {
    vec![
        asked(
            Row::measure("B1 path 21", seeds, graph_run(graph::graph(), 21)),
            "all, mean 500, 200,000/s",
            "PropEr constructed 5,014 at 672/s, hand-written 1,315; paper 4,060 and 1,548",
        ),
        asked(Row::measure("B1 path 30", seeds, graph_run(graph::graph(), 30)), "all, mean 2,000", ""),
        asked(Row::measure("B1 path 35", seeds, graph_run(graph::graph(), 35)), "95 of 100", ""),
    ]
}

/// The tests that B1 with path 21 takes over some seeds.
pub fn cost(seeds: u64) -> usize {
    let run = graph_run(graph::graph(), 21);
    (0..seeds).map(|seed| run(seed).1).sum()
}

/// B2: spells that double a player's attributes.
pub fn b2(seeds: &Range<u64>) -> Vec<Line> {
    let row = Row::measure("B2 spells", seeds, |seed| {
        let report = forall(spells::spells()).budget(10_000).seed(seed).shrink_budget(0).run_with(|spells, goal| {
            let total = spells::total(spells);
            goal.maximize(total.into());
            total < 100
        });
        (report.is_found(), report.tests)
    });
    vec![asked(row, "all, mean 1,000", "PropEr constructed 2,151 at 168/s, hand-written 210")]
}

/// B3: ways out of two labyrinths.
pub fn b3(seeds: &Range<u64>) -> Vec<Line> {
    let solve = |maze: labyrinth::Maze| {
        move |seed| {
            let report =
                forall(labyrinth::steps()).budget(7_500).seed(seed).shrink_budget(0).run_with(|steps, goal| {
                    let distance = maze.walk(steps);
                    goal.minimize(distance.unwrap_or(0.0));
                    distance.is_some()
                });
            (report.is_found(), report.tests)
        }
    };
    vec![
        asked(
            Row::measure("B3 maze 1", seeds, solve(labyrinth::Maze::one())),
            "all, mean 250",
            "PropEr constructed 250 at 2,265/s, append-20 64",
        ),
        asked(
            Row::measure("B3 maze 2", seeds, solve(labyrinth::Maze::two())),
            "all, mean 360",
            "PropEr constructed 360 at 1,972/s, append-20 942",
        ),
    ]
}

/// B4: injected bugs of a stack machine, searched and drawn.
pub fn b4(seeds: &Range<u64>) -> Vec<Line> {
    let solve = |bug, method| {
        move |seed| {
            let property = forall(machine::pairs()).maximize(move |pair| machine::steps(pair, Some(bug)) as f64);
            let property = property.method(method).budget(1_000_000).seed(seed).shrink_budget(0);
            let report = property.run(|pair| machine::noninterference(pair, Some(bug)));
            (report.is_found(), report.tests)
        }
    };
    let mut lines = Vec::new();
    for (bug, name, wanted, paper) in machine::BUGS {
        // Tests to a find spread so widely that the mean of 100 runs is off by a tenth: as many more as the time allows.
        let factor = match bug {
            machine::Bug::StoreA => 1,
            machine::Bug::Load => 4,
            _ => 40,
        };
        let seeds = &(seeds.start..seeds.start + factor * (seeds.end - seeds.start));
        let drawn = Row::measure(format!("B4 {name}, drawn"), seeds, solve(bug, Method::Random));
        let searched = Row::measure(format!("B4 {name}"), seeds, solve(bug, Method::Annealing));
        let ratio = searched.tests_per_find() / drawn.tests_per_find();
        let medians = searched.median() as f64 / drawn.median() as f64;
        lines.push(asked(drawn, "", ""));
        let others = format!("{ratio:.3} of our drawn, medians {medians:.3}; paper, in time: {paper}");
        lines.push(asked(searched, wanted, &others));
    }
    lines
}

/// B5: a utility of small numbers, and the same times 1,000 and 1,024.
pub fn b5(seeds: &Range<u64>) -> Vec<Line> {
    let solve = |factor: f64| {
        move |seed| {
            let property = forall(floats(0.0..=1.0).uniform()).maximize(move |x| x * factor);
            let report = property.budget(10_000).seed(seed).shrink_budget(0).run(|&x| x < 0.9999);
            (report.is_found(), report.tests)
        }
    };
    let same = seeds.clone().all(|seed| solve(1.0)(seed) == solve(1024.0)(seed));
    let same = if same { "same tests, seed by seed" } else { "other tests" };
    vec![
        asked(Row::measure("B5 x", seeds, solve(1.0)), "all", "PropEr 0 of 10"),
        asked(Row::measure("B5 1000 x", seeds, solve(1000.0)), "all", "PropEr 10 of 10, median 937"),
        asked(Row::measure("B5 1024 x", seeds, solve(1024.0)), "as B5 x", same),
    ]
}

/// B6: inputs on which PropEr crashes.
pub fn b6(seeds: &Range<u64>) -> Vec<Line> {
    fn grow<D: Domain>(domain: D, utility: impl Fn(&D::Value) -> f64, wanted: f64) -> impl Fn(u64) -> (bool, usize)
    where
        D::Value: std::fmt::Debug,
    {
        move |seed| {
            let report = forall(&domain)
                .maximize(&utility)
                .budget(20_000)
                .seed(seed)
                .shrink_budget(0)
                .run(|v| utility(v) < wanted);
            (report.is_found(), report.tests)
        }
    }
    let sum = |bytes: &Vec<u8>| bytes.iter().map(|&b| f64::from(b)).sum();
    let ones = |bits: &Vec<bool>| bits.iter().filter(|&&b| b).count() as f64;
    let rows = ints(0..=30usize).and_then(|n| vecs(ints(0..=1000)).len(n..=n));
    let total = |row: &Vec<i32>| row.iter().map(|&v| f64::from(v)).sum();
    let crash = "PropEr crashes";
    vec![
        asked(
            Row::measure("B6 byte strings of length 200", seeds, grow(bytes(), |v| v.len() as f64, 200.0)),
            "reached",
            crash,
        ),
        asked(Row::measure("B6 5 bytes, sum 1,200", seeds, grow(bytes().len(5..=5), sum, 1200.0)), "no crash", crash),
        asked(Row::measure("B6 bit strings, 100 ones", seeds, grow(bits(), ones, 100.0)), "no crash", crash),
        asked(Row::measure("B6 n then n integers, sum 25,000", seeds, grow(rows, total, 25_000.0)), "no crash", crash),
    ]
}

/// B7: three ways to write the same domain.
pub fn b7(seeds: &Range<u64>) -> Vec<Line> {
    let rows = [
        Row::measure("B7 G1 outer map", seeds, graph_run(graph::graph_outer_map(), 21)),
        Row::measure("B7 G2 nested", seeds, graph_run(graph::graph_nested(), 21)),
        Row::measure("B7 G3 drawn length", seeds, graph_run(graph::graph_of_length(), 21)),
    ];
    let fastest = rows.iter().map(Row::median).min().unwrap_or(1) as f64;
    let ratios: Vec<f64> = rows.iter().map(|row| row.median() as f64 / fastest).collect();
    let paper = ["good", "random edges", "random edges"];
    let line =
        |((row, ratio), paper)| asked(row, "medians within 1.5", &format!("{ratio:.2} of the least; paper: {paper}"));
    rows.into_iter().zip(ratios).zip(paper).map(line).collect()
}

/// B8: routing trees, drawn recursively and as spanning trees.
pub fn b8(seeds: &Range<u64>) -> Vec<Line> {
    fn solve<D: Domain<Value = trees::Tree>>(domain: D) -> impl Fn(u64) -> (bool, usize) {
        let places = trees::positions();
        move |seed| {
            let report = forall(&domain).budget(20_000).seed(seed).shrink_budget(0).run_with(|tree, goal| {
                let energy = trees::energy(tree, &places);
                goal.maximize(energy);
                energy < trees::LIMIT
            });
            (report.is_found(), report.tests)
        }
    }
    let grown = Row::measure("B8 R recursive", seeds, solve(trees::grown()));
    let spanning = Row::measure("B8 M spanning tree", seeds, solve(trees::spanning()));
    let ratio = format!("{:.2} of M; paper: could not be used", grown.tests_per_find() / spanning.tests_per_find());
    vec![asked(grown, "at most 1.5 of M", &ratio), asked(spanning, "", "")]
}

/// B9: failures behind two exact conditions on different parts of the input.
pub fn b9(seeds: &Range<u64>) -> Vec<Line> {
    fn solve<D: Domain>(domain: D, property: impl Fn(&D::Value, &temper::Goal) -> bool) -> impl Fn(u64) -> (bool, usize)
    where
        D::Value: std::fmt::Debug,
    {
        move |seed| {
            let report = forall(&domain).budget(20_000).seed(seed).shrink_budget(0).run_with(&property);
            (report.is_found(), report.tests)
        }
    }
    let coordinates = (floats(-1e3..=1e3), floats(-1e3..=1e3));
    let rows = [
        Row::measure("B9 invoice", seeds, solve(any::<(i32, i32, u8)>(), pairs::invoice)),
        Row::measure("B9 handshake", seeds, solve(any::<(i64, i64)>(), pairs::handshake)),
        Row::measure("B9 route", seeds, solve(pairs::routes(), pairs::route)),
        Row::measure("B9 pole", seeds, solve(coordinates, pairs::pole)),
        Row::measure("B9 balance", seeds, solve(any::<(i32, i32)>(), pairs::balance)),
    ];
    rows.into_iter().map(|row| asked(row, "45 of 50 in 20,000", "")).collect()
}

/// B10: lists of small numbers that have to be met exactly.
pub fn b10(seeds: &Range<u64>) -> Vec<Line> {
    fn solve<D: Domain>(domain: D, away: impl Fn(&D::Value) -> f64) -> impl Fn(u64) -> (bool, usize)
    where
        D::Value: std::fmt::Debug,
    {
        move |seed| {
            let report = forall(&domain).budget(20_000).seed(seed).shrink_budget(0).run_with(|input, goal| {
                goal.minimize(away(input));
                away(input) > 0.0
            });
            (report.is_found(), report.tests)
        }
    }
    let rows = [
        Row::measure("B10 frame", seeds, solve(exact::messages(), |message| exact::frame_away(message))),
        Row::measure("B10 name", seeds, solve(exact::codes(), |codes| exact::name_away(codes))),
        Row::measure("B10 day", seeds, solve(exact::days(), exact::day_away)),
    ];
    rows.into_iter().map(|row| asked(row, "", "")).collect()
}
