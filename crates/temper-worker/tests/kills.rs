//! A sampling run that is killed at any moment: the next one continues, and ends as if nothing had happened.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeSet;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use support::*;
use temper_store::{Content, Sample, SeriesId, Store, StoredRun};
use temper_worker::*;

const NODE: &str = "test_draws.py::test_fails_about_half_the_time";
const RUNS: u64 = 120;
const BATCH: usize = 20;

fn series(store: &mut Store) -> SeriesId {
    let content = Content { subject: NODE.to_owned(), ..Content::default() };
    store.series(&content.key(), "", NODE).unwrap()
}

fn stored(root: &Path) -> Vec<StoredRun> {
    let mut store = Store::open(root).unwrap();
    let series = series(&mut store);
    store.runs(series).unwrap()
}

/// Not a test by itself: the sampling run, in a process that can be killed. Prints each seed that it has a report for.
#[test]
fn sampler() {
    let Some(base) = env::var_os("TEMPER_SAMPLER").map(PathBuf::from) else { return };
    let root = base.join("project");
    let mut store = Store::open(&root).unwrap();
    let series = series(&mut store);
    let done: BTreeSet<_> = store.runs(series).unwrap().into_iter().map(|run| run.seed).collect();
    let missing: Vec<_> = (0..RUNS).filter(|seed| !done.contains(seed)).collect();

    let mut settings = Settings::new(python(), repository().join("python"), base.join("scratch"));
    settings.env = env::vars_os().collect();
    settings.slots = NonZeroUsize::new(2).unwrap();
    let mut driver = Driver::start(settings, Cancel::new()).unwrap();
    let path = root.join("test_draws.py");
    let source = std::fs::read_to_string(&path).unwrap();
    let source =
        source.replace("assert np.random.uniform() < 0.5", "assert __temper_probe__(1, np.random.uniform()) < 0.5");
    let edits = vec![Edit { path, source: source.into_bytes() }];
    let layer = Arc::new(LayerSpec { edits, ..LayerSpec::new(root, Subjects::Tests(vec![])) });
    let tasks = missing.chunks(BATCH / 2).map(|seeds| Task {
        layer: Arc::clone(&layer),
        pieces: seeds.iter().map(|&seed| test_piece(NODE, seed)).collect(),
    });
    let mut batch = Vec::new();
    let on_report = |report: Report| {
        println!("seed {}", report.seed);
        std::io::stdout().flush().unwrap();
        let samples =
            values(&report).into_iter().map(|(site, value)| Sample { site, value: value.as_f64().unwrap() }).collect();
        batch.push(StoredRun { seed: report.seed, outcome: format!("{:?}", status(&report)), samples });
        if batch.len() == BATCH {
            store.add_runs(series, &batch).unwrap();
            batch.clear();
        }
        Flow::Continue
    };
    driver.run(tasks.collect::<Vec<_>>(), on_report).unwrap();
    store.add_runs(series, &batch).unwrap();
    println!("finished");
}

/// Starts the sampler, and kills it after `delay` if it has not finished by then. Returns the seeds it reported, and whether
/// it finished.
fn sample(base: &Path, delay: Option<Duration>) -> (BTreeSet<u64>, bool) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "sampler", "--nocapture"])
        .env("TEMPER_SAMPLER", base)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = thread::spawn(move || output.lines().map_while(Result::ok).collect::<Vec<_>>());
    if let Some(delay) = delay {
        thread::sleep(delay);
        child.kill().unwrap();
    }
    child.wait().unwrap();
    let lines = reader.join().unwrap();
    let seeds = lines.iter().filter_map(|line| line.rsplit_once("seed ")?.1.parse().ok()).collect();
    (seeds, lines.iter().any(|line| line == "finished"))
}

#[test]
fn a_killed_run_loses_at_most_a_batch_and_the_next_one_continues() {
    if env::var_os("TEMPER_SAMPLER").is_some() {
        return;
    }
    // The full measure is 50: set TEMPER_KILLS to it.
    let kills: u32 = env::var("TEMPER_KILLS").map_or(3, |text| text.parse().unwrap());
    let reference = Project::new("unseeded-draws");
    let start = Instant::now();
    assert!(sample(reference.outside(".").as_path(), None).1);
    let whole = start.elapsed();
    let expected = stored(&reference.root());
    assert_eq!(expected.len() as u64, RUNS);

    let mut project = Project::new("unseeded-draws");
    let tree = |project: &Project| {
        let mut files = snapshot(&project.root());
        files.retain(|path, _| !path.starts_with(project.root().join(".temper")));
        files
            .into_iter()
            .map(|(path, content)| (path.strip_prefix(project.root()).unwrap().to_owned(), content))
            .collect::<Vec<_>>()
    };
    let before = tree(&project);
    // Moments spread over a whole run by a fixed sequence; what they hit depends on the machine.
    let mut state = 20_261_115_u64;
    let (mut killed, mut continued) = (0, 0);
    while killed < kills {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let delay = whole.mul_f64((state >> 32) as f64 / 2f64.powi(32));
        let base = project.outside(".");
        let (reported, is_finished) = sample(&base, Some(delay));
        assert_all_gone(&project.scratch());
        assert_eq!(tree(&project), before, "the user's tree");
        let kept: BTreeSet<_> = stored(&project.root()).into_iter().map(|run| run.seed).collect();
        let lost = reported.difference(&kept).count();
        assert!(lost <= BATCH, "{lost} samples lost");
        if is_finished {
            // Nothing left to kill: begin again.
            assert_eq!(stored(&project.root()), expected);
            project = Project::new("unseeded-draws");
        } else {
            killed += 1;
            continued += u32::from(!reported.is_empty());
        }
    }
    assert!(sample(&project.outside("."), None).1);
    assert_eq!(stored(&project.root()), expected);
    println!("{killed} kills, {continued} of them while samples came in; same {} samples at the end", expected.len());
}
