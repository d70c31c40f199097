//! `math.isclose` and `cmath.isclose` of the standard library.

use super::{AssertionCall, ClosenessFunction, symmetric, tolerance};
use crate::sites::site::Form;
use crate::sites::site::Role::{Absolute, Relative};

static MATH_ISCLOSE: ClosenessFunction = symmetric(
    Form::MathIsclose,
    &["a", "b"],
    &[tolerance(Relative, "rel_tol", 1e-9), tolerance(Absolute, "abs_tol", 0.0)],
);

/// What a function does, given its own and its full name.
pub(super) fn function(name: &str, full: &str) -> Option<AssertionCall> {
    let is_math = full.starts_with("math.") || full.starts_with("cmath.");
    (name == "isclose" && is_math).then_some(AssertionCall::IsClose(&MATH_ISCLOSE))
}
