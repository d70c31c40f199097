//! Labels of inputs: what a run has tested, in counts, and how much of it was asked for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

thread_local! {
    /// The runs under way on this thread; a property may run another one.
    static RUNS: RefCell<Vec<RunLabels>> = const { RefCell::new(Vec::new()) };
}

/// The labels of a run under way.
#[derive(Debug, Default)]
struct RunLabels {
    /// Those of the input at hand.
    current: BTreeSet<String>,
    counts: LabelCounts,
    /// Shrinking tests inputs that nobody asked to have counted.
    is_over: bool,
}

/// How many of the tested inputs had each label; see [`event`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LabelCounts {
    /// The inputs that were tested, rejected ones and shrinking not counted.
    pub tests: usize,
    /// The labels with their inputs.
    pub counts: BTreeMap<String, usize>,
}

impl LabelCounts {
    /// The part of the tested inputs with this label.
    pub fn share(&self, label: &str) -> f64 {
        self.counts.get(label).map_or(0.0, |&count| count as f64 / self.tests as f64)
    }

    /// Takes in what was counted on another thread.
    pub(crate) fn add(&mut self, other: &LabelCounts) {
        self.tests += other.tests;
        for (label, count) in &other.counts {
            *self.counts.entry(label.clone()).or_default() += count;
        }
    }

    /// The labels that are rarer than asked for.
    pub(crate) fn missed(&self, wanted: &[(String, f64)]) -> Vec<MissedLabel> {
        let missed = wanted.iter().filter(|(label, part)| self.share(label) < *part);
        missed
            .map(|(label, part)| MissedLabel { label: label.clone(), wanted: *part, share: self.share(label) })
            .collect()
    }
}

/// A label that was rarer than asked for with `cover`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MissedLabel {
    /// The label.
    pub label: String,
    /// The part of the inputs that was asked for.
    pub wanted: f64,
    /// The part of the inputs that had it.
    pub share: f64,
}

/// Gives the input at hand a label, to be counted over the run. Called inside a property, on the thread that called
/// it; elsewhere it does nothing. The report has the counts.
///
/// ```
/// use temper::prelude::*;
/// let report = forall(vecs(ints(0..=9))).run(|list| {
///     event(if list.is_empty() { "empty" } else { "not empty" });
///     classify(list.len() > 10, "long");
/// });
/// assert!(report.labels.share("long") > 0.5);
/// ```
pub fn event(label: impl Into<String>) {
    RUNS.with_borrow_mut(|runs| {
        if let Some(run) = runs.last_mut().filter(|run| !run.is_over) {
            run.current.insert(label.into());
        }
    });
}

/// Gives the input at hand a label if a condition holds; see [`event`].
pub fn classify(condition: bool, label: &str) {
    if condition {
        event(label);
    }
}

/// Counts labels while it lives.
#[derive(Debug)]
pub(crate) struct LabelRecorder(());

impl LabelRecorder {
    pub fn start() -> LabelRecorder {
        RUNS.with_borrow_mut(|runs| runs.push(RunLabels::default()));
        LabelRecorder(())
    }

    /// What was counted.
    pub fn counts(&self) -> LabelCounts {
        RUNS.with_borrow(|runs| runs.last().map(|run| run.counts.clone()).unwrap_or_default())
    }
}

impl Drop for LabelRecorder {
    fn drop(&mut self) {
        RUNS.with_borrow_mut(Vec::pop);
    }
}

/// Counts the input at hand, with the labels that it was given, unless it was rejected.
#[inline]
pub(crate) fn end_input(is_tested: bool) {
    RUNS.with_borrow_mut(|runs| {
        let Some(run) = runs.last_mut().filter(|run| !run.is_over) else { return };
        run.counts.tests += usize::from(is_tested);
        if !run.current.is_empty() {
            let labels = std::mem::take(&mut run.current);
            if is_tested {
                labels.into_iter().for_each(|label| *run.counts.counts.entry(label).or_default() += 1);
            }
        }
    });
}

/// From here on inputs are not counted: they only make a failure simpler.
pub(crate) fn stop_counting() {
    RUNS.with_borrow_mut(|runs| {
        if let Some(run) = runs.last_mut() {
            run.is_over = true;
        }
    });
}
