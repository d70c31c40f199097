//! The Rust sources of the workspace, parsed; what is compiled for tests alone is left out.

use std::fs;
use std::path::{Path, PathBuf};

use temper_testkit::repository_root;

/// One file of a crate.
pub struct RustFile {
    /// Below the repository.
    pub path: PathBuf,
    /// Its module path in the crate; empty for the root.
    pub module: Vec<String>,
    pub syntax: syn::File,
}

/// Every crate of `crates/`, with its files.
pub fn crates() -> Vec<(String, Vec<RustFile>)> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(repository_root().join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
        .iter()
        .map(|folder| (folder.file_name().unwrap().to_string_lossy().into_owned(), files(&folder.join("src"))))
        .collect()
}

fn files(src: &Path) -> Vec<RustFile> {
    let mut found = Vec::new();
    let mut open = vec![src.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.extend(file(src, &path));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn file(src: &Path, path: &Path) -> Option<RustFile> {
    let below = path.strip_prefix(src).unwrap().with_extension("");
    let mut module: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let is_whole = matches!(module.last().map(String::as_str), Some("lib" | "main" | "mod"));
    if is_whole {
        module.pop();
    }
    // Files of tests, and the sample document that only they read.
    if module.iter().any(|part| part == "tests") || below.ends_with("main") {
        return None;
    }
    let syntax = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
    let path = path.strip_prefix(repository_root()).unwrap().to_path_buf();
    Some(RustFile { path, module, syntax })
}

/// Whether an item is compiled for tests alone.
pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    let is_test = |attribute: &syn::Attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(is_test)
}
