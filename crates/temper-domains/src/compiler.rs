//! What a kind of value declares while it is compiled: unknowns, unions, bounds, lengths and dimensions. Only what a
//! bound or a precondition refers to becomes an unknown; everything else stays free and is drawn in place.

use std::collections::HashMap;

use crate::error::AnnotationError;
use crate::solve::interval::Interval;
use crate::solve::linear::Variable;
use crate::solve::terms::{Dimension, Path, Term};
use crate::solve::unknowns::{Bound, Count, Owners, Side, SkeletonUnion, Unknown, Unknowns};

/// The most alternatives that a list of written-out values may add to the skeleton.
pub const MAX_FROMS: usize = 256;
/// Sizes of a shape variable that no annotation bounds.
const DEFAULT_SIDES: (i64, i64) = (1, 8);
/// How many leading dimensions `*batch` stands for, and how large they are: enough to tell 0, 1 and 2 apart.
const REST_DIMS: usize = 2;
const REST_SIDES: (i64, i64) = (1, 4);

/// Where a node stands: under which alternatives it exists, and whether a bound or precondition may refer to it.
#[derive(Clone, Copy, Debug)]
pub struct NodePlace<'o> {
    /// The alternatives.
    pub owners: &'o Owners,
    /// Whether the argument is referred to.
    pub is_referred: bool,
}

impl NodePlace<'_> {
    /// The place of something inside that nothing can refer to.
    pub fn unnamed(self) -> Self {
        NodePlace { is_referred: false, ..self }
    }
}

/// Collects the unknowns of one function.
#[derive(Debug)]
pub struct Compiler {
    /// What was declared.
    pub unknowns: Unknowns,
    /// The place of the argument that is compiled.
    pub argument: usize,
    /// How messages name the annotations of the arguments, and their lines.
    pub annotations: Vec<(String, u32)>,
    /// Longer lists of written-out values stay out of the skeleton.
    pub max_froms: usize,
    shapes: HashMap<String, Variable>,
    rests: HashMap<String, (usize, Vec<Variable>)>,
}

impl Compiler {
    /// A compiler for a function whose arguments have these annotations.
    pub fn new(annotations: Vec<(String, u32)>, max_froms: usize) -> Compiler {
        let (shapes, rests) = (HashMap::new(), HashMap::new());
        Compiler { unknowns: Unknowns::default(), argument: 0, annotations, max_froms, shapes, rests }
    }

    /// The error for a domain without a value.
    pub fn empty(&self, fact: impl Into<String>, hint: &str) -> AnnotationError {
        let (annotation, line) = self.annotations.get(self.argument).cloned().unwrap_or_default();
        AnnotationError::Empty { annotation, fact: fact.into(), hint: hint.to_owned(), line }
    }

    /// Declares an unknown.
    pub fn unknown(&mut self, range: Interval, owners: &Owners) -> Variable {
        self.unknowns.unknowns.push(Unknown { range, owners: owners.clone() });
        self.unknowns.unknowns.len() - 1
    }

    /// Declares an unknown whole number between two terms, and not below `floor`.
    pub fn whole_unknown(&mut self, min: &Term, max: &Term, floor: i64, owners: &Owners) -> Variable {
        let range = Interval::Int(min.fixed().unwrap_or(floor).max(floor), max.fixed().unwrap_or(i64::MAX));
        let variable = self.unknown(range, owners);
        self.bound(variable, min, false, false, owners);
        self.bound(variable, max, true, false, owners);
        variable
    }

    /// Bounds an unknown by a term; a plain number is in its range already.
    pub fn bound(&mut self, variable: Variable, term: &Term, is_max: bool, is_strict: bool, owners: &Owners) {
        if term.number().is_none() {
            let (term, owners, argument) = (term.clone(), owners.clone(), self.argument);
            self.unknowns.bounds.push(Bound { variable, term, is_max, is_strict, owners, argument });
        }
    }

    /// Declares a union and gives its number.
    pub fn union(&mut self, alternatives: usize, owners: &Owners) -> usize {
        self.unknowns.unions.push(SkeletonUnion { alternatives, owners: owners.clone() });
        self.unknowns.unions.len() - 1
    }

    /// The length of something; an unknown only when something may refer to it.
    ///
    /// # Errors
    /// When there is no such length.
    pub fn count(&mut self, min: &Term, max: &Term, place: NodePlace<'_>) -> Result<Count, AnnotationError> {
        if let (Some(low), Some(high)) = (min.fixed(), max.fixed())
            && (low > high || high < 0)
        {
            return Err(self.empty(format!("the least length is {low} and the greatest {high}"), "raise `max_len`"));
        }
        if place.is_referred {
            return Ok(Count::Unknown(self.whole_unknown(min, max, 0, place.owners)));
        }
        Ok(Count::Between(min.into(), max.into()))
    }

    /// A dimension.
    ///
    /// # Errors
    /// When it is negative.
    pub fn side(&mut self, dimension: &Dimension, owners: &Owners) -> Result<Side, AnnotationError> {
        match dimension {
            Dimension::Size(term) => match term.fixed() {
                Some(side) if side < 0 => Err(self.empty(format!("a dimension is {side}"), "write sizes of 0 or more")),
                Some(side) => Ok(Side::Fixed(side)),
                None => {
                    let variable = self.unknown(Interval::Int(0, i64::MAX), owners);
                    self.equal(variable, term, owners);
                    Ok(Side::Unknown(variable))
                }
            },
            Dimension::Named { name, .. } => self
                .shapes
                .get(name)
                .map(|&v| Side::Unknown(v))
                .ok_or_else(|| AnnotationError::Unreadable(format!("shape variable {name} was not declared"))),
            Dimension::Rest(name) => {
                let (union, variables) = self.rest(name);
                Ok(Side::Rest(union, variables))
            }
        }
    }

    fn equal(&mut self, variable: Variable, term: &Term, owners: &Owners) {
        self.bound(variable, term, false, false, owners);
        self.bound(variable, term, true, false, owners);
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

    /// Whether a shape variable has this name.
    pub fn is_shape_variable(&self, name: &str) -> bool {
        self.shapes.contains_key(name)
    }

    /// Declares a shape variable where it is met, or narrows the range that it has. All are declared before any argument
    /// is compiled, because the whole function shares them.
    ///
    /// # Errors
    /// When its range is empty.
    pub fn declare_shape_variable(&mut self, dimension: &Dimension) -> Result<(), AnnotationError> {
        let Dimension::Named { name, min, max } = dimension else { return Ok(()) };
        let (low, high) = (min.as_ref().and_then(Term::fixed), max.as_ref().and_then(Term::fixed));
        if let (Some(low), Some(high)) = (low, high)
            && (low > high || high < 0)
        {
            let fact = format!("`{name}:{low}..{high}` is an empty range");
            return Err(self.empty(fact, "write the smaller number first"));
        }
        let variable = match self.shapes.get(name) {
            Some(&variable) => variable,
            None => {
                let variable = self.unknown(Interval::Int(0, i64::MAX), &Vec::new());
                self.shapes.insert(name.clone(), variable);
                self.unknowns.shape_variables.push((name.clone(), variable));
                variable
            }
        };
        self.limit_shape_variable(variable, min, max);
        Ok(())
    }

    fn limit_shape_variable(&mut self, variable: Variable, min: &Option<Term>, max: &Option<Term>) {
        for (term, is_max) in [(min, false), (max, true)] {
            let Some(term) = term else { continue };
            let range = &mut self.unknowns.unknowns[variable].range;
            match term.fixed() {
                Some(side) if is_max => _ = range.lower_max(side as f64, false),
                Some(side) => _ = range.raise_min(side as f64, false),
                None => self.bound(variable, term, is_max, false, &Vec::new()),
            }
        }
    }

    /// A shape variable that is also an argument equals it; one without a range gets the usual one.
    pub fn close_shape_variables(&mut self, arguments: &[&str]) {
        for (name, variable) in self.unknowns.shape_variables.clone() {
            if arguments.contains(&name.as_str()) {
                self.equal(variable, &Term::Value(Path { name, items: vec![] }), &Vec::new());
                continue;
            }
            let has_bound = |is_max| self.unknowns.bounds.iter().any(|b| b.variable == variable && b.is_max == is_max);
            let (has_min, has_max) = (has_bound(false), has_bound(true));
            if let Interval::Int(min, max) = &mut self.unknowns.unknowns[variable].range {
                if *min == 0 && *max == i64::MAX && !has_min {
                    *min = DEFAULT_SIDES.0;
                }
                if *max == i64::MAX && !has_max {
                    *max = (*min).max(1) + DEFAULT_SIDES.1 - 1;
                }
            }
        }
        self.unknowns.shape_variables.retain(|(name, _)| !arguments.contains(&name.as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiler() -> Compiler {
        Compiler::new(vec![("@arg(x)".to_owned(), 3)], MAX_FROMS)
    }

    fn named(name: &str, min: Option<i64>, max: Option<i64>) -> Dimension {
        Dimension::Named { name: name.to_owned(), min: min.map(Term::Int), max: max.map(Term::Int) }
    }

    fn range(compiler: &Compiler, at: usize) -> Interval {
        compiler.unknowns.unknowns[at].range
    }

    #[test]
    fn shape_variables_without_a_range_get_the_usual_one() {
        let mut compiler = compiler();
        for dimension in [named("n", None, None), named("k", Some(20), None), named("m", None, Some(3))] {
            compiler.declare_shape_variable(&dimension).unwrap();
        }
        compiler.close_shape_variables(&[]);
        let found: Vec<Interval> = (0..3).map(|at| range(&compiler, at)).collect();
        assert_eq!(found, [Interval::Int(1, 8), Interval::Int(20, 27), Interval::Int(0, 3)]);
    }

    #[test]
    fn a_range_given_at_one_place_holds_at_all_of_them() {
        let mut compiler = compiler();
        compiler.declare_shape_variable(&named("n", Some(2), Some(9))).unwrap();
        compiler.declare_shape_variable(&named("n", None, Some(5))).unwrap();
        assert_eq!(range(&compiler, 0), Interval::Int(2, 5));
        assert!(compiler.is_shape_variable("n") && !compiler.is_shape_variable("k"));
    }

    #[test]
    fn a_shape_variable_that_is_an_argument_equals_it() {
        let mut compiler = compiler();
        compiler.declare_shape_variable(&named("x", None, None)).unwrap();
        compiler.close_shape_variables(&["x"]);
        assert!(compiler.unknowns.shape_variables.is_empty());
        assert_eq!(compiler.unknowns.bounds.iter().map(|bound| bound.is_max).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn the_error_for_an_empty_domain_names_the_annotation() {
        let error = compiler().empty("nothing is left", "do something");
        assert_eq!(error.to_string(), "annotation `@arg(x)` allows no value");
        assert_eq!((error.line(), error.fact(), error.hint().as_str()), (3, Some("nothing is left"), "do something"));
    }
}
