//! Mapped, dependent, filtered and hand-written domains.

use super::{Domain, Encoder};
use crate::choices::tree::label;
use crate::choices::{Choices, Rejected};

/// See [`Domain::map`].
#[derive(Clone, Copy, Debug)]
pub struct Map<D, F> {
    pub(super) inner: D,
    pub(super) f: F,
}

impl<D: Domain, T, F: Fn(D::Value) -> T> Domain for Map<D, F> {
    type Value = T;

    #[inline]
    fn draw(&self, choices: &mut Choices) -> Result<T, Rejected> {
        Ok((self.f)(self.inner.draw(choices)?))
    }

    fn is_bare(&self) -> bool {
        self.inner.is_bare()
    }
}

/// See [`Domain::and_then`].
#[derive(Clone, Copy, Debug)]
pub struct AndThen<D, F> {
    pub(super) inner: D,
    pub(super) f: F,
}

impl<D: Domain, E: Domain, F: Fn(D::Value) -> E> Domain for AndThen<D, F> {
    type Value = E::Value;

    fn draw(&self, choices: &mut Choices) -> Result<E::Value, Rejected> {
        choices.open_span(label::DEPENDENT, 0);
        let value = self.inner.draw(choices).and_then(|first| (self.f)(first).draw(choices));
        choices.close();
        value
    }
}

/// See [`Domain::filter`].
#[derive(Clone, Copy, Debug)]
pub struct Filter<D, F> {
    pub(super) inner: D,
    pub(super) keep: F,
}

impl<D: Domain, F: Fn(&D::Value) -> bool> Domain for Filter<D, F> {
    type Value = D::Value;

    #[inline]
    fn draw(&self, choices: &mut Choices) -> Result<D::Value, Rejected> {
        let mut mark = choices.mark();
        loop {
            let value = self.inner.draw(choices)?;
            let is_kept = (self.keep)(&value);
            if is_kept || !choices.retry(&mut mark) {
                choices.settle(&mark);
                return if is_kept { Ok(value) } else { Err(Rejected) };
            }
        }
    }

    fn is_bare(&self) -> bool {
        self.inner.is_bare()
    }

    fn encode(&self, value: &D::Value, out: &mut Encoder) -> bool {
        (self.keep)(value) && self.inner.encode(value, out)
    }
}

/// A domain written as a function; see [`compose`].
#[derive(Clone, Copy, Debug)]
pub struct Compose<F> {
    f: F,
}

/// A domain from a function that draws its parts one after the other; later parts may depend on earlier ones.
///
/// ```
/// use temper::prelude::*;
/// let sorted_pair = compose(|c| {
///     let low = c.draw(&ints(0..=100))?;
///     let high = c.draw(&ints(low..=100))?;
///     Ok((low, high))
/// });
/// forall(sorted_pair).check(|&(low, high)| low <= high);
/// ```
pub fn compose<T, F: Fn(&mut Choices) -> Result<T, Rejected>>(f: F) -> Compose<F> {
    Compose { f }
}

impl<T, F: Fn(&mut Choices) -> Result<T, Rejected>> Domain for Compose<F> {
    type Value = T;

    fn draw(&self, choices: &mut Choices) -> Result<T, Rejected> {
        choices.open_span(label::DEPENDENT, 0);
        let value = (self.f)(choices);
        choices.close();
        value
    }
}
