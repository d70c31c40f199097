//! Messages for people, in the one shape they all have: what is wrong with which thing, where, the facts that show
//! it, and one act that helps. Rendering is in `terminal`.

use temper_report::Exit;

/// How much a message weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The command cannot go on.
    Error,
    /// One thing was left out; the command goes on.
    Warning,
}

/// One message. The headline is lowercase, without a full stop, with names in backticks.
#[derive(Clone, Debug)]
pub struct Message {
    pub level: Level,
    pub headline: String,
    pub place: Option<String>,
    pub facts: Vec<String>,
    pub hint: Option<String>,
}

impl Message {
    /// An error with this headline.
    pub fn error(headline: impl Into<String>) -> Message {
        Message { level: Level::Error, headline: headline.into(), place: None, facts: Vec::new(), hint: None }
    }

    /// A warning with this headline.
    pub fn warning(headline: impl Into<String>) -> Message {
        Message { level: Level::Warning, ..Message::error(headline) }
    }

    /// Adds the place, as `file:line` or `file:line:column`.
    pub fn at(mut self, place: impl Into<String>) -> Message {
        self.place = Some(place.into());
        self
    }

    /// Adds a line with a fact that shows what is wrong.
    pub fn fact(mut self, fact: impl Into<String>) -> Message {
        self.facts.push(fact.into());
        self
    }

    /// Sets the act that helps.
    pub fn hint(mut self, hint: impl Into<String>) -> Message {
        self.hint = Some(hint.into());
        self
    }

    /// Ends the command with this message and exit code.
    pub fn ends(self, exit: Exit) -> Failure {
        Failure { exit, message: self }
    }
}

/// Why a command ended before its results.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub message: Message,
}
