//! A fixed seed. Of nine that are tried, the one whose value is the median is taken: the luckiest would hide how near the value
//! mostly is to its bound.

use temper_source::seed_body;

use crate::propose::proposal::{KnownOfRemedy, RemedyKind};
use crate::propose::rewrite;
use crate::propose::verify::FreshRuns;
use crate::propose::written_body::{FoundRemedy, RemedySite, WrittenBody};
use crate::sample::run_record::{RunEnd, RunRecord};
use crate::sample::scheduler::{BoundsResult, Job};

/// The seeds that are tried; an odd number has a middle.
const SEEDS: std::ops::RangeInclusive<u32> = 1..=9;
/// Runs with each: two tell whether the seed fixes the value.
pub(super) const RUNS: usize = 2;

/// The bodies with each of the seeds.
pub(super) fn written(job: &Job<'_>, found: &BoundsResult, site: RemedySite<'_>) -> Result<Vec<WrittenBody>, String> {
    let (planned, test) = site.source(found)?;
    if !site.row.test.replaced.is_empty() {
        return Err("the test has a fixed seed, and others show what it hides".to_owned());
    }
    let path = planned.file.path();
    let path = path.strip_prefix(&job.root).unwrap_or(path).display().to_string();
    let body = |seed: u32| {
        let edits = seed_body(&planned.file, &planned.analysis, test, seed).map_err(|why| why.to_string())?;
        let old = edits.old.clone();
        let draft = rewrite::body(planned, &site.row.result.series, edits).map_err(|why| why.to_string())?;
        Ok(WrittenBody { draft, old, path: path.clone() })
    };
    SEEDS.map(body).collect()
}

/// The body with the median value, if each seed gave one value, and if that value and the median of all samples are inside
/// the bound.
pub(super) fn middle(
    site: RemedySite<'_>,
    written: Vec<WrittenBody>,
    runs: &[FreshRuns],
) -> Result<FoundRemedy, String> {
    let series = &site.row.result.series;
    let values: Option<Vec<f64>> = runs.iter().map(|fresh| value(site, fresh)).collect();
    let unfixed = "two runs with one seed gave different values, so a seed in the test does not fix it";
    let values = values.filter(|values| values.len() == written.len()).ok_or(unfixed)?;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let middle = order[order.len() / 2];
    let (seeds, value) = (values.len(), values[middle]);
    let median = series.samples().ok().and_then(|samples| samples.quantile(0.5));
    if !series.is_inside(value) || median.is_some_and(|median| !series.is_inside(median)) {
        return Err("a value in the middle of the distribution fails the assertion".to_owned());
    }
    let body = written.into_iter().nth(middle).ok_or(unfixed)?;
    Ok(body.found(site, RemedyKind::Seed, 1.0, KnownOfRemedy::MiddleSeed { seeds, value }))
}

/// Whether a seed does not fix the value, so that no other need be tried.
pub(super) fn is_unfixed(site: RemedySite<'_>, fresh: &FreshRuns) -> bool {
    value(site, fresh).is_none()
}

/// The one value that all runs gave; nothing if they differ, or one ended before it.
fn value(site: RemedySite<'_>, fresh: &FreshRuns) -> Option<f64> {
    let (series, number) = (&site.row.result.series, site.row.result.number);
    let of_run = |run: &RunRecord| {
        let needed = run.sites.get(&number)?.needed.iter().find(|needed| needed.role == series.role)?;
        let value = if series.is_margin { needed.number - needed.bound } else { needed.number };
        (run.end == RunEnd::Passed).then_some(value)
    };
    let values: Option<Vec<f64>> = fresh.by_test.values().flatten().map(of_run).collect();
    let values = values.filter(|values| fresh.is_whole() && values.windows(2).all(|pair| pair[0] == pair[1]))?;
    values.first().copied()
}
