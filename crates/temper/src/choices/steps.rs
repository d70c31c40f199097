//! Draws of single steps of a sequence, by the preferences of `swarm.rs`.

use super::Choices;
use super::swarm::preference;
use crate::rng::Rng;

/// After this many alternatives that were not preferred, the next one is taken: all of them may be left out.
const TRIES: usize = 32;

impl Choices {
    /// Draws one step of a sequence. If it is fresh, the first alternative that is asked for is likelier or less likely than
    /// it says, or left out, in the same way for all steps of one draw.
    ///
    /// ```
    /// use temper::Choices;
    /// let mut choices = Choices::random(3);
    /// let kinds: Vec<usize> = (0..20).map(|_| choices.step(|choices| choices.index(2))).collect();
    /// assert!(kinds.iter().all(|&kind| kind < 2));
    /// ```
    pub fn step<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> T {
        self.swarm.is_step_next = self.reading.off > 0 && !self.is_simple() && self.enumeration.is_none();
        let value = draw(self);
        self.swarm.is_step_next = false;
        value
    }

    /// An alternative of a step, by the preferences of this draw.
    #[inline(never)]
    pub(super) fn preferred(&mut self, fresh: impl Fn(&mut Rng) -> usize) -> usize {
        self.swarm.is_step_next = false;
        let seed = *self.swarm.seed.get_or_insert_with(|| self.rng.bits());
        let mut chosen = fresh(&mut self.rng);
        for _ in 0..TRIES {
            if self.rng.chance(preference(seed, chosen)) {
                break;
            }
            chosen = fresh(&mut self.rng);
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(choices: &mut Choices, count: usize) -> Vec<usize> {
        (0..count).map(|_| choices.step(|choices| choices.index(4))).collect()
    }

    #[test]
    fn most_sequences_leave_something_out_and_some_do_not() {
        let mut left_out = [0; 5];
        for seed in 0..1000 {
            let drawn = steps(&mut Choices::random(seed), 200);
            left_out[(0..4).filter(|kind| !drawn.contains(kind)).count()] += 1;
        }
        assert!(left_out[0] > 300 && left_out[1..3].iter().sum::<usize>() > 300, "{left_out:?}");
        assert!(left_out[3] > 30, "{left_out:?}");
    }

    #[test]
    fn every_step_is_as_likely_as_any_other_over_all_sequences() {
        let mut counts = [0usize; 4];
        for seed in 0..2000 {
            steps(&mut Choices::random(seed), 20).iter().for_each(|&kind| counts[kind] += 1);
        }
        // A quarter of 40,000 each; sequences are alike inside, so the spread is that of 2,000 draws: 390 each.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 2500), "{counts:?}");
    }

    #[test]
    fn steps_are_replayed_as_they_were() {
        for seed in 0..50 {
            let mut choices = Choices::random(seed);
            let drawn = steps(&mut choices, 20);
            assert_eq!(steps(&mut Choices::replay(&choices.recorded()), 20), drawn);
            choices.start_random(seed, false);
            assert_eq!(steps(&mut choices, 20), drawn, "the same without recording");
        }
    }

    #[test]
    fn only_the_first_alternative_of_a_step_is_preferred() {
        let second = |seed| {
            let mut choices = Choices::random(seed);
            let pairs: Vec<usize> =
                (0..100).map(|_| choices.step(|choices| [choices.index(2), choices.index(2)][1])).collect();
            pairs.iter().filter(|&&kind| kind == 1).count()
        };
        // Binomial(100, 1/2): six standard deviations are 30.
        assert!((0..100).all(|seed| second(seed).abs_diff(50) < 31));
    }
}
