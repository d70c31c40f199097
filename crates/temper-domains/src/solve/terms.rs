//! Numbers that depend on the arguments, and conditions over them, as the worker sends them. Python's own parser has
//! read their texts.

use serde::Deserialize;

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
    /// A float.
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

impl Term {
    /// The whole number that the term is, when it names no argument.
    pub fn fixed(&self) -> Option<i64> {
        match self {
            Term::Int(value) => Some(*value),
            Term::Add(a, b) => a.fixed()?.checked_add(b.fixed()?),
            Term::Sub(a, b) => a.fixed()?.checked_sub(b.fixed()?),
            Term::Mul(a, b) => a.fixed()?.checked_mul(b.fixed()?),
            Term::Div(a, b) => a.fixed()?.checked_div_euclid(b.fixed().filter(|&by| by > 0)?),
            Term::Mod(a, b) => a.fixed()?.checked_rem_euclid(b.fixed().filter(|&by| by > 0)?),
            _ => None,
        }
    }

    /// The number that the term is, when it names no argument.
    pub fn number(&self) -> Option<f64> {
        match self {
            Term::Float(value) => Some(*value),
            other => other.fixed().map(|value| value as f64),
        }
    }

    /// The text in the term that is not understood.
    pub fn unclear(&self) -> Option<&str> {
        match self {
            Term::Unclear(text) => Some(text),
            _ => self.operands().and_then(|(a, b)| a.unclear().or_else(|| b.unclear())),
        }
    }

    /// The arguments and shape variables that the term names.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Term::Value(path) | Term::Len(path) | Term::Dim(path, _) | Term::Dims(path) => vec![&path.name],
            _ => self.operands().map_or_else(Vec::new, |(a, b)| [a.names(), b.names()].concat()),
        }
    }

    fn operands(&self) -> Option<(&Term, &Term)> {
        match self {
            Term::Add(a, b) | Term::Sub(a, b) | Term::Mul(a, b) | Term::Div(a, b) | Term::Mod(a, b) => Some((a, b)),
            _ => None,
        }
    }
}

/// One dimension of a shape.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// A size that follows from numbers and names.
    Size(Term),
    /// A shape variable; a range that is given at one place holds at all of them.
    Named {
        /// The variable.
        name: String,
        /// The least size, if it is given here.
        #[serde(default)]
        min: Option<Term>,
        /// The greatest size, if it is given here.
        #[serde(default)]
        max: Option<Term>,
    },
    /// Any leading dimensions, the same ones wherever the name appears.
    Rest(String),
}

impl Dimension {
    /// The terms in it.
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Dimension::Size(term) => vec![term],
            Dimension::Named { min, max, .. } => min.iter().chain(max).collect(),
            Dimension::Rest(_) => Vec::new(),
        }
    }
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

impl Condition {
    /// The arguments and shape variables that the condition names.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Condition::And(parts) | Condition::Or(parts) => parts.iter().flat_map(Condition::names).collect(),
            Condition::Compare(_, left, right) => [left.names(), right.names()].concat(),
            Condition::Type { path, .. } => vec![&path.name],
            Condition::Other => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Term {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_term_without_names_is_a_number() {
        for (text, expected) in [
            (r#"{"int":4}"#, Some(4)),
            (r#"{"add":[{"int":4},{"int":3}]}"#, Some(7)),
            (r#"{"sub":[{"int":4},{"int":9}]}"#, Some(-5)),
            (r#"{"div":[{"int":-7},{"int":2}]}"#, Some(-4)),
            (r#"{"mod":[{"int":-7},{"int":4}]}"#, Some(1)),
            (r#"{"div":[{"int":7},{"int":0}]}"#, None),
            (r#"{"mul":[{"int":9223372036854775807},{"int":2}]}"#, None),
            (r#"{"float":0.5}"#, None),
            (r#"{"value":{"name":"n"}}"#, None),
        ] {
            assert_eq!(read(text).fixed(), expected, "{text}");
        }
        assert_eq!(read(r#"{"float":0.5}"#).number(), Some(0.5));
    }

    #[test]
    fn names_and_unclear_texts_are_found_at_any_depth() {
        let term = read(r#"{"add":[{"len":{"name":"a"}},{"mul":[{"int":2},{"dim":[{"name":"b"},0]}]}]}"#);
        assert_eq!(term.names(), ["a", "b"]);
        assert_eq!(read(r#"{"add":[{"int":1},{"unclear":"n ** 2"}]}"#).unclear(), Some("n ** 2"));
        assert_eq!(term.unclear(), None);
    }

    #[test]
    fn a_condition_names_what_it_speaks_about() {
        let condition: Condition = serde_json::from_str(
            r#"{"or":[{"type":{"path":{"name":"x"},"names":["list"],"negated":true}},
                {"compare":["eq",{"len":{"name":"x"}},{"value":{"name":"n"}}]},"other"]}"#,
        )
        .unwrap();
        assert_eq!(condition.names(), ["x", "x", "n"]);
    }
}
