//! How near code is to a test: mutants of what a test is about come before those of what it only passes through.
//!
//! Files are in rings. The first has the module that the test file is named after; if there is none, what the test file imports.
//! Then come its other imports and the folder of that module, then what few tests reach, then the rest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::plan::import_graph::Uses;

/// What many tests reach is no test's own: more than this share of them.
const FEW: f64 = 1.0 / 3.0;

/// The surroundings in which the files that a test reaches are sorted.
pub(super) struct NearbyFiles<'a> {
    /// The imports of all files, test files among them.
    pub(super) uses: &'a Uses,
    /// How many tests reach each file.
    pub(super) reached_by: &'a BTreeMap<PathBuf, usize>,
    pub(super) tests: usize,
}

impl NearbyFiles<'_> {
    /// The ring of each file that a test in the file `test` reaches, from 0, without gaps.
    pub(super) fn rings<'f>(&self, test: &Path, files: impl Iterator<Item = &'f Path>) -> BTreeMap<PathBuf, usize> {
        let files: Vec<&Path> = files.collect();
        let named: Vec<&Path> = files.iter().copied().filter(|file| is_named_after(test, file)).collect();
        let ring = |file: &Path| match self.is_imported(test, file) {
            _ if named.contains(&file) => 0,
            true if named.is_empty() => 0,
            true => 1,
            false if named.iter().any(|each| each.parent() == file.parent()) => 1,
            false if self.is_reached_by_few(file) => 2,
            false => 3,
        };
        let mut found: BTreeMap<PathBuf, usize> = files.iter().map(|file| (file.to_path_buf(), ring(file))).collect();
        let mut used: Vec<usize> = found.values().copied().collect();
        used.sort_unstable();
        used.dedup();
        found.values_mut().for_each(|ring| *ring = used.binary_search(ring).unwrap_or_default());
        found
    }

    /// Imported by the test file, or by the `__init__.py` of a package that it imports from.
    fn is_imported(&self, test: &Path, file: &Path) -> bool {
        let imports = |by: &Path, file: &Path| self.uses.importers(file).any(|each| each == by);
        let is_package = |path: &Path| path.ends_with("__init__.py");
        let mut packages = self.uses.importers(file).filter(|by| is_package(by) && file.starts_with(folder(by)));
        imports(test, file) || packages.any(|package| !test.starts_with(folder(package)) && imports(test, package))
    }

    fn is_reached_by_few(&self, file: &Path) -> bool {
        let reached = self.reached_by.get(file).copied().unwrap_or(0);
        reached as f64 <= FEW * self.tests as f64
    }
}

fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(file)
}

/// `test_rbm.py` and `rbm_test.py` are about `rbm.py`, `_rbm.py` and `rbm/__init__.py`; `test_rbm_fit.py` too.
fn is_named_after(test: &Path, file: &Path) -> bool {
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let test = stem(test);
    let subject = test.strip_prefix("test_").or_else(|| test.strip_suffix("_test")).unwrap_or(&test);
    let name = if file.ends_with("__init__.py") { stem(folder(file)) } else { stem(file) };
    let name = name.trim_start_matches('_');
    !name.is_empty() && subject.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// The file, or the folder that all of them are in.
pub(super) fn common_place<'p>(mut paths: impl Iterator<Item = &'p str>) -> String {
    let Some(first) = paths.next() else { return String::new() };
    let common = paths.fold(PathBuf::from(first), |common, path| {
        common.ancestors().find(|folder| Path::new(path).starts_with(folder)).map(Path::to_path_buf).unwrap_or_default()
    });
    if common.as_os_str().is_empty() { "the project".to_owned() } else { common.display().to_string() }
}

#[cfg(test)]
mod tests {
    use temper_source::SourceFile;

    use super::*;

    const PROJECT: [(&str, &str); 7] = [
        ("learn/__init__.py", ""),
        ("learn/nets/__init__.py", "from ._rbm import Rbm\nfrom ._mlp import Mlp\n"),
        ("learn/nets/_rbm.py", "from ..checks import check\n"),
        ("learn/nets/_mlp.py", ""),
        ("learn/checks.py", ""),
        ("learn/rare.py", ""),
        ("tests/test_x.py", ""),
    ];

    /// The rings of the files above for a test file with this name and text; four tests, all of which reach the checks.
    fn rings(test: &str, text: &str) -> Vec<(String, usize)> {
        let mut files: Vec<SourceFile> =
            PROJECT.iter().map(|(path, text)| SourceFile::from_text(path, *text).unwrap()).collect();
        files.push(SourceFile::from_text(test, text).unwrap());
        let uses = Uses::read(files.iter());
        let reached_by = BTreeMap::from([("learn/checks.py".into(), 4), ("learn/rare.py".into(), 1)]);
        let nearby = NearbyFiles { uses: &uses, reached_by: &reached_by, tests: 4 };
        let files = PROJECT[2..6].iter().map(|(path, _)| Path::new(*path));
        let found = nearby.rings(Path::new(test), files);
        found.into_iter().map(|(path, ring)| (path.file_stem().unwrap().to_string_lossy().into_owned(), ring)).collect()
    }

    fn expected(all: [(&str, usize); 4]) -> Vec<(String, usize)> {
        all.map(|(name, ring)| (name.to_owned(), ring)).to_vec()
    }

    #[test]
    fn the_module_that_a_test_file_is_named_after_comes_first_then_its_folder_then_what_few_tests_reach() {
        let all = [("checks", 3), ("_mlp", 1), ("_rbm", 0), ("rare", 2)];
        assert_eq!(rings("tests/test_rbm.py", "from learn.nets import Rbm\n"), expected(all));
        assert_eq!(rings("tests/test_rbm_fit.py", ""), expected(all));
    }

    #[test]
    fn without_such_a_module_what_the_test_file_imports_comes_first() {
        // Files that no test is known to reach are reached by few.
        let direct = rings("tests/test_all.py", "from learn import checks\n");
        assert_eq!(direct, expected([("checks", 0), ("_mlp", 1), ("_rbm", 1), ("rare", 1)]));
        let through_package = rings("tests/test_all.py", "from learn.nets import Rbm\n");
        assert_eq!(through_package, expected([("checks", 2), ("_mlp", 0), ("_rbm", 0), ("rare", 1)]));
    }

    #[test]
    fn a_place_is_a_file_or_the_folder_of_several() {
        assert_eq!(common_place(["a/b/c.py"].into_iter()), "a/b/c.py");
        assert_eq!(common_place(["a/b/c.py", "a/b/c.py"].into_iter()), "a/b/c.py");
        assert_eq!(common_place(["a/b/c.py", "a/b/d.py", "a/b/x/e.py"].into_iter()), "a/b");
        assert_eq!(common_place(["a/b.py", "c.py"].into_iter()), "the project");
    }
}
