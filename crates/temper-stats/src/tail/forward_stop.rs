//! Stopping rules over an ordered sequence of tests, at a false-discovery rate (G'Sell et al. 2016; Bader, Yan and
//! Zhang 2018 for thresholds).
//!
//! Both assume that hypotheses false come first and p-values are independent; nested thresholds share their data, so
//! the rate is approximate.

/// ForwardStop: the running mean of -ln(1 - p). Small as long as the tests reject.
pub fn forward_stop(p_values: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let terms = p_values.iter().enumerate().map(|(i, p)| {
        // p = 1 would make the rest of the sequence infinite.
        sum -= (-p.clamp(0.0, 1.0 - 1e-16)).ln_1p();
        sum / (i + 1) as f64
    });
    terms.collect()
}

/// StrongStop: exp of the sum over j >= k of ln(p_j) / j, times l / k. FLEX section 3 stops where it is at most the
/// rate.
pub fn strong_stop(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len() as f64;
    let mut sum = 0.0;
    let mut values: Vec<f64> = p_values
        .iter()
        .enumerate()
        .rev()
        .map(|(i, p)| {
            let index = (i + 1) as f64;
            sum += p.max(f64::MIN_POSITIVE).ln() / index;
            f64::exp(sum) * count / index
        })
        .collect();
    values.reverse();
    values
}

/// How many leading hypotheses a rule rejects: the last position at most the rate.
pub fn rejected(values: &[f64], rate: f64) -> usize {
    values.iter().rposition(|v| *v <= rate).map_or(0, |i| i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strong_stop_is_the_formula_of_the_paper() {
        let p = [0.3, 0.02, 0.7, 0.001];
        for (k, value) in strong_stop(&p).into_iter().enumerate() {
            let sum: f64 = (k..4).map(|j| p[j].ln() / (j + 1) as f64).sum();
            assert!((value - sum.exp() * 4.0 / (k + 1) as f64).abs() < 1e-12);
        }
    }

    #[test]
    fn rejections_end_at_the_last_small_value() {
        assert_eq!(rejected(&[0.01, 0.2, 0.04, 0.3], 0.05), 3);
        assert_eq!(rejected(&[0.2, 0.3], 0.05), 0);
        assert!(forward_stop(&[1.0, 1.0]).iter().all(|v| v.is_finite()));
    }
}
