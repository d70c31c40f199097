//! The problems B1 to B9, each with its domain, its subject and its utility.

pub mod graph;
pub mod labyrinth;
pub mod machine;
pub mod pairs;
pub mod spells;
pub mod trees;
