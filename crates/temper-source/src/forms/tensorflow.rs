//! Methods of `tf.test.TestCase` and `tf.debugging`.

use ruff_python_ast::CmpOp;

use super::{AssertionCall, ClosenessFunction, Tolerance, by_type, close, negated, optional, symmetric, tolerance};
use crate::sites::site::Form;
use crate::sites::site::Role::{Absolute, Delta, Relative};

const TENSORFLOW_PARAMETERS: &[&str] = &["a", "b", "rtol", "atol", "msg"];

const TENSORFLOW_TOLERANCES: &[Tolerance] = &[tolerance(Relative, "rtol", 1e-6), tolerance(Absolute, "atol", 1e-6)];

static TENSORFLOW_ALL_CLOSE: ClosenessFunction =
    close(Form::TensorflowClose, TENSORFLOW_PARAMETERS, TENSORFLOW_TOLERANCES);

static TENSORFLOW_NOT_ALL_CLOSE: ClosenessFunction =
    negated(close(Form::TensorflowClose, TENSORFLOW_PARAMETERS, TENSORFLOW_TOLERANCES));

static TENSORFLOW_BY_TYPE: ClosenessFunction =
    close(Form::TensorflowClose, &["a", "b", "rtol", "atol"], TENSORFLOW_TOLERANCES);

static TENSORFLOW_NEAR: ClosenessFunction =
    symmetric(Form::TensorflowClose, &["f1", "f2", "err", "msg"], &[optional(Delta, "err")]);

static TENSORFLOW_ARRAY_NEAR: ClosenessFunction =
    symmetric(Form::TensorflowClose, &["farray1", "farray2", "err", "msg"], &[optional(Delta, "err")]);

static TENSORFLOW_NDARRAY_NEAR: ClosenessFunction =
    symmetric(Form::TensorflowClose, &["ndarray1", "ndarray2", "err", "msg"], &[optional(Delta, "err")]);

static TENSORFLOW_ASSERT_NEAR: ClosenessFunction = close(
    Form::TensorflowClose,
    &["x", "y", "rtol", "atol", "message"],
    &[by_type(Relative, "rtol"), by_type(Absolute, "atol")],
);

/// What a method does.
pub(super) fn method(name: &str) -> Option<AssertionCall> {
    let each = |op| Some(AssertionCall::Order { op, is_elementwise: true, form: Form::Compare });
    match name {
        "assertAllLess" => each(CmpOp::Lt),
        "assertAllLessEqual" => each(CmpOp::LtE),
        "assertAllGreater" => each(CmpOp::Gt),
        "assertAllGreaterEqual" => each(CmpOp::GtE),
        "assertAllClose" => Some(AssertionCall::Close(&TENSORFLOW_ALL_CLOSE)),
        "assertNotAllClose" => Some(AssertionCall::Close(&TENSORFLOW_NOT_ALL_CLOSE)),
        "assertAllCloseAccordingToType" => Some(AssertionCall::Close(&TENSORFLOW_BY_TYPE)),
        "assertNear" => Some(AssertionCall::Close(&TENSORFLOW_NEAR)),
        "assertArrayNear" => Some(AssertionCall::Close(&TENSORFLOW_ARRAY_NEAR)),
        "assertNDArrayNear" => Some(AssertionCall::Close(&TENSORFLOW_NDARRAY_NEAR)),
        "assertAllInRange" => Some(AssertionCall::Between),
        _ => None,
    }
}

/// What a function of `tf.debugging` does, given its own and its full name.
pub(super) fn function(name: &str, full: &str) -> Option<AssertionCall> {
    if !full.starts_with("tensorflow.") {
        return None;
    }
    let order = |op| Some(AssertionCall::Order { op, is_elementwise: true, form: Form::Compare });
    match name {
        "assert_less" => order(CmpOp::Lt),
        "assert_less_equal" => order(CmpOp::LtE),
        "assert_greater" => order(CmpOp::Gt),
        "assert_greater_equal" => order(CmpOp::GtE),
        "assert_near" => Some(AssertionCall::Close(&TENSORFLOW_ASSERT_NEAR)),
        _ => None,
    }
}
