//! What looks approximate: so that nothing of the kind is dropped in silence.
//!
//! Called when a condition could not be taken apart, and for the calls that no site accounts for. It errs on the side of
//! listing: a comparison by order counts unless one of its sides is plainly exact.

use ruff_python_ast::{Expr, ExprCall, ExprCompare};

use crate::collect::Context;
use crate::constant::Known;
use crate::forms::{self, AssertionCall};
use crate::scope::{Value, last_name};
use crate::sites::conditions::is_order;
use crate::sites::exactness::likely_exact;
use crate::sites::recogniser::Recogniser;
use crate::sites::site::Reason;
use crate::syntax::span;

/// How many helpers may call each other before one asserts.
const MAX_HELPER_CHAIN: u8 = 8;

impl<'a> Recogniser<'_, 'a> {
    /// What is left of the calls that nobody accounted for.
    pub(crate) fn leftover(&mut self, call: &'a ExprCall, context: Context) {
        if self.accounted.contains(&span(call)) {
            return;
        }
        let Some((callee, full)) = forms::identify(call, &self.found.scopes, context.scope) else { return };
        let is_statement = context.is_bare && context.statement == span(call);
        match callee {
            AssertionCall::Approx | AssertionCall::IsClose(_) if is_thrown_away(call, context) => {
                self.report(span(call), context, Reason::NotAsserted(full));
            }
            AssertionCall::Approx if self.suite.is_test_code(context.function) => {
                self.report(span(call), context, Reason::ApproxElsewhere);
            }
            AssertionCall::IsClose(_) if self.suite.is_test_code(context.function) => {
                self.report(span(call), context, Reason::ResultUsedElsewhere(full));
            }
            AssertionCall::Unknown if is_statement && !self.asserts_itself(call, context) => {
                self.report(span(call), context, Reason::UnknownHelper(full));
            }
            AssertionCall::Ulps => self.report(span(call), context, Reason::Ulps(full)),
            AssertionCall::Structure => self.report(span(call), context, Reason::Structure(full)),
            _ => {}
        }
    }

    /// A helper that calls a helper that asserts does so too.
    pub(crate) fn spread_asserting(&mut self) {
        let scopes = &self.found.scopes;
        let edge = |&(call, context): &(&ExprCall, Context)| {
            Some((context.inner_function?, scopes.local_function(&call.func, context.scope)?))
        };
        let edges: Vec<(usize, usize)> = self.found.calls.iter().filter_map(edge).collect();
        // Each round settles at least one helper; chains are short.
        for _ in 0..MAX_HELPER_CHAIN {
            let before = self.asserting.len();
            for &(caller, callee) in &edges {
                if self.asserting.contains(&callee) {
                    self.asserting.insert(caller);
                }
            }
            if self.asserting.len() == before {
                return;
            }
        }
    }

    /// Whether a helper of this file is called, whose own body was understood.
    pub(crate) fn asserts_itself(&self, call: &ExprCall, context: Context) -> bool {
        let helper = self.found.scopes.local_function(&call.func, context.scope);
        helper.is_some_and(|helper| self.asserting.contains(&helper))
    }

    pub(crate) fn is_rounding(&self, expr: &Expr, context: Context) -> bool {
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
    pub(crate) fn holds_comparison(&self, expr: &Expr, context: Context) -> bool {
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

    pub(crate) fn either_is_approximate(&self, one: &Expr, other: &Expr, context: Context) -> bool {
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
                let identified = forms::identify(call, &self.found.scopes, context.scope);
                matches!(identified, Some((AssertionCall::IsClose(_) | AssertionCall::Approx, _)))
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
            // Strings, sets and lengths in order are nothing approximate.
            let is_exact = |side: &Expr| {
                matches!(reader.read(side), Known::NotANumber | Known::Sequence) || likely_exact(side, reader).is_some()
            };
            return !sides.any(is_exact);
        }
        sides.any(|side| matches!(side, Expr::Call(call) if self.as_approx_call(call, context)))
    }
}

/// Whether the call, or a comparison with it, is a whole statement.
fn is_thrown_away(call: &ExprCall, context: Context) -> bool {
    let (at, statement) = (span(call), context.statement);
    context.is_bare && (at.start == statement.start || at.end == statement.end)
}
