//! fixtures/oracles/tail: tests of normality, Box-Cox, two-sample Kolmogorov-Smirnov, stopping rules.

use crate::load::{Check, file, finite, list, numbers, sets};
use temper_stats::tail::strong_stop::strong_stop;
use temper_stats::{Samples, boxcox, edf, moment_tests, shapiro, smirnov};

#[test]
fn oracle_normality_tests_agree() {
    let mut check = Check::default();
    for (name, set) in sets("tail") {
        let samples = numbers(&set["samples"]);
        // scipy calls samples whose range is below 1e-19 constant, in whatever unit they are.
        let range = Samples::new(&samples).unwrap();
        let is_seen = range.is_constant() || range.max().zip(range.min()).is_some_and(|(a, b)| a - b > 1e-19);
        if let Ok(ours) = shapiro::shapiro_wilk(&samples)
            && is_seen
        {
            check.close(&format!("{name} W"), ours.w, finite(&set["shapiro"]["W"]), 1e-6, 0.0);
            check.close(&format!("{name} W p"), ours.p, finite(&set["shapiro"]["p"]), 1e-6, 0.0);
        }
        if let (Ok(ours), Some(z)) = (moment_tests::kurtosis_test(&samples), finite(&set["kurtosistest"]["z"])) {
            check.close(&format!("{name} kurtosis z"), ours.z, Some(z), 1e-8, 1e-8);
            check.close(&format!("{name} kurtosis p"), ours.two_sided, finite(&set["kurtosistest"]["p"]), 1e-9, 1e-6);
        }
        if let (Ok(ours), Some(z)) = (moment_tests::skewness_test(&samples), finite(&set["skewtest"]["z"])) {
            check.close(&format!("{name} skewness z"), ours.z, Some(z), 1e-8, 1e-8);
            check.close(&format!("{name} skewness p"), ours.two_sided, finite(&set["skewtest"]["p"]), 1e-9, 1e-6);
        }
        if let (Ok((k2, p)), Some(theirs)) = (moment_tests::omnibus_test(&samples), finite(&set["normaltest"]["k2"])) {
            check.close(&format!("{name} omnibus"), k2, Some(theirs), 1e-7, 1e-7);
            check.close(&format!("{name} omnibus p"), p, finite(&set["normaltest"]["p"]), 1e-9, 1e-6);
        }
        if let (Ok(ours), Some(a2)) =
            (edf::anderson_darling_exponential(&samples), finite(&set["anderson_expon"]["A2"]))
        {
            check.close(&format!("{name} A2 exponential"), ours, Some(a2), 1e-7, 1e-9);
        }
    }
    check.finish(150);
}

/// By likelihood, as the README asks: ours is at least the polished one.
#[test]
fn oracle_box_cox_likelihood_and_transform_agree() {
    let mut check = Check::default();
    for (name, set) in sets("tail") {
        let theirs = &set["boxcox"];
        let (samples, Some(best)) = (numbers(&set["samples"]), finite(&theirs["llf_polished"])) else { continue };
        let ours = boxcox::fit(&samples).unwrap();
        let slack = 1e-8 * (1.0 + best.abs());
        check.holds(&format!("{name}: llf {} < {best}", ours.log_likelihood), ours.log_likelihood >= best - slack);
        check.holds(&format!("{name} sign"), theirs["negated"].as_bool().is_none_or(|n| n == ours.is_negated));
        for (lambda, value) in theirs["llf_at"].as_object().into_iter().flatten() {
            let at = boxcox::log_likelihood(&samples, lambda.parse().unwrap()).unwrap();
            check.close(&format!("{name} llf at {lambda}"), at, finite(value), 1e-7, 1e-9);
        }
        let Some(lambda) = finite(&theirs["lambda_scipy"]) else { continue };
        let at_scipy = boxcox::BoxCox { lambda, ..ours };
        for (x, y) in samples.iter().zip(numbers(&theirs["transformed_first5"])) {
            // The oracle transforms -x for negative sets; ours turns the result back.
            let y = if ours.is_negated { -y } else { y };
            check.close(&format!("{name} transform"), at_scipy.forward(*x), Some(y), 1e-12, 1e-9);
        }
    }
    check.finish(150);
}

#[test]
fn oracle_two_sample_smirnov_agrees() {
    let mut check = Check::default();
    let all = sets("tail");
    for (name, set) in &all {
        let samples = numbers(&set["samples"]);
        let theirs = &set["ks_2samp"];
        let half = samples.len() / 2;
        if let Some(p) = finite(&theirs["halves"]["p"]) {
            let (first, second) = samples.split_at(half);
            let ours = match theirs["halves"]["method"].as_str() {
                Some("asymp") => smirnov::asymptotic(first, second).unwrap(),
                _ => smirnov::exact(first, second).unwrap(),
            };
            check.close(&format!("{name} halves D"), ours.d, finite(&theirs["halves"]["D"]), 1e-12, 0.0);
            check.close(&format!("{name} halves p"), ours.p, Some(p), 0.0, 1e-9);
        }
        let Some(other) = theirs["other"].as_str() else { continue };
        let Some((_, other)) = all.iter().find(|(n, _)| n == other) else { continue };
        let other = numbers(&other["samples"]);
        let exact = smirnov::exact(&samples, &other).unwrap();
        check.close(&format!("{name} D"), exact.d, finite(&theirs["exact"]["D"]), 1e-12, 0.0);
        // The smallest doubles have no nine digits to agree in.
        // Where scipy warned, its exact method gave up and the number is another one.
        let is_exact = list(&theirs["exact"]["warned"]).is_empty();
        check.close(
            &format!("{name} exact p"),
            exact.p,
            finite(&theirs["exact"]["p"]).filter(|_| is_exact),
            1e-300,
            1e-9,
        );
        let asymptotic = smirnov::asymptotic(&samples, &other).unwrap();
        check.close(&format!("{name} asymptotic p"), asymptotic.p, finite(&theirs["asymp"]["p"]), 1e-6, 1e-6);
    }
    check.finish(100);
}

#[test]
fn oracle_stopping_rule_agrees() {
    let mut check = Check::default();
    let mut compare = |label: &str, p: &[f64], strong: &[f64]| {
        for (i, (ours, theirs)) in strong_stop(p).iter().zip(strong).enumerate() {
            check.close(&format!("{label} strong {i}"), *ours, Some(*theirs), 1e-9, 1e-9);
        }
    };
    for entry in file("tail", "_pSeqStop").iter().flat_map(|f| list(f).to_vec()) {
        compare("pSeqStop", &numbers(&entry["p"]), &numbers(&entry["StrongStop"]));
    }
    for (name, set) in sets("tail") {
        for key in ["eva_gpdSeqTests_ad", "eva_gpdSeqTests_cvm"] {
            // Rows ascend in threshold; eva numbers its tests from the highest one down.
            let column =
                |field: &str| list(&set[key]).iter().rev().filter_map(|row| finite(&row[field])).collect::<Vec<f64>>();
            let (p, strong) = (column("p"), column("StrongStop"));
            if p.len() == list(&set[key]).len() {
                compare(&format!("{name} {key}"), &p, &strong);
            }
        }
    }
    check.finish(60);
}
