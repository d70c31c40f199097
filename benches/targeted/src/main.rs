//! Runs the benchmark problems and prints a table.

mod problems;
use problems::*;
use temper::prelude::*;

fn main() {
    let runs: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(100);
    let only = std::env::args().nth(2).unwrap_or_default();
    let show = |name: &str, f: &dyn Fn(u64) -> (bool, usize)| {
        if !only.is_empty() && !only.split(',').any(|o| name.starts_with(o)) { return; }
        let start = std::time::Instant::now();
        let mut counts: Vec<usize> = Vec::new();
        let mut total = 0;
        for seed in 0..runs {
            let (found, tests) = f(seed + 1000);
            total += tests;
            if found { counts.push(tests); }
        }
        counts.sort();
        let mean = counts.iter().sum::<usize>() as f64 / counts.len().max(1) as f64;
        let median = counts.get(counts.len() / 2).copied().unwrap_or(0);
        println!("{name:12} {}/{runs} mean {mean:.0} median {median} max {} rate {:.0}", counts.len(), counts.last().unwrap_or(&0), total as f64 / start.elapsed().as_secs_f64());
    };
    let b1 = |goal: u32, seed: u64| {
        let r = forall(graph::graph()).maximize(|g| graph::longest_path(g) as f64).budget(100_000).seed(seed).shrink_budget(0).run(|g| graph::longest_path(g) < goal);
        (r.is_found(), r.tests)
    };
    show("B1", &|s| b1(21, s));
    show("B1-30", &|s| b1(30, s));
    show("B1-35", &|s| b1(35, s));
    show("B2", &|s| { let r = forall(spells::spells()).maximize(|g| spells::total(g) as f64).budget(10_000).seed(s).shrink_budget(0).run(|g| spells::total(g) < 100); (r.is_found(), r.tests) });
    for (name, maze) in [("B3-1", labyrinth::Maze::one()), ("B3-2", labyrinth::Maze::two())] {
        show(name, &|s| { let r = forall(labyrinth::steps()).minimize(|g| maze.walk(g).unwrap_or(0.0)).budget(7_500).seed(s).shrink_budget(0).run(|g| maze.walk(g).is_some()); (r.is_found(), r.tests) });
    }
    for k in [1.0, 1000.0, 1024.0] {
        show("B5", &|s| { let r = forall(floats(0.0..=1.0).uniform()).maximize(|x| x * k).budget(10_000).seed(s).shrink_budget(0).run(|x| *x < 0.9999); (r.is_found(), r.tests) });
    }
}
