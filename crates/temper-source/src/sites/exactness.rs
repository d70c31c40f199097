//! Guesses whether a compared value is exact: a length, a dimension, a counter.
//!
//! Such comparisons stay assertion sites, because a length may be random too; the hint lets reports count them apart.

use ruff_python_ast::{Expr, ExprCall};

use crate::constant::Reader;
use crate::scope::{Binding, Value, last_name};
use crate::sites::site::ExactHint;

/// How many names and subscripts are followed.
const MAX_DEPTH: u8 = 4;

/// The reason to think that `expr` is exact, if there is one.
pub(crate) fn likely_exact(expr: &Expr, reader: Reader<'_, '_>) -> Option<ExactHint> {
    hint(expr, reader, MAX_DEPTH)
}

fn hint(expr: &Expr, reader: Reader<'_, '_>, depth: u8) -> Option<ExactHint> {
    let depth = depth.checked_sub(1)?;
    match expr {
        Expr::Call(call) => call_hint(call, reader),
        Expr::Attribute(attribute) => attribute_hint(&attribute.attr),
        Expr::Subscript(subscript) => hint(&subscript.value, reader, depth),
        Expr::UnaryOp(node) => hint(&node.operand, reader, depth),
        Expr::BinOp(node) => {
            let is_number = |side: &Expr| reader.value(side).is_some();
            match (hint(&node.left, reader, depth), hint(&node.right, reader, depth)) {
                (Some(found), Some(_)) => Some(found),
                (Some(found), None) if is_number(&node.right) => Some(found),
                (None, Some(found)) if is_number(&node.left) => Some(found),
                _ => None,
            }
        }
        Expr::Set(_) | Expr::SetComp(_) => Some(ExactHint::Structure),
        Expr::Name(name) => {
            let (_, bindings) = reader.scopes.lookup(&name.id, reader.context.scope)?;
            match bindings {
                [Binding { value: Value::Each(Expr::Call(call)), .. }] => {
                    (last_name(&call.func) == Some("range")).then_some(ExactHint::Count)
                }
                [Binding { value: Value::Assigned(value), .. }] => hint(value, reader, depth),
                _ => None,
            }
        }
        _ => None,
    }
}

fn attribute_hint(name: &str) -> Option<ExactHint> {
    match name {
        "size" | "nnz" | "nbytes" | "itemsize" | "st_size" | "length" => Some(ExactHint::Length),
        "ndim" | "shape" => Some(ExactHint::Shape),
        "call_count" | "lineno" | "refcount" => Some(ExactHint::Count),
        "version_info" | "__version__" | "dtype" => Some(ExactHint::Structure),
        _ => None,
    }
}

fn call_hint(call: &ExprCall, reader: Reader<'_, '_>) -> Option<ExactHint> {
    let name = last_name(&call.func)?;
    match (name, &*call.func) {
        ("len" | "ord" | "id", Expr::Name(_)) => Some(ExactHint::Length),
        ("set" | "frozenset" | "type", Expr::Name(_)) => Some(ExactHint::Structure),
        ("abs" | "int" | "max" | "min", Expr::Name(_)) => {
            let [argument] = &*call.arguments.args else { return None };
            hint(argument, reader, 2)
        }
        ("numel" | "nelement" | "getsizeof" | "bit_length" | "count_nonzero" | "getrefcount", _) => {
            Some(ExactHint::Length)
        }
        ("dim" | "ndimension" | "ndim", Expr::Attribute(_)) => Some(ExactHint::Shape),
        (
            "Interval" | "Timedelta" | "Period" | "Version" | "parse_version" | "LooseVersion" | "Timestamp"
            | "datetime" | "date" | "keys",
            _,
        ) => Some(ExactHint::Structure),
        ("find" | "index" | "rfind", Expr::Attribute(_)) => Some(ExactHint::Count),
        _ => None,
    }
}
