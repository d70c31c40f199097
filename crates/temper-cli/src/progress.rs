//! Progress on standard error: done, total, what was found so far and the time left. On a terminal one line is
//! rewritten; elsewhere a plain line appears now and then, and none at all for short work.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const REDRAW_EVERY: Duration = Duration::from_millis(100);
const PLAIN_LINE_EVERY: Duration = Duration::from_secs(10);

/// The progress of one piece of long work. Shared between threads.
pub struct ProgressLine {
    verb: &'static str,
    things: &'static str,
    total: usize,
    mode: ProgressStyle,
    state: Mutex<State>,
}

/// How many seconds lie ahead.
#[derive(Clone, Copy, Debug)]
pub enum Ahead {
    /// Until the end.
    Left(f64),
    /// Until the samples are looked at again, which may be the end or not.
    NextLook(f64),
}

impl Ahead {
    /// As long for each of the rest as for each of those that are done.
    pub fn at_pace(elapsed: Duration, done: usize, total: usize) -> Ahead {
        Ahead::Left(elapsed.as_secs_f64() / done.max(1) as f64 * total.saturating_sub(done) as f64)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgressStyle {
    Rewrite,
    Lines,
    Silent,
}

struct State {
    done: usize,
    started: Instant,
    shown: Instant,
    is_line_open: bool,
}

impl ProgressLine {
    /// Starts counting; `quiet` shows nothing.
    pub fn start(verb: &'static str, things: &'static str, total: usize, is_quiet: bool) -> ProgressLine {
        let mode = match (is_quiet, io::stderr().is_terminal() && std::env::var_os("CI").is_none()) {
            (true, _) => ProgressStyle::Silent,
            (false, true) => ProgressStyle::Rewrite,
            (false, false) => ProgressStyle::Lines,
        };
        let now = Instant::now();
        let state = Mutex::new(State { done: 0, started: now, shown: now, is_line_open: false });
        ProgressLine { verb, things, total, mode, state }
    }

    /// One more thing is done; `found` says what there is so far, as in `12 sites`.
    pub fn step(&self, found: impl FnOnce() -> String) {
        let Ok(mut state) = self.state.lock() else { return };
        state.done += 1;
        let (done, total) = (state.done, self.total);
        self.draw(&mut state, |elapsed| self.line(done, total, Ahead::at_pace(elapsed, done, total), &found()));
    }

    /// Work whose amount shows on the way: `done` of `total` things, and the seconds that it takes at the pace so far.
    pub fn set(
        &self,
        done: usize,
        total: usize,
        ahead: impl FnOnce(Duration) -> Ahead,
        found: impl FnOnce() -> String,
    ) {
        let Ok(mut state) = self.state.lock() else { return };
        self.draw(&mut state, |elapsed| self.line(done, total, ahead(elapsed), &found()));
    }

    fn draw(&self, state: &mut State, line: impl FnOnce(Duration) -> String) {
        let every = match self.mode {
            ProgressStyle::Silent => return,
            ProgressStyle::Rewrite => REDRAW_EVERY,
            ProgressStyle::Lines => PLAIN_LINE_EVERY,
        };
        if state.shown.elapsed() < every {
            return;
        }
        state.shown = Instant::now();
        let line = line(state.started.elapsed());
        let mut stderr = io::stderr().lock();
        let _ = match self.mode {
            ProgressStyle::Rewrite => {
                state.is_line_open = true;
                write!(stderr, "\r\x1b[2K{line}").and_then(|()| stderr.flush())
            }
            _ => writeln!(stderr, "{line}"),
        };
    }

    fn line(&self, done: usize, total: usize, ahead: Ahead, found: &str) -> String {
        let (secs, words) = match ahead {
            Ahead::Left(secs) => (secs as u64, "left"),
            Ahead::NextLook(secs) => (secs as u64, "to the next look"),
        };
        let (minutes, seconds) = (secs / 60, secs % 60);
        let ProgressLine { verb, things, .. } = self;
        format!("{verb} {done}/{total} {things} · {found} · {minutes}:{seconds:02} {words}")
    }
}

impl Drop for ProgressLine {
    /// Takes the line away, so that results start on a clean one.
    fn drop(&mut self) {
        if self.state.get_mut().is_ok_and(|state| state.is_line_open) {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_done_total_found_and_the_time_ahead() {
        let progress = ProgressLine::start("scanning", "files", 300, true);
        let line = progress.line(100, 300, Ahead::Left(80.0), "12 sites");
        assert_eq!(line, "scanning 100/300 files · 12 sites · 1:20 left");
        let line = progress.line(3, 7, Ahead::NextLook(25.9), "180 runs");
        assert_eq!(line, "scanning 3/7 files · 180 runs · 0:25 to the next look");
    }
}
