//! Which files of the project a file uses, as far as its text tells.
//!
//! Where it does not tell, more is used rather than less: samples that are set aside for nothing cost time, samples of
//! other code than today's would be wrong.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use temper_source::{Imports, SourceFile, imports};

/// The files that each file uses directly, by their places in one list.
#[derive(Debug, Default)]
pub struct Uses {
    files: Vec<PathBuf>,
    direct: Vec<Vec<usize>>,
    /// Files that import what only a run can name: they may use all.
    is_dynamic: Vec<bool>,
}

impl Uses {
    /// From the imports of these files, each of the others.
    pub fn read<'a>(files: impl Iterator<Item = &'a SourceFile> + Clone) -> Self {
        let paths: Vec<PathBuf> = files.clone().map(|file| file.path().to_path_buf()).collect();
        let places: HashMap<&Path, usize> = paths.iter().map(PathBuf::as_path).zip(0..).collect();
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (path, at) in paths.iter().zip(0..) {
            by_name.entry(module_name(path)).or_default().push(at);
        }
        let (mut direct, mut is_dynamic) = (Vec::new(), Vec::new());
        for file in files {
            let unknown = Imports { is_dynamic: true, ..Imports::default() };
            let found = imports(file).unwrap_or(unknown);
            let named = found.names.iter().filter_map(|name| by_name.get(name.as_str())).flatten().copied();
            // To import a module is to import the packages that it is in.
            let packages =
                file.path().ancestors().skip(1).filter_map(|folder| places.get(&*folder.join(PACKAGE)).copied());
            direct.push(named.chain(packages).collect());
            is_dynamic.push(found.is_dynamic);
        }
        Self { files: paths, direct, is_dynamic }
    }

    /// Whether a file uses another, itself or by what it uses.
    pub fn reaches(&self, from: &Path, to: &Path) -> bool {
        let place = |path: &Path| self.files.iter().position(|each| each == path);
        let (Some(from), Some(to)) = (place(from), place(to)) else { return false };
        self.all_from(vec![from])[to]
    }

    /// The files that import a file, as far as their text tells.
    pub fn importers<'a>(&'a self, of: &Path) -> impl Iterator<Item = &'a Path> + 'a {
        let place = self.files.iter().position(|each| each == of);
        let all = self.files.iter().zip(&self.direct);
        all.filter(move |(_, used)| place.is_some_and(|place| used.contains(&place))).map(|(path, _)| path.as_path())
    }

    /// What the runs of a test in this file depend on: the file, what it uses, the packages that these are in, the
    /// conftest files above, and files that nothing is seen to use: a plugin or an option may have loaded them.
    pub fn of_test(&self, test: &Path, is_test: impl Fn(&Path) -> bool) -> BTreeSet<PathBuf> {
        let used: HashSet<usize> = self.direct.iter().flatten().copied().collect();
        let is_start = |(at, path): (usize, &PathBuf)| {
            let is_above = || path.parent().is_some_and(|folder| test.starts_with(folder));
            let is_start = path == test
                || (is_named(path, CONFTEST) && is_above())
                || !(used.contains(&at) || is_named(path, CONFTEST) || is_named(path, PACKAGE) || is_test(path));
            is_start.then_some(at)
        };
        let reached = self.all_from(self.files.iter().enumerate().filter_map(is_start).collect());
        self.files.iter().zip(reached).filter(|(_, is_reached)| *is_reached).map(|(path, _)| path.clone()).collect()
    }

    /// Which files are used from these on, themselves included.
    fn all_from(&self, mut open: Vec<usize>) -> Vec<bool> {
        let mut is_seen = vec![false; self.files.len()];
        while let Some(at) = open.pop() {
            if self.is_dynamic[at] {
                return vec![true; self.files.len()];
            }
            if !std::mem::replace(&mut is_seen[at], true) {
                open.extend(&self.direct[at]);
            }
        }
        is_seen
    }
}

const PACKAGE: &str = "__init__.py";
const CONFTEST: &str = "conftest.py";

fn is_named(path: &Path, name: &str) -> bool {
    path.file_name().is_some_and(|own| own == name)
}

fn module_name(path: &Path) -> &str {
    let name = if is_named(path, PACKAGE) { path.parent().and_then(Path::file_name) } else { path.file_stem() };
    name.and_then(|name| name.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(files: &[(&str, &str)]) -> Uses {
        let files: Vec<SourceFile> =
            files.iter().map(|(path, text)| SourceFile::from_text(path, *text).unwrap()).collect();
        Uses::read(files.iter())
    }

    fn of_test(files: &[(&str, &str)], test: &str) -> Vec<String> {
        let is_test = |path: &Path| path.to_string_lossy().contains("test_");
        uses(files).of_test(Path::new(test), is_test).iter().map(|path| path.display().to_string()).collect()
    }

    const PROJECT: &[(&str, &str)] = &[
        ("pkg/__init__.py", ""),
        ("pkg/one.py", "from .two import x\n"),
        ("pkg/two.py", ""),
        ("pkg/three.py", ""),
        ("plugin.py", ""),
        ("tests/conftest.py", "from pkg.three import y\n"),
        ("tests/sub/conftest.py", ""),
        ("tests/test_a.py", "from pkg.one import z\n"),
        ("tests/test_b.py", "import pkg\n"),
        ("tests/sub/test_c.py", ""),
    ];

    #[test]
    fn a_test_depends_on_what_it_imports_at_any_distance_and_on_the_conftest_files_above() {
        assert_eq!(
            of_test(PROJECT, "tests/test_a.py"),
            [
                "pkg/__init__.py",
                "pkg/one.py",
                "pkg/three.py",
                "pkg/two.py",
                "plugin.py",
                "tests/conftest.py",
                "tests/test_a.py"
            ]
        );
        assert_eq!(
            of_test(PROJECT, "tests/sub/test_c.py"),
            [
                "pkg/__init__.py",
                "pkg/three.py",
                "plugin.py",
                "tests/conftest.py",
                "tests/sub/conftest.py",
                "tests/sub/test_c.py"
            ]
        );
    }

    #[test]
    fn a_test_file_that_another_imports_counts_for_both() {
        let mut project = PROJECT.to_vec();
        project.push(("tests/test_d.py", "from .test_b import helper\n"));
        assert!(of_test(&project, "tests/test_d.py").contains(&"tests/test_b.py".to_owned()));
        assert!(!of_test(&project, "tests/test_b.py").contains(&"tests/test_d.py".to_owned()));
    }

    #[test]
    fn where_only_a_run_can_tell_all_files_count() {
        let mut project = PROJECT.to_vec();
        project[0].1 = "import importlib\nimportlib.import_module('.' + name(), __name__)\n";
        assert_eq!(of_test(&project, "tests/test_b.py").len(), project.len());
        assert!(uses(&project).reaches(Path::new("pkg/one.py"), Path::new("plugin.py")));
    }

    #[test]
    fn reaching_needs_an_import() {
        let all = uses(PROJECT);
        assert!(all.reaches(Path::new("tests/test_a.py"), Path::new("pkg/two.py")));
        assert!(!all.reaches(Path::new("tests/test_a.py"), Path::new("pkg/three.py")));
    }
}
