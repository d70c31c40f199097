//! Tests of what the crate promises, one module a promise.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod annotations;
mod edits;
mod hand_count;
mod messages;
mod robust;
mod seeds;
mod sites;

use temper_source::{Analysis, SourceFile, analyse};

/// A file of this text, and what is found in it.
fn analysed(text: &str) -> (SourceFile, Analysis) {
    let file = SourceFile::from_text("test_subject.py", text).unwrap();
    let analysis = analyse(&file).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (file, analysis)
}
