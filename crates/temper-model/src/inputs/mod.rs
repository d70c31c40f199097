//! Inputs that cover every leaf and the neighbourhoods of the splits.
//!
//! Source: Durelli et al., sections 4.2 and 4.3: *coverage* draws inputs in the box of each leaf (DTC there), *boundary* draws
//! them next to the splits on its path (BVA there). Every input is drawn from the engine's choices by a seed of its own, so any
//! one of them can be drawn again alone. The method fails where the box of a leaf is much larger than the rows in it: inputs
//! there are unlike anything the data describe. [`LeafSampling::Local`] and a forest's consent are the remedies.

mod boundary;
pub(crate) mod cell;
mod leaf_domain;
mod paper;
mod settings;
mod suite;

pub use leaf_domain::LeafDomain;
pub use paper::Published;
pub use settings::{BoxFill, Criterion, InputMode, InputSettings, LeafSampling};
pub use suite::{InputSource, InputSuite, Untested};

use crate::data::dataset::Dataset;
use crate::error::ModelError;
use crate::seed::mixed;
use crate::tree::surrogate::Surrogate;
use rayon::prelude::*;
use temper::Choices;

/// How many draws are tried for each input wanted before a leaf is left with fewer: where nine in ten are not vouched for,
/// the leaf says little anyway.
const TRIES: usize = 10;

/// Draws the inputs of one criterion.
///
/// # Errors
/// When a setting makes no sense.
pub fn draw_suite(
    surrogate: &Surrogate,
    data: &Dataset,
    criterion: Criterion,
    settings: &InputSettings,
) -> Result<InputSuite, ModelError> {
    Ok(Inputs::new(surrogate, data, settings)?.suite(criterion))
}

/// The inputs of all leaves, ready to be drawn.
pub struct Inputs<'a> {
    surrogate: &'a Surrogate,
    data: &'a Dataset,
    settings: &'a InputSettings,
    /// Rows of each class.
    rows_of_class: Vec<Vec<usize>>,
    /// Rows of the leaf's own class, leaf by leaf.
    rows_of_leaf: Vec<Vec<usize>>,
    /// Smallest and largest values of each column: overall, or within each class.
    ends: Vec<Vec<(f64, f64)>>,
    paper: Option<paper::Tables>,
}

impl<'a> Inputs<'a> {
    /// Prepares drawing.
    ///
    /// # Errors
    /// When a setting makes no sense.
    pub fn new(surrogate: &'a Surrogate, data: &'a Dataset, settings: &'a InputSettings) -> Result<Self, ModelError> {
        settings.check()?;
        let mut rows_of_class = vec![Vec::new(); data.classes.len()];
        let mut rows_of_leaf = vec![Vec::new(); surrogate.leaves.len()];
        for (row, &leaf) in surrogate.leaf_of_row.iter().enumerate() {
            let class = surrogate.class_of_row[row];
            rows_of_class[class].push(row);
            if class == surrogate.leaves[leaf].class {
                rows_of_leaf[leaf].push(row);
            }
        }
        let global = || data.schema.columns.iter().map(|column| (column.min, column.max)).collect::<Vec<_>>();
        let ends = match settings.fill {
            BoxFill::Global => vec![global(); data.classes.len()],
            BoxFill::Class => rows_of_class.iter().map(|rows| class_ends(data, rows)).collect(),
        };
        let paper = matches!(settings.mode, InputMode::Paper { .. }).then(|| paper::Tables::new(data, &rows_of_class));
        Ok(Inputs { surrogate, data, settings, rows_of_class, rows_of_leaf, ends, paper })
    }

    /// The inputs of one criterion for all leaves, in leaf order.
    pub fn suite(&self, criterion: Criterion) -> InputSuite {
        let leaves = (0..self.surrogate.leaves.len()).into_par_iter();
        let parts: Vec<InputSuite> = leaves.map(|leaf| self.draw_leaf(leaf, criterion)).collect();
        let mut suite = InputSuite::empty(self.data.features.columns());
        for part in parts {
            suite.append(part);
        }
        suite
    }

    /// The clean inputs of one leaf as a domain of the engine, for searching or shrinking among them.
    pub fn domain(&self, leaf: usize) -> LeafDomain<'_> {
        LeafDomain::of_leaf(self, leaf)
    }

    /// One input again, as it was drawn for a suite. `None` when no input has this source.
    pub fn redraw(&self, source: InputSource) -> Option<Vec<f64>> {
        let mut choices = Choices::random(0);
        let mut row = vec![0.0; self.data.features.columns()];
        match self.settings.mode {
            InputMode::Paper { .. } => {
                let domain = self.paper_domain(source.leaf, source.criterion, &mut choices)?;
                self.fill(&domain, source, &mut choices, &mut row);
            }
            InputMode::Clean(_) => {
                let coverage = self.domain(source.leaf);
                if let Some(point) = boundary::point(self, source) {
                    self.fill(&coverage, source, &mut choices, &mut row);
                    row[point.0] = point.1;
                } else {
                    let domains = self.domains(source.leaf, source.criterion, &coverage);
                    let domain = domains.get(source.draw.checked_rem(domains.len())?)?;
                    self.fill(domain, source, &mut choices, &mut row);
                }
            }
        }
        Some(row)
    }

    fn draw_leaf(&self, leaf: usize, criterion: Criterion) -> InputSuite {
        let mut suite = InputSuite::empty(self.data.features.columns());
        let mut choices = Choices::random(0);
        if self.paper.is_some() {
            self.draw_paper(leaf, criterion, &mut choices, &mut suite);
        } else if self.surrogate.leaves[leaf].is_tied {
            suite.untested.push((leaf, Untested::Tied));
        } else {
            self.draw_clean(leaf, criterion, &mut choices, &mut suite);
        }
        suite
    }

    fn draw_clean(&self, leaf: usize, criterion: Criterion, choices: &mut Choices, suite: &mut InputSuite) {
        let coverage = self.domain(leaf);
        let domains = self.domains(leaf, criterion, &coverage);
        if domains.is_empty() {
            suite.untested.push((leaf, Untested::NoSplit));
            return;
        }
        let mut row = vec![0.0; self.data.features.columns()];
        let mut draw = 0;
        while suite.len() < self.settings.draws && draw < TRIES * self.settings.draws {
            let source = InputSource { leaf, criterion, draw };
            self.fill(&domains[draw % domains.len()], source, choices, &mut row);
            suite.offer(self.surrogate, &row, source);
            draw += 1;
        }
        if criterion == Criterion::Boundary {
            boundary::points(self, leaf, &coverage, choices, suite);
        }
        if suite.is_empty() {
            suite.untested.push((leaf, Untested::NoConsensus));
        }
    }

    /// The domains that the draws of a leaf go through in turn.
    fn domains<'b>(&self, leaf: usize, criterion: Criterion, coverage: &LeafDomain<'b>) -> Vec<LeafDomain<'b>> {
        match criterion {
            Criterion::Coverage => vec![coverage.clone()],
            Criterion::Boundary => boundary::slices(self, leaf, coverage),
        }
    }

    /// Draws one input from the seed of its source.
    fn fill(&self, domain: &LeafDomain, source: InputSource, choices: &mut Choices, row: &mut [f64]) {
        let parts = [self.settings.seed, source.leaf as u64, source.criterion as u64, source.draw as u64];
        choices.start_random(mixed(&parts), false);
        domain.fill(choices, row);
    }
}

fn class_ends(data: &Dataset, rows: &[usize]) -> Vec<(f64, f64)> {
    let columns = data.schema.columns.iter().enumerate();
    columns
        .map(|(index, column)| {
            let values = rows.iter().map(|&row| data.features.row(row)[index]).filter(|&v| Some(v) != column.missing);
            let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), v| (v.min(min), v.max(max)));
            // A class may have no value at all in a column.
            if ends.0 <= ends.1 { ends } else { (column.min, column.max) }
        })
        .collect()
}
