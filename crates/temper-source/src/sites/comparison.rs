//! Turns one comparison into a site: which side is measured, which numbers bound it, where they are written.

use ruff_python_ast::{CmpOp, Expr, ExprCall, Operator};

use crate::collect::CandidateContext;
use crate::constant::KnownNumber;
use crate::forms::{self, AssertionCall, ClosenessFunction, Tolerance, pytest::APPROX_PARAMETERS};
use crate::sites::conditions::negate;
use crate::sites::exactness::likely_exact;
use crate::sites::recogniser::{ConditionFrame, Recogniser};
use crate::sites::site::{
    Bound, BoundOrigin, Direction, ExactHint, ExpectedAnswer, Form, Insertion, Reason, Reduction, Role, Site,
};
use crate::span::Span;
use crate::syntax::{last_name, span};

/// Defaults of `pytest.approx`, from its documentation.
const APPROX_REL: f64 = 1e-6;
const APPROX_ABS: f64 = 1e-12;

impl<'a> Recogniser<'_, 'a> {
    /// `left op right`, where `op` is what must hold.
    #[expect(
        clippy::too_many_arguments,
        reason = "one comparison and where it was found; a struct would have one user"
    )]
    pub(crate) fn order(
        &mut self,
        left: &'a Expr,
        op: CmpOp,
        right: &'a Expr,
        comparison: Span,
        frame: ConditionFrame,
        form: Form,
        callee: Option<String>,
    ) {
        let reader = self.reader(frame.context);
        let (known_left, known_right) = (reader.read(left), reader.read(right));
        let is_elementwise = frame.reduction != Reduction::None;
        let is_text = |known: &KnownNumber| match known {
            KnownNumber::NotANumber => true,
            KnownNumber::Sequence => !is_elementwise,
            _ => false,
        };
        if is_text(&known_left) || is_text(&known_right) {
            // Strings, tuples and sets have an order, but nothing approximate.
            return;
        }
        let exact = likely_exact(left, reader).or_else(|| likely_exact(right, reader));
        let is_left_bound = is_bound_side(&known_left, left, &known_right, right);
        let is_right_bound = is_bound_side(&known_right, right, &known_left, left);
        let is_strict = matches!(op, CmpOp::Lt | CmpOp::Gt);
        let is_upper = matches!(op, CmpOp::Lt | CmpOp::LtE);
        let site = match (is_left_bound, is_right_bound) {
            (true, true) => return self.report(comparison, frame.context, Reason::OnlyConstants),
            (false, true) => (left, None, known_right.into_bound(Role::Value, right), is_upper),
            (true, false) => (right, None, known_left.into_bound(Role::Value, left), !is_upper),
            (false, false) => (left, Some(right), margin(right), is_upper),
        };
        let (actual, reference, bound, is_upper) = site;
        // `np.mean(np.isclose(a, b)) > 0.9`: the closeness is part of what is measured.
        [left, right].into_iter().for_each(|side| self.account_within(side));
        let form = match form {
            Form::Compare if reference.is_some() => Form::Margin,
            Form::Compare if is_difference(actual) => Form::Difference,
            form => form,
        };
        let parts = Parts {
            form,
            callee,
            comparison,
            actual: span(actual),
            reference: reference.map(span),
            bounds: vec![bound],
            direction: if is_upper { Direction::Upper } else { Direction::Lower },
            is_strict,
            likely_exact: exact,
        };
        self.add_site(parts, frame);
    }

    /// `actual == approx(expected, rel=, abs=)`.
    pub(crate) fn approx(
        &mut self,
        call: &'a ExprCall,
        actual: &'a Expr,
        is_equal: bool,
        comparison: Span,
        frame: ConditionFrame,
    ) {
        self.account(call);
        let arguments = match CallArguments::of(call, APPROX_PARAMETERS) {
            Ok(arguments) => arguments,
            Err(reason) => return self.report(comparison, frame.context, reason),
        };
        let Some(expected) = arguments.get("expected") else {
            return self.report(comparison, frame.context, Reason::MissingArguments("approx".into()));
        };
        let written = |name| arguments.get(name).filter(|value| !value.is_none_literal_expr());
        let (rel, abs) = (written("rel"), written("abs"));
        let mut bounds = Vec::new();
        // The rule of approx: an absolute tolerance alone switches the relative one off.
        match rel {
            Some(rel) => bounds.push(self.written(Role::Relative, rel, Some(APPROX_REL), frame.context)),
            None if abs.is_none() => bounds.push(self.absent(call, Role::Relative, "rel", Some(APPROX_REL))),
            None => {}
        }
        match abs {
            Some(abs) => bounds.push(self.written(Role::Absolute, abs, Some(APPROX_ABS), frame.context)),
            None => bounds.push(self.absent(call, Role::Absolute, "abs", Some(APPROX_ABS))),
        }
        pair_insertions(&mut bounds, Form::Approx);
        let parts = Parts {
            form: Form::Approx,
            callee: Some("pytest.approx".into()),
            comparison,
            actual: span(actual),
            reference: Some(span(expected)),
            bounds,
            direction: if is_equal { Direction::Upper } else { Direction::Lower },
            is_strict: !is_equal,
            likely_exact: None,
        };
        self.add_site(parts, frame);
    }

    /// A call that compares its first two arguments up to a tolerance.
    pub(crate) fn close(
        &mut self,
        call: &'a ExprCall,
        closeness: &'static ClosenessFunction,
        full: String,
        frame: ConditionFrame,
    ) {
        self.account(call);
        let reader = self.reader(frame.context);
        let (receiver, arguments) = match self.bound_arguments(call, closeness, frame.context) {
            Ok(found) => found,
            Err(reason) => return self.report(span(call), frame.context, reason),
        };
        if is_true(arguments.get("check_exact")) {
            return;
        }
        let [first, second] = [closeness.parameters[0], closeness.parameters[1]];
        let (Some(actual), Some(reference)) = (receiver.or_else(|| arguments.get(first)), arguments.get(second)) else {
            return self.report(span(call), frame.context, Reason::MissingArguments(full));
        };
        let swap = closeness.is_symmetric && reader.value(actual).is_some() && reader.value(reference).is_none();
        let (actual, reference) = if swap { (reference, actual) } else { (actual, reference) };
        let mut bounds = self.tolerances(call, closeness.tolerances, &arguments, frame.context);
        pair_insertions(&mut bounds, closeness.form);
        if bounds.is_empty() {
            return self.report(span(call), frame.context, Reason::MissingArguments(full));
        }
        let must_be_close = frame.is_negated == closeness.is_negated;
        let is_below =
            matches!(closeness.form, Form::AssertAlmostEqual | Form::AssertArrayAlmostEqual | Form::AssertApproxEqual);
        let parts = Parts {
            form: closeness.form,
            callee: Some(full),
            comparison: span(call),
            actual: span(actual),
            reference: Some(span(reference)),
            bounds,
            direction: if must_be_close { Direction::Upper } else { Direction::Lower },
            is_strict: must_be_close == is_below,
            likely_exact: None,
        };
        self.add_site(parts, frame);
    }

    /// `x.allclose(y)` has its first value before the dot.
    fn bound_arguments(
        &self,
        call: &'a ExprCall,
        closeness: &'static ClosenessFunction,
        context: CandidateContext,
    ) -> Result<(Option<&'a Expr>, CallArguments<'a>), Reason> {
        let receiver = match &*call.func {
            Expr::Attribute(owner) if closeness.form == Form::Allclose => {
                let is_module = self.found.scopes.qualified(&owner.value, context.scope).is_some();
                // An unknown `xp.allclose(a, b)` has two values as arguments; a method has one.
                let has_two = call.arguments.args.len() > 1 && !call.arguments.args[1].is_number_literal_expr();
                (!is_module && !has_two).then_some(&*owner.value)
            }
            _ => None,
        };
        let skipped = usize::from(receiver.is_some());
        Ok((receiver, CallArguments::of(call, &closeness.parameters[skipped..])?))
    }

    /// The tolerances in effect: those written, and the defaults of those that are not.
    fn tolerances(
        &self,
        call: &'a ExprCall,
        tolerances: &'static [Tolerance],
        arguments: &CallArguments<'a>,
        context: CandidateContext,
    ) -> Vec<Bound> {
        let written =
            |tolerance: &Tolerance| arguments.get(tolerance.name).filter(|value| !value.is_none_literal_expr());
        // unittest: a delta takes the place of the places.
        let has_delta =
            tolerances.iter().any(|tolerance| tolerance.role == Role::Delta && written(tolerance).is_some());
        let mut bounds = Vec::new();
        for tolerance in tolerances {
            match written(tolerance) {
                Some(value) => bounds.push(self.written(tolerance.role, value, tolerance.default, context)),
                None if tolerance.is_default_on && !has_delta => {
                    bounds.push(self.absent(call, tolerance.role, tolerance.name, tolerance.default));
                }
                None => {}
            }
        }
        bounds
    }

    fn written(&self, role: Role, value: &'a Expr, default: Option<f64>, context: CandidateContext) -> Bound {
        Bound { default, ..self.reader(context).read(value).into_bound(role, value) }
    }

    /// A tolerance that is not written, and where its keyword would go.
    fn absent(&self, call: &ExprCall, role: Role, name: &str, default: Option<f64>) -> Bound {
        let close = span(&call.arguments).end.saturating_sub(1);
        let (at, has_comma) = self.tree.token_before(close).unwrap_or((close, false));
        let is_empty = call.arguments.args.is_empty() && call.arguments.keywords.is_empty();
        let prefix = match (is_empty, has_comma) {
            (true, _) => format!("{name}="),
            (false, true) => format!(" {name}="),
            (false, false) => format!(", {name}="),
        };
        Bound {
            role,
            value: default,
            default,
            origin: BoundOrigin::Default,
            expression: None,
            places: Vec::new(),
            insertion: Some(Insertion { at, prefix, open: None, companion: None }),
            shared_with: Vec::new(),
        }
    }

    /// A call that asserts by itself.
    pub(crate) fn assertion_call(&mut self, call: &'a ExprCall, context: CandidateContext) {
        let Some((callee, full)) = forms::identify(call, &self.found.scopes, context.scope) else { return };
        let is_statement = context.statement.contains(span(call)) && is_awaited_or_bare(context.statement, call);
        let assertion = if is_statement { context.statement } else { span(call) };
        let frame = ConditionFrame::new(context, assertion);
        match callee {
            AssertionCall::Close(closeness) => self.close(call, closeness, full, frame),
            AssertionCall::Order { op, is_elementwise, form } => {
                self.order_call(call, op, is_elementwise, form, full, frame)
            }
            AssertionCall::Between => self.between(call, full, frame),
            AssertionCall::Truth { is_true } => {
                let frame = if is_true { frame } else { frame.negated() };
                if let Some(condition) = call.arguments.args.first().or_else(|| keyword(call, "expr")) {
                    self.condition(condition, frame);
                }
            }
            AssertionCall::Equal => self.equal_call(call, frame),
            _ => {}
        }
    }

    fn order_call(
        &mut self,
        call: &'a ExprCall,
        op: CmpOp,
        is_elementwise: bool,
        form: Form,
        full: String,
        frame: ConditionFrame,
    ) {
        self.account(call);
        let parameters = match (form, is_elementwise) {
            (Form::AssertArrayLess, _) if full.ends_with("xp_assert_less") => &["actual", "desired"],
            (Form::AssertArrayLess, _) => &["x", "y"],
            _ if full.starts_with("tensorflow.") => &["x", "y"],
            (_, true) => &["a", "comparison_target"],
            (_, false) => &["first", "second"],
        };
        let arguments = match CallArguments::of(call, parameters) {
            Ok(arguments) => arguments,
            Err(reason) => return self.report(span(call), frame.context, reason),
        };
        let (Some(left), Some(right)) = (arguments.get(parameters[0]), arguments.get(parameters[1])) else {
            return self.report(span(call), frame.context, Reason::MissingArguments(full));
        };
        let reduction = if is_elementwise { Reduction::All } else { Reduction::None };
        self.order(left, op, right, span(call), frame.reduced(reduction), form, Some(full));
    }

    /// `assertBetween(value, low, high)`, `assertAllInRange(values, low, high)`: two sites.
    fn between(&mut self, call: &'a ExprCall, full: String, frame: ConditionFrame) {
        self.account(call);
        let is_range = full.ends_with("assertAllInRange");
        let parameters: &'static [&'static str] = if is_range {
            &["target", "lower_bound", "upper_bound", "open_lower_bound", "open_upper_bound"]
        } else {
            &["value", "minv", "maxv"]
        };
        let arguments = match CallArguments::of(call, parameters) {
            Ok(arguments) => arguments,
            Err(reason) => return self.report(span(call), frame.context, reason),
        };
        let values = [0, 1, 2].map(|index| arguments.get(parameters[index]));
        let [Some(value), Some(low), Some(high)] = values else {
            return self.report(span(call), frame.context, Reason::MissingArguments(full));
        };
        let is_open = |name| is_true(arguments.get(name));
        let above = if is_open("open_lower_bound") { CmpOp::Gt } else { CmpOp::GtE };
        let below = if is_open("open_upper_bound") { CmpOp::Lt } else { CmpOp::LtE };
        let reduction = if is_range { Reduction::All } else { Reduction::None };
        let frame = frame.reduced(reduction);
        self.order(value, above, low, span(call), frame, Form::Compare, Some(full.clone()));
        self.order(value, below, high, span(call), frame, Form::Compare, Some(full));
    }

    /// `assertEqual(np.allclose(a, b), True)` and `assertEqual(a, approx(b))`.
    fn equal_call(&mut self, call: &'a ExprCall, frame: ConditionFrame) {
        let [left, right, ..] = &*call.arguments.args else { return };
        for (side, other) in [(left, right), (right, left)] {
            if let Some(approx) = self.as_approx(side, frame.context) {
                return self.approx(approx, other, true, span(call), frame);
            }
            if let Expr::BooleanLiteral(truth) = side {
                return self.condition(other, if truth.value { frame } else { frame.negated() });
            }
        }
        self.answer(left, true, right, span(call), frame, last_name(&call.func).map(str::to_owned));
    }

    /// `flag == (a < c)`: a site for each value that the flag may have. Says whether it is one.
    pub(crate) fn answer(
        &mut self,
        left: &'a Expr,
        is_equal: bool,
        right: &'a Expr,
        whole: Span,
        frame: ConditionFrame,
        callee: Option<String>,
    ) -> bool {
        if frame.reduction != Reduction::None {
            // `(labels == (p > 0.5)).all()` relates two arrays, element by element.
            return false;
        }
        let compared = |side: &'a Expr| match side {
            Expr::Compare(node) if node.ops.len() == 1 && self.is_approximate(side, frame.context) => Some(node),
            _ => None,
        };
        let (node, flag) = match (compared(left), compared(right)) {
            (Some(node), None) => (node, right),
            (None, Some(node)) => (node, left),
            (Some(_), Some(_)) => {
                self.report(whole, frame.context, Reason::Alternatives);
                return true;
            }
            (None, None) => return false,
        };
        for is_true in [true, false] {
            let op = if is_true == is_equal { node.ops[0] } else { negate(node.ops[0]) };
            let before = self.sites.len();
            self.order(&node.left, op, &node.comparators[0], whole, frame, Form::Answer, callee.clone());
            if let Some(site) = self.sites.get_mut(before) {
                site.answer = Some(ExpectedAnswer { flag: span(flag), is_true });
            }
        }
        true
    }

    fn add_site(&mut self, parts: Parts, frame: ConditionFrame) {
        let ConditionFrame { context, assertion, reduction, .. } = frame;
        let Parts { form, callee, comparison, actual, reference, bounds, direction, is_strict, likely_exact } = parts;
        let site = Site {
            form,
            callee,
            assertion,
            position: self.file.position(assertion.start),
            comparison,
            actual,
            reference,
            bounds,
            direction,
            is_strict,
            reduction,
            answer: None,
            owner: self.suite.owner(context.function),
            in_loop: context.in_loop,
            expects_failure: context.expects_failure,
            likely_exact,
        };
        self.add(site, context);
    }
}

/// The part of a site that the comparison itself decides.
struct Parts {
    form: Form,
    callee: Option<String>,
    comparison: Span,
    actual: Span,
    reference: Option<Span>,
    bounds: Vec<Bound>,
    direction: Direction,
    is_strict: bool,
    likely_exact: Option<ExactHint>,
}

/// A call's arguments by name.
struct CallArguments<'a> {
    named: Vec<(&'a str, &'a Expr)>,
}

impl<'a> CallArguments<'a> {
    fn of(call: &'a ExprCall, parameters: &'static [&'static str]) -> Result<Self, Reason> {
        let (args, keywords) = (&call.arguments.args, &call.arguments.keywords);
        if args.iter().any(Expr::is_starred_expr) {
            return Err(Reason::UnpackedArguments);
        }
        let mut named: Vec<(&str, &Expr)> = parameters.iter().copied().zip(args.iter()).collect();
        for keyword in keywords {
            match &keyword.arg {
                Some(name) => named.push((name.as_str(), &keyword.value)),
                None => return Err(Reason::UnpackedArguments),
            }
        }
        Ok(Self { named })
    }

    fn get(&self, name: &str) -> Option<&'a Expr> {
        self.named.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

fn is_true(value: Option<&Expr>) -> bool {
    matches!(value, Some(Expr::BooleanLiteral(truth)) if truth.value)
}

fn keyword<'a>(call: &'a ExprCall, name: &str) -> Option<&'a Expr> {
    call.arguments
        .keywords
        .iter()
        .find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg == name))
        .map(|keyword| &keyword.value)
}

/// Whether one side of a comparison is its bound, given the other. A parameter is, if it has a numeric default or is called
/// a tolerance; but a number on the other side is the better bound.
fn is_bound_side(side: &KnownNumber, expr: &Expr, other: &KnownNumber, other_expr: &Expr) -> bool {
    let is_number = |known: &KnownNumber| matches!(known, KnownNumber::Number(_) | KnownNumber::Varied { .. });
    if is_number(side) {
        return true;
    }
    let is_parameter = |known: &KnownNumber, expr: &Expr| match known {
        KnownNumber::Parameter { default } => default.is_some() || last_name(expr).is_some_and(is_tolerance_name),
        _ => false,
    };
    is_parameter(side, expr) && !is_number(other) && !is_parameter(other, other_expr)
}

fn is_tolerance_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("tol")
        || name.ends_with("eps")
        || ["tolerance", "epsilon", "threshold", "bound", "delta", "limit", "decimal"]
            .iter()
            .any(|word| name.contains(word))
}

/// The bound of a comparison of two computed values.
fn margin(other: &Expr) -> Bound {
    let at = span(other);
    let needs_parentheses = matches!(
        other,
        Expr::If(_)
            | Expr::Lambda(_)
            | Expr::BoolOp(_)
            | Expr::Compare(_)
            | Expr::Named(_)
            | Expr::Await(_)
            | Expr::Yield(_)
    ) || matches!(other, Expr::BinOp(node) if matches!(node.op, Operator::BitAnd | Operator::BitOr | Operator::BitXor | Operator::LShift | Operator::RShift))
        || matches!(other, Expr::UnaryOp(node) if node.op == ruff_python_ast::UnaryOp::Not);
    Bound {
        role: Role::Margin,
        value: Some(0.0),
        default: None,
        origin: BoundOrigin::Margin,
        expression: None,
        places: Vec::new(),
        insertion: Some(Insertion {
            at: at.end,
            prefix: " + ".into(),
            open: needs_parentheses.then_some(at.start),
            companion: None,
        }),
        shared_with: Vec::new(),
    }
}

/// torch takes both tolerances or neither, and an absolute tolerance of `approx` alone switches the relative one off: where
/// neither is written, the other one is written too.
fn pair_insertions(bounds: &mut [Bound], form: Form) {
    if bounds.iter().any(Bound::is_written) {
        return;
    }
    let names = |role: Role| match (form, role) {
        (Form::TorchAssertClose, Role::Relative) => Some("atol"),
        (Form::TorchAssertClose, Role::Absolute) => Some("rtol"),
        (Form::Approx, Role::Absolute) => Some("rel"),
        _ => None,
    };
    for bound in bounds {
        if let (Some(insertion), Some(other)) = (&mut bound.insertion, names(bound.role)) {
            insertion.companion = Some(format!(", {other}="));
        }
    }
}

/// `abs(a - b)`, `np.abs(a - b)`, `(a - b).abs()`.
fn is_difference(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    let is_subtraction = |expr: &Expr| matches!(expr, Expr::BinOp(node) if node.op == Operator::Sub);
    match (last_name(&call.func), &*call.arguments.args, &*call.func) {
        (Some("abs" | "absolute" | "fabs"), [inner], _) => is_subtraction(inner),
        (Some("abs" | "absolute"), [], Expr::Attribute(owner)) => is_subtraction(&owner.value),
        _ => false,
    }
}

/// Whether the statement is the call itself, perhaps awaited.
fn is_awaited_or_bare(statement: Span, call: &ExprCall) -> bool {
    let at = span(call);
    at.end == statement.end && statement.len() - at.len() <= 8
}
