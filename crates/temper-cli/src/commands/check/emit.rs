//! `temper check --emit`: findings and properties as test files.
//!
//! One file a module: a plain test for every finding, which fails as long as the finding is there, and a property for
//! every function that was drawn for. The worker words the properties; here they are put together.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use temper_check::{Checked, FoundCall, Module, PropertyForm};
use temper_report::{Exit, FindingKind};

use crate::commands::CommandContext;
use crate::message::{Failure, Message};

/// The first line of every file that we wrote, and may write again.
const MARK: &str = "# Written by `temper check --emit`; written again by the next run.";

/// Where test files go, and in which form their properties are.
#[derive(Debug, PartialEq, Eq)]
pub struct Emit {
    pub folder: PathBuf,
    pub form: PropertyForm,
}

impl Emit {
    /// From the values of `--emit`: the word `hypothesis`, a folder, or both.
    pub fn of(given: &[String]) -> Result<Option<Emit>, Failure> {
        if given.is_empty() {
            return Ok(None);
        }
        let form =
            if given.iter().any(|each| each == "hypothesis") { PropertyForm::Hypothesis } else { PropertyForm::Pytest };
        let folders: Vec<&String> = given.iter().filter(|each| *each != "hypothesis").collect();
        match folders[..] {
            [] => Ok(Some(Emit { folder: PathBuf::from("tests"), form })),
            [folder] => Ok(Some(Emit { folder: PathBuf::from(folder), form })),
            [first, second, ..] => Err(Message::error(format!("`--emit` names two folders, `{first}` and `{second}`"))
                .hint("give one folder, and `--emit hypothesis` for the other form")
                .ends(Exit::Usage)),
        }
    }

    /// Writes a file for every module that has something to write; the files, as reports show them.
    pub fn write(
        &self,
        context: &CommandContext<'_>,
        checked: &Checked,
        modules: &[Module],
    ) -> Result<Vec<String>, Failure> {
        let folder = context.current.join(&self.folder);
        let mut files = Vec::new();
        for (at, module) in modules.iter().enumerate() {
            let Some(text) = file_text(&folder, &context.root, module, at, checked) else { continue };
            let path = folder.join(format!("test_temper_{}.py", module.name.replace('.', "_")));
            let shown = context.shown(&path);
            let is_ours = std::fs::read_to_string(&path).map_or(true, |old| old.starts_with(MARK));
            if !is_ours {
                let message = Message::error(format!("`{shown}` is there already, and is not from `--emit`"));
                return Err(message.hint("choose another folder, or move the file away").ends(Exit::Usage));
            }
            let written = temper_files::write_output_with_folders(&path, text.as_bytes());
            written.map_err(|error| crate::commands::cannot_write(&shown, &error.reason()))?;
            files.push(shown);
        }
        Ok(files)
    }
}

fn file_text(folder: &Path, root: &Path, module: &Module, at: usize, checked: &Checked) -> Option<String> {
    let subjects = checked.subjects.iter().enumerate().filter(|(_, subject)| subject.module == at);
    let mut imports = BTreeSet::new();
    let mut tests = Vec::new();
    let mut names = BTreeSet::new();
    for (number, subject) in subjects {
        for finding in checked.findings.iter().filter(|finding| finding.subject == number) {
            let name = unused(&test_name(&subject.name, finding), &mut names);
            tests.push(finding_test(&name, finding, &mut imports));
        }
        if let Some(property) = &subject.property {
            let (needed, text) = property.split_once("\n\n").unwrap_or(("", property));
            imports.extend(needed.lines().map(str::to_owned));
            tests.push(text.trim_end().to_owned());
        }
    }
    if tests.is_empty() {
        return None;
    }
    imports.insert("import sys".to_owned());
    imports.insert("from pathlib import Path".to_owned());
    let (ours, theirs): (Vec<String>, Vec<String>) =
        imports.into_iter().filter(|line| !line.is_empty()).partition(|line| is_of_module(line, module));
    let paths = path_lines(folder, root, module);
    let parts = [format!("{MARK}\n\n{}", theirs.join("\n")), paths, joined(&ours)];
    let head: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    Some(format!("{}\n\n\n{}\n", head.join("\n\n"), tests.join("\n\n\n")))
}

fn is_of_module(line: &str, module: &Module) -> bool {
    line.split_whitespace().nth(1) == Some(module.name.as_str())
}

/// Several `from module import ...` as one; there are no others of the module itself.
fn joined(lines: &[String]) -> String {
    let Some((from, _)) = lines.first().and_then(|line| line.split_once(" import ")) else { return lines.join("\n") };
    let names: BTreeSet<&str> =
        lines.iter().filter_map(|line| line.split_once(" import ")).flat_map(|(_, names)| names.split(", ")).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let one = format!("{from} import {}", names.join(", "));
    if one.len() <= 100 { one } else { format!("{from} import (\n    {},\n)", names.join(",\n    ")) }
}

/// The folders that modules are imported from, relative to the test file.
fn path_lines(folder: &Path, root: &Path, module: &Module) -> String {
    let mut folders: Vec<PathBuf> = vec![root.to_path_buf()];
    folders.extend(module.folders.iter().filter(|each| *each != root).cloned());
    let from: PathBuf = folder.components().collect();
    let line = |each: &PathBuf| match from.strip_prefix(root) {
        Ok(below) => {
            let ups = below.components().count();
            let inside = each.strip_prefix(root).unwrap_or(Path::new(""));
            let tail: String = inside.iter().map(|part| format!(" / {:?}", part.to_string_lossy())).collect();
            format!("sys.path.insert(0, str(Path(__file__).resolve().parents[{ups}]{tail}))")
        }
        Err(_) => format!("sys.path.insert(0, {:?})", each.display().to_string()),
    };
    folders.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Named by the cause: `test_softmax_value_error`.
fn test_name(subject: &str, finding: &FoundCall) -> String {
    let error = finding.message.split(':').next().unwrap_or_default();
    let cause = match finding.kind {
        FindingKind::Crash | FindingKind::Import | FindingKind::Script => snake(error),
        kind => kind.word().to_owned(),
    };
    let subject = subject.replace("<locals>.", "").replace("__init__", "init").replace('.', "_");
    format!("test_{}_{cause}", snake(subject.trim_matches('_')))
}

fn snake(text: &str) -> String {
    let mut out = String::new();
    let mut is_low = false;
    for c in text.chars() {
        if c.is_uppercase() && is_low {
            out.push('_');
        }
        is_low = c.is_lowercase() || c.is_ascii_digit();
        out.extend(if c.is_alphanumeric() || c == '_' { c.to_lowercase().collect::<Vec<_>>() } else { vec!['_'] });
    }
    out
}

fn unused(name: &str, names: &mut BTreeSet<String>) -> String {
    let mut wanted = name.to_owned();
    for number in 2.. {
        if names.insert(wanted.clone()) {
            break;
        }
        wanted = format!("{name}_{number}");
    }
    wanted
}

fn finding_test(name: &str, finding: &FoundCall, imports: &mut BTreeSet<String>) -> String {
    let doc = format!("{} at {}:{}", finding.message, finding.path, finding.line);
    let doc = doc.replace('\\', "\\\\").replace('"', "'");
    let body = if finding.check.is_empty() {
        // What ends the process, or is the process, gets a separate one.
        imports.insert("import subprocess".to_owned());
        let code = format!("{}\n{}", finding.evidence.import, finding.call);
        format!(
            "    code = f\"import sys; sys.path[:] = {{sys.path!r}}\\n\" + {code:?}\n    \
             assert subprocess.run([sys.executable, \"-c\", code], timeout=60).returncode == 0"
        )
    } else {
        imports.extend(finding.evidence.import.split("; ").map(str::to_owned));
        format!("    {}", finding.check.replace('\n', "\n    "))
    };
    format!("def {name}():\n    \"\"\"{doc}\"\"\"\n{body}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_hypothesis_is_a_form_and_the_rest_a_folder() {
        let of = |given: &[&str]| Emit::of(&given.iter().map(|each| (*each).to_owned()).collect::<Vec<_>>());
        let emit = |folder: &str, form| Some(Emit { folder: PathBuf::from(folder), form });
        assert_eq!(of(&[]).unwrap(), None);
        assert_eq!(of(&["tests/gen"]).unwrap(), emit("tests/gen", PropertyForm::Pytest));
        assert_eq!(of(&["hypothesis"]).unwrap(), emit("tests", PropertyForm::Hypothesis));
        assert_eq!(of(&["gen", "hypothesis"]).unwrap(), emit("gen", PropertyForm::Hypothesis));
        assert!(of(&["a", "b"]).is_err());
    }

    #[test]
    fn names_are_written_with_underscores() {
        for (text, expected) in
            [("ZeroDivisionError", "zero_division_error"), ("Net.step", "net_step"), ("p1_x", "p1_x")]
        {
            assert_eq!(snake(text), expected);
        }
    }
}
