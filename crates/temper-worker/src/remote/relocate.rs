//! Paths of a project in what is sent to a copy of it, and in what comes back.

use std::path::{Path, PathBuf};

use crate::report::{CallResult, Exception, LoadFailure, Outcome, RepeatedRun, Report, TestRun, Used, UsedItem};
use crate::wire::Value;
use crate::work::{Call, CodeChanges, Edit, LayerSpec, Piece, Policy, Sight, Subjects, Work};

/// Folders, each with the one that takes its place. The first that fits counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Relocation(Vec<(String, String)>);

impl Relocation {
    /// Empty paths, and paths that are no text, stay where they are.
    pub(super) fn new<'a>(moves: impl IntoIterator<Item = (&'a Path, &'a Path)>) -> Self {
        let text = |path: &Path| path.to_str().map(|text| text.trim_end_matches('/').to_owned());
        let pairs = moves.into_iter().filter_map(|(from, to)| Some((text(from)?, text(to)?)));
        Self(pairs.filter(|(from, to)| !from.is_empty() && !to.is_empty() && from != to).collect())
    }

    /// The other way round.
    pub(super) fn back(&self) -> Self {
        Self(self.0.iter().map(|(from, to)| (to.clone(), from.clone())).collect())
    }

    fn text(&self, text: &str) -> Option<String> {
        let (from, to) = self.0.iter().find(|(from, _)| text.contains(from.as_str()))?;
        let mut moved = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(from.as_str()) {
            let end = at + from.len();
            // `/proj` is no part of `/project`.
            let is_whole = !rest[end..].starts_with(|next: char| next.is_alphanumeric() || "_-.".contains(next));
            moved.push_str(&rest[..at]);
            moved.push_str(if is_whole { to } else { from });
            rest = &rest[end..];
        }
        Some(moved + rest)
    }
}

/// Something that may hold paths.
pub(super) trait Relocate {
    /// Translates them.
    fn relocate(&mut self, by: &Relocation);
}

impl Relocate for String {
    fn relocate(&mut self, by: &Relocation) {
        if let Some(moved) = by.text(self) {
            *self = moved;
        }
    }
}

impl Relocate for PathBuf {
    fn relocate(&mut self, by: &Relocation) {
        if let Some(moved) = self.to_str().and_then(|text| by.text(text)) {
            *self = moved.into();
        }
    }
}

impl<T: Relocate> Relocate for Vec<T> {
    fn relocate(&mut self, by: &Relocation) {
        self.iter_mut().for_each(|each| each.relocate(by));
    }
}

impl<T: Relocate> Relocate for Option<T> {
    fn relocate(&mut self, by: &Relocation) {
        self.iter_mut().for_each(|each| each.relocate(by));
    }
}

impl Relocate for Value {
    fn relocate(&mut self, by: &Relocation) {
        match self {
            Value::Str(text) => text.relocate(by),
            Value::List(items) => items.relocate(by),
            Value::Map(entries) => entries.iter_mut().for_each(|(key, value)| {
                key.relocate(by);
                value.relocate(by);
            }),
            _ => {}
        }
    }
}

impl Relocate for LayerSpec {
    fn relocate(&mut self, by: &Relocation) {
        self.root.relocate(by);
        self.paths.relocate(by);
        match &mut self.subjects {
            Subjects::Tests(arguments) => arguments.relocate(by),
            Subjects::Modules(_) => {}
            Subjects::Prepared { arguments, .. } => arguments.relocate(by),
        }
        self.edits.relocate(by);
        self.policy.relocate(by);
    }
}

impl Relocate for Edit {
    fn relocate(&mut self, by: &Relocation) {
        self.path.relocate(by);
    }
}

impl Relocate for Policy {
    fn relocate(&mut self, by: &Relocation) {
        self.allow_write.relocate(by);
        if let Sight::Named { paths, .. } = &mut self.sight {
            paths.relocate(by);
        }
    }
}

impl Relocate for Piece {
    fn relocate(&mut self, by: &Relocation) {
        if let Work::Calls { calls, .. } = &mut self.work {
            calls.relocate(by);
        }
        if let Some(changes) = &self.changes {
            let mut values = changes.0.clone();
            values.relocate(by);
            self.changes = Some(CodeChanges(values).into());
        }
    }
}

impl Relocate for Call {
    fn relocate(&mut self, by: &Relocation) {
        self.arguments.relocate(by);
        self.keywords.iter_mut().for_each(|(_, value)| value.relocate(by));
    }
}

impl Relocate for Report {
    fn relocate(&mut self, by: &Relocation) {
        self.outcome.relocate(by);
        self.probes.iter_mut().for_each(|probe| probe.values.relocate(by));
        self.calls.relocate(by);
        self.runs.relocate(by);
        self.containment.refused.iter_mut().for_each(|refusal| refusal.detail.relocate(by));
        self.late_files.relocate(by);
        self.used.relocate(by);
        self.covered.iter_mut().for_each(|(path, _)| path.relocate(by));
    }
}

impl Relocate for RepeatedRun {
    fn relocate(&mut self, by: &Relocation) {
        self.outcome.relocate(by);
        self.probes.iter_mut().for_each(|probe| probe.values.relocate(by));
    }
}

impl Relocate for CallResult {
    fn relocate(&mut self, by: &Relocation) {
        match self {
            CallResult::Returned(value) => value.relocate(by),
            CallResult::Raised(exception) => exception.relocate(by),
        }
    }
}

impl Relocate for Outcome {
    fn relocate(&mut self, by: &Relocation) {
        match self {
            Outcome::Test(run) => run.relocate(by),
            Outcome::Raised(exception) | Outcome::MemoryLimit(exception) | Outcome::FileLimit(exception) => {
                exception.relocate(by);
            }
            Outcome::LoadFailed(LoadFailure::Import(exception)) => exception.relocate(by),
            Outcome::LoadFailed(LoadFailure::Collection { exception, .. }) => exception.relocate(by),
            _ => {}
        }
    }
}

impl Relocate for TestRun {
    fn relocate(&mut self, by: &Relocation) {
        self.exception.relocate(by);
        self.text.relocate(by);
    }
}

impl Relocate for Exception {
    fn relocate(&mut self, by: &Relocation) {
        self.message.relocate(by);
        self.frames.iter_mut().for_each(|(file, ..)| file.relocate(by));
    }
}

impl Relocate for Used {
    fn relocate(&mut self, by: &Relocation) {
        self.files.relocate(by);
        self.folders.relocate(by);
        self.variables.iter_mut().for_each(|variable| variable.owner.relocate(by));
    }
}

impl Relocate for UsedItem {
    fn relocate(&mut self, by: &Relocation) {
        self.name.relocate(by);
        self.owner.relocate(by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relocation() -> Relocation {
        Relocation::new(
            [("/proj", "/tmp/copy"), ("/venv/", "/other")].map(|(from, to)| (Path::new(from), Path::new(to))),
        )
    }

    #[test]
    fn whole_folders_are_translated_and_back() {
        let check = |from: &str, to: &str| {
            let mut text = from.to_owned();
            text.relocate(&relocation());
            assert_eq!(text, to);
            text.relocate(&relocation().back());
            assert_eq!(text, from);
        };
        check("/proj", "/tmp/copy");
        check("/proj/test_a.py::test_x", "/tmp/copy/test_a.py::test_x");
        check("/venv/lib/python3.11", "/other/lib/python3.11");
        check("/project/a.py", "/project/a.py");
        check("/proj-old and /proj: no such file", "/proj-old and /tmp/copy: no such file");
        check("tests/test_a.py", "tests/test_a.py");
    }

    #[test]
    fn values_are_translated_however_deep() {
        let mut value = Value::List(vec![Value::map([("path", "/proj/a.py".into()), ("line", 3_u64.into())])]);
        value.relocate(&relocation());
        assert_eq!(value, Value::List(vec![Value::map([("path", "/tmp/copy/a.py".into()), ("line", 3_u64.into())])]));
    }
}
