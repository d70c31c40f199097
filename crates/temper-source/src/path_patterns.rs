//! Patterns of paths, as in a `.gitignore` at the project's root: which files a setting is for.

use std::fmt;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Patterns of paths below a project: `*` and `?` stay within a part of the path, `**` crosses parts, a pattern without `/`
/// matches any single part, and a folder stands for all that is in it.
#[derive(Clone)]
pub struct PathPatterns {
    texts: Vec<String>,
    compiled: Gitignore,
}

impl PathPatterns {
    /// Patterns as users write them.
    ///
    /// # Errors
    /// When one of them is no pattern; the text says why.
    pub fn new(texts: &[String]) -> Result<PathPatterns, String> {
        // Paths are matched as they are below the project, so its own place is of no interest.
        let mut builder = GitignoreBuilder::new("");
        for text in texts {
            let pattern = text.trim_start_matches("./");
            builder.add_line(None, pattern).map_err(|error| error.to_string())?;
        }
        let compiled = builder.build().map_err(|error| error.to_string())?;
        Ok(PathPatterns { texts: texts.to_vec(), compiled })
    }

    /// Whether a file, given by its path below the project, matches one of them.
    #[must_use]
    pub fn matches(&self, path: &Path) -> bool {
        path.is_relative() && self.compiled.matched_path_or_any_parents(path, false).is_ignore()
    }
}

impl fmt::Debug for PathPatterns {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("PathPatterns").field(&self.texts).finish()
    }
}

/// The patterns as they were written.
impl fmt::Display for PathPatterns {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.texts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_those_of_exclude_do() {
        let table: [(&str, &str, bool); 10] = [
            ("conftest.py", "tests/conftest.py", true),
            ("*_slow.py", "a/b_slow.py", true),
            ("tests/*.py", "tests/a.py", true),
            ("tests/*.py", "tests/a/b.py", false),
            ("tests/**", "tests/a/b.py", true),
            ("tests", "tests/a/b.py", true),
            ("./tests/", "tests/a/b.py", true),
            ("tests", "src/a.py", false),
            ("**/a.py", "x/ya.py", false),
            ("tests", "/tests/a.py", false),
        ];
        for (pattern, file, is_matched) in table {
            let patterns = PathPatterns::new(&[pattern.to_owned()]).unwrap();
            assert_eq!(patterns.matches(Path::new(file)), is_matched, "{pattern} on {file}");
        }
        assert!(PathPatterns::new(&["[z-a]".to_owned()]).is_err());
    }
}
