//! Changes of code that learns: hyper-parameters, loops, modes of training, windows over data, precision.
//!
//! The hyper-parameters are those of DeepCrime (Humbatova, Jahangirova and Tonella, ISSTA 2021), as far as a number in the text
//! shows one.

use ruff_python_ast::{Expr, ExprCall, Number, StmtFor};

use super::mutant::Operator;
use super::walk::MutantWalk;
use crate::span::Span;
use crate::syntax::span;

/// Precision that numbers are narrowed to.
const NARROWER: [(&str, &str); 3] = [("float64", "float32"), ("double", "float32"), ("float32", "float16")];
/// Methods that set the mode of a model.
const MODES: [(&str, &str); 2] = [("train", "eval"), ("eval", "train")];

impl MutantWalk<'_> {
    /// The default of a parameter.
    pub(super) fn of_default(&mut self, value: &Expr) {
        match value {
            Expr::NumberLiteral(node) => {
                let others = one_off(&node.value).into_iter().chain(scaled(&node.value));
                others.for_each(|other| self.add(Operator::Hyperparameter, span(value), other));
            }
            Expr::BooleanLiteral(node) => {
                self.add(Operator::Hyperparameter, span(value), if node.value { "False" } else { "True" });
            }
            _ => {}
        }
    }

    /// The number of a keyword argument. What any constant could be instead is left to the constants.
    pub(super) fn of_keyword_number(&mut self, value: &Expr) {
        if let Expr::NumberLiteral(node) = value {
            scaled(&node.value).into_iter().for_each(|other| self.add(Operator::Hyperparameter, span(value), other));
        }
    }

    /// A loop that ends after its first pass.
    pub(super) fn of_loop(&mut self, node: &StmtFor) {
        if !node.is_async {
            let text = self.file.slice(span(&*node.iter)).to_owned();
            self.add(Operator::Loop, span(&*node.iter), format!("list({text})[:1]"));
        }
    }

    /// The mode of a model, and where gradients flow.
    pub(super) fn of_training(&mut self, call: &ExprCall) {
        let Expr::Attribute(function) = &*call.func else { return };
        let is_bare = call.arguments.is_empty();
        if let Some((_, other)) = MODES.iter().find(|(mode, _)| is_bare && *mode == function.attr.as_str()) {
            self.add(Operator::Training, span(&function.attr), *other);
        }
        match function.attr.as_str() {
            "detach" if is_bare => {
                let from = span(&*function.value).end;
                self.add(Operator::Training, Span::new(from, span(call).end), "");
            }
            "no_grad" | "inference_mode" if is_bare => {
                self.add(Operator::Training, span(call), "__import__('contextlib').nullcontext()");
            }
            _ => {}
        }
    }

    /// An end of a slice that is computed; other numbers are constants.
    pub(super) fn of_window(&mut self, end: &Expr) {
        if !end.is_number_literal_expr() && !end.is_unary_op_expr() && !end.is_none_literal_expr() {
            let text = self.file.slice(span(end)).to_owned();
            for by in ["+ 1", "- 1"] {
                self.add(Operator::Window, span(end), format!("({text}) {by}"));
            }
        }
    }

    /// A type of numbers with fewer digits.
    pub(super) fn of_precision(&mut self, expr: &Expr) {
        if let Expr::Attribute(node) = expr
            && let Some((_, narrower)) = NARROWER.iter().find(|(name, _)| *name == node.attr.as_str())
        {
            self.add(Operator::Precision, span(&node.attr), *narrower);
        }
    }
}

/// A tenth and ten times, where that is another number of the same kind.
fn scaled(number: &Number) -> Vec<String> {
    match number {
        Number::Int(value) => match value.as_i64() {
            Some(value) if value.abs() >= 10 => vec![(value / 10).to_string(), value.saturating_mul(10).to_string()],
            Some(value) if value != 0 => vec![value.saturating_mul(10).to_string()],
            _ => Vec::new(),
        },
        Number::Float(value) if *value != 0.0 && (10.0 * value).is_finite() => {
            vec![format!("{:?}", value / 10.0), format!("{:?}", 10.0 * value)]
        }
        _ => Vec::new(),
    }
}

/// One more, one less and nothing; of a fraction only nothing.
fn one_off(number: &Number) -> Vec<String> {
    match number {
        Number::Int(value) => {
            let Some(value) = value.as_i64() else { return Vec::new() };
            let mut others = vec![value.saturating_add(1), value.saturating_sub(1), 0];
            others.dedup();
            others.into_iter().filter(|other| *other != value).map(|other| other.to_string()).collect()
        }
        Number::Float(value) if *value != 0.0 => vec!["0.0".to_owned()],
        _ => Vec::new(),
    }
}
