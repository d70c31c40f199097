//! Which names a file imports: enough to tell whether it may use another file of the project.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, ExprCall, Stmt};

use crate::error::SourceError;
use crate::file::SourceFile;
use crate::syntax::SyntaxTree;

/// What a file imports, wherever in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imports {
    /// Every part of every imported name: `from a.b import c` gives `a`, `b` and `c`.
    pub names: BTreeSet<String>,
    /// The modules that importing the file imports by their full names, in order: not those of functions.
    pub modules: Vec<String>,
    /// True when it also imports what only a run can name.
    pub is_dynamic: bool,
}

/// Functions that import what their first argument names.
const BY_NAME: [&str; 3] = ["import_module", "__import__", "importorskip"];
/// Names whose use imports what no text here names: loaders, walks over packages, attributes that import.
const UNNAMED: [&str; 8] = [
    "exec_module",
    "iter_modules",
    "lazy_loader",
    "run_module",
    "run_path",
    "SourceFileLoader",
    "spec_from_file_location",
    "walk_packages",
];

/// Reads the imports of a file.
///
/// # Errors
/// [`SourceError::Syntax`] when the file is not valid Python.
pub fn imports(file: &SourceFile) -> Result<Imports, SourceError> {
    let tree = SyntaxTree::parse(file)?;
    let mut found = Imports::default();
    found.visit_body(tree.body());
    modules(tree.body(), &mut found.modules);
    Ok(found)
}

/// Modules named by these statements and by those in their conditions. `from a import b` may mean the module `a.b`.
fn modules(body: &[Stmt], found: &mut Vec<String>) {
    for stmt in body {
        match stmt {
            Stmt::Import(node) => found.extend(node.names.iter().map(|alias| alias.name.to_string())),
            Stmt::ImportFrom(node) if node.level == 0 => {
                let Some(module) = &node.module else { continue };
                found.push(module.to_string());
                let names = node.names.iter().filter(|alias| alias.name.as_str() != "*");
                found.extend(names.map(|alias| format!("{module}.{}", alias.name)));
            }
            Stmt::If(node) => {
                modules(&node.body, found);
                node.elif_else_clauses.iter().for_each(|clause| modules(&clause.body, found));
            }
            Stmt::Try(node) => modules(&node.body, found),
            Stmt::With(node) => modules(&node.body, found),
            _ => {}
        }
    }
}

impl Imports {
    fn add(&mut self, dotted: &str) {
        self.names.extend(dotted.split('.').filter(|part| !part.is_empty()).map(str::to_owned));
        self.is_dynamic |= dotted.split('.').any(|part| UNNAMED.contains(&part));
    }

    fn call(&mut self, call: &ExprCall) {
        let name = match &*call.func {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            _ => return,
        };
        if BY_NAME.contains(&name) {
            match call.arguments.args.first() {
                Some(Expr::StringLiteral(text)) => self.add(text.value.to_str()),
                _ => self.is_dynamic = true,
            }
        }
        self.is_dynamic |= UNNAMED.contains(&name);
    }
}

impl<'a> Visitor<'a> for Imports {
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

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Call(call) = expr {
            self.call(call);
        }
        visitor::walk_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Vec<String>, bool) {
        let found = imports(&SourceFile::from_text("x.py", text).unwrap()).unwrap();
        (found.names.into_iter().collect(), found.is_dynamic)
    }

    #[test]
    fn every_part_of_an_imported_name_counts() {
        let (names, is_dynamic) = of("import a.b as c\nfrom ..d import e as f\ndef g():\n    from h import *\n");
        assert_eq!(names, ["*", "a", "b", "d", "e", "h"]);
        assert!(!is_dynamic);
    }

    #[test]
    fn a_module_named_in_a_call_counts_and_one_that_only_a_run_names_makes_it_dynamic() {
        assert_eq!(of("x = pytest.importorskip('a.b')\n"), (vec!["a".to_owned(), "b".to_owned()], false));
        assert!(of("def __getattr__(name):\n    return importlib.import_module(f'.{name}', __name__)\n").1);
        assert!(of("import lazy_loader as lazy\n").1);
        assert!(of("for each in pkgutil.walk_packages(p): pass\n").1);
        assert!(!of("import importlib.metadata\nversion = importlib.metadata.version('x')\n").1);
    }
}
