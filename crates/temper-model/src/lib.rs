//! Internal: properties of trained classifiers, read off decision-tree surrogates.
//!
//! Source: Durelli, Monteiro, Durelli, Endo, Ferrari and Souza, "Property-based Testing for Machine Learning Models". A tree is
//! grown on the data ([`tree`]); each path to a leaf is a property, "inputs in this box are of this class" ([`leaf`]).
#![warn(missing_docs)]

pub mod baseline;
mod cells;
pub mod closest;
pub mod compare;
pub mod cross;
mod dataset;
mod decimal;
pub mod ends;
mod error;
pub mod findings;
pub mod folds;
pub mod forest;
pub mod inputs;
mod label;
pub mod leaf;
mod matrix;
pub mod mersenne;
pub mod metrics;
pub mod mutants;
pub mod neighbours;
pub mod predictor;
mod schema;
mod seed;
mod side;
pub mod surrogate;
mod table;
pub mod tree;
pub mod words;

pub use dataset::{Dataset, Remark};
pub use error::{ModelError, PredictError};
pub use label::Label;
pub use matrix::Matrix;
pub use schema::{Cell, Column, ColumnKind, Schema};
pub use table::read_csv;
