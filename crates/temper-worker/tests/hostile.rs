//! Subjects that do what they must not. Each gets a typed outcome, the next piece of work runs, no process is left, and
//! nothing outside scratch changes.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use support::*;
use temper_worker::*;

const DRAWS: &str = "test_draws.py";

struct Case {
    project: Project,
    driver: Driver,
    policy: Policy,
    limits: Limits,
}

impl Case {
    fn new() -> Self {
        Self::with_env(&[])
    }

    fn with_env(variables: &[(&str, &str)]) -> Self {
        let project = Project::new("hostile");
        fs::create_dir(project.outside("outside")).unwrap();
        fs::write(project.outside("outside/kept"), "precious").unwrap();
        let mut settings = project.settings();
        // No test here needs a plugin, and every one starts its driver.
        settings.env.insert("PYTEST_DISABLE_PLUGIN_AUTOLOAD".into(), "1".into());
        settings.env.extend(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        let driver = Driver::start(settings, Cancel::new()).unwrap();
        let limits = Limits { wall: Duration::from_secs(60), cpu: Duration::from_secs(20), ..Limits::default() };
        Self { project, driver, policy: Policy::baseline(), limits }
    }

    fn contained() -> Self {
        Self { policy: Policy::contained(), ..Self::new() }
    }

    /// Runs one test of the project, then a harmless one, and looks that nothing was left behind or changed.
    fn run(&mut self, name: &str) -> Report {
        let before = (snapshot(&self.project.root()), snapshot(&self.project.outside("outside")));
        let layer = Arc::new(LayerSpec { policy: self.policy.clone(), ..self.project.tests() });
        let piece = |name: &str, limits: Limits| {
            let work = Work::Test { node: format!("test_hostile.py::{name}"), memory: Memory::AsFound };
            Piece::new(work, 1, limits)
        };
        let mut reports =
            run(&mut self.driver, &layer, vec![piece("test_harmless", limits()), piece(name, self.limits.clone())]);
        assert_eq!(status(&reports[0]), TestStatus::Passed);
        let next = run_one(&mut self.driver, &layer, piece("test_harmless", limits()));
        assert_eq!(status(&next), TestStatus::Passed, "the piece of work after {name}");
        let workers = processes_of(&self.project.scratch()).len();
        // Guard, base, slot, project layer.
        assert_eq!(workers, 4, "{:#?}", processes_of(&self.project.scratch()));
        let after = (snapshot(&self.project.root()), snapshot(&self.project.outside("outside")));
        assert_eq!(after, before);
        let left: Vec<_> = snapshot(&self.project.scratch())
            .into_keys()
            .filter(|path| path.to_str().unwrap().contains("/run-"))
            .collect();
        assert_eq!(left, Vec::<std::path::PathBuf>::new());
        reports.remove(1)
    }

    fn check_end(mut self, name: &str, expected: End) {
        let report = self.run(name);
        assert_eq!(report.outcome, Outcome::Ended(expected), "{name}: {}", report.output.text());
    }

    fn check_status(mut self, name: &str, expected: TestStatus) -> Report {
        let report = self.run(name);
        assert_eq!(status(&report), expected, "{name}: {:?}", report.outcome);
        report
    }

    fn check_refused(mut self, name: &str, kind: &str) {
        let report = self.run(name);
        assert_eq!(status(&report), TestStatus::Failed);
        assert!(report.is_refused());
        assert_eq!(report.containment.refused[0].kind, kind, "{:?}", report.containment);
    }

    fn with_limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }
}

#[test]
fn a_segfault_is_a_signal() {
    Case::new().check_end("test_segfault", End::Signal(11));
}

#[test]
fn memory_beyond_the_limit_is_a_memory_limit() {
    let mut case = Case::new().with_limits(|limits| limits.memory_bytes = 256 << 20);
    let report = case.run("test_out_of_memory");
    assert!(matches!(report.outcome, Outcome::MemoryLimit(_)), "{:?}", report.outcome);
    assert!(report.usage.max_rss_kib < 1 << 20);
}

#[test]
fn an_endless_loop_ends_at_the_cpu_limit() {
    Case::new().with_limits(|limits| limits.cpu = Duration::from_secs(1)).check_end("test_endless_loop", End::CpuLimit);
}

#[test]
fn an_endless_loop_that_ignores_the_warning_ends_too() {
    Case::new()
        .with_limits(|limits| limits.cpu = Duration::from_secs(1))
        .check_end("test_endless_loop_that_catches_the_signal", End::CpuLimit);
}

#[test]
fn a_sleeper_ends_at_the_wall_limit() {
    Case::new()
        .with_limits(|limits| limits.wall = Duration::from_secs(1))
        .check_end("test_sleep_for_ever", End::WallLimit);
}

#[test]
fn a_contained_sleeper_ends_at_the_wall_limit() {
    Case::contained()
        .with_limits(|limits| limits.wall = Duration::from_secs(1))
        .check_end("test_sleep_for_ever", End::WallLimit);
}

#[test]
fn a_fork_bomb_ends_at_the_process_limit() {
    Case::new().with_limits(|limits| limits.processes = 20).check_end("test_fork_bomb", End::ProcessLimit);
}

#[test]
fn a_fork_bomb_that_leaves_its_session_ends_too() {
    Case::new()
        .with_limits(|limits| limits.processes = 20)
        .check_end("test_fork_bomb_that_leaves_its_session", End::ProcessLimit);
}

#[test]
fn a_daemon_is_ended_with_the_test_that_left_it() {
    let report = Case::new().check_status("test_leaves_a_daemon", TestStatus::Passed);
    assert_eq!(report.usage.orphans, 1);
}

#[test]
fn an_exit_behind_pytest_is_reported_with_its_code() {
    Case::new().check_end("test_exit_without_cleaning_up", End::Exited(5));
}

#[test]
fn an_exit_with_code_zero_is_not_a_pass() {
    Case::new().check_end("test_exit_as_if_all_were_well", End::Exited(0));
}

#[test]
fn an_exit_in_a_thread_harms_nothing() {
    Case::new().check_status("test_exit_in_a_thread", TestStatus::Passed);
}

#[test]
fn an_exit_in_the_body_fails_the_test() {
    Case::new().check_status("test_exit_in_the_body", TestStatus::Failed);
}

#[test]
fn a_closed_result_pipe_is_named() {
    Case::new().check_end("test_closes_our_pipe", End::LostResult);
}

#[test]
fn a_result_is_never_written_to_a_file_that_took_the_number_of_our_pipe() {
    Case::new().check_end("test_closes_our_pipe_and_opens_a_file", End::LostResult);
}

#[test]
fn a_hundred_megabytes_of_output_are_counted_and_dropped() {
    let report = Case::new().check_status("test_prints_a_lot", TestStatus::Passed);
    assert!(report.output.is_truncated);
    assert!(report.output.total_bytes > 100_000_000);
    assert!(report.output.bytes.len() < 100_000);
}

#[test]
fn a_file_beyond_the_limit_is_a_file_limit() {
    let mut case = Case::new().with_limits(|limits| limits.file_bytes = 1 << 20);
    let report = case.run("test_writes_a_long_file");
    assert!(matches!(report.outcome, Outcome::FileLimit(_)), "{:?}", report.outcome);
}

#[test]
fn a_test_that_kills_its_layer_costs_one_report() {
    Case::new().check_end("test_kills_its_parent", End::LayerLost);
}

#[test]
fn a_test_that_stops_its_layer_ends_at_the_wall_limit() {
    Case::new()
        .with_limits(|limits| limits.wall = Duration::from_secs(1))
        .check_end("test_stops_its_parent", End::WallLimit);
}

#[test]
fn a_test_that_interrupts_itself_is_an_outcome() {
    let report = Case::new().run("test_interrupts_itself");
    assert!(
        matches!(&report.outcome, Outcome::Raised(error) if error.type_name == "KeyboardInterrupt"),
        "{:?}",
        report.outcome
    );
}

#[test]
fn deletions_outside_scratch_are_refused() {
    Case::contained().check_refused("test_deletes_a_folder", "write");
}

#[test]
fn every_way_to_change_a_file_is_refused() {
    let report = Case::contained().check_status("test_deletes_in_many_ways", TestStatus::Passed);
    assert_eq!(report.containment.refused.len(), 15);
}

#[test]
fn the_kernel_refuses_what_the_audit_hook_does_not_see_and_tells() {
    let mut case = Case::contained();
    if case.driver.fences().unwrap() == FenceSet::NONE {
        eprintln!("this kernel has no fences: only the audit hook was tested");
        return;
    }
    let deletes = case.run("test_deletes_behind_python");
    assert_eq!(status(&deletes), TestStatus::Passed);
    let connects = case.run("test_connects_behind_python");
    assert_eq!(status(&connects), TestStatus::Passed);
    if case.driver.fences().unwrap().filter {
        let kinds =
            |report: &Report| report.containment.refused.iter().map(|refusal| refusal.kind.clone()).collect::<Vec<_>>();
        assert!(kinds(&deletes).contains(&"write".to_owned()), "{:?}", deletes.containment);
        assert_eq!(kinds(&connects), ["net"]);
    }
}

#[test]
fn scratch_and_null_devices_can_be_written() {
    let report = Case::contained().check_status("test_writes_where_it_is_allowed", TestStatus::Passed);
    assert!(!report.is_refused(), "{:?}", report.containment);
    assert!(report.containment.has_audit);
}

#[test]
fn an_allowed_path_can_be_written() {
    let mut case = Case::contained();
    case.policy.allow_write.push(case.project.outside("outside"));
    let layer = Arc::new(LayerSpec { policy: case.policy.clone(), ..case.project.tests() });
    let report = run_one(&mut case.driver, &layer, test_piece("test_hostile.py::test_writes_outside", 0));
    assert_eq!(status(&report), TestStatus::Passed, "{:?}", report.outcome);
    assert_eq!(fs::read(case.project.outside("outside/new")).unwrap(), b"text");
    Case::contained().check_refused("test_writes_outside", "write");
}

#[test]
fn connections_are_refused_unless_allowed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let case = || Case { policy: Policy::contained(), ..Case::with_env(&[("HOSTILE_PORT", &port)]) };
    case().check_refused("test_connects", "net");
    assert!(listener.accept().is_err(), "nobody may have connected");
    let mut allowed = case();
    allowed.policy.allow_net = true;
    allowed.check_status("test_connects", TestStatus::Passed);
    assert!(listener.accept().is_ok());
}

#[test]
fn an_event_loop_needs_no_permission() {
    let report = Case::contained().check_status("test_event_loop", TestStatus::Passed);
    assert!(!report.is_refused());
}

#[test]
fn subprocesses_are_refused_unless_allowed() {
    Case::contained().check_refused("test_starts_a_subprocess", "subprocess");
    Case::contained().check_refused("test_forks", "subprocess");
    let mut allowed = Case::contained();
    allowed.policy.allow_subprocess = true;
    let report = allowed.check_status("test_starts_a_subprocess", TestStatus::Passed);
    assert_eq!(report.output.bytes, b"started\n");
}

#[test]
fn a_contained_test_cannot_kill_its_layer() {
    Case::contained().check_refused("test_kills_its_parent", "signal");
}

#[test]
fn pools_of_loky_do_not_outlive_their_test() {
    let mut case = Case::new();
    let report = case.run("test_leaves_a_pool");
    assert_eq!(status(&report), TestStatus::Passed, "{:?}", report.outcome);
    case.check_end("test_leaves_a_pool_in_a_hurry", End::Exited(0));
}

#[test]
fn a_test_that_hangs_only_in_forks_is_moved_to_fresh_interpreters() {
    let mut case = Case::with_env(&[("HOSTILE_HANG_AFTER_FORK", "1")]);
    case.limits.wall = Duration::from_secs(6);
    for _ in 0..2 {
        let report = case.run("test_hangs_after_a_fork");
        assert_eq!(status(&report), TestStatus::Passed);
        assert_eq!(report.mode, Mode::Spawned("it hung after a fork".to_owned()));
    }
}

#[test]
fn openmp_used_at_import_means_fresh_interpreters() {
    let project = Project::new("openmp-at-import");
    for (threads, mode_is_forked) in [(Threads::One, true), (Threads::Inherit, false)] {
        let mut settings = project.settings();
        settings.threads = threads;
        settings.env.insert("OMP_NUM_THREADS".into(), "2".into());
        let mut driver = Driver::start(settings, Cancel::new()).unwrap();
        let layer = Arc::new(project.tests());
        let report = run_one(&mut driver, &layer, test_piece("test_openmp.py::test_kmeans_and_boosting", 0));
        assert_eq!(status(&report), TestStatus::Passed);
        assert_eq!(report.mode == Mode::Forked, mode_is_forked, "{threads:?}: {:?}", report.mode);
    }
}

#[test]
fn the_threads_of_openblas_do_not_mean_fresh_interpreters() {
    let project = Project::new("unseeded-draws");
    let mut settings = project.settings();
    settings.threads = Threads::Inherit;
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"] {
        settings.env.insert(name.into(), "4".into());
    }
    let mut driver = Driver::start(settings, Cancel::new()).unwrap();
    let old = "assert True";
    let new = "x = np.random.normal(size=(600, 600)); assert (x @ x.T).trace() > 0";
    // Used at import as well, so that the pool is running when the layer is forked.
    let mut edit = project.replaced(DRAWS, old, new);
    edit.source.extend(b"test_trivial()\n");
    let layer = Arc::new(LayerSpec { edits: vec![edit], ..project.tests() });
    let report = run_one(&mut driver, &layer, test_piece("test_draws.py::test_trivial", 0));
    assert_eq!(status(&report), TestStatus::Passed);
    assert_eq!(report.mode, Mode::Forked);
}

fn load_failure(driver: &mut Driver, layer: LayerSpec) -> LoadFailure {
    let layer = Arc::new(layer);
    let report = run_one(driver, &layer, test_piece("any", 0));
    let Outcome::LoadFailed(failure) = report.outcome else { panic!("{:?}", report.outcome) };
    failure
}

#[test]
fn an_import_that_fails_is_a_load_failure_with_its_exception() {
    let project = Project::new("failing-import");
    let mut driver = project.driver(1);
    let LoadFailure::Import(error) = load_failure(&mut driver, project.modules(&["broken"], Policy::baseline())) else {
        panic!()
    };
    assert_eq!((&*error.type_name, &*error.message), ("ValueError", "bad module"));
    let failure = load_failure(&mut driver, project.modules(&["crashing"], Policy::baseline()));
    assert!(matches!(failure, LoadFailure::Ended { end: End::Signal(11), .. }), "{failure:?}");
    // A test file that cannot be imported costs that file only.
    let layer = Arc::new(project.tests());
    let loaded = driver.warm(&layer).unwrap().unwrap();
    assert_eq!(loaded.errors[0].node, "test_broken.py");
    assert!(loaded.errors[0].text.contains("No module named 'no_such_module'"));
    let report = run_one(&mut driver, &layer, test_piece("test_fine.py::test_fine", 0));
    assert_eq!(status(&report), TestStatus::Passed);
}

#[test]
fn a_conftest_that_fails_is_a_load_failure_with_its_exception() {
    let project = Project::new("failing-conftest");
    let failure = load_failure(&mut project.driver(1), project.tests());
    let LoadFailure::Collection { exit_code, exception, output } = failure else { panic!("{failure:?}") };
    assert_eq!(exit_code, 4);
    assert_eq!(exception.unwrap().message, "conftest cannot be read");
    assert!(output.text().contains("conftest cannot be read"));
}

#[test]
fn a_collection_that_takes_too_long_is_ended() {
    let project = Project::new("slow-collection");
    let limits = Limits { wall: Duration::from_secs(4), ..limits() };
    let failure = load_failure(&mut project.driver(1), LayerSpec { limits, ..project.tests() });
    assert!(matches!(failure, LoadFailure::Ended { end: End::WallLimit, .. }), "{failure:?}");

    let mut settings = project.settings();
    settings.env.insert("SLOW_COLLECTION".into(), "busy".into());
    let mut driver = Driver::start(settings, Cancel::new()).unwrap();
    let limits = Limits { cpu: Duration::from_secs(2), ..support::limits() };
    let failure = load_failure(&mut driver, LayerSpec { limits, ..project.tests() });
    assert!(matches!(failure, LoadFailure::Ended { end: End::CpuLimit, .. }), "{failure:?}");
}
