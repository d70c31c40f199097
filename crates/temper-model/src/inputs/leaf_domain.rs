//! The inputs of one leaf as a domain of the engine.

use super::{InputMode, Inputs, LeafSampling};
use crate::boundary::last_value::{above, below};
use crate::data::matrix::Matrix;
use crate::data::schema::Column;
use crate::inputs::cell::{between, near, real_between};
use crate::tree::leaf::LeafInterval;
use temper::choices::Width;
use temper::{Choices, Domain, Rejected};

/// How far a training row's numbers are moved, in standard deviations of their column. Farther moves leave what the data
/// describe; nearer ones only repeat the rows.
const MOVE: f64 = 0.1;

/// How one cell of an input is drawn.
#[derive(Clone, Debug)]
pub(super) enum CellDomain<'a> {
    /// Between closed limits; missing with the given probability.
    Within { lo: f64, hi: f64, missing: f64 },
    /// As in one of these training rows.
    Observed(&'a [usize]),
    /// One of these values.
    OneOf(Vec<f64>),
    /// Always this value.
    Fixed(f64),
}

/// The inputs of one leaf: its box, or the surroundings of its rows inside the box.
#[derive(Clone, Debug)]
pub struct LeafDomain<'a> {
    columns: &'a [Column],
    rows: &'a Matrix,
    /// Training rows to start from; when there are none, each cell is drawn by itself.
    starts: &'a [usize],
    /// The cell that is drawn by itself even when the others start from a row.
    focus: Option<usize>,
    cells: Vec<CellDomain<'a>>,
    reads: Width,
    /// Whether whole numbers are drawn for columns of whole numbers.
    keeps_whole: bool,
}

impl<'a> LeafDomain<'a> {
    pub(super) fn of_leaf(inputs: &'a Inputs, leaf: usize) -> Self {
        let is_local = inputs.settings.mode == InputMode::Clean(LeafSampling::Local);
        let columns = &inputs.data.schema.columns;
        LeafDomain {
            columns,
            rows: &inputs.data.features,
            starts: if is_local { &inputs.rows_of_leaf[leaf] } else { &[] },
            focus: None,
            cells: (0..columns.len()).map(|feature| cell_of_leaf(inputs, leaf, feature)).collect(),
            reads: inputs.settings.reads,
            keeps_whole: true,
        }
    }

    pub(super) fn of_cells(inputs: &'a Inputs, cells: Vec<CellDomain<'a>>) -> Self {
        LeafDomain {
            columns: &inputs.data.schema.columns,
            rows: &inputs.data.features,
            starts: &[],
            focus: None,
            cells,
            reads: inputs.settings.reads,
            keeps_whole: false,
        }
    }

    /// The same inputs with one cell drawn from closed limits.
    pub(super) fn focused(&self, feature: usize, lo: f64, hi: f64) -> Self {
        let mut focused = self.clone();
        focused.cells[feature] = CellDomain::Within { lo, hi, missing: 0.0 };
        focused.focus = Some(feature);
        focused
    }

    /// The limits of a feature, where it has any.
    pub(super) fn limits(&self, feature: usize) -> Option<(f64, f64)> {
        match self.cells[feature] {
            CellDomain::Within { lo, hi, .. } => Some((lo, hi)),
            _ => None,
        }
    }

    /// Draws one input into `row`.
    pub(super) fn fill(&self, choices: &mut Choices, row: &mut [f64]) {
        let start = (!self.starts.is_empty()).then(|| self.rows.row(self.starts[choices.index(self.starts.len())]));
        for (feature, cell) in row.iter_mut().enumerate() {
            *cell = match start {
                Some(start) if self.focus != Some(feature) => self.near(feature, start[feature], choices),
                _ => self.cell(feature, choices),
            };
        }
    }

    fn cell(&self, feature: usize, choices: &mut Choices) -> f64 {
        match &self.cells[feature] {
            CellDomain::Within { lo, hi, missing } => match self.columns[feature].missing {
                Some(code) if *missing > 0.0 && choices.flag(*missing) => code,
                _ if self.keeps_whole || !self.columns[feature].is_numeric() => {
                    between(&self.columns[feature], *lo, *hi, self.reads, choices)
                }
                _ => real_between(*lo, *hi, self.reads, choices),
            },
            CellDomain::Observed(rows) => self.rows.row(rows[choices.index(rows.len())])[feature],
            CellDomain::OneOf(values) => values[choices.index(values.len())],
            CellDomain::Fixed(value) => *value,
        }
    }

    /// A cell near that of a training row, within the limits.
    fn near(&self, feature: usize, value: f64, choices: &mut Choices) -> f64 {
        let column = &self.columns[feature];
        let limits = self.limits(feature).unwrap_or((column.min, column.max));
        near(column, value, MOVE, limits, self.reads, choices)
    }
}

impl Domain for LeafDomain<'_> {
    type Value = Vec<f64>;

    fn draw(&self, choices: &mut Choices) -> Result<Vec<f64>, Rejected> {
        let mut row = vec![0.0; self.cells.len()];
        self.fill(choices, &mut row);
        Ok(row)
    }
}

fn cell_of_leaf<'a>(inputs: &'a Inputs, leaf: usize, feature: usize) -> CellDomain<'a> {
    let column = &inputs.data.schema.columns[feature];
    let class = inputs.surrogate.leaves[leaf].class;
    let interval = inputs.surrogate.leaves[leaf].interval(feature);
    if interval == LeafInterval::default() {
        return CellDomain::Observed(&inputs.rows_of_class[class]);
    }
    let reads = inputs.settings.reads;
    let (min, max) = inputs.ends[class][feature];
    let lo = interval.lo.map_or(reads.round(min), |lo| above(lo, column, reads).max(reads.round(column.min)));
    let hi = interval.hi.map_or(reads.round(max), |hi| below(hi, column, reads).min(reads.round(column.max)));
    match column.missing {
        // Only missing cells of the class are on this side.
        Some(code) if lo > hi && interval.contains(code) => CellDomain::Fixed(code),
        _ => CellDomain::Within { lo: lo.min(hi), hi, missing: missing_share(inputs, leaf, feature) },
    }
}

/// Share of the leaf's rows in which a cell is missing.
fn missing_share(inputs: &Inputs, leaf: usize, feature: usize) -> f64 {
    let Some(code) = inputs.data.schema.columns[feature].missing else { return 0.0 };
    let rows = &inputs.rows_of_leaf[leaf];
    let missing = rows.iter().filter(|&&row| inputs.data.features.row(row)[feature] == code).count();
    missing as f64 / rows.len().max(1) as f64
}
