//! Whether the answers of a model are worse than they should be.

pub mod baseline;
pub mod cross_validation;
pub mod exact_tests;
pub mod findings;
pub mod folds;
pub mod metrics;
pub mod suite_totals;
