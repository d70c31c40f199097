//! The walks of docs/ARCHITECTURE.md name files that exist.

use std::fs;

use temper_testkit::repository_root;

#[test]
fn the_walks_name_files_that_exist() {
    let text = fs::read_to_string(repository_root().join("docs/ARCHITECTURE.md")).unwrap();
    let walks = text.split("\n## Walks\n").nth(1).expect("a section `Walks`");
    let walks = walks.split("\n## ").next().unwrap_or_default();
    let steps: Vec<&str> =
        walks.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(walks.matches("\n### ").count(), 3, "three walks");
    assert!(steps.len() >= 15, "{} steps", steps.len());
    for step in steps {
        let file = step.split('`').nth(1).unwrap_or_else(|| panic!("no file in `{step}`"));
        assert!(repository_root().join(file).is_file(), "`{file}` of docs/ARCHITECTURE.md does not exist");
    }
}
