//! `torch.testing` and `torch.allclose`.

use super::{AssertionCall, ClosenessFunction, by_type, close, tolerance};
use crate::sites::site::Form;
use crate::sites::site::Role::{Absolute, Relative};

static TORCH_ALLCLOSE: ClosenessFunction = close(
    Form::Allclose,
    &["input", "other", "rtol", "atol", "equal_nan"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);

static TORCH_ASSERT_CLOSE: ClosenessFunction =
    close(Form::TorchAssertClose, &["actual", "expected"], &[by_type(Relative, "rtol"), by_type(Absolute, "atol")]);

static TORCH_ASSERT_ALLCLOSE: ClosenessFunction = close(
    Form::TorchAssertClose,
    &["actual", "expected", "rtol", "atol", "equal_nan", "msg"],
    &[by_type(Relative, "rtol"), by_type(Absolute, "atol")],
);

/// What a function does, given its own and its full name.
pub(super) fn function(name: &str, full: &str) -> Option<AssertionCall> {
    if !full.starts_with("torch.") {
        return None;
    }
    match name {
        "assert_allclose" => Some(AssertionCall::Close(&TORCH_ASSERT_ALLCLOSE)),
        "assert_close" => Some(AssertionCall::Close(&TORCH_ASSERT_CLOSE)),
        "allclose" | "isclose" => Some(AssertionCall::IsClose(&TORCH_ALLCLOSE)),
        _ => None,
    }
}
