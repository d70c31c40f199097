//! Internal: properties of trained classifiers, read off decision-tree surrogates.
//!
//! Source: Durelli, Monteiro, Durelli, Endo, Ferrari and Souza, "Property-based Testing for Machine Learning Models". A tree is
//! grown on the data ([`tree`], [`surrogate`]); each path to a leaf is a property, "inputs in this box are of this class"
//! ([`leaf`], [`words`]); inputs are drawn that cover leaves and splits ([`inputs`]); and a model that answers otherwise more
//! often than it errs on real rows gives a finding ([`findings`], [`closest`]). [`assess::assess`] is the whole way;
//! [`compare`], [`mutants`], [`challenge`] and [`totals`] are further uses of the same parts.
//!
//! The method tests against the data's labels as a tree generalises them. Where the tree is wrong it accuses the model wrongly:
//! the default surrogate therefore asks a forest before it believes its own leaf, and draws near real rows. It says nothing
//! about inputs unlike the data, and nothing that the labels do not show.
//!
//! Nothing is printed here. A model is a [`predictor::Predictor`]; users' models are asked in worker processes ([`subject`]).

pub mod assess;
pub mod baseline;
mod cells;
pub mod challenge;
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
mod like;
mod matrix;
pub mod mersenne;
pub mod metrics;
pub mod mutants;
pub mod neighbours;
pub mod predictor;
mod schema;
mod seed;
mod side;
pub mod subject;
pub mod surrogate;
mod table;
pub mod totals;
pub mod tree;
pub mod words;

pub use dataset::{Dataset, Remark};
pub use error::{ModelError, PredictError};
pub use label::Label;
pub use like::read_csv_like;
pub use matrix::Matrix;
pub use schema::{Cell, Column, ColumnKind, Schema};
pub use table::{read_csv, read_csv_beside};
