//! Reports through the real program: several forms of one run, the saved records again, and findings that are accepted.

#![expect(clippy::unwrap_used, reason = "a test that cannot run the program has failed")]

mod support;

use std::fs;

use serde_json::Value;
use support::{TEMPER, run};
use temper_testkit::Project;

const OPTIONS: [&str; 9] = ["bounds", "--pass", "0.95", "--runs", "100", "--verify-runs", "60", "--no-mutants", "-q"];

/// A repository with one flaky assertion, which a wider bound repairs.
fn flaky_project() -> Project {
    let project = Project::empty();
    project.write("pytest.ini", "");
    project
        .write("test_mean.py", "import random\n\n\ndef test_größe():\n    assert abs(random.gauss(0, 1)) < 1.5, 'ä'\n");
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "first"]);
    project
}

fn written(project: &Project, name: &str) -> String {
    fs::read_to_string(project.root().join(name)).unwrap()
}

/// The file with a SARIF fix in it.
fn fixed(source: &str, fix: &Value) -> String {
    let replacement = &fix["artifactChanges"][0]["replacements"][0];
    let number = |name: &str| usize::try_from(replacement["deletedRegion"][name].as_u64().unwrap()).unwrap();
    assert_eq!(number("startLine"), number("endLine"));
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    let line: Vec<char> = lines[number("startLine") - 1].chars().collect();
    let part = |from: usize, to: usize| line[from..to].iter().collect::<String>();
    let new = replacement["insertedContent"]["text"].as_str().unwrap();
    lines[number("startLine") - 1] =
        format!("{}{new}{}", part(0, number("startColumn") - 1), part(number("endColumn") - 1, line.len()));
    lines.join("\n") + "\n"
}

#[test]
fn one_run_writes_every_report_and_the_fix_is_the_patch() {
    let project = flaky_project();
    let reports = [
        "--report",
        "html:a.html",
        "--report",
        "sarif:a.sarif",
        "--report",
        "junit:a.xml",
        "--report",
        "gitlab:a.json",
    ];
    let (exit, text, errors) = run(&project, &[&OPTIONS[..], &reports].concat());
    assert_eq!(exit, 1, "{errors}");
    let sarif: Value = serde_json::from_str(&written(&project, "a.sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    let id = result["partialFingerprints"]["temperId/v1"].as_str().unwrap();
    assert!(text.contains(id) && written(&project, "a.html").contains(id) && written(&project, "a.xml").contains(id));
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startColumn"], 5);
    let gitlab: Value = serde_json::from_str(&written(&project, "a.json")).unwrap();
    assert_eq!(gitlab[0]["location"]["path"], "test_mean.py");

    let times: Vec<f64> = written(&project, "a.xml")
        .split("time=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect();
    assert!(times.iter().all(|secs| *secs > 0.0), "{times:?}");

    let source = written(&project, "test_mean.py");
    project.git(&["apply", &format!(".temper/patches/{id}.patch")]);
    assert_eq!(fixed(&source, &result["fixes"][0]), written(&project, "test_mean.py"));
}

#[test]
fn the_saved_records_are_shown_again_without_a_run() {
    let project = flaky_project();
    let transcript = project.run(TEMPER, &["report"]);
    assert!(transcript.contains("exit 5") && transcript.contains("there is no record of a run here"), "{transcript}");
    let (_, text, _) = run(&project, &OPTIONS);
    let transcript = project.run(TEMPER, &["report"]);
    assert!(transcript.contains(text.trim_end()), "{transcript}");
    assert!(project.run(TEMPER, &["report", "--report", "html:page.html"]).starts_with("exit 0"));
    let page = written(&project, "page.html");
    assert!(page.contains("\"history\":[{") && page.contains("revision "), "the trend and the commit");
}

#[test]
fn the_records_of_several_projects_make_one_page() {
    let project = flaky_project();
    run(&project, &OPTIONS);
    let above = project.root().parent().unwrap();
    let name = project.root().file_name().unwrap().to_str().unwrap();
    let reported =
        |arguments: &[&str]| project.command(TEMPER).current_dir(above).arg("report").args(arguments).output().unwrap();
    let output = reported(&[name, "--format", "sarif"]);
    let sarif: Value = serde_json::from_slice(&output.stdout).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    let path = format!("{name}/test_mean.py");
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], *path);
    assert_eq!(result["fixes"][0]["artifactChanges"][0]["artifactLocation"]["uri"], *path);
    assert_eq!(reported(&["no-such-project"]).status.code(), Some(2));
}

#[test]
fn an_accepted_finding_fails_nothing_until_its_day_or_until_it_is_worse() {
    let project = flaky_project();
    let (exit, _, _) = run(&project, &OPTIONS);
    assert_eq!(exit, 1);
    let record: Value = serde_json::from_str(&written(&project, ".temper/records/bounds.json")).unwrap();
    let id = record["findings"][0]["id"].as_str().unwrap().to_owned();
    let refused = project.run(TEMPER, &["accept", "B00000", "--reason", "x"]);
    assert!(refused.contains("no finding `B00000` in the records of the last runs"), "{refused}");
    let said = project.run(TEMPER, &["accept", &id, "--reason", "replaced in March", "--until", "2999-03-31"]);
    assert!(said.starts_with("exit 0"), "{said}");

    let (exit, text, _) = run(&project, &OPTIONS);
    assert_eq!(exit, 0, "{text}");
    let line = format!("accepted   flaky {id}: replaced in March, until 2999-03-31 (temper.accepted.toml)");
    assert!(text.contains(&line), "{text}");

    let file = written(&project, "temper.accepted.toml");
    project.write("temper.accepted.toml", file.replace("2999-03-31", "2020-03-31"));
    let (exit, _, errors) = run(&project, &OPTIONS[..OPTIONS.len() - 1]);
    assert_eq!(exit, 1);
    assert!(errors.contains(&format!("{id} was accepted until 2020-03-31, and counts again")), "{errors}");

    let rate = file.lines().find(|line| line.starts_with("rate")).unwrap();
    project.write("temper.accepted.toml", file.replace(rate, "rate = 0.001"));
    let (exit, _, errors) = run(&project, &OPTIONS[..OPTIONS.len() - 1]);
    assert_eq!(exit, 1);
    assert!(errors.contains("has become worse than what was accepted"), "{errors}");

    project.write("temper.accepted.toml", file.replace("reason", "raison"));
    assert_eq!(run(&project, &OPTIONS).0, 2, "a file that cannot be read accepts nothing in silence");
}

#[test]
fn a_comment_in_the_source_accepts_the_kinds_that_it_names() {
    let project = flaky_project();
    let source = written(&project, "test_mean.py");
    let with = |comment: &str| {
        project.write("test_mean.py", source.replace("1.5, 'ä'", &format!("1.5, 'ä'  # temper: {comment}")))
    };
    with("accept[flaky] a toy");
    let (exit, text, _) = run(&project, &OPTIONS);
    assert_eq!(exit, 0, "{text}");
    assert!(text.contains(": a toy (test_mean.py:5)"), "{text}");
    for comment in ["accept[crash] a toy", "accept[flaky]"] {
        with(comment);
        assert_eq!(run(&project, &OPTIONS).0, 1, "{comment}");
    }
}

#[test]
fn a_report_that_cannot_be_written_or_has_no_form_is_refused() {
    let project = Project::empty();
    project.write("test_it.py", "");
    let transcript = project.run(TEMPER, &["scan", "--report", "pdf:x"]);
    assert!(transcript.contains("setting `report` cannot be `[\"pdf:x\"]`"), "{transcript}");
    assert!(transcript.contains("as in html:report.html"), "{transcript}");
    let transcript = project.run(TEMPER, &["scan", "--report", "html:no/such/folder.html"]);
    assert!(transcript.contains("cannot write `no/such/folder.html`"), "{transcript}");
}
