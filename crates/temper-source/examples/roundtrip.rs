//! Edits every Python file under the given paths in memory and checks what edits and patches promise:
//! undoing gives the same bytes, the edited text parses, and `git apply` makes the same change.
//!
//! `cargo run --release -p temper-source --example roundtrip -- [--every N] PATH...`
//! The bounds of every N-th site (10) are edited, and one number of each file. Each file is also tried with `\r\n` line
//! ends and without its final line end. Nothing under the given paths is written.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use temper_source::{DiscoverOptions, Edit, EditSet, SourceFile, Span, analyse, discover, patch, read};

#[derive(Default)]
struct Counts {
    files: usize,
    edits: usize,
    skipped: usize,
    failures: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut every = 10;
    let mut paths = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--every" => every = arguments.next().ok_or("`--every` needs a number")?.parse()?,
            _ => paths.push(PathBuf::from(argument)),
        }
    }
    let files = discover(&paths, &DiscoverOptions::default()).files;
    let folder = std::env::temp_dir().join(format!("temper-roundtrip-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    git(&folder, &["init", "-q"])?;
    let mut counts = Counts::default();
    let mut patches = Vec::new();
    let mut expected = Vec::new();
    for path in &files {
        let Ok(file) = read(path) else { continue };
        counts.files += 1;
        check_bounds(&file, every, &mut counts);
        for variant in variants(&file) {
            let Some(set) = one_edit(&variant) else {
                counts.skipped += 1;
                continue;
            };
            check(&variant, &set, &mut counts);
            let name = PathBuf::from(format!("{}.py", expected.len()));
            std::fs::write(folder.join(&name), variant.to_bytes()?)?;
            patches.extend(patch(&name, &variant, &set)?);
            expected.push((name, variant.encode(&set.apply(variant.text())?)?));
        }
    }
    std::fs::write(folder.join("all.patch"), &patches)?;
    git(&folder, &["apply", "--whitespace=nowarn", "all.patch"])?;
    let is_wrong = |(name, bytes): &&(PathBuf, Vec<u8>)| std::fs::read(folder.join(name)).ok().as_ref() != Some(bytes);
    let wrong = expected.iter().filter(is_wrong).count();
    std::fs::remove_dir_all(&folder)?;
    println!("{} files, {} edits made, parsed again and undone", counts.files, counts.edits);
    println!("{} patches ({} bytes) applied by git, {wrong} with another result", expected.len(), patches.len());
    println!("{} variants had no number to edit; {} failures", counts.skipped, counts.failures.len());
    counts.failures.iter().take(20).for_each(|failure| println!("  {failure}"));
    Ok(())
}

fn git(folder: &Path, arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let status = Command::new("git").current_dir(folder).args(arguments).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {arguments:?}: {status}").into()) }
}

/// The bounds of every N-th site, one edit at a time.
fn check_bounds(file: &SourceFile, every: usize, counts: &mut Counts) {
    let Ok(found) = analyse(file) else { return };
    for site in found.sites.iter().step_by(every.max(1)) {
        for edits in site.bounds.iter().filter_map(|bound| bound.edits("3", Some("3"))) {
            match EditSet::new(file, edits) {
                Ok(set) => check(file, &set, counts),
                Err(error) => counts.failures.push(format!("{}:{} {error}", file.path().display(), site.position.line)),
            }
        }
    }
}

fn check(file: &SourceFile, set: &EditSet, counts: &mut Counts) {
    counts.edits += 1;
    let undone = set.reparse(file).and_then(|edited| set.undo(edited.text()));
    match undone {
        Ok(text) if text == file.text() => {}
        Ok(_) => counts.failures.push(format!("{}: undo gave another text", file.path().display())),
        Err(error) => counts.failures.push(error.to_string()),
    }
}

/// The file as it is, with `\r\n`, and without a final line end.
fn variants(file: &SourceFile) -> [SourceFile; 3] {
    let text = file.text();
    [text.to_owned(), text.replace("\r\n", "\n").replace('\n', "\r\n"), text.trim_end().to_owned()]
        .map(|text| file.with_text(text))
}

/// Changes one number that stands by itself.
fn one_edit(file: &SourceFile) -> Option<EditSet> {
    let bytes = file.text().as_bytes();
    let is_alone = |at: usize| {
        let (before, after) = (bytes.get(at.wrapping_sub(1)), bytes.get(at + 1));
        matches!(before, Some(b' ' | b'(' | b'[')) && matches!(after, Some(b',' | b')' | b']' | b'\n'))
    };
    let at = (0..bytes.len()).rev().find(|&at| bytes[at].is_ascii_digit() && is_alone(at))?;
    let at = u32::try_from(at).ok()?;
    EditSet::new(file, vec![Edit::replace(Span::new(at, at + 1), "7")]).ok()
}
