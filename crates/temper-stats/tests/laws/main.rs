//! Laws that hold for all samples, tried on many seeded random sets: kind and strange ones alike.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails the test it serves")]

mod finite;
mod generate;
mod symmetry;
