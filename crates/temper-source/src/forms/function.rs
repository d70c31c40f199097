//! What is known of a function that asserts: what it does with its arguments, and its tolerances.

use ruff_python_ast::CmpOp;

use crate::sites::site::{Form, Role};

/// A tolerance argument: its role, its name and its documented default.
pub(crate) struct Tolerance {
    pub(crate) role: Role,
    pub(crate) name: &'static str,
    /// Nothing if it depends on the values compared, or if another argument takes its place.
    pub(crate) default: Option<f64>,
    /// Whether the function applies it when it is not written.
    pub(crate) is_default_on: bool,
}

/// A function that compares two values up to a tolerance.
pub(crate) struct ClosenessFunction {
    pub(crate) form: Form,
    /// Names of the positional parameters; the first two are the values compared.
    pub(crate) parameters: &'static [&'static str],
    pub(crate) tolerances: &'static [Tolerance],
    /// Whether it demands that the values differ.
    pub(crate) is_negated: bool,
    /// Whether actual and reference may change places.
    pub(crate) is_symmetric: bool,
}

/// What a call does.
pub(crate) enum AssertionCall {
    /// Asserts closeness.
    Close(&'static ClosenessFunction),
    /// Returns whether values are close.
    IsClose(&'static ClosenessFunction),
    /// `pytest.approx`.
    Approx,
    /// Asserts `first op second`, for each element if `is_elementwise`.
    Order { op: CmpOp, is_elementwise: bool, form: Form },
    /// Asserts that a value lies between two bounds, both included.
    Between,
    /// Asserts that a condition is true or false.
    Truth { is_true: bool },
    /// Asserts that two values are equal; interesting if one of them is `True`.
    Equal,
    /// Compares in units in the last place.
    Ulps,
    /// Compares structures with a tolerance that is written.
    Structure,
    /// Not known, but its name or arguments speak of closeness.
    Unknown,
}

pub(super) const fn tolerance(role: Role, name: &'static str, default: f64) -> Tolerance {
    Tolerance { role, name, default: Some(default), is_default_on: true }
}

pub(super) const fn by_type(role: Role, name: &'static str) -> Tolerance {
    Tolerance { role, name, default: None, is_default_on: true }
}

pub(super) const fn optional(role: Role, name: &'static str) -> Tolerance {
    Tolerance { role, name, default: None, is_default_on: false }
}

pub(super) const fn close(
    form: Form,
    parameters: &'static [&'static str],
    tolerances: &'static [Tolerance],
) -> ClosenessFunction {
    ClosenessFunction { form, parameters, tolerances, is_negated: false, is_symmetric: false }
}

pub(super) const fn symmetric(
    form: Form,
    parameters: &'static [&'static str],
    tolerances: &'static [Tolerance],
) -> ClosenessFunction {
    ClosenessFunction { is_symmetric: true, ..close(form, parameters, tolerances) }
}

pub(super) const fn negated(closeness: ClosenessFunction) -> ClosenessFunction {
    ClosenessFunction { is_negated: true, ..closeness }
}
