//! CPU time, which other programs on the machine do not lengthen.

use cpu_time::ProcessTime;

/// CPU time of all threads that some work takes, in milliseconds, and what it gives.
pub fn timed_ms<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = ProcessTime::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e3)
}

/// The least CPU time of several runs, in milliseconds.
pub fn least_ms(runs: usize, mut work: impl FnMut()) -> f64 {
    (0..runs).map(|_| timed_ms(&mut work).1).fold(f64::INFINITY, f64::min)
}
