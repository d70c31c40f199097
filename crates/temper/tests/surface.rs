//! The public surface is listed in `public-api.txt`: what changes there is a change for others, and is seen in review.
//! `TEMPER_UPDATE=1 cargo test --test surface` writes the list again.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules whose items others can reach, here or exported from the root.
const PUBLIC: [&str; 16] = [
    "lib.rs",
    "choices",
    "domain",
    "exists.rs",
    "forall.rs",
    "labels.rs",
    "laws.rs",
    "machine",
    "machine.rs",
    "outcome.rs",
    "regressions.rs",
    "report.rs",
    "rng.rs",
    "run",
    "forall",
    "search/utilities.rs",
];

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("the sources are there");
        let mut inner: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        inner.sort();
        inner.iter().for_each(|path| files(path, found));
    } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
        found.push(path.to_owned());
    }
}

/// The first line of every public item of a file, without its body.
fn items(text: &str) -> Vec<String> {
    let before_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines: Vec<&str> = before_tests.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let line = line.trim_start();
        let is_impl = line.starts_with("impl") && !lines[i].starts_with(' ');
        if line.starts_with("pub ") || is_impl || line.starts_with("#[non_exhaustive]") {
            // Long signatures go on until their body, their end or a semicolon.
            let mut whole = String::new();
            for part in &lines[i..] {
                whole.push_str(part.trim());
                whole.push(' ');
                if part.trim_end().ends_with(['{', ';', ',', ')', '}'])
                    && whole.matches('(').count() == whole.matches(')').count()
                {
                    break;
                }
            }
            found.push(whole.trim().trim_end_matches('{').trim_end().to_owned());
        }
    }
    found
}

#[test]
fn the_public_surface_is_the_one_that_is_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for module in PUBLIC {
        files(&root.join("src").join(module), &mut paths);
    }
    files(&root.join("src/run.rs"), &mut paths);
    let mut list = String::new();
    for path in &paths {
        let items = items(&fs::read_to_string(path).unwrap());
        if !items.is_empty() {
            let shown = path.strip_prefix(root.join("src")).unwrap().display().to_string().replace('\\', "/");
            writeln!(list, "# {shown}\n{}\n", items.join("\n")).unwrap();
        }
    }
    let listed = root.join("public-api.txt");
    if std::env::var_os("TEMPER_UPDATE").is_some() {
        fs::write(&listed, &list).unwrap();
    }
    let known = fs::read_to_string(&listed).unwrap_or_default();
    let other: Vec<&str> = list.lines().filter(|line| !known.lines().any(|known| known == *line)).collect();
    assert!(known == list, "not in public-api.txt: {other:#?}\nhint: TEMPER_UPDATE=1 writes it again");
}
