//! Values of known distribution through an injected sampler: the verdict is the one that theory gives.

use temper_stats::bound::Range;
use temper_stats::random::Random;

use super::*;
use crate::sample::looks::{next_bound_look, next_look};

const RULES: Rules = Rules {
    pass: Target::THOUSANDTH,
    confidence: Confidence::STANDARD,
    method: BoundMethod::Calibrated,
    most_runs: 3000,
    bound_runs: 300,
    is_sharpened: false,
};

fn series(direction: Direction, bound: f64, values: &[f64]) -> SiteSamples {
    SiteSamples::of_values(direction, true, bound, values)
}

/// Samples look by look, as the job does.
fn sampled(direction: Direction, bound: f64, draw: &mut dyn FnMut() -> f64) -> Judgement {
    let mut values = Vec::new();
    loop {
        let look = next_look(values.len(), RULES.most_runs);
        values.extend((values.len()..look).map(|_| draw()));
        if let Some(judgement) = judge(&series(direction, bound, &values), &RULES) {
            return judgement;
        }
    }
}

/// How many of 200 repetitions give a verdict that `is_right` accepts.
fn right(
    direction: Direction,
    bound: f64,
    draw: impl Fn(&mut Random) -> f64,
    is_right: impl Fn(&Judgement) -> bool,
) -> usize {
    let repeat = |seed: u64| {
        let mut random = Random::new(1000 + seed);
        is_right(&sampled(direction, bound, &mut || draw(&mut random)))
    };
    (0..200).filter(|&seed| repeat(seed)).count()
}

/// At 95 % confidence 190 of 200 are expected; fewer than 182 have a chance below 0.006, and the seeds are fixed.
const ENOUGH: usize = 182;

fn is_sound(judgement: &Judgement) -> bool {
    matches!(judgement.verdict, SiteVerdict::Sound(_))
}

fn is_flaky(judgement: &Judgement) -> bool {
    matches!(judgement.verdict, SiteVerdict::Flaky(_))
}

/// A flaky verdict whose proposal reaches the true 0.999 quantile, or that proposes nothing.
fn is_flaky_with_a_bound_beyond(quantile: f64, direction: Direction) -> impl Fn(&Judgement) -> bool {
    move |judgement| match &judgement.verdict {
        SiteVerdict::Flaky(Flaky { proposal: Ok(proposal), .. }) => {
            direction.oriented(proposal.bound) >= direction.oriented(quantile)
        }
        SiteVerdict::Flaky(_) => true,
        _ => false,
    }
}

fn exponential(random: &mut Random) -> f64 {
    -random.open().ln()
}

/// Student's t with 3 degrees of freedom: a normal over the root of a mean of three squares.
fn t3(random: &mut Random) -> f64 {
    let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
    random.normal() / (squares / 3.0).sqrt()
}

/// An accuracy: the share of 60 that come out right.
fn accuracy(random: &mut Random) -> f64 {
    (0..60).filter(|_| random.open() < 0.8).count() as f64 / 60.0
}

fn bimodal(random: &mut Random) -> f64 {
    let side = if random.open() < 0.5 { -3.0 } else { 3.0 };
    side + random.normal()
}

#[test]
fn light_tails_are_sound_far_inside_the_bound_and_flaky_beyond_it() {
    // The 0.999 quantile of a uniform is 0.999, of a normal 3.09.
    assert!(right(Direction::Upper, 1.2, |random| random.open(), is_sound) >= ENOUGH);
    assert!(right(Direction::Upper, 10.0, |random| random.normal(), is_sound) >= ENOUGH);
    assert!(
        right(Direction::Upper, 2.0, |random| random.normal(), is_flaky_with_a_bound_beyond(3.0902, Direction::Upper))
            >= ENOUGH
    );
    assert!(
        right(
            Direction::Lower,
            -2.0,
            |random| random.normal(),
            is_flaky_with_a_bound_beyond(-3.0902, Direction::Lower)
        ) >= ENOUGH
    );
}

#[test]
fn exponential_tails_are_flaky_inside_their_quantile_and_sound_far_beyond() {
    // The 0.999 quantile is ln 1000 = 6.908; 3 fails in 5 of 100 runs.
    assert!(
        right(Direction::Upper, 3.0, exponential, is_flaky_with_a_bound_beyond(6.9078, Direction::Upper)) >= ENOUGH
    );
    assert!(right(Direction::Upper, 60.0, exponential, is_sound) >= ENOUGH);
}

#[test]
fn heavy_tails_are_flaky_inside_their_quantile_and_never_sound_there() {
    // The 0.999 quantile is 10.21; 3 fails in 2.9 of 100 runs.
    assert!(right(Direction::Upper, 3.0, t3, is_flaky_with_a_bound_beyond(10.2145, Direction::Upper)) >= ENOUGH);
    assert!(right(Direction::Upper, 8.0, t3, |judgement| !is_sound(judgement)) >= ENOUGH);
}

#[test]
fn discrete_values_are_judged_between_their_steps() {
    // Binomial(60, 0.8): P(below 0.6) is 0.00009, so `> 0.55` holds; P(at or below 0.7) is 0.0433.
    assert!(right(Direction::Lower, 0.4, accuracy, is_sound) >= ENOUGH);
    assert!(right(Direction::Lower, 0.7, accuracy, is_flaky) >= ENOUGH);
}

#[test]
fn a_count_that_can_be_zero_has_no_bound_below_zero() {
    // Poisson-like: zero in 13 of 100 runs; `assert n > 0` has nowhere to go.
    let count = |random: &mut Random| (0..20).filter(|_| random.open() < 0.1).count() as f64;
    let is_hard = |judgement: &Judgement| {
        matches!(&judgement.verdict, SiteVerdict::Flaky(Flaky { proposal: Err(NoProposal::HardLimit), .. }))
    };
    assert!(right(Direction::Lower, 0.0, count, is_hard) >= ENOUGH);
}

#[test]
fn two_near_groups_are_judged_like_any_other_values() {
    // The upper mode at 3 with unit spread: P(above 5) is 0.0114; the 0.999 quantile is 3 + 2.878.
    assert!(right(Direction::Upper, 5.0, bimodal, is_flaky_with_a_bound_beyond(5.878, Direction::Upper)) >= ENOUGH);
    assert!(right(Direction::Upper, 12.0, bimodal, is_sound) >= ENOUGH);
}

#[test]
fn a_far_group_of_failing_values_is_suspect_and_a_far_group_that_passes_is_not() {
    let far =
        |random: &mut Random| if random.open() < 0.08 { 38.0 + random.normal() } else { 0.4 + 0.3 * random.normal() };
    let is_cluster =
        |judgement: &Judgement| matches!(judgement.verdict, SiteVerdict::Suspect(Suspicion::Clusters { .. }));
    assert!(right(Direction::Upper, 2.0, far, is_cluster) >= ENOUGH);
    let is_suspect = |judgement: &Judgement| matches!(judgement.verdict, SiteVerdict::Suspect(_));
    assert!(right(Direction::Lower, -5.0, far, |judgement| !is_suspect(judgement)) >= ENOUGH);
}

#[test]
fn nan_now_and_then_is_suspect() {
    let draw = |random: &mut Random| if random.open() < 0.06 { f64::NAN } else { random.normal() };
    let is_nan = |judgement: &Judgement| matches!(judgement.verdict, SiteVerdict::Suspect(Suspicion::NotFinite { .. }));
    assert!(right(Direction::Upper, 9.0, draw, is_nan) >= ENOUGH);
}

#[test]
fn nan_in_numbers_that_were_recorded_under_a_seed_is_no_suspicion() {
    let mut random = Random::new(4);
    let draw = |random: &mut Random| if random.open() < 0.4 { f64::NAN } else { 1.0 + random.open() };
    let values: Vec<f64> = (0..100).map(|_| draw(&mut random)).collect();
    let mut site = series(Direction::Upper, 1e-7, &values);
    (site.is_green, site.is_distance) = (true, true);
    assert_eq!(judge_at_end(&site, &RULES).verdict, SiteVerdict::Pinned);
    site.is_green = false;
    let is_suspect =
        |verdict| matches!(verdict, SiteVerdict::Suspect(Suspicion::NotFinite { .. }) | SiteVerdict::FailsAlways);
    assert!(is_suspect(judge_at_end(&site, &RULES).verdict));
}

#[test]
fn a_constant_is_deterministic_after_the_screening() {
    let judgement = sampled(Direction::Upper, 0.5, &mut || 0.25);
    assert_eq!((judgement.verdict, judgement.runs), (SiteVerdict::Deterministic, SCREENING));
    let judgement = sampled(Direction::Upper, 0.5, &mut || 0.75);
    assert_eq!((judgement.verdict, judgement.runs), (SiteVerdict::FailsAlways, SCREENING));
}

#[test]
fn values_that_drift_are_suspect() {
    let mut run = 0.0;
    let mut random = Random::new(3);
    let judgement = sampled(Direction::Upper, 8.0, &mut || {
        run += 0.05;
        run + random.normal()
    });
    assert!(matches!(judgement.verdict, SiteVerdict::Suspect(Suspicion::Drift { correlation }) if correlation > 0.5));
}

#[test]
fn a_site_ten_deviations_away_needs_a_few_hundred_runs() {
    let runs = |seed| {
        let mut random = Random::new(seed);
        sampled(Direction::Upper, 10.0, &mut || random.normal()).runs
    };
    assert!((0..20).filter(|&seed| runs(seed) <= 400).count() >= 18);
}

#[test]
fn too_few_runs_are_undecided_and_say_what_would_decide() {
    let mut random = Random::new(1);
    let values: Vec<f64> = (0..40).map(|_| random.normal()).collect();
    let judgement = judge_at_end(&series(Direction::Upper, 6.5, &values), &RULES);
    assert!(matches!(judgement.verdict, SiteVerdict::Undecided { runs_needed: 3688, .. }), "{judgement:?}");
}

#[test]
fn the_runs_that_would_decide_do_decide_where_values_come_as_near_to_the_bound_as_can_be() {
    let judged = |runs: usize| {
        let mut random = Random::new(4);
        let values: Vec<f64> = (0..runs).map(|_| random.open()).collect();
        judge_at_end(&series(Direction::Upper, 1.0, &values), &RULES).verdict
    };
    let SiteVerdict::Undecided { runs_needed, .. } = judged(3000) else { panic!("{:?}", judged(3000)) };
    assert!(matches!(judged(runs_needed), SiteVerdict::Sound(_)), "{:?}", judged(runs_needed));
}

#[test]
fn bounds_of_accuracies_and_correlations_stay_inside_their_range() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        for (low, high) in [(0.0, 1.0), (-1.0, 1.0)] {
            // Values all over the range, most of them near its lower end: the limit of the tail lies beyond the end.
            let values: Vec<f64> = (0..120).map(|_| low + (high - low) * random.open().powi(2)).collect();
            let mut series = series(Direction::Upper, low + 0.5 * (high - low), &values);
            series.known_range = Range { low: Some(low), high: Some(high) };
            match propose(&series, &RULES) {
                Ok(found) => assert!((low..high).contains(&found.bound), "{found:?}"),
                Err(why) => assert_eq!(why, NoProposal::HardLimit),
            }
            // A name that the samples contradict tells nothing.
            series.numbers[0] = high + 1.0;
            assert!(propose(&series, &RULES).is_ok_and(|found| found.bound > high));
        }
    }
}

#[test]
fn runs_go_on_after_the_verdict_until_the_bound_is_sharp_or_observed() {
    let placed = |draw: &dyn Fn(&mut Random) -> f64, bound: f64, bound_runs: usize| {
        let rules = Rules { bound_runs, ..RULES };
        let mut random = Random::new(11);
        let values: Vec<f64> = (0..bound_runs).map(|_| draw(&mut random)).collect();
        let mut runs = 100;
        loop {
            if let Some(judgement) = judge(&series(Direction::Upper, bound, &values[..runs]), &rules) {
                let SiteVerdict::Flaky(Flaky { proposal: Ok(found), .. }) = judgement.verdict else { panic!("{runs}") };
                return (runs, found);
            }
            runs = next_bound_look(runs, rules.runs_for_largest(), bound_runs);
        }
    };
    // A light tail is sharp soon, a heavy one only where values that were seen suffice.
    let (runs, found) = placed(&Random::open, 0.9, 2995);
    assert!(runs < 2995 && matches!(found.evidence, BoundEvidence::Extrapolated { .. }), "{runs} {found:?}");
    let heavy = |random: &mut Random| random.normal().exp();
    let (runs, found) = placed(&heavy, 3.6, 2995);
    assert_eq!((runs, matches!(found.evidence, BoundEvidence::Observed { rank: 2995, .. })), (2995, true), "{found:?}");
    let (runs, found) = placed(&heavy, 3.6, 4742);
    assert_eq!((runs, matches!(found.evidence, BoundEvidence::Observed { rank: 4741, .. })), (4742, true), "{found:?}");
    // What was asked for at most ends it.
    assert_eq!(placed(&heavy, 3.6, 400).0, 400);
}

#[test]
fn the_last_look_decides_also_without_a_number() {
    let numbers = series(Direction::Upper, 1.0, &vec![0.5; RULES.most_runs]);
    let none = SiteSamples { numbers: Vec::new(), seeds: Vec::new(), ..numbers };
    let rules = Rules { bound_runs: 4742, ..RULES };
    let judgement = judge(&none, &rules).unwrap();
    assert!(matches!(judgement.verdict, SiteVerdict::Undecided { .. }), "{judgement:?}");
}
