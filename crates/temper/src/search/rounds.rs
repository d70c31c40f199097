//! When a search looks at every number of its input, one after the other: if the utility has not risen for a while and the
//! input has few numbers. A number that is still wrong is then met within two tests for each of them, where walks that are
//! begun at random have to choose it first. Rounds that gain nothing are paid for by a credit, so that inputs of many
//! numbers without an order, such as the nodes of a graph, are never looked at like this.

/// Tests without a rise before a round.
const PATIENCE: usize = 10;

/// The tests that rounds may take without a gain: this many, but no more than this part of a small budget; and this part of all
/// tests so far.
const CREDIT: f64 = 64.0;
const BUDGET_PART: f64 = 0.05;
const CREDIT_PART: f64 = 0.03;

/// How many tests of rounds one rise above the best pays for.
const REWARD: f64 = 5.0;

/// The tests for a number that does not matter: one step up, one down.
const LOOK: f64 = 2.0;

#[derive(Debug)]
pub(super) struct Rounds {
    credit: f64,
    /// The tests that rounds have taken, less what their rises have paid for.
    spent: f64,
    /// The rise after which the last round began: a second one from there would find the same.
    begun_after: Option<usize>,
    is_on: bool,
}

impl Rounds {
    pub fn new() -> Self {
        Rounds { credit: CREDIT, spent: 0.0, begun_after: None, is_on: false }
    }

    /// Takes note of how many tests the search has.
    pub fn set_budget(&mut self, tests: usize) {
        self.credit = CREDIT.min(BUDGET_PART * tests as f64);
    }

    /// Whether a round over this many numbers may begin, `stagnant` tests after the rise at `last_rise`.
    pub fn is_due(&self, numbers: usize, stagnant: usize, last_rise: usize, tests: usize) -> bool {
        let credit = self.credit + CREDIT_PART * tests as f64 - self.spent;
        numbers > 0 && stagnant >= PATIENCE && self.begun_after != Some(last_rise) && LOOK * numbers as f64 <= credit
    }

    pub fn begin(&mut self, last_rise: usize) {
        self.begun_after = Some(last_rise);
        self.is_on = true;
    }

    /// Takes note that no walk is under way.
    pub fn end(&mut self) {
        self.is_on = false;
    }

    /// Another climb begins.
    pub fn forget_rise(&mut self) {
        self.begun_after = None;
    }

    /// Takes note of one step, and of whether it rose above the best of the climb.
    pub fn note(&mut self, is_best: bool) {
        if self.is_on {
            self.spent = (self.spent + if is_best { -REWARD } else { 1.0 }).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_waits_for_a_stall_and_is_not_repeated_without_a_rise() {
        let mut rounds = Rounds::new();
        assert!(!rounds.is_due(8, 9, 5, 100) && rounds.is_due(8, 10, 5, 100));
        rounds.begin(5);
        assert!(!rounds.is_due(8, 90, 5, 190) && rounds.is_due(8, 20, 33, 200));
        rounds.forget_rise();
        assert!(rounds.is_due(8, 20, 5, 300));
    }

    #[test]
    fn rounds_that_gain_nothing_use_up_the_credit() {
        let mut rounds = Rounds::new();
        assert!(!rounds.is_due(200, 500, 1, 1000), "more numbers than the credit has tests for");
        rounds.begin(1);
        (0..64).for_each(|_| rounds.note(false));
        assert!(!rounds.is_due(8, 20, 2, 100));
        (0..5).for_each(|_| rounds.note(true));
        assert!(rounds.is_due(8, 20, 2, 100), "a rise pays for the next ones");
        rounds.end();
        (0..64).for_each(|_| rounds.note(false));
        assert!(rounds.is_due(8, 20, 2, 100), "other walks cost no credit");
        rounds = Rounds::new();
        rounds.set_budget(200);
        assert!(!rounds.is_due(8, 20, 2, 100) && rounds.is_due(6, 20, 2, 100), "a small budget has little to spare");
    }
}
