//! How text stands out at a terminal.

use anstyle::{AnsiColor, Style};

/// What stands out.
pub const BOLD: Style = Style::new().bold();
/// What stands back.
pub const DIM: Style = Style::new().dimmed();

/// The colour of a verdict: what to act on, what is open, what is well. The word says the same without it.
pub fn verdict_style(word: &str) -> Style {
    let colour = match word {
        "undecided" | "loose" | "broken" => AnsiColor::Yellow,
        "sound" | "clean" | "rare" | "deterministic" | "pinned" => AnsiColor::Green,
        _ => AnsiColor::Red,
    };
    colour.on_default().bold()
}
