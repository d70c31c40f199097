//! Drawing: from the plans of a program and a source of choices to values, through a builder that knows how values are
//! made. All randomness comes from the choices, so a recorded draw can be replayed, shrunk and moved.

use temper::Choices;

use crate::builder::{BuildError, Builder};
use crate::node::{Drawing, Functions, Recursion, Solved};
use crate::plan::Plan;
use crate::solve::settle;

/// The plans of a function and of the generators that its annotations use; number 0 is the function itself.
#[derive(Debug)]
pub struct Program {
    /// The plans, numbered as in `objs`.
    pub plans: Vec<Plan>,
}

impl Program {
    /// Draws the arguments of the function, followed by the values of its shape variables, onto the builder's stack.
    ///
    /// # Errors
    /// When the choices lead to no value, or the builder fails.
    pub fn draw(&self, choices: &mut Choices, builder: &mut dyn Builder) -> Result<(), BuildError> {
        let recursion = &mut Recursion::default();
        Functions::draw(self, 0, &mut Drawing { choices, builder, functions: self, recursion })
    }
}

impl Functions for Program {
    fn draw(&self, function: usize, drawing: &mut Drawing<'_>) -> Result<(), BuildError> {
        let plan = self.plans.get(function).ok_or(BuildError::Failed)?;
        // Never taken by chance: the run asks for it once, as an edge case.
        let with_defaults = plan.defaults.iter().any(Option::is_some) && drawing.choices.weighted(&[1, 0]) == 1;
        let case = settle::skeleton(&plan.root, drawing.choices);
        let numbers = settle::unknowns(case, drawing.choices)?;
        let solved = Solved { arguments: &plan.arguments, skeleton: &case.skeleton, numbers };
        for (node, default) in plan.arguments.nodes.iter().zip(&plan.defaults) {
            match default {
                Some(constant) if with_defaults && node.is_replaceable() => drawing.builder.constant(constant),
                _ => node.fill(drawing, &solved)?,
            }
        }
        for (_, variable) in &plan.arguments.shape_variables {
            drawing.builder.int(solved.numbers[*variable].int());
        }
        Ok(())
    }

    fn arguments(&self, function: usize) -> usize {
        self.plans.get(function).map_or(0, Plan::arguments)
    }
}
