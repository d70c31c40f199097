//! Constants, alternatives and options. The first alternative is the simplest.

use super::{BoxDomain, Domain, Encoder};
use crate::choices::tree::label;
use crate::choices::{Choices, Rejected};

/// One value; see [`just`].
#[derive(Clone, Copy, Debug)]
pub struct Just<T>(T);

/// The domain of one value.
pub fn just<T: Clone>(value: T) -> Just<T> {
    Just(value)
}

impl<T: Clone> Domain for Just<T> {
    type Value = T;

    fn draw(&self, _: &mut Choices) -> Result<T, Rejected> {
        Ok(self.0.clone())
    }
}

/// One of some values; see [`select`].
#[derive(Clone, Debug)]
pub struct Select<T> {
    values: Vec<T>,
}

/// One of the given values, all equally likely, the first the simplest.
///
/// # Panics
/// When there are no values.
pub fn select<T: Clone>(values: impl IntoIterator<Item = T>) -> Select<T> {
    let values: Vec<T> = values.into_iter().collect();
    assert!(!values.is_empty(), "`select` needs at least one value");
    Select { values }
}

impl<T: Clone> Domain for Select<T> {
    type Value = T;

    #[inline]
    fn draw(&self, choices: &mut Choices) -> Result<T, Rejected> {
        let i = choices.index(self.values.len());
        Ok(self.values[i].clone())
    }

    fn is_bare(&self) -> bool {
        true
    }
}

/// Draws from one of some domains; see [`one_of`].
#[derive(Clone, Debug)]
pub struct OneOf<T> {
    weights: Vec<u32>,
    domains: Vec<BoxDomain<T>>,
}

/// A draw from one of the given domains, all equally likely, the first the simplest.
///
/// ```
/// use temper::prelude::*;
/// let number = one_of([ints(0..=9).boxed(), ints(1000..=9999).boxed()]);
/// forall(number).check(|&n| n <= 9 || n >= 1000);
/// ```
///
/// # Panics
/// When there are no domains.
pub fn one_of<T>(domains: impl IntoIterator<Item = BoxDomain<T>>) -> OneOf<T> {
    weighted(domains.into_iter().map(|domain| (1, domain)))
}

/// A draw from one of the given domains, each as likely as its weight says, the first the simplest.
///
/// # Panics
/// When all weights are 0.
pub fn weighted<T>(domains: impl IntoIterator<Item = (u32, BoxDomain<T>)>) -> OneOf<T> {
    let (weights, domains): (Vec<u32>, _) = domains.into_iter().unzip();
    assert!(weights.iter().any(|&w| w > 0), "`weighted` and `one_of` need at least one domain with a weight above 0");
    OneOf { weights, domains }
}

impl<T> Domain for OneOf<T> {
    type Value = T;

    fn draw(&self, choices: &mut Choices) -> Result<T, Rejected> {
        let i = choices.weighted(&self.weights);
        choices.open_span(label::ALTERNATIVE + i as u32, 0);
        let value = self.domains[i].draw(choices);
        choices.close();
        value
    }

    fn encode(&self, value: &T, out: &mut Encoder) -> bool {
        let start = out.nodes.len();
        (0..self.domains.len()).any(|i| {
            out.nodes.truncate(start);
            out.index(i);
            out.span(label::ALTERNATIVE + i as u32, &self.domains[i], value)
        })
    }
}

/// `None` or a value; see [`options`].
#[derive(Clone, Copy, Debug)]
pub struct Optional<D> {
    inner: D,
}

/// `None`, or a value of a domain three times out of four.
pub fn options<D: Domain>(inner: D) -> Optional<D> {
    Optional { inner }
}

impl<D: Domain> Domain for Optional<D> {
    type Value = Option<D::Value>;

    fn draw(&self, choices: &mut Choices) -> Result<Option<D::Value>, Rejected> {
        if !choices.flag(0.75) {
            return Ok(None);
        }
        choices.open_span(label::ALTERNATIVE + 1, 0);
        let value = self.inner.draw(choices);
        choices.close();
        value.map(Some)
    }

    fn encode(&self, value: &Option<D::Value>, out: &mut Encoder) -> bool {
        out.flag(value.is_some());
        value.as_ref().is_none_or(|value| out.span(label::ALTERNATIVE + 1, &self.inner, value))
    }
}
