//! Decorators for tests, with the import that they need. Called for the rerun marks of `temper bounds`.

use ruff_python_ast::{Alias, Stmt};

use crate::edit::Edit;
use crate::error::SourceError;
use crate::file::SourceFile;
use crate::span::{Span, offset};
use crate::syntax::{SyntaxTree, span};
use crate::test_suite::Test;

/// A name that a decorator starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imported<'a> {
    /// `import MODULE`.
    Module(&'a str),
    /// `from MODULE import NAME`.
    From(&'a str, &'a str),
}

/// The decorator that starts with an imported name and goes on with `rest`, and the edits that put it before a test. The name
/// is imported where the module does not have it already.
///
/// # Errors
/// When the file is no valid Python.
pub fn decorate(
    file: &SourceFile,
    test: &Test,
    name: Imported<'_>,
    rest: &str,
) -> Result<(String, Vec<Edit>), SourceError> {
    let tree = SyntaxTree::parse(file)?;
    let mut edits = Vec::new();
    let local = match tree.body().iter().find_map(|stmt| bound_by(stmt, name)) {
        Some(local) => local,
        None => {
            edits.push(import(file, tree.body(), name));
            match name {
                Imported::Module(name) | Imported::From(_, name) => name.to_owned(),
            }
        }
    };
    let decorator = format!("@{local}{rest}");
    let indent = file.text()[..test.span.start as usize].rsplit(['\n', '\r']).next().unwrap_or_default();
    edits.push(Edit::insert(test.span.start, &format!("{decorator}{}{indent}", line_end(file))));
    Ok((decorator, edits))
}

/// The local name that a statement binds what is wanted to.
pub(crate) fn bound_by(stmt: &Stmt, name: Imported<'_>) -> Option<String> {
    let local = |alias: &Alias| alias.asname.as_ref().unwrap_or(&alias.name).to_string();
    match (stmt, name) {
        (Stmt::Import(node), Imported::Module(module)) => {
            node.names.iter().find(|alias| alias.name.as_str() == module).map(local)
        }
        (Stmt::ImportFrom(node), Imported::From(module, name)) if node.level == 0 => {
            let is_module = node.module.as_ref().is_some_and(|found| found.as_str() == module);
            node.names.iter().find(|alias| is_module && alias.name.as_str() == name).map(local)
        }
        _ => None,
    }
}

/// An import behind those that open the file; without any, before the first statement that is no docstring.
fn import(file: &SourceFile, body: &[Stmt], name: Imported<'_>) -> Edit {
    let line = match name {
        Imported::Module(module) => format!("import {module}"),
        Imported::From(module, name) => format!("from {module} import {name}"),
    };
    let is_opening = |stmt: &&Stmt| matches!(stmt, Stmt::Import(_) | Stmt::ImportFrom(_)) || is_docstring(stmt);
    let last = body.iter().take_while(is_opening).last();
    let end = line_end(file);
    let Some(last) = last else {
        let first = body.first().map_or(0, |stmt| span(stmt).start);
        return Edit::insert(first, &format!("{line}{end}{end}"));
    };
    // At the end of the line and not at the start of the next one: a test may start there, and its decorator with it.
    let gap = if is_docstring(last) { end } else { "" };
    Edit::insert(line_end_behind(file, span(last)), &format!("{end}{gap}{line}"))
}

fn is_docstring(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Expr(node) if node.value.is_string_literal_expr())
}

/// Where the line that a statement ends in ends itself.
fn line_end_behind(file: &SourceFile, at: Span) -> u32 {
    let rest = &file.text()[at.end as usize..];
    at.end + offset(rest.find(['\n', '\r']).unwrap_or(rest.len()))
}

fn line_end(file: &SourceFile) -> &'static str {
    if file.text().contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EditSet, analyse};

    fn check(text: &str, name: Imported<'_>, expected: &str) {
        let file = SourceFile::from_text("test_x.py", text).unwrap();
        let found = analyse(&file).unwrap();
        let (_, edits) = decorate(&file, found.tests.last().unwrap(), name, ".x(1)").unwrap();
        let edited = EditSet::new(&file, edits).unwrap().reparse(&file).unwrap();
        assert_eq!(edited.text(), expected);
    }

    #[test]
    fn a_name_that_is_there_is_used_as_it_is_called() {
        let pytest = Imported::Module("pytest");
        check(
            "import pytest as pt\n\n\ndef test_a():\n    pass\n",
            pytest,
            "import pytest as pt\n\n\n@pt.x(1)\ndef test_a():\n    pass\n",
        );
        check(
            "from flaky import flaky\n\n\nclass TestA:\n    @staticmethod\n    def test_a():\n        pass\n",
            Imported::From("flaky", "flaky"),
            "from flaky import flaky\n\n\nclass TestA:\n    @flaky.x(1)\n    @staticmethod\n    def test_a():\n        pass\n",
        );
    }

    #[test]
    fn a_name_that_is_not_there_is_imported_behind_the_others() {
        let pytest = Imported::Module("pytest");
        check(
            "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\nimport os  # why\n\n\nasync def test_a():\n    pass\n",
            pytest,
            "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\nimport os  # why\nimport pytest\n\n\n@pytest.x(1)\nasync def test_a():\n    pass\n",
        );
        check(
            "\"\"\"Doc.\"\"\"\r\n\r\ndef test_a():\r\n    pass\r\n",
            pytest,
            "\"\"\"Doc.\"\"\"\r\n\r\nimport pytest\r\n\r\n@pytest.x(1)\r\ndef test_a():\r\n    pass\r\n",
        );
        check("def test_a(): pass", pytest, "import pytest\n\n@pytest.x(1)\ndef test_a(): pass");
        check(
            "import os\ndef test_a(): pass\n",
            pytest,
            "import os\nimport pytest\n@pytest.x(1)\ndef test_a(): pass\n",
        );
        check("'Doc.'\ndef test_a(): pass\n", pytest, "'Doc.'\n\nimport pytest\n@pytest.x(1)\ndef test_a(): pass\n");
    }
}
