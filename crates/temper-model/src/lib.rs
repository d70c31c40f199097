//! Internal: properties of trained classifiers, read off decision-tree surrogates.
//!
//! Source: Durelli, Monteiro, Durelli, Endo, Ferrari and Souza, "Property-based Testing for Machine Learning Models". A tree is
//! grown on the data ([`tree`], [`tree::surrogate`]); each path to a leaf is a property, "inputs in this box are of this class"
//! ([`tree::leaf`], [`explain::property_text`]); inputs are drawn that cover leaves and splits ([`inputs`]); and a model that answers otherwise more
//! often than it errs on real rows gives a finding ([`judge::findings`], [`explain::closest`]). [`assess::assess`] is the whole way;
//! [`explain::compare`], [`mutants`], [`mutants::detection`] and [`judge::suite_totals`] are further uses of the same parts.
//!
//! The method tests against the data's labels as a tree generalises them. Where the tree is wrong it accuses the model wrongly:
//! the default surrogate therefore asks a forest before it believes its own leaf, and draws near real rows. It says nothing
//! about inputs unlike the data, and nothing that the labels do not show.
//!
//! Nothing is printed here. A model is a [`subject::predictor::Predictor`]; users' models are asked in worker processes ([`subject`]).

pub mod assess;
pub mod boundary;
pub mod calibration;
pub mod challenger;
pub mod data;
pub mod distances;
pub mod drift;
mod error;
pub mod explain;
pub mod inputs;
pub mod judge;
pub mod judge_model;
pub mod mersenne;
pub mod mutants;
pub mod properties;
pub mod record;
pub mod record_measured;
pub mod record_properties;
pub mod record_rows;
pub mod regions;
mod seed;
pub mod subject;
pub mod suspicions;
pub mod tree;
pub mod unread_columns;

pub use data::csv::{ColumnChoice, read_csv, read_csv_columns, read_csv_with_labels};
pub use data::dataset::{Dataset, Remark};
pub use data::hold_out::{read_csv_like, read_features_like};
pub use data::label::Label;
pub use data::matrix::Matrix;
pub use data::schema::{Cell, Column, ColumnKind, Schema};
pub use data::target::TargetKind;
pub use data::two_tables::read_two_tables;
pub use error::{ModelError, PredictError};
