//! The ordinary path: collect a project, run its tests with seeds and edits, read what the probes recorded.

mod support;

use std::sync::Arc;

use support::*;
use temper_worker::*;

const DRAWS: &str = "test_draws.py";

#[test]
fn a_probe_value_comes_back_from_a_forked_sample() {
    let project = Project::new("unseeded-draws");
    let mut driver = project.driver(1);
    let edits = vec![project.probed(DRAWS, &["random.random()"])];
    let layer = Arc::new(LayerSpec { edits, ..project.tests() });
    let report = run_one(&mut driver, &layer, test_piece("test_draws.py::test_shared_state", 7));
    assert_eq!(status(&report), TestStatus::Passed);
    assert_eq!(report.mode, Mode::Forked);
    assert_eq!(report.seed, 7);
    // CPython: random.seed(7); random.random()
    assert_eq!(values(&report), [(0, Value::Float(0.32383276483316237))]);
}
