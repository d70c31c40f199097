//! The first part of a run: inputs are drawn, searched or taken from the subject's proposals, and evaluated.

use super::{Drawing, Evaluation, FoundFailure, NextInput, RunPlan, RunReport, RunStage, TestSubject, WhenFailed};
use crate::chain::{Chain, Told};
use crate::choices::{ChoiceTree, Choices};
use crate::search::{Method, Utilities};

/// A failure hides others when more than this part of the tested inputs end in it. A lower part would spend the search
/// on failures that are only common.
const HIDING_PART: f64 = 0.5;

/// The evaluations that are spent around a failure that hides others: at most this many, and at most a quarter of the
/// search, so that enough is left for what is found behind it.
const STEERING_EVALUATIONS: usize = 2000;
const STEERING_PART: usize = 4;

/// The most inputs of a domain that is enumerated. Their answers are kept in memory.
const MOST_ENUMERATED: usize = 10_000;

/// One chain of a run: draws or searches until the budget is spent, the subject says that its time is over, or a failure
/// ends it. What is found is not shrunk.
pub fn explore<S: TestSubject>(subject: &mut S, plan: &RunPlan) -> RunReport<S::Key, S::Evidence> {
    let mut exploration = Exploration { subject, plan, report: RunReport::default(), passing: None };
    exploration.explore();
    exploration.report
}

struct Exploration<'a, S: TestSubject> {
    subject: &'a mut S,
    plan: &'a RunPlan,
    report: RunReport<S::Key, S::Evidence>,
    /// An input that passed, to draw around if a failure hides others.
    passing: Option<ChoiceTree>,
}

impl<S: TestSubject> Exploration<'_, S> {
    fn explore(&mut self) {
        match &self.plan.drawing {
            Drawing::ByMethod(method) => {
                self.evaluate_first();
                self.draw_by_method(*method);
            }
            Drawing::BySeed { skipped } => match self.few_inputs(self.plan.budget.draws()) {
                // The first inputs are among them.
                Some(inputs) => {
                    self.evaluate_all(&inputs, false);
                }
                None => {
                    self.evaluate_first();
                    self.draw_by_seed(skipped);
                }
            },
        }
        if self.plan.search_budget > 0 && self.goes_on() && !self.report.is_exhausted {
            self.follow_proposals();
            if self.steer_away() {
                self.follow_proposals();
            }
        }
    }

    fn evaluate_first(&mut self) {
        for tree in &self.plan.first {
            if self.goes_on() {
                self.evaluate_recorded(tree);
            }
        }
    }

    /// Whether a failure that was found lets the run go on.
    #[inline]
    fn goes_on(&self) -> bool {
        self.report.failures.is_empty() || self.plan.when_failed != WhenFailed::Stop
    }

    #[inline]
    fn is_over(&mut self, stage: RunStage) -> bool {
        // Even without any time left, one input is tested: a run of nothing would say nothing.
        self.report.evaluations > 0 && self.subject.is_over(stage, self.report.evaluations)
    }

    fn draw_by_method(&mut self, method: Option<Method>) {
        if !self.goes_on() {
            return;
        }
        let is_drawn = method.is_none_or(|method| method == Method::Random);
        let few = if is_drawn { self.few_inputs(self.plan.budget.draws()) } else { None };
        let is_done = few.is_some_and(|inputs| self.evaluate_all(&inputs, method.is_none()));
        if !is_done {
            self.search(method);
        }
    }

    /// All inputs of the domain, if they are at most this many.
    fn few_inputs(&mut self, most: usize) -> Option<Vec<ChoiceTree>> {
        if !self.plan.is_enumerated {
            return None;
        }
        let mut choices = Choices::random(self.plan.seed);
        choices.set_full_size(self.plan.size, false);
        let subject = &mut self.subject;
        choices.all_values(most.min(MOST_ENUMERATED), |choices| subject.draws_input(choices))
    }

    /// Evaluates all inputs of a small domain. Stops at the first that has a utility, if it is told to, and says whether it
    /// did not.
    fn evaluate_all(&mut self, inputs: &[ChoiceTree], stops_at_utility: bool) -> bool {
        for (number, tree) in inputs.iter().enumerate() {
            if !self.goes_on() || self.is_over(RunStage::Drawing) {
                return true;
            }
            let told = self.evaluate_recorded(tree);
            let Told::Tested(Some(utilities)) = told else { continue };
            if let Some(utility) = utilities.single()
                && self.report.climb.last().is_none_or(|&(_, best)| utility > best)
            {
                self.report.climb.push((self.report.evaluations, utility));
            }
            if stops_at_utility && number + 1 < inputs.len() {
                return false;
            }
        }
        self.report.is_exhausted = self.goes_on();
        true
    }

    /// Draws or searches by a method. If the domain is small, a search ends after as many tests as there are inputs, and
    /// then all of them are tested: mostly it finds its way with fewer.
    fn search(&mut self, method: Option<Method>) {
        let budget = self.plan.budget;
        let mut chain = Chain::new(method, self.plan.seed, self.plan.size, budget.searches());
        if self.plan.is_recording {
            chain.set_recording();
        }
        let before = self.report.evaluations;
        let (mut limits, mut few, mut most, mut is_searched) = (budget.limits(false), None, usize::MAX, false);
        while limits.allow(self.report.evaluations, self.report.rejections.total())
            && self.report.evaluations - before < most
            && !self.is_over(RunStage::Drawing)
        {
            let evaluation = self.subject.evaluate(chain.ask());
            let told = self.take(evaluation, |subject| chain.recorded(|choices| subject.draw_again(choices)));
            if !self.goes_on() {
                chain.note(&told);
                break;
            }
            let has_utility = matches!(told, Told::Tested(Some(_)));
            chain.tell(told, |choices| self.subject.draw_again(choices));
            if has_utility && !is_searched {
                is_searched = true;
                limits = budget.limits(true);
                if method != Some(Method::Random) {
                    few = self.few_inputs(budget.searches() / 2);
                    most = few.as_ref().map_or(usize::MAX, Vec::len);
                }
            }
        }
        self.note_climb(chain.into_climb(), before);
        if let Some(inputs) = few
            && self.goes_on()
        {
            self.evaluate_all(&inputs, false);
        }
    }

    /// Takes over the climb of a chain that began after some evaluations.
    fn note_climb(&mut self, climb: Vec<(usize, f64)>, before: usize) {
        let best = self.report.climb.last().map_or(f64::NEG_INFINITY, |&(_, utility)| utility);
        let later = climb.into_iter().filter(|&(_, utility)| utility > best);
        self.report.climb.extend(later.map(|(test, utility)| (before + test, utility)));
    }

    fn draw_by_seed(&mut self, skipped: &[u64]) {
        let mut choices = Choices::random(0);
        choices.set_full_size(self.plan.size, false);
        let limits = self.plan.budget.limits(false);
        let mut seed = self.plan.seed;
        while limits.allow(self.report.evaluations, self.report.rejections.total())
            && self.goes_on()
            && !self.is_over(RunStage::Drawing)
        {
            if !skipped.contains(&seed) {
                self.subject.before_draw(seed);
                choices.start_random(seed, true);
                let evaluation = self.subject.evaluate(&mut choices);
                self.take(evaluation, |_| choices.recorded());
            }
            seed = seed.wrapping_add(1);
        }
    }

    /// Counts one evaluation and keeps what it found; `record` gives the answers that made the input.
    #[inline]
    fn take(&mut self, evaluation: Evaluation<S::Key, S::Evidence>, record: impl FnOnce(&mut S) -> ChoiceTree) -> Told {
        self.report.evaluations += 1;
        match evaluation {
            Evaluation::Passed { utility } => {
                if self.passing.is_none() && self.plan.search_budget > 0 {
                    self.passing = Some(record(self.subject));
                }
                Told::Tested(utility)
            }
            Evaluation::NoResult { utility } => Told::Tested(utility),
            Evaluation::Rejected { by } => {
                self.report.rejections.add(by);
                Told::Rejected
            }
            Evaluation::Failed { key, utility, evidence } => {
                self.group(key, utility.as_ref().and_then(Utilities::single), evidence, record);
                Told::Tested(utility)
            }
        }
    }

    /// Adds a failing input to its failure, or a new failure while there are not too many.
    #[cold]
    fn group(
        &mut self,
        key: S::Key,
        utility: Option<f64>,
        evidence: S::Evidence,
        record: impl FnOnce(&mut S) -> ChoiceTree,
    ) {
        if let Some(known) = self.report.failures.iter_mut().find(|failure| failure.key.as_ref() == Some(&key)) {
            known.count += 1;
        } else if self.report.failures.len() < self.plan.when_failed.most_failures() {
            let tree = record(self.subject);
            self.report.failures.push(FoundFailure::new(key, evidence, utility, tree));
        }
    }

    /// Evaluates what the subject proposes, until it has no more proposals.
    fn follow_proposals(&mut self) {
        let mut climb = Chain::climbing(0, &ChoiceTree::default(), 0.0);
        while self.can_search() {
            match self.subject.next_input() {
                None => return,
                Some(NextInput::Recorded(tree)) => {
                    self.report.searched += 1;
                    self.evaluate_recorded(&tree);
                }
                Some(NextInput::Climb { seed, from, utility }) => {
                    climb = Chain::climbing(seed, &from, utility);
                    let told = self.evaluate_neighbour(&mut climb);
                    climb.tell(told, |_| ());
                }
                Some(NextInput::Neighbour) => {
                    let told = self.evaluate_neighbour(&mut climb);
                    climb.tell(told, |_| ());
                }
            }
        }
    }

    fn evaluate_recorded(&mut self, tree: &ChoiceTree) -> Told {
        let mut choices = Choices::replay(tree);
        let evaluation = self.subject.evaluate(&mut choices);
        self.take(evaluation, |_| choices.recorded())
    }

    fn evaluate_neighbour(&mut self, climb: &mut Chain) -> Told {
        let evaluation = self.subject.evaluate(climb.ask());
        self.report.searched += 1;
        self.take(evaluation, |_| climb.recorded(|_| ()))
    }

    fn can_search(&mut self) -> bool {
        self.report.searched < self.plan.search_budget && self.goes_on() && !self.is_over(RunStage::Searching)
    }

    /// If one failure is so common that it hides others, draws around an input that passed; says whether it did.
    fn steer_away(&mut self) -> bool {
        let Some(common) = self.report.failures.iter().rev().max_by_key(|failure| failure.count) else { return false };
        let Some(passing) = &self.passing else { return false };
        if common.count as f64 <= HIDING_PART * self.report.tested() as f64 {
            return false;
        }
        let key = common.key.clone();
        let mut climb = Chain::climbing(self.plan.steering_seed, passing, 1.0);
        for _ in 0..STEERING_EVALUATIONS.min(self.plan.search_budget / STEERING_PART) {
            if !self.can_search() {
                break;
            }
            let before = self.count_of(key.as_ref());
            let told = self.evaluate_neighbour(&mut climb);
            let is_away = self.count_of(key.as_ref()) == before;
            let told = match told {
                Told::Rejected => Told::Rejected,
                Told::Tested(_) => Told::Tested(Some(Utilities::One(if is_away { 1.0 } else { 0.0 }))),
            };
            climb.tell(told, |_| ());
        }
        true
    }

    fn count_of(&self, key: Option<&S::Key>) -> usize {
        self.report.failures.iter().find(|failure| failure.key.as_ref() == key).map_or(0, |failure| failure.count)
    }
}
