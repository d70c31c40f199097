//! `froms`: one of some values that the user wrote out; the first is the simplest.

use serde::Deserialize;

use super::anys::SkeletonChoice;
use super::constants::Constants;
use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::ValueKind;
use crate::node::{Asks, Drawing, Solved, ValueNode};

/// One of some values.
#[derive(Clone, Debug, Deserialize)]
pub struct Froms {
    values: Vec<Constants>,
    /// Whether the value is the kind of a step, of which a sequence prefers some.
    #[serde(default)]
    is_step: bool,
}

impl ValueKind for Froms {
    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let values = &self.values;
        if values.is_empty() {
            return Err(compiler.empty("froms([]): the list of values is empty", "write at least one value"));
        }
        if !place.is_referred || values.len() > compiler.max_froms {
            return Ok(Box::new(self.clone()));
        }
        let union = compiler.union(values.len(), place.owners);
        let options = values.iter().map(|value| Box::new(value.clone()) as Box<dyn ValueNode>).collect();
        Ok(Box::new(SkeletonChoice { union, options }))
    }
}

impl ValueNode for Froms {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let len = self.values.len();
        let at =
            if self.is_step { drawing.choices.step(|choices| choices.index(len)) } else { drawing.choices.index(len) };
        self.values[at].fill(drawing, solved)
    }

    fn asks(&self) -> Asks {
        Asks::One
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, constant, fails};

    fn froms(values: &[&str]) -> String {
        let values: Vec<String> = values.iter().map(|value| format!("{{{}}}", constant(value))).collect();
        format!(r#"{{"kind":"froms","values":[{}]}}"#, values.join(","))
    }

    #[test]
    fn every_value_is_drawn_and_the_first_is_the_simplest() {
        check(&froms(&["'b'", "None", "2"]), Laws::all(&["'b'", "None", "2"]).simplest("'b'"));
    }

    #[test]
    fn kinds_of_steps_have_the_same_values() {
        let steps = froms(&["0", "1", "2"]).replace(r#""kind":"froms""#, r#""kind":"froms","is_step":true"#);
        check(&steps, Laws::all(&["0", "1", "2"]).simplest("0"));
    }

    #[test]
    fn a_list_without_values_is_refused() {
        fails(&froms(&[]), "froms([]): the list of values is empty");
        fails(r#"{"kind":"froms"}"#, "missing field `values`");
    }
}
