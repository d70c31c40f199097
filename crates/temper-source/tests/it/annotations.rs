//! Annotated functions in every spelling, and the tests of a file.

use temper_source::{Spelling, Spelling::Annotest, Spelling::Decorator, Spelling::Hint};

use crate::analysed;

/// The annotated functions of a text: name, spellings, decorators.
fn annotated(text: &str) -> Vec<(String, Vec<Spelling>, String)> {
    let (_, found) = analysed(text);
    found.annotated.into_iter().map(|item| (item.name, item.spellings, item.decorators.join(" "))).collect()
}

#[track_caller]
fn check(text: &str, expected: &[(&str, &[Spelling], &str)]) {
    let found = annotated(text);
    let found: Vec<_> =
        found.iter().map(|(name, spellings, names)| (name.as_str(), spellings.as_slice(), names.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn decorators_are_found_under_every_import() {
    for (import, prefix) in [
        ("import temper", "temper."),
        ("import temper as t", "t."),
        ("from temper import arg, args, require, ints", ""),
    ] {
        let text = format!(
            "{import}\n@{prefix}arg('x', {prefix}ints(1, 9))\n@{prefix}require('x > 1')\ndef f(x): pass\n\
             @{prefix}args(x={prefix}ints(1, 9))\nasync def g(x): pass\ndef h(x): pass\n"
        );
        check(&text, &[("f", &[Decorator], "arg require"), ("g", &[Decorator], "args")]);
    }
    check("from temper import arg as a, ints\n@a('x', ints())\ndef f(x): pass\n", &[("f", &[Decorator], "arg")]);
    for name in ["ensure", "raises", "exclude", "timeout", "generator", "cc_example", "consume", "regression", "forall"]
    {
        check(&format!("import temper\n@temper.{name}\ndef f(x): pass\n"), &[("f", &[Decorator], name)]);
    }
    check("from other import arg\n@arg('x')\ndef f(x): pass\n", &[]);
}

#[test]
fn methods_and_nested_functions_have_their_qualified_names() {
    let text = "
import temper
class A:
    class B:
        @staticmethod
        @temper.arg('x', temper.ints())
        def f(x): pass
def outer():
    @temper.arg('x', temper.ints())
    def inner(x): pass
";
    check(text, &[("A.B.f", &[Decorator], "arg"), ("outer.<locals>.inner", &[Decorator], "arg")]);
    let (_, found) = analysed(text);
    assert_eq!(found.annotated.iter().map(|item| item.is_nested).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn annotated_hints_are_found_in_all_their_disguises() {
    for hint in [
        "Annotated[int, ints(1, 9)]",
        "typing.Annotated[int, temper.ints(1, 9)]",
        "Annotated[int, 'doc', ints(1, 9)] | None",
        "Optional[Annotated[int, ints(1, 9)]]",
        "list[Annotated[int, ints(1, 9)]]",
        "'Annotated[int, ints(1, 9)]'",
        "Small",
        "'Small'",
        "New",
    ] {
        let text = format!(
            "import typing, temper\nfrom typing import Annotated, Optional\nfrom temper import ints\n\
             Small = Annotated[int, ints(1, 9)]\ntype New = Annotated[int, ints(1, 9)]\ndef f(x: {hint}): pass\n"
        );
        check(&text, &[("f", &[Hint], "")]);
    }
    check("from typing import Annotated\ndef f(x: Annotated[int, 'doc']): pass\n", &[]);
    let both = "import temper\nfrom typing import Annotated\n@temper.exclude\ndef f(*, x: Annotated[int, temper.ints()]): pass\n";
    check(both, &[("f", &[Decorator, Hint], "exclude")]);
}

#[test]
fn annotest_is_read_through_its_alias() {
    for (import, prefix) in [
        ("from annotest import an_language as an", "an."),
        ("import annotest.an_language as an", "an."),
        ("from annotest.an_language import arg, integers", ""),
    ] {
        let text = format!("{import}\n@{prefix}arg('x', {prefix}integers(min_value=1))\ndef f(x): pass\n");
        check(&text, &[("f", &[Annotest], "arg")]);
    }
}

#[test]
fn modules_are_marked_by_a_call() {
    for text in [
        "import temper\ntemper.module_test()\n",
        "from temper import module_test as m\nm()\n",
        "from annotest import an_language as an\nan.annotest_module_test()\n",
    ] {
        assert_eq!(analysed(text).1.module_tests.len(), 1, "{text}");
    }
    assert_eq!(analysed("import temper\ndef f():\n    temper.module_test()\n").1.module_tests, []);
}

#[test]
fn tests_are_collected_as_pytest_and_unittest_do() {
    let text = "
import unittest, pytest
def test_one(): pass
async def test_two(): pass
def helper_test(): pass
@pytest.fixture
def test_data(): pass
@pytest.mark.parametrize('x', [1])
def test_three(x): pass
class TestPlain:
    def test_a(self): pass
    def other(self): pass
    class TestInner:
        def test_b(self): pass
class TestWithInit:
    def __init__(self): pass
    def test_c(self): pass
class Base:
    def test_shared(self): pass
class TestHeir(Base): pass
class Odd(unittest.TestCase):
    def test_d(self): pass
class Heir(Odd):
    def test_e(self): pass
class NotATest:
    def test_f(self): pass
def outer():
    def test_g(): pass
@pytest.mark.parametrize('x', [1])
class TestSets:
    def test_h(self, x): pass
";
    let (_, found) = analysed(text);
    let tests: Vec<_> = found
        .tests
        .iter()
        .map(|test| (test.name.as_str(), test.is_async, test.is_parametrised, test.is_unittest))
        .collect();
    let expected = [
        ("test_one", false, false, false),
        ("test_two", true, false, false),
        ("test_three", false, true, false),
        ("TestPlain::test_a", false, false, false),
        ("TestPlain::TestInner::test_b", false, false, false),
        ("TestHeir::test_shared", false, false, false),
        ("Odd::test_d", false, false, true),
        ("Heir::test_d", false, false, true),
        ("Heir::test_e", false, false, true),
        ("TestSets::test_h", false, true, false),
    ];
    assert_eq!(tests, expected);
}

/// A decorator that only the Python package knows would leave its function unchecked.
#[test]
fn every_decorator_of_the_package_is_known() {
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/temper/annotations.py");
    let text = std::fs::read_to_string(package).unwrap();
    let names: std::collections::BTreeSet<&str> = text
        .lines()
        .filter(|line| line.contains("Callable[[T], T]:") || line.contains("(decorated: T) -> T:"))
        .filter_map(|line| line.strip_prefix("def ")?.split('(').next())
        .filter(|name| !name.starts_with("add_") && !name.starts_with('_'))
        .collect();
    assert!(names.len() > 12, "{names:?}");
    for name in names {
        let found = annotated(&format!("import temper\n@temper.{name}(1)\ndef f(x): pass\n"));
        assert_eq!(found, [("f".to_owned(), vec![Spelling::Decorator], name.to_owned())]);
    }
}
