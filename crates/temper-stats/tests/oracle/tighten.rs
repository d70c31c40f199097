//! fixtures/oracles/tighten: FASER's mathematics, with the tolerances its README suggests.

use crate::load::{Check, finite, list, number, numbers, sets};
use serde_json::Value;
use temper_stats::concentration::{self, Inequality, Reading, cantelli, dasgupta, pass_probability};
use temper_stats::kill::effect::{LEVEL, effects};
use temper_stats::kill::faser::{Faser, FaserLabel, Optimum, optimise};
use temper_stats::kill::{Assertion, KillCurve};
use temper_stats::moments::Moments;
use temper_stats::{Direction, Samples, moment_tests, shapiro, smirnov};

struct Case {
    name: String,
    original: Vec<f64>,
    mutants: Vec<Vec<f64>>,
    assertion: Assertion,
    gamma: f64,
    weights: Vec<f64>,
    level: f64,
    expected: Value,
}

fn cases() -> Vec<Case> {
    let read = |(name, set): (String, Value)| {
        let input = &set["input"];
        let op = input["assert_op"].as_str().unwrap_or("lt");
        let direction = if op.starts_with('l') { Direction::Upper } else { Direction::Lower };
        let assertion =
            Assertion { direction, is_strict: op.ends_with('t'), bound: number(&input["original_bound"]).unwrap() };
        Case {
            name,
            original: numbers(&input["original"]),
            mutants: list(&input["mutants"]).iter().map(numbers).collect(),
            assertion,
            gamma: finite(&input["gamma"]).unwrap_or(0.99),
            weights: numbers(&input["alphas"]),
            level: finite(&input["ks_p"]).unwrap_or(LEVEL),
            expected: set["expected"].clone(),
        }
    };
    sets("tighten").into_iter().map(read).collect()
}

impl Case {
    fn turned(&self) -> Vec<f64> {
        self.original.iter().map(|x| self.assertion.direction.oriented(*x)).collect()
    }

    fn effective(&self) -> Vec<&[f64]> {
        let all = effects(
            &self.original,
            self.mutants.iter().map(Vec::as_slice),
            self.assertion.direction,
            self.level,
            false,
        )
        .unwrap();
        self.mutants.iter().zip(all).filter(|(_, e)| e.is_effective).map(|(m, _)| m.as_slice()).collect()
    }

    fn curve(&self) -> KillCurve {
        KillCurve::new(self.effective(), self.assertion.direction, self.assertion.is_strict)
    }
}

#[test]
fn oracle_classification_of_the_original_agrees() {
    let mut check = Check::default();
    for case in cases() {
        let (name, turned) = (&case.name, case.turned());
        let moments = Moments::of(&turned);
        let e = &case.expected;
        let rounding = 1e-13 * turned.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        check.close(&format!("{name} mean"), moments.mean, finite(&e["mean_canonical"]), rounding, 1e-12);
        check.close(&format!("{name} S"), moments.deviation(), finite(&e["std_ddof1"]), 1e-300, 1e-9);
        check.close(&format!("{name} S0"), moments.deviation_of_population(), finite(&e["std_ddof0"]), 1e-300, 1e-9);
        let p90 = Samples::new(&turned).unwrap().quantile(0.9).unwrap();
        check.close(&format!("{name} p90"), p90, finite(&e["percentile90_canonical"]), 0.0, 1e-14);
        let c = &e["classification"];
        let (Ok(kurtosis), Ok(shapiro)) = (moment_tests::kurtosis_test(&turned), shapiro::shapiro_wilk(&turned)) else {
            check.holds(&format!("{name} is degenerate"), c["degenerate"].as_bool() == Some(true));
            continue;
        };
        check.close(&format!("{name} W"), shapiro.w, finite(&c["shapiro_w"]), 1e-6, 0.0);
        check.close(&format!("{name} W p"), shapiro.p, finite(&c["shapiro_p"]), 1e-6, 0.0);
        check.close(&format!("{name} kurtosis"), kurtosis.z, finite(&c["kurt_z"]), 1e-6, 0.0);
        check.close(&format!("{name} two-sided"), kurtosis.two_sided, finite(&c["kurt_p_two"]), 1e-6, 0.0);
        check.close(&format!("{name} less"), kurtosis.less, finite(&c["kurt_p_less"]), 1e-6, 0.0);
        check.close(&format!("{name} greater"), kurtosis.greater, finite(&c["kurt_p_greater"]), 1e-6, 0.0);
        for (reading, key) in [(Reading::Paper, "route_paper"), (Reading::Code, "route_code")] {
            let Some(route) = c[key].as_str() else { continue };
            let ours = concentration::choose(&turned, reading).unwrap().inequality;
            let expected = if route == "dasgupta" { Inequality::Dasgupta } else { Inequality::Cantelli };
            check.holds(&format!("{name} {key}"), ours == expected);
        }
    }
    check.finish(200);
}

#[test]
fn oracle_effective_mutants_agree() {
    let mut check = Check::default();
    for case in cases() {
        let all = effects(
            &case.original,
            case.mutants.iter().map(Vec::as_slice),
            case.assertion.direction,
            case.level,
            false,
        )
        .unwrap();
        for (i, theirs) in list(&case.expected["ks"]).iter().enumerate() {
            let Some(ours) = all.get(i) else { continue };
            let label = format!("{} mutant {i}", case.name);
            check.close(&format!("{label} D"), ours.smirnov.d, finite(&theirs["D"]), 1e-12, 0.0);
            check.close(&format!("{label} p"), ours.smirnov.p, finite(&theirs["p_exact"]), 1e-300, 1e-9);
            let asymptotic = smirnov::asymptotic(&case.mutants[i], &case.original).unwrap();
            check.close(&format!("{label} asymptotic"), asymptotic.p, finite(&theirs["p_asymp"]), 1e-6, 1e-6);
            check.holds(&label, theirs["effective"].as_bool().is_none_or(|e| e == ours.is_effective));
        }
        let count = case.expected["n_effective"].as_u64();
        check.holds(&format!("{} count", case.name), count.is_none_or(|n| n as usize == case.effective().len()));
    }
    check.finish(200);
}

#[test]
fn oracle_pass_probabilities_and_kill_scores_agree_over_the_curve() {
    let mut check = Check::default();
    for case in cases() {
        let turned = case.turned();
        let moments = Moments::of(&turned);
        let (s1, s0, n) = (moments.deviation(), moments.deviation_of_population(), turned.len());
        let curve = case.curve();
        let upper = KillCurve::new([turned.as_slice()], Direction::Upper, case.assertion.is_strict);
        for (i, row) in list(&case.expected["curve"]).iter().enumerate() {
            let Some(theta) = finite(&row["theta_canonical"]) else { continue };
            let label = |what: &str| format!("{} row {i} {what}", case.name);
            let kill = |c: &KillCurve, b: f64| score(c, b);
            check.close(
                &label("ms"),
                kill(&curve, case.assertion.direction.oriented(theta)),
                finite(&row["ms"]),
                1e-9,
                0.0,
            );
            check.close(&label("empirical"), 1.0 - kill(&upper, theta), finite(&row["empirical"]), 1e-9, 0.0);
            for (key, inequality, s) in [
                ("dasgupta_ddof1", Inequality::Dasgupta, s1),
                ("dasgupta_ddof0", Inequality::Dasgupta, s0),
                ("cantelli_ddof1", Inequality::Cantelli, s1),
                ("cantelli_ddof0", Inequality::Cantelli, s0),
            ] {
                check.close(
                    &label(key),
                    pass_probability(inequality, &moments, s, theta),
                    finite(&row[key]),
                    1e-9,
                    0.0,
                );
            }
            if s1 > 0.0 {
                let floored = cantelli((theta - moments.mean) / s1, n);
                check.close(&label("floor"), floored, finite(&row["cantelli_ddof1_qfloor"]), 1e-9, 0.0);
                check.holds(&label("range"), (0.0..=1.0).contains(&dasgupta((theta - moments.mean) / s1)));
            }
        }
    }
    check.finish(10_000);
}

/// Kill score at a bound in the sign the curve was made for, read through the public interface.
fn score(curve: &KillCurve, bound: f64) -> f64 {
    curve.score(bound)
}

#[test]
fn oracle_optimum_agrees_in_both_readings() {
    let mut check = Check::default();
    for case in cases() {
        let curve = case.curve();
        for (reading, key) in [(Reading::Paper, "paper"), (Reading::Code, "code")] {
            let theirs = &case.expected["optimum"][key];
            let ours = optimise(&case.original, &curve, &case.assertion, case.gamma, &case.weights, reading).unwrap();
            let label = format!("{} {key}", case.name);
            let Some(ours) = ours else {
                check.holds(&label, theirs.is_null());
                continue;
            };
            // Cantelli's probabilities are multiples of 1 / (n + 1); a target on one of them is decided by rounding.
            let steps = (1.0 - case.gamma) * (case.original.len() + 1) as f64;
            let is_on_a_step = theirs["route"] == "cantelli" && (steps - steps.round()).abs() < 1e-6;
            if theirs.is_null() || is_on_a_step {
                continue;
            }
            compare(&mut check, &label, &case, &ours, theirs);
            let passing = finite(&case.expected["passing_at_original"][key]);
            check.close(&format!("{label} pass"), ours.original.0, passing, 1e-9, 0.0);
        }
    }
    check.finish(500);
}

fn compare(check: &mut Check, label: &str, case: &Case, ours: &Faser, theirs: &Value) {
    let turned = |b: f64| case.assertion.direction.oriented(b);
    let scale = |theta: f64| 1e-7 * theta.abs();
    if let Some(theta) = finite(&theirs["crossing_canonical"]) {
        check.close(
            &format!("{label} crossing"),
            ours.crossing.map_or(f64::NAN, turned),
            Some(theta),
            scale(theta),
            0.0,
        );
    } else {
        check.holds(&format!("{label} has no crossing"), ours.crossing.is_none());
    }
    check.close(&format!("{label} kill of the original"), ours.original.1, finite(&theirs["ms_original"]), 1e-9, 0.0);
    let expected = match theirs["label"].as_str() {
        Some("loose") => Some(FaserLabel::Loose),
        Some("tight") => Some(FaserLabel::Tight),
        Some("infeasible") => Some(FaserLabel::Infeasible),
        _ => None,
    };
    check.holds(&format!("{label} label {:?}", ours.label), expected.is_none_or(|l| l == ours.label));
    for (key, entry) in theirs["alphas"].as_object().into_iter().flatten() {
        let weight: f64 = key.parse().unwrap();
        let find = |list: &[Optimum]| list.iter().copied().find(|o| (o.weight - weight).abs() < 1e-12);
        same(check, &format!("{label} {key} exact"), find(&ours.constrained), &entry["exact"], 0.0, turned);
        // The oracle looks for the unconstrained optimum of a stepwise pass probability on a grid: ours is at least as
        // good, and at most one grid step below.
        let step = (finite(&case.expected["percentile90_canonical"]).unwrap_or(0.0) - turned(case.assertion.bound))
            .abs()
            / 2_000.0;
        same(check, &format!("{label} {key} free"), find(&ours.unconstrained), &entry["unconstrained"], step, turned);
        if let (Some(grid), Some(best)) = (finite(&entry["grid2001"]["objective"]), find(&ours.constrained)) {
            check.holds(&format!("{label} {key} beats the grid"), best.objective >= grid - 1e-9);
        }
    }
    same(check, &format!("{label} final"), ours.best, &theirs["final"], 0.0, turned);
    if !theirs["escalation"].is_null() || ours.best.is_some() {
        let weight = finite(&theirs["escalation"]["alpha"]);
        check.holds(&format!("{label} escalation {:?}", ours.escalation), ours.escalation.map(|o| o.weight) == weight);
    }
}

fn same(check: &mut Check, label: &str, ours: Option<Optimum>, theirs: &Value, step: f64, turned: impl Fn(f64) -> f64) {
    let Some(objective) = finite(&theirs["objective"]) else {
        check.holds(&format!("{label} exists"), theirs.get("objective").is_some() || ours.is_none());
        return;
    };
    let Some(ours) = ours else {
        check.holds(&format!("{label} missing"), false);
        return;
    };
    check.close(&format!("{label} objective"), ours.objective, Some(objective), 1e-9, 0.0);
    check.close(&format!("{label} pass"), ours.pass, finite(&theirs["passing"]), 1e-9, 0.0);
    check.close(&format!("{label} kill"), ours.kill, finite(&theirs["ms"]), 1e-9, 0.0);
    check.close(&format!("{label} theta"), turned(ours.bound), finite(&theirs["theta"]), step, 1e-7);
}
