//! From the constraint tree to nodes that can be drawn: unknowns get numbers, unions that preconditions speak about get
//! a place in the skeleton, defaults and ranges are checked. What nothing refers to stays free and is drawn in place.

use std::collections::{BTreeSet, HashMap};

use crate::error::AnnotationError;
use crate::function::{Argument, Constant, Constraint, Field, Floats, Function, Path, Term};
use crate::solve::interval::{FloatRange, Interval};
use crate::solve::linear::Variable;
use crate::solve::terms::{amount, fixed, number, referenced_names};

pub use crate::node::{
    Amount, Bound, CellTerms, Compiled, Count, Dim, Dims, Filling, FloatExtras, Node, Owners, Union, Unknown,
};

/// The most alternatives that a list of written-out values may add to the skeleton.
pub const MAX_FROMS: usize = 256;

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

pub struct Compiler<'f> {
    pub(crate) function: &'f Function,
    pub(crate) out: Compiled,
    referenced: BTreeSet<String>,
    pub(crate) shapes: HashMap<String, Variable>,
    pub(crate) rests: HashMap<String, (usize, Vec<Variable>)>,
    pub(crate) argument: usize,
    pub(crate) max_froms: usize,
}

impl Compiler<'_> {
    fn current(&self) -> &Argument {
        &self.function.arguments[self.argument]
    }

    pub(crate) fn empty(&self, fact: String, hint: &str) -> AnnotationError {
        let argument = self.current();
        AnnotationError::Empty { annotation: argument.annotation(), fact, hint: hint.to_owned(), line: argument.line }
    }

    pub(crate) fn unknown(&mut self, range: Interval, owners: &Owners) -> Variable {
        self.out.unknowns.push(Unknown { range, owners: owners.clone() });
        self.out.unknowns.len() - 1
    }

    /// An unknown whole number between two terms.
    pub(crate) fn whole_unknown(&mut self, min: &Term, max: &Term, floor: i64, owners: &Owners) -> Variable {
        let range = Interval::Int(fixed(min).unwrap_or(floor).max(floor), fixed(max).unwrap_or(i64::MAX));
        let variable = self.unknown(range, owners);
        self.bound(variable, min, false, false, owners);
        self.bound(variable, max, true, false, owners);
        variable
    }

    pub(crate) fn bound(&mut self, variable: Variable, term: &Term, is_max: bool, is_strict: bool, owners: &Owners) {
        if fixed(term).is_none() && !matches!(term, Term::Float(_)) {
            let (term, owners, argument) = (term.clone(), owners.clone(), self.argument);
            self.out.bounds.push(Bound { variable, term, is_max, is_strict, owners, argument });
        }
    }

    pub(crate) fn union(&mut self, alternatives: usize, owners: &Owners) -> usize {
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
                let (min, max) = (min.clone(), max.clone());
                let cells = CellTerms { dtype: *dtype, min, max, nan: *nan, inf: *inf, is_unique: *unique };
                self.array(self.filling(cells)?, shape, lib.as_ref(), site, owners)?
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

    fn filling(&self, cells: CellTerms) -> Result<Filling, AnnotationError> {
        let ends = [&cells.min, &cells.max].map(|end| end.as_ref().map(number));
        let [None | Some(Some(_)), None | Some(Some(_))] = ends else { return Ok(Filling::Terms(Box::new(cells))) };
        let [min, max] = ends.map(Option::flatten);
        let fixed = cells.between(min, max).map_err(|fact| {
            self.empty(fact, "change `min` or `max` so that a value of that dtype lies between them")
        })?;
        Ok(Filling::Fixed(fixed))
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
}
