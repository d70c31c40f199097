//! What a project may still lack before its tests can be collected, read off the error and the project's own files: the hint
//! of a first command that did not get far.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use crate::interpreter::Interpreter;

/// Options in `addopts` by the plugin that knows them; the first that fits counts.
const PLUGINS: [(&str, &str); 20] = [
    ("--cov", "pytest-cov"),
    ("--no-cov", "pytest-cov"),
    ("--dist", "pytest-xdist"),
    ("--numprocesses", "pytest-xdist"),
    ("--maxprocesses", "pytest-xdist"),
    ("-n", "pytest-xdist"),
    ("--benchmark", "pytest-benchmark"),
    ("--timeout", "pytest-timeout"),
    ("--reruns", "pytest-rerunfailures"),
    ("--only-rerun", "pytest-rerunfailures"),
    ("--asyncio-mode", "pytest-asyncio"),
    ("--mpl", "pytest-mpl"),
    ("--doctest-plus", "pytest-doctestplus"),
    ("--doctest-rst", "pytest-doctestplus"),
    ("--remote-data", "pytest-remotedata"),
    ("--randomly", "pytest-randomly"),
    ("--random-order", "pytest-random-order"),
    ("--nbval", "nbval"),
    ("--mypy", "pytest-mypy"),
    ("--typeguard", "typeguard"),
];
/// Fixtures by the plugin that has them.
const FIXTURES: [(&str, &str); 6] = [
    ("mocker", "pytest-mock"),
    ("benchmark", "pytest-benchmark"),
    ("snapshot", "syrupy"),
    ("subtests", "pytest-subtests"),
    ("httpserver", "pytest-httpserver"),
    ("datadir", "pytest-datadir"),
];
/// Distributions that are called otherwise than their module.
const DISTRIBUTIONS: [(&str, &str); 9] = [
    ("sklearn", "scikit-learn"),
    ("skimage", "scikit-image"),
    ("cv2", "opencv-python"),
    ("yaml", "pyyaml"),
    ("PIL", "pillow"),
    ("dateutil", "python-dateutil"),
    ("bs4", "beautifulsoup4"),
    ("pkg_resources", "setuptools"),
    ("attr", "attrs"),
];
/// Modules of the standard library that not every version has, with the first that has them and the first that has not.
const STANDARD: [(&str, &str); 8] = [
    ("tomllib", "from 3.11 on"),
    ("distutils", "up to 3.11"),
    ("imp", "up to 3.11"),
    ("asyncore", "up to 3.11"),
    ("cgi", "up to 3.12"),
    ("imghdr", "up to 3.12"),
    ("pipes", "up to 3.12"),
    ("telnetlib", "up to 3.12"),
];
/// Groups of dependencies that hold what tests need, by the names that projects give them.
const TEST_GROUPS: [&str; 6] = ["test", "tests", "testing", "dev", "develop", "all"];
/// How deep below the root projects in a monorepo lie.
const NESTED_DEPTH: usize = 3;
/// Nested projects that are named.
const NAMED_PROJECTS: usize = 3;

/// A project and the Python that runs it.
pub struct ProjectSetup<'a> {
    pub root: &'a Path,
    pub python: &'a Interpreter,
}

impl ProjectSetup<'_> {
    /// One act that helps against an error of collection, if the error tells.
    pub fn hint(&self, error: &str) -> Option<String> {
        self.missing_plugin(error)
            .or_else(|| self.other_python())
            .or_else(|| self.missing_module(error))
            .or_else(|| self.missing_fixture(error))
            .or_else(|| self.nested(error))
            .or_else(|| self.newer_syntax(error))
    }

    fn install(&self, what: &str) -> String {
        format!("`{} -m pip install {what}`", self.python.shown)
    }

    fn missing_plugin(&self, error: &str) -> Option<String> {
        if let Some(plugins) = between(error, "Missing required plugins: ", "\n") {
            return Some(self.install(&plugins.replace(", ", " ")));
        }
        let unknown = between(error, "unrecognized arguments: ", "\n")?;
        let known = unknown.split_whitespace().find_map(|option| {
            let plugin = PLUGINS.iter().find(|(start, _)| option.starts_with(start))?;
            Some((option.split('=').next().unwrap_or(option), plugin.1))
        });
        Some(match known {
            Some((option, plugin)) => format!("`{option}` is an option of {plugin}: {}", self.install(plugin)),
            None => format!("a plugin of pytest that knows `{unknown}` is not installed in `{}`", self.python.shown),
        })
    }

    fn missing_fixture(&self, error: &str) -> Option<String> {
        let name =
            between(error, "fixture '", "' not found").or_else(|| between(error, "FixtureLookupError: ('", "'"))?;
        let (_, plugin) = FIXTURES.iter().find(|(fixture, _)| *fixture == name)?;
        Some(format!("the fixture `{name}` is one of {plugin}: {}", self.install(plugin)))
    }

    /// A Python that the project says it does not run on.
    fn other_python(&self) -> Option<String> {
        let wanted = self.pyproject()?.get("project")?.get("requires-python")?.as_str()?.to_owned();
        let version = self.python.version.as_deref()?;
        let is_met = wanted.split(',').all(|part| meets(version, part.trim()));
        (!is_met).then(|| {
            let shown = &self.python.shown;
            format!(
                "the project asks for Python {wanted}, and `{shown}` is {version}: name another with `--python PATH`"
            )
        })
    }

    fn missing_module(&self, error: &str) -> Option<String> {
        let dotted = between(error, "No module named '", "'")?;
        let name = dotted.split('.').next().unwrap_or(dotted);
        if name == "pytest" {
            return Some(format!("{}, or name the Python that has it with `--python PATH`", self.install("pytest")));
        }
        if let Some((_, versions)) = STANDARD.iter().find(|(module, _)| *module == name) {
            return Some(format!("`{name}` is part of Python {versions}: name another with `--python PATH`"));
        }
        if has_module(&self.root.join("src"), name) {
            return Some(format!("`{name}` lies in `src`, which is not installed: {}", self.install("-e .")));
        }
        if has_module(self.root, name) {
            return Some(format!("`{name}` is the project's own and is not installed: {}", self.install("-e .")));
        }
        let nested = nested_projects(self.root);
        let holds = |folder: &&PathBuf| {
            let folder = self.root.join(folder);
            has_module(&folder, name) || has_module(&folder.join("src"), name)
        };
        if let Some(folder) = nested.iter().find(holds) {
            let shown = folder.display();
            return Some(format!("`{name}` is a project below this folder: `cd {shown}`, and run Temper there"));
        }
        let distribution = DISTRIBUTIONS.iter().find(|(module, _)| *module == name).map_or(name, |(_, known)| known);
        Some(match self.test_group() {
            Some(group) => format!("{}, or {}", self.install(distribution), self.install(&format!("-e '.[{group}]'"))),
            None => format!("{}, or name another Python with `--python PATH`", self.install(distribution)),
        })
    }

    /// Several projects below one folder, whose tests cannot be collected together.
    fn nested(&self, error: &str) -> Option<String> {
        let nested = nested_projects(self.root);
        let is_mixed = error.contains("import file mismatch") || error.contains("ImportPathMismatchError");
        (nested.len() > 1 && (is_mixed || !self.root.join("pyproject.toml").exists())).then(|| nested_words(&nested))
    }

    fn newer_syntax(&self, error: &str) -> Option<String> {
        error.contains("SyntaxError").then(|| {
            let version = self.python.version.as_deref().unwrap_or("the chosen one");
            format!("if the file is written for a newer Python than {version}, name that with `--python PATH`")
        })
    }

    fn test_group(&self) -> Option<String> {
        let pyproject = self.pyproject()?;
        let groups = pyproject.get("project")?.get("optional-dependencies")?.as_table()?;
        TEST_GROUPS.iter().find(|name| groups.contains_key(**name)).map(|name| (*name).to_owned())
    }

    fn pyproject(&self) -> Option<toml::Table> {
        std::fs::read_to_string(self.root.join("pyproject.toml")).ok()?.parse().ok()
    }
}

/// Folders below the root that are projects themselves, relative to it.
pub fn nested_projects(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(root.to_path_buf(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') || matches!(name.as_str(), "node_modules" | "site-packages" | "venv" | "build") {
                continue;
            }
            if path.join("pyproject.toml").is_file() || path.join("setup.py").is_file() {
                found.extend(path.strip_prefix(root).map(Path::to_path_buf));
            } else if depth + 1 < NESTED_DEPTH {
                open.push((path, depth + 1));
            }
        }
    }
    found.sort();
    found
}

/// How several projects below one folder are to be run.
pub fn nested_words(nested: &[PathBuf]) -> String {
    let named: Vec<String> = nested.iter().take(NAMED_PROJECTS).map(|path| format!("`{}`", path.display())).collect();
    let more = match nested.len().saturating_sub(NAMED_PROJECTS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("this folder holds {} projects ({}{more}): run Temper in each of them", nested.len(), named.join(", "))
}

fn has_module(folder: &Path, name: &str) -> bool {
    folder.join(name).is_dir() || folder.join(format!("{name}.py")).is_file()
}

/// The text between two others, without what follows a line end.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let rest = &text[text.find(before)? + before.len()..];
    Some(rest.split(after).next().unwrap_or(rest).trim())
}

/// Whether a version meets one condition such as `>=3.10`. Conditions that are not understood count as met.
fn meets(version: &str, condition: &str) -> bool {
    let at = condition.find(|c: char| c.is_ascii_digit()).unwrap_or(condition.len());
    let (operator, wanted) = condition.split_at(at);
    let (Some(have), Some(want)) = (numbers(version), numbers(wanted.trim_end_matches(".*"))) else { return true };
    // `==3.11.*` and `<=3.11` speak of the parts that are written.
    let short = &have[..want.len().min(have.len())];
    match operator.trim() {
        ">=" => have.cmp(&want) != Ordering::Less,
        ">" => short.cmp(&want[..]) == Ordering::Greater,
        "<=" => short.cmp(&want[..]) != Ordering::Greater,
        "<" => have.cmp(&want) == Ordering::Less,
        "==" => short == &want[..],
        "!=" => short != &want[..],
        "~=" => have.cmp(&want) != Ordering::Less && have.first() == want.first(),
        _ => true,
    }
}

fn numbers(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_meet_conditions_as_packaging_reads_them() {
        for (condition, expected) in [
            (">=3.10", true),
            (">=3.12", false),
            ("<3.12", true),
            ("<3.11", false),
            ("<4", true),
            ("==3.11.*", true),
            ("!=3.11.*", false),
            ("~=3.10", true),
            (">3.11", false),
            ("<=3.11", true),
            ("", true),
        ] {
            assert_eq!(meets("3.11.7", condition), expected, "{condition}");
        }
    }
}
