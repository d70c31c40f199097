//! `pytest.approx`.

use super::AssertionCall;

/// The arguments of `pytest.approx`.
pub(crate) static APPROX_PARAMETERS: &[&str] = &["expected", "rel", "abs", "nan_ok"];

/// What a function does, given its own and its full name.
pub(super) fn function(name: &str, full: &str) -> Option<AssertionCall> {
    let is_pytest = !full.contains('.') || full.starts_with("pytest.") || full.starts_with("_pytest.");
    (name == "approx" && is_pytest).then_some(AssertionCall::Approx)
}
