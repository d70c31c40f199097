//! The constraint tree as the worker sends it: what the decorators of one function said, with the texts of bounds and
//! preconditions already parsed (by Python's own parser, in the worker) into terms and conditions. Nothing is checked
//! here; [`Plan::compile`](crate::Plan::compile) does that.

use serde::Deserialize;

use crate::kinds::cells::DType;

/// Everything that is known about the valid inputs of one function.
#[derive(Clone, Debug, Deserialize)]
pub struct Function {
    /// Its qualified name, for messages.
    pub name: String,
    /// The expression that is called, for source text; the name when absent.
    #[serde(default)]
    pub label: Option<String>,
    /// Whether it is an attribute that is read, and not called.
    #[serde(default)]
    pub is_attribute: bool,
    /// One entry for each annotated argument, in the order of the signature.
    pub arguments: Vec<Argument>,
    /// The preconditions, in the order of the page.
    #[serde(default)]
    pub preconditions: Vec<Precondition>,
}

/// One annotated argument.
#[derive(Clone, Debug, Deserialize)]
pub struct Argument {
    /// Its name in the signature.
    pub name: String,
    /// The values it may take.
    pub constraint: Constraint,
    /// The annotation as the user wrote it, for messages; `@arg(name)` when absent.
    #[serde(default)]
    pub written: Option<String>,
    /// Where the annotation stands; 0 when that is not known.
    #[serde(default)]
    pub line: u32,
    /// How the argument is passed.
    #[serde(default)]
    pub passing: Passing,
    /// The parameter's own default, when the constraint allows it.
    #[serde(default)]
    pub default: Option<Constant>,
}

impl Argument {
    /// The annotation as it is named in messages.
    pub(crate) fn annotation(&self) -> String {
        self.written.clone().unwrap_or_else(|| format!("@arg({})", self.name))
    }
}

/// How an argument is written in a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Passing {
    /// By its place.
    Positional,
    /// By its name.
    #[default]
    Keyword,
    /// A list of further arguments by place, as for `*args`.
    Star,
    /// A dictionary of further arguments by name, as for `**kwargs`.
    DoubleStar,
    /// The instance that the method is called on.
    Receiver,
}

/// One `@require`.
#[derive(Clone, Debug, Deserialize)]
pub struct Precondition {
    /// As the user wrote it.
    pub text: String,
    /// Where it stands.
    #[serde(default)]
    pub line: u32,
    /// What the worker's parser understood of it.
    pub condition: Condition,
}

/// A value that the user wrote out. The value itself stays in the worker; here are its number there, its source text
/// and what preconditions may ask about it.
#[derive(Clone, Debug, Deserialize)]
pub struct Constant {
    /// The number of the value in the worker's table.
    pub index: usize,
    /// Python source that gives the value again.
    pub text: String,
    /// The name of its type.
    #[serde(default, rename = "type")]
    pub type_name: String,
    /// Its value, when it is a whole number of 64 bits and no bool.
    #[serde(default)]
    pub int: Option<i64>,
    /// Its value, when it is a float.
    #[serde(default)]
    pub float: Option<f64>,
    /// Its length, when it has one.
    #[serde(default)]
    pub len: Option<i64>,
    /// Its items, when it is a tuple or list of whole numbers.
    #[serde(default)]
    pub items: Option<Vec<i64>>,
    /// Its shape, when it is an array.
    #[serde(default)]
    pub shape: Option<Vec<i64>>,
}

/// One node of the constraint tree.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Constraint {
    /// One value.
    Constant(Constant),
    /// One of some values.
    Froms {
        /// The values, in the order of the page; the first is the simplest.
        values: Vec<Constant>,
    },
    /// `False` and `True`.
    Bools,
    /// Whole numbers; both ends belong to the range. The worker has put in the defaults.
    Ints {
        /// The least value.
        min: Term,
        /// The greatest value.
        max: Term,
    },
    /// Floats.
    Floats(Floats),
    /// Texts.
    Texts {
        /// The least number of characters.
        min_len: Term,
        /// The greatest number of characters.
        max_len: Term,
        /// The characters to use; printable ASCII when absent.
        #[serde(default)]
        alphabet: Option<String>,
    },
    /// Lists of one kind of element.
    Lists {
        /// The element.
        element: Box<Constraint>,
        /// The least number of elements.
        min_len: Term,
        /// The greatest number of elements.
        max_len: Term,
        /// Whether the result is a tuple.
        #[serde(default)]
        is_tuple: bool,
    },
    /// Tuples (or lists) of given elements.
    Tuples {
        /// The elements.
        elements: Vec<Constraint>,
    },
    /// Shapes of arrays, as tuples.
    NpShapes(ShapeRange),
    /// Arrays.
    NpArrays {
        /// The kinds of cells; more than one is a union.
        dtype: DType,
        /// The shape.
        shape: Shape,
        /// The least value of a cell.
        #[serde(default)]
        min: Option<Term>,
        /// The greatest value of a cell.
        #[serde(default)]
        max: Option<Term>,
        /// Whether cells may be not-a-number.
        #[serde(default)]
        nan: bool,
        /// Whether cells may be infinite.
        #[serde(default)]
        inf: bool,
        /// Whether no two cells are equal.
        #[serde(default)]
        unique: bool,
        /// The library whose array it becomes; numpy's own when absent.
        #[serde(default)]
        lib: Option<String>,
    },
    /// Dictionaries with keys and values of two constraints.
    Dicts {
        /// The keys.
        keys: Box<Constraint>,
        /// The values.
        values: Box<Constraint>,
        /// The least number of keys.
        min_size: usize,
        /// The greatest number of keys.
        max_size: usize,
    },
    /// Dictionaries with given keys.
    Records {
        /// The fields, in the order of the page.
        fields: Vec<Field>,
    },
    /// Data frames with given columns.
    Frames {
        /// The columns, in the order of the page.
        columns: Vec<Field>,
        /// The number of rows.
        rows: Dimension,
    },
    /// A value of any of these.
    Anys {
        /// The alternatives; the first is the simplest.
        options: Vec<Constraint>,
    },
    /// What a generator function returns, or an instance that a class's constructor builds.
    Objs {
        /// The number of the function in the program.
        function: usize,
    },
    /// What a function makes of choices that it asks for itself.
    Composed {
        /// The number of the function in the program.
        function: usize,
    },
    /// Values that a search moves by the user's own neighbour function.
    Stepped {
        /// Where the first value comes from.
        inner: Box<Constraint>,
        /// The number of the neighbour function in the program.
        function: usize,
    },
    /// Values that a search draws anew for every test.
    Untargeted {
        /// Where they come from.
        inner: Box<Constraint>,
    },
}

/// A float annotation.
#[derive(Clone, Debug, Deserialize)]
pub struct Floats {
    /// The lower bound; none means every finite value.
    #[serde(default)]
    pub min: Option<Term>,
    /// The upper bound.
    #[serde(default)]
    pub max: Option<Term>,
    /// Leaves the lower bound itself out.
    #[serde(default)]
    pub exclude_min: bool,
    /// Leaves the upper bound itself out.
    #[serde(default)]
    pub exclude_max: bool,
    /// Allows not-a-number.
    #[serde(default)]
    pub nan: bool,
    /// Allows the infinities.
    #[serde(default)]
    pub inf: bool,
    /// 16, 32 or 64.
    pub width: u32,
}

/// A key of a record, or a column.
#[derive(Clone, Debug, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Whether it may be missing.
    #[serde(default)]
    pub is_optional: bool,
    /// Its values.
    pub constraint: Constraint,
}

/// The range of `np_shapes`.
#[derive(Clone, Debug, Deserialize)]
pub struct ShapeRange {
    /// The least number of dimensions.
    pub min_dims: i64,
    /// The greatest number of dimensions.
    pub max_dims: i64,
    /// The least size of a dimension.
    pub min_side: Term,
    /// The greatest size of a dimension.
    pub max_side: Term,
}

/// The shape of an array.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Dimension by dimension.
    Dims(Vec<Dimension>),
    /// Any shape of a range.
    Range(ShapeRange),
    /// One of these shapes.
    OneOf(Vec<Vec<i64>>),
}

/// One dimension of a shape.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// A size that follows from numbers and names.
    Size(Term),
    /// A shape variable; a range given at one place holds at all of them.
    Named {
        /// The variable.
        name: String,
        /// The least size, where it is given here.
        #[serde(default)]
        min: Option<Term>,
        /// The greatest size, where it is given here.
        #[serde(default)]
        max: Option<Term>,
    },
    /// Any leading dimensions, the same ones wherever the name appears.
    Rest(String),
}

/// A place in the arguments: a name, and the indices that lead into tuples.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub struct Path {
    /// The argument.
    pub name: String,
    /// The items of tuples.
    #[serde(default)]
    pub items: Vec<usize>,
}

/// A number that depends on the arguments.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    /// A whole number.
    Int(i64),
    /// A float, as the text that Python prints.
    Float(f64),
    /// An argument, an item of a tuple, or a shape variable.
    Value(Path),
    /// The length of a list, text or array.
    Len(Path),
    /// One dimension of an array.
    Dim(Path, i64),
    /// The number of dimensions of an array.
    Dims(Path),
    /// A sum.
    Add(Box<Term>, Box<Term>),
    /// A difference.
    Sub(Box<Term>, Box<Term>),
    /// A product.
    Mul(Box<Term>, Box<Term>),
    /// A quotient, rounded down.
    Div(Box<Term>, Box<Term>),
    /// A remainder.
    Mod(Box<Term>, Box<Term>),
    /// A text that is no such number; it is kept for the message.
    Unclear(String),
}

/// How two terms compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `==`
    Eq,
    /// `!=`
    Ne,
}

/// A precondition as far as it is understood, with negations moved to the comparisons.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// All of these hold.
    And(Vec<Condition>),
    /// At least one of these holds.
    Or(Vec<Condition>),
    /// A comparison of two numbers.
    Compare(Comparison, Term, Term),
    /// The value at the place is of one of these types, or of none of them.
    Type {
        /// The place.
        path: Path,
        /// Names of types.
        names: Vec<String>,
        /// True for "is none of them".
        negated: bool,
    },
    /// Something else: it filters.
    Other,
}
