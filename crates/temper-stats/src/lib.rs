//! Internal: tails, tests, intervals and bounds over slices of numbers.
