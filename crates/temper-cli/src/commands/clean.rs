//! `temper clean`: what is kept in `.temper/`, how old and how large it is; removes what the user names.

use std::fmt::Write;
use std::path::Path;

use temper_files::{Folder, STATE};
use temper_report::{Exit, counted, thousands};
use temper_store::{KeptRuns, StoreContents};

use super::CommandContext;
use crate::args::Clean;
use crate::message::{Failure, Message};
use crate::project_store::{self, cannot_store};

/// Runs of tests are listed by these ages: up to so many days, and the words for it.
const AGES: [(u64, &str); 4] =
    [(0, "today"), (6, "in the last week"), (29, "in the last month"), (u64::MAX, "earlier")];

/// Shows what is kept, or removes some of it.
pub fn run(context: &CommandContext<'_>, clean: &Clean) -> Result<Exit, Failure> {
    let path = context.root.join(STATE);
    if !path.is_dir() {
        context.write_results("nothing is kept: there is no `.temper/` in this project\n")?;
        return Ok(Exit::Clean);
    }
    let _lock = project_store::try_lock(context, "clean")?.map_err(|holder| {
        Message::error(format!("{holder} is at work on this project"))
            .hint("clean up when it has ended")
            .ends(Exit::Inconclusive)
    })?;
    if clean.all {
        let size = folder_size(&path);
        remove_all(&context.root)?;
        context.write_results(&format!("removed `.temper/`: {}\n", bytes_words(size)))?;
        return Ok(Exit::Clean);
    }
    let mut store = project_store::open(context)?;
    let mut out = String::new();
    if let Some(age) = &clean.older_than {
        let days = days(age)?;
        let before = store.contents().map_err(cannot_store)?.bytes;
        let dropped = store.drop_unused(days).map_err(cannot_store)?;
        let saved = before.saturating_sub(store.contents().map_err(cannot_store)?.bytes);
        let _ = writeln!(
            out,
            "removed {} that no command used for {}: {}",
            counted(dropped, "run"),
            counted_days(days),
            bytes_words(saved)
        );
    }
    out.push_str(&listing(&path, &store.contents().map_err(cannot_store)?));
    context.write_results(&out)?;
    Ok(Exit::Clean)
}

fn listing(path: &Path, contents: &StoreContents) -> String {
    let mut out = format!("{:<28}{:>12}\n", ".temper/", bytes_words(folder_size(path)));
    let _ = writeln!(out, "  {:<26}{:>12}", "store.db", bytes_words(contents.bytes));
    let mut from = 0;
    for (to, words) in AGES {
        let of_age = |kept: &&KeptRuns| (from..=to).contains(&kept.days);
        let runs: usize = contents.runs.iter().filter(of_age).map(|kept| kept.runs).sum();
        if runs > 0 {
            let _ = writeln!(out, "    {:<24}{:>12}", format!("used {words}"), format!("{} runs", thousands(runs)));
        }
        from = to.saturating_add(1);
    }
    let _ = writeln!(out, "    {:<24}{:>12}", "conclusions", thousands(contents.records));
    if contents.runs.is_empty() {
        let _ = writeln!(out, "  no runs are kept");
    }
    out
}

fn remove_all(root: &Path) -> Result<(), Failure> {
    let removed = Folder::open(root).and_then(|folder| folder.remove_tree(STATE));
    removed.map_err(|error| cannot_store(error.into()))
}

/// Bytes of all files below a folder; links are not followed.
fn folder_size(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => folder_size(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

/// `12.4 MB`.
fn bytes_words(bytes: u64) -> String {
    let units = ["bytes", "KB", "MB", "GB"];
    let (mut amount, mut unit) = (bytes as f64, 0);
    while amount >= 1024.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{amount:.1} {}", units[unit]) }
}

fn counted_days(days: u64) -> String {
    counted(usize::try_from(days).unwrap_or(usize::MAX), "day")
}

/// `30d`, `2w`, or a number of days.
fn days(text: &str) -> Result<u64, Failure> {
    let (number, times) = match text.strip_suffix('w') {
        Some(number) => (number, 7),
        None => (text.strip_suffix('d').unwrap_or(text), 1),
    };
    number.parse::<u64>().ok().and_then(|count| count.checked_mul(times)).ok_or_else(|| {
        Message::error(format!("`{text}` is no age"))
            .hint("write a number of days or weeks, as in 30d or 2w")
            .ends(Exit::Usage)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_days_or_weeks() {
        for (text, count) in [("30d", 30), ("2w", 14), ("7", 7), ("0d", 0)] {
            assert_eq!(days(text).ok(), Some(count));
        }
        for text in ["", "d", "1.5d", "-1d", "3m", "99999999999999999999w"] {
            assert!(days(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_have_the_unit_that_fits() {
        let words = [0, 1023, 1536, 5 << 20, 3 << 31].map(bytes_words);
        assert_eq!(words, ["0 bytes", "1023 bytes", "1.5 KB", "5.0 MB", "6.0 GB"]);
    }
}
