//! A mean over several repetitions: how many, the samples at hand tell, because the mean of a few of them drawn at random is what
//! the rewritten test would compare.

use temper_source::repeat_body;
use temper_stats::random::Random;

use super::other_remedies::{FoundRemedy, RemedySite, WrittenBody};
use crate::propose::proposal::{KnownOfRemedy, RemedyKind};
use crate::propose::rewrite;
use crate::sample::scheduler::{BoundsResult, Job};
use crate::sample::site_samples::SiteSamples;

/// Numbers of repetitions, the cheapest first. Beyond them a larger bound or size is the better answer.
const ROUNDS: [u32; 4] = [3, 5, 10, 20];
/// Means that are drawn for each: a share of one in a thousand is then 20 of them.
const RESAMPLES: usize = 20_000;

/// The body with the smallest number of repetitions whose mean fails as rarely as is asked.
pub(super) fn find(job: &Job<'_>, found: &BoundsResult, site: RemedySite<'_>) -> Result<FoundRemedy, String> {
    let (planned, test) = site.source(found)?;
    let row = site.row;
    if !std::ptr::eq(planned, row.planned) {
        return Err("the assertion stands in another file than the test".to_owned());
    }
    let body = |rounds: u32| repeat_body(&planned.file, &planned.analysis, test, row.site, rounds);
    body(ROUNDS[0]).map_err(|why| why.to_string())?;
    let series = &row.result.series;
    if series.is_margin || series.numbers.len() < series.reached {
        return Err("not every run gave a number that is compared with a fixed bound".to_owned());
    }
    let most = site.rules.pass.complement();
    let shares = ROUNDS.map(|rounds| (rounds, failing_means(series, rounds, job.seed)));
    let Some(&(rounds, failing)) = shares.iter().find(|(_, failing)| *failing <= most) else {
        let (rounds, failing) = shares[ROUNDS.len() - 1];
        let failing = temper_report::short(100.0 * failing);
        return Err(format!("{failing} % of means over {rounds} repetitions would still fail, by resampling"));
    };
    let edits = body(rounds).map_err(|why| why.to_string())?;
    let old = edits.old.clone();
    let draft = rewrite::body(planned, series, edits).map_err(|why| why.to_string())?;
    let written = WrittenBody { draft, old, path: row.path.clone() };
    Ok(written.found(site, RemedyKind::Mean, f64::from(rounds), KnownOfRemedy::Resampled { failing }))
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
