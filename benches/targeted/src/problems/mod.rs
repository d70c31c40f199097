//! The problems B1 to B10, each with its domain, its subject and its utility.

pub mod exact;
pub mod graph;
pub mod labyrinth;
pub mod machine;
pub mod pairs;
pub mod spells;
pub mod trees;
