//! Results: of loading a project, and of a piece of work.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};

use crate::fences::FenceSet;
use crate::wire::Value;

/// A project layer that is ready.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// Tests that were collected.
    pub items: Vec<Item>,
    /// What could not be collected; the rest goes on without it.
    pub errors: Vec<CollectError>,
    /// Files of the project that were imported: tests, conftest, code under test.
    pub files: Vec<PathBuf>,
    /// Edited files that nothing imported yet.
    pub unapplied: Vec<PathBuf>,
    /// Why pieces of work must run in fresh interpreters, if they must.
    pub spawn_reason: Option<String>,
    /// Third-party modules the project imports, in order; only in the answer to [`Driver::warm`](crate::Driver::warm).
    pub modules: Vec<String>,
    /// Versions; only in the answer to [`Driver::warm`](crate::Driver::warm).
    pub versions: Option<Versions>,
    /// What the project's configuration says to pytest, setting by setting; only in the answer to
    /// [`Driver::warm`](crate::Driver::warm).
    pub options: Vec<(String, String)>,
    /// What was used while the project was imported and collected; only in the answer to
    /// [`Driver::warm`](crate::Driver::warm).
    pub used: Used,
}

/// What code used apart from itself, as far as that can be seen from Python.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Files that it opened for reading, or asked for although they are not there.
    pub files: Vec<UsedItem>,
    /// Folders that it listed.
    pub folders: Vec<UsedItem>,
    /// Environment variables that it read, by name.
    pub variables: Vec<UsedItem>,
    /// Whether it may have used more: a library that opens files in C was loaded, or a process was started.
    pub is_opaque: bool,
}

/// One thing that was used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UsedItem {
    /// An absolute path, or the name of a variable.
    pub name: String,
    /// The file of the project's module that was being imported then; nothing outside of imports.
    pub owner: Option<PathBuf>,
}

/// The random sources that a run used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomSources {
    /// Used in the state that the driver gave them, at least for a while; entropy of the machine among them.
    pub unseeded: Vec<String>,
    /// Seeded by the run itself before it drew from them.
    pub seeded: Vec<String>,
}

/// A test that was collected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its node id.
    pub node: String,
    /// The file it is in.
    pub path: PathBuf,
    /// The line it starts at, from 1.
    pub line: Option<u32>,
}

/// A file or class that pytest could not collect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectError {
    /// Its node id.
    pub node: String,
    /// What pytest says about it.
    pub text: String,
}

/// What the results of a project depend on apart from its own files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    /// Such as `3.11.7`.
    pub python: String,
    /// Such as `cpython`.
    pub implementation: String,
    /// Where the interpreter's libraries lie: `sys.prefix`.
    pub prefix: PathBuf,
    /// Distributions that were imported and their versions, sorted by name.
    pub packages: Vec<(String, String)>,
    /// All distributions that are installed, sorted by name.
    pub installed: Vec<(String, String)>,
}

/// A project layer that could not be loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum LoadFailure {
    /// A module raised.
    Import(Exception),
    /// pytest gave up before any test could start: a conftest that fails, a usage error.
    Collection {
        /// pytest's exit code.
        exit_code: i64,
        /// The exception of a conftest, where that was the cause.
        exception: Option<Exception>,
        /// What pytest printed.
        output: Output,
    },
    /// The process did not get to the end of loading.
    Ended {
        /// How it ended.
        end: End,
        /// What it printed.
        output: Output,
    },
}

/// How a process ended that gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// Killed at its limit of time on the clock.
    WallLimit,
    /// Killed at its limit of processor time.
    CpuLimit,
    /// Killed because it had started too many processes.
    ProcessLimit,
    /// Killed by a signal that was not ours: 11 is a segmentation fault.
    Signal(i32),
    /// Exited by itself with this code, before the work was done.
    Exited(i32),
    /// Did its work but had closed the pipe on which to report it.
    LostResult,
    /// The layer it was forked from ended under it.
    LayerLost,
}

impl End {
    /// How the process ended, to follow "the process", with what would help if it met a limit.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            End::WallLimit => "was stopped at its limit of time on the clock: `--time-limit` raises it".to_owned(),
            End::CpuLimit => "was stopped at its limit of processor time: `--time-limit` raises it".to_owned(),
            End::ProcessLimit => "was stopped because it started too many processes".to_owned(),
            End::Signal(11) => "was killed by signal 11 (segmentation fault)".to_owned(),
            End::Signal(6) => "was killed by signal 6 (abort)".to_owned(),
            End::Signal(8) => "was killed by signal 8 (arithmetic error)".to_owned(),
            End::Signal(9) => "was killed by signal 9 (most likely out of memory)".to_owned(),
            End::Signal(signal) => format!("was killed by signal {signal}"),
            End::Exited(code) => format!("exited by itself with code {code}"),
            End::LostResult => "closed the pipe on which it was to report".to_owned(),
            End::LayerLost => "ended with its parent".to_owned(),
        }
    }

    /// Whether it met a limit that the user may raise: under another limit the same work may end well.
    #[must_use]
    pub fn is_at_limit(self) -> bool {
        matches!(self, End::WallLimit | End::CpuLimit)
    }

    /// Whether somebody else ended it: a signal that programs do not die of by their own faults, such as that of a machine
    /// which runs out of memory, or the end of the layer under it. Says nothing about the subject, unless it happens again.
    #[must_use]
    pub fn is_from_outside(self) -> bool {
        const OTHERS: [Signal; 5] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGKILL, Signal::SIGTERM];
        match self {
            Self::Signal(number) => OTHERS.iter().any(|signal| *signal as i32 == number),
            Self::LayerLost => true,
            _ => false,
        }
    }
}

/// The result of one piece of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// A test ran.
    Test(TestRun),
    /// All calls were made; see [`Report::calls`].
    Called,
    /// All runs were made; see [`Report::runs`].
    Repeated,
    /// The module was imported.
    Imported,
    /// The work raised outside a test or a call: an import, `pytest.exit`.
    Raised(Exception),
    /// It ran into its memory limit.
    MemoryLimit(Exception),
    /// It ran into its limit of file size.
    FileLimit(Exception),
    /// The process ended without an answer.
    Ended(End),
    /// The project layer has no test of that name.
    Missing,
    /// The project layer could not be loaded.
    LoadFailed(LoadFailure),
}

/// How a test went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestRun {
    /// In one word.
    pub status: TestStatus,
    /// The exception behind anything but a pass.
    pub exception: Option<Exception>,
    /// pytest's text for it.
    pub text: String,
    /// Time in each phase.
    pub secs: Secs,
}

/// pytest's verdicts on a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TestStatus {
    /// It passed.
    Passed,
    /// Its body raised.
    Failed,
    /// A fixture raised, in set-up or teardown.
    Error,
    /// It was skipped.
    Skipped,
    /// It was expected to fail, and did.
    XFailed,
    /// It was expected to fail, and passed.
    XPassed,
}

/// Seconds that a test spent in its phases.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Secs {
    /// Building fixtures.
    pub setup: f64,
    /// The body.
    pub call: f64,
    /// Taking fixtures down.
    pub teardown: f64,
}

/// A Python exception.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exception {
    /// Qualified name of its type; builtins without module.
    pub type_name: String,
    /// Its words.
    pub message: String,
    /// File, line and function of each frame, innermost last.
    pub frames: Vec<(String, u32, String)>,
    /// The error number of an `OSError`.
    pub errno: Option<i64>,
    /// Whether it is a `MemoryError`.
    pub is_memory: bool,
    /// Whether it is a `PermissionError`, which is what containment raises.
    pub is_permission: bool,
}

/// What one call of a function gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CallResult {
    /// It returned.
    Returned(Value),
    /// It raised.
    Raised(Exception),
}

/// One of several runs of a test in one process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepeatedRun {
    /// The seed it ran with.
    pub seed: u64,
    /// The result.
    pub outcome: Outcome,
    /// What the probes recorded, in order.
    pub probes: Vec<ProbeRecord>,
    /// Records that did not fit.
    pub dropped_probes: u64,
    /// The random sources that it used.
    pub random_sources: RandomSources,
    /// Time on the clock.
    pub wall: Duration,
    /// Processor time.
    pub cpu: Duration,
}

/// What one probe recorded at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeRecord {
    /// The first argument of the probe.
    pub site: i64,
    /// The others.
    pub values: Vec<Value>,
}

/// Which fences stood, and what they refused.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContainmentReport {
    /// Whether the audit hook was on.
    pub has_audit: bool,
    /// Which of the kernel's fences were on.
    pub fences: FenceSet,
    /// What was refused, by the audit hook and by the driver; at most 20.
    pub refused: Vec<Refusal>,
}

impl ContainmentReport {
    /// Whether the kernel refused things that the list of refusals may not hold.
    #[must_use]
    pub fn has_fences(&self) -> bool {
        self.fences.missing().len() < FenceSet::NONE.missing().len()
    }
}

/// Something that containment refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// `write`, `read`, `metadata`, `net`, `subprocess`, `signal`, `process`, `memory` or `system`.
    pub kind: String,
    /// The path, address, program or process; empty where it is not known.
    pub detail: String,
}

/// What a process printed on its standard output and error.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Output {
    /// The part that was kept.
    pub bytes: Vec<u8>,
    /// How much there was.
    pub total_bytes: u64,
    /// Whether some was dropped.
    pub is_truncated: bool,
}

impl Output {
    /// The part that was kept, as text.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {} bytes: {:?}", self.bytes.len(), self.total_bytes, self.text())
    }
}

/// What a process used.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Processor time, with that of children it waited for.
    pub cpu: Duration,
    /// Time on the clock.
    pub wall: Duration,
    /// Greatest resident size.
    pub max_rss_kib: u64,
    /// Processes it left behind, which were killed.
    pub orphans: u32,
}

/// How a piece of work was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Forked from its project layer.
    Forked,
    /// In a fresh interpreter, for this reason.
    Spawned(String),
}

/// The whole answer for one piece of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Which task it belonged to, in the order given to [`Driver::run`](crate::Driver::run).
    pub task: usize,
    /// Which piece of the task.
    pub piece: usize,
    /// The seed it ran with.
    pub seed: u64,
    /// The result.
    pub outcome: Outcome,
    /// What the probes recorded, in order. Empty if the process gave no answer.
    pub probes: Vec<ProbeRecord>,
    /// Records that did not fit.
    pub dropped_probes: u64,
    /// The random sources that it used; those of its last run if it made several.
    pub random_sources: RandomSources,
    /// Results of calls, in order; shorter than asked if the process was killed, and then the next one killed it.
    pub calls: Vec<CallResult>,
    /// Runs of [`Work::Repeat`](crate::Work::Repeat), in the order of their starts; shorter than asked if the process was
    /// killed.
    pub runs: Vec<RepeatedRun>,
    /// Fences and refusals.
    pub containment: ContainmentReport,
    /// What was printed.
    pub output: Output,
    /// What was used.
    pub usage: Usage,
    /// The kind of machine, if it was done on another one.
    pub machine: Option<String>,
    /// Forked or spawned.
    pub mode: Mode,
    /// Files of the project that only this piece of work imported.
    pub late_files: Vec<PathBuf>,
    /// What it used apart from its code.
    pub used: Used,
    /// Distributions that only this run of a test imported, with their versions.
    pub late_packages: Vec<(String, String)>,
    /// Modules of libraries that only this run of a test imported.
    pub(crate) late_modules: Vec<String>,
    /// Lines that [`Work::Cover`](crate::Work::Cover) reached, ascending, by file of the project.
    pub covered: Vec<(PathBuf, Vec<u32>)>,
}

impl Report {
    /// Whether the process was ended from outside while it loaded or worked; see [`End::is_from_outside`].
    #[must_use]
    pub fn is_ended_from_outside(&self) -> bool {
        match &self.outcome {
            Outcome::Ended(end) | Outcome::LoadFailed(LoadFailure::Ended { end, .. }) => end.is_from_outside(),
            _ => false,
        }
    }

    /// Whether containment refused something, so that what the subject did next is no evidence against it.
    pub fn is_refused(&self) -> bool {
        let exception = match &self.outcome {
            Outcome::Test(run) => run.exception.as_ref(),
            Outcome::Raised(exception) => Some(exception),
            _ => None,
        };
        !self.containment.refused.is_empty()
            || self.containment.has_fences() && exception.is_some_and(|exception| exception.is_permission)
    }
}
