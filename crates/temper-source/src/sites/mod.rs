//! Assertion sites: what one is, how they are read off a file, and what only looks like one.

mod comparison;
mod conditions;
mod exactness;
mod not_understood;
pub(crate) mod recogniser;
pub(crate) mod site;
