//! The number of events that happen when each has its own chance (the Poisson binomial distribution).
//!
//! Exact for up to some thousands of events, by adding one event after the other. Beyond that the refined normal approximation of
//! Volkova (1996), which knows the skewness: at a chance of one in a thousand it is off by a thousandth of that for common events,
//! and by a twentieth for events of two in a hundred.

use crate::special::normal_sf;

/// Events up to which the count is exact: a few million steps.
const EXACT: usize = 3000;

/// The chance that at least `count` of independent events with these chances happen.
pub fn at_least(count: usize, chances: &[f64]) -> f64 {
    if count == 0 {
        return 1.0;
    }
    if count > chances.len() {
        return 0.0;
    }
    if chances.len() <= EXACT { exact(count, chances) } else { refined_normal(count, chances) }
}

fn exact(count: usize, chances: &[f64]) -> f64 {
    // For each number of events, the chance that this many have happened; all terms are positive, so small ones keep their digits.
    let mut happened = Vec::with_capacity(chances.len() + 1);
    happened.push(1.0);
    for &chance in chances {
        let chance = chance.clamp(0.0, 1.0);
        happened.push(0.0);
        for number in (1..happened.len()).rev() {
            happened[number] = happened[number] * (1.0 - chance) + happened[number - 1] * chance;
        }
        happened[0] *= 1.0 - chance;
    }
    // The smallest first.
    happened[count..].iter().rev().sum::<f64>().min(1.0)
}

fn refined_normal(count: usize, chances: &[f64]) -> f64 {
    let (mut mean, mut variance, mut third) = (0.0, 0.0, 0.0);
    for &chance in chances {
        let chance = chance.clamp(0.0, 1.0);
        let own = chance * (1.0 - chance);
        mean += chance;
        variance += own;
        third += own * (1.0 - 2.0 * chance);
    }
    if variance == 0.0 {
        return if count as f64 <= mean { 1.0 } else { 0.0 };
    }
    let deviation = variance.sqrt();
    let x = (count as f64 - 0.5 - mean) / deviation;
    let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let skewness = third / (variance * deviation);
    (normal_sf(x) - skewness / 6.0 * (1.0 - x * x) * density).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // scipy.stats.poisson_binom.sf(count - 1, chances), 1.17.
    #[test]
    fn the_tail_equals_that_of_scipy() {
        // The last number is the relative tolerance: of summation, and of the approximation.
        type Case = (usize, usize, fn(usize) -> f64, f64, f64);
        let known: [Case; 6] = [
            (2, 5, |at| 0.1 + 0.15 * at as f64, 0.690175, 1e-9),
            (8, 40, |_| 0.02, 1.1112529180168362e-06, 1e-9),
            (30, 60, |at| (at + 1) as f64 / 64.0, 0.3899321090148437, 1e-9),
            (99, 100, |_| 0.9, 0.00032168805319411566, 1e-9),
            (2600, 5000, |at| 0.25 + 0.5 * (at % 10) as f64 / 9.0, 0.0014894098143080502, 0.002),
            (120, 4000, |at| 0.02 + 0.001 * (at % 5) as f64, 0.0006002612483642293, 0.06),
        ];
        for (count, events, chance, expected, tolerance) in known {
            let chances: Vec<f64> = (0..events).map(chance).collect();
            let found = at_least(count, &chances);
            assert!((found / expected - 1.0).abs() < tolerance, "{count} of {events}: {found} {expected}");
        }
    }

    #[test]
    fn what_is_certain_and_what_cannot_be() {
        assert_eq!(at_least(0, &[0.5]), 1.0);
        assert_eq!(at_least(2, &[0.5]), 0.0);
        assert_eq!(at_least(1, &[0.0, 0.0]), 0.0);
        assert_eq!(at_least(2, &[1.2, 1.0]), 1.0, "a chance above one is one");
        assert_eq!(at_least(4000, &[1.0; 4000]), 1.0);
        assert_eq!(at_least(1, &[0.0; 4000]), 0.0);
    }

    #[test]
    fn both_ways_of_counting_agree_where_one_takes_over_from_the_other() {
        let chances: Vec<f64> = (0..EXACT).map(|at| 0.05 + 0.9 * (at as f64 * 0.618).fract()).collect();
        for count in [1500, 1530, 1560, 1590] {
            let ratio = refined_normal(count, &chances) / exact(count, &chances);
            assert!((ratio - 1.0).abs() < 0.02, "{count}: {ratio}");
        }
    }
}
