//! `numpy.testing`, `np.allclose` and the modules that hand its functions on (scikit-learn, scipy, the array API).

use ruff_python_ast::CmpOp;

use super::{AssertionCall, ClosenessFunction, by_type, close, symmetric, tolerance};
use crate::sites::site::Form;
use crate::sites::site::Role::{Absolute, Decimal, Relative, Significant};

static NUMPY_ALLCLOSE: ClosenessFunction = close(
    Form::Allclose,
    &["a", "b", "rtol", "atol", "equal_nan"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);

static MASKED_ALLCLOSE: ClosenessFunction = close(
    Form::Allclose,
    &["a", "b", "masked_equal", "rtol", "atol"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);

static NUMPY_ASSERT_ALLCLOSE: ClosenessFunction = close(
    Form::AssertAllclose,
    &["actual", "desired", "rtol", "atol", "equal_nan", "err_msg", "verbose"],
    &[tolerance(Relative, "rtol", 1e-7), tolerance(Absolute, "atol", 0.0)],
);

static DENSE_SPARSE: ClosenessFunction = close(
    Form::AssertAllclose,
    &["x", "y", "rtol", "atol", "err_msg"],
    &[tolerance(Relative, "rtol", 1e-7), tolerance(Absolute, "atol", 1e-9)],
);

static ARRAY_API_CLOSE: ClosenessFunction =
    close(Form::AssertAllclose, &["actual", "desired"], &[by_type(Relative, "rtol"), tolerance(Absolute, "atol", 0.0)]);

static ASSERT_ALMOST_EQUAL: ClosenessFunction = symmetric(
    Form::AssertAlmostEqual,
    &["actual", "desired", "decimal", "err_msg", "verbose"],
    &[tolerance(Decimal, "decimal", 7.0)],
);

static ASSERT_ARRAY_ALMOST_EQUAL: ClosenessFunction = symmetric(
    Form::AssertArrayAlmostEqual,
    &["actual", "desired", "decimal", "err_msg", "verbose"],
    &[tolerance(Decimal, "decimal", 6.0)],
);

static ASSERT_APPROX_EQUAL: ClosenessFunction = symmetric(
    Form::AssertApproxEqual,
    &["actual", "desired", "significant", "err_msg", "verbose"],
    &[tolerance(Significant, "significant", 7.0)],
);

/// What a function does, given its own and its full name.
pub(super) fn function(name: &str, full: &str, is_method: bool) -> Option<AssertionCall> {
    let order = |op| Some(AssertionCall::Order { op, is_elementwise: false, form: Form::Compare });
    match name {
        "assert_allclose" => Some(AssertionCall::Close(&NUMPY_ASSERT_ALLCLOSE)),
        "assert_almost_equal" => Some(AssertionCall::Close(&ASSERT_ALMOST_EQUAL)),
        "assert_array_almost_equal" => Some(AssertionCall::Close(&ASSERT_ARRAY_ALMOST_EQUAL)),
        "assert_approx_equal" => Some(AssertionCall::Close(&ASSERT_APPROX_EQUAL)),
        "assert_array_less" | "xp_assert_less" => {
            Some(AssertionCall::Order { op: CmpOp::Lt, is_elementwise: true, form: Form::AssertArrayLess })
        }
        "assert_less" => order(CmpOp::Lt),
        "assert_less_equal" => order(CmpOp::LtE),
        "assert_greater" => order(CmpOp::Gt),
        "assert_greater_equal" => order(CmpOp::GtE),
        "assert_" | "assert_true" | "ok_" => Some(AssertionCall::Truth { is_true: true }),
        "assert_false" => Some(AssertionCall::Truth { is_true: false }),
        "assert_equal" => Some(AssertionCall::Equal),
        "assert_array_max_ulp" | "assert_array_almost_equal_nulp" => Some(AssertionCall::Ulps),
        "allclose" | "isclose" if full.starts_with("numpy.ma.") => Some(AssertionCall::IsClose(&MASKED_ALLCLOSE)),
        "allclose" | "isclose" if full.contains('.') || is_method => Some(AssertionCall::IsClose(&NUMPY_ALLCLOSE)),
        "xp_assert_close" => Some(AssertionCall::Close(&ARRAY_API_CLOSE)),
        "assert_close" if full.contains("array_api") || full.contains("xpx") => {
            Some(AssertionCall::Close(&ARRAY_API_CLOSE))
        }
        "assert_allclose_dense_sparse" => Some(AssertionCall::Close(&DENSE_SPARSE)),
        _ => None,
    }
}
