//! Waiting for a process of a worker tree: its messages, what it prints, its end, its deadline, and the caller's wish to stop.
//!
//! The driver keeps all clocks. At a deadline it asks the parent layer to kill the process group, and waits for the parent's
//! word that it is gone; it never waits for a pipe to close, since a process left behind may hold it open.

use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::cancel::Cancel;
use crate::channel::{Channel, take_frame};
use crate::error::WorkerError;
use crate::fences::{CallGuard, FenceSet};
use crate::messages::{self, Exited};
use crate::pipes::{OutputBuffer, PipeReader, wait_readable};
use crate::report::{End, Output};
use crate::wire::Value;
use crate::work::Limits;

/// How often the flag to stop is looked at: as fast as a person can tell.
const TICK: Duration = Duration::from_millis(20);

/// How long a layer may take to report a killed child. It only has to kill and reap, but on a loaded machine; a layer that
/// takes longer is killed too, which costs loading it again.
const GRACE: Duration = Duration::from_secs(10);

/// How long a layer may take to try the fences.
const PROBE: Duration = Duration::from_secs(60);

/// Exit code of a piece of work that found its result pipe closed; the same number is in `layer.py`.
const LOST_RESULT: i32 = 93;

/// A layer's control channel, and the ends of its children that it has reported.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) channel: Channel,
    /// Answers calls that the filter of the layer stops.
    pub(crate) guard: CallGuard,
    exits: HashMap<u64, Exited>,
}

impl Link {
    pub(crate) fn new(channel: Channel) -> Self {
        Self::fenced(channel, CallGuard::default())
    }

    pub(crate) fn fenced(channel: Channel, guard: CallGuard) -> Self {
        Self { channel, guard, exits: HashMap::new() }
    }

    /// Reads what has arrived. Ends of children are kept; other messages are returned.
    pub(crate) fn pump(&mut self) -> Result<Vec<Value>, WorkerError> {
        self.channel.fill();
        let mut others = Vec::new();
        while let Some(message) = self.channel.next_message()? {
            match messages::kind(&message)? {
                "exited" => {
                    let exited = messages::parse_exited(&message)?;
                    self.exits.insert(exited.id, exited);
                }
                "listener" => {
                    let listener = self.channel.take_descriptor().ok_or(WorkerError::Protocol { field: "listener" })?;
                    self.guard.listen(listener);
                }
                _ => others.push(message),
            }
        }
        self.guard.answer_all();
        Ok(others)
    }

    pub(crate) fn take_exit(&mut self, id: u64) -> Option<Exited> {
        self.exits.remove(&id)
    }

    /// Imports modules into the layer, with these environment variables set.
    pub(crate) fn preload(
        &mut self,
        modules: &[String],
        (variables, root): (&Value, Option<&Path>),
        within: Duration,
        cancel: &Cancel,
    ) -> Result<Preloaded, WorkerError> {
        self.channel.send(&messages::preload(modules, variables, root), &[])?;
        match self.expect(within, cancel, "importing third-party modules") {
            Ok(message) => Ok(messages::parse_preloaded(&message).map_or(Preloaded::Whole, Preloaded::Threaded)),
            Err(WorkerError::Lost { .. }) => Ok(Preloaded::Lost),
            Err(error) => Err(error),
        }
    }

    /// Imports modules into the layer; says whether it can still be forked.
    pub(crate) fn import(
        &mut self,
        modules: &[String],
        within: Duration,
        cancel: &Cancel,
    ) -> Result<bool, WorkerError> {
        Ok(self.preload(modules, (&Value::Map(Vec::new()), None), within, cancel)? == Preloaded::Whole)
    }

    /// The next message that is not about the end of a child.
    pub(crate) fn expect(
        &mut self,
        within: Duration,
        cancel: &Cancel,
        during: &'static str,
    ) -> Result<Value, WorkerError> {
        let mut clock = Clock::new(within, cancel);
        loop {
            if let Some(message) = self.pump()?.into_iter().next() {
                return Ok(message);
            }
            if self.channel.is_closed() || clock.has_passed() {
                return Err(WorkerError::Lost { during });
            }
            clock.wait(&self.fds())?;
        }
    }

    /// Which fences the machine of the layer has.
    pub(crate) fn fences(&mut self, cancel: &Cancel) -> Result<FenceSet, WorkerError> {
        self.channel.send(&messages::fences(), &[])?;
        loop {
            let answer = self.expect(PROBE, cancel, "looking which fences there are")?;
            // A slot that has just been started says first that it is ready.
            if messages::kind(&answer)? == "fences" {
                return messages::parse_fences(&answer);
            }
        }
    }

    /// What becomes readable when there is something to do for the layer.
    fn fds(&self) -> Vec<BorrowedFd<'_>> {
        let channel = (!self.channel.is_closed()).then(|| self.channel.as_fd());
        channel.into_iter().chain(self.guard.fd()).collect()
    }
}

/// The answer of a layer that was told to import modules.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Preloaded {
    /// It can still be forked.
    Whole,
    /// This module left threads running.
    Threaded(String),
    /// It ended, or no longer answers.
    Lost,
}

/// A deadline, and the flag to stop.
struct Clock<'a> {
    cancel: &'a Cancel,
    start: Instant,
    deadline: Instant,
}

impl<'a> Clock<'a> {
    fn new(within: Duration, cancel: &'a Cancel) -> Self {
        let start = Instant::now();
        Self { cancel, start, deadline: start + within }
    }

    fn has_passed(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Waits for something to read, for a short while.
    fn wait(&mut self, fds: &[BorrowedFd<'_>]) -> Result<(), WorkerError> {
        if self.cancel.is_cancelled() {
            return Err(WorkerError::Cancelled);
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        wait_readable(fds, left.min(TICK))
    }
}

/// What is read from a process while it runs.
#[derive(Debug)]
pub(crate) struct Pipes {
    output: PipeReader,
    printed: OutputBuffer,
    result: Option<PipeReader>,
    received: Vec<u8>,
}

impl Pipes {
    pub(crate) fn new(output: PipeReader, result: Option<PipeReader>, limits: &Limits) -> Self {
        Self { output, printed: OutputBuffer::new(limits.output_bytes), result, received: Vec::new() }
    }

    /// Reads what has arrived; `true` if there may be more.
    fn drain(&mut self) -> bool {
        let has_output = self.output.drain(|bytes| self.printed.push(bytes));
        let has_result = match &mut self.result {
            Some(result) => result.drain(|bytes| self.received.extend(bytes)),
            None => false,
        };
        has_output || has_result
    }

    fn open_fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        [Some(&self.output), self.result.as_ref()]
            .into_iter()
            .flatten()
            .filter(|pipe| !pipe.is_closed())
            .map(AsFd::as_fd)
    }

    /// What was printed; and the frames of the result pipe.
    pub(crate) fn finish(mut self) -> Result<(Output, Vec<Value>), WorkerError> {
        // At most what is in the pipes now: whoever still holds them may write for ever.
        for _ in 0..2 {
            self.drain();
        }
        let mut frames = Vec::new();
        while let Some(frame) = take_frame(&mut self.received)? {
            frames.push(frame);
        }
        Ok((self.printed.finish(), frames))
    }

    /// Keeps reading what a layer prints after it is loaded.
    pub(crate) fn into_output(self) -> PipeReader {
        self.output
    }
}

/// What ended the wait for a process.
#[derive(Debug)]
pub(crate) enum Event {
    /// A message on its own control channel.
    Message(Value),
    /// Its parent reported its end.
    Exited(Exited),
    /// Its parent, a project layer, ended or no longer answers.
    LayerLost,
}

/// A process being waited for.
pub(crate) struct Watched<'a> {
    /// The layer that is its parent.
    pub(crate) parent: &'a mut Link,
    /// Its number there.
    pub(crate) id: u64,
    /// Its own control channel, if it is to send a message.
    pub(crate) own: Option<&'a mut Link>,
    /// What it prints, and its results.
    pub(crate) pipes: &'a mut Pipes,
}

impl Watched<'_> {
    /// Waits for a message or the end of the process, and kills it at its wall limit; says also how long that took, and
    /// whether the limit was reached.
    pub(crate) fn wait(&mut self, wall: Duration, cancel: &Cancel) -> Result<(Event, Waited), WorkerError> {
        let mut clock = Clock::new(wall, cancel);
        let mut is_killed = false;
        loop {
            let event = self.look()?;
            if let Some(event) = event {
                return Ok((event, Waited { wall: clock.start.elapsed(), is_killed }));
            }
            if clock.has_passed() {
                if is_killed {
                    return Ok((Event::LayerLost, Waited { wall: clock.start.elapsed(), is_killed }));
                }
                self.parent.channel.send(&messages::kill(self.id), &[])?;
                is_killed = true;
                clock.deadline = Instant::now() + GRACE;
            }
            clock.wait(&self.open_fds())?;
        }
    }

    fn look(&mut self) -> Result<Option<Event>, WorkerError> {
        self.pipes.drain();
        self.parent.pump()?;
        if let Some(own) = &mut self.own {
            let message =
                own.pump()?.into_iter().find(|message| messages::kind(message).is_ok_and(|kind| kind != "ready"));
            if let Some(message) = message {
                return Ok(Some(Event::Message(message)));
            }
        }
        if let Some(exited) = self.parent.take_exit(self.id) {
            return Ok(Some(Event::Exited(exited)));
        }
        Ok(self.parent.channel.is_closed().then_some(Event::LayerLost))
    }

    fn open_fds(&self) -> Vec<BorrowedFd<'_>> {
        let own = self.own.as_ref().map(|own| own.fds()).unwrap_or_default();
        self.pipes.open_fds().chain(self.parent.fds()).chain(own).collect()
    }
}

/// How a wait went.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waited {
    pub(crate) wall: Duration,
    pub(crate) is_killed: bool,
}

/// What the end of a process without an answer means.
pub(crate) fn end_of(exited: &Exited, waited: Waited, limits: &Limits) -> End {
    const SIGXCPU: i32 = nix::sys::signal::Signal::SIGXCPU as i32;
    const SIGKILL: i32 = nix::sys::signal::Signal::SIGKILL as i32;
    const SIGPROF: i32 = nix::sys::signal::Signal::SIGPROF as i32;
    match (exited.signal, exited.code) {
        _ if exited.has_too_many_processes => End::ProcessLimit,
        // The timer of a limit below a second sends the second one, a little before the times add up.
        (Some(SIGXCPU | SIGPROF), _) => End::CpuLimit,
        (Some(SIGKILL), _) if exited.cpu >= limits.cpu => End::CpuLimit,
        _ if waited.is_killed => End::WallLimit,
        (Some(signal), _) => End::Signal(signal),
        (None, Some(LOST_RESULT)) => End::LostResult,
        (None, code) => End::Exited(code.unwrap_or_default()),
    }
}
