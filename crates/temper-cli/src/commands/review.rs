//! `temper review`: one patch after the other, with its diff and the distribution behind it, and a key for each answer.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use temper_bounds::propose::patches::{self, PatchError};
use temper_bounds::propose::proposal::{Proposal, Remedy, ReviewDecision};
use temper_bounds::wording::{self, quantiles};
use temper_report::{BOLD, Exit, bars, percent, short};
use temper_store::Store;

use super::{CommandContext, apply};
use crate::args::Review;
use crate::message::{Failure, Message};
use crate::terminal::{self, Stderr};

/// What the user answered.
enum ReviewAnswer {
    Accept,
    Reject,
    Edit,
    Skip,
    Quit,
}

/// Asks about every patch that is still open, or about those named.
pub fn run(context: &CommandContext<'_>, arguments: &Review) -> Result<Exit, Failure> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Message::error("`temper review` asks questions, and there is no terminal to answer on")
            .hint("`temper apply ID` takes a patch; the diffs are in .temper/patches/")
            .ends(Exit::Usage));
    }
    let (store, all) = apply::proposals(context)?;
    for id in &arguments.ids {
        apply::named(&all, id)?;
    }
    let is_wanted = |proposal: &&Proposal| match arguments.ids.as_slice() {
        [] => proposal.decision == ReviewDecision::Open && proposal.verification.is_some(),
        ids => ids.contains(&proposal.id),
    };
    let is_stale = |proposal: &Proposal| patches::is_stale(&context.root, proposal, &all);
    let (stale, wanted): (Vec<Proposal>, Vec<Proposal>) = all.iter().filter(is_wanted).cloned().partition(is_stale);
    if !stale.is_empty() {
        let ids: Vec<&str> = stale.iter().map(|proposal| proposal.id.as_str()).collect();
        let message =
            Message::warning(format!("the files of {} have changed since their patches were made", ids.join(", ")));
        Stderr::new(context.common.quiet).show(&message.hint("`temper bounds` makes them again"));
    }
    if wanted.is_empty() {
        return Err(Message::warning("every patch has its answer")
            .hint("name one to see it again")
            .ends(Exit::Nothing));
    }
    // Waiting for an answer must end at Ctrl-C, whatever the host program does with signals; nothing is half written then.
    let always = Arc::new(AtomicBool::new(true));
    let _ = signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGINT, 130, always);
    PatchWalk { context, store, accepted: 0, rejected: 0, skipped: 0 }.through(wanted)
}

struct PatchWalk<'a> {
    context: &'a CommandContext<'a>,
    store: Store,
    accepted: usize,
    rejected: usize,
    skipped: usize,
}

impl PatchWalk<'_> {
    fn through(mut self, wanted: Vec<Proposal>) -> Result<Exit, Failure> {
        let count = wanted.len();
        for (index, proposal) in wanted.into_iter().enumerate() {
            if !self.one(proposal, &format!("{} of {count}", index + 1))? {
                self.skipped += count - index;
                break;
            }
        }
        let Self { accepted, rejected, skipped, .. } = self;
        say(&format!("{accepted} accepted, {rejected} rejected, {skipped} left open\n"))?;
        Ok(Exit::Clean)
    }

    /// Asks until there is an answer; false if the user wants to stop.
    fn one(&mut self, mut proposal: Proposal, position: &str) -> Result<bool, Failure> {
        if !self.show(&mut proposal, position)? {
            return Ok(true);
        }
        loop {
            match ask()? {
                ReviewAnswer::Accept => {
                    apply::apply(&mut self.store, self.context, &mut proposal)?;
                    say(&apply::applied_words(&proposal))?;
                    self.accepted += 1;
                    return Ok(true);
                }
                ReviewAnswer::Reject => {
                    proposal.decision = ReviewDecision::Rejected;
                    self.record(&proposal)?;
                    self.rejected += 1;
                    return Ok(true);
                }
                ReviewAnswer::Skip => {
                    self.skipped += 1;
                    return Ok(true);
                }
                ReviewAnswer::Quit => return Ok(false),
                ReviewAnswer::Edit => self.edit(&mut proposal)?,
            }
        }
    }

    fn record(&mut self, proposal: &Proposal) -> Result<(), Failure> {
        patches::record(&mut self.store, proposal).map_err(|error| super::bounds::cannot_patch(&error))
    }

    /// Shows a patch with its evidence. One that cannot be applied any more says so and is left; false then.
    fn show(&mut self, proposal: &mut Proposal, position: &str) -> Result<bool, Failure> {
        let diff = match self.diff(proposal) {
            Ok(diff) => diff,
            Err(PatchError::Applied { .. }) => {
                proposal.decision = ReviewDecision::Applied;
                self.record(proposal)?;
                say(&format!("{} is applied already\n", proposal.id))?;
                return Ok(false);
            }
            Err(error) => {
                Stderr::new(0).show(&super::bounds::cannot_patch(&error).message);
                self.skipped += 1;
                return Ok(false);
            }
        };
        say(&evidence(proposal, position))?;
        say(&diff)?;
        Ok(true)
    }

    fn diff(&self, proposal: &Proposal) -> Result<String, PatchError> {
        let all = patches::all(&self.store)?;
        let diff = patches::diff(&self.context.root, proposal, &all)?;
        let text = String::from_utf8_lossy(&diff);
        // The names of the file are above already.
        Ok(text.lines().skip(3).map(|line| format!("{}\n", coloured(line))).collect())
    }

    /// Asks for a number, and says what the samples and the fresh values make of it.
    fn edit(&mut self, proposal: &mut Proposal) -> Result<(), Failure> {
        let Remedy::Bound { text, .. } = &proposal.remedy else {
            return say("there is no bound to edit in this patch\n");
        };
        say(&format!("{} (now {text}): ", proposal.place.label))?;
        let Some(line) = read_line()? else { return Ok(()) };
        let edited = match patches::with_own_number(proposal, line.trim()) {
            Ok(edited) => edited,
            Err(error) => return say(&format!("{error}\n")),
        };
        match self.diff(&edited) {
            Ok(diff) => {
                say(&recheck(&edited))?;
                say(&diff)?;
                *proposal = edited;
                Ok(())
            }
            Err(error) => say(&format!("{error}\n")),
        }
    }
}

fn coloured(line: &str) -> String {
    use anstyle::{AnsiColor, Style};
    let style = match line.as_bytes().first() {
        Some(b'+') => AnsiColor::Green.on_default(),
        Some(b'-') => AnsiColor::Red.on_default(),
        Some(b'@') => AnsiColor::Cyan.on_default(),
        _ => Style::new(),
    };
    format!("{style}{line}{style:#}")
}

fn evidence(proposal: &Proposal, position: &str) -> String {
    let (place, measured) = (&proposal.place, &proposal.measured);
    let samples = measured.samples();
    let mut text = format!(
        "\n{BOLD}{}:{}:{}{BOLD:#}  {}  {BOLD}{}{BOLD:#}   ({position})\n  {}\n",
        place.path, place.line, place.column, place.source, proposal.id, place.test
    );
    text += &format!("  {}\n", wording::failures_words(measured));
    text += &format!("  {}   {}\n", quantiles(measured.is_upper, &samples), bars(measured.bound, &measured.numbers));
    text += &wording::lines(proposal, None, &[]);
    let level = |level: &temper_bounds::propose::proposal::TargetLevel| {
        let bound = level.bound.as_ref()?;
        Some(format!("{} {}", percent(level.pass), bound.text))
    };
    let levels: Vec<String> = proposal.levels.iter().filter_map(level).collect();
    if !levels.is_empty() {
        text += &format!("  other      {}\n", levels.join(" · "));
    }
    text
}

/// How many of the samples, and of the fresh values, lie beyond the number.
fn recheck(proposal: &Proposal) -> String {
    let Remedy::Bound { text, bound, .. } = &proposal.remedy else { return String::new() };
    let beyond = |numbers: &[f64]| numbers.iter().filter(|&&value| !proposal.measured.is_inside(value, *bound)).count();
    let fresh = proposal.verification.as_ref().map_or(&[][..], |verification| &verification.numbers);
    let (seen, both) = (&proposal.measured.numbers, proposal.measured.numbers.len() + fresh.len());
    let failures = beyond(seen) + beyond(fresh);
    format!(
        "  re-checked {text}: {failures} of {both} values lie beyond it ({} %); asked is at most {} %\n",
        short(100.0 * failures as f64 / both.max(1) as f64),
        short(100.0 * (1.0 - proposal.pass))
    )
}

fn ask() -> Result<ReviewAnswer, Failure> {
    loop {
        say("a(ccept) r(eject) e(dit the number) s(kip) q(uit): ")?;
        let Some(line) = read_line()? else { return Ok(ReviewAnswer::Quit) };
        match line.trim().chars().next().map(|key| key.to_ascii_lowercase()) {
            Some('a') => return Ok(ReviewAnswer::Accept),
            Some('r') => return Ok(ReviewAnswer::Reject),
            Some('e') => return Ok(ReviewAnswer::Edit),
            Some('s') => return Ok(ReviewAnswer::Skip),
            Some('q') => return Ok(ReviewAnswer::Quit),
            _ => {}
        }
    }
}

/// A line of the user's; nothing at the end of input.
fn read_line() -> Result<Option<String>, Failure> {
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(line)),
        Err(error) => Err(Message::error("the answer cannot be read").fact(error.to_string()).ends(Exit::Inconclusive)),
    }
}

fn say(text: &str) -> Result<(), Failure> {
    let written = terminal::write_stdout(text).and_then(|()| io::stdout().flush());
    written.map_err(|error| super::cannot_write("standard output", &error.to_string()))
}
