//! Something that kept a subject from being checked, worded for the user.

/// What is wrong with which thing, where, the fact that shows it, and one act that helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, in one line.
    pub headline: String,
    /// The file, as reports show it.
    pub path: String,
    /// The line; 0 when there is none.
    pub line: u32,
    /// Facts that show it.
    pub facts: Vec<String>,
    /// One act that helps.
    pub hint: Option<String>,
}
