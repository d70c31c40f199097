//! How far the sampling is, for the user, and when to stop.

use std::time::Instant;

use temper_bounds::sample::scheduler::{SamplingProgress, Stop, Watch};
use temper_report::counted;

use crate::commands::CommandContext;
use crate::interrupt::Interrupt;
use crate::progress::{Ahead, ProgressLine, pace};

/// Shows progress, and stops at the end of the budget or when the user asks.
pub struct Watcher<'a> {
    interrupt: &'a Interrupt,
    until: Option<Instant>,
    /// When half of the time that there was at the start is spent.
    halfway: Option<Instant>,
    runs: Option<Pace>,
    mutants: Option<Pace>,
    is_sampling: bool,
    is_at_rest: bool,
    shown: ProgressLine,
}

/// When things were first done, and how many were done already.
#[derive(Clone, Copy)]
struct Pace {
    since: Instant,
    before: usize,
}

impl Pace {
    fn new(before: usize) -> Self {
        Self { since: Instant::now(), before }
    }

    /// Seconds for `more` things, at the pace since then; never more than `most`.
    fn ahead(self, done: usize, more: usize, most: f64, as_ahead: impl FnOnce(f64) -> Ahead) -> Ahead {
        let secs = pace(self.since.elapsed(), done.saturating_sub(self.before));
        secs.map_or(Ahead::Unknown, |secs| as_ahead((secs * more as f64).min(most)))
    }
}

impl<'a> Watcher<'a> {
    /// Starts to show progress.
    pub fn new(context: &CommandContext<'_>, interrupt: &'a Interrupt, is_sampling: bool) -> Self {
        let (verb, things) = if is_sampling { ("sampling", "sites") } else { ("verifying", "patches") };
        let shown = ProgressLine::start(verb, things, 0, context.common.quiet > 0);
        let (now, until) = (Instant::now(), interrupt.deadline());
        let halfway = until.map(|until| now + until.saturating_duration_since(now) / 2);
        Self { interrupt, until, halfway, runs: None, mutants: None, is_sampling, is_at_rest: false, shown }
    }

    /// For a job that judges what there is, and runs nothing.
    pub fn at_rest(self, is_at_rest: bool) -> Self {
        Self { is_at_rest, ..self }
    }
}

impl Watch for Watcher<'_> {
    fn step(&mut self, progress: &dyn Fn() -> SamplingProgress) {
        if !self.shown.is_due() {
            return;
        }
        let now = progress();
        // Never more than the budget allows.
        let most = self.until.map_or(f64::INFINITY, |until| until.duration_since(Instant::now()).as_secs_f64());
        if now.mutants > 0 {
            let pace = *self.mutants.get_or_insert_with(|| Pace::new(now.mutants_done));
            let more = now.mutants.saturating_sub(now.mutants_done);
            let ahead = pace.ahead(now.mutants_done, more, most, Ahead::Left);
            let found = || format!("mutant {} of {} · {} found", now.mutants_done, now.mutants, now.findings);
            self.shown.set(now.sites_done, now.sites, |_| ahead, found);
            return;
        }
        let pace = *self.runs.get_or_insert_with(|| Pace::new(now.runs));
        // Whether a site is decided shows only when its samples are looked at; a patch has its number of runs.
        let as_ahead = if self.is_sampling { Ahead::NextLook } else { Ahead::Left };
        let ahead = pace.ahead(now.runs, now.wanted, most, as_ahead);
        let found = if self.is_sampling { format!(" · {} found", now.findings) } else { String::new() };
        self.shown.set(now.sites_done, now.sites, |_| ahead, || format!("{}{found}", counted(now.runs, "run")));
    }

    fn is_late(&self) -> bool {
        self.halfway.is_some_and(|halfway| Instant::now() >= halfway)
    }

    fn stop(&self) -> Option<Stop> {
        if self.interrupt.is_asked() {
            return Some(Stop::Interrupt);
        }
        if self.is_at_rest {
            return Some(Stop::NoRun);
        }
        self.until.filter(|until| Instant::now() >= *until).map(|_| Stop::Budget)
    }
}
