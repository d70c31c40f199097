//! What stored runs used apart from their code, and whether all of it is still as it was.
//!
//! A [`Trace`] is a list of things with a digest each: files and folders of the project and elsewhere, environment variables,
//! distributions. [`Surroundings`] gives the digests of today. A stored run counts only if every entry of its trace has the
//! digest of today. Paths are relative to the project, the interpreter or the home folder where they can be, so that runs of
//! one checkout count in another. Values of variables are never kept: only a digest that takes long to guess.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use temper_worker::{Loaded, Report, Sight, Used, UsedItem};

/// How often the digest of a variable is digested again: a value that others could guess must cost them something.
const STRETCH: usize = 20_000;
/// Data files of the project that are taken in where nobody sees which of them were used: at most this many bytes.
const MOST_DATA_BYTES: u64 = 64 << 20;
/// Variables that libraries read in C, by their beginnings.
const LIBRARY_VARIABLES: [&str; 10] =
    ["OMP_", "MKL_", "OPENBLAS_", "NUMBA_", "XLA_", "TF_", "TORCH_", "JAX_", "CUDA_", "PYTHON"];
/// Ends of files that hold code, which the key of a run has.
const CODE: [&str; 5] = ["py", "pyc", "pyi", "so", "pyd"];
/// Folders below the project that hold no data of its tests.
const NOT_DATA: [&str; 4] = ["node_modules", "__pycache__", "site-packages", "target"];
/// Variables of a session, which test runners and libraries read everywhere and traces leave out; the same are in
/// `worker/trace.py`.
const SESSION_VARIABLES: [&str; 18] = [
    "CI",
    "COLORTERM",
    "COLUMNS",
    "FORCE_COLOR",
    "HOME",
    "LINES",
    "LOGNAME",
    "NO_COLOR",
    "PWD",
    "PY_COLORS",
    "SHELL",
    "USER",
    "USERNAME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "GITHUB_ACTIONS",
    "BUILD_NUMBER",
];
/// The digest of what is not there.
const ABSENT: &str = "absent";
/// How the kind of machine stands in a trace. It is kept with the runs and need not be that of today.
const MACHINE: &str = "machine ";
const NO_DIGEST: &str = "-";
/// A file that changed this long before a run ended may have changed under it: clocks of files are coarse.
const COARSE: Duration = Duration::from_millis(50);

/// How all data files of the project stand in a trace.
const ALL_DATA: &str = "data project";

/// The data files of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataFiles {
    /// How many there are.
    pub files: usize,
    /// Their size together.
    pub bytes: u64,
    /// Whether some are not looked at, because there are too many bytes.
    pub is_cut: bool,
}

/// What some runs used, each thing with its digest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    entries: BTreeMap<String, String>,
}

impl Trace {
    /// As the store keeps it: a line for each thing.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.entries.iter().map(|(name, digest)| format!("{digest} {name}\n")).collect()
    }

    /// From what [`Trace::to_text`] wrote; nothing if it is something else.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let entry = |line: &str| line.split_once(' ').map(|(digest, name)| (name.to_owned(), digest.to_owned()));
        Some(Self { entries: text.lines().map(entry).collect::<Option<_>>()? })
    }

    /// The kind of machine that the runs were taken on, if they say so.
    #[must_use]
    pub fn machine(&self) -> Option<&str> {
        self.entries.keys().find_map(|name| name.strip_prefix(MACHINE))
    }
}

/// The world around the runs of a command, as it is now.
#[derive(Debug)]
pub struct Surroundings {
    root: PathBuf,
    /// Places that paths may be relative to, the longest first, each with the word that stands for it.
    places: Vec<(&'static str, PathBuf)>,
    variables: BTreeMap<OsString, OsString>,
    /// The kind of this machine.
    machine: String,
    installed: BTreeMap<String, String>,
    /// What loading the project used.
    loading: Used,
    /// Digests that were computed, each with the time that the file had then.
    digests: RefCell<HashMap<String, (Option<SystemTime>, String)>>,
    /// What came with libraries that runs imported late: later runs find these imported, and do not show it themselves.
    late: RefCell<BTreeSet<String>>,
    /// What all runs of this command used, and those that it found stored.
    seen: RefCell<SeenUse>,
}

/// Variables and paths that runs were seen to use.
#[derive(Debug, Default)]
struct SeenUse {
    variables: BTreeSet<String>,
    paths: BTreeSet<PathBuf>,
    is_opaque: bool,
}

impl Surroundings {
    /// Of a project that was loaded, under these environment variables, on this kind of machine.
    #[must_use]
    pub fn new(root: &Path, loaded: &Loaded, variables: BTreeMap<OsString, OsString>, machine: &str) -> Self {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut places = vec![("project", real(root))];
        if let Some(versions) = &loaded.versions {
            places.push(("prefix", real(&versions.prefix)));
        }
        if let Some(home) = variables.get(&OsString::from("HOME")) {
            places.push(("home", real(Path::new(home))));
        }
        places.sort_by_key(|(_, path)| std::cmp::Reverse(path.as_os_str().len()));
        let seen = RefCell::default();
        let installed = loaded.versions.as_ref().map(|versions| versions.installed.iter().cloned().collect());
        Self {
            root: real(root),
            places,
            variables,
            machine: machine.to_owned(),
            installed: installed.unwrap_or_default(),
            loading: loaded.used.clone(),
            digests: RefCell::default(),
            late: RefCell::default(),
            seen,
        }
        .with_loading_seen()
    }

    fn with_loading_seen(self) -> Self {
        self.note_use(&self.loading);
        self
    }

    /// Notes what a run used.
    pub(crate) fn note_use(&self, used: &Used) {
        let mut seen = self.seen.borrow_mut();
        seen.variables.extend(used.variables.iter().map(|item| item.name.clone()));
        seen.paths.extend(used.files.iter().chain(&used.folders).map(|item| PathBuf::from(&item.name)));
        seen.is_opaque |= used.is_opaque;
    }

    /// Notes what stored runs used.
    pub(crate) fn note_trace(&self, trace: &Trace) {
        let mut seen = self.seen.borrow_mut();
        for name in trace.entries.keys() {
            match name.split_once(' ') {
                Some(("variable", variable)) => drop(seen.variables.insert(variable.to_owned())),
                Some(("file" | "folder", path)) => drop(seen.paths.insert(self.absolute(path))),
                Some(("data" | "variables", _)) => seen.is_opaque = true,
                _ => {}
            }
        }
    }

    /// What mutants may see: exactly what the runs of the original used, or else their results would differ for that alone.
    /// Everything, if nobody saw all that was used.
    pub(crate) fn sight(&self) -> Sight {
        let seen = self.seen.borrow();
        if seen.is_opaque {
            return Sight::Everything;
        }
        let of_session = SESSION_VARIABLES.iter().map(|name| (*name).to_owned());
        let of_libraries = LIBRARY_VARIABLES.iter().map(|start| format!("{start}*"));
        let variables = seen.variables.iter().cloned().chain(of_session).chain(of_libraries).collect();
        Sight::Named { variables, paths: seen.paths.iter().cloned().collect() }
    }

    /// What the runs of one process used, and what loading used for them: `is_theirs` says whether a module of the project
    /// belongs to the test. Nothing if a file may have changed while they ran.
    #[must_use]
    pub fn trace(&self, report: &Report, is_theirs: &dyn Fn(&Path) -> bool) -> Option<Trace> {
        self.note_use(&report.used);
        let began = SystemTime::now().checked_sub(report.usage.wall + COARSE)?;
        let mut trace = Trace::default();
        let machine = report.machine.as_ref().unwrap_or(&self.machine);
        trace.entries.insert(format!("{MACHINE}{machine}"), NO_DIGEST.to_owned());
        let of_loading = |item: &&UsedItem| item.owner.as_deref().is_none_or(is_theirs);
        for used in [&self.loading, &report.used] {
            let theirs = |items: &'_ [UsedItem]| items.iter().filter(of_loading).cloned().collect::<Vec<_>>();
            for file in theirs(&used.files) {
                self.add_path(&mut trace, "file", Path::new(&file.name), began)?;
            }
            for folder in theirs(&used.folders) {
                self.add_path(&mut trace, "folder", Path::new(&folder.name), began)?;
            }
            for variable in theirs(&used.variables) {
                self.add(&mut trace, format!("variable {}", variable.name));
            }
            if used.is_opaque {
                self.add(&mut trace, ALL_DATA.to_owned());
                self.add(&mut trace, "variables libraries".to_owned());
            }
        }
        for file in &report.late_files {
            self.add_path(&mut trace, "file", file, began)?;
        }
        self.note_late(report, &trace);
        for name in self.late.borrow().iter() {
            self.add(&mut trace, name.clone());
        }
        Some(trace)
    }

    /// Notes the libraries that a run imported late, and what it used outside the project, perhaps for their sake.
    fn note_late(&self, report: &Report, trace: &Trace) {
        if report.late_packages.is_empty() {
            return;
        }
        let is_outside = |name: &&String| !name.starts_with("file project/") && !name.starts_with("folder project/");
        let packages = report.late_packages.iter().map(|(package, _)| format!("package {package}"));
        self.late.borrow_mut().extend(packages.chain(trace.entries.keys().filter(is_outside).cloned()));
    }

    /// Whether everything that is in a trace is as it was; the machine aside.
    #[must_use]
    pub fn holds(&self, trace: &Trace) -> bool {
        let entries = trace.entries.iter().filter(|(name, _)| !name.starts_with(MACHINE));
        entries.into_iter().all(|(name, digest)| self.digest(name) == *digest)
    }

    /// Whether runs were taken on a machine of another kind.
    #[must_use]
    pub fn is_elsewhere(&self, trace: &Trace) -> bool {
        trace.machine().is_some_and(|machine| machine != self.machine)
    }

    fn add(&self, trace: &mut Trace, name: String) {
        let digest = self.digest(&name);
        trace.entries.insert(name, digest);
    }

    /// Nothing if the file changed after the run had begun: what the run saw is then not known.
    fn add_path(&self, trace: &mut Trace, kind: &str, path: &Path, began: SystemTime) -> Option<()> {
        let has_changed = fs::metadata(path).and_then(|found| found.modified()).is_ok_and(|at| at > began);
        if has_changed {
            return None;
        }
        self.add(trace, format!("{kind} {}", self.relative(path)));
        Some(())
    }

    /// `project/data/x.csv`, `home/.keras/keras.json`, or the path itself.
    fn relative(&self, path: &Path) -> String {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let below = self.places.iter().find_map(|(word, place)| Some((word, real.strip_prefix(place).ok()?)));
        below.map_or_else(|| real.display().to_string(), |(word, rest)| format!("{word}/{}", rest.display()))
    }

    fn absolute(&self, name: &str) -> PathBuf {
        let (word, rest) = name.split_once('/').unwrap_or((name, ""));
        match self.places.iter().find(|(each, _)| *each == word) {
            Some((_, place)) => place.join(rest),
            None => PathBuf::from(name),
        }
    }

    /// The digest of today.
    fn digest(&self, name: &str) -> String {
        let path = name.split_once(' ').filter(|(kind, _)| matches!(*kind, "file" | "folder"));
        let at = path.and_then(|(_, rest)| fs::metadata(self.absolute(rest)).and_then(|found| found.modified()).ok());
        if let Some((then, known)) = self.digests.borrow().get(name)
            && *then == at
        {
            return known.clone();
        }
        let digest = self.compute(name).unwrap_or_else(|| ABSENT.to_owned());
        self.digests.borrow_mut().insert(name.to_owned(), (at, digest.clone()));
        digest
    }

    fn compute(&self, name: &str) -> Option<String> {
        let (kind, rest) = name.split_once(' ')?;
        match kind {
            "file" => digest_of_file(&self.absolute(rest)),
            "folder" => digest_of_folder(&self.absolute(rest)),
            "variable" => Some(digest_of_variable(rest, self.variables.get(&OsString::from(rest))?)),
            "package" => self.installed.get(rest).map(|version| hex(&Sha256::digest(version))),
            "data" => Some(self.digest_of_data()),
            "variables" => Some(self.digest_of_library_variables()),
            _ => None,
        }
    }

    /// The data files of the project, if all of them count because nobody sees which were used.
    #[must_use]
    pub fn data(&self) -> Option<DataFiles> {
        let is_asked = self.digests.borrow().contains_key(ALL_DATA);
        is_asked.then(|| {
            let files = self.data_files();
            let bytes = files.iter().map(|path| fs::metadata(path).map_or(0, |found| found.len())).sum();
            DataFiles { files: files.len(), bytes, is_cut: bytes > MOST_DATA_BYTES }
        })
    }

    /// All files of the project that are no code, in the order of their paths.
    fn data_files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut open = vec![self.root.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let name = name.to_string_lossy();
                let Ok(kind) = entry.file_type() else { continue };
                let is_left_out = name.starts_with('.') || NOT_DATA.contains(&&*name);
                if kind.is_dir() && !is_left_out && !path.join("pyvenv.cfg").is_file() {
                    open.push(path);
                } else if kind.is_file() && !is_left_out && !is_code(&path) {
                    files.push(path);
                }
            }
        }
        files.sort();
        files
    }

    /// The data files up to a limit.
    fn digest_of_data(&self) -> String {
        let mut whole = Sha256::new();
        let mut bytes = 0;
        for path in self.data_files() {
            bytes += fs::metadata(&path).map_or(0, |found| found.len());
            whole.update(self.relative(&path));
            if bytes > MOST_DATA_BYTES {
                whole.update("more");
                break;
            }
            whole.update(self.digest(&format!("file {}", self.relative(&path))));
        }
        hex(&whole.finalize())
    }

    fn digest_of_library_variables(&self) -> String {
        let mut whole = Sha256::new();
        for (name, value) in &self.variables {
            let text = name.to_string_lossy();
            if LIBRARY_VARIABLES.iter().any(|start| text.starts_with(start)) {
                whole.update(&*text);
                whole.update(digest_of_variable(&text, value));
            }
        }
        hex(&whole.finalize())
    }
}

fn is_code(path: &Path) -> bool {
    path.extension().and_then(|end| end.to_str()).is_some_and(|end| CODE.contains(&end))
}

fn digest_of_file(path: &Path) -> Option<String> {
    let mut file = fs::File::open(path).ok()?;
    let mut whole = Sha256::new();
    std::io::copy(&mut file, &mut whole).ok()?;
    Some(hex(&whole.finalize()))
}

fn digest_of_folder(path: &Path) -> Option<String> {
    let entries = fs::read_dir(path).ok()?.flatten();
    // What we write ourselves, and what Python keeps for itself, is no answer to anybody's question.
    let is_left_out = |name: &OsString| matches!(name.to_str(), Some(".temper" | "__pycache__" | ".pytest_cache"));
    let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).filter(|name| !is_left_out(name)).collect();
    names.sort();
    let mut whole = Sha256::new();
    for name in names {
        whole.update(name.as_encoded_bytes());
        whole.update([0]);
    }
    Some(hex(&whole.finalize()))
}

fn digest_of_variable(name: &str, value: &OsString) -> String {
    let mut digest = Sha256::digest([b"temper variable\0", name.as_bytes(), b"\0", value.as_encoded_bytes()].concat());
    for _ in 0..STRETCH {
        digest = Sha256::digest(digest);
    }
    hex(&digest)
}

/// Half of a digest: 128 bits tell contents apart.
fn hex(digest: &[u8]) -> String {
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod sight_tests {
    use super::*;

    fn used(variables: &[&str], files: &[&str], is_opaque: bool) -> Used {
        let items =
            |names: &[&str]| names.iter().map(|name| UsedItem { name: (*name).to_owned(), owner: None }).collect();
        Used { files: items(files), folders: Vec::new(), variables: items(variables), is_opaque }
    }

    fn surroundings(loading: Used) -> Surroundings {
        let loaded = Loaded {
            items: Vec::new(),
            errors: Vec::new(),
            files: Vec::new(),
            unapplied: Vec::new(),
            spawn_reason: None,
            modules: Vec::new(),
            versions: None,
            options: Vec::new(),
            used: loading,
        };
        Surroundings::new(Path::new("/proj"), &loaded, BTreeMap::new(), "machine")
    }

    #[test]
    fn mutants_see_what_loading_runs_and_stored_runs_used_and_no_more() {
        let around = surroundings(used(&["AT_IMPORT"], &["/data/at_import"], false));
        around.note_use(&used(&["IN_RUN"], &["/data/in_run"], false));
        if let Some(trace) = Trace::from_text("0 variable STORED\n0 file /data/stored\n0 machine x\n") {
            around.note_trace(&trace);
        }
        let Sight::Named { variables, paths } = around.sight() else { panic!("all that was used is known") };
        for name in ["AT_IMPORT", "IN_RUN", "STORED", "HOME"] {
            assert!(variables.iter().any(|each| each == name), "{name}");
        }
        assert!(!variables.iter().any(|each| each == "AWS_SECRET_ACCESS_KEY"));
        assert_eq!(paths, ["/data/at_import", "/data/in_run", "/data/stored"].map(PathBuf::from));
    }

    #[test]
    fn mutants_see_everything_if_nobody_saw_what_was_used() {
        let around = surroundings(used(&[], &[], false));
        around.note_use(&used(&[], &[], true));
        assert_eq!(around.sight(), Sight::Everything);
    }
}
