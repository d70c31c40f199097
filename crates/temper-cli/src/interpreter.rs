//! Which Python the project runs with: the one named, the active environment, `.venv`, or the one Temper is
//! installed in. Nothing is run to find out: the version is read from the environment's own description.

use std::path::{Path, PathBuf};

use temper_report::Exit;

use crate::message::{Failure, Message};
use crate::project;

/// A Python interpreter and how it was chosen.
#[derive(Debug)]
pub struct Interpreter {
    pub path: PathBuf,
    /// The path as messages show it: relative to the project where it lies in it.
    pub shown: String,
    /// For example `3.11.7`; absent when only running it would tell.
    pub version: Option<String>,
}

impl Interpreter {
    /// Chooses the interpreter. One that was named must exist; `None` means that there is none to be seen.
    pub fn choose(named: Option<&Path>, root: &Path, host: Option<PathBuf>) -> Result<Option<Interpreter>, Failure> {
        if let Some(path) = named {
            let path = root.join(path);
            if !path.is_file() {
                return Err(Message::error(format!("there is no interpreter `{}`", path.display()))
                    .hint("name the program itself, as in `--python .venv/bin/python`")
                    .ends(Exit::Usage));
            }
            return Ok(Some(Interpreter::at(root, path)));
        }
        let active = std::env::var_os("VIRTUAL_ENV").filter(|value| !value.is_empty()).map(PathBuf::from);
        let environments = active.into_iter().chain([root.join(".venv")]);
        let in_environment = environments.map(|folder| folder.join("bin/python")).find(|path| path.is_file());
        Ok(in_environment.or(host).map(|path| Interpreter::at(root, path)))
    }

    fn at(root: &Path, path: PathBuf) -> Interpreter {
        Interpreter { shown: project::shown(root, &path), version: version_of(&path), path }
    }
}

/// The version that `pyvenv.cfg` beside the interpreter names.
fn version_of(interpreter: &Path) -> Option<String> {
    let config = interpreter.parent()?.parent()?.join("pyvenv.cfg");
    let text = std::fs::read_to_string(config).ok()?;
    let value = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once('='));
        lines.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
    };
    value("version").or_else(|| value("version_info"))
}
