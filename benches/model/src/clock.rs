//! CPU time, which other programs on the machine do not lengthen.

use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// CPU time that all threads of this program have used.
pub fn cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// The least CPU time of several runs, in milliseconds.
pub fn least_ms(runs: usize, mut work: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..runs {
        let start = cpu();
        work();
        least = least.min((cpu() - start).as_secs_f64() * 1e3);
    }
    least
}
