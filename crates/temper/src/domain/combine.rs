//! Mapped, dependent, filtered and hand-written domains.

use super::{Domain, Encoder};
use crate::choices::tree::label;
use crate::choices::{Choices, FILTER_TRIES, Mark, Rejected, Unchanged};

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

    #[inline(always)]
    fn answers(&self) -> usize {
        self.inner.answers()
    }

    #[inline(always)]
    fn draw_fresh(&self, choices: &mut Choices) -> Result<T, Rejected> {
        Ok((self.f)(self.inner.draw_fresh(choices)?))
    }

    #[inline(always)]
    fn unchanged(&self, answers: &mut Unchanged<'_>) -> Option<T> {
        self.inner.unchanged(answers).map(&self.f)
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

    // Into lists: what a search replays is mostly kept, and then a call costs as much as the draw.
    #[inline(always)]
    fn draw(&self, choices: &mut Choices) -> Result<D::Value, Rejected> {
        let mark = choices.mark();
        let value = self.inner.draw(choices)?;
        if (self.keep)(&value) { Ok(value) } else { self.draw_other(choices, mark) }
    }

    #[inline(always)]
    fn answers(&self) -> usize {
        self.inner.answers()
    }

    // Without a mark: what a fresh draw has read and recorded is in the record alone.
    #[inline(always)]
    fn draw_fresh(&self, choices: &mut Choices) -> Result<D::Value, Rejected> {
        let place = choices.fresh_place();
        let mut tries = FILTER_TRIES;
        loop {
            let value = self.inner.draw_fresh(choices)?;
            if (self.keep)(&value) {
                return Ok(value);
            }
            tries = tries.checked_sub(1).ok_or(Rejected)?;
            choices.forget_fresh(place);
        }
    }

    #[inline(always)]
    fn unchanged(&self, answers: &mut Unchanged<'_>) -> Option<D::Value> {
        self.inner.unchanged(answers).filter(&self.keep)
    }

    fn is_bare(&self) -> bool {
        self.inner.is_bare()
    }

    fn encode(&self, value: &D::Value, out: &mut Encoder) -> bool {
        (self.keep)(value) && self.inner.encode(value, out)
    }
}

impl<D: Domain, F: Fn(&D::Value) -> bool> Filter<D, F> {
    /// Draws again until a value is kept. Apart, because most values that a search replays are kept at once.
    #[inline(never)]
    fn draw_other(&self, choices: &mut Choices, mut mark: Mark) -> Result<D::Value, Rejected> {
        if choices.is_plain_part() {
            return self.draw_plain(choices);
        }
        while choices.retry(&mut mark) {
            let value = self.inner.draw(choices)?;
            if (self.keep)(&value) {
                choices.settle(&mark);
                return Ok(value);
            }
        }
        choices.settle(&mark);
        Err(Rejected)
    }

    /// The same if nothing is recorded: then there is nothing to return to.
    fn draw_plain(&self, choices: &mut Choices) -> Result<D::Value, Rejected> {
        for _ in 0..FILTER_TRIES {
            let value = self.inner.draw(choices)?;
            if (self.keep)(&value) {
                return Ok(value);
            }
        }
        Err(Rejected)
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
