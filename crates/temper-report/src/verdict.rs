//! The answer for one subject.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

/// The answer for one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Examined, and nothing found. Made by [`Verdict::clean`].
    Clean(Evaluations),
    /// There is at least one finding.
    Found,
    /// The evidence does not decide.
    Undecided(Doubt),
    /// It could not be examined.
    Failed(SubjectProblem),
}

/// How many evaluations a clean verdict rests on: never none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluations(NonZeroU64);

/// Why there is no answer, and what would give one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The reason.
    pub reason: String,
    /// One act that helps.
    pub hint: Option<String>,
}

/// What kept a subject from being examined, worded for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectProblem {
    /// What is wrong, in one line.
    pub headline: String,
    /// The file, as reports show it; empty if there is none.
    pub path: String,
    /// The line; 0 if there is none.
    pub line: u32,
    /// Facts that show it.
    pub facts: Vec<String>,
    /// One act that helps.
    pub hint: Option<String>,
}

impl Evaluations {
    /// The number, at least 1.
    pub fn count(self) -> u64 {
        self.0.get()
    }
}

impl Verdict {
    /// Nothing was found in this many evaluations. None at all decide nothing.
    pub fn clean(evaluations: u64) -> Verdict {
        match NonZeroU64::new(evaluations) {
            Some(count) => Verdict::Clean(Evaluations(count)),
            None => Verdict::undecided("nothing was evaluated"),
        }
    }

    /// Not decided for this reason.
    pub fn undecided(reason: impl Into<String>) -> Verdict {
        Verdict::Undecided(Doubt { reason: reason.into(), hint: None })
    }

    /// The word that reports use.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Clean(_) => "clean",
            Verdict::Found => "found",
            Verdict::Undecided(_) => "undecided",
            Verdict::Failed(_) => "failed",
        }
    }

    /// Whether there is no answer, and why.
    pub fn open_reason(&self) -> Option<&str> {
        match self {
            Verdict::Clean(_) | Verdict::Found => None,
            Verdict::Undecided(doubt) => Some(&doubt.reason),
            Verdict::Failed(problem) => Some(&problem.headline),
        }
    }
}

impl SubjectProblem {
    /// A problem of which only the sentence is known.
    pub fn sentence(headline: impl Into<String>) -> SubjectProblem {
        SubjectProblem { headline: headline.into(), path: String::new(), line: 0, facts: Vec::new(), hint: None }
    }
}

/// A problem in JSON: a text if there is nothing but the sentence.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenProblem {
    Sentence(String),
    Whole {
        message: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        path: String,
        line: u32,
        facts: Vec<String>,
        hint: Option<String>,
    },
}

impl Serialize for SubjectProblem {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let SubjectProblem { headline, path, line, facts, hint } = self.clone();
        let is_sentence = self == &SubjectProblem::sentence(headline.clone());
        match is_sentence {
            true => WrittenProblem::Sentence(headline),
            false => WrittenProblem::Whole { message: headline, path, line, facts, hint },
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SubjectProblem {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match WrittenProblem::deserialize(deserializer)? {
            WrittenProblem::Sentence(headline) => SubjectProblem::sentence(headline),
            WrittenProblem::Whole { message: headline, path, line, facts, hint } => {
                SubjectProblem { headline, path, line, facts, hint }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_evaluated_is_never_clean() {
        assert_eq!(Verdict::clean(0).word(), "undecided");
        assert!(matches!(Verdict::clean(3), Verdict::Clean(evaluations) if evaluations.count() == 3));
    }

    #[test]
    fn a_problem_is_written_as_a_text_or_with_its_parts() {
        let whole = SubjectProblem { line: 3, facts: vec!["a fact".into()], ..SubjectProblem::sentence("no") };
        for problem in [SubjectProblem::sentence("no"), whole] {
            let text = serde_json::to_string(&problem).unwrap();
            assert_eq!(serde_json::from_str::<SubjectProblem>(&text).unwrap(), problem, "{text}");
        }
    }
}
