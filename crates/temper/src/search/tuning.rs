//! The constants of the search.

use crate::neighbour::{NeighbourShape, SHAPE};

/// The constants of the search: one set for every problem. Scanned on the benchmarks B2, B3 and B5; slack, first
/// draws and patience were decided with B1 and B4 in view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    pub shape: NeighbourShape,
    /// Fresh draws before the first climb: what drawing finds quickly, a search should not find later. Of a small budget
    /// they take one part out of `first_part`.
    pub first_draws: usize,
    pub first_part: usize,
    /// Fresh draws before every other climb. The best of them is climbed from.
    pub draws: usize,
    /// A climb without progress for this many tests is given up...
    pub least_patience: f64,
    /// ...unless it rose for longer: then after this many times the tests it took to rise.
    pub patience: f64,
    /// How often a new climb starts from the best input so far instead of from fresh draws.
    pub from_best: f64,
    /// A typical loss is accepted with probability exp(-1 / (t * heat)). While a climb does not rise, the heat goes from
    /// the first value to the second over a cycle of tests; then the climb returns to its best input.
    pub cool: f64,
    pub hot: f64,
    pub cycle: usize,
    /// What a rise above the current input counts for learning; a rise above the best of the climb counts 1.
    pub small_gain: f64,
    /// What a change that is accepted at equal utility counts, after `drift_after` tests without a rise. On a plateau the
    /// intensity that moves is the one to use. Counted from the start, it makes mazes half as slow again.
    pub drift_gain: f64,
    pub drift_after: usize,
    /// A neighbour of equal utility may have this part more nodes than the input of the last rise. Without a limit, lists
    /// fill with items that do nothing; with none allowed, a search cannot drift over a plateau.
    pub slack: f64,
    /// How often a walk along one number is begun instead of a neighbour, before anything is learned.
    pub sweep: f64,
}

pub(super) const TUNING: Tuning = Tuning {
    shape: SHAPE,
    first_draws: 86,
    first_part: 10,
    draws: 3,
    least_patience: 200.0,
    patience: 1.0,
    from_best: 0.2,
    cool: 0.05,
    hot: 0.2,
    cycle: 60,
    small_gain: 0.1,
    drift_gain: 0.3,
    drift_after: 100,
    slack: 0.2,
    sweep: 0.03,
};
