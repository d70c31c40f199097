//! The one walk over the tree: it fills the scopes and sets aside every expression that may matter.
//!
//! Nothing is decided here. Whether a name is a constant or `np` is numpy is known only when the whole file has been seen,
//! so the walk keeps references, and the modules `sites`, `seed` and `annotation` read them afterwards.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    Comprehension, Expr, ExprCall, Identifier, Parameters, Stmt, StmtAssert, StmtClassDef, StmtFor, StmtFunctionDef,
    StmtImport, StmtImportFrom, StmtWith,
};
use ruff_text_size::Ranged;

use crate::scope::{Binding, BlockId, MODULE, MODULE_BLOCK, ScopeId, ScopeKind, Scopes, Value, last_name};
use crate::span::Span;
use crate::syntax::span;

/// Where a candidate stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub(crate) scope: ScopeId,
    pub(crate) block: BlockId,
    /// The outermost function around it, as an index into [`Collected::functions`].
    pub(crate) function: Option<usize>,
    /// The innermost one.
    pub(crate) inner_function: Option<usize>,
    pub(crate) in_loop: bool,
    /// Inside `with pytest.raises(AssertionError)`.
    pub(crate) expects_failure: bool,
    /// The statement around it.
    pub(crate) statement: Span,
    /// Whether that statement is an expression whose value is thrown away.
    pub(crate) is_bare: bool,
}

/// A function or method of the file.
pub(crate) struct Function<'a> {
    pub(crate) node: &'a StmtFunctionDef,
    /// Scope in which it is defined.
    pub(crate) scope: ScopeId,
    /// Names of the classes and functions around it, outermost first, with `<locals>` behind a function as in `__qualname__`.
    pub(crate) path: Vec<&'a str>,
    /// Whether a function, not only classes, is around it.
    pub(crate) is_nested: bool,
    /// The innermost class, if it is a method.
    pub(crate) class: Option<usize>,
}

/// A class of the file.
pub(crate) struct Class<'a> {
    pub(crate) node: &'a StmtClassDef,
    /// Scope in which it is defined.
    pub(crate) scope: ScopeId,
    pub(crate) body_scope: ScopeId,
    pub(crate) path: Vec<&'a str>,
    pub(crate) is_in_function: bool,
    pub(crate) outer: Option<usize>,
}

/// Everything that the walk found.
pub(crate) struct Collected<'a> {
    pub(crate) scopes: Scopes<'a>,
    pub(crate) functions: Vec<Function<'a>>,
    pub(crate) classes: Vec<Class<'a>>,
    pub(crate) asserts: Vec<(&'a StmtAssert, Context)>,
    pub(crate) calls: Vec<(&'a ExprCall, Context)>,
    /// The scope and block inside each comprehension.
    pub(crate) comprehensions: HashMap<Span, (ScopeId, BlockId)>,
    /// Expressions nested more deeply than the walk goes.
    pub(crate) too_deep: Vec<(Span, Context)>,
}

/// Levels that are walked without asking how much stack is left.
const SHALLOW: u32 = 100;
/// Levels below which nothing is read. CPython's own parser gives up earlier.
const DEEPEST: u32 = 20_000;

/// What the walk sets aside: the walk itself knows no function by name.
#[derive(Clone, Copy)]
pub(crate) struct Interest {
    /// Whether a call may matter.
    pub(crate) in_call: fn(&ExprCall) -> bool,
    /// Whether a function of this name may matter, so that other names for it are worth remembering.
    pub(crate) in_name: fn(&str) -> bool,
}

struct Collector<'a> {
    interest: Interest,
    found: Collected<'a>,
    context: Context,
    path: Vec<&'a str>,
    class: Option<usize>,
    depth: u32,
    /// Other names of functions that matter: `from numpy.testing import assert_allclose as close`.
    aliases: HashSet<&'a str>,
}

pub(crate) fn collect(body: &[Stmt], interest: Interest) -> Collected<'_> {
    let context = Context {
        scope: MODULE,
        block: MODULE_BLOCK,
        function: None,
        inner_function: None,
        in_loop: false,
        expects_failure: false,
        statement: Span::new(0, 0),
        is_bare: false,
    };
    let found = Collected {
        scopes: Scopes::new(),
        functions: Vec::new(),
        classes: Vec::new(),
        asserts: Vec::new(),
        calls: Vec::new(),
        comprehensions: HashMap::new(),
        too_deep: Vec::new(),
    };
    let mut collector =
        Collector { interest, found, context, path: Vec::new(), class: None, depth: 0, aliases: HashSet::new() };
    collector.visit_body(body);
    collector.found
}

impl<'a> Visitor<'a> for Collector<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        let outer = (self.context.statement, self.context.is_bare);
        (self.context.statement, self.context.is_bare) = (span(stmt), stmt.is_expr_stmt());
        self.deeper(span(stmt), |this| this.statement(stmt));
        (self.context.statement, self.context.is_bare) = outer;
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        // Leaves are most of a tree.
        if !matches!(expr, Expr::Name(_) | Expr::NumberLiteral(_) | Expr::StringLiteral(_)) {
            self.deeper(span(expr), |this| this.expression(expr));
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ruff_python_ast::ExceptHandler) {
        let ruff_python_ast::ExceptHandler::ExceptHandler(node) = handler;
        self.in_block(false, |this| {
            if let Some(name) = &node.name {
                this.bind(name, Value::Unseen, node.start().to_u32());
            }
            visitor::walk_except_handler(this, handler);
        });
    }

    fn visit_match_case(&mut self, case: &'a ruff_python_ast::MatchCase) {
        self.in_block(false, |this| visitor::walk_match_case(this, case));
    }

    fn visit_pattern(&mut self, pattern: &'a ruff_python_ast::Pattern) {
        use ruff_python_ast::Pattern;
        let name = match pattern {
            Pattern::MatchAs(node) => node.name.as_ref(),
            Pattern::MatchStar(node) => node.name.as_ref(),
            Pattern::MatchMapping(node) => node.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(name, Value::Unseen, pattern.end().to_u32());
        }
        self.deeper(span(pattern), |this| visitor::walk_pattern(this, pattern));
    }
}

impl<'a> Collector<'a> {
    fn deeper(&mut self, at: Span, walk: impl FnOnce(&mut Self)) {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.found.too_deep.push((at, self.context));
        } else if self.depth > SHALLOW {
            stacker::maybe_grow(64 << 10, 1 << 20, || walk(self));
        } else {
            walk(self);
        }
        self.depth -= 1;
    }

    fn statement(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(node) => self.function(node),
            Stmt::ClassDef(node) => self.class(node),
            Stmt::Import(node) => self.import(node),
            Stmt::ImportFrom(node) => self.import_from(node),
            Stmt::For(node) => self.for_loop(node),
            Stmt::While(node) => {
                self.visit_expr(&node.test);
                self.looped(|this| this.visit_body(&node.body));
                self.in_block(false, |this| this.visit_body(&node.orelse));
            }
            Stmt::If(node) => {
                self.visit_expr(&node.test);
                self.in_block(false, |this| this.visit_body(&node.body));
                for clause in &node.elif_else_clauses {
                    self.in_block(false, |this| visitor::walk_elif_else_clause(this, clause));
                }
            }
            Stmt::Try(node) => {
                self.in_block(false, |this| this.visit_body(&node.body));
                for handler in &node.handlers {
                    self.visit_except_handler(handler);
                }
                self.in_block(false, |this| this.visit_body(&node.orelse));
                self.visit_body(&node.finalbody);
            }
            Stmt::With(node) => self.with(node),
            Stmt::Assert(node) => {
                self.found.asserts.push((node, self.context));
                visitor::walk_stmt(self, stmt);
            }
            Stmt::Assign(node) => {
                visitor::walk_stmt(self, stmt);
                for target in &node.targets {
                    self.assign(target, Some(&node.value), node.end().to_u32());
                }
            }
            Stmt::AnnAssign(node) => {
                visitor::walk_stmt(self, stmt);
                if let Some(value) = &node.value {
                    self.assign(&node.target, Some(value), node.end().to_u32());
                }
            }
            Stmt::AugAssign(node) => {
                visitor::walk_stmt(self, stmt);
                self.assign(&node.target, None, node.end().to_u32());
            }
            Stmt::TypeAlias(node) => {
                visitor::walk_stmt(self, stmt);
                self.assign(&node.name, Some(&node.value), node.end().to_u32());
            }
            Stmt::Global(node) => self.not_local(&node.names, node.end().to_u32()),
            Stmt::Nonlocal(node) => self.not_local(&node.names, node.end().to_u32()),
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn expression(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Call(call) => {
                let name = last_name(&call.func);
                if (self.interest.in_call)(call) || name.is_some_and(|name| self.aliases.contains(name)) {
                    self.found.calls.push((call, self.context));
                }
                visitor::walk_expr(self, expr);
            }
            Expr::Named(node) => {
                visitor::walk_expr(self, expr);
                self.assign(&node.target, Some(&node.value), node.end().to_u32());
            }
            Expr::Lambda(node) => self.scoped(ScopeKind::Function, |this| {
                if let Some(parameters) = &node.parameters {
                    this.parameters(parameters);
                }
                this.visit_expr(&node.body);
            }),
            Expr::ListComp(node) => self.comprehension(&node.generators, span(node), |this| this.visit_expr(&node.elt)),
            Expr::SetComp(node) => self.comprehension(&node.generators, span(node), |this| this.visit_expr(&node.elt)),
            Expr::Generator(node) => {
                self.comprehension(&node.generators, span(node), |this| this.visit_expr(&node.elt))
            }
            Expr::DictComp(_) => self.scoped(ScopeKind::Comprehension, |this| visitor::walk_expr(this, expr)),
            _ => visitor::walk_expr(self, expr),
        }
    }

    fn function(&mut self, node: &'a StmtFunctionDef) {
        for decorator in &node.decorator_list {
            self.visit_decorator(decorator);
        }
        for parameter in node.parameters.iter_non_variadic_params() {
            if let Some(default) = &parameter.default {
                self.visit_expr(default);
            }
        }
        let index = self.found.functions.len();
        let context = self.context;
        self.found.functions.push(Function {
            node,
            scope: context.scope,
            path: self.path.clone(),
            is_nested: context.function.is_some(),
            class: self.class.filter(|_| self.found.scopes.kind(context.scope) == ScopeKind::Class),
        });
        self.bind(&node.name, Value::Function(index), node.end().to_u32());
        self.path.extend([node.name.as_str(), "<locals>"]);
        let is_method = self.found.scopes.kind(context.scope) == ScopeKind::Class;
        self.scoped(ScopeKind::Function, |this| {
            this.context.function = context.function.or(Some(index));
            this.context.inner_function = Some(index);
            this.context.in_loop &= context.function.is_some();
            this.context.expects_failure &= context.function.is_some();
            if is_method && let Some(first) = node.parameters.iter_non_variadic_params().next() {
                this.found.scopes.set_receiver(this.context.scope, first.name().as_str());
            }
            this.found.scopes.set_decorators(this.context.scope, &node.decorator_list);
            this.parameters(&node.parameters);
            this.visit_body(&node.body);
        });
        self.path.truncate(self.path.len() - 2);
    }

    fn class(&mut self, node: &'a StmtClassDef) {
        for decorator in &node.decorator_list {
            self.visit_decorator(decorator);
        }
        if let Some(arguments) = &node.arguments {
            self.visit_arguments(arguments);
        }
        let (outer_class, context, index) = (self.class, self.context, self.found.classes.len());
        let path = self.path.clone();
        self.path.push(&node.name);
        self.scoped(ScopeKind::Class, |this| {
            let body_scope = this.context.scope;
            let bases = node.arguments.as_ref().map_or(&[][..], |arguments| &arguments.args);
            this.found.scopes.set_bases(body_scope, bases);
            let binding = Binding { value: Value::Class(body_scope), at: node.end().to_u32(), block: context.block };
            this.found.scopes.bind(context.scope, &node.name, binding);
            let is_in_function = context.function.is_some();
            let outer = outer_class;
            this.found.classes.push(Class { node, scope: context.scope, body_scope, path, is_in_function, outer });
            this.class = Some(index);
            this.visit_body(&node.body);
        });
        self.class = outer_class;
        self.path.pop();
    }

    /// Parameters are bound in the scope that is open.
    fn parameters(&mut self, parameters: &'a Parameters) {
        let at = parameters.end().to_u32();
        for parameter in parameters.iter_non_variadic_params() {
            self.bind(parameter.name(), Value::Parameter(parameter.default()), at);
        }
        for parameter in [&parameters.vararg, &parameters.kwarg].into_iter().flatten() {
            self.bind(&parameter.name, Value::Unseen, at);
        }
    }

    fn import(&mut self, node: &'a StmtImport) {
        for alias in &node.names {
            let full = alias.name.as_str();
            let (name, module) = match &alias.asname {
                Some(name) => (name.as_str(), full),
                // `import a.b` binds `a`.
                None => {
                    let root = full.split('.').next().unwrap_or(full);
                    (root, root)
                }
            };
            self.bind(name, Value::Import { module, member: None, is_relative: false }, node.end().to_u32());
        }
    }

    fn import_from(&mut self, node: &'a StmtImportFrom) {
        let module = node.module.as_ref().map_or("", Identifier::as_str);
        for alias in &node.names {
            let member = alias.name.as_str();
            if member == "*" {
                self.found.scopes.import_star(module);
                continue;
            }
            let name = alias.asname.as_ref().unwrap_or(&alias.name);
            if alias.asname.is_some() && (self.interest.in_name)(member) {
                self.aliases.insert(name.as_str());
            }
            let value = Value::Import { module, member: Some(member), is_relative: node.level > 0 };
            self.bind(name.as_str(), value, node.end().to_u32());
        }
    }

    fn for_loop(&mut self, node: &'a StmtFor) {
        self.visit_expr(&node.iter);
        self.looped(|this| {
            let at = node.iter.end().to_u32();
            match &*node.target {
                Expr::Name(name) => this.bind(&name.id, Value::Each(&node.iter), at),
                target => this.assign(target, None, at),
            }
            this.visit_body(&node.body);
        });
        self.in_block(false, |this| this.visit_body(&node.orelse));
    }

    fn with(&mut self, node: &'a StmtWith) {
        let outer = self.context.expects_failure;
        for item in &node.items {
            self.visit_expr(&item.context_expr);
            self.context.expects_failure |= raises_assertion_error(&item.context_expr);
            if let Some(target) = &item.optional_vars {
                self.assign(target, None, item.end().to_u32());
            }
        }
        self.visit_body(&node.body);
        self.context.expects_failure = outer;
    }

    fn comprehension(&mut self, generators: &'a [Comprehension], at: Span, element: impl FnOnce(&mut Self)) {
        self.scoped(ScopeKind::Comprehension, |this| {
            this.found.comprehensions.insert(at, (this.context.scope, this.context.block));
            let was_in_loop = std::mem::replace(&mut this.context.in_loop, true);
            for generator in generators {
                this.visit_expr(&generator.iter);
                let at = generator.iter.end().to_u32();
                match &generator.target {
                    Expr::Name(name) => this.bind(&name.id, Value::Each(&generator.iter), at),
                    target => this.assign(target, None, at),
                }
                for condition in &generator.ifs {
                    this.visit_expr(condition);
                }
            }
            element(this);
            this.context.in_loop = was_in_loop;
        });
    }

    /// `global` and `nonlocal`: the value is somebody else's to change.
    fn not_local(&mut self, names: &'a [Identifier], at: u32) {
        for name in names {
            let binding = Binding { value: Value::Unseen, at, block: self.context.block };
            self.found.scopes.bind(self.context.scope, name.as_str(), binding);
            self.found.scopes.bind(MODULE, name.as_str(), binding);
        }
    }

    fn assign(&mut self, target: &'a Expr, value: Option<&'a Expr>, at: u32) {
        let seen = value.map_or(Value::Unseen, Value::Assigned);
        match target {
            Expr::Name(name) => {
                if value.and_then(last_name).is_some_and(self.interest.in_name) {
                    self.aliases.insert(&name.id);
                }
                self.bind(&name.id, seen, at);
            }
            Expr::Attribute(attribute) => self.assign_attribute(&attribute.value, &attribute.attr, seen, at),
            Expr::Starred(starred) => self.assign(&starred.value, None, at),
            Expr::Tuple(tuple) => self.assign_all(&tuple.elts, value, at),
            Expr::List(list) => self.assign_all(&list.elts, value, at),
            _ => {}
        }
    }

    /// `a, b = 1, 2` binds each name to its part.
    fn assign_all(&mut self, targets: &'a [Expr], value: Option<&'a Expr>, at: u32) {
        let parts = match value {
            Some(Expr::Tuple(tuple)) if tuple.elts.len() == targets.len() => Some(&tuple.elts),
            _ => None,
        };
        let is_plain = |expr: &Expr| !matches!(expr, Expr::Starred(_));
        let parts = parts.filter(|parts| targets.iter().chain(parts.iter()).all(is_plain));
        for (index, target) in targets.iter().enumerate() {
            self.assign(target, parts.map(|parts| &parts[index]), at);
        }
    }

    fn assign_attribute(&mut self, owner: &'a Expr, name: &'a str, value: Value<'a>, at: u32) {
        let Expr::Name(owner) = owner else { return };
        let binding = Binding { value, at, block: self.context.block };
        let scopes = &mut self.found.scopes;
        let class = match scopes.class_named(&owner.id, self.context.scope) {
            Some(class) => Some(class),
            None if matches!(owner.id.as_str(), "self" | "cls") => scopes.enclosing_class(self.context.scope),
            None => None,
        };
        if let Some(class) = class {
            scopes.bind_attribute(class, name, binding);
        }
    }

    fn bind(&mut self, name: &'a str, value: Value<'a>, at: u32) {
        let binding = Binding { value, at, block: self.context.block };
        self.found.scopes.bind(self.context.scope, name, binding);
    }

    fn scoped(&mut self, kind: ScopeKind, walk: impl FnOnce(&mut Self)) {
        let outer = self.context;
        self.context.scope = self.found.scopes.open(Some(outer.scope), kind);
        // A comprehension runs where it stands; a function runs when it is called.
        let block = (kind == ScopeKind::Comprehension).then_some(outer.block);
        self.context.block = self.found.scopes.open_block(block, false);
        walk(self);
        self.context.scope = outer.scope;
        self.context.block = outer.block;
        self.context.function = outer.function;
        self.context.inner_function = outer.inner_function;
        self.context.in_loop = outer.in_loop;
        self.context.expects_failure = outer.expects_failure;
    }

    fn looped(&mut self, walk: impl FnOnce(&mut Self)) {
        let was_in_loop = std::mem::replace(&mut self.context.in_loop, true);
        self.in_block(true, walk);
        self.context.in_loop = was_in_loop;
    }

    fn in_block(&mut self, is_loop: bool, walk: impl FnOnce(&mut Self)) {
        let outer = self.context.block;
        self.context.block = self.found.scopes.open_block(Some(outer), is_loop);
        walk(self);
        self.context.block = outer;
    }
}

/// `pytest.raises(AssertionError)` and unittest's and numpy's words for it.
fn raises_assertion_error(manager: &Expr) -> bool {
    let Expr::Call(call) = manager else { return false };
    let is_raises = matches!(
        last_name(&call.func),
        Some("raises" | "assertRaises" | "assertRaisesRegex" | "assert_raises" | "assert_raises_regex")
    );
    is_raises && call.arguments.args.first().is_some_and(|error| last_name(error) == Some("AssertionError"))
}
