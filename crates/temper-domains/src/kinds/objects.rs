//! `objs`: what a generator function returns, or an instance that a class's constructor builds.

use serde::Deserialize;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::ValueKind;
use crate::node::{Drawing, Solved, ValueNode};

/// How deep generators may use generators; a generator that always uses itself is rejected instead of exhausting the
/// stack.
const MAX_DEPTH: usize = 24;
/// How often a draw may be too deep before it is given up. Every generator on the way would redraw its arguments, so a
/// generator that always uses itself would never end.
const MAX_DEAD_ENDS: usize = 200;

/// What a generator returns.
#[derive(Clone, Debug, Deserialize)]
pub struct Objects {
    /// The number of the function in the program.
    function: usize,
}

impl ValueKind for Objects {
    fn compile(&self, _: &mut Compiler, _: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        Ok(Box::new(self.clone()))
    }
}

impl ValueNode for Objects {
    fn fill(&self, drawing: &mut Drawing<'_>, _: &Solved<'_>) -> Result<(), BuildError> {
        if drawing.recursion.depth >= MAX_DEPTH {
            drawing.recursion.dead_ends += 1;
            return Err(BuildError::Rejected);
        }
        drawing.recursion.depth += 1;
        drawing.choices.open("generator");
        let drawn = self.accepted_arguments(drawing);
        drawing.choices.close();
        drawing.recursion.depth -= 1;
        drawn?;
        drawing.builder.call(self.function, drawing.functions.arguments(self.function))
    }
}

impl Objects {
    /// A generator's preconditions are part of its domain: arguments that break them are drawn again.
    fn accepted_arguments(&self, drawing: &mut Drawing<'_>) -> Result<(), BuildError> {
        let height = drawing.builder.height();
        let mut mark = drawing.choices.mark();
        let result = loop {
            let functions = drawing.functions;
            let drawn = functions.draw(self.function, drawing).and_then(|()| {
                let count = drawing.builder.height() - height;
                drawing.builder.accepts(self.function, count)
            });
            let may_retry = drawing.recursion.dead_ends < MAX_DEAD_ENDS;
            match drawn {
                Ok(true) => break Ok(()),
                Ok(false) | Err(BuildError::Rejected) if may_retry && drawing.choices.retry(&mut mark) => {
                    drawing.builder.truncate(height);
                }
                Ok(false) => break Err(BuildError::Rejected),
                Err(error) => break Err(error),
            }
        };
        drawing.choices.settle(&mark);
        // Preconditions see the shape variables; the generator does not.
        let arguments = drawing.functions.arguments(self.function);
        drawing.builder.truncate(height + arguments);
        result
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check_in, fails};

    const OBJECTS: &str = r#"{"kind":"objs","function":1}"#;

    #[test]
    fn the_arguments_of_a_generator_are_drawn_and_shown() {
        let generator = r#"{"name":"make","arguments":[{"name":"flag","domain":{"kind":"bools"}}]}"#;
        let all = ["make(flag=False)", "make(flag=True)"];
        check_in(&[generator], OBJECTS, Laws::all(&all).simplest(all[0]));
    }

    #[test]
    fn shape_variables_are_no_arguments_of_a_generator() {
        let shape = r#"{"dims":[{"named":{"name":"n","min":{"int":0},"max":{"int":0}}}]}"#;
        let array = format!(r#"{{"kind":"np_arrays","dtype":"bool","shape":{shape}}}"#);
        let generator = format!(r#"{{"name":"make","arguments":[{{"name":"x","domain":{array}}}]}}"#);
        check_in(&[&generator], OBJECTS, Laws::one("make(x=np.zeros(0, 'bool'))"));
    }

    #[test]
    fn a_generator_that_always_uses_itself_is_a_rejection() {
        let generator = format!(r#"{{"name":"make","arguments":[{{"name":"inner","domain":{OBJECTS}}}]}}"#);
        check_in(&[&generator], OBJECTS, Laws::rejected());
    }

    #[test]
    fn a_function_is_named_by_its_number() {
        fails(r#"{"kind":"objs","function":"make"}"#, "invalid type: string");
    }
}
