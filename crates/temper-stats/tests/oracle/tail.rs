//! fixtures/oracles/tail: moments, quantiles, GPD fits and their tests.

use crate::load::{Check, finite, list, number, numbers, sets};
use serde_json::Value;
use temper_stats::gpd::fitness::{Distance, bootstrap, p_value, statistic};
use temper_stats::gpd::{Gpd, fit, fit_exponential, likelihood_ratio};
use temper_stats::moments::Moments;
use temper_stats::random::Random;
use temper_stats::{Samples, edf};

/// Every threshold of every set with at least one excess: label, sorted excesses, the oracle's entry.
fn thresholds() -> Vec<(String, usize, f64, Vec<f64>, Value)> {
    let mut all = Vec::new();
    for (name, set) in sets("tail") {
        let samples = numbers(&set["samples"]);
        for entry in list(&set["thresholds"]) {
            let Some(u) = finite(&entry["u"]) else { continue };
            let mut excesses: Vec<f64> = samples.iter().filter(|x| **x > u).map(|x| x - u).collect();
            excesses.sort_by(f64::total_cmp);
            if !excesses.is_empty() {
                all.push((format!("{name} q={}", entry["q"]), samples.len(), u, excesses, entry.clone()));
            }
        }
    }
    all
}

#[test]
fn oracle_moments_and_quantiles_agree() {
    let mut check = Check::default();
    for (name, set) in sets("tail") {
        let raw = numbers(&set["samples"]);
        let (moments, samples) = (Moments::of(&raw), Samples::new(&raw).unwrap());
        let theirs = &set["moments"];
        let largest = raw.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        check.close(&format!("{name} mean"), moments.mean, finite(&theirs["mean"]), 1e-13 * largest, 1e-12);
        check.close(&format!("{name} variance"), moments.variance, finite(&theirs["var_ddof1"]), 0.0, 1e-10);
        check.close(&format!("{name} skew"), moments.skewness, finite(&theirs["skew_biased"]), 1e-9, 1e-9);
        let kurtosis = finite(&theirs["kurtosis_excess_biased"]);
        check.close(&format!("{name} kurtosis"), moments.kurtosis_excess, kurtosis, 1e-9, 1e-9);
        for (p, value) in set["quantiles_type7"].as_object().into_iter().flatten() {
            let ours = samples.quantile(p.parse().unwrap()).unwrap();
            check.close(&format!("{name} quantile {p}"), ours, finite(value), 0.0, 1e-14);
        }
        if let Some(theirs) = finite(&set["anderson_norm"]["A2"]) {
            check.close(
                &format!("{name} A2 normal"),
                edf::anderson_darling_normal(&raw).unwrap(),
                Some(theirs),
                1e-9,
                1e-9,
            );
        }
    }
    check.finish(400);
}

/// Never below the better reference by more than 1e-6. Points of scipy with a shape below -1 lie where the likelihood
/// has no maximum and are no reference; there the uniform law is the best that a shape of at least -1 can do.
#[test]
fn oracle_gpd_log_likelihood_is_never_below_the_references() {
    let mut check = Check::default();
    for (label, _, _, excesses, entry) in thresholds() {
        let ours = fit(&excesses).unwrap();
        let scipy =
            finite(&entry["scipy_mle"]["loglik"]).filter(|_| number(&entry["scipy_mle"]["shape"]) >= Some(-1.0));
        let reference = finite(&entry["reference_mle"]["loglik"]);
        let eva = finite(&entry["eva_mle"]["loglik"]).filter(|_| number(&entry["eva_mle"]["shape"]) >= Some(-1.0));
        let uniform = finite(&entry["uniform_boundary_loglik"]).filter(|_| !ours.is_interior);
        for (who, theirs) in [("scipy", scipy), ("reference", reference), ("eva", eva), ("uniform", uniform)] {
            let Some(theirs) = theirs else { continue };
            // At 1e5 and more, doubles cannot carry a millionth through a sum of thousands.
            let slack = 1e-6_f64.max(1e-11 * theirs.abs());
            let what = format!("{label}: {} is below {who} {theirs} ({ours:?})", ours.log_likelihood);
            check.holds(&what, ours.log_likelihood >= theirs - slack);
        }
    }
    check.finish(300);
}

#[test]
fn oracle_gpd_parameters_quantiles_and_exponential_agree_with_the_reference() {
    let mut check = Check::default();
    for (label, n, u, excesses, entry) in thresholds() {
        let ours = fit(&excesses).unwrap();
        let exponential = fit_exponential(&excesses).unwrap();
        let theirs = &entry["exponential"];
        check.close(&format!("{label} exp scale"), exponential.scale, finite(&theirs["scale"]), 0.0, 1e-11);
        check.close(&format!("{label} exp loglik"), exponential.log_likelihood, finite(&theirs["loglik"]), 1e-7, 1e-11);
        let reference = &entry["reference_mle"];
        let Some(loglik) = finite(&reference["loglik"]) else { continue };
        // A better fit than the reference has other parameters, rightly.
        if ours.log_likelihood > loglik + 1e-6 {
            continue;
        }
        check.close(&format!("{label} scale"), ours.gpd.scale(), finite(&reference["scale"]), 0.0, 1e-5);
        check.close(&format!("{label} shape"), ours.gpd.shape(), finite(&reference["shape"]), 1e-5, 1e-5);
        let ratio = likelihood_ratio(&ours, &exponential);
        check.close(&format!("{label} llr"), ratio.statistic, finite(&entry["lrt_exp_vs_gpd"]["llr"]), 1e-6, 1e-7);
        check.close(&format!("{label} llr p"), ratio.p, finite(&entry["lrt_exp_vs_gpd"]["p_chi2_1"]), 1e-5, 1e-5);
        for (p, value) in reference["quantiles"].as_object().into_iter().flatten() {
            let target: f64 = p.parse().unwrap();
            let survival = (1.0 - target) * n as f64 / excesses.len() as f64;
            let quantile = u + ours.gpd.quantile_of_survival(survival);
            if survival < 1.0 {
                check.close(&format!("{label} quantile {p}"), quantile, finite(value), 0.0, 1e-5);
            }
        }
        let at_u = &entry["ad_cvm_at_reference_loc_u"];
        let distance = |d| statistic(&ours, &excesses, d);
        check.close(&format!("{label} A2"), distance(Distance::AndersonDarling), finite(&at_u["A2"]), 1e-4, 1e-5);
        check.close(&format!("{label} W2"), distance(Distance::CramerVonMises), finite(&at_u["W2"]), 1e-4, 1e-5);
    }
    check.finish(900);
}

/// The table's p-values against eva's, at eva's own location and only where its fit is sound (README). eva's table is
/// simulated with that re-location, which raises A2, and rounds the shape to two decimals: its p-values lie 0.02 to
/// 0.03 above those of a table for excesses over a given threshold, which is what ours is.
#[test]
fn oracle_distances_and_table_p_values_agree_at_the_location_of_eva() {
    let mut check = Check::default();
    for (label, _, _, excesses, entry) in thresholds() {
        let reference = &entry["reference_at_eva_loc"];
        let (Some(location), Some(shape)) = (finite(&reference["loc"]), finite(&reference["shape"])) else { continue };
        let moved: Vec<f64> = excesses.iter().map(|x| x - location).collect();
        let ours = fit(&moved).unwrap();
        if ours.log_likelihood > finite(&reference["loglik"]).unwrap_or(f64::INFINITY) + 1e-6 {
            continue;
        }
        let (a2, w2) =
            (statistic(&ours, &moved, Distance::AndersonDarling), statistic(&ours, &moved, Distance::CramerVonMises));
        // The first excess lies 1e-6 or less from the location, so A2 holds ln(tiny) and passes on errors of the fit.
        check.close(&format!("{label} A2"), a2, finite(&reference["A2"]), 2e-3, 1e-3);
        check.close(&format!("{label} W2"), w2, finite(&reference["W2"]), 1e-4, 1e-3);
        for (key, name, distance, ours) in
            [("eva_ad", "A2", Distance::AndersonDarling, a2), ("eva_cvm", "W2", Distance::CramerVonMises, w2)]
        {
            let (Some(theirs), Some(p)) = (finite(&entry[key][name]), finite(&entry[key]["p_table"])) else { continue };
            let is_same_fit = finite(&entry[key]["shape"]).is_some_and(|s| (s - shape).abs() < 0.01);
            if (theirs - ours).abs() < 0.02 * if name == "A2" { 1.0 } else { 0.1 } && is_same_fit && p >= 0.001 {
                check.close(&format!("{label} {key} p"), p_value(shape.max(-0.5), ours, distance), Some(p), 0.04, 0.0);
            }
        }
    }
    check.finish(400);
}

/// eva re-locates every resample as it did the data; with fewer than 100 excesses that shift is not small.
fn p_with_relocation(moved: &[f64], distance: Distance, seed: u64) -> f64 {
    let ours = fit(moved).unwrap();
    let observed = statistic(&ours, moved, distance);
    let mut random = Random::new(seed);
    let larger = (0..499).filter(|_| {
        let mut drawn: Vec<f64> = moved.iter().map(|_| ours.gpd.quantile_of_survival(random.open())).collect();
        drawn.sort_by(f64::total_cmp);
        let gap = drawn.windows(2).map(|w| w[1] - w[0]).filter(|g| *g > 0.0).fold(1e-6, f64::min);
        let location = drawn[0] - gap;
        drawn.iter_mut().for_each(|x| *x -= location);
        statistic(&fit(&drawn).unwrap(), &drawn, distance) > observed
    });
    (larger.count() as f64 + 1.0) / 501.0
}

#[test]
fn oracle_bootstrap_p_values_agree_within_monte_carlo_error() {
    let mut check = Check::default();
    for (label, _, _, excesses, entry) in thresholds() {
        let Some(location) = finite(&entry["reference_at_eva_loc"]["loc"]) else { continue };
        let moved: Vec<f64> = excesses.iter().map(|x| x - location).collect();
        for (key, distance) in [("eva_ad_boot", Distance::AndersonDarling), ("eva_cvm_boot", Distance::CramerVonMises)]
        {
            let (Some(p), Some(theirs)) = (finite(&entry[key]["p"]), finite(&entry[key]["statistic"])) else {
                continue;
            };
            let (_, ours) = bootstrap(&moved, distance, 499, 11).unwrap();
            if (ours.statistic - theirs).abs() > 0.02 {
                continue;
            }
            // Five standard errors of the difference of two simulations of 499.
            let allowed = 5.0 * (2.0 * p.max(0.02) * (1.0 - p).max(0.02) / 499.0).sqrt();
            check.close(&format!("{label} {key}"), p_with_relocation(&moved, distance, 12), Some(p), allowed, 0.0);
            if moved.len() >= 100 {
                check.close(&format!("{label} {key} of the crate"), ours.p, Some(p), allowed, 0.0);
            }
            let table = p_value(fit(&moved).unwrap().gpd.shape(), ours.statistic, distance);
            check.close(&format!("{label} {key} table"), ours.p, Some(table), allowed + 0.02, 0.0);
        }
    }
    check.finish(10);
}

/// The distribution's own formulas against the log-likelihood that scipy reports for its own parameters.
#[test]
fn oracle_log_likelihood_at_given_parameters_agrees() {
    let mut check = Check::default();
    for (label, _, _, excesses, entry) in thresholds() {
        for who in ["scipy_mle", "eva_mle", "reference_mle"] {
            let at = &entry[who];
            let (Some(scale), Some(shape)) = (finite(&at["scale"]), finite(&at["shape"])) else { continue };
            // Below shape -1 the largest excess decides all, by the last digits of its distance to the endpoint.
            let Some(theirs) = finite(&at["loglik"]).filter(|l| *l > -1e5 && shape >= -1.0) else { continue };
            let ours = Gpd::new(scale, shape).unwrap().log_likelihood(&excesses);
            check.close(&format!("{label} {who}"), ours, Some(theirs), 1e-7, 1e-9);
        }
    }
    check.finish(300);
}
