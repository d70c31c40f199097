//! Runs that machines of other kinds took. Another processor rounds otherwise, so equal seeds need not give equal numbers;
//! whether they give equal distributions is tested before such runs count.

use std::collections::{BTreeMap, BTreeSet};

use temper_stats::smirnov;

use crate::sample::run_record::RunRecord;
use crate::sample::sample_store::TracedRun;
use crate::sample::trace::Trace;

/// Runs are set aside if their values would differ this much or more by luck in one case of a hundred, over all sites.
pub(crate) const LEVEL: f64 = 0.01;

/// Runs of other kinds of machines, by index.
#[derive(Debug, Default)]
pub(crate) struct RunsElsewhere {
    runs: BTreeMap<usize, RunRecord>,
    machines: BTreeSet<String>,
}

/// What became of the runs of other kinds of machines.
#[derive(Clone, Debug, PartialEq)]
pub struct Pooling {
    /// Runs that stand in for runs here, or that were set aside.
    pub runs: usize,
    /// The kinds of machines.
    pub machines: Vec<String>,
    /// The smallest p-value over the sites, corrected for their number; one if there was nothing to compare.
    pub p: f64,
    /// Whether they count.
    pub is_counted: bool,
}

impl RunsElsewhere {
    /// From stored runs by seed; `seeds` are those of the run indices.
    pub(crate) fn new(stored: BTreeMap<u64, TracedRun>, seeds: impl Iterator<Item = u64>) -> Self {
        let mut found = Self::default();
        for (index, seed) in seeds.enumerate() {
            let Some(run) = stored.get(&seed) else { continue };
            let machine = Trace::from_text(&run.trace).and_then(|trace| trace.machine().map(str::to_owned));
            found.machines.extend(machine);
            found.runs.insert(index, run.record.clone());
        }
        found
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Compares them with the runs taken here, site by site; `numbers_of` gives the samples of a site in some runs.
    pub(crate) fn compare(
        &self,
        here: &[&RunRecord],
        numbers_of: impl Fn(i64, &[&RunRecord]) -> Option<Vec<f64>>,
    ) -> Pooling {
        let there: Vec<&RunRecord> = self.runs.values().collect();
        let p = difference(here, &there, &numbers_of);
        let machines = self.machines.iter().cloned().collect();
        Pooling { runs: self.runs.len(), machines, p, is_counted: p >= LEVEL }
    }

    /// Puts them where no run is; how many had a place.
    pub(crate) fn fill(self, runs: &mut [Option<RunRecord>]) -> usize {
        let mut filled = 0;
        for (index, run) in self.runs {
            if let Some(place @ None) = runs.get_mut(index) {
                *place = Some(run);
                filled += 1;
            }
        }
        filled
    }
}

/// How likely values that differ as much as those of two groups of runs are if nothing but luck is between them: the smallest
/// p-value over the sites, corrected for their number.
pub(crate) fn difference(
    here: &[&RunRecord],
    there: &[&RunRecord],
    numbers_of: &impl Fn(i64, &[&RunRecord]) -> Option<Vec<f64>>,
) -> f64 {
    let sites: BTreeSet<i64> = here.iter().flat_map(|run| run.sites.range(0..).map(|(number, _)| *number)).collect();
    let p = |number: i64| {
        let (ours, theirs) = (numbers_of(number, here)?, numbers_of(number, there)?);
        smirnov::exact(&ours, &theirs).ok().map(|found| found.p)
    };
    let smallest = sites.iter().filter_map(|&number| p(number)).fold(1.0, f64::min);
    (smallest * sites.len().max(1) as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::run_record::{Needed, RandomUse, RunEnd, SiteRun};
    use temper_source::Role;

    fn run(seed: u64, number: f64) -> RunRecord {
        let needed = vec![Needed { role: Role::Margin, number, bound: 1.0 }];
        let site = SiteRun { hits: 1, needed, ..SiteRun::default() };
        RunRecord {
            seed,
            end: RunEnd::Passed,
            secs: 0.0,
            cpu_secs: 0.0,
            random: RandomUse::Unseeded,
            sites: [(3, site)].into(),
        }
    }

    fn numbers(_: i64, runs: &[&RunRecord]) -> Option<Vec<f64>> {
        Some(runs.iter().map(|run| run.sites[&3].needed[0].number).collect())
    }

    fn elsewhere(value: impl Fn(u64) -> f64) -> RunsElsewhere {
        let traced = |seed: u64| TracedRun { record: run(seed, value(seed)), trace: "- machine Other 9000\n".into() };
        RunsElsewhere::new((0..60).map(|seed| (seed, traced(seed))).collect(), 0..60)
    }

    #[test]
    fn runs_that_look_alike_count_and_fill_the_holes() {
        let value = |seed: u64| (seed * 37 % 60) as f64;
        let here: Vec<RunRecord> = (0..30).map(|seed| run(seed, value(seed))).collect();
        let others = elsewhere(|seed| value(seed) + 1e-12);
        let pooling = others.compare(&here.iter().collect::<Vec<_>>(), numbers);
        assert!(pooling.is_counted && pooling.runs == 60, "{pooling:?}");
        assert_eq!(pooling.machines, ["Other 9000"]);
        let mut runs: Vec<Option<RunRecord>> = here.iter().cloned().map(Some).collect();
        runs.resize(50, None);
        assert_eq!(others.fill(&mut runs), 20);
        assert!(runs.iter().all(Option::is_some));
        assert_eq!(runs[0].as_ref(), Some(&here[0]), "what was taken here stays");
    }

    #[test]
    fn runs_with_other_values_are_set_aside() {
        let here: Vec<RunRecord> = (0..30).map(|seed| run(seed, seed as f64)).collect();
        let pooling = elsewhere(|seed| 25.0 + seed as f64).compare(&here.iter().collect::<Vec<_>>(), numbers);
        assert!(!pooling.is_counted && pooling.p < 1e-4, "{pooling:?}");
    }
}
