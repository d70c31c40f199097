//! Which kinds of mutants only raise, learned from those that were judged: they say nothing about a bound, so they come last.
//!
//! Counted by operator, and for arguments by place, as in "first argument of Linear". The order stays the same for the same seed: it is
//! looked at after fixed numbers of mutants, when all of them are judged.

use std::collections::BTreeMap;

use temper_source::{Mutant, Operator};

use super::tighten::{Crash, MutantEffect, Tightened, Trialled};

/// Judged mutants of one place, and of one operator, before their rate counts.
const ENOUGH_OF_PLACE: usize = 5;
const ENOUGH_OF_OPERATOR: usize = 10;
/// The rate from which on others of the kind wait.
const MOSTLY: f64 = 0.8;

/// Mutants that raised and all that were judged, by kind.
#[derive(Default)]
pub(super) struct RaiseRates {
    by_kind: BTreeMap<(Operator, Option<String>), (usize, usize)>,
}

impl RaiseRates {
    pub(super) fn of(found: &Tightened) -> Self {
        let mut rates = Self::default();
        for trial in found.trials.values().flatten() {
            rates.count(&found.mutants[trial.mutant].mutant, has_raised(trial));
        }
        rates
    }

    fn count(&mut self, mutant: &Mutant, has_raised: bool) {
        let place = mutant.place.clone().map(Some);
        for place in place.into_iter().chain([None]) {
            let (raised, judged) = self.by_kind.entry((mutant.operator, place)).or_default();
            *raised += usize::from(has_raised);
            *judged += 1;
        }
    }

    /// Whether those like it mostly raised: of its place if enough of them are judged, else of its operator.
    pub(super) fn is_likely_to_raise(&self, mutant: &Mutant) -> bool {
        let rate = |place: Option<String>, enough: usize| {
            let (raised, judged) = self.by_kind.get(&(mutant.operator, place)).copied()?;
            (judged >= enough).then(|| raised as f64 / judged as f64)
        };
        let of_place = mutant.place.clone().and_then(|place| rate(Some(place), ENOUGH_OF_PLACE));
        of_place.or_else(|| rate(None, ENOUGH_OF_OPERATOR)).is_some_and(|rate| rate >= MOSTLY)
    }
}

fn has_raised(trial: &Trialled) -> bool {
    let raises = |effect: &MutantEffect| matches!(effect, MutantEffect::Crashed(Crash::Raised | Crash::Unviable));
    trial.effects.values().any(raises)
}

#[cfg(test)]
mod tests {
    use temper_source::{SourceFile, Wanted, mutants};

    use super::*;

    fn arguments(text: &str) -> Vec<Mutant> {
        let file = SourceFile::from_text("code.py", text).unwrap();
        let all = mutants(&file, &Wanted::default()).unwrap();
        all.into_iter().filter(|mutant| mutant.operator == Operator::Argument).collect()
    }

    #[test]
    fn what_raised_five_times_at_a_place_waits_and_the_rest_does_not() {
        let all = arguments("def f(x, y):\n    return nn.Linear(x, bias=y), g(x, y=y)\n");
        let at = |place: &str| all.iter().find(|mutant| mutant.place.as_deref() == Some(place)).unwrap();
        let (first, other) = (at("first argument of Linear"), at("first argument of g"));
        let mut rates = RaiseRates::default();
        (0..4).for_each(|_| rates.count(first, true));
        assert!(!rates.is_likely_to_raise(first));
        rates.count(first, true);
        assert!(rates.is_likely_to_raise(first) && !rates.is_likely_to_raise(other));
        // From ten on, the operator tells of places that have too few.
        (0..5).for_each(|_| rates.count(first, true));
        assert!(rates.is_likely_to_raise(other));
        (0..5).for_each(|_| rates.count(other, false));
        assert!(rates.is_likely_to_raise(first) && !rates.is_likely_to_raise(other));
    }
}
