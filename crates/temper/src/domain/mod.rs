//! Domains: sets of values and how to draw from them. A domain asks a [`Choices`] source for primitives and builds a
//! value from the answers; replay, shrinking and neighbourhoods need nothing else from it.

mod alternatives;
mod any;
mod blocks;

mod combine;
mod encode;
mod floats;
mod ints;
mod lists;
mod maps;
mod permutations;
mod recursive;
mod text;
mod tuples;
mod wide_ints;
mod with_neighbours;

pub use alternatives::{Just, OneOf, Optional, Select, just, one_of, options, select, weighted};
pub use any::{DefaultDomain, any};

pub use blocks::{Block, BulkFloats, BulkInts, bulk_floats, bulk_ints, fill_block};
pub use combine::{AndThen, Compose, Filter, Map, compose};
pub use encode::Encoder;
pub use floats::{Float, Floats, floats, floats_within, floats32};
pub use ints::{Bools, Integer, Ints, bools, ints};
pub use lists::{Arrays, Vecs, arrays, bits, bytes, vecs};
pub use maps::{HashMaps, HashSets, Maps, Sets, UniqueCollection, hash_maps, hash_sets, maps, sets};
pub use permutations::{Permutations, permutations};
pub use recursive::{draw_alternative, draw_level, draw_nested, recursive};
pub use text::{Chars, Strings, chars, chars_of, strings, strings_of, unicode_chars};
pub use wide_ints::{WideInts, wide_ints};
pub use with_neighbours::{Untargeted, WithNeighbours, draw_stepped, draw_untargeted, first_next, untargeted};

use crate::choices::tree::label;
use crate::choices::{Choices, Rejected, Unchanged};
use crate::neighbour;
use std::fmt;
use std::sync::Arc;

/// A set of values, and how to draw from it.
///
/// Implement `draw`; the rest has defaults. A hand-written domain that asks for a varying number of answers does so
/// inside a span: [`compose`] does that, as does [`Choices::draw`].
pub trait Domain {
    /// What is drawn.
    type Value;

    /// Draws one value.
    ///
    /// The value may depend on nothing but the answers of `choices`, or replay is not exact.
    ///
    /// # Errors
    /// When a filter inside the domain found no value it accepts.
    fn draw(&self, choices: &mut Choices) -> Result<Self::Value, Rejected>;

    /// Whether every draw asks for exactly one primitive and opens no span. Lists of such domains are stored compactly.
    fn is_bare(&self) -> bool {
        false
    }

    /// How many answers every draw asks for, if it opens no span, asks for the same number every time and has
    /// [`Domain::unchanged`]; 0 otherwise.
    #[inline(always)]
    fn answers(&self) -> usize {
        0
    }

    /// Draws the value that `draw` would give, where nothing is recorded about it and every answer is random. Called only if
    /// [`Domain::answers`] is not 0. Lists draw their fresh items with it: a domain without it is only slower.
    ///
    /// # Errors
    /// As `draw`.
    #[inline(always)]
    fn draw_fresh(&self, choices: &mut Choices) -> Result<Self::Value, Rejected> {
        self.draw(choices)
    }

    /// Reads the value that `draw` would give from the same answers, if they are as they were recorded; `None` if it cannot
    /// tell. Lists replay their items with it: a domain without it is only slower.
    #[inline(always)]
    fn unchanged(&self, answers: &mut Unchanged<'_>) -> Option<Self::Value> {
        let _ = answers;
        None
    }

    /// Writes the answers that make `draw` give `value`; `false` when the domain cannot tell them, as after a `map`.
    /// What was written before a `false` is ignored.
    fn encode(&self, value: &Self::Value, out: &mut Encoder) -> bool {
        let _ = (value, out);
        false
    }

    /// Turns each drawn value into another.
    fn map<T, F: Fn(Self::Value) -> T>(self, f: F) -> Map<Self, F>
    where
        Self: Sized,
    {
        Map { inner: self, f }
    }

    /// Draws a value, makes a domain from it and draws from that: for parts that depend on other parts.
    fn and_then<D: Domain, F: Fn(Self::Value) -> D>(self, f: F) -> AndThen<Self, F>
    where
        Self: Sized,
    {
        AndThen { inner: self, f }
    }

    /// Keeps only the values for which `keep` holds, by drawing again up to 50 times. Build values that are right by
    /// construction if you can: a filter that refuses much makes every draw slow.
    fn filter<F: Fn(&Self::Value) -> bool>(self, keep: F) -> Filter<Self, F>
    where
        Self: Sized,
    {
        Filter { inner: self, keep }
    }

    /// Moves this part by the user's own neighbour function, given the value, the temperature in `0..=1` and a source of
    /// choices; everything around it keeps its automatic neighbourhood. The result must lie in the domain.
    ///
    /// ```
    /// use temper::prelude::*;
    /// // Lists whose elements only ever move by one.
    /// let numbers = vecs(ints(0..=1000).with_neighbours(|v, _t, c| Ok(v + if c.flag(0.5) { 1 } else { -1 })));
    /// # let _ = numbers;
    /// ```
    fn with_neighbours<F>(self, step: F) -> WithNeighbours<Self, F>
    where
        Self: Sized,
        F: Fn(&Self::Value, f64, &mut Choices) -> Result<Self::Value, Rejected>,
    {
        WithNeighbours { inner: self, step }
    }

    /// A value near `value` at temperature `t`, for use inside hand-written neighbours. At `t` = 0 it is `value` itself.
    ///
    /// ```
    /// use temper::prelude::*;
    /// let near = ints(0..=1000).neighbour(&500, 1.0, &mut Choices::random(1));
    /// assert!(near.is_ok_and(|v| (0..=1000).contains(&v)));
    /// ```
    ///
    /// # Errors
    /// When the domain cannot tell which answers give `value` (see [`Domain::encode`]), or its filters reject.
    fn neighbour(&self, value: &Self::Value, t: f64, choices: &mut Choices) -> Result<Self::Value, Rejected> {
        let mut out = Encoder::default();
        let seed = choices.bits();
        if !self.encode(value, &mut out) {
            return Err(Rejected);
        }
        let mut near = neighbour::choices_near(&out.nodes, t, seed, choices.size());
        self.draw(&mut near)
    }

    /// Hides the type of the domain, so that different domains of one value fit in one place.
    fn boxed(self) -> BoxDomain<Self::Value>
    where
        Self: Sized + Send + Sync + 'static,
    {
        BoxDomain(Arc::new(self))
    }
}

impl Choices {
    /// Draws from a domain in a new span. This is how hand-written domains use other domains.
    ///
    /// # Errors
    /// When the domain rejects.
    #[inline]
    pub fn draw<D: Domain + ?Sized>(&mut self, domain: &D) -> Result<D::Value, Rejected> {
        if domain.is_bare() {
            return domain.draw(self);
        }
        self.open_span(label::DRAW, 0);
        let value = domain.draw(self);
        self.close();
        value
    }
}

/// A shared domain whose own type is hidden; cheap to clone.
pub struct BoxDomain<T>(Arc<dyn Domain<Value = T> + Send + Sync>);

impl<T> Clone for BoxDomain<T> {
    fn clone(&self) -> Self {
        BoxDomain(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for BoxDomain<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BoxDomain")
    }
}

impl<T> Domain for BoxDomain<T> {
    type Value = T;

    fn draw(&self, choices: &mut Choices) -> Result<T, Rejected> {
        self.0.draw(choices)
    }

    fn is_bare(&self) -> bool {
        self.0.is_bare()
    }

    fn encode(&self, value: &T, out: &mut Encoder) -> bool {
        self.0.encode(value, out)
    }
}

macro_rules! domain_by_reference {
    ($($pointer:ty),*) => {$(
        impl<D: Domain + ?Sized> Domain for $pointer {
            type Value = D::Value;

            #[inline]
            fn draw(&self, choices: &mut Choices) -> Result<D::Value, Rejected> {
                (**self).draw(choices)
            }

            #[inline]
            fn answers(&self) -> usize {
                (**self).answers()
            }

            #[inline]
            fn draw_fresh(&self, choices: &mut Choices) -> Result<D::Value, Rejected> {
                (**self).draw_fresh(choices)
            }

            #[inline]
            fn unchanged(&self, answers: &mut Unchanged<'_>) -> Option<D::Value> {
                (**self).unchanged(answers)
            }

            fn is_bare(&self) -> bool {
                (**self).is_bare()
            }

            fn encode(&self, value: &D::Value, out: &mut Encoder) -> bool {
                (**self).encode(value, out)
            }
        }
    )*};
}
domain_by_reference!(&D, Box<D>, Arc<D>);
