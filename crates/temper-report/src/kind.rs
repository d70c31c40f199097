//! The kinds of findings: the one list of them, with what each says and what it leads to.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::exit::Exit;

/// What kind of finding it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// `temper check`: an uncaught exception.
    Crash,
    /// `temper check`: a postcondition that does not hold.
    Postcondition,
    /// `temper check`: a call that took longer than its `@timeout`.
    Timeout,
    /// `temper check`: a call that ended the process, by a signal or an exit.
    Killed,
    /// `temper check`: a result that is not finite, for arguments that are.
    Nan,
    /// `temper check`: a result that differs from the one that was recorded.
    Regression,
    /// `temper check`: a module that cannot be imported although it says that it can.
    Import,
    /// `temper check`: a script that ends in an exception.
    Script,
    /// `temper bounds`: an assertion that fails too often by chance.
    Flaky,
    /// `temper bounds`: an assertion whose values look like a bug.
    Suspect,
    /// `temper bounds`: an assertion whose bound could be tighter.
    Loose,
    /// `temper model`: a region, or all rows, in which the model errs more often than its reference.
    Region,
    /// `temper model`: a region, or all rows, in which answers are further off than the reference's.
    Distance,
    /// `temper model`: a region, or all rows, in which probabilities do not hold.
    Calibration,
    /// `temper model`: a region that has become more frequent, or rarer, from one table to another.
    Drift,
    /// `temper model`: a pair of inputs that breaks a property of the model.
    Property,
    /// `temper model`: a leaf in which the model contradicts its data.
    Leaf,
    /// A property test: an input that breaks it.
    Counterexample,
}

/// How much a finding matters to a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It fails the run.
    Error,
    /// It is accepted or known from an earlier report, and fails nothing.
    Note,
}

impl FindingKind {
    /// Every kind.
    pub const ALL: [FindingKind; 18] = [
        FindingKind::Crash,
        FindingKind::Postcondition,
        FindingKind::Timeout,
        FindingKind::Killed,
        FindingKind::Nan,
        FindingKind::Regression,
        FindingKind::Import,
        FindingKind::Script,
        FindingKind::Flaky,
        FindingKind::Suspect,
        FindingKind::Loose,
        FindingKind::Region,
        FindingKind::Distance,
        FindingKind::Calibration,
        FindingKind::Drift,
        FindingKind::Property,
        FindingKind::Leaf,
        FindingKind::Counterexample,
    ];

    /// The word that reports, workers and saved records use.
    pub fn word(self) -> &'static str {
        match self {
            FindingKind::Crash => "crash",
            FindingKind::Postcondition => "postcondition",
            FindingKind::Timeout => "timeout",
            FindingKind::Killed => "killed",
            FindingKind::Nan => "nan",
            FindingKind::Regression => "regression",
            FindingKind::Import => "import",
            FindingKind::Script => "script",
            FindingKind::Flaky => "flaky",
            FindingKind::Suspect => "suspect",
            FindingKind::Loose => "loose",
            FindingKind::Region => "region",
            FindingKind::Distance => "distance",
            FindingKind::Calibration => "calibration",
            FindingKind::Drift => "drift",
            FindingKind::Property => "property",
            FindingKind::Leaf => "leaf",
            FindingKind::Counterexample => "counterexample",
        }
    }

    /// The kind that a word names.
    pub fn of(word: &str) -> Option<FindingKind> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// What it says, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            FindingKind::Crash => "A valid input makes the function raise an exception that it does not document.",
            FindingKind::Postcondition => "A valid input breaks what the function promises of its result.",
            FindingKind::Timeout => "A valid input makes the function run beyond its time.",
            FindingKind::Killed => "A valid input ends the process.",
            FindingKind::Nan => "Finite arguments give a result that is not finite.",
            FindingKind::Regression => "The result for a recorded input has changed.",
            FindingKind::Import => "Importing the module raises an exception.",
            FindingKind::Script => "The main block of the module raises an exception.",
            FindingKind::Flaky => "The assertion fails more often by chance than the target allows.",
            FindingKind::Suspect => "The values of the assertion look like a bug in the code under test.",
            FindingKind::Loose => "A tighter bound holds as reliably and notices more faults.",
            FindingKind::Region => "The model errs more often than its reference, on all rows or in a region of them.",
            FindingKind::Distance => {
                "The model's answers are further off than its reference's, on all rows or in a region of them."
            }
            FindingKind::Calibration => {
                "What the model gives a probability for is the case more often, or less often, than it says."
            }
            FindingKind::Drift => "Rows of a region are more frequent, or rarer, in the newer table.",
            FindingKind::Property => "The model's answers to two inputs break a property that it should have.",
            FindingKind::Leaf => "The model contradicts its data in one region more often than it errs elsewhere.",
            FindingKind::Counterexample => "An input of its domains breaks the property.",
        }
    }

    /// How much a fresh finding of this kind matters.
    pub fn severity(self) -> Severity {
        Severity::Error
    }

    /// How a run ends that has a fresh finding of this kind.
    pub fn exit(self) -> Exit {
        match self.severity() {
            Severity::Error => Exit::Findings,
            Severity::Note => Exit::Clean,
        }
    }
}

impl Serialize for FindingKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for FindingKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        FindingKind::of(&word).ok_or_else(|| serde::de::Error::custom(format!("`{word}` is no kind of finding")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_word_and_no_word_is_used_twice() {
        for kind in FindingKind::ALL {
            assert_eq!(FindingKind::of(kind.word()), Some(kind));
            assert!(kind.meaning().ends_with('.'), "{kind:?}");
        }
        assert_eq!(FindingKind::of("ensure"), None);
    }

    #[test]
    fn an_unknown_word_is_an_error_that_names_it() {
        let said = serde_json::from_str::<FindingKind>("\"crush\"").unwrap_err().to_string();
        assert!(said.contains("`crush` is no kind of finding"), "{said}");
    }
}
