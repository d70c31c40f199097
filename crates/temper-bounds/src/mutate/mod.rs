//! Mutants of the code under test: which are tried, how they run, and what a bound would have to be to notice them.

pub(crate) mod choice;
pub(crate) mod early_stop;
pub(crate) mod mutant_code;
mod mutant_run;
mod nearness;
pub(crate) mod opposite;
mod order;
pub(crate) mod possible;
mod raise_rates;
pub(crate) mod schedule;
pub(crate) mod score;
pub(crate) mod survivors;
pub mod tighten;
