//! What a kind of value is: how its description is compiled, and which terms and other domains it holds. Its node
//! ([`ValueNode`]) does the rest. One file in `kinds/` has both for one kind.

use std::fmt::Debug;

use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::node::ValueNode;
use crate::solve::terms::{Dimension, Term};

/// The description of a domain of one kind, as the worker sends it. Nothing is checked when it is read; compiling does
/// that.
pub trait ValueKind: Debug + Send + Sync {
    /// Shows everything in the description that bounds and shape variables are in.
    fn parts(&self, _visit: &mut dyn FnMut(Part<'_>)) {}

    /// Checks the description, declares its unknowns, and makes the node that is drawn.
    ///
    /// # Errors
    /// When the domain is empty.
    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError>;
}

/// A part of a description.
#[derive(Debug)]
pub enum Part<'p> {
    /// A bound.
    Term(&'p Term),
    /// A dimension of an array.
    Dimension(&'p Dimension),
    /// A domain inside.
    Domain(&'p ValueDomain),
}

/// A domain of any kind. It is read by the list in `kinds/mod.rs`.
#[derive(Debug)]
pub struct ValueDomain(pub Box<dyn ValueKind>);

impl ValueDomain {
    /// As [`ValueKind::compile`].
    ///
    /// # Errors
    /// When the domain is empty.
    pub fn compile(
        &self,
        compiler: &mut Compiler,
        place: NodePlace<'_>,
    ) -> Result<Box<dyn ValueNode>, AnnotationError> {
        self.0.compile(compiler, place)
    }

    /// Every term in it.
    pub fn terms(&self) -> Vec<Term> {
        let mut found = Vec::new();
        self.visit(&mut |part| match part {
            Part::Term(term) => found.push(term.clone()),
            Part::Dimension(dimension) => found.extend(dimension.terms().into_iter().cloned()),
            Part::Domain(_) => {}
        });
        found
    }

    /// Every dimension in it.
    pub fn for_each_dimension(&self, visit: &mut dyn FnMut(&Dimension)) {
        self.visit(&mut |part| {
            if let Part::Dimension(dimension) = part {
                visit(dimension);
            }
        });
    }

    fn visit(&self, visit: &mut dyn FnMut(Part<'_>)) {
        self.0.parts(&mut |part| match part {
            Part::Domain(inner) => inner.visit(visit),
            part => visit(part),
        });
    }
}
