//! The forms that results are printed in.

/// A form of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For a person at a terminal.
    Text,
    /// Everything, for a program.
    Json,
    /// For a pull request or the summary of a CI job.
    Md,
    /// The text, with workflow commands that mark the lines of a pull request on GitHub.
    Github,
    /// The code quality report of GitLab.
    Gitlab,
    /// For code scanning.
    Sarif,
    /// For the test reports of CI servers.
    Junit,
    /// One page that needs nothing else.
    Html,
}

impl Format {
    /// All names, in the order of the help.
    pub const NAMES: &'static [&'static str] = &["text", "json", "md", "github", "gitlab", "sarif", "junit", "html"];

    /// The format of a name.
    pub fn of(name: &str) -> Option<Format> {
        let all = [
            Format::Text,
            Format::Json,
            Format::Md,
            Format::Github,
            Format::Gitlab,
            Format::Sarif,
            Format::Junit,
            Format::Html,
        ];
        let at = Self::NAMES.iter().position(|each| *each == name)?;
        all.get(at).copied()
    }
}
