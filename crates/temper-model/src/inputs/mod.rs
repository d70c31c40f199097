//! Inputs that cover every leaf and the neighbourhoods of the splits.
//!
//! Source: Durelli et al., sections 4.2 and 4.3: *coverage* draws inputs in the box of each leaf (DTC there), *boundary* draws
//! them next to the splits on its path (BVA there). Every input is drawn from the engine's choices by a separate seed, so any
//! one of them can be drawn again alone. The method fails where the box of a leaf is much larger than the rows in it: inputs
//! there are unlike anything the data describe. [`LeafSampling::Local`] and a forest's consent are the remedies.

mod boundary;
pub(crate) mod cell;
mod draw;
mod leaf_domain;
mod paper;
mod paper_tables;
mod prepared;
mod settings;
mod suite;

pub use draw::draw_suite;
pub use leaf_domain::LeafDomain;
pub use paper::Published;
pub use prepared::Inputs;
pub use settings::{BoxFill, Criterion, InputMode, InputSettings, LeafSampling};
pub use suite::{InputSource, InputSuite, Untested};
