//! The crate table of docs/ARCHITECTURE.md is the truth about the workspace: this compares the two.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use temper_testkit::repository_root;

/// Crate name to the crates of ours that it names.
type Map = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_crate_table_lists_every_crate_and_no_crate_depends_on_more_than_it_allows() {
    let allowed = documented();
    let actual = workspace();
    let names = |map: &Map| map.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&allowed), names(&actual), "docs/ARCHITECTURE.md (left) and crates/ (right) differ");
    for (name, dependencies) in &actual {
        let extra: Vec<_> = dependencies.difference(&allowed[name]).collect();
        assert!(extra.is_empty(), "{name} depends on {extra:?}, which docs/ARCHITECTURE.md does not allow");
    }
}

fn documented() -> Map {
    let text = fs::read_to_string(repository_root().join("docs/ARCHITECTURE.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `temper"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>();
        let name = names(cells[1]).pop_first().unwrap();
        (name, names(cells[3]))
    })
    .collect()
}

fn workspace() -> Map {
    let folders = fs::read_dir(repository_root().join("crates")).unwrap();
    folders
        .map(|entry| {
            let folder = entry.unwrap();
            let manifest = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
            (folder.file_name().into_string().unwrap(), our_dependencies(&manifest))
        })
        .collect()
}

/// Names of our crates in `[dependencies]`; development dependencies may point anywhere.
fn our_dependencies(manifest: &str) -> BTreeSet<String> {
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let names = lines.map(|line| line.split(['=', '.', ' ']).next().unwrap_or_default());
    names.filter(|name| *name == "temper" || name.starts_with("temper-")).map(str::to_owned).collect()
}
