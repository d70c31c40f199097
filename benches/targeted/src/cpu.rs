//! CPU time of this thread. Wall time says nothing on a shared machine.

use std::fs;
use std::time::Instant;

/// A running measurement.
#[derive(Debug)]
pub struct Stopwatch {
    cpu_nanos: Option<u64>,
    wall: Instant,
}

impl Stopwatch {
    /// Starts to measure.
    pub fn start() -> Self {
        Stopwatch { cpu_nanos: cpu_nanos(), wall: Instant::now() }
    }

    /// The CPU seconds since the start; wall seconds where the system does not tell.
    pub fn seconds(&self) -> f64 {
        match (self.cpu_nanos, cpu_nanos()) {
            (Some(from), Some(to)) => (to - from) as f64 * 1e-9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Linux gives the nanoseconds on the CPU as the first number of this file.
fn cpu_nanos() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
