//! One crate writes files: `temper-files`. Whatever else creates, replaces or removes one is named here, with the reason.

use std::collections::BTreeSet;

use syn::Item;
use syn::visit::{self, Visit};

use crate::sources::{crates, is_for_tests};

/// Functions of the standard library that change the file system.
const WRITES: [&str; 16] = [
    "fs::write",
    "fs::rename",
    "fs::remove_file",
    "fs::remove_dir",
    "fs::remove_dir_all",
    "fs::create_dir",
    "fs::create_dir_all",
    "fs::copy",
    "fs::hard_link",
    "fs::set_permissions",
    "unix::fs::symlink",
    "File::create",
    "File::create_new",
    "OpenOptions::new",
    "DirBuilder::new",
    "Connection::open",
];

/// Files that may, and why.
const EXCEPTIONS: [(&str, &str); 5] = [
    ("crates/temper-files/src/output.rs", "it is the crate that writes: folders that the user named, streams"),
    (
        "crates/temper/src/regressions.rs",
        "the engine is a library without our other crates, and appends to the user's own files",
    ),
    (
        "crates/temper/src/isolated.rs",
        "so does the part that hands inputs to a second process, in a folder of the system's",
    ),
    ("crates/temper-cli/src/fault.rs", "a fault that tests plant tells them that it has begun"),
    ("crates/temper-testkit/src/lib.rs", "it makes the projects of tests"),
];

#[test]
fn one_crate_writes_files() {
    let allowed: BTreeSet<&str> = EXCEPTIONS.iter().map(|(file, _)| *file).collect();
    let mut found = String::new();
    for file in crates().into_iter().flat_map(|(_, files)| files) {
        let path = file.path.display().to_string();
        let mut calls = WriteCalls::default();
        calls.visit_file(&file.syntax);
        if !calls.0.is_empty() && !allowed.contains(path.as_str()) {
            found += &format!("  {path}: {}\n", calls.0.join(", "));
        }
    }
    assert!(found.is_empty(), "files that write without `temper-files`:\n{found}");
}

#[derive(Default)]
struct WriteCalls(Vec<String>);

impl<'ast> Visit<'ast> for WriteCalls {
    fn visit_item(&mut self, item: &'ast Item) {
        if let Item::Mod(module) = item
            && is_for_tests(&module.attrs)
        {
            return;
        }
        visit::visit_item(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let whole = parts.join("::");
        self.0.extend(
            WRITES
                .iter()
                .filter(|name| whole == **name || whole.ends_with(&format!("::{name}")))
                .map(|_| whole.clone()),
        );
        visit::visit_path(self, path);
    }
}
