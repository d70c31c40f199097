//! Runs in the store: what a [`RunRecord`] becomes there, and the key that its values depend on.
//!
//! The store keeps numbers by site. A site's number and a field make one such number; texts go into the outcome.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use temper_source::ContentHash;
use temper_store::{Content, ContentKey, Sample, SeriesId, Store, StoreError, StoredRun};
use temper_worker::{Loaded, Subjects};

use crate::plan::sampling_plan::SamplingPlan;
use crate::sample::run_record::{Needed, ROLES, RandomUse, RunEnd, RunRecord, SiteRun};
use crate::sample::trace::{Surroundings, Trace};

/// Fields of one site: five counts, then number and bound of each role.
const FIELDS: i64 = 64;
const FIRST_ROLE: i64 = 8;
/// Where the seconds of a run are kept.
const SECS: i64 = -1;
const CPU_SECS: i64 = -2;
/// Where the use of random sources is kept; nothing stands for sources that it had not seeded.
const RANDOM: i64 = -3;
/// Their numbers there.
const RANDOM_USES: [(RandomUse, f64); 2] = [(RandomUse::Nothing, 0.0), (RandomUse::Seeded, 1.0)];

/// A run as the store keeps it.
#[must_use]
pub fn to_store(record: &RunRecord) -> StoredRun {
    let mut samples =
        vec![Sample { site: SECS, value: record.secs }, Sample { site: CPU_SECS, value: record.cpu_secs }];
    let random = RANDOM_USES.iter().find(|(used, _)| *used == record.random);
    samples.extend(random.map(|&(_, value)| Sample { site: RANDOM, value }));
    let mut outcome = match &record.end {
        RunEnd::Passed => "passed".to_owned(),
        RunEnd::Failed(said) => format!("failed {}", one_line(said)),
        RunEnd::Error(said) => format!("error {}", one_line(said)),
        RunEnd::Skipped(said) => format!("skipped {}", one_line(said)),
    };
    for (number, site) in &record.sites {
        let mut put = |field: i64, value: f64| samples.push(Sample { site: number * FIELDS + field, value });
        for (field, count) in (0..).zip([site.hits, site.failed, site.nan, site.infinite, site.unreadable]) {
            put(field, f64::from(count));
        }
        for needed in &site.needed {
            let role = ROLES.iter().position(|role| *role == needed.role).unwrap_or_default() as i64;
            put(FIRST_ROLE + 2 * role, needed.number);
            put(FIRST_ROLE + 2 * role + 1, needed.bound);
        }
        if !site.reason.is_empty() {
            outcome.push_str(&format!("\n{number} {}", one_line(&site.reason)));
        }
    }
    StoredRun { seed: record.seed, outcome, samples }
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// The run that [`to_store`] made this of; nothing if it was written by something else.
#[must_use]
pub fn from_store(run: &StoredRun) -> Option<RunRecord> {
    let mut lines = run.outcome.lines();
    let (word, said) = lines.next()?.split_once(' ').unwrap_or((run.outcome.lines().next()?, ""));
    let end = match word {
        "passed" => RunEnd::Passed,
        "failed" => RunEnd::Failed(said.to_owned()),
        "error" => RunEnd::Error(said.to_owned()),
        "skipped" => RunEnd::Skipped(said.to_owned()),
        _ => return None,
    };
    let random = RandomUse::Unseeded;
    let mut record = RunRecord { seed: run.seed, end, secs: 0.0, cpu_secs: 0.0, random, sites: BTreeMap::new() };
    for sample in &run.samples {
        match sample.site {
            SECS => record.secs = sample.value,
            CPU_SECS => record.cpu_secs = sample.value,
            RANDOM => {
                let found = RANDOM_USES.iter().find(|(_, value)| *value == sample.value);
                record.random = found.map_or(random, |(used, _)| *used);
            }
            site => {
                let site_run = record.sites.entry(site.div_euclid(FIELDS)).or_default();
                take(site_run, site.rem_euclid(FIELDS), sample.value);
            }
        }
    }
    if record.cpu_secs == 0.0 {
        // Written before processor time was kept.
        record.cpu_secs = record.secs;
    }
    for line in lines {
        let (number, reason) = line.split_once(' ')?;
        record.sites.entry(number.parse().ok()?).or_default().reason = reason.to_owned();
    }
    Some(record)
}

fn take(site: &mut SiteRun, field: i64, value: f64) {
    let count = value as u32;
    match field {
        0 => site.hits = count,
        1 => site.failed = count,
        2 => site.nan = count,
        3 => site.infinite = count,
        4 => site.unreadable = count,
        _ => {
            let role = usize::try_from((field - FIRST_ROLE) / 2).ok().and_then(|index| ROLES.get(index));
            let Some(&role) = role else { return };
            match site.needed.iter_mut().find(|needed| needed.role == role) {
                Some(needed) => needed.bound = value,
                None => site.needed.push(Needed { role, number: value, bound: f64::NAN }),
            }
        }
    }
}

/// The runs of a series.
pub(crate) fn in_series(store: &Store, series: SeriesId) -> Result<BTreeMap<u64, RunRecord>, StoreError> {
    Ok(store.runs(series)?.iter().filter_map(from_store).map(|run| (run.seed, run)).collect())
}

/// A run with the trace of what it used.
#[derive(Clone, Debug)]
pub(crate) struct TracedRun {
    pub(crate) record: RunRecord,
    pub(crate) trace: Rc<str>,
}

/// The stored runs of a content that count today, by seed: everything that they used is as it was.
#[derive(Debug, Default)]
pub(crate) struct CountedRuns {
    /// Taken on this kind of machine.
    pub(crate) here: BTreeMap<u64, TracedRun>,
    /// Taken on machines of other kinds.
    pub(crate) elsewhere: BTreeMap<u64, TracedRun>,
}

/// The stored runs of a content that count today; that they do is noted.
pub(crate) fn by_seed(store: &mut Store, key: &ContentKey, now: &Surroundings) -> Result<CountedRuns, StoreError> {
    let mut found = CountedRuns::default();
    let mut used = Vec::new();
    for (series, text) in store.series_of(key)? {
        let Some(trace) = Trace::from_text(&text).filter(|trace| now.holds(trace)) else { continue };
        now.note_trace(&trace);
        used.push(series);
        let runs = if now.is_elsewhere(&trace) { &mut found.elsewhere } else { &mut found.here };
        let trace: Rc<str> = text.into();
        for record in store.runs(series)?.iter().filter_map(from_store) {
            runs.insert(record.seed, TracedRun { record, trace: Rc::clone(&trace) });
        }
    }
    if !used.is_empty() {
        store.mark_used(&used)?;
    }
    Ok(found)
}

/// Adds runs, each to the series of its trace.
pub(crate) fn add(store: &mut Store, key: &ContentKey, subject: &str, runs: &[TracedRun]) -> Result<(), StoreError> {
    let mut by_trace: BTreeMap<&str, Vec<StoredRun>> = BTreeMap::new();
    for run in runs {
        by_trace.entry(&run.trace).or_default().push(to_store(&run.record));
    }
    for (trace, runs) in by_trace {
        let series = store.series(key, trace, subject)?;
        store.add_runs(series, &runs)?;
    }
    Ok(())
}

/// What the runs of the tests of a plan depend on.
pub struct Contents<'a> {
    plan: &'a SamplingPlan,
    root: &'a Path,
    common: Content,
    /// By path, the hashes of the files as they run.
    hashes: BTreeMap<&'a Path, ContentHash>,
}

impl Contents<'_> {
    /// What the runs of a test depend on: the files that it uses, and what all tests share.
    #[must_use]
    pub fn of(&self, test: &str) -> Content {
        let mut content = Content { subject: test.to_owned(), ..self.common.clone() };
        let used = self.plan.files_of(test);
        for (path, hash) in &self.hashes {
            if used.is_none_or(|used| used.contains(*path)) {
                let relative = path.strip_prefix(self.root).unwrap_or(path).to_path_buf();
                content.files.insert(relative, hash.0.to_le_bytes().to_vec());
            }
        }
        content
    }
}

/// What runs depend on, with the probes of the plan or as the files are.
#[must_use]
pub fn contents<'a>(
    root: &'a Path,
    loaded: &'a Loaded,
    subjects: &Subjects,
    plan: &'a SamplingPlan,
    is_probed: bool,
) -> Contents<'a> {
    let mut content = Content::default();
    let hash = |path: &Path| {
        let planned = plan.files.iter().filter(|_| is_probed).find(|planned| planned.file.path() == path);
        match planned {
            Some(planned) => ContentHash::of(&planned.probed.source),
            None => ContentHash::of(&std::fs::read(path).unwrap_or_default()),
        }
    };
    let hashes = loaded.files.iter().map(|path| (path.as_path(), hash(path))).collect();
    if let Some(versions) = &loaded.versions {
        content.interpreter = format!("{} {}", versions.implementation, versions.python);
        content.packages = versions.packages.iter().cloned().collect();
    }
    if let Subjects::Tests(arguments) = subjects {
        let options: Vec<&str> = arguments.iter().map(String::as_str).filter(|text| text.starts_with('-')).collect();
        content.options.insert("pytest".to_owned(), options.join(" "));
    }
    content.options.extend(loaded.options.iter().map(|(name, value)| (format!("pytest.{name}"), value.clone())));
    content.options.insert("temper".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    content.options.insert("is_probed".to_owned(), is_probed.to_string());
    Contents { plan, root, common: content, hashes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use temper_source::Role;

    #[test]
    fn a_run_comes_back_from_the_store_as_it_went() {
        let site = SiteRun {
            hits: 3,
            failed: 1,
            nan: 1,
            infinite: 0,
            unreadable: 2,
            reason: "the shapes\ndiffer".to_owned(),
            needed: vec![
                Needed { role: Role::Relative, number: 0.25, bound: 0.1 },
                Needed { role: Role::Margin, number: f64::NEG_INFINITY, bound: 0.0 },
            ],
        };
        let record = RunRecord {
            seed: u64::MAX,
            end: RunEnd::Error("ValueError: no (a.py:3)".to_owned()),
            secs: 0.125,
            cpu_secs: 0.0625,
            random: RandomUse::Seeded,
            sites: [(7, site), (300_002, SiteRun { hits: 1, ..SiteRun::default() })].into(),
        };
        let mut expected = record.clone();
        expected.sites.get_mut(&7).unwrap().reason = "the shapes differ".to_owned();
        assert_eq!(from_store(&to_store(&record)), Some(expected));
    }
}
