//! The laws by which conditions are taken apart, and small questions about expressions.

use ruff_python_ast::{CmpOp, Expr, ExprCall};

use crate::span::Span;

/// Whether an operator compares by order.
pub(crate) fn is_order(op: CmpOp) -> bool {
    matches!(op, CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE)
}

/// The operator that holds exactly when `op` does not. (With NaN neither holds; NaN is a failure of its own.)
pub(crate) fn negate(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt => CmpOp::GtE,
        CmpOp::LtE => CmpOp::Gt,
        CmpOp::Gt => CmpOp::LtE,
        CmpOp::GtE => CmpOp::Lt,
        CmpOp::Eq => CmpOp::NotEq,
        CmpOp::NotEq => CmpOp::Eq,
        CmpOp::Is => CmpOp::IsNot,
        CmpOp::IsNot => CmpOp::Is,
        CmpOp::In => CmpOp::NotIn,
        CmpOp::NotIn => CmpOp::In,
    }
}

/// `np.less(a, b)`, `operator.lt(a, b)`, `series.lt(b)`.
pub(crate) fn order_function<'a>(call: &'a ExprCall, name: &str) -> Option<(CmpOp, &'a Expr, &'a Expr)> {
    let op = match name {
        "less" | "lt" => CmpOp::Lt,
        "less_equal" | "le" => CmpOp::LtE,
        "greater" | "gt" => CmpOp::Gt,
        "greater_equal" | "ge" => CmpOp::GtE,
        _ => return None,
    };
    match (&*call.arguments.args, &*call.func) {
        ([left, right], _) => Some((op, left, right)),
        ([right], Expr::Attribute(owner)) => Some((op, &owner.value, right)),
        _ => None,
    }
}

/// The elements of a tuple or list that is written out.
pub(crate) fn elements(expr: &Expr) -> Option<&[Expr]> {
    match expr {
        Expr::Tuple(node) => Some(&node.elts),
        Expr::List(node) => Some(&node.elts),
        _ => None,
    }
}

/// Calls inside containers, operators, arguments and comprehensions of an expression, itself included.
pub(crate) fn calls_within(expr: &Expr, depth: u8) -> Vec<&ExprCall> {
    let mut found = Vec::new();
    let mut open = vec![(expr, depth)];
    while let Some((expr, depth)) = open.pop() {
        let Some(depth) = depth.checked_sub(1) else { continue };
        let mut push = |expr| open.push((expr, depth));
        match expr {
            Expr::Call(call) => {
                found.push(call);
                push(&call.func);
                call.arguments.args.iter().for_each(&mut push);
                call.arguments.keywords.iter().for_each(|keyword| push(&keyword.value));
            }
            Expr::Tuple(node) => node.elts.iter().for_each(push),
            Expr::List(node) => node.elts.iter().for_each(push),
            Expr::Set(node) => node.elts.iter().for_each(push),
            Expr::Dict(node) => node.items.iter().for_each(|item| push(&item.value)),
            Expr::BoolOp(node) => node.values.iter().for_each(push),
            Expr::BinOp(node) => [&node.left, &node.right].into_iter().for_each(|side| push(side)),
            Expr::UnaryOp(node) => push(&node.operand),
            Expr::Compare(node) => {
                push(&node.left);
                node.comparators.iter().for_each(push);
            }
            Expr::If(node) => [&node.test, &node.body, &node.orelse].into_iter().for_each(|part| push(part)),
            Expr::Attribute(node) => push(&node.value),
            Expr::Subscript(node) => push(&node.value),
            Expr::Generator(node) => push(&node.elt),
            Expr::ListComp(node) => push(&node.elt),
            Expr::Starred(node) => push(&node.value),
            _ => {}
        }
    }
    found
}

/// The range from the start of one to the end of the other.
pub(crate) fn join(left: Span, right: Span) -> Span {
    Span::new(left.start, right.end)
}
