//! How bold to be. Each intensity is chosen as often as its weight says, times how often it raised the utility compared
//! with all of them together. A path through a maze grows by runs of equal steps and is spoilt by single edits in its
//! middle. A graph grows by single edges and is spoilt by runs. No constant serves both, so the share is learned from the
//! search itself (adaptive operator selection, as in Fialho et al., "Analyzing bandit-based adaptive operator selection").

/// How many uses at the average rate an arm starts with; fewer follow luck, more learn too late for a short search.
const PRIOR_USES: f64 = 3.0;

/// How much of the past is kept after each test: half is forgotten after about 350.
const MEMORY: f64 = 0.998;

/// The least and the most that learning multiplies a weight by.
const RANGE: (f64, f64) = (0.1, 10.0);

/// How well each of `N` arms has paid.
#[derive(Clone, Debug)]
pub(crate) struct Learned<const N: usize> {
    uses: [f64; N],
    gains: [f64; N],
    /// The factors for the weights, kept up to date.
    factors: [f64; N],
}

impl<const N: usize> Default for Learned<N> {
    fn default() -> Self {
        Learned { uses: [0.0; N], gains: [0.0; N], factors: [1.0; N] }
    }
}

impl<const N: usize> Learned<N> {
    pub fn factor(&self, arm: usize) -> f64 {
        self.factors[arm]
    }

    /// Takes note of what one test with this arm gained.
    pub fn learn(&mut self, arm: usize, gain: f64) {
        self.uses.iter_mut().for_each(|uses| *uses *= MEMORY);
        self.gains.iter_mut().for_each(|gains| *gains *= MEMORY);
        self.uses[arm] += 1.0;
        self.gains[arm] += gain;
        if gain > 0.0 {
            self.update();
        }
    }

    fn update(&mut self) {
        let rate = self.gains.iter().sum::<f64>() / self.uses.iter().sum::<f64>();
        for arm in 0..N {
            let own = (self.gains[arm] + PRIOR_USES * rate) / (self.uses[arm] + PRIOR_USES);
            self.factors[arm] = (own / rate).clamp(RANGE.0, RANGE.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_that_pays_is_used_more() {
        let mut learned = Learned::<2>::default();
        for test in 0..200 {
            learned.learn(0, f64::from(u8::from(test % 5 == 0)));
            learned.learn(1, 0.0);
        }
        assert!(learned.factor(0) > 1.5 && learned.factor(1) < 0.5, "{learned:?}");
    }
}
