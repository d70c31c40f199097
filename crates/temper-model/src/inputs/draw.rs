//! Draws the inputs of leaves, or one of them again.

use rayon::prelude::*;
use temper::Choices;

use super::boundary;
use super::leaf_domain::LeafDomain;
use super::prepared::Inputs;
use super::settings::{Criterion, InputMode, InputSettings};
use super::suite::{InputSource, InputSuite, Untested};
use crate::data::dataset::Dataset;
use crate::error::ModelError;
use crate::seed::mixed;
use crate::tree::surrogate::Surrogate;

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

impl Inputs<'_> {
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
    pub(super) fn fill(&self, domain: &LeafDomain, source: InputSource, choices: &mut Choices, row: &mut [f64]) {
        let parts = [self.settings.seed, source.leaf as u64, source.criterion as u64, source.draw as u64];
        choices.start_random(mixed(&parts), false);
        domain.fill(choices, row);
    }
}
