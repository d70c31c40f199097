//! What can be wrong with the annotations of one function. Each message names the thing, the fact that shows it, and,
//! if there is one, the act that helps.

/// Why no inputs can be drawn for a function.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AnnotationError {
    /// A bound names something that is neither an argument nor a shape variable.
    #[error("annotation `{annotation}` names `{name}`, which is no argument and no shape variable of `{function}`")]
    UnknownName {
        /// The annotation as it is written, such as `@arg(x)`.
        annotation: String,
        /// The unknown name.
        name: String,
        /// The function.
        function: String,
        /// The line of the annotation.
        line: u32,
    },
    /// A bound is a text that is not understood.
    #[error("annotation `{annotation}` has a bound that is not understood: `{text}`")]
    UnclearTerm {
        /// The annotation as it is written, such as `@arg(x)`.
        annotation: String,
        /// The text.
        text: String,
        /// The line of the annotation.
        line: u32,
    },
    /// Bounds refer to each other in a circle.
    #[error("the annotations of {} depend on each other in a circle", list(.names))]
    Cycle {
        /// The arguments on the circle.
        names: Vec<String>,
        /// The line of the first one.
        line: u32,
    },
    /// An annotation allows nothing.
    #[error("annotation `{annotation}` allows no value")]
    Empty {
        /// The annotation as it is written, such as `@arg(x)`.
        annotation: String,
        /// Why.
        fact: String,
        /// What to do about it.
        hint: String,
        /// The line of the annotation.
        line: u32,
    },
    /// The preconditions contradict the annotations or each other.
    #[error("no input of `{function}` can meet `@require({text})`")]
    Contradiction {
        /// The function.
        function: String,
        /// The precondition that closed the last way out.
        text: String,
        /// Its line.
        line: u32,
    },
    /// What the worker sent is no annotation; a bug in Temper.
    #[error("the annotations could not be read: {0}")]
    Unreadable(String),
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl AnnotationError {
    /// The line of the source that the error is about; 0 when there is none.
    pub fn line(&self) -> u32 {
        use AnnotationError::*;
        match self {
            UnknownName { line, .. } | UnclearTerm { line, .. } | Cycle { line, .. } | Empty { line, .. } => *line,
            Contradiction { line, .. } => *line,
            Unreadable(_) => 0,
        }
    }

    /// The fact that shows the error, if it is not in the headline.
    pub fn fact(&self) -> Option<&str> {
        match self {
            AnnotationError::Empty { fact, .. } => Some(fact),
            _ => None,
        }
    }

    /// One act that helps.
    pub fn hint(&self) -> String {
        use AnnotationError::*;
        match self {
            UnknownName { .. } => "name an argument, or a shape variable that some `np_arrays` has".to_owned(),
            UnclearTerm { .. } => {
                "write numbers and names with `+`, `-`, `*` and `//`, as in `\"2 * n + 1\"`; products need a number"
                    .to_owned()
            }
            Cycle { .. } => "give one of them a range of numbers, and put the relation in a `@require`".to_owned(),
            Empty { hint, .. } => hint.clone(),
            Contradiction { .. } => "widen the annotations of the arguments it names, or remove it".to_owned(),
            Unreadable(_) => "this is a bug in Temper; please report it with the annotation".to_owned(),
        }
    }
}
