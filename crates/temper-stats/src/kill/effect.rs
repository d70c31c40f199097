//! Which mutants change the value at all: two-sample Kolmogorov-Smirnov against the original (FASER section III-C).
//!
//! Two readings: plain p-values as in the paper, or with Benjamini-Hochberg over the mutants, so that a hundred mutants
//! without effect do not yield one "effective" one. Mutants that move the value away from failing are told apart: no
//! bound on this side can kill them.

use crate::multiple::benjamini_hochberg;
use crate::smirnov::{self, Smirnov};
use crate::{Direction, Error};

/// What a mutant does to the value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// The test against the original, with its plain p-value.
    pub smirnov: Smirnov,
    /// The p-value that was compared with the level: adjusted, if asked for.
    pub p: f64,
    /// Whether that is below the level.
    pub is_effective: bool,
    /// Whether the larger shift is towards passing.
    pub is_improvement: bool,
}

/// FASER's level (section V).
pub const LEVEL: f64 = 0.01;

/// Compares every mutant with the original.
///
/// # Errors
/// [`Error::TooFew`] when the original or a mutant has no samples, [`Error::NotFinite`].
pub fn effects<'a>(
    original: &[f64],
    mutants: impl IntoIterator<Item = &'a [f64]>,
    direction: Direction,
    level: f64,
    is_adjusted: bool,
) -> Result<Vec<Effect>, Error> {
    let mut found = Vec::new();
    for mutant in mutants {
        let smirnov = smirnov::exact(mutant, original)?;
        let (above, below) = smirnov::one_sided_distances(mutant, original)?;
        // `above`: the mutant's distribution function lies above, so its values are smaller.
        let is_improvement = match direction {
            Direction::Upper => above > below,
            Direction::Lower => below > above,
        };
        found.push(Effect { smirnov, p: smirnov.p, is_effective: false, is_improvement });
    }
    if is_adjusted {
        let plain: Vec<f64> = found.iter().map(|e| e.p).collect();
        found.iter_mut().zip(benjamini_hochberg(&plain)).for_each(|(e, p)| e.p = p);
    }
    found.iter_mut().for_each(|e| e.is_effective = e.p < level);
    Ok(found)
}
