//! Reads assertion sites off the candidates that the walk set aside.
//!
//! An assertion is a condition that must hold. Conditions are taken apart by the laws of logic (`not` flips, `and` gives
//! two sites, `all` asks every element) until a comparison is left, which becomes a [`Site`]; what cannot be taken apart is
//! listed with its reason.

use std::collections::HashSet;

use ruff_python_ast::{BoolOp, CmpOp, Expr, ExprCall, ExprCompare, Operator, UnaryOp};

use crate::collect::{CandidateContext, CollectedFile};
use crate::constant::Reader;
use crate::file::SourceFile;
use crate::forms::{self, AssertionCall};
use crate::sites::conditions::{calls_within, elements, is_order, join, negate, order_function};
use crate::sites::site::{Form, NotUnderstood, Reason, Reduction, Site};
use crate::span::Span;
use crate::syntax::{SyntaxTree, last_name, span};
use crate::test_suite::TestSuite;

/// How deep a condition is taken apart.
const MAX_DEPTH: u8 = 40;

/// A condition on its way down.
#[derive(Clone, Copy)]
pub(crate) struct ConditionFrame {
    pub(crate) context: CandidateContext,
    /// The assertion it belongs to.
    pub(crate) assertion: Span,
    pub(crate) is_negated: bool,
    pub(crate) reduction: Reduction,
    depth: u8,
}

pub(crate) struct Recogniser<'s, 'a> {
    pub(crate) found: &'s CollectedFile<'a>,
    pub(crate) tree: &'a SyntaxTree,
    pub(crate) file: &'s SourceFile,
    pub(crate) suite: &'s TestSuite,
    pub(crate) sites: Vec<Site>,
    pub(crate) not_understood: Vec<NotUnderstood>,
    /// Calls that a site or a reason already accounts for.
    pub(crate) accounted: HashSet<Span>,
    /// Functions of the file that hold a site.
    pub(crate) asserting: HashSet<usize>,
}

impl<'s, 'a> Recogniser<'s, 'a> {
    pub(crate) fn new(
        found: &'s CollectedFile<'a>,
        tree: &'a SyntaxTree,
        file: &'s SourceFile,
        suite: &'s TestSuite,
    ) -> Self {
        let (sites, not_understood) = (Vec::new(), Vec::new());
        Self { found, tree, file, suite, sites, not_understood, accounted: HashSet::new(), asserting: HashSet::new() }
    }

    /// Reads all candidates. Helpers are judged last, when it is known which of them assert by themselves.
    pub(crate) fn run(&mut self) {
        for &(node, context) in &self.found.asserts {
            self.condition(&node.test, ConditionFrame::new(context, span(node)));
        }
        for &(call, context) in &self.found.calls {
            self.assertion_call(call, context);
        }
        self.spread_asserting();
        for &(call, context) in &self.found.calls {
            self.leftover(call, context);
        }
        for &(at, context) in &self.found.too_deep {
            self.report(at, context, Reason::TooDeep);
        }
    }

    pub(crate) fn reader(&self, context: CandidateContext) -> Reader<'s, 'a> {
        Reader { scopes: &self.found.scopes, context }
    }

    pub(crate) fn add(&mut self, site: Site, context: CandidateContext) {
        self.asserting.extend(context.inner_function);
        self.sites.push(site);
    }

    pub(crate) fn report(&mut self, at: Span, context: CandidateContext, reason: Reason) {
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

    pub(crate) fn condition(&mut self, expr: &'a Expr, frame: ConditionFrame) {
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
            Expr::Generator(node) if self.is_approximate(&node.elt, frame.context) => {
                self.give_up(expr, frame, Reason::AlwaysTrue);
            }
            Expr::Name(name) if self.holds_comparison(expr, frame.context) => {
                self.report(span(expr), frame.context, Reason::ResultOfName(name.id.to_string()));
            }
            _ => {}
        }
    }

    /// A conjunction is one condition each; anything else decides together.
    fn parts(
        &mut self,
        whole: &'a Expr,
        parts: impl Iterator<Item = &'a Expr> + Clone,
        is_and: bool,
        frame: ConditionFrame,
    ) {
        if is_and && frame.reduction != Reduction::Any {
            for part in parts {
                self.condition(part, frame);
            }
        } else if parts.clone().any(|part| self.is_approximate(part, frame.context)) {
            self.give_up(whole, frame, Reason::Alternatives);
        }
    }

    fn give_up(&mut self, expr: &'a Expr, frame: ConditionFrame, reason: Reason) {
        self.account_within(expr);
        self.report(span(expr), frame.context, reason);
    }

    fn comparison(&mut self, node: &'a ExprCompare, frame: ConditionFrame) {
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
    fn equality(&mut self, left: &'a Expr, op: CmpOp, right: &'a Expr, node: &'a ExprCompare, frame: ConditionFrame) {
        let is_equal = matches!(op, CmpOp::Eq | CmpOp::Is);
        for (side, other) in [(left, right), (right, left)] {
            if let Some(call) = self.as_approx(side, frame.context) {
                return self.approx(call, other, is_equal, span(node), frame);
            }
            if let Expr::BooleanLiteral(truth) = side {
                // `frame.is_negated` is already in `op`.
                let plain = ConditionFrame { is_negated: is_equal != truth.value, ..frame };
                return self.condition(other, plain);
            }
        }
        if is_equal && self.paired_approx(left, right, node, frame) {
            return;
        }
        if let Some((call, inner)) = self.counted_none(left, op, right, frame.context) {
            // `(x < c).sum() == 0`: no element may be below, so every one is above.
            return self.reduce(call, Reduction::Any, inner, ConditionFrame { is_negated: true, ..frame });
        }
        self.no_approx([left, right], frame);
        if self.answer(left, is_equal, right, span(node), frame, None) {
            return;
        }
        if [left, right].into_iter().any(|side| self.is_rounding(side, frame.context)) {
            self.report(span(node), frame.context, Reason::Rounded);
        }
    }

    /// The comparison whose true elements are counted, if the count must be zero.
    fn counted_none(
        &self,
        left: &'a Expr,
        op: CmpOp,
        right: &'a Expr,
        context: CandidateContext,
    ) -> Option<(&'a ExprCall, &'a Expr)> {
        let is_zero = |side: &Expr| side.is_number_literal_expr() && self.reader(context).value(side) == Some(0.0);
        let counted = match (op, is_zero(left), is_zero(right)) {
            (CmpOp::Eq, false, true) => left,
            (CmpOp::Eq, true, false) => right,
            _ => return None,
        };
        let Expr::Call(call) = counted else { return None };
        if !matches!(last_name(&call.func), Some("sum" | "count_nonzero")) {
            return None;
        }
        let inner = match (&*call.arguments.args, &*call.func) {
            ([inner], _) => inner,
            ([], Expr::Attribute(owner)) => &*owner.value,
            _ => return None,
        };
        self.is_approximate(inner, context).then_some((call, inner))
    }

    /// `(a, b) == (approx(1), approx(2))`: one site a pair.
    fn paired_approx(&mut self, left: &'a Expr, right: &'a Expr, node: &'a ExprCompare, frame: ConditionFrame) -> bool {
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

    fn no_approx(&mut self, sides: [&'a Expr; 2], frame: ConditionFrame) {
        for side in sides {
            for call in calls_within(side, MAX_DEPTH) {
                if self.as_approx_call(call, frame.context) {
                    self.account(call);
                    self.report(span(call), frame.context, Reason::ApproxElsewhere);
                }
            }
        }
    }

    fn condition_call(&mut self, call: &'a ExprCall, frame: ConditionFrame) {
        if let Some((reduction, inner)) = self.reducer(call, frame.context) {
            return self.reduce(call, reduction, inner, frame);
        }
        let name = last_name(&call.func).unwrap_or_default();
        let arguments = &call.arguments.args;
        match (name, &**arguments, &*call.func) {
            // Wrappers that keep the truth value.
            ("bool" | "bool_", [inner], _) => return self.condition(inner, frame),
            (
                "item" | "squeeze" | "numpy" | "to_numpy" | "toarray" | "todense" | "compute" | "tolist",
                [],
                Expr::Attribute(owner),
            ) => {
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
        match forms::identify(call, &self.found.scopes, frame.context.scope) {
            Some((AssertionCall::IsClose(closeness), full)) => self.close(call, closeness, full, frame),
            Some((AssertionCall::Unknown, full)) => {
                self.account(call);
                if !self.asserts_itself(call, frame.context) {
                    self.report(span(call), frame.context, Reason::UnknownHelper(full));
                }
            }
            _ => {}
        }
    }

    fn call_parts(&mut self, call: &'a ExprCall, parts: [&'a Expr; 2], is_and: bool, frame: ConditionFrame) {
        let is_and = is_and != frame.is_negated;
        if is_and && frame.reduction != Reduction::Any {
            parts.into_iter().for_each(|part| self.condition(part, frame));
        } else if parts.into_iter().any(|part| self.is_approximate(part, frame.context)) {
            self.report(span(call), frame.context, Reason::Alternatives);
        }
    }

    fn reduce(&mut self, call: &'a ExprCall, reduction: Reduction, inner: &'a Expr, frame: ConditionFrame) {
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
        let mut frame = ConditionFrame { reduction: flipped, ..frame };
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

    /// One element of `all([a < 1, b < 2])` is a condition by itself; of `any` it decides nothing alone.
    fn element(&mut self, element: &'a Expr, frame: ConditionFrame) {
        match frame.reduction {
            Reduction::Any if self.is_approximate(element, frame.context) => {
                self.give_up(element, frame, Reason::Alternatives)
            }
            Reduction::Any => {}
            _ => self.condition(element, ConditionFrame { reduction: Reduction::None, ..frame }),
        }
    }

    /// `all(x)`, `np.all(x)`, `x.all()` and the same with `any`: the reduction and what is reduced.
    fn reducer(&self, call: &'a ExprCall, context: CandidateContext) -> Option<(Reduction, &'a Expr)> {
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

    pub(crate) fn as_approx(&self, expr: &'a Expr, context: CandidateContext) -> Option<&'a ExprCall> {
        let call = match expr {
            Expr::Call(call) => call,
            Expr::Name(_) => self.reader(context).assigned(expr)?.as_call_expr()?,
            _ => return None,
        };
        self.as_approx_call(call, context).then_some(call)
    }

    pub(crate) fn as_approx_call(&self, call: &ExprCall, context: CandidateContext) -> bool {
        let identified = forms::identify(call, &self.found.scopes, context.scope);
        matches!(identified, Some((AssertionCall::Approx, _)))
    }

    /// Marks every call inside an expression as dealt with.
    pub(crate) fn account_within(&mut self, expr: &'a Expr) {
        for call in calls_within(expr, MAX_DEPTH) {
            self.account(call);
        }
    }
}

impl ConditionFrame {
    pub(crate) fn new(context: CandidateContext, assertion: Span) -> Self {
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

    fn enter(&mut self, found: &CollectedFile<'_>, comprehension: Span) {
        self.context.in_loop = true;
        if let Some(&(scope, block)) = found.comprehensions.get(&comprehension) {
            self.context.scope = scope;
            self.context.block = block;
        }
    }
}
