//! The key under which samples are kept: a digest of everything that can change their values.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

/// What the samples of a subject depend on. Two runs with the same content draw from the same distribution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content {
    /// The subject, such as a pytest node id.
    pub subject: String,
    /// Files that were loaded: the test's own, conftest, the code under test. Paths relative to the project, so that a moved
    /// project keeps its samples. An edited file counts with its edited text.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// Interpreter and version.
    pub interpreter: String,
    /// Installed packages and their versions.
    pub packages: BTreeMap<String, String>,
    /// How it was run, where that changes values: probes, seeds kept or varied, threads.
    pub options: BTreeMap<String, String>,
}

impl Content {
    /// The key of this content.
    pub fn key(&self) -> ContentKey {
        let mut hasher = Hasher(Sha256::new());
        hasher.part(self.subject.as_bytes());
        hasher.part(self.interpreter.as_bytes());
        hasher.count(self.files.len());
        for (path, text) in &self.files {
            hasher.part(path.as_os_str().as_encoded_bytes());
            hasher.part(text);
        }
        for map in [&self.packages, &self.options] {
            hasher.count(map.len());
            for (name, value) in map {
                hasher.part(name.as_bytes());
                hasher.part(value.as_bytes());
            }
        }
        ContentKey(hasher.0.finalize().into())
    }
}

struct Hasher(Sha256);

impl Hasher {
    /// Length first, so that no two sequences of parts read the same.
    fn part(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.update(bytes);
    }

    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_le_bytes());
    }
}

/// A digest of a [`Content`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentKey([u8; 32]);

impl ContentKey {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for ContentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> Content {
        Content {
            subject: "test_a.py::test_x".to_owned(),
            files: [(PathBuf::from("test_a.py"), b"assert 1".to_vec()), (PathBuf::from("pkg.py"), b"x = 1".to_vec())]
                .into(),
            interpreter: "cpython 3.11.7".to_owned(),
            packages: [("numpy".to_owned(), "2.0".to_owned())].into(),
            options: [("seeds".to_owned(), "keep".to_owned())].into(),
        }
    }

    #[test]
    fn the_same_content_has_the_same_key() {
        assert_eq!(content().key(), content().key());
    }

    #[test]
    fn every_part_of_the_content_changes_the_key() {
        let changes: [fn(&mut Content); 8] = [
            |content| content.subject.push('y'),
            |content| content.files.entry(PathBuf::from("pkg.py")).or_default().push(b' '),
            |content| drop(content.files.remove(&PathBuf::from("pkg.py"))),
            |content| drop(content.files.insert(PathBuf::from("new.py"), vec![])),
            |content| content.interpreter.push('1'),
            |content| drop(content.packages.insert("numpy".to_owned(), "2.1".to_owned())),
            |content| drop(content.packages.insert("scipy".to_owned(), "1.0".to_owned())),
            |content| drop(content.options.insert("seeds".to_owned(), "vary".to_owned())),
        ];
        let mut keys = vec![content().key()];
        for change in changes {
            let mut changed = content();
            change(&mut changed);
            keys.push(changed.key());
        }
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn text_moved_from_one_part_to_the_next_changes_the_key() {
        let with = |name: &str, value: &str| Content {
            packages: [(name.to_owned(), value.to_owned())].into(),
            ..Content::default()
        };
        assert_ne!(with("ab", "c").key(), with("a", "bc").key());
        let options = Content { options: with("ab", "c").packages, ..Content::default() };
        assert_ne!(options.key(), with("ab", "c").key());
    }
}
