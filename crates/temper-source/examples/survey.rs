//! Reads every Python file under the given paths and prints what was found and how long it took.
//!
//! `cargo run --release -p temper-source --example survey -- PATH...` prints totals;
//! `--sites N`, `--unknown N`, `--seeds N` also list every N-th of these, for reading next to the source, and `--tests`
//! lists the tests as `pytest --collect-only -q` does, without parameter sets.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use temper_source::{Analysis, DiscoverOptions, Discovered, SourceError, SourceFile, analyse, discover, read};

fn main() {
    let mut paths = Vec::new();
    let (mut sites_step, mut unknown_step, mut seeds_step) = (0, 0, 0);
    let mut lists_tests = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1);
        match argument.as_str() {
            "--sites" => sites_step = number(),
            "--unknown" => unknown_step = number(),
            "--seeds" => seeds_step = number(),
            "--tests" => lists_tests = true,
            _ => paths.push(PathBuf::from(argument)),
        }
    }
    let Discovered { files, errors, .. } = discover(&paths, &DiscoverOptions::default());
    let start = cpu_secs();
    let read_files: Vec<Result<SourceFile, SourceError>> = files.iter().map(|path| read(path)).collect();
    let reading = cpu_secs() - start;
    let bytes: usize = read_files.iter().flatten().map(|file| file.text().len()).sum();
    let start = cpu_secs();
    let analyses: Vec<(SourceFile, Result<Analysis, SourceError>)> = read_files
        .into_iter()
        .flatten()
        .map(|file| {
            let found = analyse(&file);
            (file, found)
        })
        .collect();
    let analysing = cpu_secs() - start;
    println!("{} files, {:.1} MB, {} discovery errors", files.len(), bytes as f64 / 1e6, errors.len());
    println!(
        "CPU: read {:.3} s, analyse {:.3} s ({:.3} s per 1,000 files)",
        reading,
        analysing,
        analysing * 1000.0 / files.len().max(1) as f64
    );
    for (_, result) in &analyses {
        if let Err(error) = result {
            println!("  {error}");
        }
    }
    totals(&analyses);
    if lists_tests {
        tests(&analyses);
    }
    listing(&analyses, sites_step, unknown_step, seeds_step);
}

/// CPU time of this process, which other programs on the machine do not change. Linux only; 0 elsewhere.
fn cpu_secs() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).map_or(0.0, |nanos| nanos / 1e9)
}

fn tests(analyses: &[(SourceFile, Result<Analysis, SourceError>)]) {
    for (file, found) in analyses.iter().filter_map(|(file, found)| Some((file, found.as_ref().ok()?))) {
        found.tests.iter().for_each(|test| println!("{}::{}", file.path().display(), test.name));
    }
}

fn totals(analyses: &[(SourceFile, Result<Analysis, SourceError>)]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = |key: String| *counts.entry(key).or_default() += 1;
    for found in analyses.iter().filter_map(|(_, found)| found.as_ref().ok()) {
        for site in &found.sites {
            count(format!("site {}", site.form.name()));
            count("sites".into());
            if site.likely_exact.is_some() {
                count("sites likely exact".into());
            }
            count(format!("sites in {:?}", site.owner.kind));
        }
        for item in &found.not_understood {
            let reason = format!("{:?}", item.reason);
            count(format!("not understood {}", reason.split('(').next().unwrap_or_default()));
        }
        found.tests.iter().for_each(|_| count("tests".into()));
        found.seeds.iter().for_each(|seed| count(format!("seed {:?} {:?}", seed.source, seed.kind)));
        found.draws.iter().for_each(|draw| count(format!("draw {:?} seeded={}", draw.source, draw.is_seeded)));
        found.annotated.iter().for_each(|_| count("annotated".into()));
    }
    for (key, count) in counts {
        println!("{count:8}  {key}");
    }
}

fn listing(
    analyses: &[(SourceFile, Result<Analysis, SourceError>)],
    sites_step: usize,
    unknown_step: usize,
    seeds_step: usize,
) {
    let (mut site_index, mut unknown_index, mut seed_index) = (0usize, 0usize, 0usize);
    let is_picked = |index: &mut usize, step: usize| {
        *index += 1;
        step > 0 && (*index).is_multiple_of(step)
    };
    for (file, found) in analyses.iter().filter_map(|(file, found)| Some((file, found.as_ref().ok()?))) {
        for site in &found.sites {
            if is_picked(&mut site_index, sites_step) {
                let bounds: Vec<String> = site
                    .bounds
                    .iter()
                    .map(|bound| format!("{:?}={:?} {:?}", bound.role, bound.value, bound.origin))
                    .collect();
                println!(
                    "{}:{}:{} {} {:?} strict={} {:?} actual=`{}` ref=`{}` [{}] {:?} {} exact={:?} loop={} fails={}\n      {}",
                    file.path().display(),
                    site.position.line,
                    site.position.column,
                    site.form.name(),
                    site.direction,
                    site.is_strict,
                    site.reduction,
                    file.slice(site.actual),
                    site.reference.map_or("", |span| file.slice(span)),
                    bounds.join(", "),
                    site.owner.kind,
                    site.owner.name,
                    site.likely_exact,
                    site.in_loop,
                    site.expects_failure,
                    file.slice(site.assertion),
                );
            }
        }
        for item in &found.not_understood {
            if is_picked(&mut unknown_index, unknown_step) {
                println!(
                    "{}:{}:{} {} [{:?} {}]\n      {}",
                    file.path().display(),
                    item.position.line,
                    item.position.column,
                    item.reason,
                    item.owner.kind,
                    item.owner.name,
                    file.slice(item.span)
                );
            }
        }
        for seed in &found.seeds {
            if is_picked(&mut seed_index, seeds_step) {
                println!(
                    "{}:{} {:?} {:?} {} `{}` in {:?}",
                    file.path().display(),
                    seed.position.line,
                    seed.source,
                    seed.kind,
                    seed.callee,
                    file.slice(seed.argument),
                    seed.owner
                );
            }
        }
    }
}
