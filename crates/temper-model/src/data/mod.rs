//! Tables: reading them, what their columns mean, their rows as numbers and their labels.

pub mod bins;
pub mod csv;
pub mod dataset;
pub mod hold_out;
pub mod label;
pub mod matrix;
pub mod moment;
pub mod schema;
mod table_text;
pub mod target;
pub mod two_tables;
