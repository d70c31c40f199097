//! Changes of code that learns: hyper-parameters, loops, modes of training, layers, choices by name, windows over data, their order and
//! labels, precision.
//!
//! The kinds are those of DeepCrime (Humbatova, Jahangirova and Tonella, ISSTA 2021), as far as the text shows them. Optimisers,
//! losses and layers that are called by their class are among the swaps.

use ruff_python_ast::{Expr, ExprCall, Number, StmtFor};

use super::mutant::Operator;
use super::walk::MutantWalk;
use crate::span::Span;
use crate::syntax::span;

/// Precision that numbers are narrowed to.
const NARROWER: [(&str, &str); 3] = [("float64", "float32"), ("double", "float32"), ("float32", "float16")];
/// Functions and methods that give a value of the shape that they are given.
const LAYERS: [&str; 16] = [
    "relu",
    "relu6",
    "leaky_relu",
    "elu",
    "selu",
    "gelu",
    "silu",
    "softplus",
    "sigmoid",
    "tanh",
    "dropout",
    "dropout2d",
    "alpha_dropout",
    "batch_norm",
    "layer_norm",
    "group_norm",
];
/// Texts that stand for each other.
type TextPairs = &'static [(&'static str, &'static str)];
/// Names of keywords that choose by a text, with such texts.
const CHOICES: [(&[&str], TextPairs); 4] = [
    (
        &["activation", "nonlinearity"],
        &[
            ("relu", "tanh"),
            ("tanh", "relu"),
            ("sigmoid", "tanh"),
            ("logistic", "tanh"),
            ("gelu", "relu"),
            ("elu", "relu"),
        ],
    ),
    (
        &["optimizer", "solver", "optim"],
        &[("adam", "sgd"), ("sgd", "adam"), ("rmsprop", "sgd"), ("adagrad", "sgd"), ("adamw", "sgd")],
    ),
    (
        &["loss", "criterion", "objective"],
        &[
            ("mse", "mae"),
            ("mae", "mse"),
            ("mean_squared_error", "mean_absolute_error"),
            ("mean_absolute_error", "mean_squared_error"),
            ("squared_error", "absolute_error"),
            ("absolute_error", "squared_error"),
            ("binary_crossentropy", "mse"),
            ("categorical_crossentropy", "mse"),
            ("hinge", "log_loss"),
            ("log_loss", "hinge"),
        ],
    ),
    (
        &["init", "kernel_initializer", "initializer"],
        &[("glorot_uniform", "zeros"), ("he_normal", "zeros"), ("normal", "zeros"), ("k-means++", "random")],
    ),
];
/// Methods that learn from data and their labels.
const LEARNING: [&str; 3] = ["fit", "partial_fit", "train_on_batch"];
/// Methods that set the mode of a model.
const MODES: [(&str, &str); 2] = [("train", "eval"), ("eval", "train")];

impl MutantWalk<'_> {
    /// The default of a parameter.
    pub(super) fn of_default(&mut self, parameter: &str, value: &Expr) {
        self.of_choice(parameter, value);
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

    /// What a call does to its argument is left out, where the result has the same shape.
    pub(super) fn of_layer(&mut self, call: &ExprCall) {
        let (name, object) = match &*call.func {
            Expr::Attribute(function) => (function.attr.as_str(), Some(&*function.value)),
            Expr::Name(function) => (function.id.as_str(), None),
            _ => return,
        };
        if !LAYERS.contains(&name) {
            return;
        }
        let first = call.arguments.args.first().filter(|first| !first.is_starred_expr());
        // A method without arguments is about its object.
        if let Some(kept) = first.or(object.filter(|_| call.arguments.is_empty())) {
            let text = self.file.slice(span(kept)).to_owned();
            self.add(Operator::Layer, span(call), format!("({text})"));
        }
    }

    /// A choice by its name, as the value of a keyword or the default of a parameter.
    pub(super) fn of_choice(&mut self, keyword: &str, value: &Expr) {
        let Expr::StringLiteral(text) = value else { return };
        let texts = CHOICES.iter().find(|(keywords, _)| keywords.contains(&keyword)).map(|(_, texts)| *texts);
        let chosen = text.value.to_str();
        if let Some((_, other)) = texts.into_iter().flatten().find(|(each, _)| *each == chosen) {
            self.add(Operator::Choice, span(value), format!("\"{other}\""));
        }
    }

    /// A permutation of a number of things that leaves them in order, and labels that go to other rows.
    pub(super) fn of_data(&mut self, call: &ExprCall) {
        let Expr::Attribute(function) = &*call.func else { return };
        let arguments = &call.arguments.args;
        match (function.attr.as_str(), &arguments[..]) {
            // What is drawn is drawn all the same: what follows has the same numbers.
            ("permutation", [count]) if self.is_count(count) => {
                let text = self.file.slice(span(call)).to_owned();
                self.add(Operator::Shuffle, span(call), format!("__import__('numpy').sort({text})"));
            }
            ("randperm", [count]) if self.is_count(count) => {
                let text = self.file.slice(span(call)).to_owned();
                self.add(Operator::Shuffle, span(call), format!("{text}.sort()[0]"));
            }
            (name, [_, labels, ..])
                if LEARNING.contains(&name) && (labels.is_name_expr() || labels.is_attribute_expr()) =>
            {
                let text = self.file.slice(span(labels)).to_owned();
                self.add(Operator::Label, span(labels), format!("{text}[::-1]"));
            }
            _ => {}
        }
    }

    /// Whether an expression looks like a number of things: a permutation of other things is not their order.
    fn is_count(&self, expr: &Expr) -> bool {
        let text = self.file.slice(span(expr));
        expr.is_number_literal_expr()
            || text.starts_with("len(")
            || text.ends_with(".shape[0]")
            || text == "n"
            || text.starts_with("n_")
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
