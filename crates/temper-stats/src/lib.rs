//! Internal: the statistics behind every bound, over slices of numbers. No I/O, no clock; randomness only through a
//! seed.
//!
//! The way of a job through this crate, for one assertion site:
//!
//! 1. [`Samples`] holds the finite values measured so far and grows by batches; runs without a number are counted apart.
//! 2. [`interval`] and [`order`] answer from counts where they suffice (observed), [`tail::analyse`] where they do not
//!    (extrapolated). The verdict itself, and how often one may look, is the business of `temper-bounds`.
//! 3. [`bound::propose`] gives the bound that the evidence supports, with that evidence; [`bootstrap`] and [`rerun`] are
//!    the remedies where there is none.
//! 4. [`kill`] weighs bounds against mutants: [`mutant_looks`] spares runs, [`kill::tighten`] proposes.
//!
//! ```
//! use temper_stats::bound::{BoundEvidence, Request, propose};
//! use temper_stats::{Direction, Samples, Target};
//!
//! let losses: Vec<f64> = (0..400).map(|i| (f64::from(i) * 0.618).fract()).collect();
//! let samples = Samples::new(&losses)?;
//! let request = Request { target: Target::new(0.99)?, ..Request::new(Direction::Upper) };
//! let proposal = propose(&samples, &request)?.expect("400 samples suffice for 0.99");
//! assert!(matches!(proposal.evidence, BoundEvidence::Observed { .. }));
//! assert!(proposal.bound > 0.98);
//! # Ok::<(), temper_stats::Error>(())
//! ```

pub mod bootstrap;
pub mod bound;
pub mod boxcox;
pub mod concentration;
pub mod coverage;
mod direction;
pub mod edf;
mod error;
pub mod gpd;
pub mod interval;
pub mod kill;
pub mod lattice;
pub mod moment_tests;
pub mod moments;
pub mod multiple;
pub mod mutant_looks;
pub mod order;
pub mod paired;
pub mod poisson_binomial;
mod probability;
pub mod random;
pub mod rerun;
mod samples;
pub mod shapiro;
pub mod smirnov;
mod special;
pub mod tail;

pub use direction::Direction;
pub use error::Error;
pub use probability::{Confidence, Probability, Target};
pub use samples::Samples;
