//! Numbers that can be seen without running anything, and where they are written.
//!
//! A number is followed through names (of the function, the class, the module), signs and arithmetic, so that `2 * tol`
//! knows its value and that editing the line `tol = 1e-3` moves it by twice as much.

use ruff_python_ast::{Expr, ExprCall, Number, Operator, UnaryOp};
use ruff_text_size::Ranged;

use crate::collect::Context;
use crate::scope::{Binding, ScopeId, ScopeKind, Scopes, Value, last_name};
use crate::sites::site::{Bound, Origin, Place, Role};
use crate::span::Span;
use crate::syntax::span;

/// What is known about an expression's value.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// One number.
    Number(Constant),
    /// One of several numbers, depending on the way the program took.
    Varied { origin: Origin, places: Vec<Place> },
    /// A parameter of the enclosing function, with the place of its default if that is a number.
    Parameter { default: Option<Place> },
    /// A literal that is no number: a string, a set, `None`.
    NotANumber,
    /// A list or tuple: no number, but an array where elements are compared.
    Sequence,
    /// Only a run can tell.
    Unknown,
}

/// A number with the named places it depends on.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) value: f64,
    origin: Origin,
    places: Vec<Place>,
}

/// How deep arithmetic and names are followed. Bounds are short; a cycle of names ends here.
const MAX_DEPTH: u8 = 12;

/// Reads constants in one place of a file.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'s, 'a> {
    pub(crate) scopes: &'s Scopes<'a>,
    pub(crate) context: Context,
}

impl<'a> Reader<'_, 'a> {
    pub(crate) fn read(self, expr: &Expr) -> Known {
        match expr {
            Expr::Name(_) | Expr::Attribute(_) => self.read_name(expr),
            _ if is_not_a_number(expr) => Known::NotANumber,
            _ if is_sequence(expr) => Known::Sequence,
            _ => self.number(expr, MAX_DEPTH).map_or(Known::Unknown, Known::Number),
        }
    }

    /// The value, if it is one number.
    pub(crate) fn value(self, expr: &Expr) -> Option<f64> {
        self.number(expr, MAX_DEPTH).map(|constant| constant.value)
    }

    /// The expression that a name was assigned, if exactly one assignment reaches it.
    pub(crate) fn assigned(self, name: &Expr) -> Option<&'a Expr> {
        let (_, _, bindings) = self.bindings(name)?;
        match bindings[..] {
            [Binding { value: Value::Assigned(value), .. }] => Some(value),
            _ => None,
        }
    }

    fn read_name(self, expr: &Expr) -> Known {
        if let Some(constant) = self.number(expr, MAX_DEPTH) {
            return Known::Number(constant);
        }
        let Some((origin, found_in, bindings)) = self.bindings(expr) else { return Known::Unknown };
        match bindings.as_slice() {
            [Binding { value: Value::Parameter(default), .. }] => {
                if let Some(values) = self.scopes.parameter_sets(found_in, last_name(expr).unwrap_or_default()) {
                    return self.varied(expr, Origin::Parameter, values);
                }
                let place = default.and_then(|default| self.place(expr, default));
                Known::Parameter { default: place }
            }
            [Binding { value: Value::Each(Expr::Tuple(tuple)), .. }] => self.varied(expr, origin, &tuple.elts),
            [Binding { value: Value::Each(Expr::List(list)), .. }] => self.varied(expr, origin, &list.elts),
            [Binding { value: Value::Assigned(value), .. }] if is_not_a_number(value) => Known::NotANumber,
            [Binding { value: Value::Assigned(value), .. }] if is_sequence(value) => Known::Sequence,
            [_, _, ..] => {
                let values = bindings.iter().map(|binding| match binding.value {
                    Value::Assigned(value) => Some(value),
                    Value::Parameter(default) => default,
                    _ => None,
                });
                values.collect::<Option<Vec<_>>>().map_or(Known::Unknown, |values| self.varied(expr, origin, values))
            }
            _ => Known::Unknown,
        }
    }

    fn varied<'e>(self, name: &Expr, origin: Origin, values: impl IntoIterator<Item = &'e Expr>) -> Known {
        let places: Option<Vec<_>> = values.into_iter().map(|value| self.place(name, value)).collect();
        match places {
            Some(places) if !places.is_empty() => Known::Varied { origin, places },
            _ => Known::Unknown,
        }
    }

    fn place(self, name: &Expr, value: &Expr) -> Option<Place> {
        let constant = self.number(value, MAX_DEPTH)?;
        Some(named_place(name, span(value), constant.value))
    }

    fn number(self, expr: &Expr, depth: u8) -> Option<Constant> {
        let depth = depth.checked_sub(1)?;
        match expr {
            Expr::NumberLiteral(literal) => literal_value(&literal.value).map(Constant::here),
            Expr::UnaryOp(node) => {
                let operand = self.number(&node.operand, depth)?;
                match node.op {
                    UnaryOp::USub => Some(operand.scaled(-1.0)),
                    UnaryOp::UAdd => Some(operand),
                    UnaryOp::Not | UnaryOp::Invert => None,
                }
            }
            Expr::BinOp(node) => {
                let (left, right) = (self.number(&node.left, depth)?, self.number(&node.right, depth)?);
                left.combined(node.op, right)
            }
            Expr::Call(call) => self.library_call(call, depth),
            Expr::Name(_) | Expr::Attribute(_) => {
                self.named(expr, depth).or_else(|| self.library_constant(expr).map(Constant::here))
            }
            _ => None,
        }
    }

    /// A name that exactly one assignment reaches.
    fn named(self, expr: &Expr, depth: u8) -> Option<Constant> {
        let (origin, scope, bindings) = self.bindings(expr)?;
        let [Binding { value: Value::Assigned(value), at, block }] = bindings[..] else { return None };
        let context = Context { scope, block, ..self.context };
        let there = Reader { context, ..self };
        // The right-hand side is read where it stands, before its own binding.
        debug_assert!(value.end().to_u32() <= at);
        let constant = there.number(value, depth)?;
        if constant.places.is_empty() {
            let place = named_place(expr, span(value), constant.value);
            return Some(Constant { value: constant.value, origin, places: vec![place] });
        }
        Some(constant)
    }

    fn bindings(self, expr: &Expr) -> Option<(Origin, ScopeId, Vec<Binding<'a>>)> {
        let Context { scope, block, .. } = self.context;
        let (found_in, bindings) = match expr {
            Expr::Name(name) => {
                let (found_in, all) = self.scopes.lookup(&name.id, scope)?;
                if self.runs_with(scope, found_in) {
                    let reaching = self.scopes.reaching(all, block, expr.start().to_u32());
                    (found_in, if reaching.is_empty() { all.to_vec() } else { reaching })
                } else {
                    (found_in, all.to_vec())
                }
            }
            Expr::Attribute(attribute) => self.scopes.lookup_attribute(&attribute.value, &attribute.attr, scope)?,
            _ => return None,
        };
        let origin = match self.scopes.kind(found_in) {
            ScopeKind::Module => Origin::Module,
            ScopeKind::Class => Origin::Class,
            ScopeKind::Function | ScopeKind::Comprehension => Origin::Local,
        };
        Some((origin, found_in, bindings))
    }

    /// Whether code of `scope` runs in the order of the statements of `outer`: it is the same, or a comprehension in it.
    fn runs_with(self, scope: ScopeId, outer: ScopeId) -> bool {
        let mut current = scope;
        while current != outer {
            if self.scopes.kind(current) != ScopeKind::Comprehension {
                return false;
            }
            match self.scopes.parent(current) {
                Some(parent) => current = parent,
                None => return false,
            }
        }
        true
    }

    fn library_constant(self, expr: &Expr) -> Option<f64> {
        if let Expr::Attribute(attribute) = expr
            && let Expr::Call(call) = &*attribute.value
        {
            return self.float_info(call, &attribute.attr);
        }
        match self.scopes.qualified(expr, self.context.scope)?.as_str() {
            "math.pi" | "numpy.pi" | "torch.pi" | "jax.numpy.pi" => Some(std::f64::consts::PI),
            "math.e" | "numpy.e" | "torch.e" | "jax.numpy.e" => Some(std::f64::consts::E),
            "math.tau" => Some(std::f64::consts::TAU),
            "math.inf" | "numpy.inf" | "numpy.Inf" | "torch.inf" | "jax.numpy.inf" => Some(f64::INFINITY),
            "sys.float_info.epsilon" => Some(f64::EPSILON),
            "sys.float_info.max" => Some(f64::MAX),
            _ => None,
        }
    }

    /// `np.finfo(np.float64).eps` and its relatives.
    fn float_info(self, call: &ExprCall, attribute: &str) -> Option<f64> {
        let scope = self.context.scope;
        let callee = self.scopes.qualified(&call.func, scope)?;
        if !matches!(callee.as_str(), "numpy.finfo" | "torch.finfo" | "jax.numpy.finfo") {
            return None;
        }
        let [kind] = &*call.arguments.args else { return None };
        let kind = match kind {
            Expr::StringLiteral(literal) => literal.value.to_str().to_owned(),
            _ => self.scopes.qualified(kind, scope)?,
        };
        let is_double = matches!(kind.rsplit('.').next()?, "float" | "float64" | "double" | "d" | "f8" | "float_");
        let is_single = matches!(kind.rsplit('.').next()?, "float32" | "single" | "f4" | "f");
        match attribute {
            "eps" if is_double => Some(f64::EPSILON),
            "eps" if is_single => Some(f64::from(f32::EPSILON)),
            "tiny" | "smallest_normal" if is_double => Some(f64::MIN_POSITIVE),
            "max" if is_double => Some(f64::MAX),
            _ => None,
        }
    }

    /// Conversions and roots of constants.
    fn library_call(self, call: &ExprCall, depth: u8) -> Option<Constant> {
        let [argument] = &*call.arguments.args else { return None };
        if !call.arguments.keywords.is_empty() {
            return None;
        }
        let callee = self.scopes.qualified(&call.func, self.context.scope)?;
        if callee == "builtins.float"
            && let Expr::StringLiteral(text) = argument
        {
            return text.value.to_str().trim().parse().ok().map(Constant::here);
        }
        let function = match callee.as_str() {
            "builtins.float" | "numpy.float64" | "numpy.double" => return self.number(argument, depth),
            #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what the call does")]
            "numpy.float32" | "numpy.single" => |x: f64| f64::from(x as f32),
            "builtins.int" => f64::trunc,
            "math.sqrt" | "numpy.sqrt" => f64::sqrt,
            "math.log" | "numpy.log" => f64::ln,
            "math.exp" | "numpy.exp" => f64::exp,
            "math.log10" | "numpy.log10" => f64::log10,
            "math.log2" | "numpy.log2" => f64::log2,
            "numpy.deg2rad" | "math.radians" => f64::to_radians,
            "builtins.abs" => f64::abs,
            _ => return None,
        };
        let value = function(self.number(argument, depth)?.value);
        Some(Constant::here(value))
    }
}

impl Constant {
    fn here(value: f64) -> Self {
        Self { value, origin: Origin::Here, places: Vec::new() }
    }

    fn scaled(mut self, by: f64) -> Self {
        self.value *= by;
        for place in &mut self.places {
            place.scale *= by;
            place.offset *= by;
        }
        self
    }

    fn shifted(mut self, by: f64) -> Self {
        self.value += by;
        for place in &mut self.places {
            place.offset += by;
        }
        self
    }

    /// Arithmetic. A place stays only where the result is a straight line in it.
    fn combined(self, op: Operator, right: Self) -> Option<Self> {
        let (a, b) = (self.value, right.value);
        let both = |left: Self, right: Self| Self {
            value: left.value,
            origin: if left.places.is_empty() { right.origin } else { left.origin },
            places: left.places.into_iter().chain(right.places).collect(),
        };
        Some(match op {
            Operator::Add => both(self.shifted(b), right.shifted(a)),
            Operator::Sub => both(self.shifted(-b), right.scaled(-1.0).shifted(a)),
            Operator::Mult => both(self.scaled(b), right.scaled(a)),
            Operator::Div if right.places.is_empty() && b != 0.0 => {
                let mut quotient = self.scaled(1.0 / b);
                // Dividing and multiplying by the inverse round differently.
                quotient.value = a / b;
                quotient
            }
            Operator::Div if b != 0.0 => Self::here(a / b),
            Operator::Pow => Self::here(a.powf(b)),
            Operator::FloorDiv if b != 0.0 => Self::here((a / b).floor()),
            Operator::Mod if b != 0.0 => Self::here(a - b * (a / b).floor()),
            _ => return None,
        })
    }
}

impl Known {
    /// The bound that `expr`, written in the assertion, gives.
    pub(crate) fn into_bound(self, role: Role, expr: &Expr) -> Bound {
        let at = span(expr);
        let (value, origin, places) = match self {
            Self::Number(constant) if constant.places.is_empty() => {
                let place = Place { span: at, value: constant.value, name: None, scale: 1.0, offset: 0.0 };
                (Some(constant.value), Origin::Here, vec![place])
            }
            Self::Number(constant) => (Some(constant.value), constant.origin, constant.places),
            Self::Varied { origin, places } => (None, origin, places),
            Self::Parameter { default } => (None, Origin::Parameter, default.into_iter().collect()),
            Self::NotANumber | Self::Sequence | Self::Unknown => (None, Origin::RunTime, Vec::new()),
        };
        let (default, insertion, shared_with) = (None, None, Vec::new());
        Bound { role, value, default, origin, expression: Some(at), places, insertion, shared_with }
    }
}

fn named_place(name: &Expr, span: Span, value: f64) -> Place {
    let name = match name {
        Expr::Name(name) => name.id.to_string(),
        Expr::Attribute(attribute) => attribute.attr.to_string(),
        _ => String::new(),
    };
    Place { span, value, name: Some(name), scale: 1.0, offset: 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "a bound is a float; beyond 2^53 its digits do not matter")]
fn literal_value(number: &Number) -> Option<f64> {
    match number {
        Number::Int(int) => int.as_u64().map(|value| value as f64).or_else(|| int.to_string().parse().ok()),
        Number::Float(value) => Some(*value),
        Number::Complex { .. } => None,
    }
}

fn is_not_a_number(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::FString(_)
            | Expr::NoneLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::EllipsisLiteral(_)
            | Expr::Dict(_)
            | Expr::Set(_)
            | Expr::SetComp(_)
            | Expr::DictComp(_)
    )
}

fn is_sequence(expr: &Expr) -> bool {
    matches!(expr, Expr::Tuple(_) | Expr::List(_) | Expr::ListComp(_))
}
