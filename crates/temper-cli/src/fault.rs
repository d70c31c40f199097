//! Faults that tests plant in the real program through `TEMPER_TEST_FAULT`: `panic` (a bug in Temper),
//! `slow:MILLISECONDS:FILE` (a project that takes long; `FILE` is made when the first of its files is read, so that a test can
//! wait for that), `no-fences` (a machine whose kernel has none) and `load-mutants` (no mutant can be put in place without
//! loading). Not for users, and absent from the help.

use std::fs;
use std::time::Duration;

use temper_worker::FenceSet;

/// The fences that may be put around contained code.
pub fn fences() -> FenceSet {
    if is_planted("no-fences") { FenceSet::NONE } else { FenceSet::ALL }
}

/// Whether the environment asks for this fault.
pub fn is_planted(fault: &str) -> bool {
    std::env::var("TEMPER_TEST_FAULT").is_ok_and(|planted| planted == fault)
}

/// Acts out the fault that the environment asks for, if any. Called once for every file.
pub fn strike() {
    let Ok(fault) = std::env::var("TEMPER_TEST_FAULT") else { return };
    if fault == "panic" {
        panic!("a fault was planted");
    }
    let Some((milliseconds, file)) = fault.strip_prefix("slow:").and_then(|rest| rest.split_once(':')) else { return };
    if let (Ok(milliseconds), Ok(())) = (milliseconds.parse(), fs::write(file, "")) {
        std::thread::sleep(Duration::from_millis(milliseconds));
    }
}
