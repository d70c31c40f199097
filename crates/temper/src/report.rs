//! What a run found, and how it is worded.

use crate::choices::{ChoiceTree, Choices};
use crate::closure::{ClosureFailure, FailedInput};
use crate::domain::Domain;
use crate::labels::{LabelCounts, MissedLabel};
use crate::outcome::Outcome;
use crate::run::{FoundFailure, RunReport, TooFewTests};
use std::fmt::{self, Debug, Write as _};

/// An input that breaks a property, or a witness that was searched for.
#[derive(Clone, Debug)]
pub struct Counterexample<T> {
    /// The input, shrunk.
    pub value: T,
    /// What the property says about it.
    pub outcome: Outcome,
    /// Its utility, if there is one, as the user's function gave it.
    pub utility: Option<f64>,
    /// The answers that make it.
    pub tree: ChoiceTree,
    /// How often shrinking made it simpler.
    pub shrinks: usize,
    /// Whether it was saved by an earlier run.
    pub is_saved: bool,
    /// Whether it broke the property again when it was tested again.
    pub is_stable: bool,
}

impl<T> Counterexample<T> {
    fn of<D: Domain<Value = T>>(
        failure: FoundFailure<ClosureFailure, FailedInput<T>>,
        domain: &D,
        sign: f64,
    ) -> Option<Counterexample<T>> {
        let FoundFailure { evidence, utility, tree, shrinks, is_saved, is_stable, .. } = failure;
        let mut outcome =
            Outcome::Failed("it failed once, and not in this way when run again on the same input".to_owned());
        let value = match evidence {
            Some(found) => {
                outcome = if is_stable { found.outcome } else { outcome };
                found.value?
            }
            None => domain.draw(&mut Choices::replay(&tree)).ok()?,
        };
        let utility = utility.filter(|_| is_stable).map(|utility| sign * utility);
        Some(Counterexample { value, outcome, utility, tree, shrinks, is_saved, is_stable })
    }
}

/// A panic of a domain while it drew an input: there is no input to show, only the answers that lead to the panic.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DrawingPanic {
    /// What the panic said, and where.
    pub message: String,
    /// The answers that the domain was given, shrunk.
    pub tree: ChoiceTree,
}

impl DrawingPanic {
    fn of<T>(failure: &FoundFailure<ClosureFailure, FailedInput<T>>) -> Option<DrawingPanic> {
        let found = failure.evidence.as_ref().filter(|found| found.value.is_none())?;
        let Outcome::Crashed(message) = &found.outcome else { return None };
        Some(DrawingPanic { message: message.clone(), tree: failure.tree.clone() })
    }
}

/// What a run of a property found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PropertyReport<T> {
    /// The input that was searched for, if it was found.
    pub found: Option<Counterexample<T>>,
    /// Inputs that fail in other ways, if more than one failure was asked for.
    pub others: Vec<Counterexample<T>>,
    /// How many of the inputs had each label.
    pub labels: LabelCounts,
    /// The labels that fewer inputs had than asked for, if nothing was found.
    pub missed_labels: Vec<MissedLabel>,
    /// The number of inputs tested until then, rejected ones counted, shrinking not counted.
    pub tests: usize,
    /// The number of inputs that the domain or the property rejected.
    pub rejected: usize,
    /// The seed that gives this run again.
    pub seed: u64,
    /// The best utility seen, as the user's function gave it.
    pub best_utility: Option<f64>,
    /// The tests at which the best utility rose, with its values.
    pub climb: Vec<(usize, f64)>,
    /// The best of each utility that has a name, as the property told it.
    pub best_by_name: Vec<(String, f64)>,
    /// Whether every input of the domain was tested.
    pub is_exhausted: bool,
    /// Why the run says nothing about the property: it found nothing, and tested too little.
    pub too_few_tests: Option<TooFewTests>,
    /// The domain panicked, and that ended the run.
    pub drawing_panic: Option<DrawingPanic>,
}

impl<T> PropertyReport<T> {
    /// Whether the input that was searched for was found.
    pub fn is_found(&self) -> bool {
        self.found.is_some()
    }

    /// Whether no such input exists, as far as enough inputs were tested to say so.
    pub fn holds(&self) -> bool {
        self.found.is_none()
            && self.too_few_tests.is_none()
            && self.drawing_panic.is_none()
            && self.missed_labels.is_empty()
    }

    /// The report of a run over a domain; `sign` is -1 if the run raised what the user wants lowered.
    pub(crate) fn of<D: Domain<Value = T>>(
        run: RunReport<ClosureFailure, FailedInput<T>>,
        domain: &D,
        sign: f64,
        seed: u64,
    ) -> PropertyReport<T> {
        let too_few_tests = run.too_few_tests();
        let climb: Vec<_> = run.climb.into_iter().map(|(test, utility)| (test, sign * utility)).collect();
        let mut failures = run.failures.into_iter();
        let failure = failures.next();
        let drawing_panic = failure.as_ref().and_then(DrawingPanic::of);
        let found = failure.and_then(|failure| Counterexample::of(failure, domain, sign));
        let others = failures.filter_map(|failure| Counterexample::of(failure, domain, sign)).collect();
        // A saved failure is tested without a search that would have climbed to it.
        let saved_utility = found.as_ref().filter(|found| found.is_saved).and_then(|found| found.utility);
        PropertyReport {
            tests: run.evaluations,
            rejected: run.rejections.total(),
            seed,
            best_utility: climb.last().map(|&(_, utility)| utility).or(saved_utility),
            found,
            others,
            labels: LabelCounts::default(),
            missed_labels: Vec::new(),
            climb,
            best_by_name: Vec::new(),
            is_exhausted: run.is_exhausted,
            too_few_tests,
            drawing_panic,
        }
    }

    /// The report of a property that ends the process on this input.
    /// Takes in the labels of the run. A failure is told first: which labels are rare matters only without one.
    pub(crate) fn count_labels(&mut self, labels: LabelCounts, cover: &[(String, f64)]) {
        self.missed_labels = if self.found.is_none() { labels.missed(cover) } else { Vec::new() };
        self.labels = labels;
    }

    pub(crate) fn of_death(value: T, tree: ChoiceTree, shrinks: usize, why: String, seed: u64) -> PropertyReport<T> {
        let outcome = Outcome::Crashed(why);
        let found = Counterexample { value, outcome, utility: None, tree, shrinks, is_saved: false, is_stable: true };
        PropertyReport {
            found: Some(found),
            others: Vec::new(),
            labels: LabelCounts::default(),
            missed_labels: Vec::new(),
            tests: 1,
            rejected: 0,
            seed,
            best_utility: None,
            climb: Vec::new(),
            best_by_name: Vec::new(),
            is_exhausted: false,
            too_few_tests: None,
            drawing_panic: None,
        }
    }

    /// The found input.
    pub fn value(&self) -> Option<&T> {
        self.found.as_ref().map(|found| &found.value)
    }

    /// The climb of the best utility as a line of bars over the tests, empty without a utility.
    pub fn climb_plot(&self) -> String {
        climb_plot(&self.climb, self.tests)
    }
}

/// A climb (the tests at which the best utility rose, with its values) as a line of bars over a number of tests.
pub fn climb_plot(climb: &[(usize, f64)], tests: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (Some(&(_, first)), Some(&(_, last))) = (climb.first(), climb.last()) else {
        return String::new();
    };
    let width = 40.min(tests.max(1));
    let height = |column: usize| {
        let test = (column + 1) * tests / width;
        let value = climb.iter().take_while(|(at, _)| *at <= test).last().map_or(first, |&(_, value)| value);
        let part = if last == first { 1.0 } else { (value - first) / (last - first) };
        BARS[((part * 7.0).round() as usize).min(7)]
    };
    (0..width).map(height).collect()
}

impl<T: Debug> fmt::Display for PropertyReport<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = self.too_few_tests {
            return write!(f, "{error}");
        }
        if let Some(panic) = &self.drawing_panic {
            writeln!(
                f,
                "the domain panicked while it drew an input, after {}: {}",
                count(self.tests, "test"),
                panic.message
            )?;
            return write!(f, "  answers: {}\n  seed: {}", panic.tree, self.seed);
        }
        match &self.found {
            Some(found) => self.write_found(f, found)?,
            None if self.is_exhausted => {
                writeln!(f, "not found: all inputs were tested, in {}", count(self.tests, "test"))?
            }
            None => writeln!(f, "not found in {}", count(self.tests, "test"))?,
        }
        for other in &self.others {
            writeln!(f, "  another failure: {}\n    input: {:?}", other.outcome, other.value)?;
        }
        for MissedLabel { label, wanted, share, .. } in &self.missed_labels {
            let (share, wanted) = (100.0 * share, 100.0 * wanted);
            writeln!(f, "  only {share:.1} % of the inputs are `{label}`; {wanted:.1} % were asked for")?;
        }
        for (label, count) in &self.labels.counts {
            writeln!(
                f,
                "  label: {label}: {count} of {} ({:.1} %)",
                self.labels.tests,
                100.0 * self.labels.share(label)
            )?;
        }
        if self.rejected > 0 {
            writeln!(f, "  rejected: {} of {} inputs", self.rejected, self.tests)?;
        }
        if let (Some(&(_, first)), Some(best)) = (self.climb.first(), self.best_utility) {
            writeln!(f, "  climb: {first} {} {best}", self.climb_plot())?;
        }
        for (name, best) in &self.best_by_name {
            writeln!(f, "  best {name}: {best}")?;
        }
        write!(f, "  seed: {}", self.seed)
    }
}

fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

impl<T: Debug> PropertyReport<T> {
    fn write_found(&self, f: &mut fmt::Formatter<'_>, found: &Counterexample<T>) -> fmt::Result {
        let origin = if found.is_saved { "a saved failure".to_owned() } else { count(self.tests, "test") };
        writeln!(f, "found after {origin} and {}: {}", count(found.shrinks, "shrink"), found.outcome)?;
        let mut value = String::new();
        write!(value, "{:?}", found.value)?;
        if value.len() > 160 {
            value.clear();
            write!(value, "{:#?}", found.value)?;
        }
        writeln!(f, "  input: {value}")?;
        match found.utility {
            Some(utility) => writeln!(f, "  utility: {utility}"),
            None => Ok(()),
        }
    }
}
