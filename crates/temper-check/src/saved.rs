//! Findings kept in `.temper/check.json`, for `temper replay`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use temper_report::FindingKind;

use crate::finding::{Finding, Subject};
use crate::module::Module;

const FOLDER: &str = ".temper";
const FILE: &str = "check.json";

/// The findings could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
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
    /// Its number in the report of the run, as in `C1`.
    pub number: usize,
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
    pub fn of(findings: &[Finding], subjects: &[Subject], modules: &[Module]) -> Saved {
        let one = |(at, finding): (usize, &Finding)| {
            let subject = &subjects[finding.subject];
            let module = &modules[subject.module];
            SavedFinding {
                id: finding.id.clone(),
                number: at + 1,
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
            }
        };
        Saved { annotations: None, findings: findings.iter().enumerate().map(one).collect() }
    }

    /// Writes them below the project's root.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn write(&self, root: &Path) -> Result<(), SaveError> {
        let folder = root.join(FOLDER);
        let path = folder.join(FILE);
        let refused = |path: &Path| {
            let path = path.to_path_buf();
            move |cause| SaveError::Io { path, cause }
        };
        fs::create_dir_all(&folder).map_err(refused(&folder))?;
        let ignore = folder.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(refused(&ignore))?;
        }
        let text =
            serde_json::to_string_pretty(self).map_err(|cause| SaveError::Format { path: path.clone(), cause })?;
        // Written beside and moved: a killed run leaves the old file or the new one.
        let beside = folder.join("check.json.new");
        fs::write(&beside, text).map_err(refused(&beside))?;
        fs::rename(&beside, &path).map_err(refused(&path))
    }

    /// Reads what the last run wrote; nothing when there was none.
    ///
    /// # Errors
    /// When there is a file that cannot be read.
    pub fn read(root: &Path) -> Result<Saved, SaveError> {
        let path = root.join(FOLDER).join(FILE);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|cause| SaveError::Format { path, cause }),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Saved::default()),
            Err(cause) => Err(SaveError::Io { path, cause }),
        }
    }

    /// The finding with this id, or with this number as in `C1`.
    pub fn find(&self, wanted: &str) -> Option<&SavedFinding> {
        let by_number = wanted.strip_prefix(['C', 'c']).and_then(|digits| digits.parse::<usize>().ok());
        self.findings
            .iter()
            .find(|finding| finding.id == wanted)
            .or_else(|| self.findings.iter().find(|finding| Some(finding.number) == by_number))
    }
}

impl SavedFinding {
    /// The recorded choices.
    pub fn tree_bytes(&self) -> Vec<u8> {
        let digits = self.tree.as_bytes().chunks_exact(2);
        digits.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    }
}
