//! How long a list is that nothing is recorded about.
//!
//! If at most [`Choices::size`] lengths above the least are allowed, or no greatest length is given, all lengths from the
//! least to the least plus the size are equally likely. A list whose greatest length is larger is longer than that in up
//! to one draw out of eleven. So a bound that the user wrote is met, and one above it would be seen. The chances fall
//! with the length, or lists of a million items would be all that a run does.

use super::{Choices, LONG_ITEMS, MAX_NODES};

/// One of this many fresh lists has a length from the tail, if its greatest length is above the usual ones. A tail length
/// `n` above the least is drawn with a density of 1 / n², so that doubling the greatest length adds little to the mean.
const TAIL_PART: f64 = 16.0;

/// At most one of this many fresh lists has the greatest length allowed; fewer if that is so large that these lists alone
/// would more than triple the mean length.
const FULL_PART: f64 = 32.0;

impl Choices {
    /// The length of a fresh list of `min` to `max` items.
    #[inline]
    pub(super) fn fresh_len(&mut self, min: usize, max: usize) -> usize {
        let span = max - min;
        if self.enumeration.is_some() {
            return min + self.enumerated_len(span);
        }
        let usual = span.min(self.size);
        let len = if span > usual && self.can_be_long(max) { self.long_len(span) } else { None };
        min + len.unwrap_or_else(|| self.rng.up_to(usual as u64) as usize)
    }

    /// While values are enumerated, how far above the least a list is. Every length has its turn. Without a greatest length,
    /// or with a very large one, these are too many.
    fn enumerated_len(&mut self, span: usize) -> usize {
        let lengths = match span {
            // Nothing is in it when it is drawn, but neighbours may put something in.
            _ if self.size == 0 => u64::MAX,
            0..LONG_ITEMS => span as u64 + 1,
            _ => u64::MAX,
        };
        self.enumerated(lengths).filter(|_| lengths < u64::MAX).unwrap_or(0) as usize
    }

    /// Inside recursions and while the lists of a run grow, no list is long.
    fn can_be_long(&self, max: usize) -> bool {
        max < usize::MAX && self.size >= self.full_size && self.size > 0 && !self.is_growing && self.long_items > 0
    }

    /// A length above the usual ones, as far above the least; mostly none.
    fn long_len(&mut self, span: usize) -> Option<usize> {
        let most = span.min(MAX_NODES);
        let (size, longest) = (self.size as f64, most as f64);
        let (full, roll) = ((size / longest).min(1.0 / FULL_PART), self.rng.unit());
        let len = if roll < full {
            most
        } else if roll < full + 1.0 / TAIL_PART {
            // The inverse of the distribution: uniform in the reciprocal of the length.
            let least = size / (longest + 1.0);
            ((size / (least + self.rng.unit() * (1.0 - least))) as usize).clamp(self.size, most)
        } else {
            return None;
        };
        self.long_items = self.long_items.saturating_sub(len);
        Some(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::DEFAULT_SIZE;
    use crate::domain::{Domain, any, bits, bools, bytes, hash_maps, hash_sets, ints, maps, sets, strings, vecs};

    const DRAWS: u64 = 60_000;

    /// The chance of each length above the least, as the module's description has it.
    fn expected(span: usize, size: usize) -> Vec<f64> {
        let usual = span.min(size);
        let mut chances = vec![0.0; span + 1];
        let full = if span > usual { (size as f64 / span as f64).min(1.0 / 32.0) } else { 0.0 };
        let tail = if span > usual { 1.0 / 16.0 } else { 0.0 };
        for chance in &mut chances[..=usual] {
            *chance = (1.0 - full - tail) / (usual + 1) as f64;
        }
        chances[span] += full;
        let least = size as f64 / (span + 1) as f64;
        let above = |len: usize| (size as f64 / len as f64 - least) / (1.0 - least);
        for (len, chance) in chances.iter_mut().enumerate().skip(size).filter(|_| tail > 0.0) {
            *chance += tail * (above(len) - above(len + 1));
        }
        chances
    }

    /// Compares the lengths of a domain's draws with what is expected, in classes of at least 100 draws each.
    fn check<D: Domain>(name: &str, domain: &D, min: usize, max: usize, len: impl Fn(&D::Value) -> usize) {
        let mut counts = vec![0.0; max - min + 1];
        let mut choices = Choices::random(1);
        for seed in 0..DRAWS {
            choices.start_random(seed, true);
            counts[len(&domain.draw(&mut choices).unwrap()) - min] += 1.0;
        }
        let (mut expected_sum, mut counted) = (0.0, 0.0);
        let chances = expected(max - min, DEFAULT_SIZE);
        for (above, (chance, count)) in chances.iter().zip(&counts).enumerate() {
            expected_sum += chance * DRAWS as f64;
            counted += count;
            let is_last = above + 1 == chances.len() || chances[above + 1] > 1.5 * chance;
            if expected_sum >= 100.0 || is_last {
                // Six standard deviations: below one in a billion for each of a few hundred classes.
                assert!(
                    (counted - expected_sum).abs() <= 6.0 * expected_sum.sqrt() + 6.0,
                    "{name}: {counted} draws up to length {}, expected {expected_sum}",
                    above + min
                );
                (expected_sum, counted) = (0.0, 0.0);
            }
        }
    }

    #[test]
    fn every_sized_domain_has_the_lengths_that_its_page_promises() {
        let item = || ints(0..=9u8);
        check("short vectors", &vecs(item()).len(1..=8), 1, 8, Vec::len);
        check("vectors up to the size", &vecs(item()).max_len(42), 0, 42, Vec::len);
        check("vectors above the size", &vecs(item()).max_len(100), 0, 100, Vec::len);
        check("long vectors", &vecs(item()).len(5..=1000), 5, 1000, Vec::len);
        check("vectors of items with spans", &vecs((bools(), bools())).max_len(100), 0, 100, Vec::len);
        check("vectors without a greatest length", &vecs(item()), 0, 42, Vec::len);
        check("vectors of any", &any::<Vec<u8>>(), 0, 42, Vec::len);
        check("byte strings", &bytes().max_len(200), 0, 200, Vec::len);
        check("bit strings", &bits().max_len(200), 0, 200, Vec::len);
        check("strings", &strings().max_len(200), 0, 200, String::len);
        check("strings of any", &any::<String>(), 0, 42, |text| text.chars().count());
        let wide = || ints(0..=u64::MAX).uniform();
        check("sets", &sets(wide()).max_len(100), 0, 100, |set| set.len());
        check("hash sets", &hash_sets(wide()).max_len(100), 0, 100, |set| set.len());
        check("maps", &maps(wide(), bools()).max_len(100), 0, 100, |map| map.len());
        check("hash maps", &hash_maps(wide(), bools()).max_len(100), 0, 100, |map| map.len());
    }

    #[test]
    fn unrecorded_draws_have_the_same_lengths() {
        let domain = vecs(ints(0..=9u8)).max_len(100);
        let mut choices = Choices::random(3);
        let mut lengths = Vec::new();
        for _ in 0..20_000 {
            choices.start_unrecorded();
            lengths.push(domain.draw(&mut choices).unwrap().len());
        }
        // One of 32 has the greatest length, 625 of 20,000: 150 is six standard deviations.
        let full = lengths.iter().filter(|&&len| len == 100).count();
        assert!(full.abs_diff(644) < 150, "{full}");
    }

    #[test]
    fn the_mean_length_grows_slowly_with_the_greatest() {
        let mean = |max: usize| {
            let mut choices = Choices::random(7);
            (0..100_000)
                .map(|_| {
                    choices.long_items = LONG_ITEMS;
                    choices.fresh_len(0, max)
                })
                .sum::<usize>() as f64
                / 100_000.0
        };
        // By the description: 21 at 42, and at a million 21 + 42 + 42 * ln(2^20 / 42) / 16 = 90.
        assert!((mean(42) - 21.0).abs() < 0.5, "{}", mean(42));
        assert!(mean(1000) < 60.0, "{}", mean(1000));
        assert!(mean(1_000_000) < 180.0 && mean(usize::MAX - 1) < 180.0, "{}", mean(1_000_000));
    }

    #[test]
    fn nested_lists_are_not_long_on_every_level() {
        let domain = vecs(vecs(bools()).max_len(1000)).max_len(1000);
        let mut choices = Choices::random(1);
        for seed in 0..2000 {
            choices.start_random(seed, true);
            let items: usize = domain.draw(&mut choices).unwrap().iter().map(Vec::len).sum();
            // At most 4,096 items of long lists, one more list of 1,000, and 1,000 short ones.
            assert!(items <= LONG_ITEMS + 1000 + 1000 * DEFAULT_SIZE, "{items}");
        }
    }
}
