//! The real program with workers: interpreter, package and a repository around the project.

use std::path::PathBuf;
use std::process::Command;

use temper_testkit::{Project, repository_root};

pub const TEMPER: &str = env!("CARGO_BIN_EXE_temper");

/// The package as workers need it: without the compiled engine, which this program is.
pub fn package(project: &Project) -> PathBuf {
    let folder = project.root().parent().unwrap().join("package");
    let temper = folder.join("temper");
    if !temper.exists() {
        std::fs::create_dir_all(&temper).unwrap();
        std::fs::write(temper.join("__init__.py"), "").unwrap();
        for part in ["worker", "bounds"] {
            let from = repository_root().join("python/temper").join(part);
            std::os::unix::fs::symlink(from, temper.join(part)).unwrap();
        }
    }
    folder
}

pub fn python() -> PathBuf {
    let venv = || repository_root().join(".venv/bin/python");
    let python = std::env::var_os("TEMPER_TEST_PYTHON").map_or_else(venv, PathBuf::from);
    assert!(python.exists(), "no interpreter at `{}`: run `make venv`, or set TEMPER_TEST_PYTHON", python.display());
    python
}

pub fn command(project: &Project, arguments: &[&str]) -> Command {
    let mut command = project.command(TEMPER);
    // Before the others: what follows `--` is pytest's.
    command.arg(arguments[0]).arg("--python").arg(python()).args(&arguments[1..]);
    command.env("TEMPER_PACKAGE_DIR", package(project));
    // Plugins that happen to be installed double what a run costs; `temper-bounds` has the tests that are about them.
    command.env("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1");
    command
}

pub fn run(project: &Project, arguments: &[&str]) -> (i32, String, String) {
    let output = command(project, arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}
