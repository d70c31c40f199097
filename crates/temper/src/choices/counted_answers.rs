//! Which answers the requests of a draw get while a domain is enumerated.

use crate::rng::Rng;

/// One request of a draw: which of its answers it gets.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountedRequest {
    answer: u64,
    answers: u64,
}

/// Which answers the draw at hand gets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Enumeration {
    pub(super) requests: Vec<CountedRequest>,
    pub(super) asked: usize,
    /// If this is only a look at one random way through the requests: the most values that are of interest.
    pub(super) look: Option<f64>,
    /// How many values the domain would have if every way through its requests were like this one (Knuth 1975, "Estimating
    /// the efficiency of backtrack programs": without bias if the way is random).
    pub(super) estimate: f64,
    /// The value at hand is made in another way too, or is never drawn: it is left out.
    pub(super) is_left_out: bool,
    /// A request was not the same as in the draw before.
    pub(super) is_unsteady: bool,
}

impl Enumeration {
    /// The answer to a request that has this many.
    pub(super) fn answer(&mut self, answers: u64, rng: &mut Rng) -> u64 {
        if let Some(most) = self.look {
            let is_too_large = self.estimate > most;
            self.estimate *= answers as f64;
            return if is_too_large { 0 } else { rng.up_to(answers - 1) };
        }
        let at = self.asked;
        self.asked += 1;
        if let Some(request) = self.requests.get(at) {
            self.is_unsteady |= request.answers != answers;
            return request.answer.min(answers - 1);
        }
        self.requests.push(CountedRequest { answer: 0, answers });
        0
    }

    /// Moves on to the next value; `false` after the last.
    pub(super) fn advance(&mut self) -> bool {
        self.requests.truncate(self.asked);
        self.asked = 0;
        self.is_left_out = false;
        while let Some(last) = self.requests.last_mut() {
            if last.answer + 1 < last.answers {
                last.answer += 1;
                return true;
            }
            self.requests.pop();
        }
        false
    }

    /// At least this many draws are still to come after the one at hand.
    pub(super) fn least_left(&self) -> u64 {
        let left = self.requests.iter().map(|request| request.answers - 1 - request.answer);
        left.fold(0, u64::saturating_add)
    }
}
