//! Hands work to idle slots and reports to whoever asked. All decisions are made in the caller's thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use crate::error::WorkerError;
use crate::report::Report;
use crate::work::{Adaptive, LayerSpec, Piece};

/// Whether to go on after a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Finish the pieces that are running, start no more.
    Stop,
}

/// Decides what is done next, and gets what was done.
pub trait Feed {
    /// Work for a slot that is idle; nothing if there is none before a further report. When every slot is idle and there is
    /// still none, all is done. Reports name the work by its number in the order of these calls.
    fn next(&mut self) -> Option<Adaptive>;
    /// Takes a report.
    fn report(&mut self, report: Report) -> Flow;
}

/// Where pieces of work are done, one at a time.
pub(crate) trait WorkPlace: Send {
    /// Does a piece of work. An error means that the place itself failed; if it is lost, others do what it was doing.
    fn run(&mut self, spec: &Arc<LayerSpec>, piece: &Piece) -> Result<Report, WorkerError>;
}

/// A list of work, done in its order.
pub(crate) struct Listed<I, F> {
    pub(crate) work: I,
    pub(crate) on_report: F,
}

impl<I: Iterator<Item = Adaptive>, F: FnMut(Report) -> Flow> Feed for Listed<I, F> {
    fn next(&mut self) -> Option<Adaptive> {
        self.work.next()
    }

    fn report(&mut self, report: Report) -> Flow {
        (self.on_report)(report)
    }
}

/// Work that was going on when its slot was lost.
pub(crate) struct Unfinished {
    task: usize,
    work: Adaptive,
    /// The number of its next piece, and that piece.
    index: usize,
    piece: Piece,
}

/// What a slot says to the caller's thread.
enum News {
    Report(Box<Report>),
    /// The slot with this number has done its work, or what was going on in it when it was lost.
    Idle(usize, Result<Option<Box<Unfinished>>, WorkerError>),
}

/// Does work, first what is left over, until the feed has no more; returns what was going on in slots that were lost.
pub(crate) fn dispatch<P: WorkPlace>(
    slots: &mut [P],
    feed: &mut dyn Feed,
    again: Vec<Unfinished>,
    begun: &mut usize,
) -> Result<Vec<Unfinished>, WorkerError> {
    let (sender, news) = mpsc::channel();
    let is_stopped = AtomicBool::new(false);
    thread::scope(|scope| {
        let mut lines = Vec::new();
        for (number, slot) in slots.iter_mut().enumerate() {
            let (line, work) = mpsc::channel();
            let (sender, is_stopped) = (sender.clone(), &is_stopped);
            scope.spawn(move || serve(slot, number, &work, is_stopped, &sender));
            lines.push(line);
        }
        drop(sender);
        Dispatcher { feed, again, begun, lines, busy: 0, lost: Vec::new(), failure: None, is_stopped: &is_stopped }
            .run(&news)
    })
}

struct Dispatcher<'a> {
    feed: &'a mut dyn Feed,
    again: Vec<Unfinished>,
    begun: &'a mut usize,
    lines: Vec<Sender<Unfinished>>,
    busy: usize,
    lost: Vec<Unfinished>,
    failure: Option<WorkerError>,
    is_stopped: &'a AtomicBool,
}

impl Dispatcher<'_> {
    fn run(mut self, news: &Receiver<News>) -> Result<Vec<Unfinished>, WorkerError> {
        let mut idle: Vec<usize> = (0..self.lines.len()).rev().collect();
        loop {
            while let Some(&slot) = idle.last()
                && let Some(work) = self.next()
                && self.lines[slot].send(work).is_ok()
            {
                idle.pop();
                self.busy += 1;
            }
            if self.busy == 0 {
                break;
            }
            match news.recv() {
                Ok(News::Report(report)) => {
                    if self.feed.report(*report) == Flow::Stop {
                        self.is_stopped.store(true, Ordering::Relaxed);
                    }
                }
                Ok(News::Idle(slot, result)) => {
                    self.busy -= 1;
                    match result {
                        Ok(None) => idle.push(slot),
                        Ok(Some(unfinished)) => self.lost.push(*unfinished),
                        Err(error) => self.fail(error),
                    }
                }
                Err(_) => break,
            }
        }
        let is_stopped = self.is_stopped();
        match self.failure {
            Some(error) => Err(error),
            None if is_stopped => Ok(Vec::new()),
            None => Ok(self.lost.into_iter().chain(self.again).collect()),
        }
    }

    /// The next work for an idle slot. None once a slot was lost: the others finish, then all start again.
    fn next(&mut self) -> Option<Unfinished> {
        if self.is_stopped() || !self.lost.is_empty() {
            return None;
        }
        if let Some(unfinished) = self.again.pop() {
            return Some(unfinished);
        }
        loop {
            let mut work = self.feed.next()?;
            let task = *self.begun;
            *self.begun += 1;
            if let Some(piece) = (work.next)(None) {
                return Some(Unfinished { task, work, index: 0, piece });
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn fail(&mut self, error: WorkerError) {
        self.is_stopped.store(true, Ordering::Relaxed);
        self.failure.get_or_insert(error);
    }
}

/// A slot's thread: does what comes on the line until the line is closed.
fn serve<P: WorkPlace>(
    slot: &mut P,
    number: usize,
    work: &Receiver<Unfinished>,
    is_stopped: &AtomicBool,
    sender: &Sender<News>,
) {
    while let Ok(unfinished) = work.recv() {
        let result = finish(slot, unfinished, is_stopped, sender);
        if sender.send(News::Idle(number, result)).is_err() {
            return;
        }
    }
}

/// Does work piece by piece; returns what was going on if the slot was lost.
fn finish<P: WorkPlace>(
    slot: &mut P,
    unfinished: Unfinished,
    is_stopped: &AtomicBool,
    sender: &Sender<News>,
) -> Result<Option<Box<Unfinished>>, WorkerError> {
    let Unfinished { task, mut work, mut index, mut piece } = unfinished;
    while !is_stopped.load(Ordering::Relaxed) {
        let report = match slot.run(&work.layer, &piece) {
            Err(WorkerError::Lost { .. }) => return Ok(Some(Box::new(Unfinished { task, work, index, piece }))),
            report => Report { task, piece: index, ..report? },
        };
        let following = (work.next)(Some(&report));
        if sender.send(News::Report(Box::new(report))).is_err() {
            break;
        }
        let Some(next) = following else { break };
        (index, piece) = (index + 1, next);
    }
    Ok(None)
}
