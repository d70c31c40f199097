//! Preferences among the steps of one sequence (swarm testing: Groce, Zhang, Eide, Chen and Regehr, "Swarm testing").
//!
//! If every step of a sequence is equally likely to be a push and a pop, no buffer is ever full. So each fresh sequence
//! has preferences: some steps are left out, some are rare. Nothing of it is recorded. A preference only says how likely an
//! answer is, so replay, shrinking and neighbours work on the steps as they are.

use crate::rng::split_mix;

/// One sequence out of this many has no preferences.
const EVEN_PART: u64 = 4;

/// How likely a step is compared with the others, each in as many cases out of 16 as it stands here.
const PREFERENCES: [f64; 16] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.06, 0.06, 0.25, 0.25, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

/// What is preferred in the draw at hand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Swarm {
    /// Decides what is preferred, from the first step on.
    pub(super) seed: Option<u64>,
    /// The next alternative is that of a step.
    pub(super) is_step_next: bool,
}

/// How likely an alternative is compared with the others.
pub(super) fn preference(seed: u64, alternative: usize) -> f64 {
    if seed.is_multiple_of(EVEN_PART) {
        return 1.0;
    }
    let mut state = seed ^ (alternative as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    PREFERENCES[(split_mix(&mut state) >> 60) as usize]
}
