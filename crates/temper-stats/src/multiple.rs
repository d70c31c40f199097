//! Many tests at once: adjusted p-values.
//!
//! Holm (1979) bounds the chance of any false rejection, under every dependence. Benjamini-Hochberg (1995) bounds the
//! share of false ones among the rejections, for independent or positively dependent tests.

/// Positions in ascending order of p-value.
fn order(p_values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    order
}

/// Holm's adjusted p-values, in the order given.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let n = p_values.len();
    let mut adjusted = vec![0.0; n];
    let mut largest: f64 = 0.0;
    for (rank, i) in order(p_values).into_iter().enumerate() {
        largest = largest.max((p_values[i] * (n - rank) as f64).min(1.0));
        adjusted[i] = largest;
    }
    adjusted
}

/// Benjamini and Hochberg's adjusted p-values, in the order given.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let n = p_values.len();
    let mut adjusted = vec![0.0; n];
    let mut smallest: f64 = 1.0;
    for (rank, i) in order(p_values).into_iter().enumerate().rev() {
        smallest = smallest.min(p_values[i] * n as f64 / (rank + 1) as f64);
        adjusted[i] = smallest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm" and "BH").
    #[test]
    fn adjusted_p_values_agree_with_r() {
        let p = [0.01, 0.04, 0.03, 0.005];
        let check = |ours: Vec<f64>, theirs: [f64; 4]| {
            assert!(ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() < 1e-15), "{ours:?}");
        };
        check(holm(&p), [0.03, 0.06, 0.06, 0.02]);
        check(benjamini_hochberg(&p), [0.02, 0.04, 0.04, 0.02]);
    }
}
