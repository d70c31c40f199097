//! A mean over several repetitions: how many, the samples at hand tell, because the mean of a few of them drawn at random is what
//! the rewritten test would compare.

use temper_source::{Form, repeat_body};
use temper_stats::random::Random;

use crate::propose::proposal::{KnownOfRemedy, RemedyKind};
use crate::propose::rewrite;
use crate::propose::verify::FreshRuns;
use crate::propose::written_body::{FoundRemedy, RemedySite, WrittenBody};
use crate::sample::run_record::RunEnd;
use crate::sample::scheduler::{BoundsResult, Job};
use crate::sample::site_samples::SiteSamples;

/// Numbers of repetitions, the cheapest first. Beyond them a larger bound or size is the better answer.
const ROUNDS: [u32; 4] = [3, 5, 10, 20];
/// Means that are drawn for each: a share of one in a thousand is then 20 of them.
const RESAMPLES: usize = 20_000;

/// Runs that tell whether the statements can be repeated at all: what one round leaves behind may stop the next.
pub(super) const RUNS: usize = 5;

/// The body with the smallest number of repetitions whose mean fails as rarely as is asked.
pub(super) fn written(job: &Job<'_>, found: &BoundsResult, site: RemedySite<'_>) -> Result<Vec<WrittenBody>, String> {
    let (planned, test) = site.source(found)?;
    let row = site.row;
    if !std::ptr::eq(planned, row.planned) {
        return Err("the assertion stands in another file than the test".to_owned());
    }
    let body = |rounds: u32| repeat_body(&planned.file, &planned.analysis, test, row.site, rounds);
    body(ROUNDS[0]).map_err(|why| why.to_string())?;
    let edits = body(needed(job, site)?.0).map_err(|why| why.to_string())?;
    let old = edits.old.clone();
    let draft = rewrite::body(planned, &row.result.series, edits).map_err(|why| why.to_string())?;
    Ok(vec![WrittenBody { draft, old, path: row.path.clone() }])
}

/// The body, if all runs with it came to their end.
pub(super) fn repeatable(
    job: &Job<'_>,
    site: RemedySite<'_>,
    written: Vec<WrittenBody>,
    runs: &[FreshRuns],
) -> Result<FoundRemedy, String> {
    let (rounds, failing) = needed(job, site)?;
    for run in runs.iter().flat_map(|fresh| fresh.by_test.values()).flatten() {
        if let RunEnd::Failed(said) | RunEnd::Error(said) = &run.end {
            return Err(format!("the statements before the assertion cannot be repeated: {said}"));
        }
    }
    let body = written.into_iter().next().ok_or("there is no body to repeat")?;
    let is_limit = site.row.site.form == Form::Approx;
    Ok(body.found(site, RemedyKind::Mean, f64::from(rounds), KnownOfRemedy::Resampled { failing, is_limit }))
}

/// How many repetitions are needed, and the share of their means that fails.
fn needed(job: &Job<'_>, site: RemedySite<'_>) -> Result<(u32, f64), String> {
    let series = &site.row.result.series;
    if series.is_margin || series.numbers.len() < series.reached {
        return Err("not every run gave a number that is compared with a fixed bound".to_owned());
    }
    let most = site.rules.pass.complement();
    let mut last = (0, 1.0);
    for rounds in ROUNDS {
        last = (rounds, failing_means(series, rounds, job.seed));
        if last.1 <= most {
            return Ok(last);
        }
    }
    let (rounds, failing) = (last.0, temper_report::short(100.0 * last.1));
    Err(format!("{failing} % of means over {rounds} repetitions would still fail, by resampling"))
}

/// The share of means over `rounds` values, drawn from the samples, that lie beyond the bound.
fn failing_means(series: &SiteSamples, rounds: u32, seed: u64) -> f64 {
    let values = &series.numbers;
    if values.is_empty() {
        return 1.0;
    }
    let mut random = Random::new(seed ^ u64::from(rounds));
    let mean =
        |random: &mut Random| (0..rounds).map(|_| values[random.index(values.len())]).sum::<f64>() / f64::from(rounds);
    let failing = (0..RESAMPLES).filter(|_| !series.is_inside(mean(&mut random))).count();
    failing as f64 / RESAMPLES as f64
}

#[cfg(test)]
mod tests {
    use temper_stats::Direction;

    use super::*;

    #[test]
    fn means_of_more_values_fail_less_often() {
        // One value in ten is 10, the others are 0: a mean over k fails if at least 0.35 k of them are 10.
        let values: Vec<f64> = (0..200).map(|index| if index % 10 == 0 { 10.0 } else { 0.0 }).collect();
        let series = SiteSamples::of_values(Direction::Upper, true, 3.5, &values);
        let shares = ROUNDS.map(|rounds| failing_means(&series, rounds, 7));
        // Two or more of 3: 0.028; two or more of 5: 0.0815; four or more of 10: 0.0128; seven or more of 20: 0.0024. Five
        // standard errors of 20,000 draws are at most 0.01.
        let exact = [0.028, 0.0815, 0.0128, 0.0024];
        for (share, exact) in shares.iter().zip(exact) {
            assert!((share - exact).abs() < 0.01, "{shares:?}");
        }
        let beyond = SiteSamples::of_values(Direction::Lower, true, 3.5, &values);
        assert!(failing_means(&beyond, 20, 7) > 0.99);
    }
}
