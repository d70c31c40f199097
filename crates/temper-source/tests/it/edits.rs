//! Edits are tied to their text, undo exactly, and become patches that git applies.

use std::path::{Path, PathBuf};
use std::process::Command;

use temper_source::{Edit, EditSet, SourceError, SourceFile, Span, patch};

/// A folder that is removed again.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("temper-source-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    // The caller's configuration and repository must not matter.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {message}");
}

/// Applies the patch of `edits` with git, and backwards, and compares bytes.
#[track_caller]
fn check_patch(scratch: &Scratch, name: &str, bytes: &[u8], edits: Vec<Edit>) {
    let file = SourceFile::from_bytes(name, bytes.to_vec()).unwrap();
    let set = EditSet::new(&file, edits).unwrap();
    let after = file.encode(&set.apply(file.text()).unwrap()).unwrap();
    let diff = patch(Path::new(name), &file, &set).unwrap();
    let path = scratch.0.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, bytes).unwrap();
    std::fs::write(scratch.0.join("change.patch"), &diff).unwrap();
    let shown = String::from_utf8_lossy(&diff).into_owned();
    git(&scratch.0, &["apply", "--whitespace=nowarn", "change.patch"]);
    assert_eq!(std::fs::read(&path).unwrap(), after, "{shown}");
    git(&scratch.0, &["apply", "--whitespace=nowarn", "-R", "change.patch"]);
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "{shown}");
}

fn replace(text: &str, old: &str, new: &str) -> Edit {
    let start = u32::try_from(text.find(old).unwrap()).unwrap();
    Edit::replace(Span::new(start, start + u32::try_from(old.len()).unwrap()), new)
}

const LINES: &str = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\ng = 7\nh = 8\ni = 9\nj = 10\nk = 11\n";

#[test]
fn patches_apply_with_git_forwards_and_backwards() {
    let scratch = Scratch::new("patches");
    git(&scratch.0, &["init", "-q"]);
    let check = |name: &str, text: &str, edits: Vec<Edit>| check_patch(&scratch, name, text.as_bytes(), edits);
    let one = |text: &str, old: &str, new: &str| vec![replace(text, old, new)];
    check("first.py", LINES, one(LINES, "a = 1", "a = 100"));
    check("last.py", LINES, one(LINES, "11", "12"));
    check("middle.py", LINES, one(LINES, "6", "60"));
    check("far.py", LINES, vec![replace(LINES, "a = 1", "a = 0"), replace(LINES, "11", "12")]);
    check("near.py", LINES, vec![replace(LINES, "2", "20"), replace(LINES, "5", "50"), replace(LINES, "b", "bb")]);
    check("adjacent.py", LINES, vec![replace(LINES, "2", "20"), replace(LINES, "3", "30")]);
    check("more_lines.py", LINES, one(LINES, "6", "(6 +\n  1)"));
    check("fewer_lines.py", LINES, one(LINES, "f = 6\n", ""));
    check("insert_line.py", LINES, vec![Edit::insert(0, "import x\n")]);
    check("append_line.py", LINES, vec![Edit::insert(u32::try_from(LINES.len()).unwrap(), "z = 0\n")]);
    check("crlf.py", &LINES.replace('\n', "\r\n"), one(&LINES.replace('\n', "\r\n"), "6", "60"));
    check("mixed.py", "a = 1\r\nb = 2\nc = 3\rd = 4\n", one("a = 1\r\nb = 2\nc = 3\rd = 4\n", "3", "30"));
    check("no_newline.py", "a = 1\nb = 2", one("a = 1\nb = 2", "2", "3"));
    check("no_newline_far.py", LINES.trim_end(), one(LINES, "2", "3"));
    check("adds_newline.py", "a = 1", vec![Edit::insert(5, "\n")]);
    check("drops_newline.py", "a = 1\n", vec![Edit::delete(Span::new(5, 6))]);
    check("one_line.py", "a = 1", one("a = 1", "1", "2"));
    check("marked.py", "\u{feff}a = 1\n", one("\u{feff}a = 1\n", "1", "2"));
    check("unicode.py", "é = '€'  # 漢\nb = 1\n", one("é = '€'  # 漢\nb = 1\n", "€", "£"));
    check("folder/with space/x y.py", LINES, one(LINES, "6", "60"));
    check("folder/naïve \"file\".py", LINES, one(LINES, "6", "60"));
    check("empties.py", "a = 1\n", vec![Edit::delete(Span::new(0, 6))]);
    check("form_feed.py", "a = 1\n\u{c}\nb = 2\n", one("a = 1\n\u{c}\nb = 2\n", "2", "3"));
    let latin: Vec<u8> = b"# coding: latin-1\ns = '\xe9'\nx = 0.5\n".to_vec();
    let decoded = SourceFile::from_bytes("x.py", latin.clone()).unwrap();
    check_patch(&scratch, "latin.py", &latin, vec![replace(decoded.text(), "0.5", "0.7")]);
}

#[test]
fn an_empty_file_can_be_filled() {
    // git stages an empty file as one without a hunk, so only the forward direction says something.
    let scratch = Scratch::new("empty");
    git(&scratch.0, &["init", "-q"]);
    let file = SourceFile::from_text("empty.py", "").unwrap();
    let set = EditSet::new(&file, vec![Edit::insert(0, "x = 1\n")]).unwrap();
    std::fs::write(scratch.0.join("empty.py"), "").unwrap();
    std::fs::write(scratch.0.join("p"), patch(Path::new("empty.py"), &file, &set).unwrap()).unwrap();
    git(&scratch.0, &["apply", "p"]);
    assert_eq!(std::fs::read(scratch.0.join("empty.py")).unwrap(), b"x = 1\n");
}

#[test]
fn a_patch_shows_three_lines_of_context() {
    let file = SourceFile::from_text("x.py", LINES).unwrap();
    let set = EditSet::new(&file, vec![replace(LINES, "6", "60")]).unwrap();
    let diff = String::from_utf8(patch(Path::new("dir/x.py"), &file, &set).unwrap()).unwrap();
    let expected = "diff --git a/dir/x.py b/dir/x.py\n--- a/dir/x.py\n+++ b/dir/x.py\n@@ -3,7 +3,7 @@\n c = 3\n d = 4\n e = 5\n-f = 6\n+f = 60\n g = 7\n h = 8\n i = 9\n";
    assert_eq!(diff, expected);
}

#[test]
fn nothing_changed_gives_an_empty_patch() {
    let file = SourceFile::from_text("x.py", LINES).unwrap();
    for edits in [vec![], vec![replace(LINES, "6", "6")]] {
        let set = EditSet::new(&file, edits).unwrap();
        assert_eq!(patch(Path::new("x.py"), &file, &set).unwrap(), b"");
    }
}

#[test]
fn undoing_gives_the_same_bytes() {
    let file = SourceFile::from_text("x.py", LINES).unwrap();
    let edits =
        vec![replace(LINES, "11", ""), replace(LINES, "a", "longer"), Edit::insert(6, "x\n"), Edit::insert(6, "y\n")];
    let set = EditSet::new(&file, edits).unwrap();
    let after = set.apply(LINES).unwrap();
    assert!(after.starts_with("longer = 1\nx\ny\nb = 2\n") && after.ends_with("k = \n"), "{after}");
    assert_eq!(set.undo(&after).unwrap(), LINES);
    assert_eq!(set.replaced(), ["a", "", "", "11"]);
}

#[test]
fn an_edit_is_refused_when_its_text_has_changed() {
    let file = SourceFile::from_text("x.py", LINES).unwrap();
    let set = EditSet::new(&file, vec![replace(LINES, "6", "60")]).unwrap();
    for other in [LINES.replace("6", "7"), format!("{LINES}\n"), LINES.replace("11", "12"), String::new()] {
        assert!(matches!(set.apply(&other), Err(SourceError::Stale { .. })), "{other}");
        assert!(matches!(set.undo(&other), Err(SourceError::Stale { .. })), "{other}");
    }
    assert!(matches!(set.undo(LINES), Err(SourceError::Stale { .. })));
}

#[test]
fn edits_that_cannot_be_made_are_refused() {
    let file = SourceFile::from_text("x.py", "é = 1\n").unwrap();
    let new = |spans: &[(u32, u32)]| {
        EditSet::new(&file, spans.iter().map(|&(start, end)| Edit::delete(Span::new(start, end))).collect())
    };
    assert!(matches!(new(&[(0, 4), (3, 5)]), Err(SourceError::Overlap { .. })));
    assert!(matches!(new(&[(0, 99)]), Err(SourceError::OutOfRange { .. })));
    assert!(matches!(new(&[(1, 2)]), Err(SourceError::OutOfRange { .. })));
    assert!(new(&[(0, 2), (2, 4)]).is_ok());
}

#[test]
fn an_edit_that_breaks_the_syntax_is_found_by_parsing_again() {
    let file = SourceFile::from_text("x.py", "x = (1)\n").unwrap();
    let set = EditSet::new(&file, vec![Edit::delete(Span::new(6, 7))]).unwrap();
    match set.reparse(&file) {
        Err(SourceError::Syntax { at, .. }) => assert!(at.line >= 1),
        other => panic!("{other:?}"),
    }
}

/// A small deterministic source of choices for the laws below.
struct Choices(u64);

impl Choices {
    fn below(&mut self, limit: usize) -> usize {
        // Constants of Knuth's MMIX generator; the low bits are weak and are dropped.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn text(&mut self, pieces: usize) -> String {
        const PIECES: [&str; 8] = ["a", "b = 1", "\n", "\r\n", "é", "\n\n", " ", "漢"];
        (0..pieces).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }

    /// Edits that do not overlap, in any order.
    fn edits(&mut self, text: &str, count: usize) -> Vec<Edit> {
        let borders: Vec<u32> =
            text.char_indices().map(|(at, _)| at).chain([text.len()]).map(|at| u32::try_from(at).unwrap()).collect();
        let mut cuts: Vec<u32> = (0..2 * count).map(|_| borders[self.below(borders.len())]).collect();
        cuts.sort_unstable();
        let mut edits: Vec<Edit> = Vec::new();
        for pair in cuts.chunks(2) {
            let pieces = self.below(4);
            edits.push(Edit::replace(Span::new(pair[0], pair[1]), &self.text(pieces)));
        }
        edits.reverse();
        edits
    }
}

#[test]
fn any_edits_undo_exactly() {
    let mut choices = Choices(1);
    for _ in 0..3000 {
        let (pieces, count) = (choices.below(30), choices.below(5));
        let text = choices.text(pieces);
        let file = SourceFile::from_text("x.py", text.clone()).unwrap();
        let edits = choices.edits(&text, count);
        let set = EditSet::new(&file, edits).unwrap();
        let after = set.apply(&text).unwrap();
        assert_eq!(set.undo(&after).unwrap(), text);
        let grown: i64 = set
            .edits()
            .iter()
            .map(|edit| i64::try_from(edit.replacement.len()).unwrap() - i64::from(edit.span.len()))
            .sum();
        assert_eq!(i64::try_from(after.len()).unwrap() - i64::try_from(text.len()).unwrap(), grown);
    }
}

#[test]
fn any_patch_applies_with_git() {
    let scratch = Scratch::new("random");
    git(&scratch.0, &["init", "-q"]);
    let mut choices = Choices(2);
    let (mut all, mut expected) = (Vec::new(), Vec::new());
    for index in 0..600 {
        let (pieces, count) = (1 + choices.below(60), 1 + choices.below(4));
        let text = choices.text(pieces);
        let file = SourceFile::from_text("x.py", text.clone()).unwrap();
        let edits = choices.edits(&text, count);
        let set = EditSet::new(&file, edits).unwrap();
        let name = format!("{index}.py");
        std::fs::write(scratch.0.join(&name), &text).unwrap();
        all.extend(patch(Path::new(&name), &file, &set).unwrap());
        expected.push((name, set.apply(&text).unwrap()));
    }
    std::fs::write(scratch.0.join("all.patch"), all).unwrap();
    git(&scratch.0, &["apply", "--whitespace=nowarn", "all.patch"]);
    for (name, text) in expected {
        let found = std::fs::read_to_string(scratch.0.join(&name)).unwrap();
        assert_eq!(found, text, "{name}");
    }
}
