//! What each piece of code could be instead.

use ruff_python_ast::{
    BoolOp, CmpOp, Expr, ExprCall, ExprContext, ExprNumberLiteral, ExprUnaryOp, Keyword, Number, Operator as BinaryOp,
    Stmt, UnaryOp,
};
use ruff_text_size::Ranged;

use super::mutant::Operator;
use super::walk::MutantWalk;
use crate::scope::MODULE;
use crate::span::Span;
use crate::syntax::{last_name, span};

const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

impl MutantWalk<'_> {
    pub(super) fn of_statement(&mut self, stmt: &Stmt) {
        let whole = span(stmt);
        match stmt {
            Stmt::AugAssign(node) => {
                self.augmented(&node.target, node.op, &node.value);
                self.add(Operator::Statement, whole, "pass");
            }
            Stmt::Assign(node) => {
                let is_unpacked = node.targets.iter().any(|target| target.is_tuple_expr() || target.is_list_expr());
                if !is_unpacked && !node.value.is_none_literal_expr() {
                    self.add(Operator::Assignment, span(&*node.value), "None");
                }
                if node.targets.iter().all(|target| target.is_attribute_expr() || target.is_subscript_expr()) {
                    self.add(Operator::Statement, whole, "pass");
                }
            }
            Stmt::AnnAssign(node) => {
                if let Some(value) = node.value.as_ref().filter(|value| !value.is_none_literal_expr()) {
                    self.add(Operator::Assignment, span(&**value), "None");
                }
            }
            Stmt::Return(node) => {
                if let Some(value) = node.value.as_ref().filter(|value| !value.is_none_literal_expr()) {
                    self.add(Operator::Flow, span(&**value), "None");
                }
            }
            Stmt::Break(_) => self.add(Operator::Flow, whole, "continue"),
            Stmt::Continue(_) => self.add(Operator::Flow, whole, "break"),
            Stmt::Expr(node) if node.value.is_call_expr() || node.value.is_await_expr() => {
                self.add(Operator::Statement, whole, "pass");
            }
            Stmt::Raise(_) | Stmt::Delete(_) => self.add(Operator::Statement, whole, "pass"),
            Stmt::If(node) => self.of_condition(&node.test),
            Stmt::While(node) => self.of_condition(&node.test),
            Stmt::For(node) => self.of_loop(node),
            _ => {}
        }
    }

    /// Negates a condition. A single comparison has its opposite among the comparisons already.
    pub(super) fn of_condition(&mut self, test: &Expr) {
        let has_opposite = match test {
            Expr::Compare(compare) => compare.ops.len() == 1,
            Expr::UnaryOp(unary) => unary.op == UnaryOp::Not,
            _ => false,
        };
        if !has_opposite {
            self.replace(Operator::Condition, test, |text| format!("not ({text})"));
        }
    }

    pub(super) fn of_expression(&mut self, expr: &Expr) {
        match expr {
            Expr::BinOp(node) => {
                if let Some(at) = self.between(&*node.left, &*node.right, node.op.as_str()) {
                    let operator = if is_bitwise(node.op) { Operator::Bitwise } else { Operator::Arithmetic };
                    others(node.op).iter().for_each(|other| self.add(operator, at, *other));
                }
            }
            Expr::Compare(node) => {
                let operands: Vec<&Expr> = std::iter::once(&*node.left).chain(&node.comparators).collect();
                for (pair, op) in operands.windows(2).zip(&node.ops) {
                    self.comparison(pair[0], *op, pair[1]);
                }
            }
            Expr::BoolOp(node) => {
                let (old, new) = if node.op == BoolOp::And { ("and", "or") } else { ("or", "and") };
                for pair in node.values.windows(2) {
                    if let Some(at) = self.between(&pair[0], &pair[1], old) {
                        self.add(Operator::Boolean, at, new);
                    }
                }
            }
            Expr::UnaryOp(node) => self.unary(node),
            Expr::NumberLiteral(node) => self.number(node),
            Expr::BooleanLiteral(node) => {
                self.add(Operator::Literal, span(expr), if node.value { "False" } else { "True" });
            }
            Expr::NoneLiteral(_) => self.add(Operator::Literal, span(expr), "0"),
            Expr::Lambda(node) if !node.body.is_none_literal_expr() => {
                self.add(Operator::Lambda, span(&*node.body), "None");
            }
            Expr::If(node) => self.of_condition(&node.test),
            Expr::ListComp(node) => self.filters(&node.generators),
            Expr::SetComp(node) => self.filters(&node.generators),
            Expr::Generator(node) => self.filters(&node.generators),
            Expr::DictComp(node) => self.filters(&node.generators),
            Expr::Slice(node) => {
                for part in [&node.lower, &node.upper, &node.step].into_iter().flatten() {
                    self.add(Operator::Slice, span(&**part), "");
                }
                [&node.lower, &node.upper].into_iter().flatten().for_each(|end| self.of_window(end));
            }
            Expr::Call(node) => {
                self.arguments(node);
                self.of_training(node);
                self.of_layer(node);
                self.of_data(node);
            }
            Expr::Attribute(_) | Expr::Name(_) => {
                self.swap(expr);
                self.of_precision(expr);
            }
            _ => {}
        }
    }

    /// Changes of `axis=`, `dim=` and `reduction=`. Says whether the value is thereby dealt with.
    pub(super) fn of_keyword(&mut self, keyword: &Keyword) -> bool {
        let at = span(&keyword.value);
        match (keyword.arg.as_ref().map(ruff_python_ast::Identifier::as_str), &keyword.value) {
            (Some("axis" | "dim"), _) => {
                let others = match self.file.slice(at) {
                    "0" => ["1", "None"],
                    "1" | "-1" => ["0", "None"],
                    "None" => ["0", "-1"],
                    _ => return false,
                };
                others.iter().for_each(|other| self.add(Operator::Axis, at, *other));
                true
            }
            (Some("reduction"), Expr::StringLiteral(text)) => {
                let other = match text.value.to_str() {
                    "mean" => "\"sum\"",
                    "sum" => "\"mean\"",
                    _ => return true,
                };
                self.add(Operator::Reduction, at, other);
                true
            }
            (Some(name), value) => {
                self.of_choice(name, value);
                self.of_keyword_number(value);
                false
            }
            _ => false,
        }
    }

    fn replace(&mut self, operator: Operator, expr: &Expr, change: impl Fn(&str) -> String) {
        let at = span(expr);
        let text = change(self.file.slice(at));
        self.add(operator, at, text);
    }

    /// Where an operator stands between its operands; nothing if a comment is in the way.
    fn between(&self, left: &impl Ranged, right: &impl Ranged, operator: &str) -> Option<Span> {
        let gap = Span::new(left.end().to_u32(), right.start().to_u32());
        let text = self.file.slice(gap);
        if text.contains('#') {
            return None;
        }
        let start = gap.start + u32::try_from(text.find(operator)?).ok()?;
        Some(Span::new(start, start + u32::try_from(operator.len()).ok()?))
    }

    fn augmented(&mut self, target: &Expr, op: BinaryOp, value: &Expr) {
        let Some(at) = self.between(target, value, &format!("{}=", op.as_str())) else { return };
        for other in others(op) {
            self.add(Operator::Augmented, at, format!("{other}="));
        }
        self.add(Operator::Augmented, at, "=");
    }

    fn comparison(&mut self, left: &Expr, op: CmpOp, right: &Expr) {
        let (old, others): (&str, &[&str]) = match op {
            CmpOp::Lt => ("<", &["<=", ">="]),
            CmpOp::LtE => ("<=", &["<", ">"]),
            CmpOp::Gt => (">", &[">=", "<="]),
            CmpOp::GtE => (">=", &[">", "<"]),
            CmpOp::Eq => ("==", &["!="]),
            CmpOp::NotEq => ("!=", &["=="]),
            CmpOp::Is => ("is", &["is not"]),
            CmpOp::IsNot => ("is not", &["is"]),
            CmpOp::In => ("in", &["not in"]),
            CmpOp::NotIn => ("not in", &["in"]),
        };
        if let Some(at) = self.between(left, right, old) {
            others.iter().for_each(|other| self.add(Operator::Comparison, at, *other));
        }
    }

    fn unary(&mut self, node: &ExprUnaryOp) {
        let start = node.start().to_u32();
        let len = if node.op == UnaryOp::Not { 3 } else { 1 };
        if node.op != UnaryOp::UAdd {
            self.add(Operator::Unary, Span::new(start, start + len), "");
        }
    }

    fn number(&mut self, node: &ExprNumberLiteral) {
        let at = span(node);
        let is_signed = self.file.text()[..at.start as usize].trim_end().ends_with('-');
        for (other, is_sign) in other_numbers(&node.value) {
            // Leaving the sign out is among the unary changes.
            if !(is_sign && is_signed) {
                self.add(Operator::Constant, at, other);
            }
        }
    }

    fn filters(&mut self, generators: &[ruff_python_ast::Comprehension]) {
        generators.iter().flat_map(|generator| &generator.ifs).for_each(|test| self.of_condition(test));
    }

    fn arguments(&mut self, call: &ExprCall) {
        let (positional, keywords) = (&call.arguments.args, &call.arguments.keywords);
        let ends = positional.iter().map(span).chain(keywords.iter().map(span));
        let mut spans: Vec<Span> = ends.collect();
        spans.sort();
        // The one argument of a builtin such as `len` cannot be left out.
        let is_needed = spans.len() == 1 && call.func.is_name_expr();
        let name = last_name(&call.func).unwrap_or("a call").to_owned();
        let place = |index: usize| {
            let which = ORDINALS.get(index).copied().unwrap_or("a later");
            Some(format!("{which} argument of {name}"))
        };
        for (index, at) in spans.iter().enumerate().filter(|_| !is_needed) {
            self.place = place(index);
            let gone = match (spans.get(index + 1), index.checked_sub(1).and_then(|before| spans.get(before))) {
                (Some(next), _) => Span::new(at.start, next.start),
                (None, Some(before)) => Span::new(before.end, at.end),
                (None, None) => *at,
            };
            self.add(Operator::Argument, gone, "");
        }
        for (index, pair) in positional.windows(2).enumerate() {
            self.place = place(index);
            let (first, second) = (span(&pair[0]), span(&pair[1]));
            let [one, gap, two] =
                [first, Span::new(first.end, second.start), second].map(|each| self.file.slice(each).to_owned());
            if one != two && !one.starts_with('*') && !two.starts_with('*') {
                self.add(Operator::Argument, Span::new(first.start, second.end), format!("{two}{gap}{one}"));
            }
        }
        self.place = None;
    }

    /// Another function of the same library, or another method of the same object.
    fn swap(&mut self, expr: &Expr) {
        let is_read = match expr {
            Expr::Attribute(node) => node.ctx == ExprContext::Load,
            Expr::Name(node) => node.ctx == ExprContext::Load,
            _ => false,
        };
        if !is_read {
            return;
        }
        match (self.scopes.qualified(expr, MODULE), expr) {
            (Some(full), Expr::Attribute(node)) => {
                for other in self.wanted.swaps.of_function(&full) {
                    self.add(Operator::Swap, span(&node.attr), other.as_str());
                }
            }
            (Some(full), Expr::Name(_)) => {
                let Some((module, _)) = full.rsplit_once('.') else { return };
                let (top, rest) = module.split_once('.').unwrap_or((module, ""));
                let dot = if rest.is_empty() { "" } else { "." };
                for other in self.wanted.swaps.of_function(&full) {
                    // The other name is not imported here.
                    self.add(Operator::Swap, span(expr), format!("__import__('{top}'){dot}{rest}.{other}"));
                }
            }
            (None, Expr::Attribute(node)) => {
                for other in self.wanted.swaps.of_method(&node.attr) {
                    self.add(Operator::Swap, span(&node.attr), other.as_str());
                }
            }
            _ => {}
        }
    }
}

fn is_bitwise(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::LShift | BinaryOp::RShift)
}

fn others(op: BinaryOp) -> &'static [&'static str] {
    match op {
        BinaryOp::Add => &["-"],
        BinaryOp::Sub => &["+"],
        BinaryOp::Mult => &["/"],
        BinaryOp::Div => &["*"],
        BinaryOp::FloorDiv | BinaryOp::Mod => &["/"],
        BinaryOp::Pow | BinaryOp::MatMult => &["*"],
        BinaryOp::BitAnd => &["|"],
        BinaryOp::BitOr | BinaryOp::BitXor => &["&"],
        BinaryOp::LShift => &[">>"],
        BinaryOp::RShift => &["<<"],
    }
}

/// One more, one less, nothing, twice, the other sign (marked); without what is the same, and without repeats.
fn other_numbers(number: &Number) -> Vec<(String, bool)> {
    let mut found: Vec<(String, bool)> = Vec::new();
    match number {
        Number::Int(value) => {
            let Some(value) = value.as_i64() else { return found };
            let wide = i128::from(value);
            for (other, is_sign) in [(wide + 1, false), (wide - 1, false), (0, false), (2 * wide, false), (-wide, true)]
            {
                push(
                    &mut found,
                    other == wide,
                    if other < 0 { format!("({other})") } else { other.to_string() },
                    is_sign,
                );
            }
        }
        Number::Float(value) => {
            let others =
                [(value + 1.0, false), (value - 1.0, false), (0.0, false), (2.0 * value, false), (-value, true)];
            for (other, is_sign) in others.into_iter().filter(|(other, _)| other.is_finite()) {
                push(
                    &mut found,
                    other == *value,
                    if other < 0.0 { format!("({other:?})") } else { format!("{other:?}") },
                    is_sign,
                );
            }
        }
        Number::Complex { .. } => {}
    }
    found
}

fn push(found: &mut Vec<(String, bool)>, is_same: bool, text: String, is_sign: bool) {
    if !is_same && found.iter().all(|(each, _)| *each != text) {
        found.push((text, is_sign));
    }
}
