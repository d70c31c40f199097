//! CPU time of this thread. Wall time says nothing on a shared machine.

use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// A running measurement.
#[derive(Debug)]
pub struct Stopwatch {
    start: Duration,
}

impl Stopwatch {
    /// Starts to measure.
    pub fn start() -> Self {
        Stopwatch { start: cpu_time() }
    }

    /// The CPU seconds since the start.
    pub fn seconds(&self) -> f64 {
        (cpu_time() - self.start).as_secs_f64()
    }
}

fn cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}
