//! The interpreter, the Python package and copies of fixture projects.

use std::path::{Path, PathBuf};
use std::{env, fs};

use temper_worker::{Cancel, Driver, Settings};

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

pub fn python() -> PathBuf {
    let python = env::var_os("TEMPER_TEST_PYTHON").map_or_else(|| repository().join(".venv/bin/python"), PathBuf::from);
    assert!(python.exists(), "no interpreter at `{}`: run `make venv`, or set TEMPER_TEST_PYTHON", python.display());
    python
}

/// A copy of a project, with a package folder and a scratch folder next to it.
pub struct Project {
    folder: tempfile::TempDir,
    has_plugins: bool,
}

impl Project {
    /// A copy of `fixtures/projects/NAME`.
    pub fn fixture(name: &str) -> Self {
        Self::copy(&repository().join("fixtures/projects").join(name))
    }

    /// A copy of a folder.
    pub fn copy(from: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy_tree(from, &folder.path().join("project"));
        fs::create_dir(folder.path().join("scratch")).unwrap();
        make_package(&folder.path().join("package/temper"));
        Self { folder, has_plugins: false }
    }

    /// Has pytest load the plugins that are installed. They double what a run costs, and few tests are about them.
    pub fn with_plugins(mut self) -> Self {
        self.has_plugins = true;
        self
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("project").canonicalize().unwrap()
    }

    pub fn settings(&self) -> Settings {
        let place = |name: &str| self.folder.path().join(name).canonicalize().unwrap();
        let mut settings = Settings::new(python(), place("package"), place("scratch"));
        settings.env = env::vars_os().collect();
        if !self.has_plugins {
            settings.env.insert("PYTEST_DISABLE_PLUGIN_AUTOLOAD".into(), "1".into());
        }
        settings
    }

    pub fn driver(&self) -> Driver {
        Driver::start(self.settings(), Cancel::new()).unwrap()
    }
}

/// The package as workers need it: `temper` without the compiled engine, which they do not use.
fn make_package(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("__init__.py"), "").unwrap();
    for part in ["worker", "bounds"] {
        std::os::unix::fs::symlink(repository().join("python/temper").join(part), folder.join(part)).unwrap();
    }
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_name().to_str() {
            Some("__pycache__" | ".temper" | ".pytest_cache") => {}
            _ if entry.path().is_dir() => copy_tree(&entry.path(), &target),
            _ => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}
