//! Numbers of outside tools (scipy, R) reproduced. `TEMPER_ORACLES=DIR` reads `DIR/tail` and `DIR/tighten` instead of
//! the sets in `fixtures/oracles`, whose README files say how they were made and which of their numbers to trust.

mod load;
mod tail;
mod normality;
