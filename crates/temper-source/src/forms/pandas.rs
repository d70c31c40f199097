//! `pandas.testing`.

use super::{AssertionCall, ClosenessFunction, symmetric, tolerance};
use crate::sites::site::Form;
use crate::sites::site::Role::{Absolute, Relative};

static PANDAS_ALMOST_EQUAL: ClosenessFunction = symmetric(
    Form::PandasAlmostEqual,
    &["left", "right", "check_dtype", "rtol", "atol"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);

/// What a function does, given its own and its full name.
pub(super) fn function(name: &str, full: &str) -> Option<AssertionCall> {
    (name == "assert_almost_equal" && full.starts_with("pandas.")).then_some(AssertionCall::Close(&PANDAS_ALMOST_EQUAL))
}
