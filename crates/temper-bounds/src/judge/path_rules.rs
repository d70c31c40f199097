//! Rules for some of the test files, in place of those for all.

use std::path::Path;

use temper_source::PathPatterns;
use temper_stats::Target;

use crate::judge::verdict::Rules;

/// What differs for tests of some files.
#[derive(Clone, Debug)]
pub struct PathRules {
    /// The files, below the project.
    pub paths: PathPatterns,
    /// The pass probability.
    pub pass: Option<Target>,
    /// Most runs of a test.
    pub most_runs: Option<usize>,
}

impl Rules {
    /// The rules for the tests of a file: where several say something, the last one does.
    #[must_use]
    pub fn at(&self, by_path: &[PathRules], root: &Path, file: &Path) -> Rules {
        let file = file.strip_prefix(root).unwrap_or(file);
        let mut rules = *self;
        for each in by_path.iter().filter(|each| each.paths.matches(file)) {
            rules.pass = each.pass.unwrap_or(rules.pass);
            if let Some(runs) = each.most_runs {
                (rules.most_runs, rules.bound_runs) = (runs, runs);
            }
        }
        rules
    }
}

#[cfg(test)]
mod tests {
    use temper_stats::Confidence;
    use temper_stats::bound::BoundMethod;

    use super::*;

    #[test]
    fn the_last_that_says_something_about_a_file_counts() {
        let target = |pass: f64| Target::new(pass).unwrap();
        let rules = Rules {
            pass: target(0.999),
            confidence: Confidence::STANDARD,
            method: BoundMethod::Calibrated,
            most_runs: 3000,
            bound_runs: 4742,
            is_sharpened: false,
        };
        let by_path = |path: &str, pass: Option<f64>, most_runs| PathRules {
            paths: PathPatterns::new(&[path.to_owned()]).unwrap(),
            pass: pass.map(target),
            most_runs,
        };
        let all = [by_path("tests/slow", Some(0.99), Some(100)), by_path("tests/slow/test_a.py", None, Some(50))];
        let at = |file: &str| {
            let found = rules.at(&all, Path::new("/project"), Path::new(file));
            (found.pass, found.most_runs, found.bound_runs)
        };
        assert_eq!(at("tests/test_a.py"), (target(0.999), 3000, 4742));
        assert_eq!(at("tests/slow/test_b.py"), (target(0.99), 100, 100));
        assert_eq!(at("/project/tests/slow/test_a.py"), (target(0.99), 50, 50));
    }
}
