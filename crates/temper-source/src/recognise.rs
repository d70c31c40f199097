//! Reads assertion sites off the candidates that the walk set aside.
//!
//! An assertion is a condition that must hold. Conditions are taken apart by the laws of logic (`not` flips, `and` gives
//! two sites, `all` asks every element) until a comparison is left, which becomes a [`Site`]; what cannot be taken apart is
//! listed with its reason.

use std::collections::HashSet;

use ruff_python_ast::{BoolOp, CmpOp, Expr, ExprCall, ExprCompare, Operator, UnaryOp};

use crate::callee::{self, Callee};
use crate::collect::{Collected, Context};
use crate::constant::Reader;
use crate::file::SourceFile;
use crate::scope::{Value, last_name};
use crate::site::{Form, NotUnderstood, Reason, Reduction, Site};
use crate::span::Span;
use crate::suite::Suite;
use crate::syntax::{Tree, span};

/// How deep a condition is taken apart.
const MAX_DEPTH: u8 = 40;

/// A condition on its way down.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) context: Context,
    /// The assertion it belongs to.
    pub(crate) assertion: Span,
    pub(crate) is_negated: bool,
    pub(crate) reduction: Reduction,
    depth: u8,
}

pub(crate) struct Recogniser<'s, 'a> {
    pub(crate) found: &'s Collected<'a>,
    pub(crate) tree: &'a Tree,
    pub(crate) file: &'s SourceFile,
    pub(crate) suite: &'s Suite,
    pub(crate) sites: Vec<Site>,
    pub(crate) not_understood: Vec<NotUnderstood>,
    /// Calls that a site or a reason already accounts for.
    accounted: HashSet<Span>,
    /// Functions of the file that hold a site.
    asserting: HashSet<usize>,
}

impl<'s, 'a> Recogniser<'s, 'a> {
    pub(crate) fn new(found: &'s Collected<'a>, tree: &'a Tree, file: &'s SourceFile, suite: &'s Suite) -> Self {
        let (sites, not_understood) = (Vec::new(), Vec::new());
        Self { found, tree, file, suite, sites, not_understood, accounted: HashSet::new(), asserting: HashSet::new() }
    }

    /// Reads all candidates. Helpers are judged last, when it is known which of them assert by themselves.
    pub(crate) fn run(&mut self) {
        for &(node, context) in &self.found.asserts {
            self.condition(&node.test, Frame::new(context, span(node)));
        }
        for &(call, context) in &self.found.calls {
            self.assertion_call(call, context);
        }
        for &(call, context) in &self.found.calls {
            self.leftover(call, context);
        }
        for &(at, context) in &self.found.too_deep {
            self.report(at, context, Reason::TooDeep);
        }
    }

    pub(crate) fn reader(&self, context: Context) -> Reader<'s, 'a> {
        Reader { scopes: &self.found.scopes, context }
    }

    pub(crate) fn add(&mut self, site: Site, context: Context) {
        self.asserting.extend(context.inner_function);
        self.sites.push(site);
    }

    pub(crate) fn report(&mut self, at: Span, context: Context, reason: Reason) {
        // What is listed inside a helper need not be listed again where the helper is called.
        self.asserting.extend(context.inner_function);
        let position = self.file.position(at.start);
        let owner = self.suite.owner(context.function);
        self.not_understood.push(NotUnderstood { span: at, position, reason, owner });
    }

    /// Marks a call as dealt with.
    pub(crate) fn account(&mut self, call: &ExprCall) {
        self.accounted.insert(span(call));
    }

    pub(crate) fn condition(&mut self, expr: &'a Expr, frame: Frame) {
        let Some(frame) = frame.deeper() else {
            return self.report(span(expr), frame.context, Reason::TooDeep);
        };
        match expr {
            Expr::BoolOp(node) => {
                let is_and = (node.op == BoolOp::And) != frame.is_negated;
                self.parts(expr, node.values.iter(), is_and, frame);
            }
            Expr::BinOp(node) if matches!(node.op, Operator::BitAnd | Operator::BitOr) => {
                let is_and = (node.op == Operator::BitAnd) != frame.is_negated;
                self.parts(expr, [&*node.left, &*node.right].into_iter(), is_and, frame);
            }
            Expr::UnaryOp(node) if matches!(node.op, UnaryOp::Not | UnaryOp::Invert) => {
                self.condition(&node.operand, frame.negated());
            }
            Expr::Compare(node) => self.comparison(node, frame),
            Expr::Call(call) => self.condition_call(call, frame),
            Expr::Named(node) => self.condition(&node.value, frame),
            Expr::Await(node) => self.condition(&node.value, frame),
            Expr::If(node) if self.either_is_approximate(&node.body, &node.orelse, frame.context) => {
                self.give_up(expr, frame, Reason::Conditional);
            }
            Expr::Name(name) if self.holds_comparison(expr, frame.context) => {
                self.report(span(expr), frame.context, Reason::ResultOfName(name.id.to_string()));
            }
            _ => {}
        }
    }

    /// A conjunction is one condition each; anything else decides together.
    fn parts(&mut self, whole: &'a Expr, parts: impl Iterator<Item = &'a Expr> + Clone, is_and: bool, frame: Frame) {
        if is_and && frame.reduction != Reduction::Any {
            for part in parts {
                self.condition(part, frame);
            }
        } else if parts.clone().any(|part| self.is_approximate(part, frame.context)) {
            self.give_up(whole, frame, Reason::Alternatives);
        }
    }

    fn give_up(&mut self, expr: &'a Expr, frame: Frame, reason: Reason) {
        self.account_within(expr, MAX_DEPTH);
        self.report(span(expr), frame.context, reason);
    }

    fn comparison(&mut self, node: &'a ExprCompare, frame: Frame) {
        let sides = std::iter::once(&*node.left).chain(&node.comparators);
        let pairs: Vec<_> = sides.clone().zip(sides.skip(1)).zip(&node.ops).collect();
        let orders = node.ops.iter().any(|&op| is_order(op));
        if pairs.len() > 1 && (frame.is_negated || frame.reduction == Reduction::Any) {
            if orders {
                self.report(span(node), frame.context, Reason::Alternatives);
            }
            return;
        }
        for ((left, right), &op) in pairs {
            let op = if frame.is_negated { negate(op) } else { op };
            match op {
                CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => {
                    let whole = if node.ops.len() == 1 { span(node) } else { join(span(left), span(right)) };
                    self.order(left, op, right, whole, frame, Form::Compare, None);
                }
                CmpOp::Eq | CmpOp::NotEq | CmpOp::Is | CmpOp::IsNot => self.equality(left, op, right, node, frame),
                CmpOp::In | CmpOp::NotIn => self.no_approx([left, right], frame),
            }
        }
    }

    /// `==`: closeness through `approx`, a truth value, or an exact comparison that is no business of ours.
    fn equality(&mut self, left: &'a Expr, op: CmpOp, right: &'a Expr, node: &'a ExprCompare, frame: Frame) {
        let is_equal = matches!(op, CmpOp::Eq | CmpOp::Is);
        for (side, other) in [(left, right), (right, left)] {
            if let Some(call) = self.as_approx(side, frame.context) {
                return self.approx(call, other, is_equal, span(node), frame);
            }
            if let Expr::BooleanLiteral(truth) = side {
                // `frame.is_negated` is already in `op`.
                let plain = Frame { is_negated: is_equal != truth.value, ..frame };
                return self.condition(other, plain);
            }
        }
        if is_equal && self.paired_approx(left, right, node, frame) {
            return;
        }
        self.no_approx([left, right], frame);
        if [left, right].into_iter().any(|side| self.is_rounding(side, frame.context)) {
            self.report(span(node), frame.context, Reason::Rounded);
        }
    }

    /// `(a, b) == (approx(1), approx(2))`: one site a pair.
    fn paired_approx(&mut self, left: &'a Expr, right: &'a Expr, node: &'a ExprCompare, frame: Frame) -> bool {
        let (Some(left), Some(right)) = (elements(left), elements(right)) else { return false };
        let is_plain = left.len() == right.len() && !left.iter().chain(right).any(Expr::is_starred_expr);
        let has_approx = left.iter().chain(right).any(|side| self.as_approx(side, frame.context).is_some());
        if !is_plain || !has_approx || frame.reduction == Reduction::Any {
            return false;
        }
        for (left, right) in left.iter().zip(right) {
            self.equality(left, CmpOp::Eq, right, node, frame);
        }
        true
    }

    fn no_approx(&mut self, sides: [&'a Expr; 2], frame: Frame) {
        for side in sides {
            for call in calls_within(side, MAX_DEPTH) {
                if self.as_approx_call(call, frame.context) {
                    self.account(call);
                    self.report(span(call), frame.context, Reason::ApproxElsewhere);
                }
            }
        }
    }

    fn condition_call(&mut self, call: &'a ExprCall, frame: Frame) {
        if let Some((reduction, inner)) = self.reducer(call, frame.context) {
            return self.reduce(call, reduction, inner, frame);
        }
        let name = last_name(&call.func).unwrap_or_default();
        let arguments = &call.arguments.args;
        match (name, &**arguments, &*call.func) {
            // Wrappers that keep the truth value.
            ("bool" | "bool_", [inner], _) => return self.condition(inner, frame),
            ("item" | "squeeze" | "numpy" | "to_numpy" | "compute" | "tolist", [], Expr::Attribute(owner)) => {
                return self.condition(&owner.value, frame);
            }
            ("logical_not" | "invert" | "bitwise_not", [inner], _) => return self.condition(inner, frame.negated()),
            ("logical_and" | "bitwise_and", [a, b], _) => return self.call_parts(call, [a, b], true, frame),
            ("logical_or" | "bitwise_or", [a, b], _) => return self.call_parts(call, [a, b], false, frame),
            _ => {}
        }
        if let Some((op, left, right)) = order_function(call, name) {
            let op = if frame.is_negated { negate(op) } else { op };
            return self.order(left, op, right, span(call), frame, Form::Compare, None);
        }
        match callee::identify(call, &self.found.scopes, frame.context.scope) {
            Some((Callee::IsClose(closeness), full)) => self.close(call, closeness, full, frame),
            Some((Callee::Unknown, full)) => {
                self.account(call);
                if !self.asserts_itself(call, frame.context) {
                    self.report(span(call), frame.context, Reason::UnknownHelper(full));
                }
            }
            _ => {}
        }
    }

    fn call_parts(&mut self, call: &'a ExprCall, parts: [&'a Expr; 2], is_and: bool, frame: Frame) {
        let is_and = is_and != frame.is_negated;
        if is_and && frame.reduction != Reduction::Any {
            parts.into_iter().for_each(|part| self.condition(part, frame));
        } else if parts.into_iter().any(|part| self.is_approximate(part, frame.context)) {
            self.report(span(call), frame.context, Reason::Alternatives);
        }
    }

    fn reduce(&mut self, call: &'a ExprCall, reduction: Reduction, inner: &'a Expr, frame: Frame) {
        let flipped = match (reduction, frame.is_negated) {
            (Reduction::All, false) | (Reduction::Any, true) => Reduction::All,
            _ => Reduction::Any,
        };
        if frame.reduction != Reduction::None && frame.reduction != flipped {
            if self.is_approximate(inner, frame.context) {
                self.report(span(call), frame.context, Reason::NestedReduction);
            }
            return;
        }
        let mut frame = Frame { reduction: flipped, ..frame };
        match inner {
            Expr::Generator(node) => {
                frame.enter(self.found, span(node));
                self.condition(&node.elt, frame);
            }
            Expr::ListComp(node) => {
                frame.enter(self.found, span(node));
                self.condition(&node.elt, frame);
            }
            Expr::List(node) => node.elts.iter().for_each(|element| self.element(element, frame)),
            Expr::Tuple(node) => node.elts.iter().for_each(|element| self.element(element, frame)),
            _ => self.condition(inner, frame),
        }
    }

    /// One element of `all([a < 1, b < 2])` is a condition of its own; of `any` it decides nothing alone.
    fn element(&mut self, element: &'a Expr, frame: Frame) {
        match frame.reduction {
            Reduction::Any if self.is_approximate(element, frame.context) => {
                self.give_up(element, frame, Reason::Alternatives)
            }
            Reduction::Any => {}
            _ => self.condition(element, Frame { reduction: Reduction::None, ..frame }),
        }
    }

    /// `all(x)`, `np.all(x)`, `x.all()` and the same with `any`: the reduction and what is reduced.
    fn reducer(&self, call: &'a ExprCall, context: Context) -> Option<(Reduction, &'a Expr)> {
        let reduction = match last_name(&call.func)? {
            "all" | "alltrue" | "reduce_all" => Reduction::All,
            "any" | "sometrue" | "reduce_any" => Reduction::Any,
            _ => return None,
        };
        let scopes = &self.found.scopes;
        match &*call.func {
            Expr::Name(_) => Some((reduction, call.arguments.args.first()?)),
            Expr::Attribute(owner) if scopes.qualified(&owner.value, context.scope).is_some() => {
                Some((reduction, call.arguments.args.first()?))
            }
            // `xp.all(x)` with an unknown `xp` has the array as its argument; `x.all()` and `x.all(axis=0)` do not.
            Expr::Attribute(owner) => match call.arguments.args.first() {
                Some(argument) if !argument.is_number_literal_expr() && !argument.is_none_literal_expr() => {
                    Some((reduction, argument))
                }
                _ => Some((reduction, &owner.value)),
            },
            _ => None,
        }
    }

    /// What is left of the calls that nobody accounted for.
    fn leftover(&mut self, call: &'a ExprCall, context: Context) {
        if self.accounted.contains(&span(call)) {
            return;
        }
        let Some((callee, full)) = callee::identify(call, &self.found.scopes, context.scope) else { return };
        let is_statement = context.is_bare && context.statement == span(call);
        match callee {
            Callee::Approx | Callee::IsClose(_) if is_thrown_away(call, context) => {
                self.report(span(call), context, Reason::NotAsserted(full));
            }
            Callee::Approx if self.suite.is_test_code(context.function) => {
                self.report(span(call), context, Reason::ApproxElsewhere);
            }
            Callee::IsClose(_) if self.suite.is_test_code(context.function) => {
                self.report(span(call), context, Reason::ResultUsedElsewhere(full));
            }
            Callee::Unknown if is_statement && !self.asserts_itself(call, context) => {
                self.report(span(call), context, Reason::UnknownHelper(full));
            }
            Callee::Ulps => self.report(span(call), context, Reason::Ulps(full)),
            Callee::Structure => self.report(span(call), context, Reason::Structure(full)),
            _ => {}
        }
    }

    /// Whether a helper of this file is called, whose own body was understood.
    fn asserts_itself(&self, call: &ExprCall, context: Context) -> bool {
        let helper = self.found.scopes.local_function(&call.func, context.scope);
        helper.is_some_and(|helper| self.asserting.contains(&helper))
    }

    pub(crate) fn as_approx(&self, expr: &'a Expr, context: Context) -> Option<&'a ExprCall> {
        let call = match expr {
            Expr::Call(call) => call,
            Expr::Name(_) => self.reader(context).assigned(expr)?.as_call_expr()?,
            _ => return None,
        };
        self.as_approx_call(call, context).then_some(call)
    }

    fn as_approx_call(&self, call: &ExprCall, context: Context) -> bool {
        let identified = || callee::identify(call, &self.found.scopes, context.scope);
        callee::may_be_approx(call) && matches!(identified(), Some((Callee::Approx, _)))
    }

    fn is_rounding(&self, expr: &Expr, context: Context) -> bool {
        let Expr::Call(call) = expr else { return false };
        let digits = call.arguments.args.len() + call.arguments.keywords.len();
        match last_name(&call.func) {
            Some("round") if digits == 2 => true,
            Some("round" | "around" | "round_") => {
                let full = self.found.scopes.qualified(&call.func, context.scope);
                digits == 2 && full.is_some_and(|full| full.starts_with("numpy."))
            }
            _ => false,
        }
    }

    /// Whether a name holds the answer of a comparison that was made earlier.
    fn holds_comparison(&self, expr: &Expr, context: Context) -> bool {
        let Expr::Name(name) = expr else { return false };
        let Some((_, bindings)) = self.found.scopes.lookup(&name.id, context.scope) else { return false };
        bindings.iter().any(|binding| match binding.value {
            Value::Assigned(value) => self.is_approximate(value, context),
            _ => false,
        })
    }

    /// Whether a condition has an order comparison with a number, a closeness or an `approx` in it.
    pub(crate) fn is_approximate(&self, expr: &Expr, context: Context) -> bool {
        self.is_approximate_within(expr, context, 8)
    }

    fn either_is_approximate(&self, one: &Expr, other: &Expr, context: Context) -> bool {
        self.is_approximate(one, context) || self.is_approximate(other, context)
    }

    fn is_approximate_within(&self, expr: &Expr, context: Context, depth: u8) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let inside = |expr: &Expr| self.is_approximate_within(expr, context, depth);
        match expr {
            Expr::BoolOp(node) => node.values.iter().any(inside),
            Expr::UnaryOp(node) => inside(&node.operand),
            Expr::BinOp(node) => inside(&node.left) || inside(&node.right),
            Expr::If(node) => inside(&node.body) || inside(&node.orelse),
            Expr::Generator(node) => inside(&node.elt),
            Expr::ListComp(node) => inside(&node.elt),
            Expr::Attribute(node) => inside(&node.value),
            Expr::Compare(node) => self.compares_approximately(node, context),
            Expr::Call(call) => {
                let identified = callee::identify(call, &self.found.scopes, context.scope);
                matches!(identified, Some((Callee::IsClose(_) | Callee::Approx, _)))
                    || matches!(last_name(&call.func), Some("all" | "any" | "bool" | "logical_and" | "logical_or"))
                        && (inside(&call.func) || call.arguments.args.iter().any(inside))
            }
            _ => false,
        }
    }

    fn compares_approximately(&self, node: &ExprCompare, context: Context) -> bool {
        let mut sides = std::iter::once(&*node.left).chain(&node.comparators);
        if node.ops.iter().any(|&op| is_order(op)) {
            let reader = self.reader(context);
            // Two strings or two sets in order are nothing approximate.
            return sides.clone().any(|side| reader.read(side).is_bound())
                && !sides.any(|side| crate::hint::likely_exact(side, reader).is_some());
        }
        sides.any(|side| matches!(side, Expr::Call(call) if self.as_approx_call(call, context)))
    }

    fn account_within(&mut self, expr: &'a Expr, depth: u8) {
        for call in calls_within(expr, depth) {
            self.account(call);
        }
    }
}

impl Frame {
    pub(crate) fn new(context: Context, assertion: Span) -> Self {
        Self { context, assertion, is_negated: false, reduction: Reduction::None, depth: MAX_DEPTH }
    }

    pub(crate) fn reduced(self, reduction: Reduction) -> Self {
        Self { reduction, ..self }
    }

    pub(crate) fn negated(self) -> Self {
        Self { is_negated: !self.is_negated, ..self }
    }

    fn deeper(self) -> Option<Self> {
        Some(Self { depth: self.depth.checked_sub(1)?, ..self })
    }

    fn enter(&mut self, found: &Collected<'_>, comprehension: Span) {
        self.context.in_loop = true;
        if let Some(&(scope, block)) = found.comprehensions.get(&comprehension) {
            self.context.scope = scope;
            self.context.block = block;
        }
    }
}

pub(crate) fn is_order(op: CmpOp) -> bool {
    matches!(op, CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE)
}

fn negate(op: CmpOp) -> CmpOp {
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
fn order_function<'a>(call: &'a ExprCall, name: &str) -> Option<(CmpOp, &'a Expr, &'a Expr)> {
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

fn elements(expr: &Expr) -> Option<&[Expr]> {
    match expr {
        Expr::Tuple(node) => Some(&node.elts),
        Expr::List(node) => Some(&node.elts),
        _ => None,
    }
}

/// Calls inside containers, operators, arguments and comprehensions of an expression, itself included.
fn calls_within(expr: &Expr, depth: u8) -> Vec<&ExprCall> {
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

/// Whether the call, or a comparison with it, is a whole statement.
fn is_thrown_away(call: &ExprCall, context: Context) -> bool {
    let (at, statement) = (span(call), context.statement);
    context.is_bare && (at.start == statement.start || at.end == statement.end)
}

fn join(left: Span, right: Span) -> Span {
    Span::new(left.start, right.end)
}
