//! What compiling gives: the nodes that are drawn, and the unknowns, unions and bounds that the solver settles first.

use temper::choices::FloatBounds;

use crate::function::{Constant, Floats, Term};
use crate::kinds::cells::{Cells, DType};
use crate::solve::interval::Interval;
use crate::solve::linear::Variable;

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

/// Which values the cells of an array may take: known at once, or when the unknowns in the bounds are.
#[derive(Clone, Debug)]
pub enum Filling {
    Fixed(Cells),
    Terms(Box<CellTerms>),
}

/// Cells whose bounds name other arguments.
#[derive(Clone, Debug)]
pub struct CellTerms {
    pub dtype: DType,
    pub min: Option<Term>,
    pub max: Option<Term>,
    pub nan: bool,
    pub inf: bool,
    pub is_unique: bool,
}

impl CellTerms {
    /// The cells between the bounds as they are now.
    ///
    /// # Errors
    /// With the reason, when no value of the type lies between the bounds.
    pub fn between(&self, min: Option<f64>, max: Option<f64>) -> Result<Cells, String> {
        Cells::new(self.dtype, min, max, self.nan, self.inf, self.is_unique)
    }
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
        cells: Filling,
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
