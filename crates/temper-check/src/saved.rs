//! Findings kept in `.temper/check.json`, for `temper replay`.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use temper_report::FindingKind;
use temper_store::{StoreError, read_file, write_file};

use crate::findings::{Checked, FoundCall};
use crate::module::Module;

const FILE: &str = "check.json";

/// The findings could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The project's `.temper/` folder cannot be used.
    #[error(transparent)]
    Folder(#[from] StoreError),
    /// The file system refused.
    #[error("cannot use `{}`: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The file is not one that this version wrote.
    #[error("`{}` is not readable: {cause}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: serde_json::Error,
    },
}

/// One finding with everything that runs it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFinding {
    /// Its stable id.
    pub id: String,
    /// The subject's name.
    pub subject: String,
    /// The file of its module, relative to the project; empty for a module that a side file names.
    pub file: String,
    /// The name of its module.
    pub module: String,
    /// What it is.
    pub kind: FindingKind,
    /// What was found.
    pub message: String,
    /// The call.
    pub call: String,
    /// The place.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The choices, as hexadecimal digits.
    pub tree: String,
    /// Arguments at their defaults.
    pub omitted: Vec<u64>,
    /// Whether plain hints made subjects: they decide what a life can do.
    #[serde(default)]
    pub with_hints: bool,
}

/// All findings of the last run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// The side file that was in force, if any.
    pub annotations: Option<PathBuf>,
    /// In the order of the report.
    pub findings: Vec<SavedFinding>,
}

impl Saved {
    /// From the results of a run.
    pub fn of(checked: &Checked, modules: &[Module], with_hints: bool) -> Saved {
        let one = |finding: &FoundCall| {
            let subject = &checked.subjects[finding.subject];
            let module = &modules[subject.module];
            SavedFinding {
                id: finding.id.clone(),
                subject: subject.name.clone(),
                file: if module.is_of_project() { module.shown.clone() } else { String::new() },
                module: module.name.clone(),
                kind: finding.kind,
                message: finding.message.clone(),
                call: finding.call.clone(),
                path: finding.path.clone(),
                line: finding.line,
                tree: finding.tree.iter().map(|byte| format!("{byte:02x}")).collect(),
                omitted: finding.omitted.clone(),
                with_hints,
            }
        };
        Saved { annotations: None, findings: checked.findings.iter().map(one).collect() }
    }

    /// Writes them below the project's root.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn write(&self, root: &Path) -> Result<(), SaveError> {
        let text = serde_json::to_string_pretty(self).map_err(|cause| unreadable(root, cause))?;
        Ok(write_file(root, FILE, &text)?)
    }

    /// Reads what the last run wrote; nothing if there was none.
    ///
    /// # Errors
    /// When there is a file that cannot be read.
    pub fn read(root: &Path) -> Result<Saved, SaveError> {
        match read_file(root, FILE)? {
            Some(text) => serde_json::from_str(&text).map_err(|cause| unreadable(root, cause)),
            None => Ok(Saved::default()),
        }
    }

    /// Adds the findings that another machine wrote into its `.temper/` folder.
    ///
    /// # Errors
    /// When the findings of this project cannot be read or written; those of another that cannot be read are left out.
    pub fn join(root: &Path, other: &Path) -> Result<(), SaveError> {
        let read = std::fs::read_to_string(other.join(FILE)).ok();
        let Some(theirs) = read.and_then(|text| serde_json::from_str::<Saved>(&text).ok()) else { return Ok(()) };
        let mut saved = Saved::read(root)?;
        saved.annotations = saved.annotations.or(theirs.annotations);
        for finding in theirs.findings {
            if saved.find(&finding.id).is_none() {
                saved.findings.push(finding);
            }
        }
        saved.write(root)
    }

    /// The finding with this id.
    pub fn find(&self, id: &str) -> Option<&SavedFinding> {
        self.findings.iter().find(|finding| finding.id == id)
    }
}

fn unreadable(root: &Path, cause: serde_json::Error) -> SaveError {
    SaveError::Format { path: root.join(".temper").join(FILE), cause }
}

/// Oracles that flags ask for; a finding of one starts with its name.
const ORACLES: [&str; 4] = ["same", "unchanged", "precision", "pickled"];

impl SavedFinding {
    /// The oracle that the finding is of, as an option of the check; none for other findings.
    pub fn oracles(&self) -> Vec<&'static str> {
        ORACLES.into_iter().filter(|name| self.message.starts_with(&format!("{name}: "))).collect()
    }

    /// The recorded choices.
    pub fn tree_bytes(&self) -> Vec<u8> {
        let digits = self.tree.as_bytes().chunks_exact(2);
        digits.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    }
}
