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

use crate::candidates::CANDIDATES;
use crate::collect::collect;
use crate::edit::{Edit, EditSet};
use crate::error::SourceError;
use crate::file::SourceFile;
use crate::syntax::SyntaxTree;

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
