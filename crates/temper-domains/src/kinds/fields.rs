//! The fields of records and the columns of frames: domains with names.

use serde::Deserialize;

use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::ValueDomain;
use crate::node::ValueNode;

/// A key of a record, or a column.
#[derive(Debug, Deserialize)]
pub struct Field {
    name: String,
    /// Whether it may be missing.
    #[serde(default)]
    is_optional: bool,
    /// Its values.
    pub domain: ValueDomain,
}

/// A compiled field.
#[derive(Debug)]
pub struct FieldNode {
    /// Its name.
    pub name: String,
    /// Whether it may be missing.
    pub is_optional: bool,
    /// Its values.
    pub node: Box<dyn ValueNode>,
}

impl Field {
    /// The compiled field; nothing can refer to what is in it.
    ///
    /// # Errors
    /// When its domain is empty.
    pub fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<FieldNode, AnnotationError> {
        let node = self.domain.compile(compiler, place.unnamed())?;
        Ok(FieldNode { name: self.name.clone(), is_optional: self.is_optional, node })
    }
}
