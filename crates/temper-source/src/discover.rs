//! Finds the Python files of a project and reads them: the only module of this crate that touches the file system.
//!
//! Folders that hold other people's code or built copies are passed over unless they are named. Links to folders inside the
//! walk are not followed, so that no loop of links can keep it busy.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::SourceError;
use crate::file::{MAX_BYTES, SourceFile};

/// Folders that are passed over by name.
const SKIPPED: [&str; 20] = [
    ".git",
    ".hg",
    ".svn",
    ".venv",
    "venv",
    ".env",
    "env",
    "node_modules",
    "__pycache__",
    "build",
    "dist",
    ".tox",
    ".nox",
    "site-packages",
    ".eggs",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".temper",
    ".ipynb_checkpoints",
];

/// What a walk leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiscoverOptions {
    /// Patterns of paths to leave out, with `/` between parts: `*` and `?` stay within a part, `**` crosses parts. A pattern
    /// without `/` matches any single part (`conftest.py`, `*_pb2.py`), another one the path below `root`.
    pub excludes: Vec<String>,
    /// The folder that patterns are relative to, written as the paths of the walk are; nothing: each path of the walk itself.
    pub root: Option<PathBuf>,
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct Discovered {
    /// Python files, sorted, each once.
    pub files: Vec<PathBuf>,
    /// Paths that could not be read; the walk goes on without them.
    pub errors: Vec<SourceError>,
}

/// The Python files under `paths`. A file that is named is taken whatever it is called; a folder that is named is walked
/// even if its name is one that is passed over.
#[must_use]
pub fn discover(paths: &[PathBuf], options: &DiscoverOptions) -> Discovered {
    let mut walk = Walk { options, files: BTreeSet::new(), errors: Vec::new() };
    for path in paths {
        walk.root(path);
    }
    Discovered { files: walk.files.into_iter().collect(), errors: walk.errors }
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

struct Walk<'o> {
    options: &'o DiscoverOptions,
    files: BTreeSet<PathBuf>,
    errors: Vec<SourceError>,
}

impl Walk<'_> {
    fn root(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.folder(path, path),
            Ok(metadata) if metadata.is_file() => {
                self.files.insert(path.into());
            }
            Ok(_) => self.errors.push(SourceError::NotAFile { path: path.into() }),
            Err(cause) => self.errors.push(SourceError::Unreadable { path: path.into(), cause }),
        }
    }

    /// Walks with a list instead of calls, so that no depth of folders matters.
    fn folder(&mut self, root: &Path, start: &Path) {
        let mut open = vec![start.to_path_buf()];
        while let Some(folder) = open.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(cause) => {
                    self.errors.push(SourceError::Unreadable { path: folder, cause });
                    continue;
                }
            };
            for entry in entries {
                match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
                    Ok((path, kind)) => self.entry(root, path, kind, &mut open),
                    Err(cause) => self.errors.push(SourceError::Unreadable { path: folder.clone(), cause }),
                }
            }
        }
    }

    fn entry(&mut self, root: &Path, path: PathBuf, kind: fs::FileType, open: &mut Vec<PathBuf>) {
        if self.is_excluded(root, &path) {
            return;
        }
        if kind.is_dir() {
            if !is_skipped(&path) {
                open.push(path);
            }
        } else if path.extension() == Some(OsStr::new("py")) {
            let is_file =
                kind.is_file() || kind.is_symlink() && fs::metadata(&path).is_ok_and(|target| target.is_file());
            if is_file {
                self.files.insert(path);
            }
        }
    }

    fn is_excluded(&self, root: &Path, path: &Path) -> bool {
        let root = self.options.root.as_deref().unwrap_or(root);
        let below = path.strip_prefix(root).unwrap_or(path);
        let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
        let below = below.to_string_lossy().replace('\\', "/");
        self.options.excludes.iter().any(|pattern| {
            let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
            if pattern.contains('/') {
                matches(pattern.as_bytes(), below.as_bytes())
            } else {
                matches(pattern.as_bytes(), name.as_bytes())
            }
        })
    }
}

/// A folder of other people's code: by its name, or a virtual environment of any name.
fn is_skipped(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    SKIPPED.contains(&name) || path.join("pyvenv.cfg").is_file()
}

/// Glob matching in linear memory. `*` and `?` do not cross `/`, `**` does.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    // `reach[i]`: the pattern read so far matches the first `i` bytes of the text.
    let mut reach = vec![false; text.len() + 1];
    reach[0] = true;
    let mut rest = pattern;
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'*' {
            let crosses = tail.first() == Some(&b'*');
            for at in 1..=text.len() {
                reach[at] |= reach[at - 1] && (crosses || text[at - 1] != b'/');
            }
            rest = if crosses { &tail[1..] } else { tail };
            // `**/` also stands for no folder at all.
            if crosses && rest.first() == Some(&b'/') && reach[0] {
                let starts: Vec<bool> =
                    (0..=text.len()).map(|at| reach[at] && (at == 0 || text[at - 1] == b'/')).collect();
                reach = starts;
                rest = &rest[1..];
            }
        } else {
            for at in (1..=text.len()).rev() {
                let is_same = text[at - 1] == first || first == b'?' && text[at - 1] != b'/';
                reach[at] = reach[at - 1] && is_same;
            }
            reach[0] = false;
            rest = tail;
        }
    }
    reach[text.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_documented() {
        let table = [
            ("conftest.py", "conftest.py", true),
            ("*_pb2.py", "a_pb2.py", true),
            ("*_pb2.py", "a/b_pb2.py", false),
            ("tests/*.py", "tests/a.py", true),
            ("tests/*.py", "tests/a/b.py", false),
            ("tests/**", "tests/a/b.py", true),
            ("**/a.py", "a.py", true),
            ("**/a.py", "x/y/a.py", true),
            ("**/a.py", "x/ya.py", false),
            ("t?st", "test", true),
            ("t?st", "t/st", false),
            ("", "", true),
            ("*", "", true),
        ];
        for (pattern, text, expected) in table {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} on {text}");
        }
    }
}
