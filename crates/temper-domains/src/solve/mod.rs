//! The solver. A draw has three phases: the skeleton (which alternative each union takes), the unknowns (whole numbers,
//! lengths, dimensions, compared floats), and the fill (everything else, given the unknowns). The first two are here.
//! Skeletons without a solution are excluded once, when a plan is made, so that a draw never takes one.
//!
//! What the values are is not known here: the solver asks a [`Scope`](unknowns::Scope) for numbers, lengths and types.
//!
//! Complete for difference constraints; for other sums, and for preconditions that are not understood, draws may be
//! rejected, and the rate is reported.

pub mod decide;
pub mod interval;
pub mod linear;
pub mod settle;
pub mod skeletons;
pub mod terms;
pub mod unknowns;
