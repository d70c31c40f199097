//! The walk over one file: which code may change, in which function it is and which lines show that it ran.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    Decorator, ElifElseClause, Expr, ExprCall, FString, Keyword, Parameters, Stmt, StmtClassDef, StmtFunctionDef,
    TString,
};
use ruff_text_size::Ranged;

use super::ignore::Ignored;
use super::mutant::{Mutant, Operator, Wanted};
use crate::file::SourceFile;
use crate::scope::Scopes;
use crate::span::Span;
use crate::syntax::{SyntaxTree, last_name, span};

/// Levels of nesting below which nothing is changed: code that deep was not written by hand.
const DEEPEST: u32 = 200;

/// State of the walk; `operators` adds to `found`.
pub(super) struct MutantWalk<'a> {
    pub(super) file: &'a SourceFile,
    pub(super) scopes: &'a Scopes<'a>,
    pub(super) wanted: &'a Wanted,
    path: Vec<String>,
    is_in_function: bool,
    statement: Span,
    is_compound: bool,
    ignored: Vec<Ignored>,
    depth: u32,
    /// The argument that changes now.
    pub(super) place: Option<String>,
    found: Vec<Mutant>,
}

pub(super) fn walk<'a>(
    file: &'a SourceFile,
    tree: &'a SyntaxTree,
    scopes: &'a Scopes<'a>,
    wanted: &'a Wanted,
) -> Vec<Mutant> {
    let mut walk = MutantWalk {
        file,
        scopes,
        wanted,
        path: Vec::new(),
        is_in_function: false,
        statement: Span::new(0, 0),
        is_compound: false,
        ignored: Vec::new(),
        depth: 0,
        place: None,
        found: Vec::new(),
    };
    walk.visit_body(tree.body());
    walk.found
}

impl MutantWalk<'_> {
    /// Adds a change. Line ends that it would swallow are put back behind it, so that no line moves.
    pub(super) fn add(&mut self, operator: Operator, span: Span, replacement: impl Into<String>) {
        let mut replacement = replacement.into();
        let lines = |text: &str| text.matches('\n').count();
        let missing = lines(self.file.slice(span)).saturating_sub(lines(&replacement));
        replacement.push_str(&"\n".repeat(missing));
        let at = self.file.position(span.start);
        let first = self.file.position(self.statement.start).line;
        let end = if self.is_compound { span.end } else { self.statement.end };
        let last = self.file.position(end).line;
        let is_ignored = |ignored: &Ignored| ignored.covers(operator);
        let mut here = [at.line, last].into_iter().filter_map(|line| Ignored::in_line(self.file.line_text(line)));
        if self.ignored.iter().any(is_ignored) || here.any(|ignored| is_ignored(&ignored)) {
            return;
        }
        let function = self.is_in_function.then(|| self.path.join("."));
        let place = self.place.clone();
        self.found.push(Mutant { span, replacement, operator, at, function, lines: (first, last), place });
    }

    /// A function with its parameters, or a class.
    fn within(&mut self, name: &str, head: &impl Ranged, parameters: Option<&Parameters>, body: &[Stmt]) {
        let outer = self.is_in_function;
        // As in `__qualname__`: what is defined in a function is one of its locals.
        let segment = if outer { format!("<locals>.{name}") } else { name.to_owned() };
        self.path.push(segment);
        let line = self.file.position(head.start().to_u32()).line;
        let ignored = Ignored::in_line(self.file.line_text(line));
        let has_ignored = ignored.is_some();
        self.ignored.extend(ignored);
        self.is_in_function = outer || parameters.is_some();
        if let Some(parameters) = parameters {
            self.parameters(parameters, body);
        }
        self.body(body);
        self.is_in_function = outer;
        if has_ignored {
            self.ignored.pop();
        }
        self.path.pop();
    }

    /// Defaults. That they matter shows where the first statement of the function runs.
    fn parameters(&mut self, parameters: &Parameters, body: &[Stmt]) {
        let is_text = |stmt: &&Stmt| matches!(stmt, Stmt::Expr(node) if node.value.is_string_literal_expr());
        let Some(first) = body.iter().find(|stmt| !is_text(stmt)) else { return };
        let outer = (self.statement, self.is_compound);
        (self.statement, self.is_compound) = (span(first), false);
        parameters
            .iter_non_variadic_params()
            .filter_map(|each| Some((each.parameter.name.as_str(), each.default.as_deref()?)))
            .for_each(|(parameter, default)| self.of_default(parameter, default));
        (self.statement, self.is_compound) = outer;
    }

    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.visit(stmt);
        }
    }

    fn visit(&mut self, stmt: &Stmt) {
        let outer = (self.statement, self.is_compound);
        self.depth += 1;
        if self.depth <= DEEPEST {
            self.statement = span(stmt);
            self.is_compound = matches!(
                stmt,
                Stmt::If(_) | Stmt::While(_) | Stmt::For(_) | Stmt::With(_) | Stmt::Try(_) | Stmt::Match(_)
            );
            self.statement(stmt);
        }
        self.depth -= 1;
        (self.statement, self.is_compound) = outer;
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::FunctionDef(StmtFunctionDef { name, parameters, body, .. }) => {
                self.within(name, name, Some(parameters), body);
            }
            Stmt::ClassDef(StmtClassDef { name, body, .. }) => self.within(name, name, None, body),
            Stmt::Import(_) | Stmt::ImportFrom(_) | Stmt::Global(_) | Stmt::Nonlocal(_) | Stmt::Assert(_) => {}
            Stmt::TypeAlias(_) => {}
            Stmt::If(node) if is_for_others(&node.test) => {}
            Stmt::Assign(node) if node.targets.iter().any(is_dunder) => {}
            Stmt::Expr(node) if is_silent(&node.value) => {}
            // What an exception says is text for people.
            Stmt::Raise(_) => self.of_statement(stmt),
            Stmt::AnnAssign(node) => {
                self.of_statement(stmt);
                if let Some(value) = &node.value {
                    self.visit_expr(value);
                }
            }
            _ => {
                self.of_statement(stmt);
                visitor::walk_stmt(self, stmt);
            }
        }
    }
}

impl<'a> Visitor<'a> for MutantWalk<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.visit(stmt);
    }

    fn visit_elif_else_clause(&mut self, clause: &'a ElifElseClause) {
        let outer = self.statement;
        if let Some(test) = &clause.test {
            self.statement = span(test);
            self.of_condition(test);
        }
        visitor::walk_elif_else_clause(self, clause);
        self.statement = outer;
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if self.depth > DEEPEST {
            return;
        }
        self.depth += 1;
        self.of_expression(expr);
        match expr {
            Expr::Call(call) if is_logging(call) => {}
            Expr::Lambda(lambda) => self.visit_expr(&lambda.body),
            _ => visitor::walk_expr(self, expr),
        }
        self.depth -= 1;
    }

    fn visit_keyword(&mut self, keyword: &'a Keyword) {
        if !self.of_keyword(keyword) {
            visitor::walk_keyword(self, keyword);
        }
    }

    fn visit_annotation(&mut self, _: &'a Expr) {}
    fn visit_decorator(&mut self, _: &'a Decorator) {}
    fn visit_parameters(&mut self, _: &'a Parameters) {}
    fn visit_f_string(&mut self, _: &'a FString) {}
    fn visit_t_string(&mut self, _: &'a TString) {}
}

/// `if TYPE_CHECKING:` and `if __name__ == "__main__":`: no test runs it.
fn is_for_others(test: &Expr) -> bool {
    match test {
        Expr::Compare(compare) => is_dunder(&compare.left),
        _ => last_name(test) == Some("TYPE_CHECKING"),
    }
}

fn is_dunder(expr: &Expr) -> bool {
    matches!(expr, Expr::Name(name) if name.id.starts_with("__") && name.id.ends_with("__"))
}

/// Docstrings, `...`, logging and printing.
fn is_silent(expr: &Expr) -> bool {
    match expr {
        Expr::StringLiteral(_) | Expr::EllipsisLiteral(_) | Expr::FString(_) => true,
        Expr::Call(call) => is_logging(call),
        _ => false,
    }
}

fn is_logging(call: &ExprCall) -> bool {
    let is_logger = |name: &str| {
        matches!(name.trim_start_matches('_').to_lowercase().as_str(), "log" | "logger" | "logging" | "warnings")
    };
    match &*call.func {
        Expr::Name(name) => matches!(name.id.as_str(), "print" | "warn"),
        Expr::Attribute(attribute) => last_name(&attribute.value).is_some_and(is_logger),
        _ => false,
    }
}
