//! Many samples leave nothing behind. Alone in its binary, since it counts the descriptors of this process.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use support::*;
use temper_worker::*;

/// Open descriptors of this process and of every worker, by process.
fn descriptors(scratch: &Path) -> BTreeMap<String, usize> {
    let count = |pid: &str| fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    let workers = processes_of(scratch).into_iter().map(|line| line.split(' ').next().unwrap().to_owned());
    workers.chain(["self".to_owned()]).map(|pid| (pid.clone(), count(&pid))).collect()
}

#[test]
fn many_samples_leave_no_process_descriptor_or_file_behind() {
    // The full measure is 10,000: set TEMPER_LEAK_SAMPLES to it.
    let samples: u64 = std::env::var("TEMPER_LEAK_SAMPLES").map_or(200, |text| text.parse().unwrap());
    let project = Project::new("unseeded-draws");
    let tree = snapshot(&project.root());
    let mut driver = project.driver(2);
    let layer = Arc::new(project.tests());
    let nodes = ["test_draws.py::test_trivial", "test_draws.py::test_with_a_temporary_folder"];
    let mut sample = |seeds: std::ops::Range<u64>| {
        let pieces: Vec<_> = seeds.map(|seed| test_piece(nodes[(seed % 2) as usize], seed)).collect();
        // Two tasks at least, so that both slots come up.
        let tasks: Vec<_> = pieces
            .chunks(pieces.len().div_ceil(2).min(100))
            .map(|pieces| Task { layer: Arc::clone(&layer), pieces: pieces.to_vec() })
            .collect();
        let mut passed = 0;
        let on_report = |report: Report| {
            passed += u64::from(status(&report) == TestStatus::Passed);
            Flow::Continue
        };
        driver.run(tasks, on_report).unwrap();
        passed
    };
    // Until both slots have loaded the layer: a quick slot may take all of a short run.
    while processes_of(&project.scratch()).len() < 6 {
        sample(0..20);
    }
    let before = (descriptors(&project.scratch()), snapshot(&project.scratch()));
    assert_eq!(sample(0..samples), samples);
    let after = (descriptors(&project.scratch()), snapshot(&project.scratch()));
    assert_eq!(after.0, before.0, "processes and their descriptors");
    assert_eq!(after.1.keys().collect::<Vec<_>>(), before.1.keys().collect::<Vec<_>>(), "files in scratch");
    assert_eq!(snapshot(&project.root()), tree, "the user's tree");
    drop(driver);
    assert_all_gone(&project.scratch());
    println!(
        "{samples} samples, {} processes with {} descriptors before and after",
        after.0.len(),
        after.0.values().sum::<usize>()
    );
}
