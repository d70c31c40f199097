//! Names of a file: which scope binds them, to what, and what a dotted expression is called in full.
//!
//! The collector fills the tables while it walks the tree; nothing is looked up before the walk is over, because a test may
//! use a constant that stands below it.

use std::collections::HashMap;

use ruff_python_ast::{Decorator, Expr, ExprCall};

use crate::parametrise;
use crate::syntax::last_name;

/// Index of a scope in [`Scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScopeId(u32);

impl ScopeId {
    pub(crate) fn index(self) -> u32 {
        self.0
    }
}

/// Index of a block: a run of statements that are executed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockId(u32);

/// The module's own scope and block.
pub(crate) const MODULE: ScopeId = ScopeId(0);
pub(crate) const MODULE_BLOCK: BlockId = BlockId(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Module,
    Class,
    Function,
    Comprehension,
}

/// What one statement binds a name to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BindingValue<'a> {
    /// `import a.b as name` and its relatives: the part before and the part behind the last dot.
    Import { module: &'a str, member: Option<&'a str>, is_relative: bool },
    /// `name = expression`.
    Assigned(&'a Expr),
    /// `for name in expression`.
    Each(&'a Expr),
    /// A parameter, with its default.
    Parameter(Option<&'a Expr>),
    /// A function, by its index among the functions of the file.
    Function(usize),
    /// A class, by its scope.
    Class(ScopeId),
    /// Anything whose value cannot be seen.
    Unseen,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<'a> {
    pub(crate) value: BindingValue<'a>,
    /// End of the statement that binds: its own right-hand side still sees the earlier value.
    pub(crate) at: u32,
    pub(crate) block: BlockId,
}

struct Scope<'a> {
    parent: Option<ScopeId>,
    kind: ScopeKind,
    names: HashMap<&'a str, Vec<Binding<'a>>>,
    /// `self.name = ...` in methods; only for classes.
    attributes: HashMap<&'a str, Vec<Binding<'a>>>,
    /// The base classes; only for classes.
    bases: &'a [Expr],
    /// Decorators; only for functions.
    decorators: &'a [Decorator],
    /// First parameter of a method: what `self` is called.
    receiver: Option<&'a str>,
}

struct ScopeBlock {
    parent: Option<BlockId>,
    is_loop: bool,
}

/// All scopes and blocks of a file.
pub(crate) struct Scopes<'a> {
    scopes: Vec<Scope<'a>>,
    blocks: Vec<ScopeBlock>,
    stars: Vec<&'a str>,
}

/// How often an alias of an alias is followed, and a base class of a base class.
const MAX_HOPS: u8 = 6;

impl<'a> Scopes<'a> {
    pub(crate) fn new() -> Self {
        let mut scopes = Self { scopes: Vec::new(), blocks: Vec::new(), stars: Vec::new() };
        scopes.open(None, ScopeKind::Module);
        scopes.open_block(None, false);
        scopes
    }

    pub(crate) fn open(&mut self, parent: Option<ScopeId>, kind: ScopeKind) -> ScopeId {
        let id = ScopeId(crate::span::offset(self.scopes.len()));
        let (names, attributes) = (HashMap::new(), HashMap::new());
        self.scopes.push(Scope { parent, kind, names, attributes, bases: &[], decorators: &[], receiver: None });
        id
    }

    pub(crate) fn open_block(&mut self, parent: Option<BlockId>, is_loop: bool) -> BlockId {
        let id = BlockId(crate::span::offset(self.blocks.len()));
        self.blocks.push(ScopeBlock { parent, is_loop });
        id
    }

    pub(crate) fn set_bases(&mut self, class: ScopeId, bases: &'a [Expr]) {
        self.scopes[class.0 as usize].bases = bases;
    }

    pub(crate) fn set_decorators(&mut self, function: ScopeId, decorators: &'a [Decorator]) {
        self.scopes[function.0 as usize].decorators = decorators;
    }

    /// The values that `pytest.mark.parametrize` gives a parameter of a function.
    pub(crate) fn parameter_sets(&self, function: ScopeId, name: &str) -> Option<Vec<&'a Expr>> {
        self.scopes[function.0 as usize].decorators.iter().find_map(|decorator| parametrise::values(decorator, name))
    }

    pub(crate) fn set_receiver(&mut self, method: ScopeId, name: &'a str) {
        self.scopes[method.0 as usize].receiver = Some(name);
    }

    pub(crate) fn bind(&mut self, scope: ScopeId, name: &'a str, binding: Binding<'a>) {
        self.scopes[scope.0 as usize].names.entry(name).or_default().push(binding);
    }

    pub(crate) fn bind_attribute(&mut self, class: ScopeId, name: &'a str, binding: Binding<'a>) {
        self.scopes[class.0 as usize].attributes.entry(name).or_default().push(binding);
    }

    pub(crate) fn import_star(&mut self, module: &'a str) {
        self.stars.push(module);
    }

    pub(crate) fn kind(&self, scope: ScopeId) -> ScopeKind {
        self.scopes[scope.0 as usize].kind
    }

    pub(crate) fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.scopes[scope.0 as usize].parent
    }

    pub(crate) fn bases(&self, class: ScopeId) -> &'a [Expr] {
        self.scopes[class.0 as usize].bases
    }

    /// The innermost class around a scope, through functions nested in its methods.
    pub(crate) fn enclosing_class(&self, scope: ScopeId) -> Option<ScopeId> {
        self.ancestors(scope).find(|&id| self.kind(id) == ScopeKind::Class)
    }

    fn ancestors(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(scope), |&id| self.parent(id))
    }

    /// The scope that binds `name` as seen from `scope`, with all its bindings there.
    pub(crate) fn lookup(&self, name: &str, scope: ScopeId) -> Option<(ScopeId, &[Binding<'a>])> {
        self.ancestors(scope)
            // Python's rule: a class body is seen by itself alone, not by the functions in it.
            .filter(|&id| id == scope || self.kind(id) != ScopeKind::Class)
            .find_map(|id| self.scopes[id.0 as usize].names.get(name).map(|found| (id, found.as_slice())))
    }

    /// Bindings of `self.name`, `cls.name` or `Class.name`: class body, methods' assignments, then base classes in the file.
    pub(crate) fn lookup_attribute(
        &self,
        owner: &Expr,
        name: &str,
        scope: ScopeId,
    ) -> Option<(ScopeId, Vec<Binding<'a>>)> {
        let Expr::Name(owner) = owner else { return None };
        let class = if self.is_receiver(&owner.id, scope) {
            self.enclosing_class(scope)?
        } else {
            self.class_named(&owner.id, scope)?
        };
        self.class_attribute(class, name, MAX_HOPS)
    }

    fn class_attribute(&self, class: ScopeId, name: &str, hops: u8) -> Option<(ScopeId, Vec<Binding<'a>>)> {
        let scope = &self.scopes[class.0 as usize];
        let own = [scope.names.get(name), scope.attributes.get(name)];
        let own: Vec<_> = own.into_iter().flatten().flatten().copied().collect();
        if !own.is_empty() {
            return Some((class, own));
        }
        let hops = hops.checked_sub(1)?;
        scope.bases.iter().find_map(|base| {
            let Expr::Name(base) = base else { return None };
            self.class_attribute(self.class_named(&base.id, class)?, name, hops)
        })
    }

    pub(crate) fn class_named(&self, name: &str, scope: ScopeId) -> Option<ScopeId> {
        let (_, bindings) = self.lookup(name, scope)?;
        match bindings {
            [Binding { value: BindingValue::Class(class), .. }] => Some(*class),
            _ => None,
        }
    }

    fn is_receiver(&self, name: &str, scope: ScopeId) -> bool {
        self.ancestors(scope)
            .map(|id| self.scopes[id.0 as usize].receiver)
            .find_map(|receiver| receiver.map(|receiver| receiver == name))
            .unwrap_or(false)
    }

    /// Bindings whose value `use_at` in `block` may see. Bindings of another scope than the user's all may.
    pub(crate) fn reaching(&self, all: &[Binding<'a>], block: BlockId, use_at: u32) -> Vec<Binding<'a>> {
        let before = all.partition_point(|binding| binding.at < use_at);
        let surely = all[..before].iter().rposition(|binding| self.encloses(binding.block, block));
        let from = surely.unwrap_or(0);
        let mut seen: Vec<_> = all[from..before].to_vec();
        // A later assignment comes round again if a loop holds both it and the use, but not the one that is sure.
        seen.extend(all[before..].iter().filter(|later| {
            let Some(shared) = self.innermost_shared_loop(later.block, block) else { return false };
            surely.is_none_or(|index| !self.encloses(shared, all[index].block))
        }));
        seen
    }

    fn encloses(&self, outer: BlockId, inner: BlockId) -> bool {
        self.block_chain(inner).any(|id| id == outer)
    }

    fn innermost_shared_loop(&self, a: BlockId, b: BlockId) -> Option<BlockId> {
        self.block_chain(a).find(|&id| self.blocks[id.0 as usize].is_loop && self.encloses(id, b))
    }

    fn block_chain(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        std::iter::successors(Some(block), |id| self.blocks[id.0 as usize].parent)
    }

    /// The full dotted name of a name or attribute chain, through import and assignment aliases: `npt.assert_allclose`
    /// becomes `numpy.testing.assert_allclose`. Nothing if its root is not an imported name.
    pub(crate) fn qualified(&self, expr: &Expr, scope: ScopeId) -> Option<String> {
        self.qualified_within(expr, scope, MAX_HOPS, u32::MAX)
    }

    /// Only bindings made before `before` count: an alias keeps what its name meant when it was made.
    fn qualified_within(&self, expr: &Expr, scope: ScopeId, hops: u8, before: u32) -> Option<String> {
        let hops = hops.checked_sub(1)?;
        let mut attributes = Vec::new();
        let mut root = expr;
        while let Expr::Attribute(attribute) = root {
            attributes.push(attribute.attr.as_str());
            root = &attribute.value;
        }
        let mut name = match root {
            Expr::Name(name) => self.root_name(&name.id, scope, hops, before)?,
            // `importlib.import_module("numpy").random`.
            Expr::Call(call) => self.imported_by_call(call, scope, hops)?,
            _ => return None,
        };
        for attribute in attributes.iter().rev() {
            name.push('.');
            name.push_str(attribute);
        }
        Some(name)
    }

    fn root_name(&self, name: &str, scope: ScopeId, hops: u8, before: u32) -> Option<String> {
        let Some((found_in, bindings)) = self.lookup(name, scope) else {
            return self.unbound(name);
        };
        // The last binding counts, but `try: import x / except ImportError: x = None` still stands for the import.
        let is_definition =
            |binding: &&Binding<'a>| matches!(binding.value, BindingValue::Function(_) | BindingValue::Class(_));
        let earlier = bindings.iter().filter(|binding| binding.at <= before).rev();
        let mut latest = earlier.take_while(|binding| !is_definition(binding));
        latest.find_map(|binding| match binding.value {
            BindingValue::Import { module, member, is_relative } => {
                let mut full = if is_relative { String::from(".") } else { String::new() };
                full.push_str(module);
                if let Some(member) = member {
                    if !module.is_empty() {
                        full.push('.');
                    }
                    full.push_str(member);
                }
                Some(full)
            }
            BindingValue::Assigned(Expr::Call(call)) => self.imported_by_call(call, found_in, hops),
            BindingValue::Assigned(value @ (Expr::Attribute(_) | Expr::Name(_))) => {
                self.qualified_within(value, found_in, hops, binding.at.saturating_sub(1))
            }
            _ => None,
        })
    }

    /// `pytest.importorskip("numpy")` and `importlib.import_module("numpy")` stand for the module they name.
    fn imported_by_call(&self, call: &ExprCall, scope: ScopeId, hops: u8) -> Option<String> {
        let Some(Expr::StringLiteral(module)) = call.arguments.args.first() else { return None };
        let last = last_name(&call.func)?;
        if !matches!(last, "importorskip" | "import_module" | "import_optional_dependency") {
            return None;
        }
        let callee = self.qualified_within(&call.func, scope, hops, u32::MAX)?;
        callee.ends_with(last).then(|| module.value.to_str().to_owned())
    }

    /// A name that nothing in the file binds: from a star import, or one of the few aliases that everybody uses.
    fn unbound(&self, name: &str) -> Option<String> {
        if self.stars.is_empty() {
            return builtin(name).then(|| format!("builtins.{name}"));
        }
        let usual = match name {
            "np" => "numpy",
            "npt" => "numpy.testing",
            "pytest" | "math" | "random" | "torch" | "unittest" | "numpy" => name,
            "tf" => "tensorflow",
            "jnp" => "jax.numpy",
            _ if builtin(name) => return Some(format!("builtins.{name}")),
            _ => return self.stars.last().map(|module| format!("{module}.{name}")),
        };
        Some(usual.to_owned())
    }

    /// The function of this file that a plain name or `self.name` calls.
    pub(crate) fn local_function(&self, callee: &Expr, scope: ScopeId) -> Option<usize> {
        let function = |bindings: &[Binding<'a>]| match bindings.last().map(|binding| binding.value) {
            Some(BindingValue::Function(index)) => Some(index),
            _ => None,
        };
        match callee {
            Expr::Name(name) => function(self.lookup(&name.id, scope)?.1),
            Expr::Attribute(attribute) => function(&self.lookup_attribute(&attribute.value, &attribute.attr, scope)?.1),
            _ => None,
        }
    }
}

fn builtin(name: &str) -> bool {
    matches!(
        name,
        "abs"
            | "all"
            | "any"
            | "bool"
            | "float"
            | "int"
            | "len"
            | "max"
            | "min"
            | "round"
            | "sum"
            | "set"
            | "sorted"
            | "isinstance"
    )
}
