//! Hostile, broken and odd files: an answer or a typed error, never a panic.

use std::fs;
use std::path::PathBuf;

use temper_source::{DiscoverOptions, Encoding, SourceError, SourceFile, analyse, discover, read};

fn parse(text: &str) -> Result<temper_source::Analysis, SourceError> {
    analyse(&SourceFile::from_text("x.py", text)?)
}

#[test]
fn deep_nesting_neither_overflows_nor_hides_the_rest() {
    let deep = 50_000;
    let tail = "\ndef test_it():\n    assert a < 0.5\n";
    let texts = [
        format!("x = {}1{}", "(".repeat(deep), ")".repeat(deep)),
        format!("x = {}1{}", "[".repeat(deep), "]".repeat(deep)),
        format!("x = {}1", "-".repeat(deep)),
        format!("x = {}1", "not ".repeat(deep)),
        format!("x = 1{}", " + 1".repeat(deep)),
        format!("x = a{}", ".b".repeat(deep)),
        format!("x = a{}", "()".repeat(deep)),
        format!("x = {}1", "lambda: ".repeat(deep)),
        format!("x = 1{}", " if a else 1".repeat(deep)),
        format!("assert a < 1{}", " and a < 1".repeat(5_000)),
        format!("assert {}a < 1", "not ".repeat(5_000)),
    ];
    for text in texts {
        match parse(&format!("{text}{tail}")) {
            Ok(found) => assert!(found.sites.iter().any(|site| site.owner.name == "test_it"), "{}", &text[..20]),
            Err(error) => assert!(matches!(error, SourceError::Syntax { .. }), "{error}"),
        }
    }
    let mut indented = String::new();
    for level in 0..90 {
        indented.push_str(&format!("{}if a:\n", " ".repeat(level)));
    }
    indented.push_str(&format!("{}assert a < 1\n", " ".repeat(90)));
    assert_eq!(parse(&indented).unwrap().sites.len(), 1);
}

#[test]
fn broken_files_are_syntax_errors_with_a_place() {
    let table = [
        ("def f(:\n  pass", 1),
        ("x = 1\ny = (2\n", 2),
        ("x = 1\n  y = 2\n", 2),
        ("print 'x'\n", 1),
        ("x = '''\n\n", 1),
        ("x = 1\nassert a <\n", 2),
    ];
    for (text, line) in table {
        match parse(text) {
            Err(SourceError::Syntax { at, message, .. }) => {
                assert!(at.line >= line && !message.is_empty(), "{text}: {at:?} {message}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn every_prefix_of_a_file_is_survived() {
    let text = include_str!("../../../../fixtures/source/scikit-learn/least_angle_tests.py");
    for end in (0..text.len()).step_by(211) {
        let _ = parse(&text[..end]);
        let _ = parse(&text[end..]);
    }
}

#[test]
fn odd_but_valid_files_are_read() {
    assert_eq!(parse("").unwrap().sites, []);
    assert_eq!(parse("\u{feff}").unwrap().sites, []);
    assert_eq!(parse("\u{feff}assert a < 1").unwrap().sites[0].position.column, 1);
    assert_eq!(parse("x = 1\rassert a < 1\r").unwrap().sites[0].position.line, 2);
    assert_eq!(parse("x = 1\r\nassert a < 1\r\n").unwrap().sites[0].position.line, 2);
    assert_eq!(parse("\x0c\nassert a < 1").unwrap().sites.len(), 1);
    assert_eq!(parse("assert a < 1" /* no end of line */).unwrap().sites.len(), 1);
    assert_eq!(parse("match a:\n  case [x, *y] if x < 1:\n    assert x < 1\n").unwrap().sites.len(), 1);
    assert_eq!(parse("try:\n  pass\nexcept* E as e:\n  assert e < 1\n").unwrap().sites.len(), 1);
    assert_eq!(parse("tol = tol\nassert a < tol\n").unwrap().sites.len(), 1);
    assert_eq!(parse("class A(A): x = 1\nclass B(C): pass\nclass C(B): pass\n").unwrap().sites, []);
    assert_eq!(parse("f = g\ng = f\nf(1)\nassert f(1) < 2\n").unwrap().sites.len(), 1);
    assert_eq!(parse("assert 10 ** 400 < a and a < 1e999\n").unwrap().sites.len(), 2);
    assert_eq!(
        parse("assert a < 123456789012345678901234567890\n").unwrap().sites[0].bound().value,
        Some(1.234_567_890_123_456_8e29)
    );
}

#[test]
fn latin_1_files_keep_their_bytes() {
    let bytes = b"# -*- coding: latin-1 -*-\ns = '\xe9'; assert a < 0.5\n".to_vec();
    let file = SourceFile::from_bytes("x.py", bytes.clone()).unwrap();
    assert_eq!(file.encoding(), Encoding::Latin1);
    assert_eq!(analyse(&file).unwrap().sites[0].position.column, 10);
    assert_eq!(file.to_bytes().unwrap(), bytes);
}

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn project(name: &str, files: &[&str]) -> Scratch {
    let root = std::env::temp_dir().join(format!("temper-source-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    for file in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x = 1\n").unwrap();
    }
    Scratch(root)
}

fn names(root: &Scratch, found: &[PathBuf]) -> Vec<String> {
    found.iter().map(|path| path.strip_prefix(&root.0).unwrap().to_str().unwrap().replace('\\', "/")).collect()
}

#[test]
fn other_peoples_code_is_passed_over_unless_it_is_named() {
    let files = [
        "b.py",
        "a/x.py",
        "a/x.txt",
        ".venv/v.py",
        "build/o.py",
        "a/__pycache__/c.py",
        "own/pyvenv.cfg",
        "own/e.py",
        "node_modules/n.py",
    ];
    let root = project("walk", &files);
    fs::write(root.0.join(".gitignore"), "/build/\n").unwrap();
    let found = discover(std::slice::from_ref(&root.0), &DiscoverOptions::default());
    assert_eq!(names(&root, &found.files), ["a/x.py", "b.py"]);
    let named = discover(
        &[root.0.join("build"), root.0.join("a/x.txt"), root.0.join("b.py"), root.0.join("b.py")],
        &DiscoverOptions::default(),
    );
    assert_eq!(names(&root, &named.files), ["a/x.txt", "b.py", "build/o.py"]);
    let options = DiscoverOptions { excludes: vec!["b.py".into()], root: None };
    assert_eq!(names(&root, &discover(std::slice::from_ref(&root.0), &options).files), ["a/x.py"]);
}

#[cfg(unix)]
#[test]
fn links_cannot_make_the_walk_endless() {
    let root = project("links", &["a/x.py"]);
    std::os::unix::fs::symlink(&root.0, root.0.join("a/loop")).unwrap();
    std::os::unix::fs::symlink(root.0.join("a/x.py"), root.0.join("link.py")).unwrap();
    std::os::unix::fs::symlink(root.0.join("nowhere"), root.0.join("dangling.py")).unwrap();
    let found = discover(std::slice::from_ref(&root.0), &DiscoverOptions::default());
    assert_eq!(names(&root, &found.files), ["a/x.py", "link.py"]);
    assert!(found.errors.is_empty());
}

#[test]
fn unreadable_paths_are_typed_errors_and_the_others_go_on() {
    let root = project("errors", &["a.py"]);
    fs::write(root.0.join("bad.py"), b"x = '\xff'\n").unwrap();
    fs::write(root.0.join("odd.py"), b"# coding: koi8-r\n").unwrap();
    let found = discover(&[root.0.join("missing.py"), root.0.clone()], &DiscoverOptions::default());
    assert!(matches!(&*found.errors, [SourceError::Unreadable { .. }]));
    assert_eq!(names(&root, &found.files), ["a.py", "bad.py", "odd.py"]);
    let results: Vec<_> = found.files.iter().map(|path| read(path)).collect();
    assert!(results[0].is_ok());
    assert!(matches!(results[1], Err(SourceError::BadEncoding { at: 5, byte: 0xff, .. })));
    assert!(matches!(results[2], Err(SourceError::UnknownEncoding { .. })));
    assert!(matches!(read(&root.0), Err(SourceError::NotAFile { .. })));
}
