//! What a run found, and how it is worded.

use crate::choices::ChoiceTree;
use crate::outcome::Outcome;
use std::fmt::{self, Debug, Write as _};

/// An input that breaks a property, or a witness that was searched for.
#[derive(Clone, Debug)]
pub struct Counterexample<T> {
    /// The input, shrunk.
    pub value: T,
    /// What the property says about it.
    pub outcome: Outcome,
    /// Its utility, where there is one, as the user's function gave it.
    pub utility: Option<f64>,
    /// The answers that make it.
    pub tree: ChoiceTree,
    /// How often shrinking made it simpler.
    pub shrinks: usize,
    /// Whether it was saved by an earlier run.
    pub is_saved: bool,
}

/// What a run of a property found.
#[derive(Clone, Debug)]
pub struct Report<T> {
    /// The input that was searched for, if it was found.
    pub found: Option<Counterexample<T>>,
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
}

impl<T> Report<T> {
    /// Whether the input that was searched for was found.
    pub fn is_found(&self) -> bool {
        self.found.is_some()
    }

    /// Turns the sign of every utility, for a search that lowered what it was told.
    pub(crate) fn negate(&mut self) {
        self.best_utility = self.best_utility.map(|utility| -utility);
        self.climb.iter_mut().for_each(|(_, utility)| *utility = -*utility);
        if let Some(found) = &mut self.found {
            found.utility = found.utility.map(|utility| -utility);
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

/// A climb (the tests at which the best utility rose, with its values) as a line of bars over so many tests.
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

impl<T: Debug> fmt::Display for Report<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Some(found) => self.write_found(f, found)?,
            None => writeln!(f, "not found in {}", count(self.tests, "test"))?,
        }
        if self.rejected > 0 {
            writeln!(f, "  rejected: {} of {} inputs", self.rejected, self.tests)?;
        }
        if let (Some(&(_, first)), Some(best)) = (self.climb.first(), self.best_utility) {
            writeln!(f, "  climb: {first} {} {best}", self.climb_plot())?;
        }
        write!(f, "  seed: {}", self.seed)
    }
}

fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

impl<T: Debug> Report<T> {
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
