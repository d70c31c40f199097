//! The tests of a file, by the rules of pytest's and unittest's default collection, for files of any name.
//!
//! pytest: functions `test*`, methods `test*` of classes `Test*` without `__init__`. unittest: methods `test*` of subclasses
//! of `TestCase`, whatever they are called. A test inherited from a class of the same file is listed under each class that
//! collects it.

use std::collections::HashMap;

use ruff_python_ast::{Decorator, Expr, Stmt};

use crate::collect::{Class, Collected, Function};
use crate::file::SourceFile;
use crate::scope::last_name;
use crate::sites::site::{Owner, OwnerKind};
use crate::span::{Position, Span};
use crate::syntax::span;

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The part of its pytest node id behind the file name: `TestClass::test_method`.
    pub name: String,
    /// The whole function, decorators included.
    pub span: Span,
    /// Where the function starts.
    pub position: Position,
    /// Whether it has parameter sets, its own or its class's.
    pub is_parametrised: bool,
    /// Whether it is a coroutine.
    pub is_async: bool,
    /// Whether its class is a `TestCase`.
    pub is_unittest: bool,
}

/// The tests of a file and the role of each of its functions.
pub(crate) struct Suite {
    pub(crate) tests: Vec<Test>,
    owners: Vec<Owner>,
}

impl Suite {
    pub(crate) fn read(found: &Collected<'_>, file: &SourceFile) -> Self {
        let classes = Classes::read(found);
        let mut tests = Vec::new();
        let mut collected_as: HashMap<usize, Vec<String>> = HashMap::new();
        for (index, function) in found.functions.iter().enumerate() {
            for test in classes.tests_of(function, file) {
                collected_as.entry(index).or_default().push(test.name.clone());
                tests.push(test);
            }
        }
        let has_tests = !tests.is_empty() || is_test_file(file);
        let owners = found.functions.iter().enumerate().map(|(index, function)| {
            let collected = collected_as.get(&index).and_then(|names| names.first());
            owner(function, collected, has_tests)
        });
        let owners = owners.collect();
        Self { tests, owners }
    }

    /// The role of the function with this index; the module without one.
    pub(crate) fn owner(&self, function: Option<usize>) -> Owner {
        function
            .and_then(|index| self.owners.get(index).cloned())
            .unwrap_or_else(|| Owner { kind: OwnerKind::Module, name: String::new() })
    }

    /// Whether a function is a test, or may be called by one of this file.
    pub(crate) fn is_test_code(&self, function: Option<usize>) -> bool {
        function.and_then(|index| self.owners.get(index)).is_some_and(|owner| owner.kind != OwnerKind::Function)
    }
}

/// What is known of the classes of a file.
struct Classes<'s, 'a> {
    found: &'s Collected<'a>,
    is_unittest: Vec<bool>,
    is_collected: Vec<bool>,
    /// For each class, the classes of the file that inherit from it, directly or not.
    heirs: Vec<Vec<usize>>,
}

/// Length of the longest chain of base classes that is followed.
const MAX_BASES: usize = 8;

impl<'s, 'a> Classes<'s, 'a> {
    fn read(found: &'s Collected<'a>) -> Self {
        let count = found.classes.len();
        let by_scope: HashMap<u32, usize> =
            found.classes.iter().enumerate().map(|(index, class)| (class.body_scope.index(), index)).collect();
        let ancestors: Vec<Vec<usize>> = (0..count).map(|index| ancestors(found, &by_scope, index)).collect();
        let own: Vec<bool> = found.classes.iter().map(|class| has_testcase_base(found, class)).collect();
        let is_unittest: Vec<bool> =
            (0..count).map(|index| own[index] || ancestors[index].iter().any(|&base| own[base])).collect();
        let mut heirs = vec![Vec::new(); count];
        for (index, bases) in ancestors.iter().enumerate() {
            for &base in bases {
                heirs[base].push(index);
            }
        }
        let mut classes = Self { found, is_unittest, is_collected: Vec::new(), heirs };
        // In the order of the text, so that an outer class is decided before the classes in it.
        for index in 0..count {
            let is_collected = classes.collects(index);
            classes.is_collected.push(is_collected);
        }
        classes
    }

    fn collects(&self, index: usize) -> bool {
        let class = &self.found.classes[index];
        let outer_is_collected = class.outer.is_none_or(|outer| self.is_collected.get(outer).copied().unwrap_or(false));
        let is_plain_test = class.node.name.starts_with("Test") && !defines_init(class);
        !class.is_in_function && outer_is_collected && (is_plain_test || self.is_unittest[index])
    }

    fn tests_of(&self, function: &Function<'_>, file: &SourceFile) -> Vec<Test> {
        if function.is_nested || !function.node.name.starts_with("test") || is_fixture(&function.node.decorator_list) {
            return Vec::new();
        }
        let Some(class) = function.class else {
            return if function.path.is_empty() { vec![test(function, None, false, file)] } else { Vec::new() };
        };
        std::iter::once(class)
            .chain(self.heirs[class].iter().copied())
            .filter(|&class| self.is_collected[class])
            .map(|class| test(function, Some(&self.found.classes[class]), self.is_unittest[class], file))
            .collect()
    }
}

fn test(function: &Function<'_>, class: Option<&Class<'_>>, is_unittest: bool, file: &SourceFile) -> Test {
    let node = function.node;
    let mut parts: Vec<&str> = Vec::new();
    if let Some(class) = class {
        parts.extend(&class.path);
        parts.push(&class.node.name);
    }
    parts.push(&node.name);
    let of_class = class.is_some_and(|class| is_parametrised(&class.node.decorator_list));
    Test {
        name: parts.join("::"),
        span: span(node),
        position: file.position(span(&node.name).start),
        is_parametrised: is_parametrised(&node.decorator_list) || of_class,
        is_async: node.is_async,
        is_unittest,
    }
}

fn owner(function: &Function<'_>, collected: Option<&String>, has_tests: bool) -> Owner {
    let name = &function.node.name;
    let kind = match collected {
        Some(_) => OwnerKind::Test,
        None if is_fixture(&function.node.decorator_list) || is_set_up(name) => OwnerKind::Fixture,
        None if has_tests => OwnerKind::Helper,
        None => OwnerKind::Function,
    };
    let qualified = || function.path.iter().copied().chain([name.as_str()]).collect::<Vec<_>>().join("::");
    Owner { kind, name: collected.cloned().unwrap_or_else(qualified) }
}

fn ancestors(found: &Collected<'_>, by_scope: &HashMap<u32, usize>, index: usize) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut open = vec![index];
    while let Some(current) = open.pop() {
        let class = &found.classes[current];
        for base in found.scopes.bases(class.body_scope) {
            let Expr::Name(name) = base else { continue };
            let Some(scope) = found.scopes.class_named(&name.id, class.scope) else { continue };
            let Some(&base) = by_scope.get(&scope.index()) else { continue };
            if base != index && chain.len() < MAX_BASES && !chain.contains(&base) {
                chain.push(base);
                open.push(base);
            }
        }
    }
    chain
}

fn has_testcase_base(found: &Collected<'_>, class: &Class<'_>) -> bool {
    found.scopes.bases(class.body_scope).iter().any(|base| {
        // A class of this file is judged by its own bases, whatever it is called.
        if matches!(base, Expr::Name(name) if found.scopes.class_named(&name.id, class.scope).is_some()) {
            return false;
        }
        let full = found.scopes.qualified(base, class.scope);
        let name = full.as_deref().or_else(|| last_name(base)).unwrap_or_default();
        name.ends_with("TestCase")
    })
}

fn defines_init(class: &Class<'_>) -> bool {
    class.node.body.iter().any(|stmt| matches!(stmt, Stmt::FunctionDef(node) if &node.name == "__init__"))
}

/// `@pytest.fixture`, with or without arguments.
pub(crate) fn is_fixture(decorators: &[Decorator]) -> bool {
    decorators.iter().any(|decorator| matches!(decorator_name(decorator), Some("fixture" | "yield_fixture")))
}

fn is_parametrised(decorators: &[Decorator]) -> bool {
    decorators.iter().any(|decorator| {
        matches!(decorator_name(decorator), Some("parametrize" | "expand" | "parameters" | "named_parameters"))
    })
}

fn decorator_name(decorator: &Decorator) -> Option<&str> {
    match &decorator.expression {
        Expr::Call(call) => last_name(&call.func),
        other => last_name(other),
    }
}

/// Functions that pytest or unittest run around tests.
fn is_set_up(name: &str) -> bool {
    matches!(
        name,
        "setUp"
            | "setUpClass"
            | "tearDown"
            | "tearDownClass"
            | "asyncSetUp"
            | "setup_method"
            | "setup_class"
            | "setup_module"
            | "setup_function"
            | "setup"
    )
}

/// A file that pytest would read, even if it has no test of its own.
fn is_test_file(file: &SourceFile) -> bool {
    let name = file.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name == "conftest.py" || name.starts_with("test_") || name.ends_with("_test.py")
}
