//! Projects whose options name plugins that rerun, reorder, distribute, trace or write files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use support::*;
use temper_worker::*;

#[test]
fn plugins_in_the_options_of_a_project_neither_stop_nor_change_its_samples() {
    let project = Project::new("plugins-in-addopts");
    let before = snapshot(&project.root());
    let mut driver = project.driver(1);
    let edits = vec![project.probed("tests/test_plugins.py", &["random.random()"])];
    let layer = Arc::new(LayerSpec { edits, ..project.tests() });
    // Warm, so that plugins are imported under a base layer that has their libraries.
    let loaded = driver.warm(&layer).unwrap().unwrap_or_else(|failure| panic!("{failure:?}"));
    assert_eq!(loaded.spawn_reason, None);
    assert_eq!(loaded.errors, []);
    let names: Vec<_> = loaded.items.iter().map(|item| item.node.rsplit_once("::").unwrap().1).collect();
    let expected = [
        ("test_marked_for_rerunfailures", TestStatus::Failed, 1),
        ("test_marked_for_flaky", TestStatus::Failed, 1),
        ("test_async", TestStatus::Passed, 1),
        ("test_async_fixture", TestStatus::Passed, 1),
        ("test_uses_fixtures_of_plugins", TestStatus::Passed, 1),
        ("test_parametrised[2]", TestStatus::Passed, 1),
        ("test_parametrised[3]", TestStatus::Passed, 1),
        ("test_skipped", TestStatus::Skipped, 0),
        ("test_expected_to_fail", TestStatus::XFailed, 1),
        ("test_expected_to_fail_and_does_not", TestStatus::XPassed, 1),
        ("test_strictly_expected_to_fail_and_does_not", TestStatus::Failed, 1),
        ("test_with_a_broken_fixture", TestStatus::Error, 0),
        ("test_with_a_broken_teardown", TestStatus::Error, 1),
        ("test_less", TestStatus::Passed, 1),
    ];
    // In the order of the file: nothing has shuffled them.
    assert_eq!(names, expected.map(|(name, _, _)| name));
    let pieces: Vec<_> = loaded.items.iter().map(|item| test_piece(&item.node, 7)).collect();
    for (report, (name, expected, probes)) in run(&mut driver, &layer, pieces).iter().zip(expected) {
        assert_eq!(status(report), expected, "{name}: {:?}", report.outcome);
        assert_eq!(report.mode, Mode::Forked);
        // One value: run once, not rerun; and the value that the seed gives, not one of pytest-randomly's.
        let drawn = vec![(0, Value::Float(0.32383276483316237)); probes];
        assert_eq!(values(report), drawn, "{name}");
    }
    assert_eq!(snapshot(&project.root()), before);
}
