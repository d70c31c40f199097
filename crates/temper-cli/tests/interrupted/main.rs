//! Work that was cut: what is known is said and kept, and what is not known is never said to be so.

#![expect(clippy::unwrap_used, reason = "a test that cannot start the program has failed")]

mod kills;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use support::{command, python, run};
use temper_testkit::{Project, wait_for};

/// A flaky and a loose bound on code of which some mutants never end: they wait for a file that nobody makes.
fn project() -> Project {
    let project = Project::empty();
    project.write(
        "noise.py",
        "import os\nimport time\n\nimport numpy as np\n\n\ndef error(n):\n    x = np.random.normal(size=n)\n    \
         while len(x) != 100 and not os.path.exists('go'):\n        time.sleep(0.01)\n    \
         return abs(np.mean(x)) + 0.1\n\n\ndef spread(n):\n    x = np.random.normal(size=n)\n    return np.std(x) + 0.0\n",
    );
    project.write(
        "test_noise.py",
        "from noise import error, spread\n\n\ndef test_error():\n    assert error(100) < 5.0\n\n\n\
         def test_spread():\n    assert spread(50) < 1.02\n",
    );
    project
}

const ARGUMENTS: [&str; 9] =
    ["bounds", "--pass", "0.95", "--runs", "100", "--verify-runs", "60", "--operators", "arithmetic,swap,argument"];

/// How many runs of mutants the store has.
fn mutant_runs(project: &Project) -> usize {
    let script = "import sqlite3, sys\n\
                  c = sqlite3.connect(f'file:{sys.argv[1]}?mode=ro', uri=True)\n\
                  print(c.execute(\"SELECT COUNT(*) FROM run JOIN series ON series = id WHERE trace = ''\").fetchone()[0])\n";
    let store = project.root().join(".temper/store.db");
    let output = Command::new(python()).args(["-c", script]).arg(store).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or(0)
}

fn signal(child: &Child, name: &str) {
    Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
}

/// Tightens until some mutants are judged, then asks twice to stop, as `timeout` does with a process and its group.
fn cut(project: &Project, more: &[&str]) -> Option<i32> {
    let mut tighten = command(project, &[&ARGUMENTS[..], &["--tighten", "-q"], more].concat());
    let child = tighten.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| mutant_runs(project) > 0);
    signal(&child, "-TERM");
    thread::sleep(Duration::from_millis(100));
    signal(&child, "-TERM");
    child.wait_with_output().unwrap().status.code()
}

#[test]
fn a_second_signal_within_a_second_still_leaves_the_results_and_never_run_mutants_are_pending() {
    let project = project();
    let code = cut(&project, &["--format", "json", "--output", "out.json", "--mutants-to", "mutants.json"]);
    assert_eq!(code, Some(130));
    let read = |name: &str| serde_json::from_slice::<Value>(&fs::read(project.root().join(name)).unwrap()).unwrap();
    let document = read("out.json");
    assert_eq!(document["bounds"]["stopped"], "interrupt", "{}", document["bounds"]);
    let mutants = read("mutants.json")["files"]["noise.py"]["mutants"].as_array().unwrap().clone();
    let count = |status: &str| mutants.iter().filter(|mutant| mutant["status"] == status).count();
    let pending = usize::try_from(document["bounds"]["mutants"]["pending"].as_u64().unwrap()).unwrap();
    assert!(pending > 0 && count("Pending") >= pending, "{pending} {mutants:?}");
    // Nothing is called loose, sound or clean before all of its mutants were judged.
    let said = document["bounds"]["sites"].to_string();
    assert!(said.contains(" judged, drawn at random"), "{said}");
    assert!(!said.contains("no mutant moves the value"), "{said}");
}

#[test]
fn a_spent_budget_says_how_many_mutants_were_judged_and_is_not_green() {
    let project = project();
    // Some thirty mutants that end at their time limit, which no machine gets through in one budget.
    let wait = "    x = np.random.normal(size=n)\n    while len(x) != 100 and not os.path.exists('go'):\n        time.sleep(0.01)\n";
    let head = "import os\nimport time\n\nimport numpy as np\n\n\ndef error(n):\n";
    project.write("noise.py", format!("{head}{}    return abs(np.mean(x)) + 0.1\n", wait.repeat(30)));
    project.write("test_noise.py", "from noise import error\n\n\ndef test_error():\n    assert error(100) < 5.0\n");
    // On a slow machine a budget may be spent before the first mutant; a longer one is not.
    for secs in [6, 12, 24, 48, 96, 192] {
        let budget = format!("{secs}s");
        let tighten = [&ARGUMENTS[..], &["--tighten", "--budget", &budget, "test_noise.py::test_error"]].concat();
        let (code, text, said) = run(&project, &tighten);
        if text.contains("mutants judged") {
            assert_eq!(code, 4, "{text}{said}");
            assert!(text.contains("whether it is loose is not known: "), "{text}");
            assert!(text.contains(" mutants were judged"), "{text}");
            assert!(text.contains("1 undecided") && !text.contains("sound"), "{text}");
            assert!(!text.contains("loose  B") && !text.contains("no mutant moves"), "{text}");
            return;
        }
    }
    panic!("no call got to the mutants");
}

#[test]
fn a_verified_proposal_is_not_replaced_by_one_that_was_not_tried() {
    let project = project();
    let (_, text, said) = run(&project, &[&ARGUMENTS[..], &["--no-mutants", "test_noise.py::test_spread"]].concat());
    assert!(text.contains("verified   60 runs with the patch"), "{text}{said}");
    let id = text.split("flaky  ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    assert_eq!(cut(&project, &[]), Some(130));
    let (code, _, said) = run(&project, &["apply", &id]);
    assert_eq!(code, 0, "{said}");
    assert!(!fs::read_to_string(project.root().join("test_noise.py")).unwrap().contains("< 1.02\n"));
}
