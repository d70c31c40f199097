//! The body of one test, rewritten: larger numbers in it, its statements repeated, a seed before them. Called for the remedies
//! of `temper bounds` that keep a bound as it is.
//!
//! Lines that a rewriting does not touch stay as they are, byte by byte, and what cannot be rewritten safely is refused with
//! the reason.

pub(crate) mod repeated;
pub(crate) mod seeded;
pub(crate) mod size_literal;

use ruff_python_ast::{Stmt, StmtFunctionDef};

use crate::edit::Edit;
use crate::file::SourceFile;
use crate::span::{Span, offset};
use crate::syntax::span;

/// Edits of a test's body, and what they write in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyEdits {
    /// What is written: `n=400`.
    pub text: String,
    /// What it replaces, if it replaces something: `n=100`.
    pub old: Option<String>,
    /// The edits.
    pub edits: Vec<Edit>,
}

/// The function with this span, in the module or in a class.
fn function_at(body: &[Stmt], wanted: Span) -> Option<&StmtFunctionDef> {
    body.iter().filter(|stmt| span(*stmt).contains(wanted)).find_map(|stmt| match stmt {
        Stmt::FunctionDef(node) if span(node) == wanted => Some(node),
        Stmt::ClassDef(node) => function_at(&node.body, wanted),
        Stmt::If(node) => function_at(&node.body, wanted),
        Stmt::Try(node) => function_at(&node.body, wanted),
        _ => None,
    })
}

/// The statements behind the docstring.
fn behind_docstring(function: &StmtFunctionDef) -> &[Stmt] {
    let is_text = |stmt: &Stmt| matches!(stmt, Stmt::Expr(node) if node.value.is_string_literal_expr());
    match function.body.split_first() {
        Some((first, rest)) if is_text(first) => rest,
        _ => &function.body,
    }
}

/// The blanks before a statement that starts its line; nothing if something else stands before it.
fn indent_of(file: &SourceFile, at: Span) -> Option<&str> {
    let line = file.text()[..at.start as usize].rsplit(['\n', '\r']).next().unwrap_or_default();
    line.chars().all(|letter| matches!(letter, ' ' | '\t')).then_some(line)
}

/// Where the line of a statement starts.
fn line_start(file: &SourceFile, at: Span) -> u32 {
    at.start - offset(indent_of(file, at).unwrap_or_default().len())
}

fn line_end(file: &SourceFile) -> &'static str {
    if file.text().contains("\r\n") { "\r\n" } else { "\n" }
}
