//! `temper explain WORD`: what a verdict or a kind of finding means, as the documentation says it.

use temper_report::{Exit, explained_words, explanation};

use crate::message::{Failure, Message};
use crate::terminal;

/// Prints the paragraph, or the words that there are.
pub fn run(word: &[String]) -> Result<Exit, Failure> {
    let word = word.join(" ").to_lowercase();
    if word.is_empty() {
        let words: Vec<&str> = explained_words().collect();
        return shown(&format!("temper explain WORD, with one of: {}\n", words.join(", ")));
    }
    match explanation(&word) {
        Some(text) => shown(&format!("{word}\n\n{text}\n")),
        None => Err(unknown(&word)),
    }
}

fn shown(text: &str) -> Result<Exit, Failure> {
    terminal::write_stdout(text).map_err(|error| super::cannot_write("standard output", &error.to_string()))?;
    Ok(Exit::Clean)
}

fn unknown(word: &str) -> Failure {
    let likeness = |each: &&str| strsim::jaro_winkler(word, each);
    let nearest = explained_words().max_by(|left, right| likeness(left).total_cmp(&likeness(right)));
    let message = Message::error(format!("no explanation of `{word}`"));
    match nearest.filter(|each| likeness(each) > 0.7) {
        Some(nearest) => message.hint(format!("did you mean `{nearest}`?")),
        None => message.hint("`temper explain` lists the words"),
    }
    .ends(Exit::Usage)
}
