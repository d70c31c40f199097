//! Files that only a run imports: they are known after the first run, so they cannot be part of the key it was looked up by.
//!
//! The store remembers which they were and what was in them. When one has changed since, the runs belong to a key of their
//! own; when it changes back, the old runs are found again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use temper_source::ContentHash;
use temper_store::{Content, ContentKey, Store, StoreError};

const RECORDS: &str = "bounds-late-files";

/// The key of `content`, with the late files of its earlier runs where they have changed.
pub(crate) fn key(store: &Store, root: &Path, mut content: Content) -> Result<ContentKey, StoreError> {
    let key = content.key();
    let Some(then) = store.record(RECORDS, &name(&key))? else { return Ok(key) };
    let files = then.lines().filter_map(|line| line.split_once(' ')).map(|(_, path)| root.join(path)).collect();
    let now = described(root, &files);
    if now == then {
        return Ok(key);
    }
    content.options.insert("late".to_owned(), now);
    Ok(content.key())
}

/// Remembers the late files of a series, those of earlier batches included.
pub(crate) fn remember(
    store: &mut Store,
    root: &Path,
    key: &ContentKey,
    files: &BTreeSet<PathBuf>,
) -> Result<(), StoreError> {
    if files.is_empty() {
        return Ok(());
    }
    let text = described(root, files);
    let known = store.record(RECORDS, &name(key))?;
    let mut lines: BTreeSet<&str> = text.lines().collect();
    lines.extend(known.iter().flat_map(|known| known.lines()));
    let all: Vec<&str> = lines.into_iter().collect();
    let all = all.join("\n");
    if known.as_deref() == Some(&all) { Ok(()) } else { store.put_record(RECORDS, &name(key), &all) }
}

fn name(key: &ContentKey) -> String {
    format!("{key:?}")
}

/// One line a file: hash and path, sorted.
fn described(root: &Path, files: &BTreeSet<PathBuf>) -> String {
    let line = |path: &PathBuf| {
        let hash = ContentHash::of(&std::fs::read(path).unwrap_or_default()).0;
        format!("{hash:016x} {}", path.strip_prefix(root).unwrap_or(path).display())
    };
    let lines: BTreeSet<String> = files.iter().map(line).collect();
    lines.into_iter().collect::<Vec<_>>().join("\n")
}
