//! Inputs as the published tool draws them (`--paper`).
//!
//! It follows the released program, not the paper's text: ends that no split gives come from all rows, a free feature takes ten
//! values of the class, and of two ends one is looked at, the same for every leaf. Draws are uniform; the released program
//! leaves them to Hypothesis, which prefers simple numbers and ends.

use super::leaf_domain::{CellDomain, LeafDomain};
use super::{Criterion, InputMode, InputSource, InputSuite, Inputs, Untested};
use crate::boundary::interval_ends::{Ends, PaperRounding, column_decimals};
use crate::data::dataset::Dataset;
use crate::data::schema::ColumnKind;
use crate::seed::mixed;
use crate::tree::leaf::LeafInterval;
use temper::Choices;

/// What the whole table says about rounding and free values.
pub(super) struct Tables {
    rounding: Vec<PaperRounding>,
    /// Distinct values of each class and feature, ascending.
    values: Vec<Vec<Vec<f64>>>,
}

impl Tables {
    pub fn new(data: &Dataset, rows_of_class: &[Vec<usize>]) -> Self {
        let features = data.features.columns();
        let columns: Vec<Vec<f64>> = (0..features).map(|feature| data.features.column(feature).collect()).collect();
        let is_whole = data.schema.columns.iter().all(|column| column.kind == ColumnKind::Integer);
        let distinct = |rows: &Vec<usize>, feature: usize| {
            let mut values: Vec<f64> = rows.iter().map(|&row| columns[feature][row]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            values
        };
        let values = rows_of_class.iter().map(|rows| (0..features).map(|feature| distinct(rows, feature)).collect());
        let values = values.collect();
        Tables { rounding: column_decimals(&columns, is_whole).into_iter().map(PaperRounding::new).collect(), values }
    }
}

/// Where the published tool draws one cell from.
#[derive(Clone, Debug, PartialEq)]
pub enum Published {
    /// A few values of the class.
    OneOf(Vec<f64>),
    /// Any number up to `hi`.
    Between {
        /// Lower end.
        lo: f64,
        /// Upper end, included.
        hi: f64,
        /// Whether the lower end is a boundary, which the leaf does not include.
        excludes_lo: bool,
    },
}

impl Inputs<'_> {
    pub(super) fn draw_paper(&self, leaf: usize, criterion: Criterion, choices: &mut Choices, suite: &mut InputSuite) {
        let Some(domain) = self.paper_domain(leaf, criterion, choices) else {
            suite.untested.push((leaf, Untested::Empty));
            return;
        };
        let class = self.surrogate.leaves[leaf].class;
        let mut row = vec![0.0; self.data.features.columns()];
        for draw in 0..self.settings.draws {
            let source = InputSource { leaf, criterion, draw };
            self.fill(&domain, source, choices, &mut row);
            suite.drawn += 1;
            suite.push(&row, class, leaf, source);
        }
    }

    /// The inputs of a leaf as published; `None` when rounding leaves nothing between the ends of a feature.
    pub(super) fn paper_domain(
        &self,
        leaf: usize,
        criterion: Criterion,
        choices: &mut Choices,
    ) -> Option<LeafDomain<'_>> {
        // Free values belong to the leaf: coverage and boundary share them.
        choices.start_random(mixed(&[self.settings.seed, leaf as u64]), false);
        let cells = self.published_cells(leaf, criterion, choices)?.into_iter().map(|cell| match cell {
            Published::OneOf(values) => CellDomain::OneOf(values),
            Published::Between { lo, hi, excludes_lo } => {
                CellDomain::Within { lo: if excludes_lo { lo.next_up() } else { lo }, hi, missing: 0.0 }
            }
        });
        Some(LeafDomain::of_cells(self, cells.collect()))
    }

    /// What the published tool writes for a leaf, column by column; `None` when rounding leaves nothing between the ends, or
    /// the settings are not its own.
    pub fn published(&self, leaf: usize, criterion: Criterion) -> Option<Vec<Published>> {
        let mut choices = Choices::random(0);
        choices.start_random(mixed(&[self.settings.seed, leaf as u64]), false);
        self.published_cells(leaf, criterion, &mut choices)
    }

    fn published_cells(&self, leaf: usize, criterion: Criterion, choices: &mut Choices) -> Option<Vec<Published>> {
        let features = 0..self.data.features.columns();
        features.map(|feature| self.published_cell(leaf, feature, criterion, choices)).collect()
    }

    /// `None` when rounding leaves nothing between the ends.
    fn published_cell(
        &self,
        leaf: usize,
        feature: usize,
        criterion: Criterion,
        choices: &mut Choices,
    ) -> Option<Published> {
        let (Some(tables), InputMode::Paper { free_values, chosen }) = (&self.paper, self.settings.mode) else {
            return None;
        };
        let interval = self.surrogate.leaves[leaf].interval(feature);
        let class = self.surrogate.leaves[leaf].class;
        if interval == LeafInterval::default() {
            return Some(Published::OneOf(some_of(&tables.values[class][feature], free_values, choices)));
        }
        let (min, max) = self.ends[class][feature];
        let coverage = tables.rounding[feature].coverage(interval, min, max);
        let Ends { lo, hi } = match criterion {
            Criterion::Coverage => coverage,
            Criterion::Boundary => {
                tables.rounding[feature].boundary(interval, coverage, chosen, self.settings.slice_percent)
            }
        };
        let excludes_lo = interval.lo.is_some();
        let least = if excludes_lo { lo.next_up() } else { lo };
        (least <= hi).then_some(Published::Between { lo, hi, excludes_lo })
    }
}

/// So many of the values, without repetition, in their order (Floyd's sampling).
fn some_of(values: &[f64], count: usize, choices: &mut Choices) -> Vec<f64> {
    let mut chosen: Vec<usize> = Vec::new();
    for last in values.len().saturating_sub(count.max(1))..values.len() {
        let candidate = choices.index(last + 1);
        chosen.push(if chosen.contains(&candidate) { last } else { candidate });
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|index| values[index]).collect()
}
