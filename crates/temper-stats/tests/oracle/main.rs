//! Numbers of outside tools (scipy, R) reproduced. `TEMPER_ORACLES=DIR` reads `DIR/tail` and `DIR/tighten` instead of
//! the sets in `fixtures/oracles`, whose README files say how they were made and which of their numbers to trust.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails the test it serves")]

mod load;
mod normality;
mod tail;
mod tighten;
