//! Modules that a test imports only when it runs. Torch, for one, brings in a compiler with its first optimiser, which takes
//! seconds, and would take them again in every fork. So what a run imported is imported into its layer, and the same run
//! is repeated: if it comes out as before, the modules stay for all layers; if not, the layer is thrown away and loaded
//! without them.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::report::{Outcome, ProbeRecord, Report, TestStatus};

/// Shorter runs are not tried: a trial that fails costs a layer, which takes longer than they would save. What most of them load
/// late is loaded with its library (`_LAZY_PARTS` in loading.py).
const WORTHWHILE: Duration = Duration::from_millis(100);

/// What is known of such modules, for all slots.
#[derive(Debug, Default)]
pub(crate) struct LazyImports {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Seen once, whatever the result.
    tried: HashSet<String>,
    /// Those that change nothing, in the order of their import.
    harmless: Vec<String>,
}

impl LazyImports {
    /// The harmless ones from the `from`th on.
    pub(crate) fn harmless(&self, from: usize) -> Vec<String> {
        self.with(|known| known.harmless.get(from..).unwrap_or_default().to_vec())
    }

    /// What a run imported that no run before it did, if it took long enough to be worth a trial. Says so once.
    pub(crate) fn to_try(&self, report: &Report) -> Vec<String> {
        if report.usage.wall < WORTHWHILE || report.late_modules.is_empty() {
            return Vec::new();
        }
        self.with(|known| {
            let is_new = report.late_modules.iter().filter(|name| known.tried.insert((*name).clone())).count() > 0;
            if is_new { report.late_modules.clone() } else { Vec::new() }
        })
    }

    /// Takes note that a run comes out the same with these modules already there.
    pub(crate) fn are_harmless(&self, modules: Vec<String>) {
        self.with(|known| {
            let new: Vec<String> = modules.into_iter().filter(|name| !known.harmless.contains(name)).collect();
            known.harmless.extend(new);
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut Known) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether the runs of a test in two processes came out the same, but for the time they took.
pub(crate) fn is_alike(one: &Report, other: &Report) -> bool {
    shown(one).is_some_and(|runs| Some(runs) == shown(other))
}

/// How a run ended, and what its probes recorded.
type Shown<'a> = (TestStatus, Option<(&'a str, &'a str)>, &'a [ProbeRecord]);

/// What the runs of a process showed; nothing if it did not come to its end.
fn shown(report: &Report) -> Option<Vec<Shown<'_>>> {
    match &report.outcome {
        Outcome::Repeated => report.runs.iter().map(|run| shown_by(&run.outcome, &run.probes)).collect(),
        outcome => Some(vec![shown_by(outcome, &report.probes)?]),
    }
}

fn shown_by<'a>(outcome: &'a Outcome, probes: &'a [ProbeRecord]) -> Option<Shown<'a>> {
    let Outcome::Test(run) = outcome else { return None };
    let exception = run.exception.as_ref();
    Some((run.status, exception.map(|raised| (raised.type_name.as_str(), raised.message.as_str())), probes))
}
