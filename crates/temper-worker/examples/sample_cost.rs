//! Processor time of a sample: a forked one against a fresh pytest process. Started by benches/worker/sample_cost.sh.
//!
//! `sample_cost PYTHON REPOSITORY PROJECT SAMPLES FRESH`: all processor time of the worker tree counts (the driver, the layers,
//! the samples), and so does all of a fresh process.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark program")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::{env, fs};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use temper_worker::*;

const NODE: &str = "test_body.py::test_body_of_five_ms";

fn cpu_secs(usage: Usage) -> f64 {
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6)
        .sum()
}

fn own_cpu() -> f64 {
    cpu_secs(getrusage(UsageWho::RUSAGE_SELF).unwrap())
}

fn children_cpu() -> f64 {
    cpu_secs(getrusage(UsageWho::RUSAGE_CHILDREN).unwrap())
}

/// Processor time of all living processes that carry `scratch` in their command line: guard, base, slots, project layers; with
/// that of their children that have ended, if asked.
fn layers_cpu(scratch: &Path, with_ended: bool) -> f64 {
    let ticks = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).unwrap().unwrap() as f64;
    let mut total = 0.0;
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if !String::from_utf8_lossy(&command).contains(scratch.to_str().unwrap()) {
            continue;
        }
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        let wanted = if with_ended { 11..15 } else { 11..13 };
        total += fields[wanted].iter().map(|field| field.parse::<f64>().unwrap() / ticks).sum::<f64>();
    }
    total
}

fn fresh_cpu(python: &Path, project: &Path, count: u32) -> Vec<f64> {
    let one = || {
        let before = children_cpu();
        let status = Command::new(python)
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", NODE])
            .current_dir(project)
            .envs(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"].map(|name| (name, "1")))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
        children_cpu() - before
    };
    (0..count).map(|_| one()).collect()
}

struct Sampled {
    per_sample: f64,
    in_child: f64,
}

fn sample(driver: &mut Driver, scratch: &Path, layer: &Arc<LayerSpec>, count: u64) -> Sampled {
    let pieces = |count| {
        let work = Work::Test { node: NODE.to_owned(), memory: Memory::AsFound };
        (0..count).map(|seed| Piece::new(work.clone(), seed, Limits::default())).collect()
    };
    let mut in_child = 0.0;
    let mut run = |count| {
        in_child = 0.0;
        let task = Task { layer: Arc::clone(layer), pieces: pieces(count) };
        let on_report = |report: Report| {
            assert!(matches!(&report.outcome, Outcome::Test(run) if run.status == TestStatus::Passed));
            in_child += report.usage.cpu.as_secs_f64();
            Flow::Continue
        };
        driver.run([task], on_report).unwrap();
    };
    run(1);
    let before = own_cpu() + layers_cpu(scratch, false);
    run(count);
    let around = own_cpu() + layers_cpu(scratch, false) - before;
    Sampled { per_sample: (around + in_child) / count as f64, in_child: in_child / count as f64 }
}

/// Processor time of loading a further project layer, with the base layer warm. Measured on the second, so that the slot is up.
fn layer_cost(driver: &mut Driver, scratch: &Path, spec: &LayerSpec) -> f64 {
    let path = spec.root.join("test_body.py");
    let source = fs::read(&path).unwrap();
    let mut load = |number: usize| {
        let source = [&source[..], format!("\n# {number}\n").as_bytes()].concat();
        let edits = vec![Edit { path: path.clone(), source }];
        let layer = Arc::new(LayerSpec { edits, ..spec.clone() });
        let piece = Piece::new(Work::Import { module: "sys".to_owned() }, 0, Limits::default());
        driver.run([Task { layer, pieces: vec![piece] }], |_| Flow::Continue).unwrap();
    };
    load(0);
    let before = own_cpu() + layers_cpu(scratch, true);
    load(1);
    own_cpu() + layers_cpu(scratch, true) - before
}

fn main() {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [python, repository, project, samples, fresh] = &arguments[..] else {
        panic!("usage: sample_cost PYTHON REPOSITORY PROJECT SAMPLES FRESH")
    };
    let (python, project) = (PathBuf::from(python), PathBuf::from(project));
    let scratch = env::temp_dir().join(format!("temper-bench-{}", std::process::id()));
    fs::create_dir_all(&scratch).unwrap();
    let mut settings = Settings::new(python.clone(), Path::new(repository).join("python"), scratch.clone());
    settings.env = env::vars_os().collect();
    let mut driver = Driver::start(settings, Cancel::new()).unwrap();
    let layer = Arc::new(LayerSpec::new(project.clone(), Subjects::Tests(vec![NODE.to_owned()])));
    // First, since the first of them writes bytecode that all others read.
    let mut fresh = fresh_cpu(&python, &project, fresh.parse().unwrap());
    driver.warm(&layer).unwrap().unwrap();
    let project_layer = layer_cost(&mut driver, &scratch, &layer);
    let rounds: Vec<_> = (0..3).map(|_| sample(&mut driver, &scratch, &layer, samples.parse().unwrap())).collect();
    drop(driver);
    fs::remove_dir_all(&scratch).unwrap();

    fresh.sort_by(f64::total_cmp);
    let fresh_median = fresh[fresh.len() / 2];
    println!(
        "fresh pytest process  {:8.1} ms CPU (median of {}; {:.1} to {:.1})",
        fresh_median * 1e3,
        fresh.len(),
        fresh[0] * 1e3,
        fresh[fresh.len() - 1] * 1e3
    );
    println!("project layer         {:8.1} ms CPU, once an edit set", project_layer * 1e3);
    for round in rounds {
        println!(
            "forked sample         {:8.1} ms CPU, {:.1} of them in the sample's own process; ratio {:.1}",
            round.per_sample * 1e3,
            round.in_child * 1e3,
            fresh_median / round.per_sample
        );
    }
}
