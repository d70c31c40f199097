//! Patches of `temper bounds` through the real program: what they edit, that they hold, and their way into the source.

#![expect(clippy::unwrap_used, reason = "a test that cannot run the program has failed")]

mod support;

use std::fmt::Write;
use std::fs;

use serde_json::Value;
use support::{TEMPER, command, git, package, python, run};
use temper_testkit::{Project, repository_root};

fn document(project: &Project, arguments: &[&str]) -> Value {
    let output = command(project, arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

fn findings(document: &Value) -> &Vec<Value> {
    document["findings"].as_array().unwrap()
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_else(|| panic!("no {path} in {value}"))
}

fn in_repository(name: &str) -> Project {
    let project = Project::fixture(name);
    git(&project, &["init", "-q"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-q", "-m", "first"]);
    project
}

/// The changed lines of a patch, with `NEW` for the number that the samples gave.
fn changed_lines(project: &Project, finding: &Value) -> String {
    let diff = fs::read_to_string(project.root().join(text(finding, "/patch"))).unwrap();
    let number = text(finding, "/evidence/proposal/remedy/text");
    let bare = number.trim_start_matches('-');
    let lines = diff.lines().skip(3);
    let lines = lines.filter(|line| line.starts_with(['+', '-'])).map(|line| match line.strip_prefix('+') {
        Some(added) => format!("+ {}\n", added.trim().replacen(bare, "NEW", 1)),
        None => format!("- {}\n", line[1..].trim()),
    });
    lines.collect()
}

#[test]
fn every_form_is_edited_where_its_number_belongs_and_holds_afterwards() {
    let project = in_repository("bounds_patches");
    let found = document(&project, &["bounds", "--pass", "0.99", "--runs", "300", "--format", "json", "-q"]);
    let findings = findings(&found);
    let mut edited = String::new();
    for finding in findings {
        assert_eq!(text(finding, "/kind"), "flaky", "{finding}");
        let verification = &finding["evidence"]["proposal"]["verification"];
        assert_eq!(verification["runs"], 500, "{finding}");
        git(&project, &["apply", "--check", text(finding, "/patch")]);
        edited += &changed_lines(&project, finding);
        for moved in finding["evidence"]["proposal"]["moves"].as_array().unwrap() {
            let _ = writeln!(edited, "  moves {}", moved.as_str().unwrap());
        }
    }
    insta::assert_snapshot!(edited, @"");

    // Last first: the order of patches does not matter.
    let mut arguments = vec!["apply"];
    arguments.extend(findings.iter().rev().map(|finding| text(finding, "/id")));
    let (code, _, stderr) = run(&project, &arguments);
    assert_eq!(code, 0, "{stderr}");
    let diff = git(&project, &["diff", "-U0"]);
    let changed = diff.lines().filter(|line| line.starts_with('-') && !line.starts_with("---")).count();
    // Two sites on one line, and two that read one constant, change one line together.
    insta::assert_snapshot!(changed, @"");

    let later =
        document(&project, &["bounds", "--pass", "0.99", "--runs", "200", "--seed", "7", "--format", "json", "-q"]);
    assert_eq!(findings_words(&later), "");
    for site in later["subjects"].as_array().unwrap() {
        let (runs, failures) =
            (site["evidence"]["runs"].as_u64().unwrap(), site["evidence"]["failures"].as_u64().unwrap());
        // At one failure in a hundred, more than 9 of 200 have a chance of 5 in 100,000; the seed is fixed.
        assert!(runs <= 200 && failures <= 9, "{} {failures} of {runs}", site["name"]);
    }
}

fn findings_words(document: &Value) -> String {
    findings(document).iter().map(|finding| format!("{}\n", text(finding, "/message"))).collect()
}

/// The lines of one site in the text output, from its verdict on, with numbers and ids masked.
fn remedy_of(stdout: &str, assertion: &str) -> String {
    let mut lines = stdout.lines().skip_while(|line| !line.contains(assertion));
    let head = lines.next().unwrap_or_else(|| panic!("no {assertion} in {stdout}"));
    let verdict = head.split(assertion).nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let body = lines.skip(3).take_while(|line| line.starts_with("  ") && !line.contains("reproduce"));
    let masked = |line: &str| {
        let mut out = String::new();
        for c in line.trim_end().chars() {
            match c {
                '0'..='9' | '.' | ',' if out.ends_with('#') => {}
                '0'..='9' => out.push('#'),
                other => out.push(other),
            }
        }
        out
    };
    body.fold(format!("{verdict}\n"), |text, line| text + &masked(line) + "\n")
}

#[test]
fn each_kind_of_evidence_has_its_remedy() {
    let project = Project::fixture("bounds_remedies");
    let (code, stdout, stderr) =
        run(&project, &["bounds", "--pass", "0.999", "--runs", "300", "-q", "--", "-k", "not rare"]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    insta::assert_snapshot!(remedy_of(&stdout, "assert random() < 0.9 "), @"");
    insta::assert_snapshot!(remedy_of(&stdout, "< 30 "), @"");
    insta::assert_snapshot!(remedy_of(&stdout, "assert value < 1.1 "), @"");
    insta::assert_snapshot!(remedy_of(&stdout, "> 0 "), @"");
    insta::assert_snapshot!(remedy_of(&stdout, "gauss(0, 1) < 2.0 "), @"");
    insta::assert_snapshot!(remedy_of(&stdout, "assert value < 2.0 "), @"");
    assert!(stdout.contains("4 to fix, 2 to look at.   temper review · temper apply B"), "{stdout}");

    let (code, stdout, _) = run(&project, &["bounds", "--pass", "0.9", "--runs", "100", "-q", "--", "-k", "rare"]);
    assert_eq!(code, 0, "{stdout}");
    insta::assert_snapshot!(remedy_of(&stdout, "assert random() < 0.97 "), @"");
}

/// A project with two flaky sites whose patches are made: one proposal a line of `test_two.py`.
fn with_two_patches() -> (Project, [String; 2]) {
    let project = Project::empty();
    project.write(
        "test_two.py",
        "from random import random\n\n\ndef test_two():\n    assert random() < 0.7\n    assert random() > 0.3\n",
    );
    let found = document(&project, &["bounds", "--pass", "0.9", "--runs", "100", "--format", "json", "-q"]);
    let ids: Vec<String> = findings(&found).iter().map(|finding| text(finding, "/id").to_owned()).collect();
    (project, ids.try_into().unwrap())
}

fn source(project: &Project) -> String {
    fs::read_to_string(project.root().join("test_two.py")).unwrap()
}

#[test]
fn patches_of_one_file_apply_in_any_order_and_an_edited_file_is_left_alone() {
    let (project, [first, second]) = with_two_patches();
    let original = source(&project);
    let both = |ids: [&String; 2]| {
        fs::write(project.root().join("test_two.py"), &original).unwrap();
        for id in ids {
            let (code, stdout, stderr) = run(&project, &["apply", id]);
            assert_eq!(code, 0, "{stdout}{stderr}");
        }
        source(&project)
    };
    let forwards = both([&first, &second]);
    assert_eq!(both([&second, &first]), forwards);
    assert_eq!(forwards.lines().filter(|line| !original.contains(line)).count(), 2, "{forwards}");
    assert_eq!(run(&project, &["apply", &first]).1, format!("{first} is applied already\n"));

    // By git, and the rest by us: the other patch was written anew when the first was applied.
    fs::write(project.root().join("test_two.py"), &original).unwrap();
    run(&project, &["apply", &first]);
    git(&project, &["init", "-q"]);
    git(&project, &["apply", &format!(".temper/patches/{second}.patch")]);
    assert_eq!(source(&project), forwards);

    let edited = original.replace("test_two()", "test_three()");
    fs::write(project.root().join("test_two.py"), &edited).unwrap();
    let (code, stdout, stderr) = run(&project, &["apply", &first]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    insta::assert_snapshot!(stderr, @"");
    assert_eq!(source(&project), edited);
    assert_eq!(run(&project, &["apply", "B00000"]).0, 2);
    assert_eq!(run(&Project::empty(), &["apply", "B00000"]).0, 5);
}

#[test]
fn a_site_is_judged_at_the_target_that_its_bound_was_made_for() {
    let (project, [first, second]) = with_two_patches();
    let (code, stdout, stderr) = run(&project, &["apply", &first, &second, "--at", "0.95"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("of 500 fresh values lie beyond it"), "{stdout}");
    // Asked for 0.999, the new bounds would be flaky; they were made for 0.95.
    let later = document(&project, &["bounds", "--pass", "0.999", "--runs", "100", "--format", "json", "-q"]);
    assert_eq!(findings_words(&later), "");
    for site in later["subjects"].as_array().unwrap() {
        assert_eq!(site["evidence"]["judged_at"], 0.95, "{site}");
    }
    let (code, _, stderr) = run(&project, &["apply", &first, "--at", "0.97"]);
    assert_eq!(code, 2);
    assert_eq!(
        stderr,
        format!(
            "error: there is no bound for `{first}` at 0.97\nhint: there is one at 0.9, 0.95, 0.99, 0.999, 0.9999\n"
        )
    );
}

#[test]
fn a_review_in_a_terminal_takes_its_answers() {
    let (project, [first, second]) = with_two_patches();
    let original = source(&project);
    let (code, _, stderr) = run(&project, &["review"]);
    assert_eq!(code, 2);
    insta::assert_snapshot!(stderr, @"");

    let review = |answers: &[(&str, &str)]| {
        let mut command = project.command(python());
        command.arg(repository_root().join("crates/temper-cli/tests/support/terminal.py"));
        command.arg(serde_json::to_string(answers).unwrap()).args([TEMPER, "review"]);
        command.env("TEMPER_PACKAGE_DIR", package(&project)).env("NO_COLOR", "1");
        let output = command.output().unwrap();
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let asked = "q(uit): ";
    let (code, stdout) = review(&[(asked, "x"), (asked, "s"), (asked, "q")]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.ends_with("0 accepted, 0 rejected, 2 left open\n"), "{stdout}");
    assert!(stdout.contains("-    assert random() < 0.7") && stdout.contains("│ bound 0.7"), "{stdout}");
    assert_eq!(source(&project), original);

    let answers = [(asked, "e"), ("): ", "lots"), (asked, "e"), ("): ", "0.97"), (asked, "a"), (asked, "r")];
    let (code, stdout) = review(&answers);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("`lots` is no number that can stand there"), "{stdout}");
    assert!(stdout.contains("re-checked 0.97: "), "{stdout}");
    assert!(stdout.contains(&format!("applied {first} to test_two.py:5:5   < 0.97")), "{stdout}");
    assert!(stdout.ends_with("1 accepted, 1 rejected, 0 left open\n"), "{stdout}");
    assert_eq!(source(&project), original.replace("0.7", "0.97"));
    assert_eq!(review(&[]).0, 5, "every patch has its answer");

    let (code, stdout, _) = run(&project, &["report", "--pr", &second]);
    assert_eq!(code, 0);
    for part in ["# test_two: `> ", "100 runs of the test", "| 99.99 % | `> ", "```diff", "+    assert random() > "] {
        assert!(stdout.contains(part), "no {part} in {stdout}");
    }
}
