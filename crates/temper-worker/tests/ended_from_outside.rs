//! Processes that somebody else kills: the work is done again, and nobody is blamed.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use support::*;
use temper_worker::*;

const NODE: &str = "test_waiting.py::test_waits";

/// The numbers and the parents of processes of a driver with this name.
fn named(scratch: &Path, name: &str) -> Vec<(i32, i32)> {
    let wanted = format!("({name})");
    let numbers = |line: &String| {
        let (pid, stat) = line.split_once(' ')?;
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        stat.contains(&wanted).then_some((pid.parse().ok()?, parent))
    };
    processes_of(scratch).iter().filter_map(numbers).collect()
}

/// Waits for a process of this name, ends it or the process above it that is `above` levels higher, and lets the rest go on.
fn kill_one(project: &Project, name: &'static str, above: usize, file: &Path) -> thread::JoinHandle<()> {
    let (scratch, file) = (project.scratch(), file.to_owned());
    thread::spawn(move || {
        let (mut pid, mut parent) = loop {
            if let Some(&found) = named(&scratch, name).first() {
                break found;
            }
            thread::sleep(Duration::from_millis(5));
        };
        for _ in 0..above {
            pid = parent;
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
            parent = stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().parse().unwrap();
        }
        kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
        fs::write(file, "").unwrap();
    })
}

fn driver(project: &Project, file: &Path, variables: &[(&str, &str)]) -> Driver {
    let mut settings = project.settings();
    settings.env.insert("WAITS_FOR".into(), file.into());
    settings.env.extend(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())));
    Driver::start(settings, Cancel::new()).unwrap()
}

/// Kills the process that runs a test, or one above it, once: the test still passes.
fn check(above: usize) {
    let project = Project::new("waiting");
    let file = project.outside("go");
    let mut driver = driver(&project, &file, &[]);
    let layer = Arc::new(project.tests());
    driver.warm(&layer).unwrap().unwrap();
    let killer = kill_one(&project, "in-test", above, &file);
    let report = run_one(&mut driver, &layer, test_piece(NODE, 0));
    killer.join().unwrap();
    assert_eq!(status(&report), TestStatus::Passed, "{above}");
    drop(driver);
    assert_all_gone(&project.scratch());
}

#[test]
fn a_run_whose_process_was_killed_is_taken_again() {
    check(0);
}

#[test]
fn a_run_whose_layer_was_killed_is_taken_again() {
    check(1);
}

#[test]
fn a_run_whose_slot_was_killed_is_taken_again() {
    check(2);
}

#[test]
fn a_run_whose_base_layer_was_killed_is_taken_again() {
    check(3);
}

#[test]
fn a_run_whose_guard_was_killed_is_taken_again() {
    check(4);
}

#[test]
fn a_project_whose_layer_was_killed_while_it_loaded_is_loaded_again() {
    let project = Project::new("waiting");
    let file = project.outside("go");
    let mut driver = driver(&project, &file, &[("WAITS_AT_IMPORT", "1")]);
    let killer = kill_one(&project, "at-import", 0, &file);
    let loaded = driver.warm(&Arc::new(project.tests())).unwrap().unwrap();
    killer.join().unwrap();
    assert_eq!(loaded.items.len(), 1);
}

#[test]
fn a_run_that_is_killed_every_time_is_reported_with_the_signal() {
    let project = Project::new("hostile");
    let mut driver = project.driver(1);
    let report = run_one(&mut driver, &Arc::new(project.tests()), test_piece("test_hostile.py::test_kills_itself", 0));
    assert_eq!(report.outcome, Outcome::Ended(End::Signal(9)));
    assert!(report.is_ended_from_outside());
}
