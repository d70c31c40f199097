//! Looking at samples again and again without being fooled by it.
//!
//! A confidence limit that is right at one look is wrong more often when it is consulted after every batch. Failure counts
//! are therefore judged by an e-process, the mixture likelihood ratio of Robbins (1970): under any failure rate up to the
//! allowed one it exceeds 1/a at some look with probability at most a, however often one looks. Limits of the fitted tail
//! have no such form; they are consulted at few looks, with half of the error.

/// Runs that every test gets before any gets more.
pub const TRIAGE: usize = 2;
/// Runs at the first look for sites that are far inside their bound, and for tests that fail every time.
pub const EARLY: usize = 10;
/// Runs of the screening.
pub const SCREENING: usize = 30;
/// Runs at the first look at a distribution.
pub(crate) const FIRST: usize = 100;
/// Runs between looks.
const STEP: usize = 50;
/// Points of the mixture, evenly spaced in the logarithm; doubling them changes the tenth digit.
const POINTS: usize = 400;

/// How many runs the look after `runs` has.
#[must_use]
pub fn next_look(runs: usize, most: usize) -> usize {
    let next = match runs {
        0..TRIAGE => TRIAGE,
        TRIAGE..EARLY => EARLY,
        EARLY..20 => 20,
        20..SCREENING => SCREENING,
        SCREENING..50 => 50,
        50..FIRST => FIRST,
        _ => runs + STEP,
    };
    next.min(most)
}

/// Runs at which the bound of a flaky site is looked at, before order statistics suffice: few, because a bound that is taken
/// when it looks sharp is too low more often the more often one looks.
const BOUND_LOOKS: [usize; 4] = [300, 500, 1000, 2000];

/// How many runs the look at the bound of a flaky site after `runs` has: one of the fixed numbers, the number `needed` from
/// which on the largest value suffices, or the last.
#[must_use]
pub fn next_bound_look(runs: usize, needed: usize, most: usize) -> usize {
    let looks = BOUND_LOOKS.into_iter().filter(|&look| look < needed).chain([needed]);
    looks.filter(|&look| look > runs).fold(most.max(runs + 1), usize::min)
}

/// Whether the bound of a flaky site is looked at now.
#[must_use]
pub fn is_bound_look(runs: usize, needed: usize) -> bool {
    BOUND_LOOKS.contains(&runs) || runs >= needed.max(SCREENING)
}

/// Whether the tail is consulted at this look: at 100 runs, at each doubling, and at the end.
#[must_use]
pub fn is_tail_look(runs: usize, most: usize) -> bool {
    runs == most && runs >= FIRST || [100, 200, 400, 800, 1600].contains(&runs)
}

/// The error allowed at one look at the tail: half of all. Simulated with the bound exactly at the 0.999 quantile, the hardest
/// case, all six looks together then call a site sound in up to 4 of 100 repetitions (normal 2, exponential 1, t5 4, bimodal
/// and beta less than 1), because limits of growing samples agree.
#[must_use]
pub fn tail_error(error: f64) -> f64 {
    0.5 * error
}

/// How strongly `failures` of `runs` speak against a failure rate of at most `allowed`: a number whose chance of ever
/// reaching x is at most 1/x. The alternatives are rates from `allowed` to 1, weighted evenly in their logarithm.
#[must_use]
pub fn evidence_above(failures: usize, runs: usize, allowed: f64) -> f64 {
    let (k, rest) = (failures as f64, runs.saturating_sub(failures) as f64);
    let span = -allowed.ln();
    if span <= 0.0 || span.is_nan() {
        return 0.0;
    }
    let log_ratio = |rate: f64| k * (rate / allowed).ln() + rest * ((-rate).ln_1p() - (-allowed).ln_1p());
    let mut sum = 0.0;
    for index in 0..POINTS {
        // Midpoints: neither end, where the ratio is 1 or 0.
        let position = (index as f64 + 0.5) / POINTS as f64;
        sum += log_ratio(allowed * (span * position).exp()).exp();
    }
    sum / POINTS as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use temper_stats::random::Random;

    #[test]
    fn looks_are_few_and_at_fixed_numbers_of_runs() {
        let mut looks = vec![];
        let mut runs = 0;
        while runs < 260 {
            runs = next_look(runs, 260);
            looks.push(runs);
        }
        assert_eq!(looks, [2, 10, 20, 30, 50, 100, 150, 200, 250, 260]);
    }

    #[test]
    fn bounds_are_looked_at_when_order_statistics_suffice_and_a_few_times_before() {
        let looks = |needed: usize, most: usize| {
            let mut looks = vec![next_bound_look(130, needed, most)];
            while looks[looks.len() - 1] < most {
                looks.push(next_bound_look(looks[looks.len() - 1], needed, most));
            }
            looks
        };
        assert_eq!(looks(2995, 4742), [300, 500, 1000, 2000, 2995, 4742]);
        assert_eq!(looks(299, 473), [299, 473]);
        assert_eq!(looks(29_956, 1200), [300, 500, 1000, 1200]);
        assert!(is_bound_look(500, 2995) && is_bound_look(2995, 2995) && !is_bound_look(550, 2995));
    }

    #[test]
    fn evidence_is_a_mean_of_one_under_the_allowed_rate() {
        // E-values have expectation at most 1 under the null: summed over the binomial distribution of 60 runs.
        let (n, p) = (60, 0.05_f64);
        let mut mean = 0.0;
        let mut weight = (1.0 - p).powi(n);
        for k in 0..=n {
            mean += weight * evidence_above(k as usize, n as usize, p);
            weight *= f64::from(n - k) / f64::from(k + 1) * p / (1.0 - p);
        }
        assert!((mean - 1.0).abs() < 1e-9, "{mean}");
    }

    #[test]
    fn looking_after_every_run_is_fooled_no_more_often_than_allowed() {
        // 400 repetitions at the allowed rate: at most 0.05 of them may ever exceed 20. The chance of more than 35 of 400 is
        // below 0.002, and the seed is fixed.
        let mut fooled = 0;
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let mut failures = 0;
            fooled += usize::from((1..=600).any(|runs| {
                let failed = random.open() < 0.02;
                failures += usize::from(failed);
                failed && evidence_above(failures, runs, 0.02) >= 20.0
            }));
        }
        assert!(fooled <= 35, "{fooled}");
    }

    #[test]
    fn a_handful_of_failures_is_enough_where_one_in_a_thousand_is_allowed() {
        assert!(evidence_above(3, 100, 0.001) > 20.0);
        assert!(evidence_above(1, 100, 0.001) < 20.0);
        assert!(evidence_above(3, 3000, 0.001) < 20.0);
    }
}
