//! Any process of a running command is ended by somebody else, at any moment: nothing is left behind, the user's files are as
//! they were, and the result is that of a command that nobody disturbed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use temper_testkit::{Project, wait_for};

use crate::support::command;

const ARGUMENTS: [&str; 12] = [
    "bounds",
    "--pass",
    "0.95",
    "--runs",
    "100",
    "--verify-runs",
    "40",
    "--no-mutants",
    "-q",
    "--format",
    "json",
    "--output",
];

/// A sound, a flaky and a constant assertion, slow enough to be met at work.
fn project() -> Project {
    let project = Project::empty();
    project.write("data.txt", "0.01");
    project.write(
        "test_work.py",
        "import pathlib, random, time\n\ndef pause():\n    \
         time.sleep(float(pathlib.Path(__file__).with_name('data.txt').read_text()))\n\n\
         def test_sound():\n    pause()\n    assert random.gauss(0, 1) < 9\n\n\
         def test_flaky():\n    pause()\n    assert random.random() < 0.7\n\n\
         def test_constant():\n    pause()\n    assert 1 / 3 < 0.5\n",
    );
    project
}

/// Starts the command with an own place for temporary files.
fn start(project: &Project) -> Child {
    let scratch = scratch(project);
    fs::create_dir_all(&scratch).unwrap();
    let mut bounds = command(project, &[&ARGUMENTS[..], &["../out.json"]].concat());
    bounds.env("TMPDIR", scratch).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn scratch(project: &Project) -> PathBuf {
    project.root().parent().unwrap().join("scratch")
}

/// What the command found: all but how many runs were taken now, and how long they took.
fn found(project: &Project) -> Value {
    let text = fs::read(project.root().parent().unwrap().join("out.json")).unwrap();
    let document: Value = serde_json::from_slice(&text).unwrap();
    let stopped = &document["bounds"]["stopped"];
    let mut found = serde_json::json!([document["subjects"], document["findings"], stopped]);
    without_times(&mut found);
    found
}

fn without_times(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| name != "secs");
            members.values_mut().for_each(without_times);
        }
        Value::Array(items) => items.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// The user's files with their content.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true if entry.file_name() == ".temper" => {}
                true => open.push(entry.path()),
                false => drop(
                    files.insert(entry.path().strip_prefix(root).unwrap().to_owned(), fs::read(entry.path()).unwrap()),
                ),
            }
        }
    }
    files
}

/// All processes below one, with how far below they are.
fn below(pid: u32) -> Vec<(u32, usize)> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let Some(parent) = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok()) else {
            continue;
        };
        children.entry(parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut open = vec![(pid, 0)];
    while let Some((process, depth)) = open.pop() {
        for child in children.remove(&process).unwrap_or_default() {
            found.push((child, depth + 1));
            open.push((child, depth + 1));
        }
    }
    found
}

const VICTIMS: [&str; 5] = ["driver", "guard", "base", "layer", "sample"];

/// A process in this role, if there is one now.
fn in_role(driver: u32, role: &str, pick: u64) -> Option<u32> {
    let all = below(driver);
    let deepest = all.iter().map(|(_, depth)| *depth).max()?;
    let wanted: Vec<u32> = match role {
        "driver" => vec![driver],
        "guard" => all.iter().filter(|(_, depth)| *depth == 1).map(|(pid, _)| *pid).collect(),
        "base" => all.iter().filter(|(_, depth)| *depth == 2).map(|(pid, _)| *pid).collect(),
        "layer" => all.iter().filter(|(_, depth)| (3..deepest).contains(depth)).map(|(pid, _)| *pid).collect(),
        _ => all.iter().filter(|(_, depth)| *depth == deepest && deepest > 3).map(|(pid, _)| *pid).collect(),
    };
    wanted.get(usize::try_from(pick).unwrap() % wanted.len().max(1)).copied()
}

#[test]
fn whoever_is_killed_the_result_is_that_of_an_undisturbed_command() {
    // The full measure is 60: `make test-long`.
    let kills: u64 = std::env::var("TEMPER_KILLS").map_or(5, |text| text.parse().unwrap());
    let undisturbed = project();
    let began = Instant::now();
    start(&undisturbed).wait().unwrap();
    let (expected, whole) = (found(&undisturbed), began.elapsed());
    let mut state = 20_261_117_u64;
    let mut met = BTreeMap::new();
    let mut kill = 0;
    while kill < kills {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let role = VICTIMS[usize::try_from(kill).unwrap() % VICTIMS.len()];
        let signal = if (kill / 5) % 2 == 0 { "-KILL" } else { "-TERM" };
        let project = project();
        let files = tree(project.root());
        let mut child = start(&project);
        // A moment of the time that the whole takes; what it hits depends on the machine.
        let until = Instant::now() + whole.mul_f64((state >> 33) as f64 / 2f64.powi(31));
        let mut victim = None;
        while child.try_wait().unwrap().is_none() && (victim.is_none() || Instant::now() < until) {
            victim = in_role(child.id(), role, state >> 40).or(victim);
            // To list all processes takes a millisecond or more.
            thread::sleep(Duration::from_millis(15));
        }
        let victim = in_role(child.id(), role, state >> 40).or(victim);
        let is_met = child.try_wait().unwrap().is_none()
            && victim.is_some_and(|pid| {
                Command::new("kill").args([signal, &pid.to_string()]).output().unwrap().status.success()
            });
        kill += u64::from(is_met);
        *met.entry(format!("{role} {signal} {}", if is_met { "met" } else { "missed" })).or_insert(0) += 1;
        let status = child.wait().unwrap();
        // The guard ends what is left below it, and its folder, when the driver is gone.
        wait_for(|| fs::read_dir(scratch(&project)).unwrap().next().is_none());
        if role == "driver" || status.code() != Some(1) {
            start(&project).wait().unwrap();
        }
        assert_eq!(found(&project), expected, "{role} {signal}: {status:?}");
        assert_eq!(tree(project.root()), files, "{role} {signal}");
        assert_eq!(fs::read_dir(scratch(&project)).unwrap().count(), 0, "{role} {signal}");
    }
    println!("{kills} kills: {met:?}");
}
