//! The example project end to end: one flaky test, and no other.

use temper_bounds::Seeds;
use temper_bounds::job::{Job, Progress, Stop, Watch, run};
use temper_bounds::verdict::{Rules, Verdict};
use temper_stats::bound::Method;
use temper_stats::{Confidence, Target};
use temper_store::Store;
use temper_worker::Limits;

use crate::support::{Project, repository};

pub struct Patient;

impl Watch for Patient {
    fn step(&mut self, _: Progress) {}

    fn stop(&self) -> Option<Stop> {
        None
    }
}

#[test]
fn the_norm_of_mlkit_is_flaky_and_no_other_test_is() {
    let project = Project::copy(&repository().join("examples/mlkit"));
    let rules = Rules {
        pass: Target::new(0.99).unwrap(),
        confidence: Confidence::STANDARD,
        method: Method::Calibrated,
        most_runs: 400,
    };
    let job = Job {
        root: project.root(),
        arguments: vec![],
        seeds: Seeds::Keep,
        rules,
        seed: 1,
        limits: Limits::default(),
        is_wanted: &|_| true,
    };
    let mut driver = project.driver();
    let mut store = Store::open(&project.root()).unwrap();
    let found = run(&job, &mut driver, &mut store, &mut Patient).unwrap();
    for test in &found.tests {
        for site in &test.sites {
            eprintln!("{} {} runs {:?} {:?}", test.test.node, test.runs, site.judgement, site.series.samples().unwrap().quantile(0.5));
        }
    }
    let flaky: Vec<&str> = found
        .tests
        .iter()
        .filter(|test| test.sites.iter().any(|site| matches!(site.judgement.verdict, Verdict::Flaky(_))))
        .map(|test| test.test.node.as_str())
        .collect();
    assert_eq!(flaky, ["tests/test_mlkit.py::test_logreg_norm"]);
    assert!(found.taken > 0 && found.reused == 0);
    let again = run(&job, &mut driver, &mut store, &mut Patient).unwrap();
    assert_eq!(again.taken, 0);
    assert_eq!(again.tests.len(), found.tests.len());
    for (first, second) in found.tests.iter().zip(&again.tests) {
        assert_eq!(first.sites, second.sites);
    }
}
