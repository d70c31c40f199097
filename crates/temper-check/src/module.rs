//! A module to check: its file, and the name it is imported by.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use temper_worker::{LayerSpec, Limits, Policy, Subjects};

/// The module of our package that serves in the worker. Loading it also supplies the names of AnnoTest.
pub(crate) const SERVER: &str = "temper.check.checker";

/// A Python module with annotated functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The file.
    pub path: PathBuf,
    /// The file as reports show it.
    pub shown: String,
    /// The name it is imported by.
    pub name: String,
    /// Folders that must be on the module path, apart from the project's root.
    pub folders: Vec<PathBuf>,
    /// The line that makes the import itself a subject, if there is one.
    pub import_test: Option<u32>,
    /// The annotated functions that stand inside other functions, by their qualified names.
    pub nested: Vec<String>,
    /// The line of its `if __name__ == "__main__":`, if that is to be run.
    pub script: Option<u32>,
    /// Whether functions without annotations that need no argument are subjects too.
    pub has_free_subjects: bool,
    /// Whether it imports AnnoTest's package, whose names we supply.
    pub uses_annotest: bool,
    /// Valid inputs to draw for each of its subjects, if not as many as for others.
    pub draws: Option<u64>,
}

impl Module {
    /// The module in a file of a project. A file in packages is named from the topmost one, as it is imported in a
    /// `src` layout too; another one by its way from the root, which is how it is imported there, or by itself.
    pub fn of_file(path: &Path, root: &Path, shown: String, import_test: Option<u32>) -> Module {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let parent = path.parent().unwrap_or(root);
        let mut top = parent;
        while top.join("__init__.py").is_file() && top != root {
            top = top.parent().unwrap_or(root);
        }
        let base = if top == parent { root } else { top };
        let mut parts = names_between(base, parent).unwrap_or_default();
        if stem != "__init__" {
            parts.push(stem);
        }
        // Scripts import their neighbours by bare names.
        let folders = vec![top.to_path_buf()];
        Module { path: path.to_path_buf(), shown, name: parts.join("."), folders, import_test, ..Module::default() }
    }

    /// A module that a side file names; where its file is, only an import tells.
    pub fn named(name: String, side_file: String) -> Module {
        Module { shown: side_file, name, ..Module::default() }
    }

    /// The module of a file of which only what a side file names is checked.
    pub fn for_side_file(path: &Path, root: &Path, shown: String) -> Module {
        Module { path: PathBuf::new(), ..Module::of_file(path, root, shown, None) }
    }

    /// Whether its file was found in the project, and not only its name in a side file.
    pub fn is_of_project(&self) -> bool {
        !self.path.as_os_str().is_empty()
    }

    /// The statement that imports it, for source text that is run without us.
    pub(crate) fn import_line(&self) -> String {
        self.with_annotest(&format!("import {}", self.name))
    }

    /// `from package.module import name`, with the outermost name of the subject.
    pub(crate) fn import_statement(&self, subject: &str) -> String {
        let name = subject.split('.').next().unwrap_or(subject);
        format!("from {} import {name}", self.name)
    }

    /// Statements, after the one that supplies AnnoTest's names if the module needs them.
    pub(crate) fn with_annotest(&self, statements: &str) -> String {
        if self.uses_annotest { format!("import temper.annotest; {statements}") } else { statements.to_owned() }
    }

    /// The layer in which the module's subjects run.
    pub(crate) fn layer(&self, root: &Path, policy: Policy, limits: &Limits) -> Arc<LayerSpec> {
        self.layer_with(root, policy, limits, vec![SERVER.to_owned(), self.name.clone()])
    }

    /// The layer in which the module's import is tested: nothing of the module is loaded.
    pub(crate) fn import_layer(&self, root: &Path, policy: Policy, limits: &Limits) -> Arc<LayerSpec> {
        self.layer_with(root, policy, limits, vec![SERVER.to_owned()])
    }

    fn layer_with(&self, root: &Path, policy: Policy, limits: &Limits, modules: Vec<String>) -> Arc<LayerSpec> {
        let mut paths = vec![root.to_path_buf()];
        paths.extend(self.folders.iter().filter(|folder| *folder != root).cloned());
        let spec = LayerSpec::new(root.to_path_buf(), Subjects::Modules(modules));
        Arc::new(LayerSpec { paths, policy, limits: limits.clone(), ..spec })
    }
}

/// The names of the folders from `base` down to `folder`, if all of them can stand in an import.
fn names_between(base: &Path, folder: &Path) -> Option<Vec<String>> {
    let below = folder.strip_prefix(base).ok()?;
    below.iter().map(|name| name.to_str().filter(|name| is_identifier(name)).map(str::to_owned)).collect()
}

fn is_identifier(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_as_they_are_imported() {
        let root = std::env::temp_dir().join(format!("temper-check-names-{}", std::process::id()));
        std::fs::create_dir_all(root.join("src/pkg/sub")).unwrap();
        std::fs::create_dir_all(root.join("my-scripts")).unwrap();
        for file in ["src/pkg/__init__.py", "src/pkg/sub/__init__.py"] {
            std::fs::write(root.join(file), "").unwrap();
        }
        let name = |path: &str| Module::of_file(&root.join(path), &root, String::new(), None).name;
        for (path, expected) in [
            ("top.py", "top"),
            ("plain/part.py", "plain.part"),
            ("my-scripts/run.py", "run"),
            ("src/pkg/sub/nets.py", "pkg.sub.nets"),
            ("src/pkg/__init__.py", "pkg"),
        ] {
            assert_eq!(name(path), expected, "{path}");
        }
        std::fs::remove_dir_all(&root).unwrap();
    }
}
