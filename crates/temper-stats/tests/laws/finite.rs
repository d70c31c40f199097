//! No finite input makes a panic or a NaN, and NaN is refused by name.

use crate::generate::strange;
use temper_stats::bound::{BoundMethod, Request, propose};
use temper_stats::concentration::{self, Reading};
use temper_stats::gpd::fitness::{self, Distance};
use temper_stats::kill::faser::{WEIGHTS, optimise};
use temper_stats::kill::{Assertion, KillCurve};
use temper_stats::lattice::Lattice;
use temper_stats::moments::Moments;
use temper_stats::tail::limit::FittedTail;
use temper_stats::tail::{TailOptions, analyse};
use temper_stats::{
    Confidence, Direction, Error, Samples, Target, bootstrap, boxcox, edf, gpd, moment_tests, paired, shapiro, smirnov,
};

const SETS: u64 = 400;

/// Fails on NaN; infinities are reported too, unless the number may be one.
fn sane(what: &str, seed: u64, number: f64) {
    assert!(!number.is_nan(), "{what} of set {seed} is NaN");
}

#[test]
fn bounds_of_any_finite_samples_are_numbers() {
    for seed in 0..SETS {
        let values = strange(seed);
        let samples = Samples::new(&values).unwrap();
        for direction in [Direction::Upper, Direction::Lower] {
            for method in [BoundMethod::Calibrated, BoundMethod::Flex, BoundMethod::Faser] {
                let targets: &[f64] = if method == BoundMethod::Flex { &[0.999] } else { &[0.5, 0.99, 0.9999] };
                for &target in targets {
                    let wanted = Request { target: Target::new(target).unwrap(), method, ..Request::new(direction) };
                    if let Ok(found) = propose(&samples, &wanted).unwrap() {
                        assert!(found.bound.is_finite(), "bound of set {seed}: {found:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn tails_of_any_finite_samples_are_numbers() {
    for seed in 0..SETS {
        let samples = Samples::new(&strange(seed)).unwrap();
        let target = Target::new(0.999).unwrap();
        if let Some(tail) = FittedTail::new(&samples) {
            if let Some(found) = tail.limit(target, Confidence::STANDARD) {
                assert!(found.estimate <= found.high && found.high.is_finite(), "{seed}: {found:?}");
                assert!(tail.lower_limit(target, Confidence::STANDARD) <= found.high, "{seed}: {found:?}");
            }
            if let Some(p) = tail.probability_above(samples.max().unwrap()) {
                assert!((0.0..=1.0).contains(&p), "{seed}: {p}");
            }
        }
        for options in [TailOptions { least_exceedances: 1, ..TailOptions::FLEX }] {
            let Ok(analysis) = analyse(&samples, &options) else { continue };
            for test in &analysis.tests {
                sane("threshold", seed, test.threshold);
                sane("shape", seed, test.fit.gpd.shape() + test.fit.gpd.scale());
                sane("likelihood", seed, test.fit.log_likelihood);
                sane("distance", seed, test.fitness.statistic);
                assert!((0.0..=1.0).contains(&test.fitness.p), "p of set {seed}: {}", test.fitness.p);
            }
            analysis.quantile(target).into_iter().for_each(|q| assert!(q.is_finite(), "{seed}"));
        }
    }
}

#[test]
fn tests_on_any_finite_samples_are_numbers() {
    let share = |what: &str, seed: u64, p: f64| assert!((0.0..=1.0).contains(&p), "{what} of set {seed} is {p}");
    for seed in 0..SETS {
        let (values, other) = (strange(seed), strange(seed + SETS));
        let moments = Moments::of(&values);
        sane("mean", seed, moments.mean + moments.skewness + moments.kurtosis_excess);
        sane("variance", seed, moments.variance);
        sane("deviation", seed, moments.deviation());
        if let Ok(found) = shapiro::shapiro_wilk(&values) {
            share("W", seed, found.w);
            share("W p", seed, found.p);
        }
        if let Ok(found) = moment_tests::kurtosis_test(&values) {
            share("kurtosis p", seed, found.greater);
        }
        if let Ok((_, p)) = moment_tests::omnibus_test(&values) {
            share("omnibus p", seed, p);
        }
        share("KS", seed, smirnov::exact(&values, &other).unwrap().p);
        share("KS asymptotic", seed, smirnov::asymptotic(&values, &other).unwrap().p);
        let n = values.len().min(other.len());
        if let Ok(found) = paired::paired_t(&values[..n], &other[..n]) {
            share("t", seed, found.p);
        }
        share("Wilcoxon", seed, paired::wilcoxon(&values[..n], &other[..n]).unwrap().p);
        edf::anderson_darling_normal(&values).into_iter().for_each(|a| sane("A2", seed, a));
        edf::anderson_darling_exponential(&values).into_iter().for_each(|a| sane("A2 exponential", seed, a));
        if let Ok(found) = boxcox::fit(&values) {
            sane("lambda", seed, found.lambda);
            sane("Box-Cox likelihood", seed, found.log_likelihood);
        }
        let samples = Samples::new(&values).unwrap();
        let drawn = bootstrap::extremes(&samples, Direction::Upper, 50, Confidence::STANDARD, seed).unwrap();
        sane("extreme", seed, drawn.mean + drawn.low + drawn.median);
        if let Some(lattice) = Lattice::find(&samples) {
            sane("lattice", seed, lattice.past(values[0]));
        }
        concentration::choose(&values, Reading::Paper).into_iter().for_each(|c| share("choice", seed, c.kurtosis_p));
        let curve = KillCurve::new([other.as_slice()], Direction::Upper, true);
        let assertion = Assertion { direction: Direction::Upper, is_strict: true, bound: values[0] };
        if let Ok(Some(found)) = optimise(&values, &curve, &assertion, 0.99, &WEIGHTS, Reading::Code) {
            share("pass", seed, found.original.0);
            found.best.into_iter().for_each(|b| sane("objective", seed, b.objective));
        }
        let excesses: Vec<f64> = values.iter().map(|x| x.abs()).filter(|x| *x > 0.0).collect();
        if let Ok((fit, found)) = fitness::test(&excesses, Distance::CramerVonMises) {
            sane("W2", seed, found.statistic);
            share("W2 p", seed, found.p);
            sane("likelihood", seed, fit.log_likelihood);
        }
    }
}

#[test]
fn nan_and_infinity_are_refused_by_place() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut values = vec![1.0, 2.0, 4.0, 3.0, 5.0, 7.0, 6.0, 9.0, 8.0];
        values[3] = bad;
        let is_named = |error: Error| matches!(error, Error::NotFinite { index: 3, .. });
        assert!(is_named(Samples::new(&values).unwrap_err()));
        assert!(is_named(gpd::fit(&values).unwrap_err()));
        assert!(is_named(shapiro::shapiro_wilk(&values).unwrap_err()));
        assert!(is_named(moment_tests::kurtosis_test(&values).unwrap_err()));
        assert!(is_named(smirnov::exact(&[1.0], &values).unwrap_err()));
        assert!(is_named(boxcox::fit(&values).unwrap_err()));
        assert!(is_named(paired::wilcoxon(&values, &[1.0; 9]).unwrap_err()));
        assert!(is_named(edf::anderson_darling_normal(&values).unwrap_err()));
    }
}
