//! Beginnings and ends: interpreters that are none, cancelling, dropping.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use support::*;
use temper_worker::*;

#[test]
fn an_interpreter_that_does_not_exist_is_named() {
    let project = Project::new("lazy-numpy");
    let settings = Settings { python: "/no/such/python".into(), ..project.settings() };
    let error = Driver::start(settings, Cancel::new()).unwrap_err();
    assert!(error.to_string().starts_with("cannot start `/no/such/python`: "), "{error}");
}

#[test]
fn an_interpreter_that_is_none_is_named_with_what_it_said() {
    let project = Project::new("lazy-numpy");
    let script = project.outside("python");
    fs::write(&script, "#!/bin/sh\necho I am no snake >&2\n").unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let settings = Settings { python: script, ..project.settings() };
    let error = Driver::start(settings, Cancel::new()).unwrap_err();
    assert!(matches!(error, WorkerError::NotReady { .. }));
    assert!(error.to_string().contains("I am no snake"), "{error}");
    assert!(error.to_string().contains("ended without becoming a worker"), "{error}");
}

fn sleepers(project: &Project, slots: usize) -> Vec<Task> {
    let layer = Arc::new(project.tests());
    let piece = test_piece("test_hostile.py::test_fork_bomb_that_leaves_its_session", 0);
    (0..slots).map(|_| Task { layer: Arc::clone(&layer), pieces: vec![piece.clone()] }).collect()
}

#[test]
fn cancelling_ends_all_processes_at_once() {
    let project = Project::new("hostile");
    let mut settings = project.settings();
    settings.slots = settings.slots.saturating_add(1);
    let cancel = Cancel::new();
    let mut driver = Driver::start(settings, cancel.clone()).unwrap();
    let tasks = sleepers(&project, 2);
    let scratch = project.scratch();
    let canceller = thread::spawn(move || {
        // Both bombs have gone off when there are as many processes as they start.
        while processes_of(&scratch).len() < 100 {
            thread::sleep(Duration::from_millis(10));
        }
        cancel.cancel();
        Instant::now()
    });
    let error = driver.run(tasks, |report| panic!("no report was due: {report:?}")).unwrap_err();
    let returned = Instant::now();
    assert!(matches!(error, WorkerError::Cancelled));
    // Nothing is left when the call returns; the driver need not be dropped for it.
    assert_eq!(processes_of(&project.scratch()), Vec::<String>::new());
    assert!(snapshot(&project.scratch()).is_empty());
    // The limit of the pieces is 60 s; a loaded machine may need a few to end a hundred processes.
    assert!(returned - canceller.join().unwrap() < Duration::from_secs(20));
    assert!(matches!(driver.run(sleepers(&project, 1), |_| Flow::Continue), Err(WorkerError::Cancelled)));
}

#[test]
fn cancelling_ends_a_project_that_never_finishes_loading() {
    let project = Project::new("slow-collection");
    let mut settings = project.settings();
    settings.env.insert("SLOW_COLLECTION".into(), "busy".into());
    let cancel = Cancel::new();
    let mut driver = Driver::start(settings, cancel.clone()).unwrap();
    let scratch = project.scratch();
    let canceller = thread::spawn(move || {
        let is_collecting = |process: &String| process.contains("(is-collecting)");
        while !processes_of(&scratch).iter().any(is_collecting) {
            thread::sleep(Duration::from_millis(10));
        }
        cancel.cancel();
    });
    let error = driver.warm(&Arc::new(project.tests())).unwrap_err();
    assert!(matches!(error, WorkerError::Cancelled));
    assert_eq!(processes_of(&project.scratch()), Vec::<String>::new());
    canceller.join().unwrap();
}

#[test]
fn dropping_the_driver_ends_all_processes() {
    let project = Project::new("hostile");
    let mut driver = project.driver(2);
    let layer = Arc::new(project.tests());
    run_one(&mut driver, &layer, test_piece("test_hostile.py::test_harmless", 0));
    assert!(!processes_of(&project.scratch()).is_empty());
    drop(driver);
    assert_eq!(processes_of(&project.scratch()), Vec::<String>::new());
    assert!(snapshot(&project.scratch()).is_empty());
}

#[test]
fn a_slot_keeps_no_more_layers_than_it_may() {
    let project = Project::new("edited-everywhere");
    let mut driver = project.driver(1);
    for size in 4..9 {
        let edits = vec![project.replaced("pkg/__init__.py", "SIZE = 3", &format!("SIZE = {size}"))];
        let layer = Arc::new(LayerSpec { edits, ..project.tests() });
        let report = run_one(&mut driver, &layer, test_piece("tests/test_area.py::test_area", 0));
        assert_eq!(status(&report), TestStatus::Failed);
    }
    // Guard, base, slot, two layers; a layer that was dropped takes a moment to go.
    let until = Instant::now() + Duration::from_secs(30);
    while processes_of(&project.scratch()).len() > 5 {
        assert!(Instant::now() < until, "{:#?}", processes_of(&project.scratch()));
        thread::sleep(Duration::from_millis(10));
    }
}
