//! Monotone in the target and the confidence, equivariant under shift and scale, blind to order, and alike on both
//! sides.

use crate::generate::smooth;
use temper_stats::bound::{BoundMethod, Request, propose};
use temper_stats::random::Random;
use temper_stats::tail::{Candidates, TailOptions, analyse};
use temper_stats::{Confidence, Direction, Samples, Target, gpd, shapiro, smirnov};

fn request(target: f64, confidence: f64, method: BoundMethod, direction: Direction) -> Request {
    Request {
        target: Target::new(target).unwrap(),
        confidence: Confidence::new(confidence).unwrap(),
        method,
        ..Request::new(direction)
    }
}

/// The bound, infinite when there is none.
fn bound(values: &[f64], request: &Request) -> f64 {
    let samples = Samples::new(values).unwrap();
    let found = propose(&samples, request).unwrap();
    found.map_or_else(|_| request.direction.oriented(f64::INFINITY), |p| p.bound)
}

const METHODS: [BoundMethod; 3] = [BoundMethod::Calibrated, BoundMethod::Flex, BoundMethod::Faser];

#[test]
fn bounds_grow_with_the_target_and_the_confidence() {
    for seed in 0..30 {
        let values = smooth(seed);
        for method in METHODS {
            let at = |target| bound(&values, &request(target, 0.95, method, Direction::Upper));
            let bounds: Vec<f64> = [0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999, 0.99999].map(at).to_vec();
            // The empirical quantile below the threshold and the model above it meet within a sample's spacing.
            let slack = if method == BoundMethod::Flex { 0.2 } else { 1e-12 };
            assert!(bounds.windows(2).all(|w| w[0] <= w[1] + slack), "{seed} {method:?}: {bounds:?}");
        }
        let at = |confidence| bound(&values, &request(0.999, confidence, BoundMethod::Calibrated, Direction::Upper));
        let bounds: Vec<f64> = [0.6, 0.8, 0.9, 0.95, 0.99, 0.999].map(at).to_vec();
        assert!(bounds.windows(2).all(|w| w[0] <= w[1] * (1.0 + 1e-12) + 1e-12), "{seed}: {bounds:?}");
    }
}

#[test]
fn bounds_move_with_shift_and_scale() {
    for seed in 0..30 {
        let values = smooth(seed);
        for (a, b) in [(2.0, 0.0), (1.0, 17.0), (0.03, -5.0), (1e12, 0.0), (1e-12, 0.0)] {
            let moved: Vec<f64> = values.iter().map(|x| a * x + b).collect();
            for method in [BoundMethod::Calibrated, BoundMethod::Faser] {
                let wanted = request(0.999, 0.95, method, Direction::Upper);
                let (plain, other) = (bound(&values, &wanted), bound(&moved, &wanted));
                let expected = a * plain + b;
                let allowed = 1e-5 * (expected - b).abs().max(a) + 1e-9 * b.abs();
                assert!(
                    plain.is_infinite() && other.is_infinite() || (other - expected).abs() <= allowed,
                    "{seed} {method:?} {a} {b}: {other} and not {expected}"
                );
            }
        }
    }
}

#[test]
fn order_of_the_samples_does_not_matter() {
    for seed in 0..25 {
        let values = smooth(seed);
        let mut shuffled = values.clone();
        let mut random = Random::new(seed);
        for i in (1..shuffled.len()).rev() {
            shuffled.swap(i, random.index(i + 1));
        }
        for method in METHODS {
            let wanted = request(0.999, 0.95, method, Direction::Upper);
            assert_eq!(bound(&values, &wanted), bound(&shuffled, &wanted), "{seed} {method:?}");
        }
        let excesses = |v: &[f64]| v.iter().map(|x| x.abs() + 1e-9).collect::<Vec<f64>>();
        assert_eq!(gpd::fit(&excesses(&values)), gpd::fit(&excesses(&shuffled)));
        assert_eq!(shapiro::shapiro_wilk(&values), shapiro::shapiro_wilk(&shuffled));
        let other = smooth(seed + 1);
        assert_eq!(smirnov::exact(&values, &other), smirnov::exact(&other, &shuffled));
    }
}

#[test]
fn lower_bounds_are_upper_bounds_of_the_negated_samples() {
    for seed in 0..30 {
        let values = smooth(seed);
        let negated: Vec<f64> = values.iter().map(|x| -x).collect();
        for method in METHODS {
            for target in [0.99, 0.999] {
                let lower = bound(&values, &request(target, 0.95, method, Direction::Lower));
                let upper = bound(&negated, &request(target, 0.95, method, Direction::Upper));
                assert_eq!(lower, -upper, "{seed} {method:?} {target}");
            }
        }
    }
}

#[test]
fn analysis_does_not_change_when_samples_arrive_in_batches() {
    for seed in 0..20 {
        let values = smooth(seed);
        let options = TailOptions { candidates: Candidates::Quantiles, ..TailOptions::FLEX };
        let whole = analyse(&Samples::new(&values).unwrap(), &options).unwrap();
        let mut grown = Samples::default();
        for batch in values.chunks(50) {
            grown.extend(batch).unwrap();
        }
        assert_eq!(analyse(&grown, &options).unwrap(), whole);
    }
}
