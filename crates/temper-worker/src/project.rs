//! A project layer in a slot: started, loaded, and forked for each piece of work.

use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::cancel::Cancel;
use crate::channel::Channel;
use crate::error::WorkerError;
use crate::fences::{CallGuard, FenceSet};
use crate::messages::{self, Done, Exited};
use crate::pipes::{OutputBuffer, PipeReader, quiet_pipe};
use crate::report::{
    CallResult, ContainmentReport, End, LoadFailure, Loaded, Mode, Outcome, Output, RandomSources, RepeatedRun, Report,
    Usage, Used,
};
use crate::supervise::{Event, Link, Pipes, Waited, Watched, end_of};
use crate::wire::Value;
use crate::work::{LayerSpec, Limits, Piece, Work};

/// A process that has loaded a project.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) id: u64,
    pub(crate) spec: Arc<LayerSpec>,
    fences: FenceSet,
    pub(crate) loaded: Loaded,
    /// Environment variables that loading set.
    pub(crate) variables: Value,
    /// How many of the modules that runs import late it was told to import; the greatest number if it must not.
    pub(crate) late_modules: usize,
    link: Link,
    output: PipeReader,
    scratch: PathBuf,
}

/// How to start a project layer.
pub(crate) struct Start<'a> {
    /// The layer to fork it from.
    pub(crate) parent: &'a mut Link,
    /// Its number.
    pub(crate) id: u64,
    /// What to load.
    pub(crate) spec: &'a Arc<LayerSpec>,
    /// The fences around it, if it is contained.
    pub(crate) fences: FenceSet,
    /// Its scratch folder.
    pub(crate) scratch: PathBuf,
    /// A fresh interpreter instead of a fork.
    pub(crate) is_fresh: bool,
    /// Whether modules and versions are to be listed.
    pub(crate) wants_description: bool,
    /// The flag to stop.
    pub(crate) cancel: &'a Cancel,
}

impl Start<'_> {
    /// Starts and loads; a failure of the user's code is the inner error. Nothing is left of a layer that failed.
    pub(crate) fn load(self) -> Result<Result<Project, LoadFailure>, WorkerError> {
        let (channel, control) = Channel::pair()?;
        let (reader, output) = PipeReader::pair()?;
        let start = messages::start_layer(self.id, self.is_fresh, &self.scratch);
        self.parent.channel.send(&start, &[control.as_fd(), output.as_fd()])?;
        drop((control, output));
        let mut link = Link::fenced(channel, CallGuard::new(self.writable()));
        link.channel.send(&messages::load(self.spec, self.fences, self.wants_description), &[])?;
        let mut pipes = Pipes::new(reader, None, &self.spec.limits);
        let mut watched = Watched { parent: &mut *self.parent, id: self.id, own: Some(&mut link), pipes: &mut pipes };
        let (event, waited) = watched.wait(self.spec.limits.wall, self.cancel)?;
        match event {
            Event::Message(message) if messages::kind(&message)? == "loaded" => Ok(Ok(Project {
                id: self.id,
                spec: Arc::clone(self.spec),
                fences: self.fences,
                loaded: messages::parse_loaded(&message)?,
                variables: messages::parse_variables(&message),
                late_modules: 0,
                link,
                output: pipes.into_output(),
                scratch: self.scratch,
            })),
            Event::Message(message) => {
                drop(link);
                self.await_end(&mut pipes)?;
                Ok(Err(messages::parse_failed(&message, pipes.finish()?.0)?))
            }
            Event::Exited(exited) => {
                let end = end_of(&exited, waited, &self.spec.limits);
                Ok(Err(LoadFailure::Ended { end, output: pipes.finish()?.0 }))
            }
            Event::LayerLost => Err(WorkerError::Lost { during: "loading a project" }),
        }
    }

    /// What the layer and its pieces of work may write.
    fn writable(&self) -> Vec<PathBuf> {
        // Behind namespaces it is a folder in memory that nobody else sees.
        let has_shared_memory = self.fences.namespaces || self.spec.policy.allow_subprocess;
        let shared_memory = has_shared_memory.then(|| PathBuf::from("/dev/shm"));
        self.spec.policy.allow_write.iter().cloned().chain([self.scratch.clone()]).chain(shared_memory).collect()
    }

    /// Waits until a layer whose channel was closed is gone.
    fn await_end(self, pipes: &mut Pipes) -> Result<(), WorkerError> {
        let mut watched = Watched { parent: self.parent, id: self.id, own: None, pipes };
        watched.wait(self.spec.limits.wall, self.cancel).map(drop)
    }
}

impl Project {
    /// Imports modules into the layer; says whether it is still of use.
    pub(crate) fn import(&mut self, modules: &[String], cancel: &Cancel) -> Result<bool, WorkerError> {
        self.link.import(modules, self.spec.limits.wall, cancel)
    }

    /// Does a piece of work in a fork of this layer; says also whether the layer is still of use.
    pub(crate) fn run_forked(
        &mut self,
        id: u64,
        piece: &Piece,
        cancel: &Cancel,
    ) -> Result<(Report, bool), WorkerError> {
        let scratch = self.scratch.join(format!("run-{id}"));
        let message = messages::run(id, (&self.spec, self.fences), piece, &scratch, false);
        let mut pipes = send_work(&mut self.link, &message, &piece.limits)?;
        let mut watched = Watched { parent: &mut self.link, id, own: None, pipes: &mut pipes };
        let (event, waited) = watched.wait(piece.limits.wall, cancel)?;
        // Fault handlers that were set up while loading write to the layer's own output.
        let mut late = OutputBuffer::new(piece.limits.output_bytes);
        self.output.drain(|bytes| late.push(bytes));
        let is_alive = matches!(event, Event::Exited(_));
        let mut report = conclude(event, waited, pipes, piece, Mode::Forked)?;
        report.output.bytes.extend(late.finish().bytes);
        complete_refusals(&mut report, &self.link.guard);
        Ok((report, is_alive))
    }

    /// Does a piece of work in this process, which was started for it, and ends it.
    pub(crate) fn run_here(
        mut self,
        parent: &mut Link,
        piece: &Piece,
        reason: String,
        cancel: &Cancel,
    ) -> Result<Report, WorkerError> {
        let scratch = self.scratch.join("run");
        let message = messages::run(self.id, (&self.spec, self.fences), piece, &scratch, true);
        let mut pipes = send_work(&mut self.link, &message, &piece.limits)?;
        let mut watched = Watched { parent, id: self.id, own: Some(&mut self.link), pipes: &mut pipes };
        let (event, waited) = watched.wait(piece.limits.wall, cancel)?;
        let mut report = conclude(event, waited, pipes, piece, Mode::Spawned(reason))?;
        complete_refusals(&mut report, &self.link.guard);
        Ok(report)
    }

    /// Kills the layer and waits until its parent says that it is gone.
    pub(crate) fn end(self, parent: &mut Link, cancel: &Cancel) -> Result<(), WorkerError> {
        let mut pipes = Pipes::new(self.output, None, &self.spec.limits);
        // At once: a wait with no time kills.
        let mut watched = Watched { parent, id: self.id, own: None, pipes: &mut pipes };
        match watched.wait(Duration::ZERO, cancel)? {
            (Event::LayerLost, _) => Err(WorkerError::Lost { during: "ending a project layer" }),
            _ => Ok(()),
        }
    }
}

fn send_work(link: &mut Link, message: &Value, limits: &Limits) -> Result<Pipes, WorkerError> {
    let (result_reader, result) = PipeReader::pair()?;
    let (output_reader, output) = PipeReader::pair()?;
    let (refusals, told) = quiet_pipe()?;
    link.channel.send(message, &[result.as_fd(), output.as_fd(), refusals.as_fd()])?;
    link.guard.tell(told);
    Ok(Pipes::new(output_reader, Some(result_reader), limits))
}

/// A process that gave no answer could not report what was refused to it.
fn complete_refusals(report: &mut Report, guard: &CallGuard) {
    for refusal in guard.refused() {
        if !report.containment.refused.contains(refusal) {
            report.containment.refused.push(refusal.clone());
        }
    }
}

/// A report without an answer, to be completed.
pub(crate) fn blank_report(piece: &Piece, outcome: Outcome, mode: Mode) -> Report {
    Report {
        task: 0,
        piece: 0,
        seed: piece.seed,
        outcome,
        probes: Vec::new(),
        dropped_probes: 0,
        random_sources: RandomSources::default(),
        calls: Vec::new(),
        runs: Vec::new(),
        containment: ContainmentReport::default(),
        output: Output::default(),
        usage: Usage::default(),
        machine: None,
        mode,
        late_files: Vec::new(),
        late_modules: Vec::new(),
        late_packages: Vec::new(),
        used: Used::default(),
        covered: Vec::new(),
    }
}

fn conclude(event: Event, waited: Waited, pipes: Pipes, piece: &Piece, mode: Mode) -> Result<Report, WorkerError> {
    let (output, frames) = pipes.finish()?;
    let Frames { calls, runs, done } = sort_frames(&frames, &piece.work)?;
    let (end, usage) = match &event {
        Event::Exited(exited) => (end_of(exited, waited, &piece.limits), usage_of(exited, waited)),
        _ if waited.is_killed => (End::WallLimit, Usage { wall: waited.wall, ..Usage::default() }),
        _ => (End::LayerLost, Usage { wall: waited.wall, ..Usage::default() }),
    };
    let blank = blank_report(piece, Outcome::Ended(end), mode);
    let report = Report { calls, runs, output, usage, ..blank };
    Ok(match done {
        None => report,
        Some(done) => Report {
            outcome: done.outcome,
            probes: done.probes,
            dropped_probes: done.dropped_probes,
            random_sources: done.random_sources,
            containment: done.containment,
            late_files: done.late_files,
            late_modules: done.late_modules,
            late_packages: done.late_packages,
            used: done.used,
            covered: done.covered,
            ..report
        },
    })
}

/// What came on a result pipe.
#[derive(Default)]
struct Frames {
    calls: Vec<CallResult>,
    runs: Vec<RepeatedRun>,
    done: Option<Done>,
}

fn sort_frames(frames: &[Value], work: &Work) -> Result<Frames, WorkerError> {
    let mut starts = if let Work::Repeat { starts, .. } = work { starts.iter() } else { [].iter() };
    let mut sorted = Frames::default();
    for frame in frames {
        match messages::kind(frame)? {
            "done" => {
                sorted.done = Some(messages::parse_done(frame)?);
                break;
            }
            "run" => {
                let start = starts.next().ok_or(WorkerError::Protocol { field: "run" })?;
                sorted.runs.push(messages::parse_run(frame, start.seed)?);
            }
            _ => sorted.calls.push(messages::parse_call(frame)?),
        }
    }
    Ok(sorted)
}

fn usage_of(exited: &Exited, waited: Waited) -> Usage {
    Usage { cpu: exited.cpu, wall: waited.wall, max_rss_kib: exited.max_rss_kib, orphans: exited.orphans }
}
