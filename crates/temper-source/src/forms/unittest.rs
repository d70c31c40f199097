//! Methods of `unittest.TestCase` and `absltest.TestCase`, and nose's functions of the same names.

use ruff_python_ast::CmpOp;

use super::{AssertionCall, ClosenessFunction, Tolerance, negated, optional, symmetric, tolerance};
use crate::sites::site::Form;
use crate::sites::site::Role::{Delta, Places};

const UNITTEST_PARAMETERS: &[&str] = &["first", "second", "places", "msg", "delta"];

const UNITTEST_TOLERANCES: &[Tolerance] = &[tolerance(Places, "places", 7.0), optional(Delta, "delta")];

static ASSERT_ALMOST: ClosenessFunction =
    symmetric(Form::UnittestAlmostEqual, UNITTEST_PARAMETERS, UNITTEST_TOLERANCES);

static ASSERT_NOT_ALMOST: ClosenessFunction =
    negated(symmetric(Form::UnittestAlmostEqual, UNITTEST_PARAMETERS, UNITTEST_TOLERANCES));

/// What a method does.
pub(super) fn method(name: &str) -> Option<AssertionCall> {
    let order = |op| Some(AssertionCall::Order { op, is_elementwise: false, form: Form::Compare });
    match name {
        "assertLess" => order(CmpOp::Lt),
        "assertLessEqual" => order(CmpOp::LtE),
        "assertGreater" => order(CmpOp::Gt),
        "assertGreaterEqual" => order(CmpOp::GtE),
        "assertAlmostEqual" | "assertAlmostEquals" | "failUnlessAlmostEqual" => {
            Some(AssertionCall::Close(&ASSERT_ALMOST))
        }
        "assertNotAlmostEqual" | "assertNotAlmostEquals" => Some(AssertionCall::Close(&ASSERT_NOT_ALMOST)),
        "assertTrue" | "failUnless" | "assert_" => Some(AssertionCall::Truth { is_true: true }),
        "assertFalse" | "failIf" => Some(AssertionCall::Truth { is_true: false }),
        "assertEqual" | "assertEquals" | "assertIs" => Some(AssertionCall::Equal),
        "assertBetween" => Some(AssertionCall::Between),
        _ => None,
    }
}

/// What a function of `nose.tools` does.
pub(super) fn nose_function(name: &str, full: &str) -> Option<AssertionCall> {
    if !full.starts_with("nose.") {
        return None;
    }
    match name {
        "assert_almost_equal" | "assert_almost_equals" => Some(AssertionCall::Close(&ASSERT_ALMOST)),
        "assert_not_almost_equal" => Some(AssertionCall::Close(&ASSERT_NOT_ALMOST)),
        _ => None,
    }
}
