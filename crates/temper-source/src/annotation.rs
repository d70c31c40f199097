//! Annotated functions: those that say what their valid inputs are.
//!
//! Three spellings are read: decorators of `temper`, `typing.Annotated` with a constraint of `temper` in it, and the
//! decorators of AnnoTest's package. The constraints themselves are read by the worker, which imports the module.

use ruff_python_ast::{Expr, ExprSubscript};

use crate::collect::{CollectedFile, FunctionDef};
use crate::file::SourceFile;
use crate::scope::{Binding, BindingValue, ScopeId};
use crate::span::{Position, Span};
use crate::syntax::{last_name, parse_expression, span};

/// How a function is annotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spelling {
    /// Decorators of `temper`: `@arg("x", ints(1, 9))`.
    Decorator,
    /// `typing.Annotated[int, ints(1, 9)]`.
    Hint,
    /// Decorators of AnnoTest's package.
    Annotest,
}

/// A function that carries at least one annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotated {
    /// Its `__qualname__`: `Class.method`, `outer.<locals>.inner`.
    pub name: String,
    /// The whole function, decorators included.
    pub span: Span,
    /// Where its name stands.
    pub position: Position,
    /// The spellings used, each once, in the order of [`Spelling`].
    pub spellings: Vec<Spelling>,
    /// The decorators of ours that it carries, by their own names, from top to bottom.
    pub decorators: Vec<String>,
    /// Whether it is a coroutine.
    pub is_async: bool,
    /// Whether it is defined inside another function.
    pub is_nested: bool,
}

/// Decorators of `temper` that say something about inputs or results.
const DECORATORS: [&str; 17] = [
    "arg",
    "args",
    "require",
    "ensure",
    "raises",
    "exclude",
    "timeout",
    "generator",
    "cc_example",
    "consume",
    "regression",
    "holds",
    "batchwise",
    "equivariant",
    "order_free",
    "module_test",
    "forall",
];

/// Whether a function of this name marks a module for an import test.
pub(crate) fn is_module_test(name: &str) -> bool {
    matches!(name, "module_test" | "annotest_module_test")
}

/// Reads the annotated functions and the calls that mark the module.
pub(crate) fn read(found: &CollectedFile<'_>, file: &SourceFile) -> (Vec<Annotated>, Vec<Span>) {
    let functions = found.functions.iter().filter_map(|function| annotated(function, found, file)).collect();
    let calls = found.calls.iter().filter(|(call, context)| {
        let full = found.scopes.qualified(&call.func, context.scope).unwrap_or_default();
        context.function.is_none() && is_ours(&full) && full.rsplit('.').next().is_some_and(is_module_test)
    });
    (functions, calls.map(|(call, _)| span(*call)).collect())
}

fn annotated(function: &FunctionDef<'_>, found: &CollectedFile<'_>, file: &SourceFile) -> Option<Annotated> {
    let node = function.node;
    let mut spellings = Vec::new();
    let mut decorators = Vec::new();
    for decorator in &node.decorator_list {
        let callee = match &decorator.expression {
            Expr::Call(call) => &call.func,
            other => other,
        };
        let Some(full) = found.scopes.qualified(callee, function.scope) else { continue };
        let name = full.rsplit('.').next().unwrap_or(&full);
        let spelling = match full.split('.').next() {
            Some("temper") if DECORATORS.contains(&name) => Spelling::Decorator,
            Some("annotest") => Spelling::Annotest,
            _ => continue,
        };
        spellings.push(spelling);
        decorators.push(name.to_owned());
    }
    let hints = node.parameters.iter().filter_map(|parameter| parameter.annotation()).chain(node.returns.as_deref());
    let reader = Hints { found, scope: function.scope };
    if hints.into_iter().any(|hint| reader.has_constraint(hint, MAX_DEPTH)) {
        spellings.push(Spelling::Hint);
    }
    if spellings.is_empty() {
        return None;
    }
    spellings.sort_by_key(|spelling| *spelling as u8);
    spellings.dedup();
    Some(Annotated {
        name: function.path.iter().copied().chain([node.name.as_str()]).collect::<Vec<_>>().join("."),
        span: span(node),
        position: file.position(span(&node.name).start),
        spellings,
        decorators,
        is_async: node.is_async,
        is_nested: function.is_nested,
    })
}

/// How deep hints are nested and aliases followed.
const MAX_DEPTH: u8 = 8;

struct Hints<'s, 'a> {
    found: &'s CollectedFile<'a>,
    scope: ScopeId,
}

impl Hints<'_, '_> {
    /// Whether a type hint has `Annotated[..., constraint of ours]` in it.
    fn has_constraint(&self, hint: &Expr, depth: u8) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match hint {
            Expr::Subscript(node) if self.is_annotated(node) => self.metadata_is_ours(node, depth),
            Expr::Subscript(node) => self.has_constraint(&node.slice, depth),
            Expr::Tuple(node) => node.elts.iter().any(|part| self.has_constraint(part, depth)),
            Expr::List(node) => node.elts.iter().any(|part| self.has_constraint(part, depth)),
            Expr::BinOp(node) => self.has_constraint(&node.left, depth) || self.has_constraint(&node.right, depth),
            Expr::StringLiteral(text) => {
                let text = text.value.to_str();
                // Parsing every quoted hint would cost more than the rest of the walk.
                let may_be = text.contains("Annotated") || text.chars().all(|c| c.is_alphanumeric() || c == '_');
                may_be && parse_expression(text).is_some_and(|hint| self.has_constraint(&hint, depth))
            }
            Expr::Name(name) => {
                let Some((_, bindings)) = self.found.scopes.lookup(&name.id, self.scope) else { return false };
                match bindings {
                    [Binding { value: BindingValue::Assigned(alias), .. }] => self.has_constraint(alias, depth),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn is_annotated(&self, node: &ExprSubscript) -> bool {
        last_name(&node.value).is_some_and(|name| name == "Annotated") || {
            let full = self.found.scopes.qualified(&node.value, self.scope);
            matches!(full.as_deref(), Some("typing.Annotated" | "typing_extensions.Annotated"))
        }
    }

    fn metadata_is_ours(&self, node: &ExprSubscript, depth: u8) -> bool {
        let Expr::Tuple(parts) = &*node.slice else { return false };
        let is_constraint = |part: &Expr| {
            let callee = match part {
                Expr::Call(call) => &call.func,
                other => other,
            };
            let full = self.found.scopes.qualified(callee, self.scope);
            full.is_some_and(|full| is_ours(&full))
        };
        parts.elts.iter().skip(1).any(is_constraint)
            || parts.elts.first().is_some_and(|kind| self.has_constraint(kind, depth))
    }
}

fn is_ours(full: &str) -> bool {
    matches!(full.split('.').next(), Some("temper" | "annotest"))
}
