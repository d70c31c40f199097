//! Whole numbers in a test that may be sizes: samples, steps, repetitions. Whether one feeds a value, and how the value's
//! spread follows it, only runs can tell; here the numbers that are certainly none are left out, and those with the name of
//! a size come first.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, ExprCall, Keyword, Number, Stmt, StmtFunctionDef};

use super::{BodyEdits, function_at};
use crate::edit::Edit;
use crate::error::SourceError;
use crate::file::SourceFile;
use crate::seed;
use crate::sites::site::Site;
use crate::span::Span;
use crate::syntax::{SyntaxTree, last_name, span};
use crate::test_suite::Test;

/// Smaller numbers are dimensions, digits and indices more often than sizes.
const LEAST: u64 = 8;

/// A number in a test, at every place where it means the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeLiteral {
    /// The number.
    pub value: u64,
    /// Where it is written.
    pub places: Vec<Span>,
    /// How the first place reads, with `{}` for the number.
    pattern: String,
    is_grouped: bool,
    is_named_size: bool,
    name: String,
}

impl SizeLiteral {
    /// The edits that write `factor` times the number; nothing if that is no number of 64 bits.
    #[must_use]
    pub fn enlarged(&self, file: &SourceFile, factor: u64) -> Option<BodyEdits> {
        let number = self.value.checked_mul(factor)?;
        let write = |place: &Span| {
            let text = if file.slice(*place).contains('_') { grouped(number) } else { number.to_string() };
            Edit::replace(*place, &text)
        };
        Some(BodyEdits {
            text: self.pattern.replacen("{}", &number.to_string(), 1),
            old: Some(self.pattern.replacen("{}", &self.value.to_string(), 1)),
            edits: self.places.iter().map(write).collect(),
        })
    }
}

/// `1_000` for a number that was written like that.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('_');
        }
        out.push(digit);
    }
    out
}

/// The numbers of a test that may be sizes, the most likely first. `sites` are those of the file: their bounds are none.
///
/// # Errors
/// When the file is no valid Python.
pub fn size_literals(file: &SourceFile, sites: &[Site], test: &Test) -> Result<Vec<SizeLiteral>, SourceError> {
    let tree = SyntaxTree::parse(file)?;
    let Some(function) = function_at(tree.body(), test.span) else { return Ok(Vec::new()) };
    let mut walk = LiteralWalk { sites, depth: 0, found: Vec::new() };
    walk.visit_body(&function.body);
    let mut found: Vec<SizeLiteral> = Vec::new();
    for literal in walk.found {
        // One number of rows stands in several shapes; two settings that are called differently are two sizes.
        let is_same = |other: &&mut SizeLiteral| {
            other.value == literal.value && other.is_grouped && literal.is_grouped
                || other.value == literal.value && !other.name.is_empty() && other.name == literal.name
        };
        match found.iter_mut().find(is_same) {
            Some(other) => other.places.extend(literal.places),
            None => found.push(literal),
        }
    }
    found.sort_by_key(|literal| !literal.is_named_size);
    Ok(found)
}

/// Nesting below which nothing is read: no person wrote it.
const DEEPEST: u32 = 200;

struct LiteralWalk<'s> {
    sites: &'s [Site],
    depth: u32,
    found: Vec<SizeLiteral>,
}

impl LiteralWalk<'_> {
    /// Takes the number that an expression is, or those in a tuple or list of it.
    fn take(&mut self, expr: &Expr, name: &str, pattern: &str) {
        match expr {
            Expr::NumberLiteral(node) => {
                let Number::Int(number) = &node.value else { return };
                let Some(value) = number.as_u64().filter(|value| *value >= LEAST) else { return };
                let place = span(node);
                if self.is_of_bound(place) {
                    return;
                }
                let is_shape = name.is_empty() || matches!(name, "size" | "shape");
                self.found.push(SizeLiteral {
                    value,
                    places: vec![place],
                    pattern: pattern.to_owned(),
                    is_grouped: is_shape,
                    is_named_size: is_size_name(name) || pattern.starts_with("range("),
                    name: name.to_owned(),
                });
            }
            Expr::Tuple(node) => self.take_elements(&node.elts, ["(", ")"], name, pattern),
            Expr::List(node) => self.take_elements(&node.elts, ["[", "]"], name, pattern),
            _ => {}
        }
    }

    fn take_elements(&mut self, elements: &[Expr], [open, close]: [&str; 2], name: &str, pattern: &str) {
        for (index, element) in elements.iter().enumerate().filter(|(_, element)| element.is_number_literal_expr()) {
            let inner = format!("{open}{}{close}", among(index, elements.len()));
            self.take(element, name, &pattern.replacen("{}", &inner, 1));
        }
    }

    /// Whether a number is written in an assertion outside what is measured there, or is the constant of a bound.
    fn is_of_bound(&self, place: Span) -> bool {
        self.sites.iter().any(|site| {
            let is_place = site.bounds.iter().flat_map(|bound| &bound.places).any(|found| found.span.contains(place));
            is_place || site.assertion.contains(place) && !site.actual.contains(place)
        })
    }

    fn of_call(&mut self, call: &ExprCall) {
        let callee = last_name(&call.func).unwrap_or_default();
        if is_no_sized_call(callee) {
            return;
        }
        let count = call.arguments.args.len() + call.arguments.keywords.len();
        for (index, argument) in call.arguments.args.iter().enumerate() {
            self.take(argument, "", &format!("{callee}({})", among(index, count)));
        }
        for Keyword { arg, value, .. } in &call.arguments.keywords {
            let Some(name) = arg.as_ref().map(ToString::to_string).filter(|name| !is_no_size(name)) else { continue };
            self.take(value, &name, &format!("{name}={{}}"));
        }
    }

    fn of_assignment(&mut self, target: &Expr, value: &Expr) {
        match (target, value) {
            (Expr::Name(name), Expr::NumberLiteral(_)) if !is_no_size(&name.id) => {
                self.take(value, &name.id, &format!("{} = {{}}", name.id));
            }
            (Expr::Tuple(targets), Expr::Tuple(values)) if targets.elts.len() == values.elts.len() => {
                for (target, value) in targets.elts.iter().zip(&values.elts) {
                    self.of_assignment(target, value);
                }
            }
            _ => {}
        }
    }
}

impl<'a> Visitor<'a> for LiteralWalk<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.depth += 1;
        match stmt {
            Stmt::Assign(node) => node.targets.iter().for_each(|target| self.of_assignment(target, &node.value)),
            Stmt::AnnAssign(node) => node.value.iter().for_each(|value| self.of_assignment(&node.target, value)),
            _ => {}
        }
        match stmt {
            // Defaults and decorators are not the test's own numbers.
            Stmt::FunctionDef(StmtFunctionDef { body, .. }) if self.depth < DEEPEST => self.visit_body(body),
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            _ if self.depth < DEEPEST => visitor::walk_stmt(self, stmt),
            _ => {}
        }
        self.depth -= 1;
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        self.depth += 1;
        if let Expr::Call(call) = expr {
            self.of_call(call);
        }
        if self.depth < DEEPEST {
            visitor::walk_expr(self, expr);
        }
        self.depth -= 1;
    }

    fn visit_annotation(&mut self, _: &'a Expr) {}
}

/// An element among others, which are left out.
fn among(index: usize, count: usize) -> &'static str {
    match (index, count) {
        (_, 1) => "{}",
        (0, _) => "{}, ...",
        (index, count) if index + 1 == count => "..., {}",
        _ => "..., {}, ...",
    }
}

/// Calls whose numbers are no sizes: seeds, digits, waiting, arithmetic, and what compares or reshapes.
fn is_no_sized_call(name: &str) -> bool {
    seed::is_seed_name(name)
        || name.starts_with("assert")
        || matches!(
            name,
            "round" | "around" | "sleep" | "pow" | "power" | "exp" | "log" | "sqrt" | "abs" | "float" | "int" | "str"
        )
        || matches!(name, "approx" | "allclose" | "isclose" | "getattr" | "isinstance" | "format" | "datetime" | "date")
        || matches!(name, "reshape" | "view" | "array" | "asarray" | "tensor" | "skip" | "timeout" | "print")
}

/// Names of settings that are no sizes.
fn is_no_size(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_one = matches!(
        name.as_str(),
        "decimal"
            | "decimals"
            | "places"
            | "significant"
            | "digits"
            | "precision"
            | "ndigits"
            | "axis"
            | "dim"
            | "verbose"
    ) || matches!(
        name.as_str(),
        "key" | "rng" | "random_state" | "entropy" | "n_jobs" | "num_workers" | "workers" | "port" | "timeout" | "dpi"
    ) || matches!(
        name.as_str(),
        "year" | "month" | "day" | "hour" | "base" | "level" | "stacklevel" | "bins"
    );
    is_one || name.contains("seed") || name.contains("tol") || name.contains("thresh")
}

/// Names that sizes have.
fn is_size_name(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_one = matches!(
        name.as_str(),
        "n" | "m"
            | "size"
            | "shape"
            | "count"
            | "length"
            | "rows"
            | "draws"
            | "trials"
            | "reps"
            | "repeats"
            | "max_iter"
    );
    let has = |part: &str| name.contains(part);
    is_one
        || name.starts_with("n_") && !has("features")
        || name.starts_with("num")
        || ["sample", "epoch", "step", "iter", "estimators", "batches", "points", "rounds"].iter().any(|part| has(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EditSet, analyse};

    /// The candidates of the last test, four times as large, with the edited text of the first.
    fn found(text: &str) -> (Vec<String>, String) {
        let file = SourceFile::from_text("test_x.py", text).unwrap();
        let analysis = analyse(&file).unwrap();
        let literals = size_literals(&file, &analysis.sites, analysis.tests.last().unwrap()).unwrap();
        let enlarged: Vec<BodyEdits> = literals.iter().map(|literal| literal.enlarged(&file, 4).unwrap()).collect();
        let edited = enlarged
            .first()
            .map(|first| EditSet::new(&file, first.edits.clone()).unwrap().reparse(&file).unwrap().text().to_owned());
        let said = enlarged.iter().map(|edits| format!("{} -> {}", edits.old.as_deref().unwrap(), edits.text));
        (said.collect(), edited.unwrap_or_default())
    }

    #[test]
    fn sizes_with_the_name_of_one_come_first() {
        let (said, edited) = found(
            "def test_a():\n    x = blobs(200, scale=10)\n    n: int = 1_000\n    fit(x, epochs=50, data=make(n=100))\n    assert x < 3\n",
        );
        let expected = ["n = 1000 -> n = 4000", "epochs=50 -> epochs=200", "n=100 -> n=400"];
        assert_eq!(said[..3], expected);
        assert_eq!(said[3..], ["blobs(200, ...) -> blobs(800, ...)", "scale=10 -> scale=40"]);
        assert!(edited.contains("n: int = 4_000\n"), "{edited}");
    }

    #[test]
    fn seeds_digits_bounds_and_small_numbers_are_no_sizes() {
        let (said, _) = found(
            "import numpy as np\n\ndef test_a(seed=99):\n    np.random.seed(42)\n    rng = np.random.default_rng(1234)\n    tol = 12\n    \
             fit(random_state=10, verbose=10, k=5, random_seed=77)\n    assert fit(rng, n=64) < tol\n    \
             assert np.mean(rng.normal(size=30)) < 25\n    np.testing.assert_almost_equal(fit(), 20, decimal=9)\n",
        );
        assert_eq!(said, ["n=64 -> n=256", "size=30 -> size=120"]);
    }

    #[test]
    fn one_number_of_rows_in_several_shapes_is_one_size() {
        let (said, edited) = found(
            "def test_a():\n    x, y = normal(size=(100, 3)), normal(size=100)\n    z = rand(100, 20)\n    assert fit(x, y, z) < 1\n",
        );
        assert_eq!(said, ["size=(100, ...) -> size=(400, ...)", "rand(..., 20) -> rand(..., 80)"]);
        assert!(edited.contains("normal(size=(400, 3)), normal(size=400)\n    z = rand(400, 20)"), "{edited}");
    }

    #[test]
    fn only_the_numbers_of_this_test_are_taken() {
        let (said, _) =
            found("N = 100\n\ndef helper():\n    return f(100)\n\ndef test_a():\n    assert helper() < 1\n");
        assert!(said.is_empty(), "{said:?}");
    }
}
