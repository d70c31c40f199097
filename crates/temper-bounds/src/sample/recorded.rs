//! Runs that ordinary test runs have recorded (`pytest --temper-record`), and which of them count for a test.
//!
//! They are evidence of their own kind: nobody chose their seeds, and the code changed while they were collected. Runs of one
//! state of the code belong together. Those of an earlier state count too if their values look alike; where they do not, the
//! values have drifted, and the earlier runs are set aside.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::Seeds;
use crate::sample::pooling::{LEVEL, difference};
use crate::sample::run_record::{Needed, RandomUse, RunEnd, RunRecord, SiteRun, role_named};

/// The folder in `.temper/`.
pub const FOLDER: &str = "recorded";
/// The form of the files that is read here.
const FORMAT: u32 = 1;

/// What ran, and where: the first line of a file.
#[derive(Debug, Deserialize)]
struct Session {
    temper_record: u32,
    python: String,
    commit: String,
    at: f64,
    seeds: Seeds,
    files: BTreeMap<PathBuf, String>,
    packages: BTreeMap<String, String>,
}

/// One test of a session: a further line.
#[derive(Debug, Deserialize)]
struct RecordedTest {
    test: String,
    end: String,
    said: String,
    secs: f64,
    cpu_secs: f64,
    sites: BTreeMap<String, RecordedSite>,
}

/// Counts, the reason, and the worst numbers by role, each with its bound.
#[derive(Debug, Deserialize)]
struct RecordedSite(u32, u32, u32, u32, u32, String, Vec<(String, String, String)>);

/// One run of one test.
#[derive(Debug, Clone)]
struct RecordedRun {
    record: RunRecord,
    session: Rc<Session>,
}

/// All runs that a project has recorded.
#[derive(Debug, Default)]
pub struct RecordedRuns {
    by_test: BTreeMap<String, Vec<RecordedRun>>,
    digests: std::cell::RefCell<BTreeMap<PathBuf, String>>,
}

/// The recorded runs that count for a test, and what became of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedEvidence {
    /// Runs that count.
    pub runs: usize,
    /// The revisions that they are of, the oldest first; none outside of a repository.
    pub commits: Vec<String>,
    /// Runs of files whose assertions have changed since.
    pub outdated: usize,
    /// Earlier runs whose values differ.
    pub drift: Option<Drift>,
}

/// Values that changed when the code did.
#[derive(Clone, Debug, PartialEq)]
pub struct Drift {
    /// The first revision with the values of today.
    pub since: String,
    /// Earlier runs that are set aside.
    pub runs: usize,
    /// How likely values that differ as much are if nothing changed.
    pub p: f64,
}

impl RecordedRuns {
    /// Reads what a project has recorded. Lines that cannot be read, as the last one of a killed process, are passed over.
    #[must_use]
    pub fn read(state: &Path) -> Self {
        let mut found = Self::default();
        let entries = fs::read_dir(state.join(FOLDER)).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl")) {
            found.add(&fs::read_to_string(path).unwrap_or_default());
        }
        for runs in found.by_test.values_mut() {
            runs.sort_by(|a, b| a.session.at.total_cmp(&b.session.at));
        }
        found
    }

    fn add(&mut self, text: &str) {
        let mut lines = text.lines();
        let session = lines.next().and_then(|line| serde_json::from_str::<Session>(line).ok());
        let Some(session) = session.filter(|session| session.temper_record == FORMAT).map(Rc::new) else { return };
        for test in lines.filter_map(|line| serde_json::from_str::<RecordedTest>(line).ok()) {
            let Some(record) = record(&test) else { continue };
            self.by_test.entry(test.test).or_default().push(RecordedRun { record, session: Rc::clone(&session) });
        }
    }

    /// The runs that count for a test. `used` are the files that it depends on, `asserting` those of them that hold its
    /// assertions; `numbers_of` gives the samples of a site in some runs.
    pub(crate) fn of(
        &self,
        test: &str,
        seeds: Seeds,
        root: &Path,
        (used, asserting): (Option<&BTreeSet<PathBuf>>, &BTreeSet<PathBuf>),
        numbers_of: impl Fn(i64, &[&RunRecord]) -> Option<Vec<f64>>,
    ) -> Option<(Vec<RunRecord>, RecordedEvidence)> {
        let runs = self.by_test.get(test)?.iter().filter(|run| run.session.seeds == seeds);
        // Sites are known by their place in the file: in another text they are others.
        let is_current =
            |run: &&RecordedRun| asserting.iter().all(|path| self.is_as_recorded(root, path, &run.session));
        let (current, outdated): (Vec<&RecordedRun>, Vec<&RecordedRun>) = runs.partition(is_current);
        let state = |run: &RecordedRun| code_state(&run.session, root, used);
        let mut counted: Vec<&RecordedRun> = Vec::new();
        let mut drift = None;
        // The newest state first, and back from there as long as the values agree.
        let mut states: Vec<(Vec<u8>, Vec<&RecordedRun>)> = Vec::new();
        for run in &current {
            let of_run = state(run);
            match states.iter_mut().find(|(state, _)| *state == of_run) {
                Some((_, runs)) => runs.push(run),
                None => states.push((of_run, vec![run])),
            }
        }
        while let Some((_, earlier)) = states.pop() {
            fn records<'r>(runs: &[&'r RecordedRun]) -> Vec<&'r RunRecord> {
                runs.iter().map(|run| &run.record).collect()
            }
            let (now, before) = (records(&counted), records(&earlier));
            let p = if now.is_empty() { 1.0 } else { difference(&now, &before, &numbers_of) };
            if p < LEVEL {
                let set_aside = earlier.len() + states.iter().map(|(_, runs)| runs.len()).sum::<usize>();
                let since = counted.first().map(|run| short(&run.session.commit)).unwrap_or_default();
                drift = Some(Drift { since, runs: set_aside, p });
                break;
            }
            counted.splice(0..0, earlier);
        }
        let mut commits: Vec<String> = counted.iter().map(|run| short(&run.session.commit)).collect();
        commits.retain(|commit| !commit.is_empty());
        commits.dedup();
        let runs: Vec<RunRecord> =
            (0..).zip(&counted).map(|(seed, run)| RunRecord { seed, ..run.record.clone() }).collect();
        let evidence = RecordedEvidence { runs: runs.len(), commits, outdated: outdated.len(), drift };
        Some((runs, evidence))
    }

    fn is_as_recorded(&self, root: &Path, path: &Path, session: &Session) -> bool {
        let Ok(relative) = path.strip_prefix(root) else { return false };
        let mut digests = self.digests.borrow_mut();
        let today = digests.entry(path.to_path_buf()).or_insert_with(|| hex(&fs::read(path).unwrap_or_default()));
        // A file that holds assertions of other tests may not have been loaded.
        session.files.get(relative).is_none_or(|recorded| recorded == today)
    }
}

/// What the runs of a test depend on, as far as a session tells.
fn code_state(session: &Session, root: &Path, used: Option<&BTreeSet<PathBuf>>) -> Vec<u8> {
    let mut whole = Sha256::new();
    let is_used = |path: &&PathBuf| used.is_none_or(|used| used.contains(&root.join(path)));
    for path in session.files.keys().filter(is_used) {
        whole.update(path.as_os_str().as_encoded_bytes());
        whole.update(&session.files[path]);
    }
    whole.update(&session.python);
    for (name, version) in &session.packages {
        whole.update(format!("{name}={version}\n"));
    }
    whole.finalize().to_vec()
}

fn record(test: &RecordedTest) -> Option<RunRecord> {
    let end = match test.end.as_str() {
        "passed" => RunEnd::Passed,
        "failed" => RunEnd::Failed(test.said.clone()),
        "error" => RunEnd::Error(test.said.clone()),
        "skipped" => RunEnd::Skipped(test.said.clone()),
        _ => return None,
    };
    let mut sites = BTreeMap::new();
    for (number, RecordedSite(hits, failed, nan, infinite, unreadable, reason, worst)) in &test.sites {
        let needed = worst.iter().filter_map(|(role, number, bound)| {
            Some(Needed { role: role_named(role)?, number: number.parse().ok()?, bound: bound.parse().ok()? })
        });
        let site = SiteRun {
            hits: *hits,
            failed: *failed,
            nan: *nan,
            infinite: *infinite,
            unreadable: *unreadable,
            reason: reason.clone(),
            needed: needed.collect(),
        };
        sites.insert(number.parse().ok()?, site);
    }
    let (secs, cpu_secs) = (test.secs, test.cpu_secs);
    Some(RunRecord { seed: 0, end, secs, cpu_secs, random: RandomUse::Unseeded, sites })
}

fn short(commit: &str) -> String {
    commit.chars().take(7).collect()
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(commit: &str, at: f64, code: &str) -> String {
        format!(
            r#"{{"temper_record":1,"temper":"0","python":"cpython 3.11","machine":"m","commit":"{commit}","at":{at},"seeds":"keep","files":{{"code.py":"{code}"}},"packages":{{}}}}"#
        )
    }

    fn line(value: f64) -> String {
        format!(
            r#"{{"test":"t.py::test","end":"passed","said":"","secs":0.1,"cpu_secs":0.1,"sites":{{"3":[1,0,0,0,0,"",[["value","{value:?}","inf"]]]}}}}"#
        )
    }

    fn numbers(_: i64, runs: &[&RunRecord]) -> Option<Vec<f64>> {
        Some(runs.iter().map(|run| run.sites[&3].needed[0].number).collect())
    }

    fn evidence(files: &[String]) -> RecordedEvidence {
        let mut recorded = RecordedRuns::default();
        files.iter().for_each(|text| recorded.add(text));
        let used = (None, &BTreeSet::new());
        recorded.of("t.py::test", Seeds::Keep, Path::new("/p"), used, numbers).unwrap().1
    }

    fn file(commit: &str, at: f64, code: &str, shift: f64) -> String {
        let values = (0..40).map(|run| line(f64::from(run * 7 % 40) + shift));
        [session(commit, at, code)].into_iter().chain(values).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn runs_of_one_state_and_of_earlier_ones_that_look_alike_count() {
        let found = evidence(&[file("aaaaaaaaa", 1.0, "old", 0.5), file("bbbbbbbbb", 2.0, "new", 0.0)]);
        assert_eq!((found.runs, found.drift), (80, None));
        assert_eq!(found.commits, ["aaaaaaa", "bbbbbbb"]);
    }

    #[test]
    fn values_that_changed_with_the_code_are_drift() {
        let files = [file("a", 1.0, "oldest", 90.0), file("b", 2.0, "old", 90.0), file("c", 3.0, "new", 0.0)];
        let found = evidence(&files);
        assert_eq!((found.runs, found.commits.as_slice()), (40, &["c".to_owned()][..]));
        let drift = found.drift.unwrap();
        assert_eq!((drift.since.as_str(), drift.runs), ("c", 80));
        assert!(drift.p < 1e-6);
    }

    #[test]
    fn half_a_line_and_another_form_are_passed_over() {
        let cut = file("a", 1.0, "code", 0.0) + "\n{\"test\":\"t.py::te";
        assert_eq!(evidence(&[cut]).runs, 40);
        let other = file("a", 1.0, "code", 0.0).replace("\"temper_record\":1", "\"temper_record\":9");
        let mut recorded = RecordedRuns::default();
        recorded.add(&other);
        assert!(recorded.by_test.is_empty());
    }
}
