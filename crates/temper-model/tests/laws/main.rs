//! Laws that hold for every table, checked on drawn tables.
#![expect(clippy::unwrap_used, reason = "a table that cannot be made fails the law")]

mod draws;
mod table;
mod trees;
