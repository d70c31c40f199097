//! Properties that may take the whole process with them: stack overflow, abort, an endless loop.
//!
//! The program is executed again for one property (never forked, because tests run in threads). This child notes every
//! input in a file before it tests it. If it dies, or is silent for too long, the last input of the file is the
//! counterexample, and further children try simpler ones. If it ends well, the property is run in this process too, which
//! gives the same result and the report. This module is the only one of the crate that starts processes and has a clock.

use crate::choices::{ChoiceTree, Choices};
use crate::shrink::shrink;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, io};

/// How long a child may test one input, unless the user says otherwise.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// The most children that simplify an input that ends the process, and one that never ends.
const SHRINKS_OF_DEATH: usize = 150;
const SHRINKS_OF_SILENCE: usize = 12;

/// Tell a child which property is its own, and in which folder it finds and leaves its files.
const PROPERTY: &str = "TEMPER_ISOLATED_PROPERTY";
const FOLDER: &str = "TEMPER_ISOLATED_FOLDER";

/// In the folder: the last input begun, and the only input to test.
const LAST: &str = "last";
const ONLY: &str = "only";

/// How a child ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChildEnd {
    /// It tested what it was to test.
    Finished,
    /// The process ended inside the property.
    Died(String),
    /// It was inside the property for this long.
    Silent(Duration),
}

impl ChildEnd {
    /// As the message of a crash.
    pub fn text(&self) -> String {
        match self {
            ChildEnd::Finished => "nothing".to_owned(),
            ChildEnd::Died(how) => format!("the process ended in it ({how})"),
            ChildEnd::Silent(timeout) => format!("it had not ended after {timeout:?}"),
        }
    }

    fn is_like(&self, other: &ChildEnd) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// What a child is to do.
#[derive(Debug)]
pub(crate) struct ChildTask {
    folder: PathBuf,
    /// The only input to test; otherwise the whole run.
    pub only: Option<ChoiceTree>,
}

impl ChildTask {
    /// The task of this process, if it was started for this property.
    pub fn of(property: &str) -> Option<ChildTask> {
        if env::var(PROPERTY).ok()? != property {
            return None;
        }
        let folder = PathBuf::from(env::var_os(FOLDER)?);
        let only = fs::read(folder.join(ONLY)).ok().and_then(|bytes| ChoiceTree::from_bytes(&bytes).ok());
        Some(ChildTask { folder, only })
    }

    /// Notes an input that is tested next. What cannot be written costs the user the input, not the verdict.
    pub fn note(&self, tree: &ChoiceTree) {
        let _ = fs::write(self.folder.join(LAST), tree.to_bytes());
    }
}

/// Whether this process was started for some property.
pub(crate) fn is_child() -> bool {
    env::var_os(PROPERTY).is_some()
}

thread_local! {
    static CALLS: RefCell<HashMap<String, usize>> = RefCell::new(HashMap::new());
}

/// The name of the property that is stated there: the place, and how often this thread came by.
pub(crate) fn property_name(place: &Location<'_>) -> String {
    let place = place.to_string();
    let count = CALLS.with_borrow_mut(|calls| {
        let count = calls.entry(place.clone()).or_default();
        *count += 1;
        *count
    });
    format!("{place}#{count}")
}

/// The children of one property.
#[derive(Debug)]
pub(crate) struct Children {
    property: String,
    timeout: Duration,
    folder: PathBuf,
}

impl Drop for Children {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Children {
    /// # Errors
    /// When no folder can be made for the files that children leave.
    pub fn new(property: String, timeout: Duration) -> io::Result<Children> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        loop {
            let name = format!("temper-isolated-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let folder = env::temp_dir().join(name);
            // A folder that is there already belongs to somebody else.
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(Children { property, timeout, folder }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Runs the whole property in a child. Gives how it ended, and its last input if it did not end well.
    ///
    /// # Errors
    /// When the program cannot be executed again.
    pub fn run(&self) -> io::Result<(ChildEnd, Option<ChoiceTree>)> {
        let end = self.one()?;
        let last = fs::read(self.folder.join(LAST)).ok().and_then(|bytes| ChoiceTree::from_bytes(&bytes).ok());
        Ok((end, last))
    }

    /// The simplest input that ends a child in the same way; `draw` says whether an input can be drawn at all.
    pub fn shrink(
        &self,
        tree: ChoiceTree,
        end: &ChildEnd,
        draw: &mut dyn FnMut(&mut Choices) -> bool,
    ) -> (ChoiceTree, usize) {
        let budget = if matches!(end, ChildEnd::Silent(_)) { SHRINKS_OF_SILENCE } else { SHRINKS_OF_DEATH };
        let mut fails = |choices: &mut Choices| {
            draw(choices)
                && fs::write(self.folder.join(ONLY), choices.recorded().to_bytes()).is_ok()
                && self.one().is_ok_and(|other| other.is_like(end))
        };
        shrink(tree, budget, &mut fails)
    }

    fn one(&self) -> io::Result<ChildEnd> {
        let _ = fs::remove_file(self.folder.join(LAST));
        let mut command = Command::new(env::current_exe()?);
        command.args(arguments()).env(PROPERTY, &self.property).env(FOLDER, &self.folder);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        self.wait(&mut child)
    }

    /// Waits until the child ends, or notes no further input for too long.
    fn wait(&self, child: &mut Child) -> io::Result<ChildEnd> {
        let (mut noted, mut since) = (None, Instant::now());
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(if status.success() { ChildEnd::Finished } else { ChildEnd::Died(death(status)) });
            }
            let now = modified(&self.folder.join(LAST));
            if now != noted {
                (noted, since) = (now, Instant::now());
            } else if since.elapsed() > self.timeout {
                child.kill()?;
                child.wait()?;
                return Ok(ChildEnd::Silent(self.timeout));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

/// The arguments with which this program comes by the same property: under `cargo test` the name of the test, which is
/// that of its thread, else those of this process.
fn arguments() -> Vec<OsString> {
    let thread = std::thread::current();
    match thread.name().filter(|name| *name != "main") {
        Some(test) => vec![test.into(), "--exact".into(), "--include-ignored".into()],
        None => env::args_os().skip(1).collect(),
    }
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

#[cfg(unix)]
fn death(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match status.signal() {
        Some(signal @ (6 | 11)) => format!("signal {signal}, as after a stack overflow or an abort"),
        Some(signal) => format!("signal {signal}"),
        None => format!("exit code {}", status.code().unwrap_or(-1)),
    }
}

#[cfg(not(unix))]
fn death(status: ExitStatus) -> String {
    status.to_string()
}
