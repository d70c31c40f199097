//! Internal, development only: a project in a temporary folder, the real command run in it, and its exit code,
//! standard output and standard error as one text to compare with a snapshot.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

mod fuzz;

pub use fuzz::fuzz;

/// The root of the repository that the tests belong to.
pub fn repository_root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    crates.and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default()
}

/// Waits until something has happened. Generous: only a failure waits until the end.
///
/// # Panics
/// When it has not happened after two minutes.
pub fn wait_for(mut has_happened: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(120);
    while !has_happened() {
        assert!(Instant::now() < until, "what the test waits for did not happen");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whether some process has this name, as the kernel keeps it.
pub fn is_process_named(name: &str) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .into_iter()
        .any(|entry| fs::read_to_string(entry.path().join("comm")).is_ok_and(|found| found.trim_end() == name))
}

/// A project in a temporary folder, removed when it is dropped.
pub struct Project {
    folder: TempDir,
    root: PathBuf,
}

impl Project {
    /// A project without files. Its root carries an empty `pytest.ini`, so that no folder above it is taken for it.
    pub fn empty() -> Project {
        Project::in_folder(tempfile::tempdir().expect("a temporary folder can be made"))
    }

    /// A project without files in a folder that is kept in memory, for tests that wait for the disk thousands of times.
    pub fn in_memory() -> Project {
        tempfile::tempdir_in("/dev/shm").map_or_else(|_| Project::empty(), Project::in_folder)
    }

    fn in_folder(folder: TempDir) -> Project {
        // Canonical, because the command prints canonical paths and the filters below look for this one.
        let root = fs::canonicalize(folder.path()).expect("a temporary folder has a path").join("project");
        fs::create_dir(&root).expect("a folder can be made in a temporary folder");
        let project = Project { folder, root };
        project.write("pytest.ini", "");
        project
    }

    /// A copy of `fixtures/projects/NAME`.
    pub fn fixture(name: &str) -> Project {
        let project = Project::empty();
        copy_folder(&repository_root().join("fixtures/projects").join(name), &project.root);
        project
    }

    /// Its root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes a file below the root, with its folders.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Project {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        fs::write(path, content).expect("a file can be written");
        self
    }

    /// A command in the project's root, with an environment that does not depend on who runs the tests.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Runs the program with these arguments and gives its transcript.
    pub fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.command(program).args(arguments).output().expect("the program can be started");
        self.transcript(&output)
    }

    /// Runs git in the project, as nobody in particular, and gives its output.
    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = self.command("git");
        command.args(["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main"]).args(arguments);
        let output = command.output().expect("git can be started");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Exit code, standard output and standard error as one text, with the project's root and our version replaced
    /// by `[ROOT]` and `[VERSION]`. Which fences the machine lacks is left out.
    pub fn transcript(&self, output: &Output) -> String {
        let code = output.status.code().map_or_else(|| format!("{}", output.status), |code| code.to_string());
        let text = format!(
            "exit {code}\n--- stdout\n{}--- stderr\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
                .split_inclusive('\n')
                .filter(|line| !line.starts_with("fences: "))
                .collect::<String>()
        );
        text.replace(&self.root.display().to_string(), "[ROOT]").replace(env!("CARGO_PKG_VERSION"), "[VERSION]")
    }
}

/// Copies a folder with everything below it.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("folders can be made");
    let entries = fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    for entry in entries {
        let entry = entry.expect("a folder can be listed");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a file has a type").is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}
