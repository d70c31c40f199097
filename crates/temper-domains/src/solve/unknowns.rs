//! What the solver settles before anything is drawn: whole numbers, lengths, dimensions and compared floats, the unions
//! that decide which of them exist, and the bounds between them.

use super::interval::{Interval, Number};
use super::linear::Variable;
use super::terms::{Path, Term};

/// The alternatives of unions that must be taken for something to exist.
pub type Owners = Vec<(usize, usize)>;

/// Whether something exists under a skeleton.
pub fn exists(owners: &Owners, skeleton: &[usize]) -> bool {
    owners.iter().all(|&(union, alternative)| skeleton[union] == alternative)
}

/// An unknown: its range as far as numbers give it, and the alternatives under which it exists.
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
    /// The place of the argument whose annotation it is.
    pub argument: usize,
}

/// A union whose alternative is decided before anything is drawn.
#[derive(Clone, Debug)]
pub struct SkeletonUnion {
    pub alternatives: usize,
    pub owners: Owners,
}

/// The unknowns of one function.
#[derive(Clone, Debug, Default)]
pub struct Unknowns {
    pub unknowns: Vec<Unknown>,
    pub unions: Vec<SkeletonUnion>,
    pub bounds: Vec<Bound>,
    /// The shape variables that are no arguments, in the order in which they are met.
    pub shape_variables: Vec<(String, Variable)>,
}

/// A number that a value has for the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// An unknown.
    Unknown(Variable),
    /// A multiple of a whole unknown.
    Multiple(Variable, i64),
    /// A whole number.
    Int(i64),
    /// A float.
    Float(f64),
}

impl Quantity {
    /// The number, when the unknowns are known.
    pub fn value(self, numbers: &[Number]) -> f64 {
        match self {
            Quantity::Unknown(variable) => numbers[variable].float(),
            Quantity::Multiple(variable, factor) => numbers[variable].float() * factor as f64,
            Quantity::Int(value) => value as f64,
            Quantity::Float(value) => value,
        }
    }
}

/// Why a value has no number for the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// Python would raise here (the length of a number), so no input with this skeleton is valid.
    Undefined,
    /// The solver does not see through it.
    Unclear,
}

/// What a value answers.
pub type Answer<T> = Result<T, NoAnswer>;

/// What the solver asks about the arguments under one skeleton.
pub trait Scope {
    /// The number at a place.
    ///
    /// # Errors
    /// When there is none.
    fn number(&self, path: &Path, skeleton: &[usize]) -> Answer<Quantity>;
    /// The length of the value at a place.
    ///
    /// # Errors
    /// When it has none.
    fn len(&self, path: &Path, skeleton: &[usize]) -> Answer<Quantity>;
    /// The dimensions of the array at a place.
    ///
    /// # Errors
    /// When it has none.
    fn sides(&self, path: &Path, skeleton: &[usize]) -> Answer<Vec<Quantity>>;
    /// The name of the Python type at a place.
    ///
    /// # Errors
    /// When not all values there have one type.
    fn type_name(&self, path: &Path, skeleton: &[usize]) -> Answer<&str>;
}

/// The dimension at an index, counted from the end when it is negative.
///
/// # Errors
/// When there is no such dimension.
pub fn side_at<T: Copy>(sides: &[T], at: i64) -> Answer<T> {
    let at = if at < 0 { at + sides.len() as i64 } else { at };
    usize::try_from(at).ok().and_then(|at| sides.get(at).copied()).ok_or(NoAnswer::Undefined)
}

/// A number that is known at once or follows from the unknowns.
#[derive(Clone, Debug)]
pub enum Amount {
    Fixed(i64),
    Term(Term),
}

impl From<&Term> for Amount {
    fn from(term: &Term) -> Amount {
        term.fixed().map_or_else(|| Amount::Term(term.clone()), Amount::Fixed)
    }
}

/// A number of elements.
#[derive(Clone, Debug)]
pub enum Count {
    Unknown(Variable),
    Between(Amount, Amount),
}

impl Count {
    /// What the solver knows about it.
    ///
    /// # Errors
    /// When it is drawn only later.
    pub fn quantity(&self) -> Answer<Quantity> {
        match self {
            Count::Unknown(variable) => Ok(Quantity::Unknown(*variable)),
            Count::Between(..) => Err(NoAnswer::Unclear),
        }
    }
}

/// One or several dimensions of an array.
#[derive(Clone, Debug)]
pub enum Side {
    Fixed(i64),
    Unknown(Variable),
    /// As many leading dimensions as the union says.
    Rest(usize, Vec<Variable>),
}

/// The dimensions, with leading ones replaced by as many as the skeleton has.
pub fn unfold(sides: &[Side], skeleton: &[usize]) -> Vec<Quantity> {
    let mut all = Vec::with_capacity(sides.len());
    for side in sides {
        match side {
            Side::Fixed(side) => all.push(Quantity::Int(*side)),
            Side::Unknown(variable) => all.push(Quantity::Unknown(*variable)),
            Side::Rest(union, variables) => {
                all.extend(variables[..skeleton[*union]].iter().map(|&variable| Quantity::Unknown(variable)));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_dimensions_are_as_many_as_the_skeleton_says() {
        let sides = [Side::Rest(0, vec![4, 5]), Side::Fixed(3), Side::Unknown(6)];
        let all = |skeleton: &[usize]| unfold(&sides, skeleton);
        assert_eq!(all(&[0]), [Quantity::Int(3), Quantity::Unknown(6)]);
        assert_eq!(all(&[1]), [Quantity::Unknown(4), Quantity::Int(3), Quantity::Unknown(6)]);
        assert_eq!(all(&[2]).len(), 4);
    }

    #[test]
    fn dimensions_count_from_either_end() {
        assert_eq!((side_at(&[7, 8, 9], 0), side_at(&[7, 8, 9], -1)), (Ok(7), Ok(9)));
        assert_eq!((side_at(&[7], 1), side_at(&[7], -2)), (Err(NoAnswer::Undefined), Err(NoAnswer::Undefined)));
    }

    #[test]
    fn a_quantity_has_a_value_when_the_unknowns_have() {
        let numbers = [Number::Int(3), Number::Float(0.5)];
        for (quantity, expected) in [
            (Quantity::Unknown(0), 3.0),
            (Quantity::Unknown(1), 0.5),
            (Quantity::Multiple(0, 4), 12.0),
            (Quantity::Int(-2), -2.0),
            (Quantity::Float(0.25), 0.25),
        ] {
            assert_eq!(quantity.value(&numbers), expected, "{quantity:?}");
        }
    }
}
