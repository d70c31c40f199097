//! Mutants: small changes of a project's source that a good test would notice. Nothing is run here.
//!
//! [`mutants`] walks one file (`walk`), asks `operators` and the table of like functions (`swaps`) what each piece of code
//! could be instead, and keeps what still parses and keeps the line numbers. Left out on purpose: strings,
//! decorators, docstrings, hints, logging, messages of exceptions, and code that says that it was generated.

mod ignore;
mod learning;
mod mutant;
mod operators;
mod swaps;
mod walk;

use ruff_python_ast::Stmt;

use crate::candidates::CANDIDATES;
use crate::collect::collect;
use crate::error::SourceError;
use crate::file::SourceFile;
use crate::span::{Span, offset};
use crate::syntax::{SyntaxTree, is_module, span};

pub use ignore::Ignored;
pub use mutant::{Mutant, OPERATORS, Operator, OperatorRow, Wanted};
pub use swaps::{SwapError, Swaps};

/// All mutants of a file, in the order of the text. None for generated code.
///
/// # Errors
/// [`SourceError::Syntax`] when the file is not valid Python.
pub fn mutants(file: &SourceFile, wanted: &Wanted) -> Result<Vec<Mutant>, SourceError> {
    if is_generated(file) {
        return Ok(Vec::new());
    }
    let tree = SyntaxTree::parse(file)?;
    let found = collect(tree.body(), CANDIDATES);
    let mut mutants = walk::walk(file, &tree, &found.scopes, wanted);
    drop(found);
    mutants.retain(|mutant| wanted.operators.contains(&mutant.operator));
    mutants.sort_by(|a, b| (a.span, &a.replacement).cmp(&(b.span, &b.replacement)));
    mutants.dedup_by(|a, b| a.span == b.span && a.replacement == b.replacement);
    mutants.retain(|mutant| is_sound(file, tree.body(), mutant));
    Ok(mutants)
}

/// Whether the change parses, and leaves every line where it was. Only the statement of the module that it lies in is parsed
/// again: a large file has hundreds of mutants.
fn is_sound(file: &SourceFile, body: &[Stmt], mutant: &Mutant) -> bool {
    let lines = |text: &str| text.matches('\n').count();
    let old = file.slice(mutant.span);
    if old == mutant.replacement || lines(old) != lines(&mutant.replacement) {
        return false;
    }
    let next = body.partition_point(|stmt| span(stmt).end < mutant.span.end);
    let whole = Span::new(0, offset(file.text().len()));
    let around = body.get(next).map(span).filter(|stmt| stmt.contains(mutant.span)).unwrap_or(whole);
    let before = file.slice(Span::new(around.start, mutant.span.start));
    let behind = file.slice(Span::new(mutant.span.end, around.end));
    is_module(&format!("{before}{}{behind}", mutant.replacement))
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
