//! Faults that tests plant in the real program through `TEMPER_TEST_FAULT`: `panic` (a bug in Temper) and
//! `slow:MILLISECONDS` (a project that takes long). Not for users, and absent from the help.

use std::time::Duration;

/// Acts out the fault that the environment asks for, if any. Called once for every file.
pub fn strike() {
    let Ok(fault) = std::env::var("TEMPER_TEST_FAULT") else { return };
    if fault == "panic" {
        panic!("a fault was planted");
    }
    if let Some(milliseconds) = fault.strip_prefix("slow:").and_then(|text| text.parse().ok()) {
        std::thread::sleep(Duration::from_millis(milliseconds));
    }
}
