//! From the constraint tree to nodes that can be drawn: unknowns get numbers, unions that preconditions speak about get
//! a place in the skeleton, defaults and ranges are checked. What nothing refers to stays free and is drawn in place.

use std::collections::{BTreeSet, HashMap};

use temper::choices::FloatBounds;

use crate::cells::Cells;
use crate::constraint::{Argument, Constant, Constraint, Dimension, Field, Floats, Function, Path, Shape};
use crate::constraint::{ShapeRange, Term};
use crate::error::AnnotationError;
use crate::interval::{FloatRange, Interval};
use crate::linear::Variable;
use crate::terms::{amount, fixed, for_each_dimension, names_in, number, referenced_names, terms, unclear};

/// Sizes of a shape variable that no annotation bounds.
const DEFAULT_SIDES: (i64, i64) = (1, 8);
/// How many leading dimensions `*batch` stands for, and how large they are: enough to tell 0, 1 and 2 apart.
const REST_DIMS: usize = 2;
const REST_SIDES: (i64, i64) = (1, 4);
/// The most alternatives that a list of written-out values may add to the skeleton.
pub const MAX_FROMS: usize = 256;

/// The alternatives of unions that must be taken for something to exist.
pub type Owners = Vec<(usize, usize)>;

/// A number that is known at once or follows from the unknowns.
#[derive(Clone, Debug)]
pub enum Amount {
    Fixed(i64),
    Term(Term),
}

/// A number of elements.
#[derive(Clone, Debug)]
pub enum Count {
    Unknown(Variable),
    Between(Amount, Amount),
}

/// One or several dimensions of an array.
#[derive(Clone, Debug)]
pub enum Dim {
    Fixed(i64),
    Unknown(Variable),
    /// As many leading dimensions as the union says.
    Rest(usize, Vec<Variable>),
}

/// The shape of an array.
#[derive(Clone, Debug)]
pub enum Dims {
    Known(Vec<Dim>),
    Free { dims: (i64, i64), sides: (Amount, Amount) },
    OneOf(Vec<Vec<i64>>),
}

/// What is drawn for one node of the constraint tree.
#[derive(Clone, Debug)]
pub enum Node {
    Constant(Constant),
    Froms(Vec<Constant>),
    Bools,
    Int(Variable),
    FreeInt(Amount, Amount),
    Float(Variable, FloatExtras),
    FreeFloat(FloatBounds),
    /// A float in a list, with bounds that follow from unknowns.
    TermFloat(Floats),
    Text {
        len: Count,
        alphabet: Vec<char>,
    },
    List {
        len: Count,
        element: Box<Node>,
        is_tuple: bool,
    },
    Tuple(Vec<Node>),
    Shape(Dims),
    Array {
        cells: Cells,
        dims: Dims,
        lib: Option<String>,
    },
    Dict {
        keys: Box<Node>,
        values: Box<Node>,
        min: usize,
        max: usize,
    },
    Record(Vec<(String, bool, Node)>),
    Frame {
        columns: Vec<(String, Node)>,
        rows: Dim,
    },
    /// Decided in the skeleton, by the union with this number.
    Union(usize, Vec<Node>),
    FreeUnion(Vec<Node>),
    Objs(usize),
    Composed(usize),
    Stepped(Box<Node>, usize),
    Untargeted(Box<Node>),
}

/// Whether a float that is an unknown may also be no finite number.
#[derive(Clone, Copy, Debug)]
pub struct FloatExtras {
    pub nan: bool,
    pub inf: bool,
}

/// An unknown: its name in messages, its range as far as numbers give it, and the alternatives under which it exists.
#[derive(Clone, Debug)]
pub struct Unknown {
    pub range: Interval,
    pub owners: Owners,
}

/// A bound that is no plain number.
#[derive(Clone, Debug)]
pub struct Bound {
    pub variable: Variable,
    pub term: Term,
    pub is_max: bool,
    pub is_strict: bool,
    pub owners: Owners,
    pub argument: usize,
}

/// A union of the skeleton.
#[derive(Clone, Debug)]
pub struct Union {
    pub alternatives: usize,
    pub owners: Owners,
}

/// The compiled nodes of one function, before its skeletons are solved.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    pub nodes: Vec<Node>,
    pub names: Vec<String>,
    pub unknowns: Vec<Unknown>,
    pub unions: Vec<Union>,
    pub bounds: Vec<Bound>,
    pub shape_variables: Vec<(String, Variable)>,
}

/// Compiles the arguments of a function; lists of more than `max_froms` written-out values stay out of the skeleton.
pub fn compile(function: &Function, max_froms: usize) -> Result<Compiled, AnnotationError> {
    let mut compiler = Compiler {
        function,
        out: Compiled::default(),
        referenced: referenced_names(function),
        shapes: HashMap::new(),
        rests: HashMap::new(),
        argument: 0,
        max_froms,
    };
    compiler.declare_shape_variables()?;
    compiler.check_names()?;
    compiler.check_cycles()?;
    for (at, argument) in function.arguments.iter().enumerate() {
        compiler.argument = at;
        let site =
            compiler.referenced.contains(&argument.name).then(|| Path { name: argument.name.clone(), items: vec![] });
        let node = compiler.node(&argument.constraint, site.as_ref(), &Vec::new())?;
        compiler.out.nodes.push(node);
        compiler.out.names.push(argument.name.clone());
    }
    Ok(compiler.out)
}

struct Compiler<'f> {
    function: &'f Function,
    out: Compiled,
    referenced: BTreeSet<String>,
    shapes: HashMap<String, Variable>,
    rests: HashMap<String, (usize, Vec<Variable>)>,
    argument: usize,
    max_froms: usize,
}

impl Compiler<'_> {
    fn current(&self) -> &Argument {
        &self.function.arguments[self.argument]
    }

    fn empty(&self, fact: String, hint: &str) -> AnnotationError {
        let argument = self.current();
        AnnotationError::Empty { annotation: argument.annotation(), fact, hint: hint.to_owned(), line: argument.line }
    }

    fn unknown(&mut self, range: Interval, owners: &Owners) -> Variable {
        self.out.unknowns.push(Unknown { range, owners: owners.clone() });
        self.out.unknowns.len() - 1
    }

    /// An unknown whole number between two terms.
    fn whole_unknown(&mut self, min: &Term, max: &Term, floor: i64, owners: &Owners) -> Variable {
        let range = Interval::Int(fixed(min).unwrap_or(floor).max(floor), fixed(max).unwrap_or(i64::MAX));
        let variable = self.unknown(range, owners);
        self.bound(variable, min, false, false, owners);
        self.bound(variable, max, true, false, owners);
        variable
    }

    fn bound(&mut self, variable: Variable, term: &Term, is_max: bool, is_strict: bool, owners: &Owners) {
        if fixed(term).is_none() && !matches!(term, Term::Float(_)) {
            let (term, owners, argument) = (term.clone(), owners.clone(), self.argument);
            self.out.bounds.push(Bound { variable, term, is_max, is_strict, owners, argument });
        }
    }

    fn union(&mut self, alternatives: usize, owners: &Owners) -> usize {
        self.out.unions.push(Union { alternatives, owners: owners.clone() });
        self.out.unions.len() - 1
    }

    fn node(&mut self, constraint: &Constraint, site: Option<&Path>, owners: &Owners) -> Result<Node, AnnotationError> {
        Ok(match constraint {
            Constraint::Constant(constant) => Node::Constant(constant.clone()),
            Constraint::Froms { values } => self.froms(values, site, owners)?,
            Constraint::Bools => Node::Bools,
            Constraint::Ints { min, max } => self.ints(min, max, site, owners)?,
            Constraint::Floats(floats) => self.floats(floats, site, owners)?,
            Constraint::Texts { min_len, max_len, alphabet } => {
                let len = self.count(min_len, max_len, site, owners)?;
                Node::Text { len, alphabet: self.alphabet(alphabet.as_deref())? }
            }
            Constraint::Lists { element, min_len, max_len, is_tuple } => {
                let len = self.count(min_len, max_len, site, owners)?;
                let element = Box::new(self.node(element, None, owners)?);
                Node::List { len, element, is_tuple: *is_tuple }
            }
            Constraint::Tuples { elements } => self.tuple(elements, site, owners)?,
            Constraint::NpShapes(range) => Node::Shape(self.shape_range(range, site, owners)?),
            Constraint::NpArrays { dtype, shape, min, max, nan, inf, unique, lib } => {
                let cells = Cells::new(*dtype, *min, *max, *nan, *inf, *unique).map_err(|fact| {
                    self.empty(fact, "change `min` or `max` so that a value of that dtype lies between them")
                })?;
                self.array(cells, shape, lib.as_ref(), site, owners)?
            }
            Constraint::Dicts { keys, values, min_size, max_size } => {
                if min_size > max_size {
                    return Err(
                        self.empty(format!("min_size is {min_size} and max_size is {max_size}"), "raise `max_size`")
                    );
                }
                let (keys, values) = (self.node(keys, None, owners)?, self.node(values, None, owners)?);
                Node::Dict { keys: Box::new(keys), values: Box::new(values), min: *min_size, max: *max_size }
            }
            Constraint::Records { fields } => Node::Record(self.fields(fields, owners)?),
            Constraint::Frames { columns, rows } => {
                let columns = self.fields(columns, owners)?.into_iter().map(|(name, _, node)| (name, node)).collect();
                Node::Frame { columns, rows: self.dim(rows, owners)? }
            }
            Constraint::Anys { options } => self.anys(options, site, owners)?,
            Constraint::Objs { function } => Node::Objs(*function),
            Constraint::Composed { function } => Node::Composed(*function),
            Constraint::Stepped { inner, function } => {
                Node::Stepped(Box::new(self.node(inner, None, owners)?), *function)
            }
            Constraint::Untargeted { inner } => Node::Untargeted(Box::new(self.node(inner, None, owners)?)),
        })
    }

    fn fields(&mut self, fields: &[Field], owners: &Owners) -> Result<Vec<(String, bool, Node)>, AnnotationError> {
        let node =
            |field: &Field| Ok((field.name.clone(), field.is_optional, self.node(&field.constraint, None, owners)?));
        fields.iter().map(node).collect()
    }

    fn froms(&mut self, values: &[Constant], site: Option<&Path>, owners: &Owners) -> Result<Node, AnnotationError> {
        if values.is_empty() {
            return Err(self.empty("froms([]): the list of values is empty".to_owned(), "write at least one value"));
        }
        if site.is_none() || values.len() > self.max_froms {
            return Ok(Node::Froms(values.to_vec()));
        }
        let union = self.union(values.len(), owners);
        Ok(Node::Union(union, values.iter().cloned().map(Node::Constant).collect()))
    }

    fn ints(&mut self, min: &Term, max: &Term, site: Option<&Path>, owners: &Owners) -> Result<Node, AnnotationError> {
        if let (Some(low), Some(high)) = (fixed(min), fixed(max)) {
            if low > high {
                return Err(
                    self.empty(format!("ints(min={low}, max={high}): min is above max"), "raise `max` or lower `min`")
                );
            }
            if site.is_none() {
                return Ok(Node::FreeInt(Amount::Fixed(low), Amount::Fixed(high)));
            }
        }
        // Inside a list the element has no name; its bounds are known by the time it is drawn.
        if site.is_none() {
            return Ok(Node::FreeInt(amount(min), amount(max)));
        }
        Ok(Node::Int(self.whole_unknown(min, max, i64::MIN, owners)))
    }

    fn floats(&mut self, floats: &Floats, site: Option<&Path>, owners: &Owners) -> Result<Node, AnnotationError> {
        let all = FloatRange::all(floats.width);
        let end = |term: &Option<Term>, open: f64| term.as_ref().map_or(Some(open), number);
        let (min, max) = (end(&floats.min, all.min), end(&floats.max, all.max));
        let range = FloatRange {
            min: min.unwrap_or(all.min),
            max: max.unwrap_or(all.max),
            exclude_min: floats.exclude_min && min.is_some(),
            exclude_max: floats.exclude_max && max.is_some(),
            width: floats.width,
        };
        let bounds = range.bounds().map_err(|_| self.empty_floats(&range))?;
        let is_fixed = min.is_some() && max.is_some();
        if is_fixed && (site.is_none() || floats.nan || floats.inf) {
            return Ok(Node::FreeFloat(bounds.with_nan(floats.nan).with_inf(floats.inf)));
        }
        if site.is_none() {
            return Ok(Node::TermFloat(floats.clone()));
        }
        let variable = self.unknown(Interval::Float(range), owners);
        if let Some(term) = &floats.min {
            self.bound(variable, term, false, floats.exclude_min, owners);
        }
        if let Some(term) = &floats.max {
            self.bound(variable, term, true, floats.exclude_max, owners);
        }
        Ok(Node::Float(variable, FloatExtras { nan: floats.nan, inf: floats.inf }))
    }

    fn empty_floats(&self, range: &FloatRange) -> AnnotationError {
        let mut shown = format!("floats(min={}, max={}", range.min, range.max);
        for (is_set, name) in [(range.exclude_min, "exclude_min"), (range.exclude_max, "exclude_max")] {
            if is_set {
                shown.push_str(&format!(", {name}=True"));
            }
        }
        let (fact, hint) = if range.min > range.max {
            ("min is above max".to_owned(), "raise `max` or lower `min`".to_owned())
        } else if range.min == range.max {
            let end = if range.exclude_min { "min" } else { "max" };
            (format!("min equals max, and {end} is excluded"), format!("remove `exclude_{end}=True` or raise `max`"))
        } else {
            (format!("no {}-bit float lies between them", range.width), "widen the range or raise `width`".to_owned())
        };
        self.empty(format!("{shown}): {fact}"), &hint)
    }

    fn alphabet(&self, alphabet: Option<&str>) -> Result<Vec<char>, AnnotationError> {
        let characters: Vec<char> = match alphabet {
            // The simplest character comes first: texts shrink towards it.
            None => ('a'..='z')
                .chain('A'..='Z')
                .chain('0'..='9')
                .chain((' '..='~').filter(|c| !c.is_ascii_alphanumeric()))
                .collect(),
            Some(text) => text.chars().collect(),
        };
        if characters.is_empty() {
            return Err(
                self.empty("texts(alphabet=\"\"): the alphabet is empty".to_owned(), "name at least one character")
            );
        }
        Ok(characters)
    }

    /// The length of something that has one; an unknown only where something refers to it.
    fn count(
        &mut self,
        min: &Term,
        max: &Term,
        site: Option<&Path>,
        owners: &Owners,
    ) -> Result<Count, AnnotationError> {
        if let (Some(low), Some(high)) = (fixed(min), fixed(max))
            && (low > high || high < 0)
        {
            return Err(self.empty(format!("the least length is {low} and the greatest {high}"), "raise `max_len`"));
        }
        if site.is_some() {
            return Ok(Count::Unknown(self.whole_unknown(min, max, 0, owners)));
        }
        Ok(Count::Between(amount(min), amount(max)))
    }

    fn tuple(
        &mut self,
        elements: &[Constraint],
        site: Option<&Path>,
        owners: &Owners,
    ) -> Result<Node, AnnotationError> {
        let mut nodes = Vec::new();
        for (at, element) in elements.iter().enumerate() {
            let inner = site.map(|path| {
                let mut path = path.clone();
                path.items.push(at);
                path
            });
            nodes.push(self.node(element, inner.as_ref(), owners)?);
        }
        Ok(Node::Tuple(nodes))
    }

    fn anys(&mut self, options: &[Constraint], site: Option<&Path>, owners: &Owners) -> Result<Node, AnnotationError> {
        if options.is_empty() {
            return Err(self.empty("anys(): there is no alternative".to_owned(), "write at least one alternative"));
        }
        if site.is_none() {
            let nodes = options.iter().map(|option| self.node(option, None, owners)).collect::<Result<_, _>>()?;
            return Ok(Node::FreeUnion(nodes));
        }
        let union = self.union(options.len(), owners);
        let mut nodes = Vec::new();
        for (at, option) in options.iter().enumerate() {
            let mut inner = owners.clone();
            inner.push((union, at));
            nodes.push(self.node(option, site, &inner)?);
        }
        Ok(Node::Union(union, nodes))
    }

    fn shape_range(
        &mut self,
        range: &ShapeRange,
        site: Option<&Path>,
        owners: &Owners,
    ) -> Result<Dims, AnnotationError> {
        let ShapeRange { min_dims, max_dims, min_side, max_side } = range;
        if min_dims > max_dims || *max_dims < 0 {
            let fact = format!("min_dims is {min_dims} and max_dims is {max_dims}");
            return Err(self.empty(fact, "raise `max_dims` or lower `min_dims`"));
        }
        if let (Some(low), Some(high)) = (fixed(min_side), fixed(max_side))
            && (low > high || low < 0)
        {
            let fact = format!("min_side is {low} and max_side is {high}");
            return Err(self.empty(fact, "raise `max_side` or lower `min_side`"));
        }
        if site.is_none() || min_dims != max_dims {
            return Ok(Dims::Free { dims: (*min_dims, *max_dims), sides: (amount(min_side), amount(max_side)) });
        }
        let dims = (0..*max_dims).map(|_| Dim::Unknown(self.whole_unknown(min_side, max_side, 0, owners))).collect();
        Ok(Dims::Known(dims))
    }

    fn array(
        &mut self,
        cells: Cells,
        shape: &Shape,
        lib: Option<&String>,
        site: Option<&Path>,
        owners: &Owners,
    ) -> Result<Node, AnnotationError> {
        let node = |dims| Node::Array { cells: cells.clone(), dims, lib: lib.cloned() };
        match shape {
            Shape::Dims(dims) => {
                let dims = dims.iter().map(|dim| self.dim(dim, owners)).collect::<Result<_, _>>()?;
                Ok(node(Dims::Known(dims)))
            }
            Shape::OneOf(shapes) if shapes.is_empty() => {
                Err(self.empty("the list of shapes is empty".to_owned(), "write at least one shape"))
            }
            Shape::OneOf(shapes) if site.is_some() && shapes.len() <= self.max_froms => {
                let union = self.union(shapes.len(), owners);
                let known = |shape: &Vec<i64>| node(Dims::Known(shape.iter().map(|&side| Dim::Fixed(side)).collect()));
                Ok(Node::Union(union, shapes.iter().map(known).collect()))
            }
            Shape::OneOf(shapes) => Ok(node(Dims::OneOf(shapes.clone()))),
            // A shape of varying rank that a precondition speaks about is one alternative a rank.
            Shape::Range(range) if site.is_some() && range.min_dims < range.max_dims => {
                let union = self.union((range.max_dims - range.min_dims + 1) as usize, owners);
                let mut nodes = Vec::new();
                for (at, dims) in (range.min_dims..=range.max_dims).enumerate() {
                    let mut inner = owners.clone();
                    inner.push((union, at));
                    let one = ShapeRange { min_dims: dims, max_dims: dims, ..range.clone() };
                    nodes.push(node(self.shape_range(&one, site, &inner)?));
                }
                Ok(Node::Union(union, nodes))
            }
            Shape::Range(range) => {
                let dims = self.shape_range(range, site, owners)?;
                Ok(node(dims))
            }
        }
    }

    fn dim(&mut self, dim: &Dimension, owners: &Owners) -> Result<Dim, AnnotationError> {
        match dim {
            Dimension::Size(term) => match fixed(term) {
                Some(side) if side < 0 => Err(self.empty(format!("a dimension is {side}"), "write sizes of 0 or more")),
                Some(side) => Ok(Dim::Fixed(side)),
                None => {
                    let variable = self.unknown(Interval::Int(0, i64::MAX), owners);
                    self.bound(variable, term, false, false, owners);
                    self.bound(variable, term, true, false, owners);
                    Ok(Dim::Unknown(variable))
                }
            },
            Dimension::Named { name, .. } => self
                .shapes
                .get(name)
                .map(|&v| Dim::Unknown(v))
                .ok_or_else(|| AnnotationError::Unreadable(format!("shape variable {name} was not declared"))),
            Dimension::Rest(name) => {
                let (union, variables) = self.rest(name);
                Ok(Dim::Rest(union, variables))
            }
        }
    }

    fn rest(&mut self, name: &str) -> (usize, Vec<Variable>) {
        if let Some(known) = self.rests.get(name) {
            return known.clone();
        }
        let union = self.union(REST_DIMS + 1, &Vec::new());
        let variables: Vec<Variable> =
            (0..REST_DIMS).map(|_| self.unknown(Interval::Int(REST_SIDES.0, REST_SIDES.1), &Vec::new())).collect();
        self.rests.insert(name.to_owned(), (union, variables.clone()));
        (union, variables)
    }

    /// Shape variables are shared by the whole function, so they exist before any argument is compiled. A name that is
    /// also an argument is that argument.
    fn declare_shape_variables(&mut self) -> Result<(), AnnotationError> {
        let mut named: Vec<(usize, String, Option<Term>, Option<Term>)> = Vec::new();
        for (at, argument) in self.function.arguments.iter().enumerate() {
            for_each_dimension(&argument.constraint, &mut |dimension| {
                if let Dimension::Named { name, min, max } = dimension {
                    named.push((at, name.clone(), min.clone(), max.clone()));
                }
            });
        }
        for (at, name, min, max) in named {
            self.argument = at;
            let (low, high) = (min.as_ref().and_then(fixed), max.as_ref().and_then(fixed));
            if let (Some(low), Some(high)) = (low, high)
                && (low > high || high < 0)
            {
                let fact = format!("`{name}:{low}..{high}` is an empty range");
                return Err(self.empty(fact, "write the smaller number first"));
            }
            let variable = match self.shapes.get(&name) {
                Some(&variable) => variable,
                None => {
                    let variable = self.unknown(Interval::Int(0, i64::MAX), &Vec::new());
                    self.shapes.insert(name.clone(), variable);
                    self.out.shape_variables.push((name.clone(), variable));
                    variable
                }
            };
            self.limit_shape_variable(variable, &min, &max);
        }
        self.bound_open_shape_variables();
        Ok(())
    }

    fn limit_shape_variable(&mut self, variable: Variable, min: &Option<Term>, max: &Option<Term>) {
        for (term, is_max) in [(min, false), (max, true)] {
            let Some(term) = term else { continue };
            match fixed(term) {
                Some(side) if is_max => self.out.unknowns[variable].range.lower_max(side as f64, false),
                Some(side) => self.out.unknowns[variable].range.raise_min(side as f64, false),
                None => {
                    self.bound(variable, term, is_max, false, &Vec::new());
                    true
                }
            };
        }
    }

    /// A shape variable that is also an argument equals it; one without a range gets the usual one.
    fn bound_open_shape_variables(&mut self) {
        for (name, variable) in self.out.shape_variables.clone() {
            if self.function.arguments.iter().any(|argument| argument.name == name) {
                let term = Term::Value(Path { name: name.clone(), items: vec![] });
                self.bound(variable, &term, false, false, &Vec::new());
                self.bound(variable, &term, true, false, &Vec::new());
                continue;
            }
            let has_bound = |is_max| self.out.bounds.iter().any(|b| b.variable == variable && b.is_max == is_max);
            let (has_min, has_max) = (has_bound(false), has_bound(true));
            if let Interval::Int(min, max) = &mut self.out.unknowns[variable].range {
                if *min == 0 && *max == i64::MAX && !has_min {
                    *min = DEFAULT_SIDES.0;
                }
                if *max == i64::MAX && !has_max {
                    *max = (*min).max(1) + DEFAULT_SIDES.1 - 1;
                }
            }
        }
        let names: BTreeSet<String> = self.function.arguments.iter().map(|argument| argument.name.clone()).collect();
        self.out.shape_variables.retain(|(name, _)| !names.contains(name));
    }

    fn check_names(&self) -> Result<(), AnnotationError> {
        for argument in &self.function.arguments {
            for term in terms(&argument.constraint) {
                if let Some(text) = unclear(&term) {
                    return Err(AnnotationError::UnclearTerm {
                        annotation: argument.annotation(),
                        text,
                        line: argument.line,
                    });
                }
                for name in names_in(&term) {
                    if !self.is_known(&name) {
                        return Err(AnnotationError::UnknownName {
                            annotation: argument.annotation(),
                            name,
                            function: self.function.name.clone(),
                            line: argument.line,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn is_known(&self, name: &str) -> bool {
        self.shapes.contains_key(name) || self.function.arguments.iter().any(|argument| argument.name == name)
    }

    /// Follows what bounds name, from argument to argument, until a name comes back.
    fn check_cycles(&self) -> Result<(), AnnotationError> {
        let arguments = &self.function.arguments;
        let needs: Vec<Vec<usize>> = arguments
            .iter()
            .map(|argument| {
                let names: BTreeSet<String> = terms(&argument.constraint).iter().flat_map(names_in).collect();
                (0..arguments.len()).filter(|&at| names.contains(&arguments[at].name)).collect()
            })
            .collect();
        for start in 0..arguments.len() {
            let mut path = vec![start];
            if find_circle(&needs, start, &mut path) {
                return Err(AnnotationError::Cycle {
                    names: path.iter().map(|&at| arguments[at].name.clone()).collect(),
                    line: arguments[start].line,
                });
            }
        }
        Ok(())
    }
}

fn find_circle(needs: &[Vec<usize>], start: usize, path: &mut Vec<usize>) -> bool {
    let Some(&last) = path.last() else { return false };
    for &next in &needs[last] {
        if next == start {
            return true;
        }
        if !path.contains(&next) {
            path.push(next);
            if find_circle(needs, start, path) {
                return true;
            }
            path.pop();
        }
    }
    false
}
