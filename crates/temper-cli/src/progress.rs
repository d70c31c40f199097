//! Progress on standard error: done, total, what was found so far and the time. On a terminal one line is rewritten;
//! elsewhere a plain line appears now and then, and none at all for short work. A thread keeps the line alive, so that a
//! long step does not look like a hang.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const REDRAW_EVERY: Duration = Duration::from_millis(100);
/// Off a terminal: between two lines if something was done, and if nothing was.
const PLAIN_LINE_EVERY: Duration = Duration::from_secs(10);
const SIGN_OF_LIFE_EVERY: Duration = Duration::from_secs(30);
/// A pace that was seen for less time than this, or over fewer steps, says nothing about the rest.
const LEAST_TIME: Duration = Duration::from_secs(2);
const LEAST_STEPS: usize = 3;

/// The progress of one piece of long work. Shared between threads.
pub struct ProgressLine {
    things: &'static str,
    total: usize,
    shared: Arc<Shared>,
    /// Dropped to end the thread.
    life: Option<Sender<()>>,
    ticker: Option<JoinHandle<()>>,
}

/// How many seconds lie ahead.
#[derive(Clone, Copy, Debug)]
pub enum Ahead {
    /// Nobody can tell yet.
    Unknown,
    /// Until the end.
    Left(f64),
    /// Until the samples are looked at again, which may be the end or not.
    NextLook(f64),
}

impl Ahead {
    /// As long for each of the rest as for each of those that are done.
    pub fn at_pace(elapsed: Duration, done: usize, total: usize) -> Ahead {
        match pace(elapsed, done) {
            Some(secs) => Ahead::Left(secs * total.saturating_sub(done) as f64),
            None => Ahead::Unknown,
        }
    }
}

/// Seconds for one step, once there is something to tell it from.
pub fn pace(elapsed: Duration, steps: usize) -> Option<f64> {
    (elapsed >= LEAST_TIME && steps >= LEAST_STEPS).then(|| elapsed.as_secs_f64() / steps as f64)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgressStyle {
    Rewrite,
    Lines,
    Silent,
}

struct Shared {
    verb: &'static str,
    style: ProgressStyle,
    started: Instant,
    state: Mutex<State>,
}

struct State {
    done: usize,
    /// The line but for its verb and the time.
    said: String,
    ahead: Ahead,
    has_news: bool,
    said_at: Option<Instant>,
    shown: Instant,
    is_line_open: bool,
}

impl ProgressLine {
    /// Starts counting; `quiet` shows nothing.
    pub fn start(verb: &'static str, things: &'static str, total: usize, is_quiet: bool) -> ProgressLine {
        let style = match (is_quiet, io::stderr().is_terminal() && std::env::var_os("CI").is_none()) {
            (true, _) => ProgressStyle::Silent,
            (false, true) => ProgressStyle::Rewrite,
            (false, false) => ProgressStyle::Lines,
        };
        let now = Instant::now();
        let state = State {
            done: 0,
            said: String::new(),
            ahead: Ahead::Unknown,
            has_news: false,
            said_at: None,
            shown: now,
            is_line_open: false,
        };
        let shared = Arc::new(Shared { verb, style, started: now, state: Mutex::new(state) });
        let (life, end) = mpsc::channel();
        let watched = Arc::clone(&shared);
        let ticker = (style != ProgressStyle::Silent).then(|| {
            thread::spawn(move || {
                while end.recv_timeout(REDRAW_EVERY) == Err(RecvTimeoutError::Timeout) {
                    watched.draw();
                }
            })
        });
        ProgressLine { things, total, shared, life: Some(life), ticker }
    }

    /// One more thing is done; `found` says what there is so far, as in `12 sites`.
    pub fn step(&self, found: impl FnOnce() -> String) {
        let done = {
            let mut state = self.shared.state();
            state.done += 1;
            state.done
        };
        self.set(done, self.total, |elapsed| Ahead::at_pace(elapsed, done, self.total), found);
    }

    /// Whether something new would be shown: not if nothing is shown, or if something was said a moment ago.
    pub fn is_due(&self) -> bool {
        let is_seen = self.shared.style != ProgressStyle::Silent;
        is_seen && self.shared.state().said_at.is_none_or(|at| at.elapsed() >= REDRAW_EVERY)
    }

    /// Work whose amount shows on the way: `done` of `total` things, and the seconds that lie ahead.
    pub fn set(
        &self,
        done: usize,
        total: usize,
        ahead: impl FnOnce(Duration) -> Ahead,
        found: impl FnOnce() -> String,
    ) {
        if self.shared.style == ProgressStyle::Silent {
            return;
        }
        let said = said(done, total, self.things, &found());
        let mut state = self.shared.state();
        state.said = said;
        state.ahead = ahead(self.shared.started.elapsed());
        state.has_news = true;
        state.said_at = Some(Instant::now());
    }
}

/// `100/300 files · 12 sites`; the things only where their number is known.
fn said(done: usize, total: usize, things: &str, found: &str) -> String {
    if total == 0 { format!(" · {found}") } else { format!(" {}/{total} {things} · {found}", done.min(total)) }
}

/// `scanning 100/300 files · 12 sites · 0:40, 1:20 left`.
fn line(verb: &str, said: &str, elapsed: Duration, ahead: Ahead) -> String {
    let clock = |secs: u64| format!("{}:{:02}", secs / 60, secs % 60);
    let ahead = match ahead {
        Ahead::Unknown => String::new(),
        Ahead::Left(secs) => format!(", {} left", clock(secs as u64)),
        Ahead::NextLook(secs) => format!(", {} to the next look", clock(secs as u64)),
    };
    format!("{verb}{said} · {}{ahead}", clock(elapsed.as_secs()))
}

impl Shared {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self) {
        let mut state = self.state();
        let every = match self.style {
            ProgressStyle::Silent => return,
            ProgressStyle::Rewrite => REDRAW_EVERY,
            ProgressStyle::Lines if state.has_news => PLAIN_LINE_EVERY,
            ProgressStyle::Lines => SIGN_OF_LIFE_EVERY,
        };
        if state.shown.elapsed() < every {
            return;
        }
        state.shown = Instant::now();
        state.has_news = false;
        let line = line(self.verb, &state.said, self.started.elapsed(), state.ahead);
        let mut stderr = io::stderr().lock();
        let _ = match self.style {
            ProgressStyle::Rewrite => {
                state.is_line_open = true;
                write!(stderr, "\r\x1b[2K{line}").and_then(|()| stderr.flush())
            }
            _ => writeln!(stderr, "{line}"),
        };
    }
}

impl Drop for ProgressLine {
    /// Takes the line away, so that results start on a clean one.
    fn drop(&mut self) {
        drop(self.life.take());
        if let Some(ticker) = self.ticker.take() {
            let _ = ticker.join();
        }
        if self.shared.state().is_line_open {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_done_total_found_and_the_time() {
        let forty = Duration::from_secs(40);
        let text = |said: &str, ahead| line("scanning", said, forty, ahead);
        let files = said(100, 300, "files", "12 sites");
        assert_eq!(text(&files, Ahead::Left(80.0)), "scanning 100/300 files · 12 sites · 0:40, 1:20 left");
        let sites = said(3, 7, "sites", "180 runs");
        assert_eq!(text(&sites, Ahead::NextLook(25.9)), "scanning 3/7 sites · 180 runs · 0:40, 0:25 to the next look");
    }

    #[test]
    fn nothing_is_said_that_is_not_known() {
        let text = line("sampling", &said(0, 0, "sites", "1 run"), Duration::from_secs(5), Ahead::Unknown);
        assert_eq!(text, "sampling · 1 run · 0:05");
        assert_eq!(line("sampling", "", Duration::from_secs(3), Ahead::Unknown), "sampling · 0:03");
    }

    #[test]
    fn there_is_never_more_done_than_there_is() {
        assert_eq!(said(48, 45, "functions", "0 findings"), " 45/45 functions · 0 findings");
    }

    #[test]
    fn news_are_asked_for_when_they_can_be_seen() {
        assert!(!ProgressLine::start("sampling", "sites", 0, true).is_due(), "nothing is shown");
        let seen = ProgressLine::start("sampling", "sites", 0, false);
        let is_due_at_once = seen.is_due();
        seen.set(1, 2, |_| Ahead::Unknown, String::new);
        let is_due_again = seen.is_due();
        thread::sleep(REDRAW_EVERY);
        assert!(is_due_at_once && seen.is_due());
        // A slow machine may take that long between two lines of this test.
        let is_slow = seen.shared.started.elapsed() >= 2 * REDRAW_EVERY;
        assert!(!is_due_again || is_slow);
    }

    #[test]
    fn a_pace_needs_some_steps_and_some_time() {
        let secs = Duration::from_secs;
        assert_eq!(pace(secs(10), 2), None);
        assert_eq!(pace(secs(1), 50), None);
        assert_eq!(pace(secs(10), 5), Some(2.0));
        assert!(matches!(Ahead::at_pace(secs(10), 5, 20), Ahead::Left(secs) if secs == 30.0));
    }
}
