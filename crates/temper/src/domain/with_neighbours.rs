//! Parts that do not move by the automatic neighbourhood: those with the user's own neighbour function (the paper's
//! USERNF, section III) and those that are only drawn.
//!
//! A user's step is recorded as choices like everything else: first the drawn value, then the list of steps taken from
//! it, each with its temperature and its own answers. A move appends one step; replaying the steps gives the value
//! again, and shrinking drops steps. The cost of a draw grows with the number of accepted steps.

use super::{Domain, Encoder, compose};
use crate::choices::tree::{ChoiceNode, flag, label};
use crate::choices::{Choices, Rejected};

/// See [`Domain::with_neighbours`].
#[derive(Clone, Copy, Debug)]
pub struct WithNeighbours<D, F> {
    pub(super) inner: D,
    pub(super) step: F,
}

impl<D, F> Domain for WithNeighbours<D, F>
where
    D: Domain,
    F: Fn(&D::Value, f64, &mut Choices) -> Result<D::Value, Rejected>,
{
    type Value = D::Value;

    fn draw(&self, choices: &mut Choices) -> Result<D::Value, Rejected> {
        let step = |value, temperature, choices: &mut Choices| (self.step)(&value, temperature, choices);
        draw_stepped(choices, |choices| self.inner.draw(choices), step)
    }

    fn encode(&self, value: &D::Value, out: &mut Encoder) -> bool {
        out.nodes.push(ChoiceNode::open(label::STEPPED, 0));
        let is_encoded = self.inner.encode(value, out);
        out.nodes.extend([ChoiceNode::open(label::STEPS, flag::RESIZABLE), ChoiceNode::CLOSE, ChoiceNode::CLOSE]);
        is_encoded
    }
}

/// Draws a part that is moved by the caller's own neighbour function, for sources of values that are no [`Domain`].
///
/// # Errors
/// As `first` and `step` return them.
pub fn draw_stepped<T, E>(
    choices: &mut Choices,
    first: impl FnOnce(&mut Choices) -> Result<T, E>,
    mut step: impl FnMut(T, f64, &mut Choices) -> Result<T, E>,
) -> Result<T, E> {
    choices.open_span(label::STEPPED, 0);
    let mut value = first(choices)?;
    let size = choices.size();
    // A fresh draw takes no steps; only a search appends them.
    choices.set_size(0);
    let mut steps = choices.begin_labelled_list(label::STEPS, 0, usize::MAX, false);
    choices.set_size(size);
    while choices.more(&mut steps) {
        let temperature = choices.temperature();
        let temperature = choices.given(temperature);
        value = step(value, temperature, choices)?;
    }
    choices.end_list(steps);
    choices.close();
    Ok(value)
}

/// A whole input given by its first value and a step to the next, instead of a domain: the two ingredients that
/// simulated annealing needs, as the paper's `first` and `next`.
///
/// ```
/// use temper::prelude::*;
/// let walk = first_next(|_| Ok(0i64), |at, _t, c| Ok(at + c.draw(&ints(-3..=3))?));
/// let report = forall(walk).maximize(|&at| at as f64).budget(5_000).run(|&at| at < 50);
/// assert!(report.is_found());
/// ```
pub fn first_next<T>(
    first: impl Fn(&mut Choices) -> Result<T, Rejected>,
    next: impl Fn(&T, f64, &mut Choices) -> Result<T, Rejected>,
) -> impl Domain<Value = T> {
    compose(first).with_neighbours(next)
}

/// See [`untargeted`].
#[derive(Clone, Copy, Debug)]
pub struct Untargeted<D> {
    inner: D,
}

/// A part that a search draws again for every test instead of moving it.
pub fn untargeted<D: Domain>(inner: D) -> Untargeted<D> {
    Untargeted { inner }
}

/// Draws a part that a search draws again for every test, for sources of values that are no [`Domain`].
pub fn draw_untargeted<T>(choices: &mut Choices, draw: impl FnOnce(&mut Choices) -> T) -> T {
    choices.open_span(label::UNTARGETED, 0);
    let value = draw(choices);
    choices.close();
    value
}

impl<D: Domain> Domain for Untargeted<D> {
    type Value = D::Value;

    fn draw(&self, choices: &mut Choices) -> Result<D::Value, Rejected> {
        draw_untargeted(choices, |choices| self.inner.draw(choices))
    }

    fn encode(&self, value: &D::Value, out: &mut Encoder) -> bool {
        out.span(label::UNTARGETED, &self.inner, value)
    }
}
