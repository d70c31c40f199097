//! Slots on other machines, reached through a bridge process.
//!
//! The bridge first says which workers there are. Then every frame to it has a number and a piece of work, and every frame
//! from it a number, one byte that says what the rest is, and the rest. Pieces whose machine is lost are done again elsewhere by
//! the bridge, a few times; what is lost more often is lost for us as a local slot would be.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde::Deserialize;

use super::{RemoteAnswer, RemotePiece, frames};
use crate::cancel::Cancel;
use crate::dispatch::{Feed, WorkPlace, dispatch};
use crate::error::{ClusterError, WorkerError};
use crate::report::{Report, Versions};
use crate::work::{LayerSpec, Piece};

/// How often work that was lost with its machines is begun again in one call.
const MOST_RESTARTS: usize = 3;
/// How often a slot that waits looks whether the user wants to stop.
const LOOK: Duration = Duration::from_millis(50);

/// How the bridge is started.
#[derive(Debug, Clone)]
pub struct ClusterSettings {
    /// The interpreter that has the library of the cluster.
    pub python: PathBuf,
    /// The folder that holds our Python package.
    pub package_dir: PathBuf,
    /// Where the scheduler is, or `local` for one that is started for this command.
    pub address: String,
    /// The project.
    pub root: PathBuf,
    /// Environment variables that the work gets.
    pub variables: BTreeMap<String, String>,
}

/// What the bridge says first.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Hello {
    Ready { slots: usize, workers: Vec<RemoteWorker> },
    Missing,
    Unreachable { text: String },
}

/// A worker of the cluster.
#[derive(Debug, Clone, Deserialize)]
struct RemoteWorker {
    name: String,
    python: String,
    /// Distributions with their versions.
    installed: BTreeMap<String, String>,
}

/// A connection to the machines of a cluster.
#[derive(Debug)]
pub struct Cluster {
    bridge: Child,
    connection: Arc<Connection>,
    slots: usize,
    workers: Vec<RemoteWorker>,
    root: PathBuf,
    prefix: PathBuf,
}

#[derive(Debug)]
struct Connection {
    /// Nothing once it is closed.
    to: Mutex<Option<BufWriter<ChildStdin>>>,
    /// Who waits for which answer. Nothing once the bridge is gone.
    waiting: Mutex<Option<HashMap<u64, Sender<Vec<u8>>>>>,
    numbers: AtomicU64,
}

impl Cluster {
    /// Starts the bridge, which ships the project, and waits until it knows the workers.
    ///
    /// # Errors
    /// When there is no library, no scheduler or no worker.
    pub fn connect(settings: &ClusterSettings) -> Result<Self, ClusterError> {
        let broken = |error: std::io::Error| ClusterError::Broken(error.to_string());
        let variables = serde_json::to_string(&settings.variables).map_err(|e| ClusterError::Broken(e.to_string()))?;
        let mut bridge = Command::new(&settings.python)
            .args(["-c", START])
            .arg(&settings.package_dir)
            .args([&settings.address, &settings.root.display().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(broken)?;
        let (Some(input), Some(output)) = (bridge.stdin.take(), bridge.stdout.take()) else {
            return Err(ClusterError::Broken("it has no pipes".to_owned()));
        };
        let (mut to, mut from) = (BufWriter::new(input), BufReader::new(output));
        frames::write(&mut to, &[variables.as_bytes()]).map_err(broken)?;
        let hello = frames::read(&mut from).map_err(broken)?;
        let Some(hello) = hello.and_then(|bytes| serde_json::from_slice(&bytes).ok()) else {
            let output = bridge.wait_with_output().map_err(broken)?;
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(ClusterError::Broken(said.lines().last().unwrap_or("the bridge ended").to_owned()));
        };
        let (slots, workers) = match hello {
            Hello::Missing => return Err(ClusterError::Missing),
            Hello::Unreachable { text } => return Err(ClusterError::Unreachable(text)),
            Hello::Ready { slots, workers } => (slots, workers),
        };
        // What libraries of the cluster log is no message of ours, and must not fill the pipe.
        let stderr = bridge.stderr.take();
        thread::spawn(move || stderr.map(|mut stderr| std::io::copy(&mut stderr, &mut std::io::sink())));
        let connection = Arc::new(Connection {
            to: Mutex::new(Some(to)),
            waiting: Mutex::new(Some(HashMap::new())),
            numbers: AtomicU64::new(0),
        });
        let answered = Arc::clone(&connection);
        thread::spawn(move || answered.pass_on(from));
        Ok(Self { bridge, connection, slots, workers, root: settings.root.clone(), prefix: PathBuf::new() })
    }

    /// How many pieces of work it does at the same time, and on how many workers.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.slots, self.workers.len())
    }

    /// Takes note of what runs depend on here.
    ///
    /// # Errors
    /// When the workers have another interpreter, or other versions of what the project imports.
    pub(crate) fn fit(&mut self, versions: &Versions) -> Result<(), ClusterError> {
        self.prefix.clone_from(&versions.prefix);
        let unfit: Vec<String> = self.workers.iter().flat_map(|worker| worker.differences(versions)).collect();
        if unfit.is_empty() { Ok(()) } else { Err(ClusterError::Unfit(unfit)) }
    }

    /// Does all work, as a driver does it with local slots.
    pub(crate) fn run_all(&mut self, feed: &mut dyn Feed, cancel: &Cancel) -> Result<(), WorkerError> {
        let slot = || RemoteSlot {
            connection: Arc::clone(&self.connection),
            cancel: cancel.clone(),
            root: &self.root,
            prefix: &self.prefix,
        };
        let mut slots: Vec<RemoteSlot<'_>> = (0..self.slots).map(|_| slot()).collect();
        let (mut again, mut begun) = (Vec::new(), 0);
        for _ in 0..MOST_RESTARTS {
            again = dispatch(&mut slots, feed, again, &mut begun)?;
            if again.is_empty() {
                return Ok(());
            }
        }
        Err(WorkerError::Lost { during: "doing the same work on machines of the cluster again and again" })
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The bridge gives up what is queued and ends when its input does.
        *self.connection.to.lock().unwrap_or_else(PoisonError::into_inner) = None;
        for _ in 0..100 {
            if !matches!(self.bridge.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(LOOK);
        }
        let _ = self.bridge.kill();
        let _ = self.bridge.wait();
    }
}

/// The bridge is loaded from the folder of our package, and nothing else is.
const START: &str = "import sys; sys.path.append(sys.argv.pop(1)); from temper.cluster.bridge import main; main()";

impl RemoteWorker {
    fn differences(&self, versions: &Versions) -> Vec<String> {
        let mut found = Vec::new();
        if self.python != versions.python {
            found.push(format!("{}: Python {}, here {}", self.name, self.python, versions.python));
        }
        for (package, here) in &versions.packages {
            match self.installed.get(package) {
                Some(there) if there == here => {}
                Some(there) => found.push(format!("{}: {package} {there}, here {here}", self.name)),
                None => found.push(format!("{}: no {package}, here {here}", self.name)),
            }
        }
        found
    }
}

impl Connection {
    /// Sends a piece of work; the answer will come on the line. Nothing if the bridge is gone.
    fn ask(&self, piece: &[u8]) -> Option<(u64, mpsc::Receiver<Vec<u8>>)> {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let (sender, line) = mpsc::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.insert(number, sender);
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        frames::write(to.as_mut()?, &[&number.to_le_bytes(), piece]).ok()?;
        Some((number, line))
    }

    fn forget(&self, number: u64) {
        if let Some(waiting) = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            waiting.remove(&number);
        }
    }

    /// Hands answers to those who wait for them, until the bridge ends: then nobody has to wait any more.
    fn pass_on(&self, mut from: BufReader<ChildStdout>) {
        while let Ok(Some(frame)) = frames::read(&mut from) {
            let Some((number, rest)) = frame.split_first_chunk::<8>() else { break };
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let line = waiting.as_mut().and_then(|waiting| waiting.remove(&u64::from_le_bytes(*number)));
            if let Some(line) = line {
                // Whoever asked may have gone away since.
                let _ = line.send(rest.to_vec());
            }
        }
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// One of the slots: waits for one piece of work at a time.
struct RemoteSlot<'a> {
    connection: Arc<Connection>,
    cancel: Cancel,
    root: &'a Path,
    prefix: &'a Path,
}

/// What the bridge says of a piece: the answer of the other machine follows.
const DONE: u8 = 0;
/// Its machines were lost, one after the other.
const LOST: u8 = 1;

impl WorkPlace for RemoteSlot<'_> {
    fn run(&mut self, spec: &Arc<LayerSpec>, piece: &Piece) -> Result<Report, WorkerError> {
        let (root, prefix) = (self.root.to_path_buf(), self.prefix.to_path_buf());
        let asked = RemotePiece { root, prefix, layer: (**spec).clone(), piece: piece.clone() };
        let bytes = postcard::to_allocvec(&asked).map_err(|_| WorkerError::Protocol { field: "piece" })?;
        let gone = || WorkerError::Cluster { said: "the connection ended".to_owned() };
        let (number, line) = self.connection.ask(&bytes).ok_or_else(gone)?;
        let frame = loop {
            match line.recv_timeout(LOOK) {
                Ok(frame) => break frame,
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(RecvTimeoutError::Timeout) if self.cancel.is_cancelled() => {
                    self.connection.forget(number);
                    return Err(WorkerError::Cancelled);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        match frame.split_first() {
            Some((&DONE, rest)) => report_of(rest),
            Some((&LOST, _)) => Err(WorkerError::Lost { during: "doing work on a machine of the cluster" }),
            Some((_, rest)) => Err(WorkerError::Cluster { said: String::from_utf8_lossy(rest).into_owned() }),
            None => Err(WorkerError::Protocol { field: "answer" }),
        }
    }
}

fn report_of(bytes: &[u8]) -> Result<Report, WorkerError> {
    match postcard::from_bytes(bytes) {
        Ok(RemoteAnswer::Report(report)) => Ok(*report),
        Ok(RemoteAnswer::Failed(said)) => Err(WorkerError::Cluster { said }),
        Err(_) => Err(WorkerError::Protocol { field: "report" }),
    }
}
