//! The functions that assert something approximate, as data: their arguments, their tolerances and the defaults that their
//! documentation gives.
//!
//! A function is known by its full name where the imports give one, and by its own name where they do not: `assert_allclose`
//! means the same in numpy and in the many test modules that pass it on. One file for each family of functions.

pub(crate) mod numpy;
pub(crate) mod pandas;
pub(crate) mod pytest;
pub(crate) mod python;
pub(crate) mod tensorflow;
pub(crate) mod torch;
pub(crate) mod unittest;

use ruff_python_ast::{CmpOp, Expr, ExprCall};

use crate::scope::{ScopeId, Scopes, last_name};
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

/// What `call` does, with its full name. `method` names are taken from any receiver: `self`, `cls`, a test case.
pub(crate) fn identify(call: &ExprCall, scopes: &Scopes<'_>, scope: ScopeId) -> Option<(AssertionCall, String)> {
    let name = last_name(&call.func)?;
    let full = scopes.qualified(&call.func, scope);
    if full.is_none() && scopes.local_function(&call.func, scope).is_some() {
        // A helper of this file: its own body has the comparison.
        let is_suspect = looks_approximate(name) || is_checker(name) && has_tolerance(call);
        return is_suspect.then(|| (AssertionCall::Unknown, name.to_owned()));
    }
    let full = full.unwrap_or_else(|| name.to_owned());
    let own_name = full.rsplit('.').next().unwrap_or(&full).to_owned();
    let callee = known(&own_name, &full, &call.func).or_else(|| suspected(&own_name, call))?;
    Some((callee, full))
}

/// Each family is asked in turn; methods of test cases first, because they are known by their name alone.
fn known(name: &str, full: &str, func: &Expr) -> Option<AssertionCall> {
    let is_method = matches!(func, Expr::Attribute(_));
    let of_test_case = || unittest::method(name).or_else(|| tensorflow::method(name));
    of_test_case()
        .filter(|_| is_method || full.contains('.'))
        .or_else(|| pandas::function(name, full))
        .or_else(|| torch::function(name, full))
        .or_else(|| tensorflow::function(name, full))
        .or_else(|| unittest::nose_function(name, full))
        .or_else(|| python::function(name, full))
        .or_else(|| pytest::function(name, full))
        .or_else(|| numpy::function(name, full, is_method))
}

/// Functions whose rule is not known but that speak of closeness.
fn suspected(name: &str, call: &ExprCall) -> Option<AssertionCall> {
    if is_structural(name) {
        return has_tolerance(call).then_some(AssertionCall::Structure);
    }
    let is_suspect = looks_approximate(name) || is_checker(name) && has_tolerance(call);
    let is_suspect = is_suspect && !name.contains("raises") && !name.contains("Raises");
    is_suspect.then_some(AssertionCall::Unknown)
}

/// Whether a function of this name may assert something approximate.
pub(crate) fn may_assert(name: &str) -> bool {
    is_known_name(name) || looks_approximate(name)
}

fn is_known_name(name: &str) -> bool {
    // Only names that `looks_approximate` does not catch.
    name.starts_with("assert")
        || matches!(name, "allclose" | "isclose" | "approx" | "ok_" | "failUnless" | "failIf" | "xp_assert_less")
}

/// Equality of frames, series, indices and trees: exact unless a tolerance is written.
fn is_structural(name: &str) -> bool {
    matches!(
        name,
        "assert_frame_equal"
            | "assert_series_equal"
            | "assert_index_equal"
            | "assert_equal"
            | "assert_extension_array_equal"
            | "assert_trees_all_close"
            | "assert_tree_all_close"
            | "assert_trees_all_equal"
    )
}

/// A checker whose name says that it is content with less than equality.
fn looks_approximate(name: &str) -> bool {
    const WORDS: [&str; 6] = ["close", "almost", "approx", "near", "toler", "isclose"];
    if !is_checker(name) {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
        // Words that merely begin alike.
        && !["nearest", "closed", "closest", "linear", "closing", "tolerant_"].iter().any(|word| lower.contains(word))
}

pub(crate) fn is_checker(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    [
        "assert",
        "check",
        "verify",
        "expect",
        "compare",
        "is_close",
        "isclose",
        "allclose",
        "almost",
        "approx_",
        "all_close",
        "xp_assert",
    ]
    .iter()
    .any(|start| name.starts_with(start))
}

fn has_tolerance(call: &ExprCall) -> bool {
    call.arguments.keywords.iter().any(|keyword| {
        let name = keyword.arg.as_ref().map_or("", |name| name.as_str());
        matches!(
            name,
            "rtol"
                | "atol"
                | "tol"
                | "rel"
                | "rel_tol"
                | "abs_tol"
                | "decimal"
                | "places"
                | "delta"
                | "tolerance"
                | "eps"
                | "epsilon"
                | "significant"
        )
    })
}
