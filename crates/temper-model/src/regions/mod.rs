//! Where a model errs, and where it errs more often than a reference: regions of real rows, chosen on one half of them and
//! confirmed on the other.

pub mod error_map;
pub mod judge_rows;
pub mod measured;
pub mod narrow;
pub mod region;
pub mod region_tree;
pub mod saved_figures;
pub mod weak_spots;
