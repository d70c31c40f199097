//! `records`: dictionaries with given keys, of which some may be missing.

use serde::Deserialize;

use super::fields::{Field, FieldNode};
use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::{Part, ValueKind};
use crate::node::{Drawing, Solved, ValueNode};

/// Records.
#[derive(Debug, Deserialize)]
pub struct Records {
    fields: Vec<Field>,
}

impl ValueKind for Records {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        self.fields.iter().for_each(|field| visit(Part::Domain(&field.domain)));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let fields = self.fields.iter().map(|field| field.compile(compiler, place)).collect::<Result<_, _>>()?;
        Ok(Box::new(RecordNode(fields)))
    }
}

#[derive(Debug)]
struct RecordNode(Vec<FieldNode>);

impl ValueNode for RecordNode {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let mut len = 0;
        for field in &self.0 {
            drawing.choices.open(&field.name);
            let is_present = !field.is_optional || drawing.choices.flag(0.5);
            let mut result = Ok(());
            if is_present {
                drawing.builder.text(&field.name);
                result = field.node.fill(drawing, solved);
                len += 1;
            }
            drawing.choices.close();
            result?;
        }
        drawing.builder.dict(len);
        Ok(())
    }

    fn type_name(&self) -> Option<&str> {
        Some("dict")
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, fails};

    #[test]
    fn optional_keys_are_there_or_not() {
        let fields = r#"{"name":"a","domain":{"kind":"ints","min":{"int":1},"max":{"int":1}}},
            {"name":"b","is_optional":true,"domain":{"kind":"bools"}}"#;
        let all = ["{'a': 1}", "{'a': 1, 'b': False}", "{'a': 1, 'b': True}"];
        check(&format!(r#"{{"kind":"records","fields":[{fields}]}}"#), Laws::all(&all).simplest("{'a': 1}"));
        check(r#"{"kind":"records","fields":[]}"#, Laws::one("{}"));
    }

    #[test]
    fn a_field_without_values_is_refused() {
        let field = r#"{"name":"a","domain":{"kind":"froms","values":[]}}"#;
        fails(&format!(r#"{{"kind":"records","fields":[{field}]}}"#), "the list of values is empty");
        fails(r#"{"kind":"records","fields":[{"name":"a"}]}"#, "missing field `domain`");
    }
}
