//! The stopping rule over an ordered sequence of tests, at a false-discovery rate (G'Sell et al. 2016; Bader, Yan and Zhang
//! 2018 for thresholds).
//!
//! It assumes that hypotheses false come first and p-values are independent; nested thresholds share their data, so the
//! rate is approximate.

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
}
