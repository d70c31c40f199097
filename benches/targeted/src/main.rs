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

    macro_rules! b7 { ($n:literal, $g:expr) => { show($n, &|s| { let r = forall($g).maximize(|g| graph::longest_path(g) as f64).budget(100_000).seed(s).shrink_budget(0).run(|g| graph::longest_path(g) < 21); (r.is_found(), r.tests) }) } }
    b7!("B7-1", graph::graph_outer_map());
    b7!("B7-2", graph::graph_nested());
    b7!("B7-3", graph::graph_of_length());
    let places = trees::positions();
    if only == "q" { let mut v: Vec<f64> = Vec::new(); let d = trees::spanning(); let mut c = Choices::random(1); for s in 0..20_000_000u64 { c.start_random(s, false); let t = d.draw(&mut c).unwrap(); v.push(trees::energy(&t, &places)); } v.sort_by(|a,b| b.total_cmp(a)); println!("{:?}", &v[..40]); }
    let limit = 101.5;
    macro_rules! b8 { ($n:literal, $g:expr) => { show($n, &|s| { let r = forall($g).maximize(|g| trees::energy(g, &places)).budget(20_000).seed(s).shrink_budget(0).run(|g| trees::energy(g, &places) < limit); (r.is_found(), r.tests) }) } }
    b8!("B8-R", trees::grown());
    b8!("B8-M", trees::spanning());
    for method in [Method::Annealing, Method::Random] {
        for (bug, name) in machine::BUGS {
            show(&format!("B4-{name}-{method:?}"), &|s| { let r = forall(machine::pairs()).maximize(|p| machine::steps(p, Some(bug)) as f64).method(method).budget(1_000_000).seed(s).shrink_budget(0).run(|p| machine::noninterference(p, Some(bug))); (r.is_found(), r.tests) });
        }
    }

    if only == "trace" { for seed in 0..4 {
        let r = forall(machine::pairs()).maximize(|p| machine::steps(p, None) as f64).budget(3000).seed(seed).shrink_budget(0).run(|p| { machine::note(p); machine::noninterference(p, None) });
        println!("{:?}", r.climb); machine::shown();
    } }
}
