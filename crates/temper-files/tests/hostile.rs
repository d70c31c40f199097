//! Links, permissions and depths that a repository or a checked function could leave in our way.

#![expect(clippy::unwrap_used, reason = "a test that cannot prepare its folder has failed")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use temper_files::{
    FileError, Folder, PrivateFolder, replace_source, state_folder, write_output, write_output_with_folders,
};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn lock(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
}

#[test]
fn a_link_in_place_of_a_file_is_replaced_and_not_followed() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("precious"), "mine").unwrap();
    let state = state_folder(root.path()).unwrap();
    symlink("../precious", root.path().join(".temper/check.json")).unwrap();
    state.write("check.json", b"{}").unwrap();
    write_output(&root.path().join(".temper/check.json"), b"[]").unwrap();
    assert_eq!(fs::read_to_string(root.path().join("precious")).unwrap(), "mine");
    assert_eq!(state.read("check.json").unwrap().unwrap(), b"[]");
    assert!(!root.path().join(".temper/check.json").is_symlink());
    // Nothing half written is left.
    let mut names = state.names().unwrap();
    names.sort();
    assert_eq!(names, [".gitignore", "check.json"]);
}

#[test]
fn a_state_folder_that_is_a_link_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), root.path().join(".temper")).unwrap();
    let error = state_folder(root.path()).unwrap_err();
    assert!(matches!(error, FileError::Link { .. }), "{error}");
    assert!(error.to_string().ends_with(".temper` is a link, and Temper does not follow links"), "{error}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_is_a_link_is_not_read() {
    let root = tempfile::tempdir().unwrap();
    let state = state_folder(root.path()).unwrap();
    symlink("/etc/passwd", root.path().join(".temper/check.json")).unwrap();
    assert!(matches!(state.read("check.json").unwrap_err(), FileError::Link { .. }));
    assert_eq!(state.read("nothing").unwrap(), None);
}

#[test]
fn private_folders_are_fresh_closed_to_others_and_gone_at_the_end() {
    let parent = tempfile::tempdir().unwrap();
    let first = PrivateFolder::create(parent.path()).unwrap();
    let second = PrivateFolder::create(parent.path()).unwrap();
    assert_ne!(first.path(), second.path());
    assert_eq!(mode(first.path()), 0o700);
    assert_eq!(fs::metadata(first.path()).unwrap().uid(), nix::unistd::geteuid().as_raw());
    fs::write(first.join("file"), "x").unwrap();
    drop((first, second));
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn removing_changes_nothing_behind_links() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("m.py"), "x").unwrap();
    fs::set_permissions(outside.path().join("m.py"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o750)).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let inner = scratch.path().join("a/b");
    fs::create_dir_all(&inner).unwrap();
    symlink(outside.path(), inner.join("folder")).unwrap();
    symlink(outside.path().join("m.py"), inner.join("m.py")).unwrap();
    fs::write(inner.join("locked"), "x").unwrap();
    lock(&inner.join("locked"));
    lock(&inner);
    lock(&scratch.path().join("a"));
    Folder::open(scratch.path()).unwrap().remove_tree("a").unwrap();
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    assert_eq!(mode(&outside.path().join("m.py")), 0o640);
    assert_eq!(mode(outside.path()), 0o750);
}

#[test]
fn deep_folders_and_odd_names_are_removed() {
    let scratch = tempfile::tempdir().unwrap();
    let root = Folder::open(scratch.path()).unwrap();
    // Deeper than a path may be long, and than a process may have files open.
    let mut folder = root.folder("deep").unwrap();
    for _ in 0..2100 {
        folder = folder.folder("d").unwrap();
    }
    drop(folder);
    fs::write(scratch.path().join("deep").join(OsStr::from_bytes(b"\xff\xfe")), "x").unwrap();
    root.remove_tree("deep").unwrap();
    assert_eq!(root.names().unwrap().len(), 0);
    root.remove_tree("deep").unwrap();
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::open(root.path()).unwrap().folder("inner").unwrap();
    for name in ["../out", "..", ".", "", "a/b", "/tmp/x"] {
        assert!(
            folder.write(name, b"x").is_err() && folder.folder(name).is_err() && folder.read(name).is_err(),
            "{name}"
        );
    }
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
}

#[test]
fn a_source_keeps_its_permissions_and_its_link() {
    let root = tempfile::tempdir().unwrap();
    let real = root.path().join("real.py");
    fs::write(&real, "a").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o757)).unwrap();
    symlink("real.py", root.path().join("link.py")).unwrap();
    replace_source(&root.path().join("link.py"), b"b").unwrap();
    assert_eq!((fs::read_to_string(&real).unwrap().as_str(), mode(&real)), ("b", 0o757));
    assert!(root.path().join("link.py").is_symlink());
}

#[test]
fn results_go_to_devices_and_into_new_folders() {
    write_output(Path::new("/dev/null"), b"x").unwrap();
    let root = tempfile::tempdir().unwrap();
    assert!(write_output(&root.path().join("new/folder/out.json"), b"x").is_err());
    write_output_with_folders(&root.path().join("new/folder/out.json"), b"x").unwrap();
    assert_eq!(fs::read(root.path().join("new/folder/out.json")).unwrap(), b"x");
    assert!(write_output(root.path(), b"x").is_err());
}
