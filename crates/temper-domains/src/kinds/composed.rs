//! `composed`: what a Python function makes of choices that it asks for itself.

use serde::Deserialize;
use temper::domain::draw_nested;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::ValueKind;
use crate::node::{Drawing, Solved, ValueNode};

/// What a function composes.
#[derive(Clone, Debug, Deserialize)]
pub struct Composed {
    /// The number of the function in the program.
    function: usize,
}

impl ValueKind for Composed {
    fn compile(&self, _: &mut Compiler, _: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        Ok(Box::new(self.clone()))
    }
}

impl ValueNode for Composed {
    /// What the function rejects is drawn again, as with a generator's preconditions.
    fn fill(&self, drawing: &mut Drawing<'_>, _: &Solved<'_>) -> Result<(), BuildError> {
        let Drawing { choices, builder, .. } = drawing;
        draw_nested(choices, |choices| {
            let mut mark = choices.mark();
            let result = loop {
                match builder.compose(self.function, None, choices) {
                    Err(BuildError::Rejected) if choices.retry(&mut mark) => {}
                    result => break result,
                }
            };
            choices.settle(&mark);
            result
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, fails};

    #[test]
    fn the_text_is_what_the_function_made() {
        // Nothing runs here, so nothing is known about what it made.
        check(r#"{"kind":"composed","function":1}"#, Laws::one("..."));
        fails(r#"{"kind":"composed"}"#, "missing field `function`");
    }
}
