//! All values of a small domain, one after the other. The answers to the requests of a draw are counted up like the digits
//! of a number, the last request first, and each from its simplest answer on. Nothing is known about a domain but what it
//! asks for, so the number of its values is known when all of them were drawn.

use super::counted_answers::Enumeration;
use super::{ChoiceTree, Choices, FloatBounds};

impl Choices {
    /// The records of all values of a domain, from the simplest on, if there are at most `most`. Every value costs a draw,
    /// but mostly a random look tells that there are more. `draws` draws from the choices and says whether there was a
    /// value; `None` gives up. A value that can be made in several ways has as many records.
    pub(crate) fn all_values(
        &mut self,
        most: usize,
        mut draws: impl FnMut(&mut Choices) -> Option<bool>,
    ) -> Option<Vec<ChoiceTree>> {
        let values = if self.looks_small(most, &mut draws) { self.enumerate(most, &mut draws) } else { None };
        let is_unsteady = self.enumeration.take().is_some_and(|enumeration| enumeration.is_unsteady);
        values.filter(|values| !values.is_empty() && !is_unsteady)
    }

    /// Whether random looks let it seem possible that a domain has at most `most` values.
    fn looks_small(&mut self, most: usize, draws: &mut impl FnMut(&mut Choices) -> Option<bool>) -> bool {
        const LOOKS: usize = 4;
        // A look is off by much if ways differ much. It decides about time that is saved, and about nothing else.
        let most = 16.0 * LOOKS as f64 * most as f64;
        let mut sum = 0.0;
        (0..LOOKS).all(|_| {
            self.start_enumeration(Enumeration { look: Some(most), estimate: 1.0, ..Enumeration::default() });
            let is_drawn = draws(self).is_some();
            sum += self.enumeration.as_ref().map_or(f64::INFINITY, |enumeration| enumeration.estimate);
            is_drawn && sum <= most
        })
    }

    fn enumerate(
        &mut self,
        most: usize,
        draws: &mut impl FnMut(&mut Choices) -> Option<bool>,
    ) -> Option<Vec<ChoiceTree>> {
        // How many draws may be tried for each value: filters reject the others.
        const DRAWS: u64 = 4;
        let (mut drawn, mut values) = (0, Vec::new());
        self.start_enumeration(Enumeration::default());
        loop {
            if draws(self)? && !self.enumeration.as_ref().is_some_and(|enumeration| enumeration.is_left_out) {
                values.push(self.recorded());
            }
            drawn += 1;
            let left = self.enumeration.as_ref().map_or(u64::MAX, |enumeration| enumeration.least_left());
            if left.saturating_add(drawn) > DRAWS * most as u64 || values.len() > most {
                return None;
            }
            if !self.enumeration.as_mut().is_some_and(|enumeration| enumeration.advance()) {
                return Some(values);
            }
            self.start_fresh(true);
        }
    }

    /// Answers at random no more, but as the enumeration says.
    fn start_enumeration(&mut self, enumeration: Enumeration) {
        self.enumeration = Some(Box::new(enumeration));
        self.start_fresh(true);
    }

    /// Leaves the value at hand out of the enumeration; says whether there is one.
    pub(super) fn leave_out(&mut self) -> bool {
        self.enumeration.as_mut().map(|enumeration| enumeration.is_left_out = true).is_some()
    }

    /// While values are enumerated, which of `answers` a request gets: a number below it.
    #[inline]
    pub(super) fn enumerated(&mut self, answers: u64) -> Option<u64> {
        let enumeration = self.enumeration.as_deref_mut()?;
        Some(enumeration.answer(answers, &mut self.rng))
    }

    pub(super) fn enumerated_signed(&mut self, lo: i64, hi: i64) -> Option<i64> {
        let rank = self.enumerated((hi.wrapping_sub(lo) as u64).saturating_add(1))?;
        Some(nth_signed(lo, hi, rank))
    }

    /// A float of bounds that allow one only; any other range is too wide to be enumerated.
    pub(super) fn enumerated_float(&mut self, bounds: &FloatBounds) -> Option<f64> {
        let is_one = bounds.min() == bounds.max() && bounds.fit(f64::NAN).or(bounds.fit(f64::INFINITY)).is_none();
        self.enumerated(if is_one { 1 } else { u64::MAX })?;
        Some(if is_one { bounds.min() } else { bounds.fresh(&mut self.rng) })
    }
}

/// Number `rank` of the integers from `lo` to `hi`, those nearest to the simplest first.
fn nth_signed(lo: i64, hi: i64, rank: u64) -> i64 {
    let origin = super::spread::simplest_signed(lo, hi);
    let both_sides = origin.abs_diff(lo).min(origin.abs_diff(hi));
    let is_outside = rank > both_sides.saturating_mul(2);
    let distance = if is_outside { rank - both_sides } else { rank.div_ceil(2) };
    let is_above = if is_outside { origin.abs_diff(hi) > both_sides } else { rank % 2 == 1 };
    if is_above { origin.wrapping_add_unsigned(distance) } else { origin.wrapping_sub_unsigned(distance) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        Domain, any, bools, chars_of, floats, ints, just, maps, permutations, sets, strings_of, vecs, weighted,
    };
    use std::collections::BTreeSet;
    use std::fmt::Debug;

    /// The values of a domain in the order in which they are enumerated; nothing if there are more than 1,000.
    fn values<D: Domain>(domain: &D) -> Option<Vec<String>>
    where
        D::Value: Debug,
    {
        let records = Choices::random(1).all_values(1000, |choices| Some(domain.draw(choices).is_ok()))?;
        let value = |record| domain.draw(&mut Choices::replay(record)).expect("the record has a value");
        Some(records.iter().map(|record| format!("{:?}", value(record))).collect())
    }

    fn check<D: Domain>(domain: D, expected: &[&str])
    where
        D::Value: Debug,
    {
        assert_eq!(values(&domain).unwrap(), expected);
    }

    #[test]
    fn small_domains_are_enumerated_from_the_simplest_value_on() {
        check(ints(-1..=3), &["0", "1", "-1", "2", "3"]);
        check(ints(4..=6u64), &["4", "5", "6"]);
        check(ints(-6..=-4), &["-4", "-5", "-6"]);
        check((bools(), just(7)), &["(false, 7)", "(true, 7)"]);
        check(vecs(bools()).max_len(1), &["[]", "[false]", "[true]"]);
        check(strings_of(chars_of("xy")).len(1..=1), &["\"x\"", "\"y\""]);
        check(floats(2.0..=2.0), &["2.0"]);
    }

    #[test]
    fn filters_and_dependent_parts_are_enumerated() {
        check(ints(0..=9).filter(|x| x % 4 == 0), &["0", "4", "8"]);
        check(ints(0..=1usize).and_then(|n| vecs(bools()).len(n..=n)), &["[]", "[false]", "[true]"]);
        check(bools().p(1.0), &["true"]);
    }

    #[test]
    fn every_set_map_order_and_alternative_is_among_the_values() {
        let distinct = |values: Option<Vec<String>>| values.unwrap().into_iter().collect::<BTreeSet<_>>().len();
        assert_eq!(distinct(values(&sets(ints(0..=2)).max_len(3))), 8);
        assert_eq!(distinct(values(&maps(bools(), bools()).max_len(2))), 9);
        assert_eq!(distinct(values(&permutations([1, 2, 3, 4]))), 24);
        let alternatives = weighted([(0, just(-1).boxed()), (1, ints(0..=2).boxed()), (3, just(9).boxed())]);
        check(alternatives, &["0", "1", "2", "9"]);
    }

    #[test]
    fn large_domains_are_given_up() {
        assert_eq!(values(&any::<i32>()), None);
        assert_eq!(values(&floats(0.0..=1.0)), None);
        assert_eq!(values(&vecs(bools())), None);
        assert_eq!(values(&vecs(bools()).max_len(20)), None);
        assert_eq!(values(&ints(0..=1000)), None);
        assert_eq!(values(&ints(0..=999)).map(|all| all.len()), Some(1000));
    }

    #[test]
    fn a_large_domain_costs_one_look() {
        let mut looks = 0;
        let domain = (any::<i32>(), vecs(bools()).max_len(9));
        let values = Choices::random(1).all_values(10_000, |choices| {
            looks += 1;
            Some(domain.draw(choices).is_ok())
        });
        assert_eq!((values, looks), (None, 1));
    }
}
