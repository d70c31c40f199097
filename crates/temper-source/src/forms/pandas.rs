//! `pandas.testing`.

use ruff_python_ast::{Expr, ExprCall};

use super::function::{AssertionCall, ClosenessFunction, symmetric, tolerance};
use crate::sites::site::Form;
use crate::sites::site::Role::{Absolute, Relative};

static PANDAS_ALMOST_EQUAL: ClosenessFunction = symmetric(
    Form::PandasAlmostEqual,
    &["left", "right", "check_dtype", "rtol", "atol"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);

/// Frames, series, extension arrays and indices: numbers with a fraction are compared up to the tolerances, all else exactly.
static PANDAS_EQUAL: ClosenessFunction = symmetric(
    Form::PandasEqual,
    &["left", "right"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);

/// What a function does, given its own and its full name. A frame is pandas' unless the imports say otherwise.
pub(super) fn function(name: &str, full: &str, call: &ExprCall) -> Option<AssertionCall> {
    let is_pandas = full.starts_with("pandas.");
    match name {
        "assert_almost_equal" if is_pandas => Some(AssertionCall::Close(&PANDAS_ALMOST_EQUAL)),
        "assert_frame_equal" | "assert_series_equal" | "assert_extension_array_equal"
            if is_pandas || !full.contains('.') =>
        {
            Some(AssertionCall::Close(&PANDAS_EQUAL))
        }
        // Labels are compared exactly unless the call asks for less.
        "assert_index_equal" if is_pandas && is_inexact(call) => Some(AssertionCall::Close(&PANDAS_EQUAL)),
        _ => None,
    }
}

fn is_inexact(call: &ExprCall) -> bool {
    call.arguments.keywords.iter().any(|keyword| {
        keyword.arg.as_ref().is_some_and(|name| name == "check_exact")
            && matches!(&keyword.value, Expr::BooleanLiteral(truth) if !truth.value)
    })
}
