//! Mutants: small changes of a project's source that a good test would notice. Nothing is run here.
//!
//! [`mutants`] walks one file (`walk`), asks `operators` and the table of like functions (`swaps`) what each piece of code
//! could be instead, and keeps what still parses and keeps the line numbers. Left out on purpose: strings, `def` lines,
//! decorators, docstrings, hints, logging, messages of exceptions, and code that says that it was generated.

mod ignore;
mod operators;
mod swaps;
mod walk;

use std::collections::BTreeSet;

use crate::candidates::CANDIDATES;
use crate::collect::collect;
use crate::edit::{ContentHash, Edit, EditSet};
use crate::error::SourceError;
use crate::file::SourceFile;
use crate::span::{Position, Span};
use crate::syntax::Tree;

pub use ignore::Ignored;
pub use swaps::{SwapError, Swaps};

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `+` for `-`, `*` for `/`, and so on.
    Arithmetic,
    /// `<` for `<=`, `==` for `!=`, `is` for `is not`, `in` for `not in`.
    Comparison,
    /// `and` for `or`.
    Boolean,
    /// `&` for `|`, `<<` for `>>`.
    Bitwise,
    /// `+=` for `-=`, and for a plain assignment.
    Augmented,
    /// A number: one more, one less, nothing, twice, with the other sign.
    Constant,
    /// `True` for `False`, 0 for `None`.
    Literal,
    /// An assigned value becomes `None`.
    Assignment,
    /// The body of a lambda becomes `None`.
    Lambda,
    /// `break` for `continue`; a returned value becomes `None`.
    Flow,
    /// A condition is negated.
    Condition,
    /// An argument is left out, or changes places with the next one.
    Argument,
    /// A sign or `not` is left out.
    Unary,
    /// A statement is left out.
    Statement,
    /// An end of a slice is left out.
    Slice,
    /// A library function becomes one with a like signature.
    Swap,
    /// `axis=0` for `axis=1` or none.
    Axis,
    /// `reduction="mean"` for `"sum"`.
    Reduction,
}

/// All kinds with their names, as users write them.
pub const OPERATORS: [(Operator, &str); 18] = [
    (Operator::Arithmetic, "arithmetic"),
    (Operator::Comparison, "comparison"),
    (Operator::Boolean, "boolean"),
    (Operator::Bitwise, "bitwise"),
    (Operator::Augmented, "augmented"),
    (Operator::Constant, "constant"),
    (Operator::Literal, "literal"),
    (Operator::Assignment, "assignment"),
    (Operator::Lambda, "lambda"),
    (Operator::Flow, "flow"),
    (Operator::Condition, "condition"),
    (Operator::Argument, "argument"),
    (Operator::Unary, "unary"),
    (Operator::Statement, "statement"),
    (Operator::Slice, "slice"),
    (Operator::Swap, "swap"),
    (Operator::Axis, "axis"),
    (Operator::Reduction, "reduction"),
];

impl Operator {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        OPERATORS.iter().find(|(operator, _)| *operator == self).map_or("", |(_, name)| name)
    }

    /// The operator with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        OPERATORS.iter().find(|(_, each)| *each == name).map(|(operator, _)| *operator)
    }
}

/// One small change to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// What is replaced.
    pub span: Span,
    /// What takes its place, with as many line ends.
    pub replacement: String,
    /// The kind of change.
    pub operator: Operator,
    /// Where it begins.
    pub at: Position,
    /// The function around it as `__qualname__` has it; nothing at module level.
    pub function: Option<String>,
    /// First and last line of the statement around it, as far as it runs with the change.
    pub lines: (u32, u32),
}

impl Mutant {
    /// `line:col: replace X with Y in function`, the same as long as the line is where it is.
    #[must_use]
    pub fn name(&self, file: &SourceFile) -> String {
        let old = one_line(file.slice(self.span));
        let new = one_line(&self.replacement);
        let place = self.function.as_deref().unwrap_or("the module");
        let Position { line, column } = self.at;
        match (old.as_str(), new.as_str()) {
            (old, "") => format!("{line}:{column}: remove {old} in {place}"),
            (old, new) => format!("{line}:{column}: replace {old} with {new} in {place}"),
        }
    }

    /// The whole text with the change.
    ///
    /// # Errors
    /// When the change does not belong to `file`.
    pub fn apply(&self, file: &SourceFile) -> Result<String, SourceError> {
        let edit = Edit::replace(self.span, &self.replacement);
        EditSet::new(file, vec![edit])?.apply(file.text())
    }

    /// The first line that changes, before and after.
    #[must_use]
    pub fn diff(&self, file: &SourceFile) -> (String, String) {
        let before = file.line_text(self.at.line).to_owned();
        let after = self.apply(file).map(|text| file.with_text(text).line_text(self.at.line).to_owned());
        (before, after.unwrap_or_default())
    }

    /// The same for the same change of the file at this path of the project, wherever the project lies.
    #[must_use]
    pub fn hash(&self, path: &str) -> ContentHash {
        ContentHash::of(format!("{path}\n{:?}\n{}", self.span, self.replacement).as_bytes())
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What [`mutants`] makes.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Kinds of change.
    pub operators: BTreeSet<Operator>,
    /// Functions with like signatures.
    pub swaps: Swaps,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { operators: OPERATORS.iter().map(|(operator, _)| *operator).collect(), swaps: Swaps::built_in() }
    }
}

/// All mutants of a file, in the order of the text. None for generated code.
///
/// # Errors
/// [`SourceError::Syntax`] when the file is not valid Python.
pub fn mutants(file: &SourceFile, wanted: &Wanted) -> Result<Vec<Mutant>, SourceError> {
    if is_generated(file) {
        return Ok(Vec::new());
    }
    let tree = Tree::parse(file)?;
    let found = collect(tree.body(), CANDIDATES);
    let mut mutants = walk::walk(file, &tree, &found.scopes, wanted);
    drop(found);
    mutants.retain(|mutant| wanted.operators.contains(&mutant.operator));
    mutants.sort_by(|a, b| (a.span, &a.replacement).cmp(&(b.span, &b.replacement)));
    mutants.dedup_by(|a, b| a.span == b.span && a.replacement == b.replacement);
    mutants.retain(|mutant| is_sound(file, mutant));
    Ok(mutants)
}

/// Whether the change parses, and leaves every line where it was.
fn is_sound(file: &SourceFile, mutant: &Mutant) -> bool {
    let lines = |text: &str| text.matches('\n').count();
    let edit = Edit::replace(mutant.span, &mutant.replacement);
    file.slice(mutant.span) != mutant.replacement
        && lines(file.slice(mutant.span)) == lines(&mutant.replacement)
        && EditSet::new(file, vec![edit]).and_then(|edits| edits.reparse(file)).is_ok()
}

/// Whether a file says of itself that a program wrote it.
fn is_generated(file: &SourceFile) -> bool {
    let name = file.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let head: Vec<String> = file.text().lines().take(10).map(str::to_lowercase).collect();
    let says = |words: &str| head.iter().any(|line| line.trim_start().starts_with('#') && line.contains(words));
    name.ends_with("_pb2.py")
        || name.ends_with("_pb2_grpc.py")
        || matches!(name, "_version.py" | "versioneer.py")
        || says("@generated")
        || says("do not edit")
        || says("automatically generated")
        || says("auto-generated")
}

#[cfg(test)]
mod tests;
