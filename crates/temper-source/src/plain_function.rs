//! Functions that say nothing about their inputs, as far as `temper check` could test them.

use ruff_python_ast::{Decorator, Expr, ParameterWithDefault};

use crate::annotation::Annotated;
use crate::collect::{CollectedFile, FunctionDef};
use crate::syntax::{last_name, span};

/// How many functions, methods and constructors of a file have no annotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlainFunctions {
    /// All of them that other code may call: no private ones, tests, properties or functions inside functions.
    pub all: usize,
    /// Those of them that need no argument.
    pub free: usize,
}

/// Counts them.
pub(crate) fn read(found: &CollectedFile<'_>, annotated: &[Annotated]) -> PlainFunctions {
    let is_plain = |function: &&FunctionDef<'_>| {
        is_public(function) && !annotated.iter().any(|each| each.span == span(function.node))
    };
    let plain: Vec<&FunctionDef<'_>> = found.functions.iter().filter(is_plain).collect();
    PlainFunctions { all: plain.len(), free: plain.iter().filter(|function| is_free(function)).count() }
}

fn is_public(function: &FunctionDef<'_>) -> bool {
    let name = function.node.name.as_str();
    let is_own = name == "__init__" || !(name.starts_with('_') || name.starts_with("test"));
    let is_called = !function.node.decorator_list.iter().any(|each| named(each, &["property", "overload", "fixture"]));
    is_own && is_called && !function.is_nested && !function.path.iter().any(|class| class.starts_with("Test"))
}

/// Whether a call needs no argument.
fn is_free(function: &FunctionDef<'_>) -> bool {
    let parameters = &function.node.parameters;
    let is_required = |parameter: &&ParameterWithDefault| parameter.default.is_none();
    let by_place = parameters.posonlyargs.iter().chain(&parameters.args).filter(is_required).count();
    let is_static = function.node.decorator_list.iter().any(|each| named(each, &["staticmethod"]));
    let receiver = usize::from(function.class.is_some() && !is_static);
    by_place <= receiver && !parameters.kwonlyargs.iter().any(|parameter| is_required(&parameter))
}

/// Whether a decorator ends in one of these names.
fn named(decorator: &Decorator, names: &[&str]) -> bool {
    let callee = match &decorator.expression {
        Expr::Call(call) => &call.func,
        other => other,
    };
    last_name(callee).is_some_and(|name| names.contains(&name))
}

#[cfg(test)]
mod tests {
    use crate::{PlainFunctions, SourceFile, analyse};

    #[test]
    fn functions_without_annotations_are_counted_and_those_without_arguments() {
        let check = |text: &str, all: usize, free: usize| {
            let file = SourceFile::from_text("x.py", text).unwrap();
            assert_eq!(analyse(&file).unwrap().plain, PlainFunctions { all, free }, "{text}");
        };
        check("def f(): pass\n", 1, 1);
        check("def f(a, b=1, *, c): pass\ndef g(a=1, *b, c=2, **d): pass\n", 2, 1);
        check("def f(*, c): pass\n", 1, 0);
        check("class A:\n def __init__(self): pass\n def m(self, x): pass\n @staticmethod\n def s(a): pass\n", 3, 1);
        check("class A:\n @property\n def p(self): pass\n def _q(self): pass\n", 0, 0);
        check("def test_it(): pass\nclass TestA:\n def helper(self): pass\n", 0, 0);
        check("import temper\n@temper.args()\ndef f(): pass\n", 0, 0);
        check("def f():\n def inner(): pass\n", 1, 1);
        check("import pytest\n@pytest.fixture(scope='module')\ndef data(): pass\n", 0, 0);
    }
}
