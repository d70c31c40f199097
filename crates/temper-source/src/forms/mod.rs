//! The functions that assert something approximate, as data: their arguments, their tolerances and the defaults that their
//! documentation gives.
//!
//! A function is known by its full name where the imports give one, and by its own name where they do not: `assert_allclose`
//! means the same in numpy and in the many test modules that pass it on. One file for each family of functions.

mod function;
pub(crate) mod numpy;
pub(crate) mod pandas;
pub(crate) mod polars;
pub(crate) mod pytest;
pub(crate) mod python;
pub(crate) mod tensorflow;
pub(crate) mod torch;
pub(crate) mod unittest;
pub(crate) mod xarray;

use ruff_python_ast::{Expr, ExprCall};

pub(crate) use function::{AssertionCall, ClosenessFunction, Tolerance};

use crate::scope::{ScopeId, Scopes};
use crate::syntax::last_name;

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
    let callee = known(&own_name, &full, call).or_else(|| suspected(&own_name, call))?;
    Some((callee, full))
}

/// Each family is asked in turn; methods of test cases first, because they are known by their name alone.
fn known(name: &str, full: &str, call: &ExprCall) -> Option<AssertionCall> {
    let is_method = matches!(&*call.func, Expr::Attribute(_));
    let of_test_case = || unittest::method(name).or_else(|| tensorflow::method(name));
    of_test_case()
        .filter(|_| is_method || full.contains('.'))
        .or_else(|| pandas::function(name, full, call))
        .or_else(|| polars::function(name, full, call))
        .or_else(|| xarray::function(name, full))
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
