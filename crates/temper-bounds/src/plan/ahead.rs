//! What the text of a selection tells before pytest has collected it: the files to probe, and the libraries to import.
//!
//! A guess that saves time and decides nothing. Probes that are in place while tests are collected spare a second load;
//! libraries that are imported before are shared by all layers. What was guessed wrong is done again after collection.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use temper_source::{DiscoverOptions, SourceFile, discover, imports, is_named_for_tests, read};
use temper_worker::Edit;

use crate::Seeds;
use crate::plan::sampling_plan::probed_edit;

/// More files than this are not read for a guess.
const MOST_FILES: usize = 2000;

/// What a selection will probably need.
pub(crate) struct Ahead {
    /// Probes in the files of tests and in those they share.
    pub(crate) edits: Vec<Edit>,
    /// Modules that they import and that are not of the project, in order.
    pub(crate) modules: Vec<String>,
}

/// Reads the selection that pytest is given.
pub(crate) fn read_ahead(root: &Path, arguments: &[String], seeds: Seeds) -> Ahead {
    let selected = selected(root, arguments);
    if selected.len() > MOST_FILES {
        return Ahead { edits: Vec::new(), modules: Vec::new() };
    }
    let edit = |path: &PathBuf| probed_edit(root, path, seeds);
    Ahead { edits: selected.iter().filter_map(edit).collect(), modules: modules(root, &selected) }
}

/// The files that are named or lie in named folders, with the conftest files above them and the helpers among the tests.
fn selected(root: &Path, arguments: &[String]) -> BTreeSet<PathBuf> {
    let file = |argument: &String| root.join(argument.split("::").next().unwrap_or_default());
    let named: Vec<PathBuf> = arguments.iter().map(file).filter(|path| path.exists()).collect();
    let roots = if named.is_empty() { vec![root.to_path_buf()] } else { named };
    let options = DiscoverOptions { excludes: Vec::new(), root: Some(root.to_path_buf()) };
    let is_for_tests = |path: &Path| is_named_for_tests(path.strip_prefix(root).unwrap_or(path));
    let is_selected = |path: &PathBuf| roots.contains(path) || is_for_tests(path);
    let mut found: BTreeSet<PathBuf> = discover(&roots, &options).files.into_iter().filter(is_selected).collect();
    let folders: BTreeSet<PathBuf> =
        found.iter().flat_map(|path| path.ancestors().skip(1)).map(Path::to_path_buf).collect();
    for folder in folders.iter().filter(|folder| folder.starts_with(root)) {
        found.extend(helpers(folder).filter(|path| is_for_tests(path)));
    }
    found
}

/// The files of a folder that are no tests.
fn helpers(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.ends_with(".py") && !name.starts_with("test_") && path.is_file()
    })
}

/// The modules that importing these files imports, through files of the project too.
fn modules(root: &Path, files: &BTreeSet<PathBuf>) -> Vec<String> {
    let mut open: Vec<PathBuf> = files.iter().rev().cloned().collect();
    let mut seen: BTreeSet<PathBuf> = files.clone();
    let mut found: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    while let Some(path) = open.pop() {
        let Some(file) = read(&path).ok() else { continue };
        for name in imported(&file) {
            if !known.insert(name.clone()) {
                continue;
            }
            let own = project_files(root, &name);
            if own.is_empty() {
                found.push(name);
            }
            open.extend(own.into_iter().filter(|path| seen.len() < MOST_FILES && seen.insert(path.clone())));
        }
    }
    found
}

fn imported(file: &SourceFile) -> Vec<String> {
    imports(file).map(|found| found.modules).unwrap_or_default()
}

/// The files of the project that a module's name leads to: itself and the packages that it is in.
fn project_files(root: &Path, name: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for top in [root.to_path_buf(), root.join("src")] {
        let mut folder = top;
        for part in name.split('.') {
            folder = folder.join(part);
            files.extend([folder.join("__init__.py"), folder.with_extension("py")].into_iter().filter(|p| p.is_file()));
        }
    }
    files
}
