//! Quantities, probabilities, thresholds and two tables, through the real program.

use std::fmt::Write;

use temper_report::{Document, without_colour};
use temper_testkit::Project;

use super::run;

/// Numbers from 0 to 1 that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}

const MODELS: &str = r#"
def price(row):
    return 10 * row[0] + 5 * row[1]


def right(rows):
    return [price(row) for row in rows]


def wrong_in_a_part(rows):
    return [price(row) + (4 if row[0] > 0.8 else 0) for row in rows]


def names(rows):
    return ["dear" for _ in rows]


class Chance:
    """The label is 1 with the chance that the first column says; `much` is added to it where the second is large."""

    classes_ = [0, 1]

    def __init__(self, much):
        self.much = much

    def predict_proba(self, rows):
        said = [min(1.0, row[0] + (self.much if row[1] > 0.7 else 0)) for row in rows]
        return [[1 - share, share] for share in said]

    def predict(self, rows):
        return [int(share[1] >= 0.5) for share in self.predict_proba(rows)]


honest = Chance(0)
boastful = Chance(0.4)


def green_is_hard(rows):
    return [int(row[1] > 0.5) if row[0] != "green" else int(row[1] > 0.9) for row in rows]
"#;

fn project() -> Project {
    let project = Project::fixture("model_mixed");
    project.write("house.py", MODELS);
    let mut random = Numbers(1);
    let mut prices = "a,b,c,price\n".to_owned();
    let mut chances = "a,b,y\n".to_owned();
    for _ in 0..900 {
        let [a, b, c] = [random.next(), random.next(), random.next()];
        let noise: f64 = (0..6).map(|_| random.next() - 0.5).sum();
        let _ = writeln!(prices, "{a:.4},{b:.4},{c:.4},{:.4}", 10.0 * a + 5.0 * b + noise);
        let _ = writeln!(chances, "{a:.4},{b:.4},{}", u8::from(random.next() < a));
    }
    project.write("prices.csv", prices);
    project.write("chances.csv", chances);
    for (name, seed, is_moved) in [("old.csv", 7, false), ("same.csv", 8, false), ("new.csv", 9, true)] {
        project.write(name, hues(seed, is_moved));
    }
    project
}

/// Rows of a hue and a number, of which some green ones are missing or become frequent.
fn hues(seed: u64, is_moved: bool) -> String {
    let mut random = Numbers(seed);
    let mut text = "id,hue,x,y\n".to_owned();
    for at in 0..700 {
        let share = if is_moved { 0.6 } else { 0.3 };
        let hue = if random.next() < share { "green" } else { "red" };
        let x = random.next();
        let _ = writeln!(text, "{},{hue},{x:.3},{}", 1000 * seed + at, u8::from(x > 0.5));
    }
    text
}

fn model(project: &Project, table: &str, model: &str, more: &[&str]) -> (i32, String, String) {
    let target = if table == "prices.csv" { "price" } else { "y" };
    let mut arguments = vec!["model", table, "--target", target, "--model", model, "-q"];
    arguments.extend(more);
    run(project, &arguments)
}

#[test]
fn a_quantity_is_judged_by_how_far_answers_are_off() {
    let project = project();
    let (code, stdout, stderr) = model(&project, "prices.csv", "house:right", &["--unseen"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("not shown to be further off than "), "{stdout}");
    for more in [&["--unseen"][..], &["--unseen", "--against", "house:right"]] {
        let (code, stdout, stderr) = model(&project, "prices.csv", "house:wrong_in_a_part", more);
        assert_eq!(code, 1, "{stdout}{stderr}");
        assert!(stdout.contains("worse: a > 0.7") || stdout.contains("worse: a > 0.8"), "{stdout}");
        assert!(stdout.contains(" there, the reference by") && stdout.contains("    model says "), "{stdout}");
        assert!(stdout.lines().all(|line| line.chars().count() <= 80), "{stdout}");
        let saved = std::fs::read_to_string(project.root().join(".temper/records/model.json")).unwrap();
        let record = Document::from_json(&saved).unwrap();
        assert_eq!(without_colour(&record.text(false)), stdout, "the saved record reads as the run did");
    }
    let (code, stdout, _) = model(&project, "prices.csv", "house:right", &[]);
    assert_eq!(code, 4, "rows that it may have been trained on cannot clear it: {stdout}");
}

#[test]
fn what_is_said_about_a_quantity_and_cannot_be_is_explained() {
    let project = project();
    let said = |name: &str, more: &[&str]| {
        let (code, stdout, stderr) = model(&project, "prices.csv", name, more);
        assert!(code == 2 || code == 3, "{code} {stdout}");
        stderr
    };
    assert!(
        said("house:names", &["--unseen"])
            .starts_with("error: the target is a quantity, and the model's answers are not\n")
    );
    let paper = said("house:right", &["--paper"]);
    assert!(paper.starts_with("error: the target column `price` looks like a quantity"), "{paper}");
    let both = said("house:right", &["--task", "regression", "--suspicions"]);
    assert!(
        both.starts_with("error: `--suspicions` is about classes, and `--task regression` about a quantity\n"),
        "{both}"
    );
    project.write("old.json", "{}");
    assert!(said("house:right", &["--against", "old.json"]).starts_with("error: `old.json` is no report"));
}

#[test]
fn probabilities_are_judged_by_what_is_the_case() {
    let project = project();
    let (code, stdout, stderr) = model(&project, "chances.csv", "house:honest", &["--unseen", "--calibration"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("its probabilities are not shown to be off by more than 2 points"), "{stdout}");
    let (code, stdout, stderr) = model(&project, "chances.csv", "house:boastful", &["--unseen", "--calibration"]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("says too much: ") && stdout.contains("b > 0.6") || stdout.contains("b > 0.7"), "{stdout}");
    let (code, _, stderr) = model(&project, "chances.csv", "house:right", &["--unseen", "--calibration"]);
    assert_eq!(code, 3);
    assert!(
        stderr.starts_with("error: the model gives no probabilities\n  some of its answers are not between 0 and 1\n"),
        "{stderr}"
    );
}

#[test]
fn a_threshold_decides_which_class_is_answered_and_replay_keeps_to_it() {
    let project = project();
    let at = |threshold: &str| model(&project, "chances.csv", "house:honest", &["--unseen", "--threshold", threshold]);
    let (code, stdout, stderr) = at("0.5");
    assert_eq!(code, 0, "{stdout}{stderr}");
    let (code, stdout, stderr) = at("0.95");
    assert_eq!(code, 1, "{stdout}{stderr}");
    let id = stdout.lines().find_map(|line| line.strip_prefix("  reproduce: temper replay ")).unwrap().to_owned();
    assert_eq!(run(&project, &["replay", &id]).0, 1);
    let (code, _, stderr) = at("1.5");
    assert_eq!((code, stderr.as_str()), (2, "error: `--threshold 1.5` is no probability from 0 to 1\n"));
}

#[test]
fn two_tables_are_compared_region_by_region() {
    let project = project();
    let (code, stdout, stderr) = run(&project, &["model", "old.csv", "same.csv"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("  rows        700 and 700;"), "{stdout}");
    assert!(stderr.contains("column `id` is not compared: it numbers the rows"), "{stderr}");
    let (code, stdout, stderr) = run(&project, &["model", "old.csv", "new.csv", "-q"]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("more frequent: hue is green") || stdout.contains("rarer: hue is red"), "{stdout}");
    assert!(stdout.ends_with("at a level of 5 %)\n"), "{stdout}");
}

#[test]
fn weak_spots_of_a_model_are_looked_up_in_the_newer_table() {
    let project = project();
    let arguments =
        ["model", "old.csv", "new.csv", "--drop", "id", "--target", "y", "--model", "house:green_is_hard", "-q"];
    let (code, stdout, stderr) = run(&project, &arguments);
    assert_eq!(code, 1, "{stdout}{stderr}");
    let spots = stdout.split("weak spots of the model, and how frequent they have become\n").nth(1);
    assert!(spots.is_some_and(|spots| spots.contains("hue is green") && spots.contains("    error ")), "{stdout}");
    let (code, _, stderr) = run(&project, &["model", "old.csv", "new.csv", "--model", "house:green_is_hard"]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("error: weak spots of a model need the column that it predicts\n"), "{stderr}");
}
