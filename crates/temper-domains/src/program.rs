//! Drawing: from a plan and a source of choices to values, through a builder that knows how values are made. All
//! randomness comes from the choices, so a recorded draw can be replayed, shrunk and moved.

use std::borrow::Cow;
use std::cell::RefCell;

use temper::choices::FloatBounds;
use temper::domain::{draw_nested, draw_stepped, draw_untargeted};
use temper::{Choices, Rejected, Spread};

use crate::function::{Constant, Floats, Path, Term};
use crate::kinds::cells::{Cells, DType};
use crate::node::{Amount, Compiled, Count, Dim, Dims, Filling, Node};
use crate::solve::interval::{FloatRange, Interval, Number};
use crate::solve::linear::{Variable, propagate};
use crate::solve::plan::{Branch, Case, Plan};

/// How deep generators may use generators; a generator that always uses itself is rejected instead of exhausting the
/// stack.
const MAX_DEPTH: usize = 24;
/// The most cells of an array whose shape is drawn; a shape of large sides would otherwise fill the memory.
const MAX_CELLS: usize = 1 << 26;

/// Why a draw gave no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// No value with these choices: a dead end of the solver, or a precondition that does not hold.
    #[error("the choices lead to no value that the annotations allow")]
    Rejected,
    /// The builder failed, and keeps the reason: a generator raised, or memory ran out.
    #[error("a value could not be built")]
    Failed,
}

impl From<Rejected> for BuildError {
    fn from(_: Rejected) -> Self {
        BuildError::Rejected
    }
}

/// Makes values of some kind: Python objects in a worker, Rust values and their source text in reports and tests.
pub trait Builder {
    /// What is made.
    type Value;
    /// A bool.
    fn bool(&mut self, value: bool) -> Self::Value;
    /// A whole number.
    fn int(&mut self, value: i64) -> Self::Value;
    /// A float.
    fn float(&mut self, value: f64) -> Self::Value;
    /// A text.
    fn text(&mut self, value: &str) -> Self::Value;
    /// A list, or a tuple.
    fn sequence(&mut self, items: Vec<Self::Value>, is_tuple: bool) -> Self::Value;
    /// A dictionary; keys differ.
    fn dict(&mut self, items: Vec<(Self::Value, Self::Value)>) -> Self::Value;
    /// A value that the user wrote out.
    fn constant(&mut self, constant: &Constant) -> Self::Value;
    /// An array whose cells `fill` writes, in C order and native byte order.
    ///
    /// # Errors
    /// When the array cannot be made.
    fn array(
        &mut self,
        dtype: DType,
        shape: &[usize],
        lib: Option<&str>,
        fill: &mut dyn FnMut(&mut [u8]) -> Result<(), BuildError>,
    ) -> Result<Self::Value, BuildError>;
    /// A data frame.
    ///
    /// # Errors
    /// When the frame cannot be made.
    fn frame(&mut self, columns: Vec<(&str, Vec<Self::Value>)>) -> Result<Self::Value, BuildError>;
    /// What a generator function of the program returns for these arguments.
    ///
    /// # Errors
    /// When it raises.
    fn call(&mut self, function: usize, arguments: Vec<Self::Value>) -> Result<Self::Value, BuildError>;
    /// What a function of the program makes of choices that it asks for itself. A neighbour function is given the value to
    /// move and the temperature.
    ///
    /// # Errors
    /// When it raises, or its own draws are rejected.
    fn compose(
        &mut self,
        function: usize,
        moved: Option<(Self::Value, f64)>,
        choices: &mut Choices,
    ) -> Result<Self::Value, BuildError>;
    /// Whether the preconditions of a generator hold for its arguments and shape variables.
    ///
    /// # Errors
    /// When that cannot be told.
    fn accepts(&mut self, function: usize, arguments: &[Self::Value]) -> Result<bool, BuildError>;
    /// Whether two keys of a dictionary are the same.
    fn same(&self, left: &Self::Value, right: &Self::Value) -> bool;
}

/// The plans of a function and of the generators that its annotations use; number 0 is the function itself.
#[derive(Clone, Debug)]
pub struct Program {
    /// The plans, numbered as in `objs`.
    pub plans: Vec<Plan>,
}

impl Program {
    /// Draws the arguments of the function, followed by the values of its shape variables.
    ///
    /// # Errors
    /// When the choices lead to no value, or the builder fails.
    pub fn draw<B: Builder>(&self, choices: &mut Choices, builder: &mut B) -> Result<Vec<B::Value>, BuildError> {
        Filler { plans: &self.plans, choices, builder, depth: 0 }.arguments(0)
    }
}

struct Filler<'d, B: Builder> {
    plans: &'d [Plan],
    choices: &'d mut Choices,
    builder: &'d mut B,
    depth: usize,
}

/// The unknowns of one function during one draw.
struct Solved<'p> {
    compiled: &'p Compiled,
    case: &'p Case,
    numbers: Vec<Number>,
}

impl<B: Builder> Filler<'_, B> {
    fn arguments(&mut self, function: usize) -> Result<Vec<B::Value>, BuildError> {
        let plan = self.plans.get(function).ok_or(BuildError::Failed)?;
        // Never taken by chance: the run asks for it once, as an edge case.
        let with_defaults = plan.defaults.iter().any(Option::is_some) && self.choices.weighted(&[1, 0]) == 1;
        let case = self.skeleton(&plan.root);
        let numbers = self.unknowns(case)?;
        let solved = Solved { compiled: &plan.compiled, case, numbers };
        let mut values = Vec::with_capacity(plan.compiled.nodes.len() + plan.compiled.shape_variables.len());
        for (node, default) in plan.compiled.nodes.iter().zip(&plan.defaults) {
            values.push(match default {
                Some(constant) if with_defaults && is_free(node) => self.builder.constant(constant),
                _ => self.fill(node, &solved)?,
            });
        }
        for (_, variable) in &plan.compiled.shape_variables {
            values.push(self.builder.int(solved.numbers[*variable].int()));
        }
        Ok(values)
    }

    fn skeleton<'p>(&mut self, mut branch: &'p Branch) -> &'p Case {
        loop {
            match branch {
                Branch::Leaf(case) => return case,
                Branch::Choice(alternatives) => branch = &alternatives[self.choices.index(alternatives.len())],
            }
        }
    }

    fn unknowns(&mut self, case: &Case) -> Result<Vec<Number>, BuildError> {
        let mut numbers = vec![Number::Int(0); case.ranges.len()];
        if case.ranges.is_empty() {
            return Ok(numbers);
        }
        let mut ranges = case.ranges.clone();
        self.draw_unknowns(case, &case.always, &mut ranges, &mut numbers)?;
        if !case.own.is_empty() {
            self.choices.open("unknowns of the alternatives");
            let drawn = self.draw_unknowns(case, &case.own, &mut ranges, &mut numbers);
            self.choices.close();
            drawn?;
        }
        Ok(numbers)
    }

    fn draw_unknowns(
        &mut self,
        case: &Case,
        variables: &[Variable],
        ranges: &mut [Interval],
        numbers: &mut [Number],
    ) -> Result<(), BuildError> {
        for &variable in variables {
            numbers[variable] = match &ranges[variable] {
                Interval::Int(min, max) if min == max => Number::Int(*min),
                Interval::Int(min, max) => Number::Int(self.choices.integer(*min, *max, Spread::Edges)),
                Interval::Float(range) => {
                    let bounds = range.bounds().map_err(|_| BuildError::Rejected)?;
                    Number::Float(self.choices.float(&bounds))
                }
            };
            if case.is_related[variable] {
                ranges[variable] = Interval::of(numbers[variable]);
                if !propagate(&case.relations, ranges) {
                    return Err(BuildError::Rejected);
                }
            }
        }
        Ok(())
    }

    fn fill(&mut self, node: &Node, solved: &Solved<'_>) -> Result<B::Value, BuildError> {
        Ok(match node {
            Node::Constant(constant) => self.builder.constant(constant),
            Node::Froms(values) => {
                let at = self.choices.index(values.len());
                self.builder.constant(&values[at])
            }
            Node::Bools => {
                let value = self.choices.flag(0.5);
                self.builder.bool(value)
            }
            Node::Int(variable) => self.builder.int(solved.numbers[*variable].int()),
            Node::FreeInt(min, max) => {
                let (min, max) = (solved.amount(min)?, solved.amount(max)?);
                if min > max {
                    return Err(BuildError::Rejected);
                }
                let value = self.choices.integer(min, max, Spread::Edges);
                self.builder.int(value)
            }
            Node::Float(variable, _) => self.builder.float(solved.numbers[*variable].float()),
            Node::FreeFloat(bounds) => {
                let value = self.choices.float(bounds);
                self.builder.float(value)
            }
            Node::TermFloat(floats) => {
                let bounds = solved.float_bounds(floats)?;
                let value = self.choices.float(&bounds);
                self.builder.float(value)
            }
            Node::Text { len, alphabet } => self.fill_text(len, alphabet, solved)?,
            Node::List { len, element, is_tuple } => {
                let items = self.items(len, element, solved)?;
                self.builder.sequence(items, *is_tuple)
            }
            Node::Tuple(nodes) => {
                let items = nodes.iter().map(|node| self.fill(node, solved)).collect::<Result<_, _>>()?;
                self.builder.sequence(items, true)
            }
            Node::Shape(dims) => {
                let shape = self.shape(dims, solved)?;
                let sides = shape.into_iter().map(|side| self.builder.int(side as i64)).collect();
                self.builder.sequence(sides, true)
            }
            Node::Array { cells, dims, lib } => self.array(&*solved.cells(cells)?, dims, lib.as_deref(), solved)?,
            Node::Dict { keys, values, min, max } => self.dict(keys, values, *min, *max, solved)?,
            Node::Record(fields) => self.record(fields, solved)?,
            Node::Frame { columns, rows } => self.frame(columns, rows, solved)?,
            Node::Union(union, options) => {
                let at = solved.case.skeleton[*union];
                self.alternative(at, &options[at], solved)?
            }
            Node::FreeUnion(options) => {
                let at = self.choices.index(options.len());
                self.alternative(at, &options[at], solved)?
            }
            Node::Objs(function) => self.generated(*function)?,
            Node::Composed(function) => self.composed(*function)?,
            Node::Stepped(inner, function) => self.stepped(inner, *function, solved)?,
            Node::Untargeted(inner) => {
                let Filler { plans, choices, builder, depth } = self;
                draw_untargeted(choices, |choices| {
                    Filler { plans, choices, builder: *builder, depth: *depth }.fill(inner, solved)
                })?
            }
        })
    }

    /// What the function rejects is drawn again, as with a generator's preconditions.
    fn composed(&mut self, function: usize) -> Result<B::Value, BuildError> {
        let Filler { choices, builder, .. } = self;
        draw_nested(choices, |choices| {
            let mut mark = choices.mark();
            let value = loop {
                match builder.compose(function, None, choices) {
                    Err(BuildError::Rejected) if choices.retry(&mut mark) => {}
                    value => break value,
                }
            };
            choices.settle(&mark);
            value
        })
    }

    fn stepped(&mut self, inner: &Node, function: usize, solved: &Solved<'_>) -> Result<B::Value, BuildError> {
        let Filler { plans, choices, builder, depth } = self;
        let builder = RefCell::new(&mut **builder);
        draw_stepped(
            choices,
            |choices| {
                Filler { plans, choices, builder: &mut **builder.borrow_mut(), depth: *depth }.fill(inner, solved)
            },
            |value, temperature, choices| builder.borrow_mut().compose(function, Some((value, temperature)), choices),
        )
    }

    /// In a span of its own, so that a change of alternative disturbs nothing that follows.
    fn alternative(&mut self, at: usize, node: &Node, solved: &Solved<'_>) -> Result<B::Value, BuildError> {
        if matches!(node, Node::Constant(_) | Node::Int(_)) {
            return self.fill(node, solved);
        }
        self.choices.open(ALTERNATIVES.get(at).copied().unwrap_or("a later alternative"));
        let value = self.fill(node, solved);
        self.choices.close();
        value
    }

    fn items(&mut self, len: &Count, element: &Node, solved: &Solved<'_>) -> Result<Vec<B::Value>, BuildError> {
        let (min, max) = solved.count(len)?;
        let mut list = self.choices.begin_list(min, max, is_bare(element));
        let mut items = Vec::with_capacity(min);
        let mut result = Ok(());
        while result.is_ok() && self.choices.more(&mut list) {
            match self.fill(element, solved) {
                Ok(item) => items.push(item),
                Err(error) => result = Err(error),
            }
        }
        self.choices.end_list(list);
        result.map(|()| items)
    }

    fn fill_text(&mut self, len: &Count, alphabet: &[char], solved: &Solved<'_>) -> Result<B::Value, BuildError> {
        let (min, max) = solved.count(len)?;
        let mut list = self.choices.begin_list(min, max, true);
        let mut text = String::new();
        while self.choices.more(&mut list) {
            text.push(alphabet[self.choices.index(alphabet.len())]);
        }
        self.choices.end_list(list);
        Ok(self.builder.text(&text))
    }

    fn shape(&mut self, dims: &Dims, solved: &Solved<'_>) -> Result<Vec<usize>, BuildError> {
        let sides: Vec<i64> = match dims {
            Dims::Known(dims) => solved.sides(dims),
            Dims::OneOf(shapes) => shapes[self.choices.index(shapes.len())].clone(),
            Dims::Free { dims: (least, most), sides } => {
                let (low, high) = (solved.amount(&sides.0)?.max(0), solved.amount(&sides.1)?);
                if low > high {
                    return Err(BuildError::Rejected);
                }
                let mut list = self.choices.begin_list(*least as usize, *most as usize, true);
                let mut drawn = Vec::new();
                while self.choices.more(&mut list) {
                    drawn.push(self.choices.integer(low, high, Spread::Edges));
                }
                self.choices.end_list(list);
                drawn
            }
        };
        sides.into_iter().map(|side| usize::try_from(side).map_err(|_| BuildError::Rejected)).collect()
    }

    fn array(
        &mut self,
        cells: &Cells,
        dims: &Dims,
        lib: Option<&str>,
        solved: &Solved<'_>,
    ) -> Result<B::Value, BuildError> {
        let shape = self.shape(dims, solved)?;
        let count = shape.iter().try_fold(1usize, |count, &side| count.checked_mul(side));
        if count.is_none_or(|count| count > MAX_CELLS) {
            return Err(BuildError::Rejected);
        }
        let choices = &mut *self.choices;
        choices.open("cells");
        let value = self.builder.array(cells.dtype, &shape, lib, &mut |bytes| cells.fill(choices, bytes));
        self.choices.close();
        value
    }

    fn dict(
        &mut self,
        keys: &Node,
        values: &Node,
        min: usize,
        max: usize,
        solved: &Solved<'_>,
    ) -> Result<B::Value, BuildError> {
        let mut list = self.choices.begin_list(min, max, false);
        let mut items: Vec<(B::Value, B::Value)> = Vec::new();
        let mut result = Ok(());
        while result.is_ok() && self.choices.more(&mut list) {
            let pair = self.fill(keys, solved).and_then(|key| Ok((key, self.fill(values, solved)?)));
            match pair {
                Ok((key, _)) if items.iter().any(|item| self.builder.same(&item.0, &key)) => {
                    self.choices.discard_item(&mut list);
                }
                Ok(pair) => items.push(pair),
                Err(error) => result = Err(error),
            }
        }
        let is_long_enough = list.is_long_enough();
        self.choices.end_list(list);
        result?;
        if !is_long_enough {
            return Err(BuildError::Rejected);
        }
        Ok(self.builder.dict(items))
    }

    fn record(&mut self, fields: &[(String, bool, Node)], solved: &Solved<'_>) -> Result<B::Value, BuildError> {
        let mut items = Vec::with_capacity(fields.len());
        for (name, is_optional, node) in fields {
            self.choices.open(name);
            let is_present = !is_optional || self.choices.flag(0.5);
            let value = if is_present { self.fill(node, solved).map(Some) } else { Ok(None) };
            self.choices.close();
            if let Some(value) = value? {
                items.push((self.builder.text(name), value));
            }
        }
        Ok(self.builder.dict(items))
    }

    fn frame(&mut self, columns: &[(String, Node)], rows: &Dim, solved: &Solved<'_>) -> Result<B::Value, BuildError> {
        let rows = solved.sides(std::slice::from_ref(rows)).first().copied().unwrap_or(0).max(0);
        let len = Count::Between(Amount::Fixed(rows), Amount::Fixed(rows));
        let mut filled = Vec::with_capacity(columns.len());
        for (name, node) in columns {
            filled.push((name.as_str(), self.items(&len, node, solved)?));
        }
        self.builder.frame(filled)
    }

    /// A generator's preconditions are part of its domain: arguments that break them are drawn again.
    fn generated(&mut self, function: usize) -> Result<B::Value, BuildError> {
        if self.depth >= MAX_DEPTH {
            return Err(BuildError::Rejected);
        }
        self.depth += 1;
        self.choices.open("generator");
        let mut mark = self.choices.mark();
        let arguments = loop {
            let drawn = self.arguments(function).and_then(|arguments| {
                Ok(if self.builder.accepts(function, &arguments)? { Some(arguments) } else { None })
            });
            match drawn {
                Ok(Some(arguments)) => break Ok(arguments),
                Ok(None) | Err(BuildError::Rejected) if self.choices.retry(&mut mark) => {}
                Ok(None) => break Err(BuildError::Rejected),
                Err(error) => break Err(error),
            }
        };
        self.choices.settle(&mark);
        self.choices.close();
        self.depth -= 1;
        let mut arguments = arguments?;
        arguments.truncate(self.plans[function].arguments());
        self.builder.call(function, arguments)
    }
}

const ALTERNATIVES: [&str; 8] = ["0", "1", "2", "3", "4", "5", "6", "7"];

/// Whether every draw of the node asks for exactly one primitive.
fn is_bare(node: &Node) -> bool {
    matches!(node, Node::Froms(_) | Node::Bools | Node::FreeInt(..) | Node::FreeFloat(_) | Node::TermFloat(_))
}

/// Whether nothing else depends on what the node gives, so that another value may stand in its place.
fn is_free(node: &Node) -> bool {
    !matches!(node, Node::Int(_) | Node::Float(..) | Node::Union(..) | Node::Array { .. } | Node::Shape(_))
}

impl Solved<'_> {
    fn count(&self, count: &Count) -> Result<(usize, usize), BuildError> {
        let (min, max) = match count {
            Count::Unknown(variable) => {
                let len = self.numbers[*variable].int();
                (len, len)
            }
            Count::Between(min, max) => (self.amount(min)?.max(0), self.amount(max)?),
        };
        let size = |value: i64| usize::try_from(value).map_err(|_| BuildError::Rejected);
        if min > max { Err(BuildError::Rejected) } else { Ok((size(min)?, size(max)?)) }
    }

    fn sides(&self, dims: &[Dim]) -> Vec<i64> {
        let mut sides = Vec::with_capacity(dims.len());
        for dim in dims {
            match dim {
                Dim::Fixed(side) => sides.push(*side),
                Dim::Unknown(variable) => sides.push(self.numbers[*variable].int()),
                Dim::Rest(union, variables) => {
                    let count = self.case.skeleton[*union];
                    sides.extend(variables[..count].iter().map(|&variable| self.numbers[variable].int()));
                }
            }
        }
        sides
    }

    fn amount(&self, amount: &Amount) -> Result<i64, BuildError> {
        match amount {
            Amount::Fixed(value) => Ok(*value),
            Amount::Term(term) => self.term(term).map(|value| value as i64),
        }
    }

    fn cells<'c>(&self, filling: &'c Filling) -> Result<Cow<'c, Cells>, BuildError> {
        let cells = match filling {
            Filling::Fixed(cells) => return Ok(Cow::Borrowed(cells)),
            Filling::Terms(cells) => cells,
        };
        let end = |term: &Option<Term>| term.as_ref().map(|term| self.term(term)).transpose();
        let between = cells.between(end(&cells.min)?, end(&cells.max)?);
        between.map(Cow::Owned).map_err(|_| BuildError::Rejected)
    }

    fn float_bounds(&self, floats: &Floats) -> Result<FloatBounds, BuildError> {
        let all = FloatRange::all(floats.width);
        let end = |term: &Option<Term>, open| term.as_ref().map_or(Ok(open), |term| self.term(term));
        let (min, max) = (end(&floats.min, all.min)?, end(&floats.max, all.max)?);
        let range = FloatRange {
            min,
            max,
            exclude_min: floats.exclude_min,
            exclude_max: floats.exclude_max,
            width: floats.width,
        };
        let bounds = range.bounds().map_err(|_| BuildError::Rejected)?;
        Ok(bounds.with_nan(floats.nan).with_inf(floats.inf))
    }

    /// The value of a term once the unknowns are known.
    fn term(&self, term: &Term) -> Result<f64, BuildError> {
        Ok(match term {
            Term::Int(value) => *value as f64,
            Term::Float(value) => *value,
            Term::Value(path) => self.value(path)?,
            Term::Len(path) => self.len(path)?,
            Term::Dim(path, at) => {
                let dims = self.dims(path)?;
                let at = if *at < 0 { at + dims.len() as i64 } else { *at };
                let side = usize::try_from(at).ok().and_then(|at| dims.get(at).copied());
                side.ok_or(BuildError::Rejected)? as f64
            }
            Term::Dims(path) => self.dims(path)?.len() as f64,
            Term::Add(a, b) => self.term(a)? + self.term(b)?,
            Term::Sub(a, b) => self.term(a)? - self.term(b)?,
            Term::Mul(a, b) => self.term(a)? * self.term(b)?,
            Term::Div(a, b) => (self.term(a)? / self.term(b)?).floor(),
            Term::Mod(a, b) => self.term(a)?.rem_euclid(self.term(b)?),
            Term::Unclear(_) => return Err(BuildError::Rejected),
        })
    }

    fn locate(&self, path: &Path) -> Option<&Node> {
        let at = self.compiled.names.iter().position(|name| *name == path.name)?;
        let mut node = self.resolve(&self.compiled.nodes[at]);
        for &item in &path.items {
            node = match node {
                Node::Tuple(nodes) => self.resolve(nodes.get(item)?),
                _ => return None,
            };
        }
        Some(node)
    }

    fn resolve<'n>(&self, mut node: &'n Node) -> &'n Node {
        while let Node::Union(union, options) = node {
            node = &options[self.case.skeleton[*union]];
        }
        node
    }

    fn value(&self, path: &Path) -> Result<f64, BuildError> {
        if let Some((_, variable)) = self.compiled.shape_variables.iter().find(|(name, _)| *name == path.name) {
            return Ok(self.numbers[*variable].float());
        }
        match self.locate(path) {
            Some(Node::Int(variable)) | Some(Node::Float(variable, _)) => Ok(self.numbers[*variable].float()),
            Some(Node::Constant(Constant { int: Some(value), .. })) => Ok(*value as f64),
            Some(Node::Constant(Constant { float: Some(value), .. })) => Ok(*value),
            _ => Err(BuildError::Rejected),
        }
    }

    fn len(&self, path: &Path) -> Result<f64, BuildError> {
        match self.locate(path) {
            Some(Node::List { len, .. } | Node::Text { len, .. }) => Ok(self.count(len)?.0 as f64),
            Some(Node::Tuple(nodes)) => Ok(nodes.len() as f64),
            Some(Node::Array { .. }) => self.dims(path)?.first().map(|&side| side as f64).ok_or(BuildError::Rejected),
            Some(Node::Constant(Constant { len: Some(len), .. })) => Ok(*len as f64),
            _ => Err(BuildError::Rejected),
        }
    }

    fn dims(&self, path: &Path) -> Result<Vec<i64>, BuildError> {
        match self.locate(path) {
            Some(Node::Array { dims: Dims::Known(dims), .. }) => Ok(self.sides(dims)),
            Some(Node::Constant(Constant { shape: Some(shape), .. })) => Ok(shape.clone()),
            _ => Err(BuildError::Rejected),
        }
    }
}
