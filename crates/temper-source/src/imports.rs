//! Which names a file imports: enough to tell whether it may use another file of the project.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Stmt};

use crate::error::SourceError;
use crate::file::SourceFile;
use crate::syntax::Tree;

/// Every part of every imported name: `from a.b import c` gives `a`, `b` and `c`.
///
/// # Errors
/// [`SourceError::Syntax`] when the file is not valid Python.
pub fn imported_names(file: &SourceFile) -> Result<BTreeSet<String>, SourceError> {
    let tree = Tree::parse(file)?;
    let mut names = Names(BTreeSet::new());
    names.visit_body(tree.body());
    Ok(names.0)
}

struct Names(BTreeSet<String>);

impl Names {
    fn add(&mut self, dotted: &str) {
        self.0.extend(dotted.split('.').filter(|part| !part.is_empty()).map(str::to_owned));
    }
}

impl<'a> Visitor<'a> for Names {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Import(node) => node.names.iter().for_each(|alias| self.add(&alias.name)),
            Stmt::ImportFrom(node) => {
                node.module.iter().for_each(|module| self.add(module));
                node.names.iter().for_each(|alias| self.add(&alias.name));
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    /// Imports are statements.
    fn visit_expr(&mut self, _: &'a Expr) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_an_imported_name_counts() {
        let text = "import a.b as c\nfrom ..d import e as f\ndef g():\n    from h import *\n";
        let names = imported_names(&SourceFile::from_text("x.py", text).unwrap()).unwrap();
        assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), ["*", "a", "b", "d", "e", "h"]);
    }
}
