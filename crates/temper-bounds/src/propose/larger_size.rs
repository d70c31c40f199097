//! More samples or steps: a whole number in the test is made larger, and a short trial tells whether the value's spread shrinks
//! with it.

use temper_source::size_literals;
use temper_stats::Samples;

use crate::propose::proposal::{KnownOfRemedy, RemedyKind};
use crate::propose::rewrite;
use crate::propose::verify::FreshRuns;
use crate::propose::written_body::{FoundRemedy, RemedySite, WrittenBody};
use crate::sample::run_record::{RunEnd, RunRecord};
use crate::sample::scheduler::{BoundsResult, Job};
use crate::sample::site_samples::SiteSamples;

/// Four times the samples halve the spread of a mean.
pub(super) const FACTOR: u64 = 4;
/// Runs of a trial: enough to tell half the spread from the whole. The quartiles of 40 values lie within a quarter of their
/// distance in two of three cases.
pub(super) const RUNS: usize = 40;
/// Numbers that are tried at most: those without the name of a size are rarely one.
const MOST: usize = 3;
/// The spread must shrink to this share: three quarters is half way to what [`FACTOR`] does to a mean.
const SHRUNK: f64 = 0.75;
/// A spread of this share or less is what [`FACTOR`] can be expected to do: no other number need be tried.
const CLEAR: f64 = 0.6;

/// The bodies that are worth a trial.
pub(super) fn written(job: &Job<'_>, found: &BoundsResult, site: RemedySite<'_>) -> Result<Vec<WrittenBody>, String> {
    let (planned, test) = site.source(found)?;
    let literals = size_literals(&planned.file, &planned.analysis.sites, test).map_err(|error| error.to_string())?;
    let path = planned.file.path();
    let path = path.strip_prefix(&job.root).unwrap_or(path).display().to_string();
    let bodies = literals.iter().filter_map(|literal| {
        let edits = literal.enlarged(&planned.file, FACTOR)?;
        let old = edits.old.clone();
        let draft = rewrite::body(planned, &site.row.result.series, edits).ok()?;
        Some(WrittenBody { draft, old, path: path.clone() })
    });
    let bodies: Vec<WrittenBody> = bodies.take(MOST).collect();
    if bodies.is_empty() {
        return Err("no whole number in the test's body looks like a number of samples or steps".to_owned());
    }
    Ok(bodies)
}

/// The body whose trial has the least spread, if that is clearly less than before and fewer runs fail.
pub(super) fn best(site: RemedySite<'_>, written: Vec<WrittenBody>, runs: &[FreshRuns]) -> Result<FoundRemedy, String> {
    let series = &site.row.result.series;
    let before = spread(series, &series.numbers).filter(|spread| *spread > 0.0);
    let before = before.ok_or("half of all values are the same, or fail")?;
    let share = failing_before(site);
    let mut best: Option<(WrittenBody, Trial)> = None;
    let mut tried = Vec::new();
    for (body, runs) in written.into_iter().zip(runs) {
        let Some(trial) = Trial::read(site, runs, before) else {
            tried.push(format!("with `{}` the test raises, or half of its runs fail", body.draft.text));
            continue;
        };
        let Trial { runs: of, failures, spread, .. } = trial;
        let text = &body.draft.text;
        tried.push(format!("with `{text}` the spread is {:.0} % and {failures} of {of} runs failed", 100.0 * spread));
        let is_better = best.as_ref().is_none_or(|(_, other)| trial.spread < other.spread);
        if trial.spread <= SHRUNK && trial.failing() <= share && is_better {
            best = Some((body, trial));
        }
    }
    let Some((body, trial)) = best else {
        return Err(tried.join("; "));
    };
    let Trial { runs, failures, spread, times } = trial;
    Ok(body.found(site, RemedyKind::Size, times, KnownOfRemedy::Trial { runs, failures, spread }))
}

/// Whether a trial shows so clear an effect that no other number need be tried.
pub(super) fn is_clear(site: RemedySite<'_>, fresh: &FreshRuns) -> bool {
    let series = &site.row.result.series;
    let trial = spread(series, &series.numbers).and_then(|before| Trial::read(site, fresh, before));
    trial.is_some_and(|trial| trial.spread <= CLEAR && trial.failing() <= failing_before(site))
}

/// The share of runs that failed without the remedy.
fn failing_before(site: RemedySite<'_>) -> f64 {
    let series = &site.row.result.series;
    series.failures as f64 / series.reached.max(1) as f64
}

/// What a short trial showed.
struct Trial {
    runs: usize,
    failures: usize,
    spread: f64,
    times: f64,
}

impl Trial {
    fn read(site: RemedySite<'_>, fresh: &FreshRuns, before: f64) -> Option<Self> {
        let (series, number) = (&site.row.result.series, site.row.result.number);
        let runs: Vec<&RunRecord> = fresh.by_test.values().flatten().collect();
        let of_site = |run: &&&RunRecord| run.sites.contains_key(&number) && run.end == RunEnd::Passed;
        let reached: Vec<&RunRecord> = runs.iter().filter(of_site).copied().collect();
        // A size that makes the test raise is none.
        if !fresh.is_whole() || reached.len() < runs.len() {
            return None;
        }
        let failures = reached.iter().filter(|run| run.sites.get(&number).is_some_and(|site| site.failed > 0)).count();
        let value = |run: &&RunRecord| {
            let needed = run.sites.get(&number)?.needed.iter().find(|needed| needed.role == series.role)?;
            Some(if series.is_margin { needed.number - needed.bound } else { needed.number })
        };
        let values: Vec<f64> = reached.iter().filter_map(value).filter(|value| value.is_finite()).collect();
        let mut secs: Vec<f64> = reached.iter().map(|run| run.secs).collect();
        secs.sort_unstable_by(f64::total_cmp);
        let usual = secs.get(secs.len() / 2).copied().unwrap_or_default();
        let times = (usual / site.row.test.secs.max(f64::MIN_POSITIVE)).max(1.0);
        Some(Self { runs: runs.len(), failures, spread: spread(series, &values)? / before, times })
    }

    fn failing(&self) -> f64 {
        self.failures as f64 / self.runs.max(1) as f64
    }
}

/// The distance between the quartiles over that of the median from the bound: a sum spreads more as it grows, and still moves away
/// from its bound. Nothing where the median fails.
fn spread(series: &SiteSamples, values: &[f64]) -> Option<f64> {
    let samples = Samples::new(values).ok()?;
    let room = series.direction.oriented(series.bound) - series.direction.oriented(samples.quantile(0.5)?);
    (room > 0.0).then_some((samples.quantile(0.75)? - samples.quantile(0.25)?) / room)
}

#[cfg(test)]
mod tests {
    use temper_stats::Direction;

    use super::*;

    #[test]
    fn spread_is_relative_to_the_room_below_the_bound() {
        let values: Vec<f64> = (0..=100).map(|index| f64::from(index) / 100.0).collect();
        let of = |direction, bound| {
            let series = SiteSamples::of_values(direction, true, bound, &values);
            spread(&series, &series.numbers)
        };
        assert_eq!(of(Direction::Upper, 1.5), Some(0.5));
        assert_eq!(of(Direction::Lower, 0.0), Some(1.0));
        assert_eq!(of(Direction::Upper, 0.5), None);
    }
}
