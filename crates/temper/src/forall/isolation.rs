//! The two sides of an isolated property: the process that starts children for it, and the child.

use crate::choices::{ChoiceTree, Choices};
use crate::closure::{ClosureSubject, JudgedInput};
use crate::domain::Domain;
use crate::isolated::{self, ChildEnd, ChildTask, Children};
use crate::quiet;
use crate::report::PropertyReport;
use crate::run::{RunPlan, TestSubject, run};
use std::panic::Location;
use std::time::Duration;

/// Runs a property in its own process, or does the part of such a process. Gives a report if the process did not end well.
pub(super) fn run_isolated<D: Domain, F: Fn(&D::Value) -> JudgedInput>(
    subject: &mut ClosureSubject<'_, D, F>,
    plan: &RunPlan,
    timeout: Duration,
    place: &Location<'_>,
) -> Option<PropertyReport<D::Value>> {
    let property = isolated::property_name(place);
    if let Some(mut task) = ChildTask::of(&property) {
        let only = task.only.take();
        subject.task = Some(task);
        match only {
            Some(tree) => drop(subject.evaluate(&mut Choices::replay(&tree))),
            None => drop(run(subject, &RunPlan { is_recording: true, ..plan.clone() })),
        }
        std::process::exit(0);
    }
    if isolated::is_child() {
        return None;
    }
    let started = Children::new(property, timeout).and_then(|children| children.run().map(|run| (children, run)));
    let (children, (end, last)) =
        started.unwrap_or_else(|error| panic!("the program could not be executed again: {error}"));
    if end == ChildEnd::Finished {
        return None;
    }
    let last = last.unwrap_or_else(|| panic!("{} before it drew an input for the property at {place}", end.text()));
    let domain = subject.domain;
    let draw = |choices: &mut Choices| quiet::catch(|| domain.draw(choices)).ok().and_then(Result::ok);
    let value_of = |tree: &ChoiceTree| draw(&mut Choices::replay(tree));
    let (tree, shrinks) = children.shrink(last, &end, &mut |choices| draw(choices).is_some());
    Some(PropertyReport::of_death(value_of(&tree)?, tree, shrinks, end.text(), plan.seed))
}
