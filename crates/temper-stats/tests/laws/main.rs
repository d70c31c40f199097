//! Laws that hold for all samples, tried on many seeded random sets: kind and strange ones alike.

mod finite;
mod generate;
mod symmetry;
