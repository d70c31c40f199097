//! A module to check: its file, and the name it is imported by.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use temper_worker::{LayerSpec, Limits, Policy, Subjects};

/// The module of our package that serves in the worker. Loading it also supplies the names of AnnoTest.
pub(crate) const SERVER: &str = "temper.check.run";

/// A Python module with annotated functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The file.
    pub path: PathBuf,
    /// The file as reports show it.
    pub shown: String,
    /// The name it is imported by.
    pub name: String,
    /// The folder that must be on the module path for that.
    pub folder: PathBuf,
    /// The line that makes the import itself a subject, if there is one.
    pub import_test: Option<u32>,
}

impl Module {
    /// The module in a file. A file in packages is named from the topmost one, another one by itself.
    pub fn of_file(path: &Path, shown: String, import_test: Option<u32>) -> Module {
        let mut parts: Vec<String> = Vec::new();
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if stem != "__init__" {
            parts.push(stem);
        }
        let mut folder = path.parent().unwrap_or(Path::new(".")).to_path_buf();
        while folder.join("__init__.py").is_file() {
            let Some(name) = folder.file_name() else { break };
            parts.insert(0, name.to_string_lossy().into_owned());
            if !folder.pop() {
                break;
            }
        }
        Module { path: path.to_path_buf(), shown, name: parts.join("."), folder, import_test }
    }

    /// The layer in which the module's subjects run.
    pub(crate) fn layer(&self, root: &Path, policy: &Policy) -> Arc<LayerSpec> {
        self.layer_with(root, policy, vec![SERVER.to_owned(), self.name.clone()])
    }

    /// The layer in which the module's import is tested: nothing of the module is loaded.
    pub(crate) fn import_layer(&self, root: &Path, policy: &Policy) -> Arc<LayerSpec> {
        self.layer_with(root, policy, vec![SERVER.to_owned()])
    }

    fn layer_with(&self, root: &Path, policy: &Policy, modules: Vec<String>) -> Arc<LayerSpec> {
        let mut paths = vec![root.to_path_buf()];
        if self.folder != root {
            paths.push(self.folder.clone());
        }
        let limits = Limits { wall: Duration::from_secs(120), ..Limits::default() };
        let subjects = Subjects::Modules(modules);
        Arc::new(LayerSpec { root: root.to_path_buf(), paths, subjects, edits: Vec::new(), policy: policy.clone(), limits })
    }
}
