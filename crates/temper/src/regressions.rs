//! Saved failures: one text file per property, to be committed, tried first by the next run. Each line is the byte form
//! of a shrunk choice tree in hexadecimal; comments show the input it stood for.

use crate::choices::ChoiceTree;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const HEADER: &str = "\
# Inputs that once broke this property. Temper tries them before it searches for others.
# Commit this file, so that everyone who runs the tests profits. A line may be deleted when its input is of no interest.
";

/// Where failures are saved.
#[derive(Clone, Debug, Default)]
pub enum Regressions {
    /// Nowhere.
    #[default]
    Nowhere,
    /// In this file.
    File(PathBuf),
}

impl Regressions {
    /// The file for the test that runs on this thread: `regressions/` in the package under test, named after the test.
    /// Nowhere outside of `cargo test`, which alone sets the package folder and names the thread.
    pub fn of_current_test() -> Regressions {
        let thread = std::thread::current();
        let name = thread.name().filter(|name| *name != "main");
        match (env::var_os("CARGO_MANIFEST_DIR"), name) {
            (Some(package), Some(test)) => Regressions::in_folder(&Path::new(&package).join("regressions"), test),
            _ => Regressions::Nowhere,
        }
    }

    /// The file for the property of this name in a folder.
    pub fn in_folder(folder: &Path, name: &str) -> Regressions {
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        Regressions::File(folder.join(name + ".txt"))
    }

    /// The saved trees; those that cannot be read are passed over, because a search follows anyway.
    pub fn load(&self) -> Vec<ChoiceTree> {
        let Regressions::File(path) = self else { return Vec::new() };
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.filter_map(|line| ChoiceTree::from_bytes(&from_hex(line.trim())?).ok()).collect()
    }

    /// Adds a tree with the input it stands for, unless it is there.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, tree: &ChoiceTree, shown: &str) -> io::Result<()> {
        let Regressions::File(path) = self else { return Ok(()) };
        if self.load().contains(tree) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let first_line: String = shown.lines().next().unwrap_or_default().chars().take(200).collect();
        let entry = format!("\n# {first_line}\n{}\n", to_hex(&tree.to_bytes()));
        // Appended in one piece: other processes may be saving failures of the same property.
        let header = if path.exists() { "" } else { HEADER };
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(format!("{header}{entry}").as_bytes())
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() || !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("temper-regressions-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn a_failure_is_saved_and_tried_first() {
        let folder = scratch("first");
        let property = || forall(ints(0..=1_000_000)).budget(10_000).save_in(&folder, "small");
        let first = property().run(|&v| v < 5000);
        assert!(first.tests > 0);
        let again = property().run(|&v| v < 5000);
        assert_eq!((again.tests, again.value()), (0, Some(&5000)));
        let fixed = property().run(|_| true);
        assert_eq!((fixed.is_found(), fixed.tests), (false, 10_000));
        let text = fs::read_to_string(folder.join("small.txt")).unwrap();
        assert!(text.contains("Commit this file") && text.contains("# 5000"), "{text}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_damaged_file_is_passed_over() {
        let folder = scratch("damaged");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("small.txt"), "zz\n01ff\n0102\n\n é\n").unwrap();
        let report = forall(ints(0..=9)).save_in(&folder, "small").run(|_| true);
        assert!(!report.is_found());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn hexadecimal_is_exact() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(from_hex(&to_hex(&bytes)), Some(bytes));
    }
}
