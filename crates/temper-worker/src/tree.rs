//! The process tree of a driver: the guard, and the base layer below it.
//!
//! The guard ends everything below it and removes the scratch folder as soon as our end of the control socket closes, which
//! also happens when this process is killed.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use temper_files::PrivateFolder;

use crate::cancel::Cancel;
use crate::channel::Channel;
use crate::error::WorkerError;
use crate::pipes::{OutputBuffer, PipeReader};
use crate::settings::Settings;
use crate::supervise::Link;

/// Runs `boot.py` with the path of its folder, without putting that folder or the current one on the module path.
const STUB: &str =
    "import sys;exec(compile(open(sys.argv[1]).read(),sys.argv[1],'exec'),{'__name__':'__temper_boot__'})";

/// How long a bare interpreter may take to come up.
const START: Duration = Duration::from_secs(60);

/// How long the guard may take to end everything: its own patience, and some.
const END: Duration = Duration::from_secs(20);

/// A running guard with its base layer.
#[derive(Debug)]
pub(crate) struct Tree {
    guard: Child,
    /// `None` once the tree is being ended.
    base: Option<Link>,
    /// Removed by the guard, and again by us in case that the guard could not.
    pub(crate) scratch: PrivateFolder,
}

impl Tree {
    pub(crate) fn start(settings: &Settings, cancel: &Cancel) -> Result<Self, WorkerError> {
        let (channel, control) = Channel::pair()?;
        let (mut reader, stderr) = PipeReader::pair()?;
        // Before the guard is told of it: from here on nobody else can make, enter or replace it.
        let scratch = PrivateFolder::create(&settings.scratch_parent)?;
        let guard = Command::new(&settings.python)
            .args(["-B", "-c", STUB])
            .arg(settings.package_dir.join("temper/worker/boot.py"))
            .arg(&settings.package_dir)
            .arg("guard")
            .arg(scratch.path())
            // Out of the terminal's reach: an interrupt from the keyboard is for the driver alone.
            .process_group(0)
            .env_clear()
            .envs(settings.worker_env())
            .stdin(Stdio::from(control))
            .stdout(Stdio::null())
            .stderr(Stdio::from(stderr))
            .spawn()
            .map_err(|source| WorkerError::Start { python: settings.python.clone(), source })?;
        let mut tree = Self { guard, base: Some(Link::new(channel)), scratch };
        match tree.base()?.expect(START, cancel, "starting") {
            Ok(_) => Ok(tree),
            Err(WorkerError::Lost { .. }) => {
                let within = (!tree.base()?.channel.is_closed()).then_some(START);
                let mut printed = OutputBuffer::new(8192);
                reader.drain(|bytes| printed.push(bytes));
                let stderr = String::from_utf8_lossy(&printed.finish().bytes).into_owned();
                Err(WorkerError::NotReady { python: settings.python.clone(), within, stderr })
            }
            Err(error) => Err(error),
        }
    }

    /// The base layer.
    pub(crate) fn base(&mut self) -> Result<&mut Link, WorkerError> {
        self.base.as_mut().ok_or(WorkerError::Lost { during: "reaching the base layer" })
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // Closes the socket: the sign for the guard.
        self.base = None;
        let until = Instant::now() + END;
        while matches!(self.guard.try_wait(), Ok(None)) && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        // Both fail if the guard is already gone, as it should be.
        let _ = self.guard.kill();
        let _ = self.guard.wait();
    }
}
