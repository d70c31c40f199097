//! The solver: relations between arguments, settled before anything is drawn.

pub mod decide;
pub mod interval;
pub mod linear;
pub mod plan;
pub mod terms;
