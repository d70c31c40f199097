//! A suite: inputs with what is expected of them and where they come from.

use super::settings::Criterion;
use crate::data::matrix::Matrix;
use crate::tree::surrogate::Surrogate;

/// Inputs with what the surrogate expects of them.
#[derive(Clone, Debug, PartialEq)]
pub struct InputSuite {
    /// The inputs.
    pub rows: Matrix,
    /// The class expected of each.
    pub expected: Vec<usize>,
    /// The leaf whose property each input tests, as a position in the surrogate's list.
    pub leaf: Vec<usize>,
    /// How each was drawn.
    pub source: Vec<InputSource>,
    /// Inputs drawn in all, with those that the forest did not vouch for.
    pub drawn: usize,
    /// Leaves without inputs, and why.
    pub untested: Vec<(usize, Untested)>,
}

/// How an input was drawn: enough to draw it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InputSource {
    /// The leaf it was drawn for.
    pub leaf: usize,
    /// The criterion.
    pub criterion: Criterion,
    /// The how-manieth draw for that leaf and criterion.
    pub draw: usize,
}

impl InputSource {
    /// Whether it is the last value on one side of a split. Such values lie between the rows, where the data leave open which
    /// class begins, so they are shown and never make a finding.
    pub fn is_point(&self) -> bool {
        self.draw >= super::boundary::FIRST_POINT
    }
}

/// Why a leaf has no inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untested {
    /// Two classes are equally frequent in it.
    Tied,
    /// Rounding left nothing between its ends (`--paper` only).
    Empty,
    /// The forest vouched for none of the inputs drawn.
    NoConsensus,
    /// It has no split on its path, so there is no boundary.
    NoSplit,
}

impl InputSuite {
    pub(super) fn empty(columns: usize) -> InputSuite {
        InputSuite {
            rows: Matrix::new(columns),
            expected: Vec::new(),
            leaf: Vec::new(),
            source: Vec::new(),
            drawn: 0,
            untested: Vec::new(),
        }
    }

    /// Number of inputs.
    pub fn len(&self) -> usize {
        self.expected.len()
    }

    /// Whether there are no inputs.
    pub fn is_empty(&self) -> bool {
        self.expected.is_empty()
    }

    /// Number of different inputs.
    pub fn unique(&self) -> usize {
        let rows: std::collections::HashSet<Vec<u64>> =
            self.rows.iter().map(|row| row.iter().map(|value| value.to_bits()).collect()).collect();
        rows.len()
    }

    /// Adds the inputs of another suite.
    pub fn append(&mut self, other: InputSuite) {
        for row in other.rows.iter() {
            self.rows.push(row);
        }
        self.expected.extend(other.expected);
        self.leaf.extend(other.leaf);
        self.source.extend(other.source);
        self.drawn += other.drawn;
        self.untested.extend(other.untested);
    }

    /// At most so many of the inputs, evenly from the first to the last.
    #[must_use]
    pub fn thinned(self, most: usize) -> InputSuite {
        if self.len() <= most {
            return self;
        }
        let kept: Vec<usize> = (0..most).map(|index| index * self.len() / most).collect();
        InputSuite {
            rows: self.rows.select(&kept),
            expected: kept.iter().map(|&at| self.expected[at]).collect(),
            leaf: kept.iter().map(|&at| self.leaf[at]).collect(),
            source: kept.iter().map(|&at| self.source[at]).collect(),
            drawn: self.drawn,
            untested: self.untested,
        }
    }

    /// Adds an input if the surrogate may be trusted on it; it tests the leaf it falls into.
    pub(super) fn offer(&mut self, surrogate: &Surrogate, row: &[f64], source: InputSource) {
        self.drawn += 1;
        let leaf = surrogate.leaf_of(row);
        if surrogate.is_trusted(row, leaf) {
            self.push(row, surrogate.leaves[leaf].class, leaf, source);
        }
    }

    pub(super) fn push(&mut self, row: &[f64], expected: usize, leaf: usize, source: InputSource) {
        self.rows.push(row);
        self.expected.push(expected);
        self.leaf.push(leaf);
        self.source.push(source);
    }
}
