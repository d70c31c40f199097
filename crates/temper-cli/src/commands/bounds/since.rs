//! `--since REF`: the files that git says have changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use temper_report::Exit;

use crate::message::{Failure, Message};

/// Files that differ from a git revision, and files that git does not know yet.
pub fn changed_since(root: &Path, since: &str) -> Result<BTreeSet<PathBuf>, Failure> {
    let git = |arguments: &[&str]| -> Result<String, String> {
        let output =
            Command::new("git").arg("-C").arg(root).args(arguments).output().map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned())
        }
    };
    let changed = git(&["diff", "--name-only", "--relative", since, "--"]);
    let both = changed.and_then(|mut text| {
        text.push_str(&git(&["ls-files", "--others", "--exclude-standard"])?);
        Ok(text)
    });
    let text = both.map_err(|said| {
        let message = Message::error(format!("git cannot compare with `{since}`")).fact(said);
        message.hint("name a revision that `git log` knows, as in `--since origin/main`").ends(Exit::Usage)
    })?;
    Ok(text.lines().map(|line| root.join(line)).collect())
}
