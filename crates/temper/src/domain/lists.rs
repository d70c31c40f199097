//! Vectors, arrays, byte strings and bit strings.

use super::{Bools, Domain, Encoder, Ints, bools, ints};
use crate::choices::{Choices, List, Rejected};
use std::ops::{Bound, RangeBounds};

/// How many items a collection may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths {
    pub min: usize,
    pub max: usize,
}

impl Lengths {
    pub const ANY: Lengths = Lengths { min: 0, max: usize::MAX };

    pub fn from_range(range: impl RangeBounds<usize>) -> Lengths {
        let min = match range.start_bound() {
            Bound::Included(&min) => min,
            Bound::Excluded(&min) => min + 1,
            Bound::Unbounded => 0,
        };
        let max = match range.end_bound() {
            Bound::Included(&max) => Some(max),
            Bound::Excluded(&max) => max.checked_sub(1),
            Bound::Unbounded => Some(usize::MAX),
        };
        match max {
            Some(max) if min <= max => Lengths { min, max },
            _ => panic!(
                "a length needs a range with at least one value, not {:?} to {:?}",
                range.start_bound(),
                range.end_bound()
            ),
        }
    }

    pub fn contains(self, len: usize) -> bool {
        (self.min..=self.max).contains(&len)
    }

    pub fn is_resizable(self) -> bool {
        self.min < self.max
    }
}

/// Gives a domain of collections its three ways to say how long.
macro_rules! length_methods {
    () => {
        /// At least this many items.
        pub fn min_len(mut self, min: usize) -> Self {
            self.lengths.min = min;
            self.lengths.max = self.lengths.max.max(min);
            self
        }

        /// At most this many items.
        pub fn max_len(mut self, max: usize) -> Self {
            self.lengths.max = max;
            self.lengths.min = self.lengths.min.min(max);
            self
        }

        /// A number of items from this range; `len(n..=n)` for exactly `n`.
        ///
        /// # Panics
        /// When the range is empty.
        pub fn len(mut self, range: impl std::ops::RangeBounds<usize>) -> Self {
            self.lengths = $crate::domain::lists::Lengths::from_range(range);
            self
        }
    };
}
pub(crate) use length_methods;

/// Vectors; see [`vecs`].
#[derive(Clone, Copy, Debug)]
pub struct Vecs<D> {
    item: D,
    lengths: Lengths,
}

/// Vectors of values of a domain. Without a largest length a fresh vector has up to 42 items more than the least, all
/// lengths equally likely; a search may grow it further. With a largest length at most 42 above the least, all lengths
/// are equally likely. With a larger one, one vector in eleven is longer than that: one in 16 with a chance that falls with
/// the square of the length, and one in 32 of the largest length itself (fewer if that is above 1,344).
///
/// ```
/// use temper::prelude::*;
/// let report = forall(vecs(ints(0..=9)).max_len(100)).run(|digits| digits.len() <= 42);
/// assert_eq!(report.value(), Some(&vec![0; 43]));
/// ```
pub fn vecs<D: Domain>(item: D) -> Vecs<D> {
    Vecs { item, lengths: Lengths::ANY }
}

/// Byte strings; the length is set as for [`vecs`].
pub fn bytes() -> Vecs<Ints<u8>> {
    vecs(ints(..))
}

/// Bit strings; the length is set as for [`vecs`].
pub fn bits() -> Vecs<Bools> {
    vecs(bools())
}

impl<D> Vecs<D> {
    length_methods!();
}

impl<D: Domain> Vecs<D> {
    /// Draws all items of a list whose items have few answers and no spans: most of them are either the next ones of the tree
    /// or fresh.
    fn draw_short(&self, choices: &mut Choices, list: &mut List, items: &mut Vec<D::Value>) -> Result<(), Rejected> {
        loop {
            if choices.is_unchanged_next(list) {
                let taken = self.take_unchanged(choices, list, items);
                choices.skip_items(list, taken, self.item.answers());
            }
            let fresh = choices.begin_fresh_items(list, self.item.answers());
            if fresh > 0 {
                self.draw_fresh_items(choices, list, items, fresh)?;
            } else if choices.more(list) {
                items.push(self.item.draw(choices)?);
            } else {
                return Ok(());
            }
        }
    }

    /// Draws `count` items after [`Choices::begin_fresh_items`]. Apart, as [`Vecs::take_unchanged`].
    #[inline(never)]
    fn draw_fresh_items(
        &self,
        choices: &mut Choices,
        list: &mut List,
        items: &mut Vec<D::Value>,
        count: usize,
    ) -> Result<(), Rejected> {
        for _ in 0..count {
            choices.begin_fresh_item(list);
            items.push(self.item.draw_fresh(choices)?);
            choices.end_fresh_item();
        }
        choices.end_fresh_items();
        Ok(())
    }

    /// Draws `count` items of which nothing is recorded.
    #[inline(never)]
    fn draw_plain(&self, choices: &mut Choices, items: &mut Vec<D::Value>, count: usize) -> Result<(), Rejected> {
        let is_fresh = self.item.answers() > 0 && choices.is_plain_part();
        for _ in 0..count {
            items.push(if is_fresh { self.item.draw_fresh(choices)? } else { self.item.draw(choices)? });
        }
        Ok(())
    }

    /// Reads the next items that did not change; returns their number. Apart, so that the loop has the registers for itself.
    #[inline(never)]
    fn take_unchanged(&self, choices: &Choices, list: &List, items: &mut Vec<D::Value>) -> usize {
        let before = items.len();
        for answers in choices.next_items(list, self.item.is_bare(), self.item.answers()) {
            let Some(item) = answers.and_then(|mut answers| self.item.unchanged(&mut answers)) else { break };
            items.push(item);
        }
        items.len() - before
    }
}

impl<D: Domain> Domain for Vecs<D> {
    type Value = Vec<D::Value>;

    fn draw(&self, choices: &mut Choices) -> Result<Vec<D::Value>, Rejected> {
        let mut list = choices.begin_list(self.lengths.min, self.lengths.max, self.item.is_bare());
        let mut items = Vec::with_capacity(choices.likely_len(&list, self.item.answers()));
        let plain = choices.take_plain(&mut list);
        if plain > 0 {
            self.draw_plain(choices, &mut items, plain)?;
        }
        if self.item.answers() > 0 {
            self.draw_short(choices, &mut list, &mut items)?;
        }
        while choices.more(&mut list) {
            items.push(self.item.draw(choices)?);
        }
        choices.end_list(list);
        Ok(items)
    }

    fn encode(&self, value: &Vec<D::Value>, out: &mut Encoder) -> bool {
        self.lengths.contains(value.len()) && out.list(&self.item, value, self.lengths.is_resizable())
    }
}

/// Arrays; see [`arrays`].
#[derive(Clone, Copy, Debug)]
pub struct Arrays<D, const N: usize> {
    item: D,
}

/// Arrays of exactly `N` values of a domain.
pub fn arrays<const N: usize, D: Domain>(item: D) -> Arrays<D, N> {
    Arrays { item }
}

impl<D: Domain, const N: usize> Domain for Arrays<D, N> {
    type Value = [D::Value; N];

    fn draw(&self, choices: &mut Choices) -> Result<[D::Value; N], Rejected> {
        let items = vecs(&self.item).len(N..=N).draw(choices)?;
        items.try_into().map_err(|_| Rejected)
    }

    fn encode(&self, value: &[D::Value; N], out: &mut Encoder) -> bool {
        out.list(&self.item, value, false)
    }
}
