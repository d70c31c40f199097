//! A function as the worker describes it: what its decorators said, with the texts of bounds and preconditions already
//! read by Python's own parser. Nothing is checked here; [`Plan::compile`](crate::Plan::compile) does that.

use serde::Deserialize;

use crate::constant::Constant;
use crate::kind::ValueDomain;
use crate::solve::terms::Condition;

/// Everything that is known about the valid inputs of one function.
#[derive(Debug, Deserialize)]
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
#[derive(Debug, Deserialize)]
pub struct Argument {
    /// Its name in the signature.
    pub name: String,
    /// The values it may take.
    pub domain: ValueDomain,
    /// The annotation as the user wrote it, for messages; `@arg(name)` when absent.
    #[serde(default)]
    pub written: Option<String>,
    /// The line of the annotation; 0 when that is not known.
    #[serde(default)]
    pub line: u32,
    /// How the argument is passed.
    #[serde(default)]
    pub passing: Passing,
    /// The parameter's own default, when the domain allows it.
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
    /// Its line.
    #[serde(default)]
    pub line: u32,
    /// What the worker's parser understood of it.
    pub condition: Condition,
}
