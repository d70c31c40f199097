//! The values that `@pytest.mark.parametrize` gives one parameter, where they are written out.

use ruff_python_ast::{Decorator, Expr, ExprCall};

use crate::syntax::last_name;

/// The expressions that `decorator` gives the parameter `name`, one a parameter set. Nothing if it says nothing about it or
/// the values are not written in place.
pub(crate) fn values<'a>(decorator: &'a Decorator, name: &str) -> Option<Vec<&'a Expr>> {
    let Expr::Call(call) = &decorator.expression else { return None };
    if last_name(&call.func) != Some("parametrize") {
        return None;
    }
    let (names, sets) = (argument(call, 0, "argnames")?, argument(call, 1, "argvalues")?);
    let (index, is_single) = position(names, name)?;
    let sets = elements(sets)?;
    sets.iter().map(|set| value(set, index, is_single)).collect()
}

fn argument<'a>(call: &'a ExprCall, index: usize, name: &str) -> Option<&'a Expr> {
    let by_keyword =
        || call.arguments.keywords.iter().find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg == name));
    call.arguments.args.get(index).or_else(|| by_keyword().map(|keyword| &keyword.value))
}

/// Where `name` stands among the names, and whether it is the only one given as plain text.
fn position(names: &Expr, name: &str) -> Option<(usize, bool)> {
    if let Expr::StringLiteral(text) = names {
        let all: Vec<&str> = text.value.to_str().split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        return Some((all.iter().position(|part| *part == name)?, all.len() == 1));
    }
    let is_name = |part: &Expr| matches!(part, Expr::StringLiteral(text) if text.value.to_str() == name);
    Some((elements(names)?.iter().position(is_name)?, false))
}

fn value(set: &Expr, index: usize, is_single: bool) -> Option<&Expr> {
    // `pytest.param(1, 2, id="x")` stands for the tuple.
    if let Expr::Call(call) = set
        && last_name(&call.func) == Some("param")
    {
        return call.arguments.args.get(index);
    }
    if is_single { Some(set) } else { elements(set)?.get(index) }
}

fn elements(expr: &Expr) -> Option<&[Expr]> {
    match expr {
        Expr::Tuple(node) => Some(&node.elts),
        Expr::List(node) => Some(&node.elts),
        _ => None,
    }
}
