//! Patches of `temper bounds` through the real program: what they edit, that they hold, and their way into the source.

#![expect(clippy::unwrap_used, reason = "a test that cannot run the program has failed")]

mod support;

use std::fmt::Write;
use std::fs;

use serde_json::Value;
use support::{TEMPER, command, package, python, run};
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
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "first"]);
    project
}

/// The lines that a patch changes, with `NEW` for the number that the samples gave.
fn changed_lines(original: &str, finding: &Value) -> String {
    let number = text(finding, "/evidence/proposal/remedy/text").trim_start_matches('-');
    let mut edited = original.to_owned();
    for edit in finding["evidence"]["proposal"]["change"]["edits"].as_array().unwrap().iter().rev() {
        let start = usize::try_from(edit["start"].as_u64().unwrap()).unwrap();
        let new = text(edit, "/new").replacen(number, "NEW", 1);
        edited.replace_range(start..start + text(edit, "/old").len(), &new);
    }
    let changed = original.lines().zip(edited.lines()).filter(|(old, new)| old != new);
    changed.map(|(old, new)| format!("- {}\n+ {}\n", old.trim(), new.trim())).collect()
}

#[test]
fn every_form_is_edited_where_its_number_belongs_and_holds_afterwards() {
    let project = in_repository("bounds_patches");
    let options = ["--pass", "0.95", "--runs", "100", "--verify-runs", "60", "--format", "json", "-q"];
    let found = document(&project, &[&["bounds"], &options[..]].concat());
    assert_eq!(found["bounds"]["not_judged"], serde_json::json!([]));
    let findings = findings(&found);
    let original = fs::read_to_string(project.root().join("test_forms.py")).unwrap();
    let mut edited = String::new();
    for finding in findings {
        assert_eq!(text(finding, "/kind"), "flaky", "{finding}");
        let verification = &finding["evidence"]["proposal"]["verification"];
        assert_eq!(verification["runs"], 60, "{finding}");
        project.git(&["apply", "--check", text(finding, "/patch")]);
        edited += &changed_lines(&original, finding);
        for moved in finding["evidence"]["proposal"]["moves"].as_array().unwrap() {
            let _ = writeln!(edited, "  moves {}", moved.as_str().unwrap());
        }
    }
    insta::assert_snapshot!(edited, @r#"
    - assert x < 0.7
    + assert x < NEW
    - assert x <= 0.7, "message"
    + assert x <= NEW, "message"
    - assert 0.3 < x
    + assert NEW < x
    - assert not x > 0.65
    + assert not x > NEW
    - assert y > -5e-1
    + assert y > -NEW
    - assert x < 1 - 0.3
    + assert x < NEW
    - assert x < (0.7)  # in parentheses
    + assert x < (NEW)  # in parentheses
    - SHARED = 0.5
    + SHARED = NEW
      moves test_forms.py:30:5 assert y + 0.1 < SHARED
    - SHARED = 0.5
    + SHARED = NEW
      moves test_forms.py:29:5 assert y < SHARED
    - assert y < OPPOSED
    + assert y < NEW
    - assert x < 2 * tol
    + assert x < NEW
    - assert -0.5 < y < 0.5
    + assert -NEW < y < 0.5
    - assert -0.5 < y < 0.5
    + assert -0.5 < y < NEW
    - assert x < 0.7 and y < 0.5
    + assert x < NEW and y < 0.5
    - assert x < 0.7 and y < 0.5
    + assert x < 0.7 and y < NEW
    - assert abs(x - y) < 1
    + assert abs(x - y) < NEW
    - assert int(10 * x) < 7
    + assert int(10 * x) < NEW
    - assert x < 0.6 + 0.1 * random()
    + assert x < 0.6 + 0.1 * random() + NEW
    - assert (values < 0.9).all()
    + assert (values < NEW).all()
    - assert np.all(values > 0.1)
    + assert np.all(values > NEW)
    - assert not (values > 0.9).any()
    + assert not (values > NEW).any()
    - assert all(value < 0.9 for value in values)
    + assert all(value < NEW for value in values)
    - npt.assert_array_less(values, 0.9)
    + npt.assert_array_less(values, NEW)
    - assert y < x
    + assert y < x + NEW
    - assert y > (x if x > 0.5 else -x) - 1.5
    + assert y > (x if x > 0.5 else -x) - 1.5 - NEW
    - assert one == approx(1.0, rel=0.1)
    + assert one == approx(1.0, rel=NEW)
    - assert one == approx(1.0, abs=1e-1)
    + assert one == approx(1.0, abs=NEW)
    - assert approx(1.0, rel=0.1, abs=1e-3) == one
    + assert approx(1.0, rel=NEW, abs=1e-3) == one
    - assert 1 + 1e-6 * g == approx(1.0)
    + assert 1 + 1e-6 * g == approx(1.0, rel=NEW)
    - assert 1e-12 * g == approx(0.0)
    + assert 1e-12 * g == approx(0.0, abs=NEW, rel=1e-6)
    - assert one != approx(1.0, abs=0.04)
    + assert one != approx(1.0, abs=NEW)
    - assert np.allclose(one, 1.0, rtol=0.1, atol=0)
    + assert np.allclose(one, 1.0, rtol=NEW, atol=0)
    - assert np.allclose(1 + 1e-5 * g, 1.0)
    + assert np.allclose(1 + 1e-5 * g, 1.0, rtol=NEW)
    - assert np.isclose([one, 1.0], 1.0, atol=0.1).all()
    + assert np.isclose([one, 1.0], 1.0, atol=NEW).all()
    - assert math.isclose(one, 1.0, rel_tol=0.1)
    + assert math.isclose(one, 1.0, rel_tol=NEW)
    - assert math.isclose(one, 1.0, abs_tol=0.1)
    + assert math.isclose(one, 1.0, abs_tol=NEW)
    - npt.assert_allclose(one, 1.0, 0.1)
    + npt.assert_allclose(one, 1.0, NEW)
    - close(actual=one, desired=1.0, rtol=1e-3, atol=0.1)
    + close(actual=one, desired=1.0, rtol=1e-3, atol=NEW)
    - npt.assert_allclose(1 + 1e-7 * g, 1.0)
    + npt.assert_allclose(1 + 1e-7 * g, 1.0, rtol=NEW)
    - npt.assert_almost_equal(0.015 * g, 0.0, decimal=2)
    + npt.assert_almost_equal(0.015 * g, 0.0, decimal=NEW)
    - npt.assert_array_almost_equal([1.5e-6 * g], [0.0])
    + npt.assert_array_almost_equal([1.5e-6 * g], [0.0], decimal=NEW)
    - npt.assert_approx_equal(1.5 + 0.01 * g, 1.5, significant=3)
    + npt.assert_approx_equal(1.5 + 0.01 * g, 1.5, significant=NEW)
    - torch.testing.assert_close(1 + 2e-7 * g, 1.0)
    + torch.testing.assert_close(1 + 2e-7 * g, 1.0, rtol=NEW, atol=1e-7)
    - torch.testing.assert_close(one, 1.0, rtol=0.05, atol=0.05)
    + torch.testing.assert_close(one, 1.0, rtol=NEW, atol=0.05)
    - self.assertLess(x, 0.7)
    + self.assertLess(x, NEW)
    - self.assertGreaterEqual(x, 0.3)
    + self.assertGreaterEqual(x, NEW)
    - limit = 0.7
    + limit = NEW
    - self.assertAlmostEqual(0.004 * g, 0.0, 2)
    + self.assertAlmostEqual(0.004 * g, 0.0, NEW)
    - self.assertAlmostEqual(4e-8 * g, 0.0)
    + self.assertAlmostEqual(4e-8 * g, 0.0, places=NEW)
    - self.assertAlmostEqual(0.01 * g, 0.0, delta=0.01)
    + self.assertAlmostEqual(0.01 * g, 0.0, delta=NEW)
    - self.assertNotAlmostEqual(0.01 * g, 0.0, places=2)
    + self.assertNotAlmostEqual(0.01 * g, 0.0, places=NEW)
    - self.assertTrue(x < 0.7)
    + self.assertTrue(x < NEW)
    - self.assertFalse(x > 0.7)
    + self.assertFalse(x > NEW)
    "#);

    // Last first: the order of patches does not matter.
    let mut arguments = vec!["apply"];
    arguments.extend(findings.iter().rev().map(|finding| text(finding, "/id")));
    let (code, _, stderr) = run(&project, &arguments);
    assert_eq!(code, 0, "{stderr}");
    let diff = project.git(&["diff", "-U0"]);
    let changed = diff.lines().filter(|line| line.starts_with('-') && !line.starts_with("---")).count();
    // Two sites on one line, and two that read one constant, change one line together.
    insta::assert_snapshot!(changed, @"50");

    let later = document(&project, &[&["bounds", "--seed", "7"], &options[..]].concat());
    assert_eq!(findings_words(&later), "");
    for site in later["subjects"].as_array().unwrap() {
        let (runs, failures) =
            (site["evidence"]["runs"].as_u64().unwrap(), site["evidence"]["failures"].as_u64().unwrap());
        // At five failures in a hundred, more than 13 of 100 have a chance of 5 in 10,000; the seed is fixed.
        assert!(runs <= 100 && failures <= 13, "{} {failures} of {runs}", site["name"]);
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
    // Milliseconds, or seconds or minutes on a slow machine; a factor of times that were measured may be one.
    let timeless = |line: String| {
        line.replace("# ms", "# s").replace("# min", "# s").replace("about the same time", "# times the time")
    };
    body.fold(format!("{verdict}\n"), |text, line| text + &timeless(masked(line)) + "\n")
}

#[test]
fn each_kind_of_evidence_has_its_remedy() {
    let project = Project::fixture("bounds_remedies");
    let arguments =
        ["bounds", "--pass", "0.999", "--runs", "300", "--verify-runs", "300", "-q", "--", "-k", "not rare"];
    // With the plugins that repeat tests.
    let output = command(&project, &arguments).env_remove("PYTEST_DISABLE_PLUGIN_AUTOLOAD").output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let code = output.status.code().unwrap();
    assert_eq!(code, 1, "{stdout}{stderr}");
    insta::assert_snapshot!(remedy_of(&stdout, "assert random() < 0.9 "), @"
    flaky
      proposal   < #   at most # failure in # runs (# % confidence, extrapolated from a light tail; such limits held in # % of simulations or more)
                 with # more runs (# s) about < # to # at most # failure in # runs: `temper bounds Be# --sharpen`
                 for review: a wider bound accepts more than this one did
      verified   # runs with the patch, # failed
      or mean    the mean of # repetitions   # % fail by resampling, # times the time: `temper bounds Be# --remedy mean`
      or rerun   @pytest.mark.flaky(reruns=#)   # % fail if runs are independent, # times the time: `temper bounds Be# --remedy rerun`
    ");
    insta::assert_snapshot!(remedy_of(&stdout, "< 30 "), @"
    flaky
      proposal   @pytest.mark.flaky(reruns=#)   at most # failure in # runs, if # runs are independent and each fails with probability #; # runs on average, # s
                 no bound from the tail: the tail is heavy (shape #), so a far quantile would be a guess
                 no empirical bound: the extremes of resamples lie between # and # too far apart (`--empirical-width`)
                 for review: or raise the sample size, or fix the seed
      verified   # runs with the patch, taken as reruns: # of # tests failed
    ");
    insta::assert_snapshot!(remedy_of(&stdout, "assert value < 1.1 "), @"
    flaky
      proposal   < #   at most # failure in # runs (# % confidence, observed: the most extreme value; the extremes of # resamples lie between # and #)
                 no bound from the tail: no tail model fits the values
                 for review: a wider bound accepts more than this one did
      verified   # runs with the patch, # failed
      or mean    the mean of # repetitions   # % fail by resampling, # times the time: `temper bounds Bfea# --remedy mean`
      or rerun   @pytest.mark.flaky(reruns=#)   # % fail if runs are independent, # times the time: `temper bounds Bfea# --remedy rerun`
    ");
    insta::assert_snapshot!(remedy_of(&stdout, "> 0 "), @"
    flaky
      proposal   @pytest.mark.flaky(reruns=#)   at most # failure in # runs, if # runs are independent and each fails with probability #; # runs on average, # s
                 no wider bound: the value cannot go beyond the limit that the bound stands at, so it would accept everything
                 for review: or raise the sample size, or fix the seed
      verified   # runs with the patch, taken as reruns: # of # tests failed
      or size    range(#)   spread # % of before, # of # runs failed, # times the time: `temper bounds Bf#b#a --remedy size`
      or mean    the mean of # repetitions   # % fail by resampling, # times the time: `temper bounds Bf#b#a --remedy mean`
    ");
    insta::assert_snapshot!(remedy_of(&stdout, "gauss(0, 1) < 2.0 "), @"
    suspect
      two far-apart groups of values (around # and, # times, around #): looks like a bug, no wider bound is offered
    ");
    insta::assert_snapshot!(remedy_of(&stdout, "assert value < 2.0 "), @"
    suspect
      runs without a finite value (# with NaN): looks like a bug, no wider bound is offered
    ");
    assert!(stdout.contains("4 to fix, 2 to look at.   temper review · temper apply B"), "{stdout}");

    let (code, stdout, _) = run(&project, &["bounds", "--pass", "0.9", "--runs", "100", "-q", "--", "-k", "rare"]);
    assert_eq!(code, 0, "{stdout}");
    insta::assert_snapshot!(remedy_of(&stdout, "assert random() < 0.97 "), @"
    rare
      failures are as rare as asked: the fitted tail stays inside the bound in # % of runs
    ");
}

/// A project with two flaky sites whose patches are made: one proposal a line of `test_two.py`.
fn with_two_patches() -> (Project, [String; 2]) {
    let project = Project::empty();
    project.write(
        "test_two.py",
        "from random import random\n\n\ndef test_two():\n    assert random() < 0.7\n    assert random() > 0.3\n",
    );
    let options = ["--pass", "0.9", "--runs", "100", "--verify-runs", "80", "--format", "json", "-q"];
    let found = document(&project, &[&["bounds"], &options[..]].concat());
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

    // By git, and the rest by us: the other patch was written again when the first was applied.
    fs::write(project.root().join("test_two.py"), &original).unwrap();
    run(&project, &["apply", &first]);
    project.git(&["init", "-q"]);
    project.git(&["apply", &format!(".temper/patches/{second}.patch")]);
    assert_eq!(source(&project), forwards);

    let edited = original.replace("test_two()", "test_three()");
    fs::write(project.root().join("test_two.py"), &edited).unwrap();
    let (code, stdout, stderr) = run(&project, &["apply", &first]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    insta::assert_snapshot!(stderr, @"
    error: `test_two.py` has changed since this patch was made
    hint: `temper bounds` makes it again; runs that the change does not touch are reused
    ");
    assert_eq!(source(&project), edited);
    fs::write(project.root().join("test_two.py"), &original).unwrap();
    a_site_is_judged_at_the_target_that_its_bound_was_made_for(&project, &first, &second);
    assert_eq!(run(&project, &["apply", "B00000"]).0, 2);
    assert_eq!(run(&Project::empty(), &["apply", "B00000"]).0, 5);
}

fn a_site_is_judged_at_the_target_that_its_bound_was_made_for(project: &Project, first: &str, second: &str) {
    let (code, stdout, stderr) = run(project, &["apply", first, second, "--at", "0.95"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("of 80 fresh values lie beyond it"), "{stdout}");
    // Asked for 0.999, the new bounds would be flaky; they were made for 0.95.
    let later = document(project, &["bounds", "--pass", "0.999", "--runs", "100", "--format", "json", "-q"]);
    assert_eq!(findings_words(&later), "");
    for site in later["subjects"].as_array().unwrap() {
        assert_eq!(site["evidence"]["judged_at"], 0.95, "{site}");
    }
    let (code, _, stderr) = run(project, &["apply", first, "--at", "0.97"]);
    assert_eq!(code, 2);
    assert_eq!(
        stderr,
        format!(
            "error: there is no bound for `{first}` at 0.97\nhint: there is one at 0.9, 0.95, 0.99, 0.999, 0.9999\n"
        )
    );
}

#[test]
fn a_pull_request_has_its_text_and_a_review_in_a_terminal_takes_its_answers() {
    let (project, [first, _]) = with_two_patches();
    let original = source(&project);
    let (code, _, stderr) = run(&project, &["review"]);
    assert_eq!(code, 2);
    insta::assert_snapshot!(stderr, @"
    error: `temper review` asks questions, and there is no terminal to answer on
    hint: `temper apply ID` takes a patch; the diffs are in .temper/patches/
    ");

    let (code, stdout, _) = run(&project, &["report", "--pr", &first]);
    assert_eq!(code, 0);
    let parts = [
        "# test_two: `< ",
        "fails by chance: the value differs from run to run",
        "100 runs of the test",
        "`temper bounds test_two.py::test_two --runs 100 --pass 0.9 --seed 0` samples the test again",
        "Then 80 runs with the patch",
        "   <- old bound 0.7",
        "<- new bound ",
        "| 99.99 % | `< ",
        "```diff",
        "+    assert random() < ",
        "no mutant of the code under test was run",
    ];
    for part in parts {
        assert!(stdout.contains(part), "no {part} in {stdout}");
    }
    assert_eq!(run(&project, &["report", "--pr", "B00000"]).0, 2);

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
}

#[test]
fn patches_and_replays_work_where_pytest_has_its_settings_above_the_project() {
    let project = Project::empty();
    project.write("pyproject.toml", "[tool.pytest.ini_options]\n");
    project.write("part/pyproject.toml", "[project]\nname = \"part\"\nversion = \"1\"\n");
    project
        .write("part/tests/test_two.py", "from random import random\n\ndef test_two():\n    assert random() < 0.7\n");
    let in_part = |arguments: &[&str]| {
        let output = command(&project, arguments).current_dir(project.root().join("part")).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let few = ["--runs", "100", "--pass", "0.9", "--verify-runs", "20", "--no-mutants", "-q"];
    let (code, stdout, stderr) = in_part(&[&["bounds"], &few[..]].concat());
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("part/tests/test_two.py::test_two"), "node ids are those of pytest: {stdout}");
    assert!(stdout.contains("verified   20 runs with the patch"), "{stdout}");
    let id = stdout.split("temper replay ").nth(1).unwrap().lines().next().unwrap();
    let (_, stdout, stderr) = in_part(&["replay", id]);
    assert!(stdout.contains("test_two"), "{stdout}{stderr}");
    assert!(!stderr.contains("cannot be collected"), "{stderr}");
}
