//! What the user asked for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use temper_worker::{Limits, Policy, Shard, Sight, Value};

use crate::module::Module;

/// What the user asked for.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Valid inputs to draw for each subject.
    pub draws: u64,
    /// Time for all subjects together.
    pub budget: Duration,
    /// Fixes every draw.
    pub seed: u64,
    /// Whether to search for inputs that reach further lines.
    pub with_search: bool,
    /// Whether plain type hints make subjects.
    pub with_hints: bool,
    /// Whether the lives of objects are subjects.
    pub with_lives: bool,
    /// Oracles that every function is held to, apart from those of its annotations.
    pub oracles: Vec<&'static str>,
    /// Whether a result that is not finite, for arguments that are, is a finding.
    pub with_nan: bool,
    /// Annotations from a side file.
    pub annotations: Vec<SideEntry>,
    /// The form in which a property of each subject is written, if any.
    pub emit: Option<PropertyForm>,
    /// Only subjects whose name contains this.
    pub filter: Option<String>,
    /// The part of the subjects that is checked here, if others check the rest.
    pub shard: Option<Shard>,
    /// Files and folders that subjects may write.
    pub allow_write: Vec<PathBuf>,
    /// Files and folders that subjects may read apart from the project and the interpreter.
    pub allow_read: Vec<PathBuf>,
    /// Environment variables that subjects may see apart from the usual ones.
    pub pass_env: Vec<String>,
    /// Whether subjects may connect.
    pub allow_net: bool,
    /// Whether subjects may start processes.
    pub allow_subprocess: bool,
    /// Memory for one worker, on top of what is loaded.
    pub memory_bytes: u64,
    /// Limits of an import.
    pub import_limits: Limits,
    /// How many workers run at once.
    pub slots: usize,
}

/// The annotations of one function in a side file.
#[derive(Clone, Debug, PartialEq)]
pub struct SideEntry {
    /// The module that the function is imported from.
    pub module: String,
    /// What the worker reads: `function`, `args`, `require` and so on, with the `file` and `line` of the entry.
    pub entry: Value,
}

/// The form of emitted properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyForm {
    /// `@temper.forall`.
    Pytest,
    /// Hypothesis strategies.
    Hypothesis,
}

impl CheckOptions {
    /// What every function of the worker is told about a module.
    pub(crate) fn entries(&self, root: &Path, module: &Module) -> Vec<(Value, Value)> {
        let side = self.annotations.iter().filter(|each| each.module == module.name).map(|each| each.entry.clone());
        let form = match self.emit {
            None => Value::None,
            Some(PropertyForm::Pytest) => Value::from("pytest"),
            Some(PropertyForm::Hypothesis) => Value::from("hypothesis"),
        };
        vec![
            (Value::from("root"), Value::from_path(root)),
            (Value::from("hints"), Value::from(self.with_hints)),
            (Value::from("nan"), Value::from(self.with_nan)),
            (Value::from("side"), Value::List(side.collect())),
            (Value::from("is_side_only"), Value::from(!module.is_of_project())),
            (Value::from("nested"), Value::List(module.nested.iter().map(|name| Value::from(name.as_str())).collect())),
            (Value::from("emit"), form),
            (Value::from("free"), Value::from(module.has_free_subjects)),
            (Value::from("lives"), Value::from(self.with_lives)),
            (Value::from("oracles"), Value::List(self.oracles.iter().map(|name| Value::from(*name)).collect())),
        ]
    }

    /// What a worker may do. It may write also to `ours`.
    pub(crate) fn policy(&self, ours: &[&Path]) -> Policy {
        let mut allow_write = self.allow_write.clone();
        allow_write.extend(ours.iter().map(|path| path.to_path_buf()));
        let sight = Sight::Named { variables: self.pass_env.clone(), paths: self.allow_read.clone() };
        Policy {
            allow_write,
            sight,
            allow_net: self.allow_net,
            allow_subprocess: self.allow_subprocess,
            ..Policy::scratch_only()
        }
    }

    /// Whether the user wants a subject of this name and file.
    pub(crate) fn is_wanted(&self, name: &str, path: &str) -> bool {
        let is_here = self.shard.is_none_or(|shard| shard.has(&format!("{path}:{name}")));
        is_here && self.filter.as_deref().is_none_or(|wanted| name.contains(wanted) || path.contains(wanted))
    }
}
