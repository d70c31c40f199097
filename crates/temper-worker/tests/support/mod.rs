//! What the tests of this crate share: the interpreter, fixture projects copied to a temporary folder, edits that add probes.
#![expect(dead_code, reason = "each test binary uses a part")]

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use temper_worker::{
    Cancel, Driver, Edit, Flow, LayerSpec, Limits, Memory, Outcome, Piece, Policy, Report, Settings, Subjects, Task,
    TestStatus, Value, Work,
};

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The interpreter that tests use.
pub fn python() -> PathBuf {
    let python = env::var_os("TEMPER_TEST_PYTHON").map_or_else(|| repository().join(".venv/bin/python"), PathBuf::from);
    assert!(
        python.exists(),
        "no interpreter at `{}`: run `make venv`, or set TEMPER_TEST_PYTHON to one that has pytest, numpy, scipy, scikit-learn",
        python.display()
    );
    python
}

/// A folder that is removed at the end.
pub struct TempDir(pub PathBuf);

impl TempDir {
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let unique = format!("temper-test-{name}-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().canonicalize().unwrap().join(unique);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn join(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_name() == "__pycache__" {
            continue;
        }
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// All files below a folder with their content; folders and links too.
pub fn snapshot(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        // Folders may vanish while they are read, when a worker is cleaning up.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.is_symlink() {
                found.insert(path.clone(), b"folder".to_vec());
                walk(&path, found);
            } else {
                let content = fs::read(&path).unwrap_or_else(|error| error.to_string().into_bytes());
                found.insert(path, content);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, &mut found);
    found
}

/// A copy of a fixture project, with a scratch folder next to it.
pub struct Project {
    dir: TempDir,
}

impl Project {
    pub fn new(fixture: &str) -> Self {
        let dir = TempDir::new(fixture);
        copy_tree(&repository().join("fixtures/projects").join(fixture), &dir.join("project"));
        fs::create_dir(dir.join("scratch")).unwrap();
        Self { dir }
    }

    pub fn root(&self) -> PathBuf {
        self.dir.join("project")
    }

    pub fn scratch(&self) -> PathBuf {
        self.dir.join("scratch")
    }

    /// A path next to the project, outside scratch.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    pub fn settings(&self) -> Settings {
        let mut settings = Settings::new(python(), repository().join("python"), self.scratch());
        settings.env = env::vars_os().collect();
        settings
    }

    pub fn driver(&self, slots: usize) -> Driver {
        let mut settings = self.settings();
        settings.slots = NonZeroUsize::new(slots).unwrap();
        Driver::start(settings, Cancel::new()).unwrap()
    }

    /// All tests of the project, as they are on disk.
    pub fn tests(&self) -> LayerSpec {
        LayerSpec::new(self.root(), Subjects::Tests(vec![]))
    }

    /// Modules of the project, under a policy.
    pub fn modules(&self, names: &[&str], policy: Policy) -> LayerSpec {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        LayerSpec { policy, ..LayerSpec::new(self.root(), Subjects::Modules(names)) }
    }

    /// The file with each expression wrapped in a probe, numbered from 0.
    pub fn probed(&self, file: &str, expressions: &[&str]) -> Edit {
        let path = self.root().join(file);
        let mut source = fs::read_to_string(&path).unwrap();
        for (site, expression) in expressions.iter().enumerate() {
            assert!(source.contains(expression), "{file} has no `{expression}`");
            source = source.replace(expression, &format!("__temper_probe__({site}, {expression})"));
        }
        Edit { path, source: source.into_bytes() }
    }

    /// The file with one text replaced.
    pub fn replaced(&self, file: &str, old: &str, new: &str) -> Edit {
        let path = self.root().join(file);
        let source = fs::read_to_string(&path).unwrap();
        assert!(source.contains(old), "{file} has no `{old}`");
        Edit { path, source: source.replace(old, new).into_bytes() }
    }
}

/// Limits for subjects that are expected to be quick.
pub fn limits() -> Limits {
    Limits { wall: Duration::from_secs(60), cpu: Duration::from_secs(30), ..Limits::default() }
}

pub fn test_piece(node: &str, seed: u64) -> Piece {
    let work = Work::Test { node: node.to_owned(), memory: Memory::AsFound };
    Piece::new(work, seed, limits())
}

/// Runs pieces on one layer, and returns their reports in order.
pub fn run(driver: &mut Driver, layer: &Arc<LayerSpec>, pieces: Vec<Piece>) -> Vec<Report> {
    let mut reports = Vec::new();
    let task = Task { layer: Arc::clone(layer), pieces };
    let on_report = |report| {
        reports.push(report);
        Flow::Continue
    };
    driver.run([task], on_report).unwrap();
    reports
}

/// Runs one piece.
pub fn run_one(driver: &mut Driver, layer: &Arc<LayerSpec>, piece: Piece) -> Report {
    run(driver, layer, vec![piece]).remove(0)
}

/// The status of a test that ran.
pub fn status(report: &Report) -> TestStatus {
    match &report.outcome {
        Outcome::Test(run) => run.status,
        other => panic!("not a test that ran: {other:?}\n{}", report.output.text()),
    }
}

/// What the probes recorded, one value each, with the site.
pub fn values(report: &Report) -> Vec<(i64, Value)> {
    report.probes.iter().map(|record| (record.site, record.values[0].clone())).collect()
}

/// Processes that carry the scratch folder in their command line or environment: all of a driver's, wherever they went.
pub fn processes_of(scratch: &Path) -> Vec<String> {
    let marker = scratch.to_str().unwrap();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
        let text = [read("cmdline"), read("environ")].concat();
        if String::from_utf8_lossy(&text).contains(marker) {
            found.push(format!("{} {}", entry.file_name().display(), String::from_utf8_lossy(&read("stat"))));
        }
    }
    found
}

/// Waits until no process of a driver is left and its scratch folder is gone.
pub fn assert_all_gone(scratch: &Path) {
    // Generous: only a failure waits for it.
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let (processes, files) = (processes_of(scratch), snapshot(scratch));
        if processes.is_empty() && files.is_empty() {
            return;
        }
        assert!(Instant::now() < until, "left behind: {processes:#?} {:#?}", files.keys());
        thread::sleep(Duration::from_millis(20));
    }
}
