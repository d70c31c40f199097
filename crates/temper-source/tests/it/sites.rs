//! Every row of the table of assertion forms, in the spellings that people use.

use temper_source::{BoundOrigin, Direction, ExactHint, OwnerKind, Reason, Reduction, Role, Site};

use crate::analysed;

const HEAD: &str = "
import math, unittest
import numpy as np
import numpy.testing as npt
import pytest
import torch
import tensorflow as tf
import dask.dataframe as dd
import pandas._testing as tm
import polars.testing as plt
import xarray as xr
from numpy.testing import assert_allclose as aac, assert_almost_equal
from pytest import approx
TOL = 1e-3
class TestIt(unittest.TestCase):
    LIMIT = 0.25
    def test_it(self, a, b, x, lo=None):
";

/// The sites of a test body, each as one line: form, actual, relation, bounds.
fn sites(body: &str) -> (String, Vec<Site>) {
    let indented: String = body.lines().map(|line| format!("        {line}\n")).collect();
    let text = format!("{HEAD}{indented}");
    let (file, found) = analysed(&text);
    let lines: Vec<String> = found.sites.iter().map(|site| line(&file, site)).collect();
    (lines.join("\n"), found.sites)
}

fn line(file: &temper_source::SourceFile, site: &Site) -> String {
    let reduction = match site.reduction {
        Reduction::None => "",
        Reduction::All => "all ",
        Reduction::Any => "any ",
    };
    let relation = match (site.direction, site.is_strict) {
        (Direction::Upper, true) => "<",
        (Direction::Upper, false) => "<=",
        (Direction::Lower, true) => ">",
        (Direction::Lower, false) => ">=",
    };
    let reference = site.reference.map_or(String::new(), |span| format!(" ~ {}", file.slice(span)));
    let bounds: Vec<String> = site
        .bounds
        .iter()
        .map(|bound| {
            let value = bound.value.map_or("?".into(), |value| format!("{value}"));
            let role = match bound.role {
                Role::Value => "",
                Role::Relative => "rel=",
                Role::Absolute => "abs=",
                Role::Decimal => "decimal=",
                Role::Significant => "significant=",
                Role::Places => "places=",
                Role::Delta => "delta=",
                Role::Margin => "margin=",
            };
            let default = if bound.origin == BoundOrigin::Default { "*" } else { "" };
            format!("{role}{value}{default}")
        })
        .collect();
    format!("{}: {reduction}{}{reference} {relation} {}", site.form.name(), file.slice(site.actual), bounds.join(", "))
}

#[track_caller]
fn check(body: &str, expected: &str) {
    assert_eq!(sites(body).0, expected, "{body}");
}

#[test]
fn plain_comparisons_are_read_from_either_side() {
    check("assert a < 0.5", "compare: a < 0.5");
    check("assert a <= 0.5, 'message'", "compare: a <= 0.5");
    check("assert a > 0.5", "compare: a > 0.5");
    check("assert a >= 1", "compare: a >= 1");
    check("assert 0.5 < a", "compare: a > 0.5");
    check("assert 0.5 >= a", "compare: a <= 0.5");
    check("assert (a) < (0.5)", "compare: a < 0.5");
    check("assert a.mean() + b < 0.5", "compare: a.mean() + b < 0.5");
    check("assert bool(a < 0.5)", "compare: a < 0.5");
    check("assert (a < 0.5) == True", "compare: a < 0.5");
    check("assert (a < 0.5) is False", "compare: a >= 0.5");
    check("assert (score := a) > 0.5", "compare: score := a > 0.5");
}

#[test]
fn not_flips_and_and_gives_two_sites() {
    check("assert not a < 0.5", "compare: a >= 0.5");
    check("assert not not a < 0.5", "compare: a < 0.5");
    check("assert a < 1 and b > 2", "compare: a < 1\ncompare: b > 2");
    check("assert not (a < 1 or b > 2)", "compare: a >= 1\ncompare: b <= 2");
    check("assert 0.1 < a <= 0.9", "compare: a > 0.1\ncompare: a <= 0.9");
    check("assert 0.1 < a < b", "compare: a > 0.1\nmargin: a ~ b < margin=0");
    check("assert isinstance(a, int) and a > 0", "compare: a > 0");
}

#[test]
fn sites_are_found_in_every_block_and_know_their_loop() {
    let body = "
if a:
    assert a < 1
for i in x:
    with open(i):
        assert b < 2
while a:
    try:
        assert a > 3
    finally:
        assert a > 4
async def inner():
    assert a < 5
assert all(v < 6 for v in x)
";
    check(body, "compare: a < 1\ncompare: b < 2\ncompare: a > 3\ncompare: a > 4\ncompare: a < 5\ncompare: all v < 6");
    let loops: Vec<bool> = sites(body).1.iter().map(|site| site.in_loop).collect();
    assert_eq!(loops, [false, true, true, true, false, true]);
}

#[test]
fn constants_are_followed_to_where_they_are_written() {
    let places = |body: &str| {
        let (_, sites) = sites(body);
        let bound = sites[0].bound();
        let names: Vec<_> = bound.places.iter().map(|place| (place.name.clone(), place.value, place.scale)).collect();
        (bound.value, bound.origin, names)
    };
    let named = |name: &str, value, scale| (Some(name.to_owned()), value, scale);
    assert_eq!(places("assert a < 1 - 0.25"), (Some(0.75), BoundOrigin::Here, vec![(None, 0.75, 1.0)]));
    assert_eq!(places("assert a > -3e-2"), (Some(-0.03), BoundOrigin::Here, vec![(None, -0.03, 1.0)]));
    assert_eq!(places("assert a < TOL"), (Some(1e-3), BoundOrigin::Module, vec![named("TOL", 1e-3, 1.0)]));
    assert_eq!(places("assert a < 2 * TOL"), (Some(2e-3), BoundOrigin::Module, vec![named("TOL", 1e-3, 2.0)]));
    assert_eq!(places("assert a > 1 - TOL"), (Some(0.999), BoundOrigin::Module, vec![named("TOL", 1e-3, -1.0)]));
    assert_eq!(places("tol = 0.5\nassert a < tol"), (Some(0.5), BoundOrigin::Local, vec![named("tol", 0.5, 1.0)]));
    assert_eq!(places("t, u = 0.5, 2\nassert a < u"), (Some(2.0), BoundOrigin::Local, vec![named("u", 2.0, 1.0)]));
    assert_eq!(places("assert a < self.LIMIT"), (Some(0.25), BoundOrigin::Class, vec![named("LIMIT", 0.25, 1.0)]));
    assert_eq!(places("assert a < TestIt.LIMIT"), (Some(0.25), BoundOrigin::Class, vec![named("LIMIT", 0.25, 1.0)]));
    assert_eq!(places("assert a < 1e3 * np.finfo(float).eps").0, Some(1e3 * f64::EPSILON));
    assert_eq!(places("assert a < np.pi / 2").0, Some(std::f64::consts::FRAC_PI_2));
    // The last assignment before the use counts, not the first.
    assert_eq!(places("tol = 1\ntol = 2\nassert a < tol\ntol = 3").0, Some(2.0));
    // Two ways to get here: two places, no single value.
    let two = places("tol = 1\nif b:\n    tol = 2\nassert a < tol");
    assert_eq!(two, (None, BoundOrigin::Local, vec![named("tol", 1.0, 1.0), named("tol", 2.0, 1.0)]));
    let each = places("for tol in (0.1, 0.2):\n    assert a < tol");
    assert_eq!(each, (None, BoundOrigin::Local, vec![named("tol", 0.1, 1.0), named("tol", 0.2, 1.0)]));
}

#[test]
fn a_name_that_may_change_is_no_constant() {
    check("tol = 1\ntol *= 2\nassert a < tol", "margin: a ~ tol < margin=0");
    check("tol = 1\nfor i in x:\n    assert a < tol\n    tol = a", "margin: a ~ tol < margin=0");
    check("tol = f()\nassert a < tol", "margin: a ~ tol < margin=0");
}

#[test]
fn parameters_are_bounds_if_they_have_a_number_or_a_telling_name() {
    let text = "
def check(a, limit=0.5):
    assert a < limit
def check_tol(a, rtol):
    assert a < rtol
def check_two(a, b):
    assert a < b
def test_it():
    check(1)
";
    let (file, found) = analysed(text);
    let lines: Vec<String> = found.sites.iter().map(|site| line(&file, site)).collect();
    assert_eq!(lines, ["compare: a < ?", "compare: a < ?", "margin: a ~ b < margin=0"]);
    let default = &found.sites[0].bound().places[0];
    assert_eq!((file.slice(default.span), default.value), ("0.5", 0.5));
    assert!(found.sites.iter().all(|site| site.owner.kind == OwnerKind::Helper));
}

#[test]
fn parameter_sets_are_places_of_the_bound() {
    for decorator in [
        "@pytest.mark.parametrize('n, limit', [(1, 0.5), (2, 0.25)])",
        "@pytest.mark.parametrize(('n', 'limit'), [(1, 0.5), pytest.param(2, 0.25, id='x')])",
        "@pytest.mark.parametrize('limit', [0.5, 0.25])",
        "@pytest.mark.parametrize(argnames='limit', argvalues=(0.5, 0.25))",
    ] {
        let (file, found) =
            analysed(&format!("import pytest\n{decorator}\ndef test_it(a, n, limit):\n    assert a < limit\n"));
        let bound = found.sites[0].bound();
        let places: Vec<_> = bound.places.iter().map(|place| file.slice(place.span)).collect();
        assert_eq!(
            (bound.origin, bound.value, places),
            (BoundOrigin::Parameter, None, vec!["0.5", "0.25"]),
            "{decorator}"
        );
    }
}

#[test]
fn bounds_know_the_documented_default() {
    let default = |body: &str| sites(body).1[0].bound().default;
    assert_eq!(default("npt.assert_allclose(a, b, rtol=0.1)"), Some(1e-7));
    assert_eq!(default("npt.assert_allclose(a, b)"), Some(1e-7));
    assert_eq!(default("assert a == approx(b, abs=0.1)"), Some(1e-12));
    assert_eq!(default("assert a < 0.1"), None);
}

#[test]
fn shared_constants_name_the_other_sites() {
    let (_, sites) = sites("assert a < TOL\nassert b < 2 * TOL\nassert x < 1");
    let shared: Vec<_> = sites.iter().map(|site| site.bound().shared_with.clone()).collect();
    assert_eq!(shared, [vec![1], vec![0], vec![]]);
}

#[test]
fn absolute_differences_have_their_own_form() {
    check("assert abs(a - b) < 1e-3", "difference: abs(a - b) < 0.001");
    check("assert np.abs(a - b) <= TOL", "difference: np.abs(a - b) <= 0.001");
    check("assert (a - b).abs() < 1e-3", "difference: (a - b).abs() < 0.001");
    check("assert 1e-3 > math.fabs(a - b)", "difference: math.fabs(a - b) < 0.001");
    check("assert abs(a) < 1e-3", "compare: abs(a) < 0.001");
}

#[test]
fn all_and_any_ask_the_extreme_element() {
    check("assert (x < 0.5).all()", "compare: all x < 0.5");
    check("assert np.all(x < 0.5)", "compare: all x < 0.5");
    check("assert np.all(x < 0.5, axis=0).all()", "compare: all x < 0.5");
    check("assert torch.all(x < 0.5).item()", "compare: all x < 0.5");
    check("assert (x < 0.5).any()", "compare: any x < 0.5");
    check("assert not (x < 0.5).any()", "compare: all x >= 0.5");
    check("assert not np.all(x < 0.5)", "compare: any x >= 0.5");
    check("assert all(v < 0.5 for v in x)", "compare: all v < 0.5");
    check("assert any([v < 0.5 for v in x])", "compare: any v < 0.5");
    check("assert ((x > 0) & (x < 1)).all()", "compare: all x > 0\ncompare: all x < 1");
    check("assert np.all(np.logical_and(x > 0, x < 1))", "compare: all x > 0\ncompare: all x < 1");
    check("assert np.all(np.less(x, 0.5))", "compare: all x < 0.5");
    check("assert (~(x < 0.5)).all()", "compare: all x >= 0.5");
    check("assert np.all(np.abs(a - b) < 1e-6)", "difference: all np.abs(a - b) < 0.000001");
    check("assert all([a < 1, b < 2])", "compare: a < 1\ncompare: b < 2");
    check("assert tf.reduce_all(x < 0.5)", "compare: all x < 0.5");
    check("assert (x < 0.5).sum() == 0", "compare: all x >= 0.5");
    check("assert np.sum(x < 0.5) == 0", "compare: all x >= 0.5");
    check("assert 0 == np.count_nonzero(x < 0.5)", "compare: all x >= 0.5");
}

#[test]
fn approx_keeps_its_rules() {
    check("assert a == pytest.approx(b)", "approx: a ~ b <= rel=0.000001*, abs=0.000000000001*");
    check("assert a == approx(b, rel=0.1)", "approx: a ~ b <= rel=0.1, abs=0.000000000001*");
    check("assert a == approx(b, 0.1)", "approx: a ~ b <= rel=0.1, abs=0.000000000001*");
    // An absolute tolerance alone drops the relative one.
    check("assert a == approx(b, abs=0.1)", "approx: a ~ b <= abs=0.1");
    check("assert a == approx(b, 0.2, 0.1)", "approx: a ~ b <= rel=0.2, abs=0.1");
    check("assert approx(2.6, abs=TOL) == a", "approx: a ~ 2.6 <= abs=0.001");
    check("assert a != approx(b, abs=0.1)", "approx: a ~ b > abs=0.1");
    check("assert not a == approx(b, abs=0.1)", "approx: a ~ b > abs=0.1");
    check("want = approx(b, abs=0.1)\nassert a == want", "approx: a ~ b <= abs=0.1");
    check("assert (a, b) == (approx(1, abs=1), approx(2, abs=2))", "approx: a ~ 1 <= abs=1\napprox: b ~ 2 <= abs=2");
    check("self.assertEqual(a, approx(b, abs=0.1))", "approx: a ~ b <= abs=0.1");
}

#[test]
fn closeness_conditions_know_their_defaults() {
    check("assert np.allclose(a, b)", "allclose: a ~ b <= rel=0.00001*, abs=0.00000001*");
    check("assert np.allclose(a, b, 0.1, 0.2)", "allclose: a ~ b <= rel=0.1, abs=0.2");
    check("assert np.allclose(a, b=b, atol=0.2)", "allclose: a ~ b <= rel=0.00001*, abs=0.2");
    check("assert not np.allclose(a, b, 0, 1)", "allclose: a ~ b > rel=0, abs=1");
    check("assert np.isclose(a, b, 0, 1)", "allclose: a ~ b <= rel=0, abs=1");
    check("assert np.isclose(a, b, 0, 1).all()", "allclose: all a ~ b <= rel=0, abs=1");
    check("assert np.all(np.isclose(a, b, 0, 1))", "allclose: all a ~ b <= rel=0, abs=1");
    check("assert torch.allclose(a, b, atol=0.1)", "allclose: a ~ b <= rel=0.00001*, abs=0.1");
    check("assert torch.allclose(input=a, other=b, rtol=0, atol=0.1)", "allclose: a ~ b <= rel=0, abs=0.1");
    check("assert a.allclose(b, 0, 0.1)", "allclose: a ~ b <= rel=0, abs=0.1");
    check("assert a.allclose(b, atol=0.1, rtol=0)", "allclose: a ~ b <= rel=0, abs=0.1");
    check("assert math.isclose(a, b)", "math-isclose: a ~ b <= rel=0.000000001*, abs=0*");
    check("assert math.isclose(1, a, rel_tol=0.1)", "math-isclose: a ~ 1 <= rel=0.1, abs=0*");
    check("assert np.allclose(a, b, 0, 1) is True", "allclose: a ~ b <= rel=0, abs=1");
    check("self.assertTrue(np.allclose(a, b, 0, 1))", "allclose: a ~ b <= rel=0, abs=1");
    check("self.assertEqual(np.allclose(a, b, 0, 1), True)", "allclose: a ~ b <= rel=0, abs=1");
}

#[test]
fn numpy_assertions_are_read_under_every_alias() {
    for name in ["np.testing.assert_allclose", "npt.assert_allclose", "aac"] {
        check(&format!("{name}(a, b)"), "assert-allclose: a ~ b <= rel=0.0000001*, abs=0*");
        check(&format!("{name}(a, b, 0.1)"), "assert-allclose: a ~ b <= rel=0.1, abs=0*");
        check(&format!("{name}(a, b, 0.1, 0.2)"), "assert-allclose: a ~ b <= rel=0.1, abs=0.2");
        check(&format!("{name}(a, desired=b, atol=TOL)"), "assert-allclose: a ~ b <= rel=0.0000001*, abs=0.001");
        check(&format!("{name}(desired=b, actual=a, rtol=0)"), "assert-allclose: a ~ b <= rel=0, abs=0*");
    }
    check("assert_almost_equal(a, b)", "assert-almost-equal: a ~ b < decimal=7*");
    check("assert_almost_equal(a, b, 3)", "assert-almost-equal: a ~ b < decimal=3");
    check("npt.assert_array_almost_equal(a, b)", "assert-array-almost-equal: a ~ b < decimal=6*");
    check("npt.assert_array_almost_equal(a, b, decimal=2)", "assert-array-almost-equal: a ~ b < decimal=2");
    check("npt.assert_approx_equal(a, b)", "assert-approx-equal: a ~ b < significant=7*");
    check("npt.assert_approx_equal(a, b, significant=4)", "assert-approx-equal: a ~ b < significant=4");
    check("npt.assert_array_less(a, 2.5)", "assert-array-less: all a < 2.5");
    check("npt.assert_array_less(0, a)", "assert-array-less: all a > 0");
    check("npt.assert_array_less(x=a, y=b)", "assert-array-less: all a ~ b < margin=0");
    check("npt.assert_array_less(a, [1, 2])", "assert-array-less: all a ~ [1, 2] < margin=0");
    check("npt.assert_(a < 0.5)", "compare: a < 0.5");
    check("close = np.testing.assert_allclose\nclose(a, b, 1, 2)", "assert-allclose: a ~ b <= rel=1, abs=2");
    check("from numpy import testing\ntesting.assert_allclose(a, b, 1, 2)", "assert-allclose: a ~ b <= rel=1, abs=2");
    check("import numpy\nnumpy.testing.assert_allclose(a, b, 1, 2)", "assert-allclose: a ~ b <= rel=1, abs=2");
    check("tm.assert_almost_equal(a, b, rtol=0.1)", "pandas-almost-equal: a ~ b <= rel=0.1, abs=0.00000001*");
}

#[test]
fn unittest_assertions_are_read() {
    check("self.assertLess(a, 0.5)", "compare: a < 0.5");
    check("self.assertLessEqual(a, 0.5, 'message')", "compare: a <= 0.5");
    check("self.assertGreater(a, 0.5)", "compare: a > 0.5");
    check("self.assertGreaterEqual(first=a, second=0.5)", "compare: a >= 0.5");
    check("self.assertLess(0.5, a)", "compare: a > 0.5");
    check("self.assertLess(abs(a - b), 0.5)", "difference: abs(a - b) < 0.5");
    check("self.assertLess(a, b)", "margin: a ~ b < margin=0");
    check("self.assertAlmostEqual(a, b)", "unittest-almost-equal: a ~ b <= places=7*");
    check("self.assertAlmostEqual(a, b, 3)", "unittest-almost-equal: a ~ b <= places=3");
    check("self.assertAlmostEqual(a, b, places=3)", "unittest-almost-equal: a ~ b <= places=3");
    check("self.assertAlmostEqual(0.5, a, delta=0.1)", "unittest-almost-equal: a ~ 0.5 <= delta=0.1");
    check("self.assertNotAlmostEqual(a, b, delta=0.1)", "unittest-almost-equal: a ~ b > delta=0.1");
    check("self.assertTrue(a < 0.5)", "compare: a < 0.5");
    check("self.assertTrue(0 < a < 0.5, 'message')", "compare: a > 0\ncompare: a < 0.5");
    check("self.assertFalse(a < 0.5)", "compare: a >= 0.5");
    check("self.assertTrue((x < 0.5).all())", "compare: all x < 0.5");
}

#[test]
fn torch_and_tensorflow_assertions_are_read() {
    check("torch.testing.assert_close(a, b)", "torch-assert-close: a ~ b <= rel=?*, abs=?*");
    check("torch.testing.assert_close(a, b, rtol=0.1, atol=0)", "torch-assert-close: a ~ b <= rel=0.1, abs=0");
    check("self.assertAllClose(a, b)", "tensorflow-close: a ~ b <= rel=0.000001*, abs=0.000001*");
    check("self.assertAllClose(a, b, 0.1, atol=0.2)", "tensorflow-close: a ~ b <= rel=0.1, abs=0.2");
    check("self.assertNotAllClose(a, b, 0.1, 0.2)", "tensorflow-close: a ~ b > rel=0.1, abs=0.2");
    check("self.assertAllLess(a, 0.5)", "compare: all a < 0.5");
    check("self.assertAllLessEqual(a, comparison_target=0.5)", "compare: all a <= 0.5");
    check("self.assertAllGreater(a, 0.5)", "compare: all a > 0.5");
    check("self.assertAllGreaterEqual(a, 0.5)", "compare: all a >= 0.5");
    check("self.assertAllInRange(a, 0, 1)", "compare: all a >= 0\ncompare: all a <= 1");
    check("self.assertAllInRange(a, 0, 1, open_upper_bound=True)", "compare: all a >= 0\ncompare: all a < 1");
    check("self.assertBetween(a, 0, 1)", "compare: a >= 0\ncompare: a <= 1");
    check("self.assertNear(a, b, 0.1)", "tensorflow-close: a ~ b <= delta=0.1");
    check("self.assertArrayNear(a, b, err=0.1)", "tensorflow-close: a ~ b <= delta=0.1");
    check("self.assertNDArrayNear(a, b, 0.1)", "tensorflow-close: a ~ b <= delta=0.1");
    check("tf.debugging.assert_near(a, b, atol=0.1, rtol=0)", "tensorflow-close: a ~ b <= rel=0, abs=0.1");
    check("tf.debugging.assert_less(a, 0.5)", "compare: all a < 0.5");
}

#[test]
fn two_computed_sides_give_a_margin() {
    check("assert a < b", "margin: a ~ b < margin=0");
    check("assert a >= b * 2", "margin: a ~ b * 2 >= margin=0");
    check("assert (a < b).all()", "margin: all a ~ b < margin=0");
}

#[test]
fn exact_comparisons_stay_sites_with_a_hint() {
    let hint = |body: &str| sites(body).1[0].likely_exact;
    assert_eq!(hint("assert len(x) > 0"), Some(ExactHint::Length));
    assert_eq!(hint("assert x.size >= 3"), Some(ExactHint::Length));
    assert_eq!(hint("assert x.ndim >= 2"), Some(ExactHint::Shape));
    assert_eq!(hint("assert x.shape[0] < 10"), Some(ExactHint::Shape));
    assert_eq!(hint("assert len(x) <= len(a)"), Some(ExactHint::Length));
    assert_eq!(hint("n = len(x)\nassert n > 3"), Some(ExactHint::Length));
    assert_eq!(hint("for i in range(9):\n    assert i < 10"), Some(ExactHint::Count));
    assert_eq!(hint("assert set(x) <= set(a)"), Some(ExactHint::Structure));
    assert_eq!(hint("assert x.mean() > 0"), None);
    assert_eq!(hint("assert a < 10"), None);
}

#[test]
fn what_is_exact_by_nature_is_no_site() {
    for body in [
        "assert a == 0.5",
        "assert a",
        "assert a is None",
        "assert a in x",
        "assert a < 'b'",
        "assert a < [1, 2]",
        "assert len(x) == 0 or x.ndim > 1",
        "assert (x < 0.5).sum() == 3",
        "assert sys.version_info >= (3, 8)",
        "npt.assert_array_equal(a, b)",
        "self.assertEqual(a, b)",
        "assert not np.isnan(a).any()",
        "tm.assert_frame_equal(a, b, check_exact=True)",
        "tm.assert_index_equal(a, b)",
        "if a < 0.5:\n    pass",
    ] {
        let (lines, _) = sites(body);
        assert_eq!(lines, "", "{body}");
        let text = format!("{HEAD}{}", body.lines().map(|line| format!("        {line}\n")).collect::<String>());
        assert_eq!(analysed(&text).1.not_understood, [], "{body}");
    }
}

#[test]
fn frames_are_compared_up_to_the_tolerances_that_their_library_documents() {
    let forms = |body: &str| {
        let (_, sites) = sites(body);
        let bounds = |site: &Site| site.bounds.iter().map(|bound| bound.value.unwrap()).collect::<Vec<_>>();
        sites.iter().map(|site| (site.form.name(), bounds(site))).collect::<Vec<_>>()
    };
    for (body, form, bounds) in [
        ("tm.assert_frame_equal(a, b)", "pandas-equal", [1e-5, 1e-8]),
        ("tm.assert_series_equal(a, b, check_dtype=False, rtol=0.1)", "pandas-equal", [0.1, 1e-8]),
        ("tm.assert_index_equal(a, b, check_exact=False, atol=2)", "pandas-equal", [1e-5, 2.0]),
        ("plt.assert_frame_equal(a, b, rel_tol=0.1)", "polars-equal", [0.1, 1e-8]),
        ("plt.assert_series_equal(a, b, atol=0.1)", "polars-equal", [1e-5, 0.1]),
        ("xr.testing.assert_allclose(a, b)", "xarray-close", [1e-5, 1e-8]),
    ] {
        assert_eq!(forms(body), [(form, bounds.to_vec())], "{body}");
    }
}

#[test]
fn an_answer_that_only_a_run_knows_is_a_site_for_each_value_of_it() {
    for (body, expected) in [
        ("assert flag == (a > 0.05)", [(true, Direction::Lower, true), (false, Direction::Upper, false)]),
        ("assert (a <= 0.05) is flag", [(true, Direction::Upper, false), (false, Direction::Lower, true)]),
        ("assert flag != (a > 0.05)", [(true, Direction::Upper, false), (false, Direction::Lower, true)]),
        ("self.assertEqual(flag, 0.05 < a)", [(true, Direction::Lower, true), (false, Direction::Upper, false)]),
    ] {
        let (_, sites) = sites(body);
        let found: Vec<_> =
            sites.iter().map(|site| (site.answer.unwrap().is_true, site.direction, site.is_strict)).collect();
        assert_eq!(found, expected, "{body}");
        assert!(sites.iter().all(|site| site.form.name() == "answer"), "{body}");
    }
}

#[test]
fn what_looks_approximate_is_never_dropped() {
    let cases: [(&str, Reason); 21] = [
        ("assert_close_enough(a, b)", Reason::UnknownHelper("assert_close_enough".into())),
        ("self.check_values(a, b, rtol=0.1)", Reason::UnknownHelper("check_values".into())),
        ("assert almost_equal(a, b)", Reason::UnknownHelper("almost_equal".into())),
        ("assert a < 1 or b < 1", Reason::Alternatives),
        ("assert a < b or a < x", Reason::Alternatives),
        ("assert (v < 1 for v in x)", Reason::AlwaysTrue),
        ("ok = a < b\nassert ok", Reason::ResultOfName("ok".into())),
        ("assert not (0 < a < 1)", Reason::Alternatives),
        ("assert ((x < 0) | (x > 1)).all()", Reason::Alternatives),
        ("assert all(np.any(v < 1) for v in x)", Reason::NestedReduction),
        ("assert a < 1 if b else a < 2", Reason::Conditional),
        ("ok = np.allclose(a, b)\nassert ok", Reason::ResultOfName("ok".into())),
        ("if not np.allclose(a, b):\n    raise ValueError", Reason::ResultUsedElsewhere("numpy.allclose".into())),
        ("a == approx(b)", Reason::NotAsserted("pytest.approx".into())),
        ("np.allclose(a, b)", Reason::NotAsserted("numpy.allclose".into())),
        ("assert a in [approx(b)]", Reason::ApproxElsewhere),
        ("assert round(a, 3) == 0.125", Reason::Rounded),
        ("npt.assert_allclose(*x)", Reason::UnpackedArguments),
        ("npt.assert_array_max_ulp(a, b, 3)", Reason::Ulps("numpy.testing.assert_array_max_ulp".into())),
        ("dd.assert_frame_equal(a, b, rtol=0.1)", Reason::Structure("dask.dataframe.assert_frame_equal".into())),
        ("assert (a < 0.5) == (b < 0.5)", Reason::Alternatives),
    ];
    for (body, reason) in cases {
        let text = format!("{HEAD}{}", body.lines().map(|line| format!("        {line}\n")).collect::<String>());
        let (_, found) = analysed(&text);
        let reasons: Vec<&Reason> = found.not_understood.iter().map(|item| &item.reason).collect();
        assert!(reasons.contains(&&reason), "{body}: {reasons:?}");
        assert_eq!(found.sites, [], "{body}");
        assert!(found.not_understood.iter().all(|item| item.owner.name == "TestIt::test_it"), "{body}");
    }
}

#[test]
fn a_helper_of_the_file_is_read_where_it_is_written() {
    let text = "
import numpy as np
def assert_close_to(a, b):
    np.testing.assert_allclose(a, b, rtol=0.1)
def test_it():
    assert_close_to(1, 2)
    def check_nearly(a):
        assert a < 0.5
    check_nearly(3)
";
    let (_, found) = analysed(text);
    let owners: Vec<_> = found.sites.iter().map(|site| (site.owner.kind, site.owner.name.as_str())).collect();
    assert_eq!(owners, [(OwnerKind::Helper, "assert_close_to"), (OwnerKind::Test, "test_it")]);
    assert_eq!(found.not_understood, []);
}

#[test]
fn a_function_that_hides_an_import_is_not_the_import() {
    let text = "
from numpy.testing import assert_allclose
old = assert_allclose
def assert_allclose(a, b, digits):
    old(a, b, rtol=10 ** -digits)
def test_it(x):
    assert_allclose(x, 1, digits=3)
";
    let (_, found) = analysed(text);
    assert_eq!(found.sites.len(), 1);
    assert_eq!(found.sites[0].owner.name, "assert_allclose");
}

#[test]
fn expected_failures_are_marked() {
    let (_, sites) = sites("with pytest.raises(AssertionError):\n    aac(a, b)\naac(a, b)");
    assert_eq!(sites.iter().map(|site| site.expects_failure).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn spans_cover_exactly_what_they_name() {
    let (file, found) = analysed("def test_it(a):\n    x = 'é'; assert f(a) < 0.5, 'm'  # comment\n");
    let site = &found.sites[0];
    assert_eq!(file.slice(site.assertion), "assert f(a) < 0.5, 'm'");
    assert_eq!(file.slice(site.comparison), "f(a) < 0.5");
    assert_eq!(file.slice(site.actual), "f(a)");
    assert_eq!(file.slice(site.bound().places[0].span), "0.5");
    assert_eq!((site.position.line, site.position.column), (2, 14));
}

#[test]
fn edits_write_the_number_where_it_belongs() {
    let edited = |body: &str, number: &str| {
        let (file, found) = analysed(body);
        let site = found.sites.last().unwrap();
        let edits = site.bound().edits(number, Some("0.25")).unwrap();
        let set = temper_source::EditSet::new(&file, edits).unwrap();
        set.reparse(&file).unwrap().text().to_owned()
    };
    let head = "from numpy.testing import assert_allclose\nfrom pytest import approx\n";
    let check = |body: &str, number: &str, expected: &str| {
        assert_eq!(edited(&format!("{head}{body}"), number), format!("{head}{expected}"));
    };
    check("assert a < 0.5", "0.7", "assert a < 0.7");
    check("assert a > -3e-2", "-0.1", "assert a > -0.1");
    check("assert a < (1 - 0.1)", "0.95", "assert a < (0.95)");
    check("TOL = 1e-3\nassert a < TOL", "2e-3", "TOL = 2e-3\nassert a < TOL");
    // The number of a multiple is written in the assertion: the constant holds another one.
    check("TOL = 1e-3\nassert a < 2 * TOL", "5e-3", "TOL = 1e-3\nassert a < 5e-3");
    check("assert_allclose(a, b)", "1e-5", "assert_allclose(a, b, rtol=1e-5)");
    check(
        "import torch\ntorch.testing.assert_close(a, b)",
        "1e-5",
        "import torch\ntorch.testing.assert_close(a, b, rtol=1e-5, atol=0.25)",
    );
    check("assert_allclose(a, (b))", "1e-5", "assert_allclose(a, (b), rtol=1e-5)");
    check("assert_allclose(a, b,)", "1e-5", "assert_allclose(a, b, rtol=1e-5)");
    check("assert_allclose(a,\n  b,  # why\n)", "1e-5", "assert_allclose(a,\n  b, rtol=1e-5  # why\n)");
    check("assert_allclose(a, b, atol=1)", "2", "assert_allclose(a, b, atol=2)");
    check("assert a == approx(b)", "1e-5", "assert a == approx(b, rel=1e-5)");
    check("assert a < b", "0.1", "assert a < b + 0.1");
    check("assert a > b", "-0.1", "assert a > b - 0.1");
    check("assert a < (b if c else d)", "0.1", "assert a < ((b if c else d) + 0.1)");
    // An absolute tolerance alone would switch the relative one off.
    let (file, found) = analysed(&format!("{head}assert a == approx(b)"));
    let edits = found.sites[0].bounds[1].edits("1e-5", Some("1e-6")).unwrap();
    let set = temper_source::EditSet::new(&file, edits).unwrap();
    assert!(set.apply(file.text()).unwrap().ends_with("approx(b, abs=1e-5, rel=1e-6)"));
    assert_eq!(found.sites[0].bounds[1].edits("1e-5", None), None);
}
