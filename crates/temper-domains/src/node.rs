//! What a kind of value compiles to: a node that fills in one value of a draw and answers what bounds and preconditions
//! ask about it.

use std::fmt::Debug;

use temper::Choices;

use crate::builder::{BuildError, Builder};
use crate::solve::interval::Number;
use crate::solve::linear::Variable;
use crate::solve::terms::{Path, Term};
use crate::solve::unknowns::{Amount, Answer, Count, NoAnswer, Quantity, Scope, Side, side_at};

/// A compiled domain.
pub trait ValueNode: Debug + Send + Sync {
    /// Puts one value on the builder's stack.
    ///
    /// # Errors
    /// When the choices lead to no value, or the builder fails.
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError>;

    /// What every draw of the node asks for.
    fn asks(&self) -> Asks {
        Asks::Several
    }

    /// Whether nothing else depends on what the node gives, so that a default may stand in its place.
    fn is_replaceable(&self) -> bool {
        true
    }

    /// The name of the Python type of all its values.
    fn type_name(&self) -> Option<&str> {
        None
    }

    /// The number that the value is.
    ///
    /// # Errors
    /// When it is none.
    fn number(&self) -> Answer<Quantity> {
        Err(NoAnswer::Unclear)
    }

    /// The length of the value under a skeleton.
    ///
    /// # Errors
    /// When it has none.
    fn len(&self, _skeleton: &[usize]) -> Answer<Quantity> {
        Err(NoAnswer::Unclear)
    }

    /// The dimensions of the value under a skeleton.
    ///
    /// # Errors
    /// When it is no array.
    fn sides(&self, _skeleton: &[usize]) -> Answer<Vec<Quantity>> {
        Err(NoAnswer::Unclear)
    }

    /// An item of the value.
    ///
    /// # Errors
    /// When there is none.
    fn item(&self, _at: usize) -> Answer<NodeItem<'_>> {
        Err(NoAnswer::Unclear)
    }

    /// The alternative that a skeleton takes, if the node is a union of it.
    fn alternative(&self, _skeleton: &[usize]) -> Option<&dyn ValueNode> {
        None
    }
}

/// What every draw of a node asks the choices for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Nothing: the value is known.
    Nothing,
    /// Exactly one primitive.
    One,
    /// Anything else.
    Several,
}

/// An item of a value, as the solver sees it.
#[derive(Debug)]
pub enum NodeItem<'n> {
    /// A value that is drawn.
    Node(&'n dyn ValueNode),
    /// A number.
    Number(Quantity),
}

/// The compiled arguments of a function.
#[derive(Debug, Default)]
pub struct ArgumentNodes {
    /// Their names.
    pub names: Vec<String>,
    /// Their nodes.
    pub nodes: Vec<Box<dyn ValueNode>>,
    /// The shape variables that are no arguments.
    pub shape_variables: Vec<(String, Variable)>,
}

impl ArgumentNodes {
    /// What is at a place under a skeleton.
    fn locate(&self, path: &Path, skeleton: &[usize]) -> Answer<NodeItem<'_>> {
        if let Some((_, variable)) = self.shape_variables.iter().find(|(name, _)| *name == path.name) {
            return Ok(NodeItem::Number(Quantity::Unknown(*variable)));
        }
        let at = self.names.iter().position(|name| *name == path.name).ok_or(NoAnswer::Unclear)?;
        let mut found = NodeItem::Node(resolve(&*self.nodes[at], skeleton));
        for &item in &path.items {
            found = match found {
                NodeItem::Node(node) => node.item(item)?,
                NodeItem::Number(_) => return Err(NoAnswer::Unclear),
            };
            if let NodeItem::Node(node) = found {
                found = NodeItem::Node(resolve(node, skeleton));
            }
        }
        Ok(found)
    }

    fn node_at(&self, path: &Path, skeleton: &[usize]) -> Answer<&dyn ValueNode> {
        match self.locate(path, skeleton)? {
            NodeItem::Node(node) => Ok(node),
            NodeItem::Number(_) => Err(NoAnswer::Unclear),
        }
    }
}

fn resolve<'n>(mut node: &'n dyn ValueNode, skeleton: &[usize]) -> &'n dyn ValueNode {
    while let Some(taken) = node.alternative(skeleton) {
        node = taken;
    }
    node
}

impl Scope for ArgumentNodes {
    fn number(&self, path: &Path, skeleton: &[usize]) -> Answer<Quantity> {
        match self.locate(path, skeleton)? {
            NodeItem::Node(node) => node.number(),
            NodeItem::Number(number) => Ok(number),
        }
    }

    fn len(&self, path: &Path, skeleton: &[usize]) -> Answer<Quantity> {
        self.node_at(path, skeleton)?.len(skeleton)
    }

    fn sides(&self, path: &Path, skeleton: &[usize]) -> Answer<Vec<Quantity>> {
        self.node_at(path, skeleton)?.sides(skeleton)
    }

    fn type_name(&self, path: &Path, skeleton: &[usize]) -> Answer<&str> {
        self.node_at(path, skeleton)?.type_name().ok_or(NoAnswer::Unclear)
    }
}

/// A draw under way.
pub struct Drawing<'d> {
    /// Where everything random comes from.
    pub choices: &'d mut Choices,
    /// Makes the values.
    pub builder: &'d mut dyn Builder,
    /// The functions of the program.
    pub functions: &'d dyn Functions,
    /// How generators use generators.
    pub recursion: &'d mut Recursion,
}

/// How generators use generators in one draw.
#[derive(Debug, Default)]
pub struct Recursion {
    /// How many generators the draw is inside of.
    pub depth: usize,
    /// How often that was too deep.
    pub dead_ends: usize,
}

/// The functions of a program, whose arguments can be drawn.
pub trait Functions {
    /// Puts the arguments of a function on the stack, followed by its shape variables.
    ///
    /// # Errors
    /// When the choices lead to no value, or the builder fails.
    fn draw(&self, function: usize, drawing: &mut Drawing<'_>) -> Result<(), BuildError>;
    /// The number of its arguments, without the shape variables.
    fn arguments(&self, function: usize) -> usize;
}

impl Drawing<'_> {
    /// Puts the items of a list on the stack and says how many there are.
    ///
    /// # Errors
    /// When an item cannot be drawn.
    pub fn items(
        &mut self,
        (min, max): (usize, usize),
        element: &dyn ValueNode,
        solved: &Solved<'_>,
    ) -> Result<usize, BuildError> {
        let before = self.builder.height();
        let mut list = self.choices.begin_list(min, max, element.asks() == Asks::One);
        let mut result = Ok(());
        while result.is_ok() && self.choices.more(&mut list) {
            result = element.fill(self, solved);
        }
        self.choices.end_list(list);
        result.map(|()| self.builder.height() - before)
    }
}

/// The unknowns of one function during one draw.
pub struct Solved<'p> {
    /// The arguments.
    pub arguments: &'p ArgumentNodes,
    /// The alternatives that are taken.
    pub skeleton: &'p [usize],
    /// The unknowns.
    pub numbers: Vec<Number>,
}

impl Solved<'_> {
    /// The least and greatest number of elements.
    ///
    /// # Errors
    /// When there is no such number.
    pub fn count(&self, count: &Count) -> Result<(usize, usize), BuildError> {
        let (min, max) = match count {
            Count::Unknown(variable) => {
                let len = self.numbers[*variable].int();
                (len, len)
            }
            Count::Between(min, max) => (self.amount(min)?.max(0), self.amount(max)?),
        };
        let size = |value: i64| usize::try_from(value).map_err(|_| BuildError::Rejected);
        if min > max { Err(BuildError::Rejected) } else { Ok((size(min)?, size(max)?)) }
    }

    /// The dimensions.
    pub fn sides(&self, sides: &[Side]) -> Vec<i64> {
        let mut all = Vec::with_capacity(sides.len());
        for side in sides {
            match side {
                Side::Fixed(side) => all.push(*side),
                Side::Unknown(variable) => all.push(self.numbers[*variable].int()),
                Side::Rest(union, variables) => {
                    all.extend(variables[..self.skeleton[*union]].iter().map(|&variable| self.numbers[variable].int()));
                }
            }
        }
        all
    }

    /// A whole number.
    ///
    /// # Errors
    /// When it follows from something that has no number.
    pub fn amount(&self, amount: &Amount) -> Result<i64, BuildError> {
        match amount {
            Amount::Fixed(value) => Ok(*value),
            Amount::Term(term) => self.term(term).map(|value| value as i64),
        }
    }

    /// The value of a term.
    ///
    /// # Errors
    /// When it names something that has no number.
    pub fn term(&self, term: &Term) -> Result<f64, BuildError> {
        let known = |quantity: Answer<Quantity>| match quantity {
            Ok(quantity) => Ok(quantity.value(&self.numbers)),
            Err(_) => Err(BuildError::Rejected),
        };
        Ok(match term {
            Term::Int(value) => *value as f64,
            Term::Float(value) => *value,
            Term::Value(path) => known(self.arguments.number(path, self.skeleton))?,
            Term::Len(path) => known(self.arguments.len(path, self.skeleton))?,
            Term::Dim(path, at) => {
                known(self.arguments.sides(path, self.skeleton).and_then(|sides| side_at(&sides, *at)))?
            }
            Term::Dims(path) => {
                self.arguments.sides(path, self.skeleton).map_err(|_| BuildError::Rejected)?.len() as f64
            }
            Term::Add(a, b) => self.term(a)? + self.term(b)?,
            Term::Sub(a, b) => self.term(a)? - self.term(b)?,
            Term::Mul(a, b) => self.term(a)? * self.term(b)?,
            Term::Div(a, b) => (self.term(a)? / self.term(b)?).floor(),
            Term::Mod(a, b) => self.term(a)?.rem_euclid(self.term(b)?),
            Term::Unclear(_) => return Err(BuildError::Rejected),
        })
    }
}
