//! `polars.testing`.

use ruff_python_ast::ExprCall;

use super::function::{AssertionCall, ClosenessFunction, close, tolerance};
use crate::sites::site::Form;
use crate::sites::site::Role::{Absolute, Relative};

static POLARS_EQUAL: ClosenessFunction = close(
    Form::PolarsEqual,
    &["left", "right"],
    &[tolerance(Relative, "rel_tol", 1e-5), tolerance(Absolute, "abs_tol", 1e-8)],
);

/// The names of the tolerances before polars 1.32, whose rule was numpy's; the recorder looks at the version.
static POLARS_EQUAL_BEFORE: ClosenessFunction = close(
    Form::PolarsEqual,
    &["left", "right"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);

/// What a function does, given its own and its full name.
pub(super) fn function(name: &str, full: &str, call: &ExprCall) -> Option<AssertionCall> {
    if !full.starts_with("polars.") || !matches!(name, "assert_frame_equal" | "assert_series_equal") {
        return None;
    }
    let is_before = call
        .arguments
        .keywords
        .iter()
        .any(|keyword| keyword.arg.as_ref().is_some_and(|name| name == "rtol" || name == "atol"));
    Some(AssertionCall::Close(if is_before { &POLARS_EQUAL_BEFORE } else { &POLARS_EQUAL }))
}
