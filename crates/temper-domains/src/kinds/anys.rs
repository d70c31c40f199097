//! `anys`: a value of any of some domains; the first is the simplest.

use serde::Deserialize;

use crate::builder::BuildError;
use crate::compiler::{Compiler, NodePlace};
use crate::error::AnnotationError;
use crate::kind::{Part, ValueDomain, ValueKind};
use crate::node::{Asks, Drawing, Solved, ValueNode};

/// Alternatives.
#[derive(Debug, Deserialize)]
pub struct Anys {
    options: Vec<ValueDomain>,
}

impl ValueKind for Anys {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        self.options.iter().for_each(|option| visit(Part::Domain(option)));
    }

    fn compile(&self, compiler: &mut Compiler, place: NodePlace<'_>) -> Result<Box<dyn ValueNode>, AnnotationError> {
        let options = &self.options;
        if options.is_empty() {
            return Err(compiler.empty("anys(): there is no alternative", "write at least one alternative"));
        }
        if !place.is_referred {
            let nodes = options.iter().map(|option| option.compile(compiler, place)).collect::<Result<_, _>>()?;
            return Ok(Box::new(FreeChoice(nodes)));
        }
        let union = compiler.union(options.len(), place.owners);
        let mut nodes = Vec::new();
        for (at, option) in options.iter().enumerate() {
            let mut owners = place.owners.clone();
            owners.push((union, at));
            nodes.push(option.compile(compiler, NodePlace { owners: &owners, ..place })?);
        }
        Ok(Box::new(SkeletonChoice { union, options: nodes }))
    }
}

/// Alternatives of which the skeleton takes one, by the union with this number.
#[derive(Debug)]
pub struct SkeletonChoice {
    /// The number of the union.
    pub union: usize,
    /// The alternatives.
    pub options: Vec<Box<dyn ValueNode>>,
}

impl ValueNode for SkeletonChoice {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        fill_alternative(&self.options, solved.skeleton[self.union], drawing, solved)
    }

    fn is_replaceable(&self) -> bool {
        false
    }

    fn alternative(&self, skeleton: &[usize]) -> Option<&dyn ValueNode> {
        Some(&*self.options[skeleton[self.union]])
    }
}

/// Alternatives that nothing refers to.
#[derive(Debug)]
struct FreeChoice(Vec<Box<dyn ValueNode>>);

impl ValueNode for FreeChoice {
    fn fill(&self, drawing: &mut Drawing<'_>, solved: &Solved<'_>) -> Result<(), BuildError> {
        let at = drawing.choices.index(self.0.len());
        fill_alternative(&self.0, at, drawing, solved)
    }
}

const NAMES: [&str; 8] = ["0", "1", "2", "3", "4", "5", "6", "7"];

/// Fills in a span, so that a change of alternative disturbs nothing that follows.
fn fill_alternative(
    options: &[Box<dyn ValueNode>],
    at: usize,
    drawing: &mut Drawing<'_>,
    solved: &Solved<'_>,
) -> Result<(), BuildError> {
    let node = &options[at];
    if node.asks() == Asks::Nothing {
        return node.fill(drawing, solved);
    }
    drawing.choices.open(NAMES.get(at).copied().unwrap_or("a later alternative"));
    let result = node.fill(drawing, solved);
    drawing.choices.close();
    result
}

#[cfg(test)]
mod tests {
    use crate::testing::{Laws, check, constant, fails};

    fn anys(options: &[String]) -> String {
        format!(r#"{{"kind":"anys","options":[{}]}}"#, options.join(","))
    }

    #[test]
    fn every_alternative_is_drawn_and_the_first_is_the_simplest() {
        let none = format!(r#"{{"kind":"constant",{}}}"#, constant("None"));
        let both = anys(&[none, r#"{"kind":"bools"}"#.to_owned()]);
        check(&both, Laws::all(&["None", "False", "True"]).simplest("None"));
        check(&anys(&[both]), Laws::all(&["None", "False", "True"]));
    }

    #[test]
    fn nothing_to_choose_from_is_refused() {
        fails(&anys(&[]), "anys(): there is no alternative");
        fails(&anys(&[anys(&[])]), "anys(): there is no alternative");
    }
}
