//! Standard output and standard error: colour when it is wanted, width of the terminal, messages, and a closed pipe
//! that ends output without noise. Results go to standard output, everything else to standard error.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use temper_report::wrapped;

use crate::message::{Message, MessageLevel};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default();

/// A terminal that says it is narrower than this is left alone.
const NARROWEST: usize = 20;

/// Standard error, for messages.
pub struct Stderr {
    stream: AutoStream<io::Stderr>,
    quiet: u8,
}

impl Stderr {
    /// With `quiet` of one or more, warnings are not shown; errors always are.
    pub fn new(quiet: u8) -> Stderr {
        let stream = io::stderr();
        let choice = colour_choice(stream.is_terminal());
        Stderr { stream: AutoStream::new(stream, choice), quiet }
    }

    /// Prints a message. Failure to print is not a reason to fail.
    pub fn show(&mut self, message: &Message) {
        if message.level == MessageLevel::Warning && self.quiet > 0 {
            return;
        }
        let _ = self.stream.write_all(render(message).as_bytes());
    }

    /// Prints one line about what was done, unless the user asked for quiet.
    pub fn note(&mut self, text: &str) {
        if self.quiet == 0 {
            let _ = writeln!(self.stream, "{text}");
        }
    }
}

fn render(message: &Message) -> String {
    let (label, style) = match message.level {
        MessageLevel::Error => ("error", ERROR),
        MessageLevel::Warning => ("warning", WARNING),
    };
    let mut text = format!("{style}{label}{style:#}: {}\n", message.headline);
    if let Some(place) = &message.place {
        text.push_str(&format!("  --> {place}\n"));
    }
    for fact in &message.facts {
        text.push_str(&format!("  {fact}\n"));
    }
    if let Some(hint) = &message.hint {
        text.push_str(&format!("{HINT}hint{HINT:#}: {hint}\n"));
    }
    text
}

/// Writes results to standard output; at a terminal, lines that are too long are broken at spaces. A reader that has gone away (`temper scan | head`) is not an error.
pub fn write_stdout(text: &str) -> io::Result<()> {
    let stream = io::stdout();
    let is_terminal = stream.is_terminal();
    let mut stream = AutoStream::new(stream.lock(), colour_choice(is_terminal));
    let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let text = match width.filter(|width| is_terminal && *width >= NARROWEST) {
        Some(width) => Cow::Owned(wrapped(text, width)),
        None => Cow::Borrowed(text),
    };
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// `NO_COLOR` wins, then `FORCE_COLOR`, then whether a person is looking.
pub fn colour_choice(is_terminal: bool) -> anstream::ColorChoice {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    if is_set("NO_COLOR") {
        anstream::ColorChoice::Never
    } else if is_set("FORCE_COLOR") || (is_terminal && !dumb) {
        anstream::ColorChoice::Always
    } else {
        anstream::ColorChoice::Never
    }
}
