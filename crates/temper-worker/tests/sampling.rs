//! The ordinary path: collect a project, run its tests with seeds and edits, read what the probes recorded.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use support::*;
use temper_worker::*;

const DRAWS: &str = "test_draws.py";

#[test]
fn a_probe_value_comes_back_from_a_forked_sample() {
    let project = Project::new("unseeded-draws");
    let mut driver = project.driver(1);
    let edits = vec![project.probed(DRAWS, &["random.random()"])];
    let layer = Arc::new(LayerSpec { edits, ..project.tests() });
    let report = run_one(&mut driver, &layer, test_piece("test_draws.py::test_shared_state", 7));
    assert_eq!(status(&report), TestStatus::Passed);
    assert_eq!(report.mode, Mode::Forked);
    assert_eq!(report.seed, 7);
    // CPython: random.seed(7); random.random()
    assert_eq!(values(&report), [(0, Value::Float(0.32383276483316237))]);
}

fn floats(report: &Report) -> Vec<u64> {
    values(report).iter().map(|(_, value)| value.as_f64().unwrap().to_bits()).collect()
}

const SHARED: [&str; 2] = ["random.random() ", "np.random.normal() "];
const FRESH: [&str; 5] = [
    "random.Random().random()",
    "default_rng().normal()",
    "np.random.RandomState().normal()",
    "np.random.default_rng(np.random.SeedSequence()).normal()",
    "random.gauss(0, 1)",
];

#[test]
fn the_seed_decides_every_value_and_the_driver_none() {
    let project = Project::new("unseeded-draws");
    let expressions: Vec<_> = SHARED.iter().chain(&FRESH).copied().collect();
    let layer = Arc::new(LayerSpec { edits: vec![project.probed(DRAWS, &expressions)], ..project.tests() });
    let sample = |driver: &mut Driver, seed| {
        let nodes = ["test_shared_state", "test_generators_made_without_a_seed"];
        let pieces = nodes.map(|name| test_piece(&format!("{DRAWS}::{name}"), seed));
        run(driver, &layer, pieces.to_vec()).iter().flat_map(floats).collect::<Vec<_>>()
    };
    let mut first = project.driver(1);
    let baseline = sample(&mut first, u64::MAX);
    assert_eq!(baseline.len(), 7);
    assert_eq!(sample(&mut first, u64::MAX), baseline);
    let other = sample(&mut first, 2);
    assert!(other.iter().zip(&baseline).all(|(a, b)| a != b), "seeds 2 and max agree somewhere");
    assert_eq!(sample(&mut project.driver(1), u64::MAX), baseline, "another driver");
}

#[test]
fn runs_in_one_process_have_the_values_of_runs_in_their_own() {
    let project = Project::new("unseeded-draws");
    let expressions: Vec<_> = SHARED.iter().chain(&FRESH).copied().collect();
    let layer = Arc::new(LayerSpec { edits: vec![project.probed(DRAWS, &expressions)], ..project.tests() });
    let mut driver = project.driver(1);
    let node = format!("{DRAWS}::test_generators_made_without_a_seed");
    let seeds = vec![7, u64::MAX, 7];
    let starts = seeds.iter().map(|&seed| RunStart { seed, memory: Memory::AsFound }).collect();
    let work = Work::Repeat { node: node.clone(), starts, until: RepeatUntil::End };
    let report = run_one(&mut driver, &layer, Piece::new(work, 0, limits()));
    assert_eq!(report.outcome, Outcome::Repeated);
    let alone = run(&mut driver, &layer, seeds.iter().map(|&seed| test_piece(&node, seed)).collect());
    assert_eq!(report.runs.iter().map(|run| run.seed).collect::<Vec<_>>(), seeds);
    for (run, alone) in report.runs.iter().zip(&alone) {
        assert!(matches!(&run.outcome, Outcome::Test(test) if test.status == TestStatus::Passed), "{run:?}");
        assert_eq!(run.probes, alone.probes);
    }
}

#[test]
fn memory_that_nobody_wrote_holds_the_pattern_that_was_asked_for() {
    let project = Project::new("unseeded-draws");
    let large_and_small = "__temper_probe__(0, np.empty(5000)[-1]), __temper_probe__(1, np.empty(3)[0])";
    let edits = vec![project.replaced(DRAWS, "assert AT_IMPORT < 100", large_and_small)];
    let layer = Arc::new(LayerSpec { edits, ..project.tests() });
    let mut driver = project.driver(1);
    let node = format!("{DRAWS}::test_shared_state");
    let of_byte = |byte: u8| [Value::Float(f64::from_ne_bytes([byte; 8])), Value::Float(f64::from_ne_bytes([byte; 8]))];
    let patterns = [(Memory::Filled, 0x3f), (Memory::FilledOtherwise, 0x7f), (Memory::Filled, 0x3f)];
    let starts = patterns.map(|(memory, _)| RunStart { seed: 7, memory }).to_vec();
    let work = Work::Repeat { node: node.clone(), starts, until: RepeatUntil::End };
    let report = run_one(&mut driver, &layer, Piece::new(work, 7, limits()));
    assert_eq!(report.runs.len(), patterns.len());
    for (run, (memory, byte)) in report.runs.iter().zip(patterns) {
        let seen: Vec<&Value> = run.probes.iter().flat_map(|record| &record.values).collect();
        assert_eq!(seen, of_byte(byte).iter().collect::<Vec<_>>(), "{memory:?} in a common process");
        let work = Work::Test { node: node.clone(), memory };
        let alone = run_one(&mut driver, &layer, Piece::new(work, 7, limits()));
        assert_eq!(alone.probes, run.probes, "{memory:?} alone");
    }
}

#[test]
fn values_drawn_at_import_and_the_order_of_sets_are_the_same_in_all_samples() {
    let project = Project::new("unseeded-draws");
    let mut edit = project.probed(DRAWS, &[r#""".join({"alpha", "beta", "gamma", "delta"})"#]);
    let source = String::from_utf8(edit.source).unwrap();
    edit.source = source.replace("assert AT_IMPORT", "assert __temper_probe__(1, AT_IMPORT)").into_bytes();
    let edits = vec![edit];
    let layer = Arc::new(LayerSpec { edits, ..project.tests() });
    let mut seen = Vec::new();
    for seed in [1, 2] {
        let mut driver = project.driver(1);
        let pieces =
            ["test_shared_state", "test_order_of_a_set"].map(|name| test_piece(&format!("{DRAWS}::{name}"), seed));
        let reports = run(&mut driver, &layer, pieces.to_vec());
        seen.push(reports.iter().flat_map(values).collect::<Vec<_>>());
    }
    assert_eq!(seen[0].len(), 2);
    assert_eq!(seen[0], seen[1]);
}

#[test]
fn numpy_imported_by_the_test_itself_follows_the_seed() {
    let project = Project::new("lazy-numpy");
    let edits = vec![project.probed("test_lazy.py", &["np.random.normal()", "np.random.default_rng().normal()"])];
    let layer = Arc::new(LayerSpec { edits, ..project.tests() });
    let mut driver = project.driver(1);
    let pieces = [3, 3, 4].map(|seed| test_piece("test_lazy.py::test_numpy_arrives_late", seed));
    let reports = run(&mut driver, &layer, pieces.to_vec());
    let seen: Vec<_> = reports.iter().map(floats).collect();
    assert_eq!(seen[0].len(), 2);
    assert_eq!(seen[0], seen[1]);
    assert!(seen[0][0] != seen[2][0] && seen[0][1] != seen[2][1]);
}

#[test]
fn a_warm_base_shares_third_party_modules_and_changes_no_value() {
    let project = Project::new("unseeded-draws");
    let layer = Arc::new(LayerSpec { edits: vec![project.probed(DRAWS, &["random.random()"])], ..project.tests() });
    let mut driver = project.driver(2);
    let loaded = driver.warm(&layer).unwrap().unwrap();
    assert!(loaded.modules.iter().any(|name| name == "numpy.linalg"));
    assert!(loaded.modules.iter().all(|name| !name.starts_with("test_draws") && !name.starts_with("temper")));
    assert_eq!(loaded.files, [project.root().join(DRAWS)]);
    assert_eq!(loaded.items.len(), 6);
    assert_eq!(loaded.items[0].node, "test_draws.py::test_shared_state");
    assert_eq!((loaded.items[0].line, &loaded.items[0].path), (Some(9), &project.root().join(DRAWS)));
    let versions = loaded.versions.unwrap();
    assert!(versions.python.starts_with("3."));
    assert!(versions.packages.iter().any(|(name, _)| name == "numpy"));
    let report = run_one(&mut driver, &layer, test_piece("test_draws.py::test_shared_state", 7));
    assert_eq!(values(&report), [(0, Value::Float(0.32383276483316237))]);
}

#[test]
fn slots_share_the_work_and_every_seed_is_reported_once() {
    let project = Project::new("unseeded-draws");
    let layer = Arc::new(project.tests());
    let mut driver = project.driver(2);
    let tasks = (0..6u64).map(|task| Task {
        layer: Arc::clone(&layer),
        pieces: (0..5)
            .map(|index| test_piece("test_draws.py::test_fails_about_half_the_time", task * 5 + index))
            .collect(),
    });
    let mut seeds = Vec::new();
    let mut failed = 0;
    let on_report = |report: Report| {
        assert_eq!(report.seed, (report.task * 5 + report.piece) as u64);
        seeds.push(report.seed);
        failed += usize::from(status(&report) == TestStatus::Failed);
        Flow::Continue
    };
    driver.run(tasks, on_report).unwrap();
    seeds.sort_unstable();
    assert_eq!(seeds, (0..30).collect::<Vec<_>>());
    // The seeds are fixed, so this is a fact about them, not a chance.
    assert!((1..30).contains(&failed));
}

#[test]
fn a_caller_can_stop_before_all_tasks_are_done() {
    let project = Project::new("unseeded-draws");
    let layer = Arc::new(project.tests());
    let mut driver = project.driver(1);
    let pieces = (0..1000).map(|seed| test_piece("test_draws.py::test_trivial", seed)).collect();
    let mut count = 0;
    let on_report = |_| {
        count += 1;
        Flow::Stop
    };
    driver.run([Task { layer, pieces }], on_report).unwrap();
    assert!(count < 1000);
}

#[test]
fn modules_tests_and_conftest_are_edited_in_memory_and_keep_their_lines() {
    let project = Project::new("edited-everywhere");
    let before = snapshot(&project.root());
    let mut driver = project.driver(1);
    let area = "tests/test_area.py::test_area";
    let unit = "tests/unit/test_area.py::test_same_file_name_elsewhere";
    let check = |driver: &mut Driver, edits: Vec<Edit>, node: &str, expected: TestStatus| {
        let layer = Arc::new(LayerSpec { edits, ..project.tests() });
        let report = run_one(driver, &layer, test_piece(node, 0));
        assert_eq!(status(&report), expected, "{node}");
        report
    };
    check(&mut driver, vec![], area, TestStatus::Passed);
    for edit in [
        project.replaced("pkg/__init__.py", "SIZE = 3", "SIZE = 4"),
        project.replaced("pkg/core.py", "SIZE * SIZE", "SIZE + SIZE"),
        project.replaced("conftest.py", "return 10", "return 11"),
        project.replaced("tests/conftest.py", "return 5", "return 6"),
        project.replaced("tests/test_area.py", "== 95", "== 96"),
    ] {
        check(&mut driver, vec![edit], area, TestStatus::Failed);
    }
    let edit = project.replaced("tests/test_area.py", "== 95", "== 96");
    check(&mut driver, vec![edit], unit, TestStatus::Passed);
    let edit = project.replaced("tests/unit/test_area.py", "== 14", "== 15");
    check(&mut driver, vec![edit.clone()], area, TestStatus::Passed);
    check(&mut driver, vec![edit], unit, TestStatus::Failed);
    let edit = project.replaced("pkg/core.py", "SIZE * SIZE", "SIZE + SIZE");
    let report = check(&mut driver, vec![edit], "tests/test_area.py::test_line_numbers", TestStatus::Failed);
    let Outcome::Test(test) = report.outcome else { unreachable!() };
    let exception = test.exception.unwrap();
    let file = project.root().join("pkg/core.py");
    assert_eq!(exception.frames.last().unwrap(), &(file.to_str().unwrap().to_owned(), 9, "fails".to_owned()));
    assert_eq!((&*exception.type_name, &*exception.message), ("ValueError", "on line nine"));
    assert_eq!(snapshot(&project.root()), before);
}

#[test]
fn an_edit_that_nothing_imports_is_named() {
    let project = Project::new("edited-everywhere");
    let mut driver = project.driver(1);
    let edit = Edit { path: project.root().join("pkg/never.py"), source: b"1 / 0".to_vec() };
    let layer = Arc::new(LayerSpec { edits: vec![edit], ..project.tests() });
    let loaded = driver.warm(&layer).unwrap().unwrap();
    assert_eq!(loaded.unapplied, [project.root().join("pkg/never.py")]);
}

#[test]
fn an_unknown_test_is_missing_not_an_error() {
    let project = Project::new("lazy-numpy");
    let report = run_one(&mut project.driver(1), &Arc::new(project.tests()), test_piece("test_lazy.py::test_none", 0));
    assert_eq!(report.outcome, Outcome::Missing);
}

fn with_libraries(project: &Project, test: &str, edits: Vec<Edit>) -> Arc<LayerSpec> {
    let subjects = Subjects::Tests(vec![test.to_owned()]);
    // Outside the project's root, as installed libraries are.
    let lib = project.outside("lib");
    if !lib.exists() {
        std::fs::rename(project.root().join("lib"), &lib).unwrap();
    }
    Arc::new(LayerSpec { paths: vec![lib], edits, ..LayerSpec::new(project.root(), subjects) })
}

#[test]
fn torch_and_tensorflow_are_given_the_seed() {
    let project = Project::new("stand-in-libraries");
    let edits = vec![project.probed("test_seeds.py", &["torch.seed", "tensorflow.random.seed"])];
    let layer = with_libraries(&project, "test_seeds.py", edits);
    let mut driver = project.driver(1);
    let pieces =
        ["test_torch", "test_tensorflow_arrives_late"].map(|name| test_piece(&format!("test_seeds.py::{name}"), 12));
    let reports = run(&mut driver, &layer, pieces.to_vec());
    assert_eq!(values(&reports[0]), [(0, Value::Int(12))]);
    assert_eq!(values(&reports[1]), [(1, Value::Int(12))]);
}

#[test]
fn a_library_in_the_base_reads_the_environment_that_the_project_sets() {
    let project = Project::new("stand-in-libraries");
    let layer = with_libraries(&project, "test_configured.py", vec![]);
    let mut driver = project.driver(1);
    let loaded = driver.warm(&layer).unwrap().unwrap();
    assert!(loaded.modules.iter().any(|name| name == "configured"));
    let report = run_one(&mut driver, &layer, test_piece("test_configured.py::test_backend", 0));
    assert_eq!(status(&report), TestStatus::Passed, "{:?}", report.outcome);
}

#[test]
fn a_library_that_starts_threads_stays_out_of_the_base_and_means_fresh_interpreters_with_the_same_values() {
    let project = Project::new("stand-in-libraries");
    let edits = vec![project.probed("test_threads.py", &["random.random()"])];
    let layer = with_libraries(&project, "test_threads.py", edits);
    for policy in [Policy::baseline(), Policy::contained()] {
        let layer = Arc::new(LayerSpec { policy, ..(*layer).clone() });
        let mut driver = project.driver(1);
        let loaded = driver.warm(&layer).unwrap().unwrap();
        assert!(loaded.modules.iter().any(|name| name == "threaded"));
        assert_eq!(loaded.spawn_reason.as_deref(), Some("threads were running after the project was imported (1)"));
        let report = run_one(&mut driver, &layer, test_piece("test_threads.py::test_draw", 7));
        assert_eq!(status(&report), TestStatus::Passed, "{:?}", report.outcome);
        assert!(matches!(report.mode, Mode::Spawned(_)));
        assert_eq!(values(&report), [(0, Value::Float(0.32383276483316237))]);
    }
}

#[test]
fn workers_see_our_package_and_nothing_next_to_it_and_do_not_need_its_engine() {
    let project = Project::new("functions");
    let package_dir = project.outside("package");
    let package = package_dir.join("temper");
    std::fs::create_dir_all(&package).unwrap();
    std::os::unix::fs::symlink(repository().join("python/temper/worker"), package.join("worker")).unwrap();
    std::fs::write(package.join("__init__.py"), "raise ImportError('no engine for this interpreter')").unwrap();
    std::fs::write(package_dir.join("stray.py"), "").unwrap();
    let mut driver = Driver::start(Settings { package_dir, ..project.settings() }, Cancel::new()).unwrap();
    let layer = Arc::new(project.modules(&["functions"], Policy::baseline()));
    let mut error_of = |module: &str| {
        let piece = Piece::new(Work::Import { module: module.to_owned() }, 0, limits());
        let Outcome::Raised(error) = run_one(&mut driver, &layer, piece).outcome else {
            panic!("{module} was imported")
        };
        (error.type_name, error.message)
    };
    let text = |name: &str, message: &str| (name.to_owned(), message.to_owned());
    assert_eq!(error_of("stray"), text("ModuleNotFoundError", "No module named 'stray'"));
    assert_eq!(error_of("temper"), text("ImportError", "no engine for this interpreter"));
}

#[test]
fn a_covered_run_tells_the_lines_that_it_reached_in_all_threads() {
    let project = Project::new("covered-lines");
    let mut driver = project.driver(1);
    let layer = Arc::new(project.tests());
    let work = Work::Cover { node: "test_branches.py::test_reached".to_owned() };
    let report = run_one(&mut driver, &layer, Piece { work, ..test_piece("", 1) });
    assert_eq!(status(&report), TestStatus::Passed);
    let lines = |name: &str| {
        let found = report.covered.iter().find(|(path, _)| path.ends_with(name));
        found.map(|(_, lines)| lines.clone()).unwrap_or_default()
    };
    let reached = lines("branches.py");
    // Lines of `def` are reported by some versions when the function is called; bodies are the same in all.
    for line in [5, 7, 11, 12, 14, 18, 19, 21, 22, 23] {
        assert!(reached.contains(&line), "{line} of {reached:?}");
    }
    for line in [1, 6] {
        assert!(!reached.contains(&line), "{line} of {reached:?}");
    }
    assert!(lines("test_branches.py").contains(&9));
    assert!(report.covered.iter().all(|(path, _)| path.starts_with(project.root())), "{:?}", report.covered);
    let plain = run_one(&mut driver, &layer, test_piece("test_branches.py::test_reached", 1));
    assert!(plain.covered.is_empty());
}

/// The last two of four runs of a test that imports something late.
fn late_runs(project: &Project, driver: &mut Driver, name: &str, probed: &str) -> Vec<Report> {
    let layer = with_libraries(project, "test_late.py", vec![project.probed("test_late.py", &[probed])]);
    let pieces = vec![test_piece(&format!("test_late.py::{name}"), 7); 4];
    run(driver, &layer, pieces).split_off(2)
}

#[test]
fn what_a_run_imports_late_is_there_for_the_next_one_and_for_other_layers() {
    let project = Project::new("stand-in-libraries");
    let mut driver = project.driver(1);
    let is_known = |report: &Report| report.output.text().contains("known before: True");
    assert!(late_runs(&project, &mut driver, "test_slow", "random.random() < 1").iter().all(is_known));
    // A layer with other edits, as that of a mutant.
    let layer = with_libraries(&project, "test_late.py", vec![]);
    assert!(is_known(&run_one(&mut driver, &layer, test_piece("test_late.py::test_slow", 8))));
}

#[test]
fn a_late_import_that_would_change_a_run_stays_late() {
    let project = Project::new("stand-in-libraries");
    let mut driver = project.driver(1);
    for report in late_runs(&project, &mut driver, "test_drawing", "random.random()") {
        // CPython: random.seed(7), and the second draw; the import makes the first.
        assert_eq!(values(&report), [(0, Value::Float(0.15084917392450192))]);
    }
    for report in late_runs(&project, &mut driver, "test_configured", "late_configured.BACKEND") {
        assert_eq!(status(&report), TestStatus::Passed, "{:?}", report.outcome);
    }
    for report in late_runs(&project, &mut driver, "test_threads", "random.random()") {
        assert_eq!(report.mode, Mode::Forked);
        assert!(report.output.text().contains("known before: False"), "{}", report.output.text());
    }
}
