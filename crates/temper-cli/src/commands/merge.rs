//! `temper merge`: joins what other machines have kept into the project's `.temper/`.

use std::path::{Path, PathBuf};

use temper_bounds::sample::recorded;
use temper_check::Saved;
use temper_files::{Folder, STATE, state_folder};
use temper_report::{Document, Exit, counted, thousands};
use temper_store::{Joined, NotJoined};

use super::CommandContext;
use crate::args::Merge;
use crate::message::{Failure, Message};
use crate::project_store::{self, cannot_store};
use crate::terminal::Stderr;

/// Joins the folders, one after the other; what cannot be joined is said, and the others go on.
pub fn run(context: &CommandContext<'_>, merge: &Merge) -> Result<Exit, Failure> {
    let _lock = project_store::try_lock(context, "merge")?.map_err(|holder| {
        Message::error(format!("{holder} is at work on this project"))
            .hint("merge when it has ended")
            .ends(Exit::Inconclusive)
    })?;
    let mut store = project_store::open(context)?;
    let mut stderr = Stderr::new(context.common.quiet);
    let mut out = String::new();
    let mut left_out = 0;
    for folder in &merge.folders {
        let shown = folder.display();
        let state = state_in(&context.current.join(folder));
        let joined = match &state {
            Some(state) => store.join(state).map_err(cannot_store)?,
            None => Err(NotJoined::Absent),
        };
        let records = match &state {
            Some(state) => join_records(context, state)? + join_recorded(context, state)?,
            None => 0,
        };
        match joined {
            Ok(joined) => out.push_str(&format!("{shown}: {}\n", joined_words(joined, records))),
            // Neither records of `temper check` nor those of ordinary test runs need a store.
            Err(NotJoined::Absent) if records > 0 => {
                out.push_str(&format!("{shown}: {} joined\n", counted(records, "record")));
            }
            Err(reason) => {
                left_out += 1;
                stderr.show(&not_joined(&shown.to_string(), &reason));
            }
        }
    }
    context.write_results(&out)?;
    Ok(if left_out > 0 { Exit::Inconclusive } else { Exit::Clean })
}

/// The `.temper/` that a folder is or holds.
fn state_in(folder: &Path) -> Option<PathBuf> {
    let inside = folder.join(STATE);
    let holds = ["store.db", "records", recorded::FOLDER];
    let is_state = |path: &Path| holds.iter().any(|name| path.join(name).exists());
    [inside, folder.to_path_buf()].into_iter().find(|path| is_state(path))
}

/// Takes over what ordinary test runs have recorded; how many files were new. Their names are theirs for ever.
fn join_recorded(context: &CommandContext<'_>, state: &Path) -> Result<usize, Failure> {
    let entries = std::fs::read_dir(state.join(recorded::FOLDER)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut new = 0;
    for name in names.filter(|name| name.ends_with(".jsonl")) {
        let joined = Folder::open(&state.join(recorded::FOLDER)).and_then(|theirs| {
            let ours = state_folder(&context.root)?.folder(recorded::FOLDER)?;
            match (ours.read(&name)?, theirs.read(&name)?) {
                (None, Some(bytes)) => ours.write(&name, &bytes).map(|()| 1),
                _ => Ok(0),
            }
        });
        new += joined.map_err(|error| cannot_store(error.into()))?;
    }
    Ok(new)
}

/// Joins the records of commands whose subjects are independent of each other; how many had something new.
fn join_records(context: &CommandContext<'_>, state: &Path) -> Result<usize, Failure> {
    const CHECK: &str = "records/check.json";
    let read = |text: Option<String>| text.and_then(|text| Document::from_json(&text).ok());
    let theirs = read(std::fs::read_to_string(state.join(CHECK)).ok());
    let Some(theirs) = theirs else { return Ok(0) };
    let ours = read(temper_store::read_file(&context.root, CHECK).map_err(cannot_store)?);
    let joined = match &ours {
        Some(ours) => ours.clone().joined(theirs),
        None => theirs,
    };
    if ours.as_ref() == Some(&joined) {
        return Ok(0);
    }
    context.save(&joined)?;
    if let Err(error) = Saved::join(&context.root, state) {
        let message = Message::warning("the findings are not kept for `temper replay`").fact(error.to_string());
        Stderr::new(context.common.quiet).show(&message);
    }
    Ok(1)
}

fn joined_words(joined: Joined, records: usize) -> String {
    let known = joined.runs - joined.new_runs;
    let mut words = format!("{} joined", counted(joined.new_runs, "run"));
    if known > 0 {
        words.push_str(&format!(", {} were here already", thousands(known)));
    }
    if joined.new_records + records > 0 {
        words.push_str(&format!(", {}", counted(joined.new_records + records, "conclusion")));
    }
    words
}

fn not_joined(folder: &str, reason: &NotJoined) -> Message {
    let message = Message::warning(format!("nothing of `{folder}` is joined"));
    match reason {
        NotJoined::Absent => message
            .fact("it holds no `.temper/` with runs or records")
            .hint("name the folder that an artifact was unpacked to"),
        NotJoined::OtherVersion(theirs, ours) => message
            .fact(format!("another version of Temper wrote it: its form is {theirs}, and ours is {ours}"))
            .hint("use one version of Temper on all machines"),
        NotJoined::OtherEnvironment(theirs, ours) => message
            .fact(format!("its runs were taken with {}, those here with {}", theirs.join(", "), ours.join(", ")))
            .hint("use one version of Python on all machines"),
        NotJoined::Damaged(said) => {
            message.fact(format!("its store is damaged: {said}")).hint("take its artifact again")
        }
    }
}
