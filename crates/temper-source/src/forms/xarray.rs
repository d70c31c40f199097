//! `xarray.testing`.

use super::function::{AssertionCall, ClosenessFunction, close, tolerance};
use crate::sites::site::Form;
use crate::sites::site::Role::{Absolute, Relative};

static XARRAY_CLOSE: ClosenessFunction = close(
    Form::XarrayClose,
    &["a", "b", "rtol", "atol"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);

/// What a function does, given its own and its full name.
pub(super) fn function(name: &str, full: &str) -> Option<AssertionCall> {
    (name == "assert_allclose" && full.starts_with("xarray.")).then_some(AssertionCall::Close(&XARRAY_CLOSE))
}
