//! The example project end to end: one flaky test, and no other; a second run takes no sample.

use temper_bounds::Seeds;

use crate::job::{job, sampled, verdicts};
use crate::support::{Project, repository};

#[test]
fn the_norm_of_mlkit_is_flaky_and_no_other_test_is() {
    let project = Project::copy(&repository().join("examples/mlkit"));
    let job = job(&project, Seeds::Keep, 200, &[]);
    let found = sampled(&project, &job, None);
    let flaky: Vec<String> =
        verdicts(&found).into_iter().filter(|(_, words)| words.contains(&"flaky")).map(|(name, _)| name).collect();
    assert_eq!(flaky, ["test_logreg_norm"]);
    assert!(found.taken > 0 && found.reused == 0);
    let again = sampled(&project, &job, None);
    assert_eq!(again.taken, 0);
    assert_eq!(verdicts(&again), verdicts(&found));
}
