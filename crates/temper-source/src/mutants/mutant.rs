//! One change of a file, its kinds, and which kinds are wanted.

use std::collections::BTreeSet;

use crate::edit::{ContentHash, Edit, EditSet};
use crate::error::SourceError;
use crate::file::SourceFile;
use crate::span::{Position, Span};

use super::swaps::Swaps;

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `+` for `-`, `*` for `/`, and so on.
    Arithmetic,
    /// `<` for `<=`, `==` for `!=`, `is` for `is not`, `in` for `not in`.
    Comparison,
    /// `and` for `or`.
    Boolean,
    /// `&` for `|`, `<<` for `>>`.
    Bitwise,
    /// `+=` for `-=`, and for a plain assignment.
    Augmented,
    /// A number: one more, one less, nothing, twice, with the other sign.
    Constant,
    /// `True` for `False`, 0 for `None`.
    Literal,
    /// An assigned value becomes `None`.
    Assignment,
    /// The body of a lambda becomes `None`.
    Lambda,
    /// `break` for `continue`; a returned value becomes `None`.
    Flow,
    /// A condition is negated.
    Condition,
    /// An argument is left out, or changes places with the next one.
    Argument,
    /// A sign or `not` is left out.
    Unary,
    /// A statement is left out.
    Statement,
    /// An end of a slice is left out.
    Slice,
    /// A library function becomes one with a like signature.
    Swap,
    /// `axis=0` for `axis=1` or none.
    Axis,
    /// `reduction="mean"` for `"sum"`.
    Reduction,
    /// A number that is the default of a parameter or a keyword argument: a tenth, ten times, one more, one less, nothing.
    Hyperparameter,
    /// A loop ends after its first pass.
    Loop,
    /// `train()` for `eval()`; without `detach()` or `no_grad()`.
    Training,
    /// The end of a slice is one further or one nearer.
    Window,
    /// `float32` for `float64`, `float16` for `float32`.
    Precision,
    /// An activation, dropout or normalisation is left out.
    Layer,
    /// Another optimiser, loss, activation or initialisation, where it is chosen by a name in quotes.
    Choice,
    /// Data are no longer shuffled.
    Shuffle,
    /// Labels go to other rows.
    Label,
}

/// A kind of change as users see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatorRow {
    /// The kind.
    pub operator: Operator,
    /// Its name, as users write it.
    pub name: &'static str,
    /// What it changes.
    pub change: &'static str,
    /// The fault of a programmer that it stands for.
    pub fault: &'static str,
}

const fn row(operator: Operator, name: &'static str, change: &'static str, fault: &'static str) -> OperatorRow {
    OperatorRow { operator, name, change, fault }
}

/// All kinds. `docs/reference/operators.md` has the same rows.
pub const OPERATORS: [OperatorRow; 27] = [
    row(Operator::Arithmetic, "arithmetic", "`+` for `-`, `*` for `/`", "a slip in a formula"),
    row(
        Operator::Comparison,
        "comparison",
        "`<` for `<=` and `>=`, `==` for `!=`",
        "a border case, a condition the wrong way round",
    ),
    row(Operator::Boolean, "boolean", "`and` for `or`", "a condition that holds too often or too rarely"),
    row(Operator::Bitwise, "bitwise", "`&` for `|`, `<<` for `>>`", "a mask that selects other elements"),
    row(
        Operator::Augmented,
        "augmented",
        "`+=` for `-=` and `=`",
        "an update with the wrong sign, or one that forgets",
    ),
    row(
        Operator::Constant,
        "constant",
        "a number: one more, one less, nothing, twice, the other sign",
        "a wrong constant",
    ),
    row(Operator::Literal, "literal", "`True` for `False`, 0 for `None`", "a switch in the wrong position"),
    row(Operator::Assignment, "assignment", "an assigned value becomes `None`", "a value that is never computed"),
    row(Operator::Lambda, "lambda", "the body of a lambda becomes `None`", "a function that does nothing"),
    row(
        Operator::Flow,
        "flow",
        "`break` for `continue`; a returned value becomes `None`",
        "a loop that ends early, a result that is lost",
    ),
    row(Operator::Condition, "condition", "a condition is negated", "the wrong branch"),
    row(
        Operator::Argument,
        "argument",
        "an argument is left out, or changes places with the next one",
        "arguments mixed up",
    ),
    row(Operator::Unary, "unary", "a sign or `not` is left out", "a lost sign"),
    row(Operator::Statement, "statement", "a statement is left out", "a forgotten step, such as `zero_grad` or `step`"),
    row(Operator::Slice, "slice", "an end of a slice is left out", "data that leaks from one part into another"),
    row(
        Operator::Swap,
        "swap",
        "a library function becomes one with a like signature",
        "a wrong function of the right shape",
    ),
    row(Operator::Axis, "axis", "`axis=0` for `axis=1` or none", "a reduction along the wrong axis"),
    row(Operator::Reduction, "reduction", "`reduction=\"mean\"` for `\"sum\"`", "a loss that grows with the batch"),
    row(
        Operator::Hyperparameter,
        "hyperparameter",
        "the number of a default or of a keyword argument: a tenth, ten times, one more, one less, nothing",
        "a wrong learning rate, number of epochs or batch size",
    ),
    row(Operator::Loop, "loop", "a loop ends after its first pass", "training that stops too early"),
    row(
        Operator::Training,
        "training",
        "`train()` for `eval()`; without `detach()` or `no_grad()`",
        "a model in the wrong mode, gradients where none belong",
    ),
    row(
        Operator::Window,
        "window",
        "a computed end of a slice is one further or one nearer",
        "a window or a split that is off by one",
    ),
    row(
        Operator::Precision,
        "precision",
        "`float32` for `float64`, `float16` for `float32`",
        "numbers that lose digits",
    ),
    row(
        Operator::Layer,
        "layer",
        "an activation, dropout or normalisation is left out, as in `x` for `relu(x)`",
        "a network that lacks a layer",
    ),
    row(
        Operator::Choice,
        "choice",
        "another optimiser, loss, activation or initialisation in quotes: `\"sgd\"` for `\"adam\"`",
        "a choice that does not fit the task",
    ),
    row(
        Operator::Shuffle,
        "shuffle",
        "data are no longer shuffled",
        "batches or parts that follow the order of the data",
    ),
    row(Operator::Label, "label", "labels of `fit(x, y)` go to other rows", "labels that do not belong to their rows"),
];

impl Operator {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        OPERATORS.iter().find(|row| row.operator == self).map_or("", |row| row.name)
    }

    /// The operator with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        OPERATORS.iter().find(|row| row.name == name).map(|row| row.operator)
    }
}

/// One small change to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// What is replaced.
    pub span: Span,
    /// What takes its place, with as many line ends.
    pub replacement: String,
    /// The kind of change.
    pub operator: Operator,
    /// Where it begins.
    pub at: Position,
    /// The function around it as `__qualname__` has it; nothing at module level.
    pub function: Option<String>,
    /// First and last line of the statement around it, as far as it runs with the change.
    pub lines: (u32, u32),
    /// Which argument changes, as in `first argument of Linear`.
    pub place: Option<String>,
}

impl Mutant {
    /// `line:col: replace X with Y in function`, the same as long as the line is where it is.
    #[must_use]
    pub fn name(&self, file: &SourceFile) -> String {
        let old = one_line(file.slice(self.span));
        let new = one_line(&self.replacement);
        let place = self.function.as_deref().unwrap_or("the module");
        let Position { line, column } = self.at;
        match (old.as_str(), new.as_str()) {
            (old, "") => format!("{line}:{column}: remove {old} in {place}"),
            (old, new) => format!("{line}:{column}: replace {old} with {new} in {place}"),
        }
    }

    /// The whole text with the change.
    ///
    /// # Errors
    /// When the change does not belong to `file`.
    pub fn apply(&self, file: &SourceFile) -> Result<String, SourceError> {
        let edit = Edit::replace(self.span, &self.replacement);
        EditSet::new(file, vec![edit])?.apply(file.text())
    }

    /// The first line that changes, before and after.
    #[must_use]
    pub fn diff(&self, file: &SourceFile) -> (String, String) {
        let before = file.line_text(self.at.line).to_owned();
        let after = self.apply(file).map(|text| file.with_text(text).line_text(self.at.line).to_owned());
        (before, after.unwrap_or_default())
    }

    /// The same for the same change of the file at this path of the project, wherever the project lies.
    #[must_use]
    pub fn hash(&self, path: &str) -> ContentHash {
        ContentHash::of(format!("{path}\n{:?}\n{}", self.span, self.replacement).as_bytes())
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What [`mutants`] makes.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Kinds of change.
    pub operators: BTreeSet<Operator>,
    /// Functions with like signatures.
    pub swaps: Swaps,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { operators: OPERATORS.iter().map(|row| row.operator).collect(), swaps: Swaps::built_in() }
    }
}
