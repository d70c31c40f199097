//! How many reruns make a flaky test pass, and what they cost (FLEX section 5.3).
//!
//! Assumes that reruns are independent: a test that fails because of its seed or its machine fails again.

use crate::{Error, Probability, Target};

/// A rerun mark and its price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rerun {
    /// Most runs, the first one included: ceil(ln(1 - target) / ln p).
    pub max_runs: u32,
    /// Chance that one of them passes.
    pub pass_probability: f64,
    /// Expected number of runs until the first pass or the last run.
    pub expected_runs: f64,
}

/// The rerun count that reaches the target when a single run fails with probability `failure`.
///
/// # Errors
/// [`Error::OutOfRange`] when every run fails, or when more than four billion runs would be needed.
pub fn rerun(failure: Probability, target: Target) -> Result<Rerun, Error> {
    let p = failure.get();
    let too_likely = Error::OutOfRange { name: "failure probability", value: p, range: "below 1" };
    if p >= 1.0 {
        return Err(too_likely);
    }
    let runs = if p <= target.complement() { 1.0 } else { (target.complement().ln() / p.ln()).ceil() };
    if runs > f64::from(u32::MAX) {
        return Err(too_likely);
    }
    let missed = p.powf(runs);
    Ok(Rerun { max_runs: runs as u32, pass_probability: 1.0 - missed, expected_runs: (1.0 - missed) / (1.0 - p) })
}

impl Rerun {
    /// The paper's cost in runs: sum over k of p^(k-1) (1 - p) k, which leaves out the runs of tests that never pass.
    pub fn paper_cost(&self, failure: Probability) -> f64 {
        let (p, n) = (failure.get(), f64::from(self.max_runs));
        // The sum in closed form: (1 - (n + 1) p^n + n p^(n+1)) / (1 - p).
        (1.0 - (n + 1.0) * p.powf(n) + n * p.powf(n + 1.0)) / (1.0 - p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_costs_follow_the_formulas() {
        for (p, target, runs) in [(0.1, 0.999, 3), (0.25, 0.99, 4), (0.5, 0.9999, 14), (0.0, 0.99, 1), (0.001, 0.99, 1)]
        {
            let failure = Probability::new(p).unwrap();
            let found = rerun(failure, Target::new(target).unwrap()).unwrap();
            assert_eq!(found.max_runs, runs, "{p} {target}");
            let sum: f64 = (1..=runs).map(|k| p.powi(k as i32 - 1) * (1.0 - p) * f64::from(k)).sum();
            assert!((found.paper_cost(failure) - sum).abs() < 1e-12);
            let truth = sum + p.powi(runs as i32) * f64::from(runs);
            assert!((found.expected_runs - truth).abs() < 1e-12);
        }
        assert!(rerun(Probability::new(1.0).unwrap(), Target::THOUSANDTH).is_err());
    }
}
