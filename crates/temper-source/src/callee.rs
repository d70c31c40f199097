//! The functions that assert something approximate, as data: their arguments, their tolerances and the defaults that their
//! documentation gives.
//!
//! A function is known by its full name where the imports give one, and by its own name where they do not: `assert_allclose`
//! means the same in numpy and in the many test modules that pass it on.

use ruff_python_ast::{CmpOp, Expr, ExprCall};

use crate::scope::{ScopeId, Scopes, last_name};
use crate::site::{Form, Role};
use crate::{annotation, seed};

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
pub(crate) struct Closeness {
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
pub(crate) enum Callee {
    /// Asserts closeness.
    Close(&'static Closeness),
    /// Returns whether values are close.
    IsClose(&'static Closeness),
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

const fn tolerance(role: Role, name: &'static str, default: f64) -> Tolerance {
    Tolerance { role, name, default: Some(default), is_default_on: true }
}

const fn by_type(role: Role, name: &'static str) -> Tolerance {
    Tolerance { role, name, default: None, is_default_on: true }
}

const fn optional(role: Role, name: &'static str) -> Tolerance {
    Tolerance { role, name, default: None, is_default_on: false }
}

const fn close(form: Form, parameters: &'static [&'static str], tolerances: &'static [Tolerance]) -> Closeness {
    Closeness { form, parameters, tolerances, is_negated: false, is_symmetric: false }
}

const fn symmetric(form: Form, parameters: &'static [&'static str], tolerances: &'static [Tolerance]) -> Closeness {
    Closeness { is_symmetric: true, ..close(form, parameters, tolerances) }
}

const fn negated(closeness: Closeness) -> Closeness {
    Closeness { is_negated: true, ..closeness }
}

use Role::{Absolute, Decimal, Delta, Places, Relative, Significant};

static NUMPY_ALLCLOSE: Closeness = close(
    Form::Allclose,
    &["a", "b", "rtol", "atol", "equal_nan"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);
static MASKED_ALLCLOSE: Closeness = close(
    Form::Allclose,
    &["a", "b", "masked_equal", "rtol", "atol"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);
static TORCH_ALLCLOSE: Closeness = close(
    Form::Allclose,
    &["input", "other", "rtol", "atol", "equal_nan"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);
static MATH_ISCLOSE: Closeness = symmetric(
    Form::MathIsclose,
    &["a", "b"],
    &[tolerance(Relative, "rel_tol", 1e-9), tolerance(Absolute, "abs_tol", 0.0)],
);
static NUMPY_ASSERT_ALLCLOSE: Closeness = close(
    Form::AssertAllclose,
    &["actual", "desired", "rtol", "atol", "equal_nan", "err_msg", "verbose"],
    &[tolerance(Relative, "rtol", 1e-7), tolerance(Absolute, "atol", 0.0)],
);
static DENSE_SPARSE: Closeness = close(
    Form::AssertAllclose,
    &["x", "y", "rtol", "atol", "err_msg"],
    &[tolerance(Relative, "rtol", 1e-7), tolerance(Absolute, "atol", 1e-9)],
);
static ARRAY_API_CLOSE: Closeness =
    close(Form::AssertAllclose, &["actual", "desired"], &[by_type(Relative, "rtol"), tolerance(Absolute, "atol", 0.0)]);
static ASSERT_ALMOST_EQUAL: Closeness = symmetric(
    Form::AssertAlmostEqual,
    &["actual", "desired", "decimal", "err_msg", "verbose"],
    &[tolerance(Decimal, "decimal", 7.0)],
);
static ASSERT_ARRAY_ALMOST_EQUAL: Closeness = symmetric(
    Form::AssertArrayAlmostEqual,
    &["actual", "desired", "decimal", "err_msg", "verbose"],
    &[tolerance(Decimal, "decimal", 6.0)],
);
static ASSERT_APPROX_EQUAL: Closeness = symmetric(
    Form::AssertApproxEqual,
    &["actual", "desired", "significant", "err_msg", "verbose"],
    &[tolerance(Significant, "significant", 7.0)],
);
const UNITTEST_PARAMETERS: &[&str] = &["first", "second", "places", "msg", "delta"];
const UNITTEST_TOLERANCES: &[Tolerance] = &[tolerance(Places, "places", 7.0), optional(Delta, "delta")];
static ASSERT_ALMOST: Closeness = symmetric(Form::UnittestAlmostEqual, UNITTEST_PARAMETERS, UNITTEST_TOLERANCES);
static ASSERT_NOT_ALMOST: Closeness =
    negated(symmetric(Form::UnittestAlmostEqual, UNITTEST_PARAMETERS, UNITTEST_TOLERANCES));
static TORCH_ASSERT_CLOSE: Closeness =
    close(Form::TorchAssertClose, &["actual", "expected"], &[by_type(Relative, "rtol"), by_type(Absolute, "atol")]);
static TORCH_ASSERT_ALLCLOSE: Closeness = close(
    Form::TorchAssertClose,
    &["actual", "expected", "rtol", "atol", "equal_nan", "msg"],
    &[by_type(Relative, "rtol"), by_type(Absolute, "atol")],
);
const TENSORFLOW_PARAMETERS: &[&str] = &["a", "b", "rtol", "atol", "msg"];
const TENSORFLOW_TOLERANCES: &[Tolerance] = &[tolerance(Relative, "rtol", 1e-6), tolerance(Absolute, "atol", 1e-6)];
static TENSORFLOW_ALL_CLOSE: Closeness = close(Form::TensorflowClose, TENSORFLOW_PARAMETERS, TENSORFLOW_TOLERANCES);
static TENSORFLOW_NOT_ALL_CLOSE: Closeness =
    negated(close(Form::TensorflowClose, TENSORFLOW_PARAMETERS, TENSORFLOW_TOLERANCES));
static TENSORFLOW_BY_TYPE: Closeness = close(Form::TensorflowClose, &["a", "b", "rtol", "atol"], TENSORFLOW_TOLERANCES);
static TENSORFLOW_NEAR: Closeness =
    symmetric(Form::TensorflowClose, &["f1", "f2", "err", "msg"], &[optional(Delta, "err")]);
static TENSORFLOW_ARRAY_NEAR: Closeness =
    symmetric(Form::TensorflowClose, &["farray1", "farray2", "err", "msg"], &[optional(Delta, "err")]);
static TENSORFLOW_NDARRAY_NEAR: Closeness =
    symmetric(Form::TensorflowClose, &["ndarray1", "ndarray2", "err", "msg"], &[optional(Delta, "err")]);
static TENSORFLOW_ASSERT_NEAR: Closeness = close(
    Form::TensorflowClose,
    &["x", "y", "rtol", "atol", "message"],
    &[by_type(Relative, "rtol"), by_type(Absolute, "atol")],
);
static PANDAS_ALMOST_EQUAL: Closeness = symmetric(
    Form::PandasAlmostEqual,
    &["left", "right", "check_dtype", "rtol", "atol"],
    &[tolerance(Relative, "rtol", 1e-5), tolerance(Absolute, "atol", 1e-8)],
);

/// Whether a call is worth keeping until the whole file has been read.
pub(crate) fn may_matter(call: &ExprCall) -> bool {
    let Some(name) = last_name(&call.func) else { return false };
    is_interesting(name) || is_checker(name) || seed::has_seed_keyword(call)
}

/// Whether a function of this name may assert, seed, draw or annotate.
pub(crate) fn is_interesting(name: &str) -> bool {
    is_known_name(name) || looks_approximate(name) || seed::is_interesting(name) || annotation::is_module_test(name)
}

/// What `call` does, with its full name. `method` names are taken from any receiver: `self`, `cls`, a test case.
pub(crate) fn identify(call: &ExprCall, scopes: &Scopes<'_>, scope: ScopeId) -> Option<(Callee, String)> {
    let name = last_name(&call.func)?;
    let full = scopes.qualified(&call.func, scope);
    if full.is_none() && scopes.local_function(&call.func, scope).is_some() {
        // A helper of this file: its own body has the comparison.
        let is_suspect = looks_approximate(name) || is_checker(name) && has_tolerance(call);
        return is_suspect.then(|| (Callee::Unknown, name.to_owned()));
    }
    let full = full.unwrap_or_else(|| name.to_owned());
    let own_name = full.rsplit('.').next().unwrap_or(&full).to_owned();
    let callee = known(&own_name, &full, &call.func).or_else(|| suspected(&own_name, call))?;
    Some((callee, full))
}

fn known(name: &str, full: &str, func: &Expr) -> Option<Callee> {
    let is_method = matches!(func, Expr::Attribute(_));
    method(name)
        .filter(|_| is_method || full.contains('.'))
        .or_else(|| numpy_testing(name, full))
        .or_else(|| condition(name, full, is_method))
        .or_else(|| other_testing(name, full))
}

/// Methods of `unittest.TestCase`, `tf.test.TestCase` and `absltest.TestCase`.
fn method(name: &str) -> Option<Callee> {
    let order = |op| Some(Callee::Order { op, is_elementwise: false, form: Form::Compare });
    let each = |op| Some(Callee::Order { op, is_elementwise: true, form: Form::Compare });
    match name {
        "assertLess" => order(CmpOp::Lt),
        "assertLessEqual" => order(CmpOp::LtE),
        "assertGreater" => order(CmpOp::Gt),
        "assertGreaterEqual" => order(CmpOp::GtE),
        "assertAllLess" => each(CmpOp::Lt),
        "assertAllLessEqual" => each(CmpOp::LtE),
        "assertAllGreater" => each(CmpOp::Gt),
        "assertAllGreaterEqual" => each(CmpOp::GtE),
        "assertAlmostEqual" | "assertAlmostEquals" | "failUnlessAlmostEqual" => Some(Callee::Close(&ASSERT_ALMOST)),
        "assertNotAlmostEqual" | "assertNotAlmostEquals" => Some(Callee::Close(&ASSERT_NOT_ALMOST)),
        "assertTrue" | "failUnless" | "assert_" => Some(Callee::Truth { is_true: true }),
        "assertFalse" | "failIf" => Some(Callee::Truth { is_true: false }),
        "assertEqual" | "assertEquals" | "assertIs" => Some(Callee::Equal),
        "assertAllClose" => Some(Callee::Close(&TENSORFLOW_ALL_CLOSE)),
        "assertNotAllClose" => Some(Callee::Close(&TENSORFLOW_NOT_ALL_CLOSE)),
        "assertAllCloseAccordingToType" => Some(Callee::Close(&TENSORFLOW_BY_TYPE)),
        "assertNear" => Some(Callee::Close(&TENSORFLOW_NEAR)),
        "assertArrayNear" => Some(Callee::Close(&TENSORFLOW_ARRAY_NEAR)),
        "assertNDArrayNear" => Some(Callee::Close(&TENSORFLOW_NDARRAY_NEAR)),
        "assertAllInRange" | "assertBetween" => Some(Callee::Between),
        _ => None,
    }
}

/// `numpy.testing` and the modules that hand its functions on (scikit-learn's, scipy's, nose's).
fn numpy_testing(name: &str, full: &str) -> Option<Callee> {
    let is_nose = full.starts_with("nose.");
    let order = |op| Some(Callee::Order { op, is_elementwise: full.starts_with("tensorflow."), form: Form::Compare });
    match name {
        "assert_allclose" if full.starts_with("torch.") => Some(Callee::Close(&TORCH_ASSERT_ALLCLOSE)),
        "assert_allclose" => Some(Callee::Close(&NUMPY_ASSERT_ALLCLOSE)),
        "assert_almost_equal" | "assert_almost_equals" if is_nose => Some(Callee::Close(&ASSERT_ALMOST)),
        "assert_not_almost_equal" if is_nose => Some(Callee::Close(&ASSERT_NOT_ALMOST)),
        "assert_almost_equal" if full.starts_with("pandas.") => Some(Callee::Close(&PANDAS_ALMOST_EQUAL)),
        "assert_almost_equal" => Some(Callee::Close(&ASSERT_ALMOST_EQUAL)),
        "assert_array_almost_equal" => Some(Callee::Close(&ASSERT_ARRAY_ALMOST_EQUAL)),
        "assert_approx_equal" => Some(Callee::Close(&ASSERT_APPROX_EQUAL)),
        "assert_array_less" | "xp_assert_less" => {
            Some(Callee::Order { op: CmpOp::Lt, is_elementwise: true, form: Form::AssertArrayLess })
        }
        "assert_less" => order(CmpOp::Lt),
        "assert_less_equal" => order(CmpOp::LtE),
        "assert_greater" => order(CmpOp::Gt),
        "assert_greater_equal" => order(CmpOp::GtE),
        "assert_" | "assert_true" | "ok_" => Some(Callee::Truth { is_true: true }),
        "assert_false" => Some(Callee::Truth { is_true: false }),
        "assert_equal" => Some(Callee::Equal),
        "assert_array_max_ulp" | "assert_array_almost_equal_nulp" => Some(Callee::Ulps),
        _ => None,
    }
}

/// Functions that answer whether values are close.
fn condition(name: &str, full: &str, is_method: bool) -> Option<Callee> {
    match name {
        "allclose" | "isclose" if full.starts_with("numpy.ma.") => Some(Callee::IsClose(&MASKED_ALLCLOSE)),
        "isclose" if full.starts_with("math.") || full.starts_with("cmath.") => Some(Callee::IsClose(&MATH_ISCLOSE)),
        "allclose" | "isclose" if full.starts_with("torch.") => Some(Callee::IsClose(&TORCH_ALLCLOSE)),
        "allclose" | "isclose" if full.contains('.') || is_method => Some(Callee::IsClose(&NUMPY_ALLCLOSE)),
        "approx" if !full.contains('.') || full.starts_with("pytest.") || full.starts_with("_pytest.") => {
            Some(Callee::Approx)
        }
        _ => None,
    }
}

fn other_testing(name: &str, full: &str) -> Option<Callee> {
    match name {
        "assert_close" if full.starts_with("torch.") => Some(Callee::Close(&TORCH_ASSERT_CLOSE)),
        "xp_assert_close" => Some(Callee::Close(&ARRAY_API_CLOSE)),
        "assert_close" if full.contains("array_api") || full.contains("xpx") => Some(Callee::Close(&ARRAY_API_CLOSE)),
        "assert_near" if full.starts_with("tensorflow.") => Some(Callee::Close(&TENSORFLOW_ASSERT_NEAR)),
        "assert_allclose_dense_sparse" => Some(Callee::Close(&DENSE_SPARSE)),
        _ => None,
    }
}

/// Functions whose rule is not known but that speak of closeness.
fn suspected(name: &str, call: &ExprCall) -> Option<Callee> {
    if is_structural(name) {
        return has_tolerance(call).then_some(Callee::Structure);
    }
    let is_suspect = looks_approximate(name) || is_checker(name) && has_tolerance(call);
    let is_suspect = is_suspect && !name.contains("raises") && !name.contains("Raises");
    is_suspect.then_some(Callee::Unknown)
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

fn is_checker(name: &str) -> bool {
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

/// The arguments of `pytest.approx`.
pub(crate) static APPROX_PARAMETERS: &[&str] = &["expected", "rel", "abs", "nan_ok"];
