//! How far the sampling is, for the user, and when to stop.

use std::time::{Duration, Instant};

use temper_bounds::sample::scheduler::{SamplingProgress, Stop, Watch};

use crate::commands::CommandContext;
use crate::interrupt::Interrupt;
use crate::progress::{Ahead, ProgressLine};

/// Shows progress, and stops at the end of the budget or when the user asks.
pub struct Watcher<'a> {
    interrupt: &'a Interrupt,
    until: Option<Instant>,
    taken: usize,
    /// When mutants were first run, and how many were known already.
    mutants: Option<(Instant, usize)>,
    is_sampling: bool,
    shown: ProgressLine,
}

impl<'a> Watcher<'a> {
    /// Starts to show progress.
    pub fn new(context: &CommandContext<'_>, interrupt: &'a Interrupt, is_sampling: bool) -> Self {
        let (verb, things) = if is_sampling { ("sampling", "sites") } else { ("verifying", "patches") };
        let shown = ProgressLine::start(verb, things, 0, context.common.quiet > 0);
        Self { interrupt, until: interrupt.deadline(), taken: 0, is_sampling, mutants: None, shown }
    }
}

impl Watch for Watcher<'_> {
    fn step(&mut self, now: SamplingProgress) {
        self.taken += 1;
        let taken = self.taken;
        // Never more than the budget allows.
        let most = self.until.map_or(f64::INFINITY, |until| until.duration_since(Instant::now()).as_secs_f64());
        if now.mutants > 0 {
            let (started, begun) = *self.mutants.get_or_insert_with(|| (Instant::now(), now.mutants_done));
            let done = now.mutants_done.saturating_sub(begun).max(1);
            let left = started.elapsed().as_secs_f64() / done as f64 * (now.mutants - now.mutants_done) as f64;
            let found = || format!("mutant {} of {} · {} found", now.mutants_done, now.mutants, now.findings);
            self.shown.set(now.sites_done, now.sites, |_| Ahead::Left(left.min(most)), found);
            return;
        }
        let found = if self.is_sampling { format!(" · {} found", now.findings) } else { String::new() };
        let ahead = |elapsed: Duration| {
            let secs = (elapsed.as_secs_f64() / taken as f64 * now.wanted as f64).min(most);
            // Whether a site is decided shows only when its samples are looked at; a patch has its number of runs.
            if self.is_sampling { Ahead::NextLook(secs) } else { Ahead::Left(secs) }
        };
        self.shown.set(now.sites_done, now.sites, ahead, || format!("{} runs{found}", now.runs));
    }

    fn stop(&self) -> Option<Stop> {
        if self.interrupt.is_asked() {
            return Some(Stop::Interrupt);
        }
        self.until.filter(|until| Instant::now() >= *until).map(|_| Stop::Budget)
    }
}
