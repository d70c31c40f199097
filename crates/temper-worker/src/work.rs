//! What to run: subjects under edits, pieces of work with their seeds and limits, and what they are allowed to do.
//!
//! A piece of work names everything it needs, so where and when it runs does not change its result.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::report::Report;
use crate::wire::Value;

/// What a project layer loads, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerSpec {
    /// The project's root: working directory while loading, first on the module path.
    pub root: PathBuf,
    /// Further folders for the module path, after the root.
    pub paths: Vec<PathBuf>,
    /// Tests or modules.
    pub subjects: Subjects,
    /// Source that stands in for files on disk.
    pub edits: Vec<Edit>,
    /// What the code may do, while it is loaded and in every piece of work.
    pub policy: Policy,
    /// Limits while loading.
    pub limits: Limits,
    /// Whether it keeps its functions at hand, so that pieces of work can replace their code.
    pub keeps_functions: bool,
}

impl LayerSpec {
    /// The project at `root` as it is on disk, with the rights it has under pytest.
    pub fn new(root: PathBuf, subjects: Subjects) -> Self {
        Self {
            root,
            paths: Vec::new(),
            subjects,
            edits: Vec::new(),
            policy: Policy::baseline(),
            limits: Limits::default(),
            keeps_functions: false,
        }
    }
}

/// What a project layer has ready for its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Subjects {
    /// Tests, collected by pytest with these arguments (paths, node ids, options).
    Tests(Vec<String>),
    /// Modules, imported in order.
    Modules(Vec<String>),
    /// What one call of a function leaves in its process: a model that is loaded once for many batches.
    Prepared {
        /// The module that holds the function.
        module: String,
        /// Its name there.
        function: String,
        /// Positional arguments.
        arguments: Vec<Value>,
    },
}

/// The source of one file, in place of what is on disk. It must keep the line numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The file.
    pub path: PathBuf,
    /// Its whole text, in its own encoding.
    pub source: Vec<u8>,
}

/// How far code is kept from the rest of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Containment {
    /// The rights it has under pytest, with temporary files and caches sent to scratch.
    Baseline,
    /// Writes to scratch only; no connections, no subprocesses; by an audit hook, and by the fences that the kernel has.
    Contained,
}

/// What code may see of the user's.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sight {
    /// All variables, and all files that the user may read.
    #[default]
    Everything,
    /// What programs need to run, the project, and this.
    Named {
        /// Environment variables; a `*` at the end stands for any text. Unless `HOME` is among them, the home is scratch.
        variables: Vec<String>,
        /// Files and folders.
        paths: Vec<PathBuf>,
    },
}

/// The working directory of a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorkingDir {
    /// The project's root, where tests find their data.
    Project,
    /// The scratch folder of the piece of work.
    Scratch,
}

/// What code may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// The level. The permissions below only matter when contained.
    pub containment: Containment,
    /// Files and folders that may be written apart from scratch. They must exist: Landlock has no rule for what does not.
    pub allow_write: Vec<PathBuf>,
    /// Whether connections are allowed.
    pub allow_net: bool,
    /// Whether subprocesses and forks are allowed.
    pub allow_subprocess: bool,
    /// Where the work is done.
    pub working_dir: WorkingDir,
    /// Variables and files that it may see.
    pub sight: Sight,
}

impl Policy {
    /// For tests as the user wrote them.
    pub fn baseline() -> Self {
        Self {
            containment: Containment::Baseline,
            allow_write: Vec::new(),
            allow_net: true,
            allow_subprocess: true,
            working_dir: WorkingDir::Project,
            sight: Sight::Everything,
        }
    }

    /// For mutants: nothing but scratch, in the project's root.
    pub fn contained() -> Self {
        Self { containment: Containment::Contained, allow_net: false, allow_subprocess: false, ..Self::baseline() }
    }

    /// For functions fed with drawn values: nothing but scratch, in scratch.
    pub fn scratch_only() -> Self {
        let sight = Sight::Named { variables: Vec::new(), paths: Vec::new() };
        Self { working_dir: WorkingDir::Scratch, sight, ..Self::contained() }
    }
}

/// What one process may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Time on the clock. Generous: a loaded machine is slow.
    pub wall: Duration,
    /// Processor time. Loading has whole seconds, rounded up.
    pub cpu: Duration,
    /// Address space on top of what the layers already hold. Thread stacks and allocators reserve far more than they use.
    pub memory_bytes: u64,
    /// Size of any file it writes.
    pub file_bytes: u64,
    /// How much of what it prints is kept. More is counted and dropped, and does no harm.
    pub output_bytes: usize,
    /// Processes it may have at once, itself not counted.
    pub processes: u32,
}

impl Default for Limits {
    /// A minute of processor time, five on the clock, 16 GiB, files of 1 GiB, 64 KiB of output, 256 processes: above what tests
    /// of machine-learning code use, below what a machine of today cannot bear.
    fn default() -> Self {
        Self::new(Duration::from_secs(60), 16 << 30)
    }
}

impl Limits {
    /// This much processor time, five times as much on the clock, and this much memory.
    #[must_use]
    pub fn new(cpu: Duration, memory_bytes: u64) -> Self {
        let wall = 5 * cpu;
        Self { wall, cpu, memory_bytes, file_bytes: 1 << 30, output_bytes: 64 << 10, processes: 256 }
    }
}

/// One call of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Positional arguments.
    pub arguments: Vec<Value>,
    /// Keyword arguments.
    pub keywords: Vec<(String, Value)>,
    /// State of the random sources when the call starts, so that the call can be repeated alone.
    pub seed: u64,
}

/// What memory holds that a run has not written. Code that reads it, as from `np.empty`, gives the same numbers under one
/// pattern and other numbers under another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Memory {
    /// Whatever was there before.
    AsFound,
    /// A pattern. Zeros that a program asks for cost as much as if it wrote them.
    Filled,
    /// Another pattern.
    FilledOtherwise,
}

/// How one of several runs starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStart {
    /// State of every random source.
    pub seed: u64,
    /// State of memory.
    pub memory: Memory,
}

/// What ends several runs of a test before all are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RepeatUntil {
    /// Nothing.
    End,
    /// A run that does not pass. If it is not the first, the last of the runs still follows.
    Failure,
    /// A run that took something from chance (from a source that it had not seeded, or, while fixed seeds vary, from any), or
    /// that took so long that a process of the next one costs little.
    Chance,
}

/// What a piece of work does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Work {
    /// Runs a collected test once, with fixtures of every scope.
    Test {
        /// Its node id.
        node: String,
        /// State of memory at the start.
        memory: Memory,
    },
    /// Runs a collected test several times, all in one process: a run finds what those before it left behind.
    Repeat {
        /// Its node id.
        node: String,
        /// One a run, in order.
        starts: Vec<RunStart>,
        /// What ends it before all runs are made.
        until: RepeatUntil,
    },
    /// Runs a collected test once and records which lines of the project it reaches.
    Cover {
        /// Its node id.
        node: String,
    },
    /// Calls a function many times in one process.
    Calls {
        /// The module that holds it.
        module: String,
        /// Its name there; dots reach into classes.
        function: String,
        /// The calls, in order.
        calls: Vec<Call>,
    },
    /// Imports a module.
    Import {
        /// Its name.
        module: String,
    },
}

/// One piece of work: one process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// What to do.
    pub work: Work,
    /// State of every random source at the start.
    pub seed: u64,
    /// Limits of the process.
    pub limits: Limits,
    /// Functions of the project that have other code in this process alone. The layer must keep its functions.
    pub changes: Option<Arc<CodeChanges>>,
    /// Whether the traceback of a failed test is rendered, which takes longer than most tests.
    pub wants_traceback: bool,
}

impl Piece {
    /// Work on the project as it was loaded.
    pub fn new(work: Work, seed: u64, limits: Limits) -> Self {
        Self { work, seed, limits, changes: None, wants_traceback: false }
    }
}

/// Other code for live functions, as a worker of the same interpreter made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CodeChanges(pub Vec<Value>);

/// Pieces of work on one project layer. A slot takes a whole task, so the layer is loaded once for all of its pieces.
#[derive(Debug, Clone)]
pub struct Task {
    /// The layer.
    pub layer: Arc<LayerSpec>,
    /// Work on it, in order.
    pub pieces: Vec<Piece>,
}

/// Gives the next piece of work, from the report on the last one; nothing when there is no more.
pub type NextPiece = Box<dyn FnMut(Option<&Report>) -> Option<Piece> + Send>;

/// Work on one project layer, one piece after the other, in one slot. The next piece is asked for in the slot's own thread.
pub struct Adaptive {
    /// The layer.
    pub layer: Arc<LayerSpec>,
    /// What comes next.
    pub next: NextPiece,
}

impl From<Task> for Adaptive {
    fn from(task: Task) -> Self {
        let mut pieces = task.pieces.into_iter();
        Self { layer: task.layer, next: Box::new(move |_| pieces.next()) }
    }
}
