//! Finds the Python files of a project and reads them: the only module of this crate that touches the file system.
//!
//! What git ignores is passed over, and so are hidden folders and virtual environments, unless they are named. Links to
//! folders inside the walk are not followed, so that no loop of links can keep it busy.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::error::SourceError;
use crate::file::{MAX_BYTES, SourceFile};

/// Folders of other people's code, which not every project lists in its `.gitignore`.
const SKIPPED: [&str; 3] = ["node_modules", "site-packages", "__pycache__"];

/// What a walk leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiscoverOptions {
    /// Patterns of paths to leave out, as in a `.gitignore` at `root`: `*` and `?` stay within a part of the path, `**`
    /// crosses parts, and a pattern without `/` matches any single part (`conftest.py`, `*_pb2.py`).
    pub excludes: Vec<String>,
    /// The folder that patterns are relative to, written as the paths of the walk are; nothing: each path of the walk itself.
    pub root: Option<PathBuf>,
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct Discovered {
    /// Python files, sorted, each once.
    pub files: Vec<PathBuf>,
    /// How many notebooks the folders hold.
    pub notebooks: usize,
    /// Paths that could not be read; the walk goes on without them.
    pub errors: Vec<SourceError>,
}

/// The Python files under `paths`. A file that is named is taken whatever it is called; a folder that is named is walked
/// even if its name is one that is passed over.
#[must_use]
pub fn discover(paths: &[PathBuf], options: &DiscoverOptions) -> Discovered {
    let mut search = FileSearch { options, files: BTreeSet::new(), notebooks: 0, errors: Vec::new() };
    for path in paths {
        search.root(path);
    }
    Discovered { files: search.files.into_iter().collect(), notebooks: search.notebooks, errors: search.errors }
}

/// Reads one file.
///
/// # Errors
/// When it cannot be read, is no regular file, is too large, or is not in an encoding that Temper reads.
pub fn read(path: &Path) -> Result<SourceFile, SourceError> {
    let unreadable = |cause| SourceError::Unreadable { path: path.into(), cause };
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(SourceError::NotAFile { path: path.into() });
    }
    if metadata.len() > MAX_BYTES {
        return Err(SourceError::TooLarge { path: path.into(), bytes: metadata.len(), limit: MAX_BYTES });
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    SourceFile::from_bytes(path, bytes)
}

struct FileSearch<'o> {
    options: &'o DiscoverOptions,
    files: BTreeSet<PathBuf>,
    notebooks: usize,
    errors: Vec<SourceError>,
}

impl FileSearch<'_> {
    fn root(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.folder(path),
            Ok(metadata) if metadata.is_file() => {
                self.files.insert(path.into());
            }
            Ok(_) => self.errors.push(SourceError::NotAFile { path: path.into() }),
            Err(cause) => self.errors.push(SourceError::Unreadable { path: path.into(), cause }),
        }
    }

    fn folder(&mut self, start: &Path) {
        let excluded = match self.excluded(start) {
            Ok(excluded) => excluded,
            Err(error) => return self.errors.push(unreadable(start, error)),
        };
        let mut walk = WalkBuilder::new(start);
        // A project that was unpacked and not cloned has its `.gitignore` all the same.
        walk.require_git(false).overrides(excluded).filter_entry(|entry| entry.depth() == 0 || !is_skipped(entry));
        for entry in walk.build() {
            match entry {
                Ok(entry) if is_python_file(&entry) => {
                    self.files.insert(entry.into_path());
                }
                Ok(entry) => self.notebooks += usize::from(entry.path().extension() == Some(OsStr::new("ipynb"))),
                Err(error) => self.errors.push(unreadable(start, error)),
            }
        }
    }

    fn excluded(&self, start: &Path) -> Result<Override, ignore::Error> {
        let mut excluded = OverrideBuilder::new(self.options.root.as_deref().unwrap_or(start));
        for pattern in &self.options.excludes {
            let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
            excluded.add(&format!("!{pattern}"))?;
        }
        excluded.build()
    }
}

/// The error of a walk with the path that it concerns.
fn unreadable(start: &Path, error: ignore::Error) -> SourceError {
    let path = match &error {
        ignore::Error::WithPath { path, .. } => path.clone(),
        ignore::Error::WithDepth { err, .. } => match &**err {
            ignore::Error::WithPath { path, .. } => path.clone(),
            _ => start.into(),
        },
        _ => start.into(),
    };
    let said = error.to_string();
    SourceError::Unreadable { path, cause: error.into_io_error().unwrap_or_else(|| io::Error::other(said)) }
}

/// A folder of other people's code: by its name, or a virtual environment of any name.
fn is_skipped(entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let name = entry.file_name().to_str().unwrap_or_default();
    is_folder && (SKIPPED.contains(&name) || entry.path().join("pyvenv.cfg").is_file())
}

/// A file called `*.py`, or a link to one.
fn is_python_file(entry: &DirEntry) -> bool {
    entry.path().extension() == Some(OsStr::new("py")) && fs::metadata(entry.path()).is_ok_and(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str], ignored: &str, excludes: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        fs::write(folder.path().join(".gitignore"), ignored).unwrap();
        let excludes = excludes.iter().map(|&pattern| pattern.to_owned()).collect();
        let options = DiscoverOptions { excludes, root: Some(folder.path().into()) };
        let found = discover(&[folder.path().into()], &options);
        assert!(found.errors.is_empty(), "{:?}", found.errors);
        let below = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned();
        found.files.iter().map(below).collect()
    }

    #[test]
    fn what_git_ignores_is_passed_over() {
        let files = ["a.py", "build/lib/a.py", "src/build/b.py", "notes.txt"];
        assert_eq!(found(&files, "", &[]), ["a.py", "build/lib/a.py", "src/build/b.py"]);
        assert_eq!(found(&files, "/build/\n", &[]), ["a.py", "src/build/b.py"]);
    }

    #[test]
    fn environments_and_hidden_folders_are_passed_over_whatever_git_says() {
        let files = ["a.py", "v/pyvenv.cfg", "v/b.py", ".tox/c.py", "node_modules/d.py", "x/site-packages/e.py"];
        assert_eq!(found(&files, "", &[]), ["a.py"]);
    }

    #[test]
    fn patterns_match_as_documented() {
        let table: [(&str, &str, bool); 11] = [
            ("conftest.py", "conftest.py", true),
            ("conftest.py", "tests/conftest.py", true),
            ("*_pb2.py", "a/b_pb2.py", true),
            ("tests/*.py", "tests/a.py", true),
            ("tests/*.py", "tests/a/b.py", false),
            ("tests/**", "tests/a/b.py", true),
            ("tests", "tests/a/b.py", true),
            ("./tests/", "tests/a/b.py", true),
            ("**/a.py", "x/y/a.py", true),
            ("**/a.py", "x/ya.py", false),
            ("t?st.py", "test.py", true),
        ];
        for (pattern, file, is_excluded) in table {
            assert_eq!(found(&[file], "", &[pattern]).is_empty(), is_excluded, "{pattern} on {file}");
        }
    }
}
