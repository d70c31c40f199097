//! From the description of a function to a plan for drawing its arguments: names are checked, nodes are compiled, and the
//! solver finds the skeletons that are feasible.

use crate::compiler::{Compiler, MAX_FROMS, NodePlace};
use crate::constant::Constant;
use crate::error::AnnotationError;
use crate::function::{Argument, Function};
use crate::names;
use crate::node::ArgumentNodes;
use crate::solve::skeletons::{Branch, Infeasible, MAX_SKELETONS, solve};
use crate::solve::terms::{Condition, Dimension};
use crate::solve::unknowns::Unknowns;

/// How to draw the arguments of one function.
#[derive(Debug)]
pub struct Plan {
    pub(crate) arguments: ArgumentNodes,
    pub(crate) defaults: Vec<Option<Constant>>,
    pub(crate) root: Branch,
}

impl Plan {
    /// Checks the annotations of a function and solves its skeletons.
    ///
    /// # Errors
    /// When an annotation or precondition is wrong or allows nothing.
    pub fn compile(function: &Function) -> Result<Plan, AnnotationError> {
        let (mut arguments, mut unknowns) = compile(function, MAX_FROMS)?;
        if unknowns.unions.iter().map(|union| union.alternatives as f64).product::<f64>() > MAX_SKELETONS as f64 {
            (arguments, unknowns) = compile(function, 0)?;
        }
        let preconditions: Vec<&Condition> = function.preconditions.iter().map(|each| &each.condition).collect();
        let root = solve(&unknowns, &preconditions, &arguments)
            .map_err(|infeasible| contradiction(function, &unknowns, infeasible))?;
        let defaults = function.arguments.iter().map(|argument| argument.default.clone()).collect();
        Ok(Plan { arguments, defaults, root })
    }

    /// Reads the annotations of a function as the worker sends them, and compiles them.
    ///
    /// # Errors
    /// As [`Plan::compile`], and when the text is no such description.
    pub fn from_json(text: &str) -> Result<Plan, AnnotationError> {
        let function: Function =
            serde_json::from_str(text).map_err(|error| AnnotationError::Unreadable(error.to_string()))?;
        Plan::compile(&function)
    }

    /// The number of arguments.
    pub fn arguments(&self) -> usize {
        self.arguments.names.len()
    }
}

/// Compiles the arguments; lists of more than `max_froms` written-out values stay out of the skeleton.
fn compile(function: &Function, max_froms: usize) -> Result<(ArgumentNodes, Unknowns), AnnotationError> {
    let annotations = function.arguments.iter().map(|argument| (argument.annotation(), argument.line)).collect();
    let mut compiler = Compiler::new(annotations, max_froms);
    declare_shape_variables(function, &mut compiler)?;
    names::check(function, |name| compiler.is_shape_variable(name))?;
    names::check_circles(function)?;
    let referenced = names::referenced(function);
    let mut arguments = ArgumentNodes::default();
    for (at, argument) in function.arguments.iter().enumerate() {
        compiler.argument = at;
        let place = NodePlace { owners: &Vec::new(), is_referred: referenced.contains(&argument.name) };
        arguments.nodes.push(argument.domain.compile(&mut compiler, place)?);
        arguments.names.push(argument.name.clone());
    }
    arguments.shape_variables = compiler.unknowns.shape_variables.clone();
    Ok((arguments, compiler.unknowns))
}

fn declare_shape_variables(function: &Function, compiler: &mut Compiler) -> Result<(), AnnotationError> {
    for (at, argument) in function.arguments.iter().enumerate() {
        compiler.argument = at;
        let mut dimensions: Vec<Dimension> = Vec::new();
        argument.domain.for_each_dimension(&mut |dimension| dimensions.push(dimension.clone()));
        dimensions.iter().try_for_each(|dimension| compiler.declare_shape_variable(dimension))?;
    }
    let names: Vec<&str> = function.arguments.iter().map(|argument| argument.name.as_str()).collect();
    compiler.close_shape_variables(&names);
    Ok(())
}

fn contradiction(function: &Function, unknowns: &Unknowns, infeasible: Infeasible) -> AnnotationError {
    if let Infeasible::Precondition(at) = infeasible {
        let precondition = &function.preconditions[at];
        let (name, text) = (function.name.clone(), precondition.text.clone());
        return AnnotationError::Contradiction { function: name, text, line: precondition.line };
    }
    let at = unknowns.bounds.first().map_or(0, |bound| bound.argument);
    let argument = function.arguments.get(at);
    AnnotationError::Empty {
        annotation: argument.map(Argument::annotation).unwrap_or_default(),
        fact: "no value lies between the bounds that it takes from other arguments".to_owned(),
        hint: "widen the range of the arguments that it names".to_owned(),
        line: argument.map_or(0, |argument| argument.line),
    }
}
