//! Exact tests of counts: is this many more than chance explains?
//!
//! All are one-sided and give the chance of at least what was counted. None assumes a large number of rows.

/// Probability that a binomial count is at least `count`.
pub fn binomial_at_least(count: usize, total: usize, rate: f64) -> f64 {
    if count == 0 || rate >= 1.0 {
        return 1.0;
    }
    if count > total || rate <= 0.0 {
        return 0.0;
    }
    // The side that does not hold the mean is summed: its first term is the largest, so none is lost to underflow.
    if count as f64 > total as f64 * rate {
        binomial_sum(count, total, rate)
    } else {
        1.0 - binomial_sum(total - count + 1, total, 1.0 - rate)
    }
}

/// The upper tail, from its largest term on.
fn binomial_sum(count: usize, total: usize, rate: f64) -> f64 {
    let odds = rate / (1.0 - rate);
    let choose = ln_factorial(total) - ln_factorial(count) - ln_factorial(total - count);
    let mut term = (choose + count as f64 * rate.ln() + (total - count) as f64 * (-rate).ln_1p()).exp();
    let mut sum = 0.0;
    for reached in count..=total {
        sum += term;
        term *= (total - reached) as f64 / (reached + 1) as f64 * odds;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    sum.min(1.0)
}

/// McNemar's exact test with a margin (McNemar 1947): the chance of at least `worse` rows on which only the new model errs, out of
/// these and the `better` rows on which only the reference errs, if the new model's error were greater by exactly `margin`.
pub fn mcnemar_worse(worse: usize, better: usize, rows: usize, margin: f64) -> f64 {
    let differing = worse + better;
    if differing == 0 {
        return 1.0;
    }
    // Of the rows on which the two differ, half and half of the margin would be worse.
    let rate = 0.5 * (1.0 + margin * rows as f64 / differing as f64);
    binomial_at_least(worse, differing, rate)
}

/// Fisher's exact test: the chance of at least `failures` of `rows`, when as many fail in all as do here and of the other rows, and
/// chance alone decides which.
pub fn fisher_more(failures: usize, rows: usize, other_failures: usize, other_rows: usize) -> f64 {
    let (all, failing) = (rows + other_rows, failures + other_failures);
    if failures == 0 || all == 0 {
        return 1.0;
    }
    let ln_choose = |n: usize, k: usize| ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    let whole = ln_choose(all, rows);
    let most = failing.min(rows);
    let mut sum = 0.0;
    for count in failures..=most {
        if rows - count > all - failing {
            continue;
        }
        let term = (ln_choose(failing, count) + ln_choose(all - failing, rows - count) - whole).exp();
        sum += term;
        // Beyond the mean the terms only fall.
        if term < sum * f64::EPSILON && count * all > failing * rows {
            break;
        }
    }
    sum.min(1.0)
}

/// The logarithm of a factorial: Stirling's series, exact to twelve digits from 20 on.
fn ln_factorial(n: usize) -> f64 {
    if n < 20 {
        return (2..=n).map(|factor| (factor as f64).ln()).sum();
    }
    let x = n as f64;
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    (x + 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    // scipy.stats.binom.sf(count - 1, total, rate), 1.17; relative tolerance for summation and logarithms.
    #[test]
    fn binomial_tail_equals_the_oracle_of_scipy() {
        let known = [
            (0, 10, 0.2, 1.0),
            (1, 100, 0.0066, 0.48427810959867246),
            (3, 100, 0.0066, 0.028956752926493315),
            (20, 100, 0.05, 1.0522953420147289e-07),
            (60, 100, 0.5, 0.028443966820490444),
            (100, 100, 0.9, 2.6561398887587523e-05),
            (5, 2000, 0.01, 0.9999841271649688),
            (1500, 2000, 0.5, 7.371987614885022e-116),
            (40, 3000, 0.02, 0.9976481475186155),
            (7, 7, 0.3, 0.00021869999999999995),
        ];
        for (count, total, rate, expected) in known {
            let found = binomial_at_least(count, total, rate);
            assert!((found - expected).abs() <= 1e-12 + 1e-9 * expected, "{count} of {total}: {found} {expected}");
        }
    }

    #[test]
    fn a_tail_far_below_the_mean_is_one_and_not_lost_to_underflow() {
        assert_eq!(binomial_at_least(100, 1_000_000, 0.5), 1.0);
        assert!((binomial_at_least(500_000, 1_000_000, 0.5) - 0.5).abs() < 1e-3);
    }

    // scipy.stats.binomtest(k, n, 0.5, alternative="greater"); scipy.stats.fisher_exact(..., alternative="greater").
    #[test]
    fn paired_and_unpaired_tests_equal_the_oracle_of_scipy() {
        let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        near(mcnemar_worse(9, 1, 1000, 0.0), 0.0107421875);
        near(fisher_more(8, 20, 3, 40), 0.004036037625574804);
        near(fisher_more(1, 20, 30, 40), 0.9999999976108358);
    }

    #[test]
    fn a_margin_makes_the_test_milder() {
        assert!(mcnemar_worse(12, 2, 1000, 0.0) < 0.01);
        assert!(mcnemar_worse(12, 2, 1000, 0.005) > mcnemar_worse(12, 2, 1000, 0.002));
        assert_eq!(mcnemar_worse(0, 0, 1000, 0.002), 1.0);
        assert_eq!(mcnemar_worse(3, 0, 1000, 0.005), 1.0, "three rows of a thousand are less than the margin");
    }
}
