//! Which alternatives of unions go together, and what their unknowns may be: the feasible skeletons of a function.

use super::decide::{Deciding, Decision};
use super::interval::Interval;
use super::linear::{Relation, Variable, propagate};
use super::terms::Condition;
use super::unknowns::{Scope, Unknowns, exists};

/// How many skeletons are looked at when a plan is made. With more, unions are drawn freely and preconditions over
/// them filter.
pub const MAX_SKELETONS: usize = 4096;

/// The feasible skeletons as a tree: at each union, the alternatives that lead to a solution.
#[derive(Clone, Debug)]
pub enum Branch {
    Choice(Vec<Branch>),
    Leaf(Box<Case>),
}

/// A feasible skeleton with its unknowns and what must hold between them.
#[derive(Clone, Debug)]
pub struct Case {
    pub skeleton: Vec<usize>,
    /// Ranges after propagation; unknowns that do not exist here keep an empty role.
    pub ranges: Vec<Interval>,
    /// Unknowns that exist whatever the skeleton, then those that it brings with it.
    pub always: Vec<Variable>,
    pub own: Vec<Variable>,
    /// For each unknown, whether a relation mentions it.
    pub is_related: Vec<bool>,
    pub relations: Vec<Relation>,
}

/// Why there is no feasible skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infeasible {
    /// The bounds alone contradict each other.
    Bounds,
    /// With the precondition at this place no way out is left.
    Precondition(usize),
}

/// Finds the feasible skeletons.
///
/// # Errors
/// When there is none, with the first thing that rules out the last one.
pub fn solve(unknowns: &Unknowns, preconditions: &[&Condition], scope: &dyn Scope) -> Result<Branch, Infeasible> {
    let mut solver = Solver { unknowns, preconditions, scope, left: MAX_SKELETONS };
    solver.branch(&mut Vec::new(), 0).ok_or_else(|| solver.explain())
}

struct Solver<'s> {
    unknowns: &'s Unknowns,
    preconditions: &'s [&'s Condition],
    scope: &'s dyn Scope,
    left: usize,
}

impl Solver<'_> {
    fn branch(&mut self, skeleton: &mut Vec<usize>, union: usize) -> Option<Branch> {
        let Some(here) = self.unknowns.unions.get(union) else {
            return self.disjunctions(skeleton, &mut Vec::new());
        };
        let count = if exists(&here.owners, skeleton) { here.alternatives } else { 1 };
        let mut alternatives = Vec::new();
        for alternative in 0..count {
            skeleton.push(alternative);
            if let Some(branch) = self.branch(skeleton, union + 1) {
                alternatives.push(branch);
            }
            skeleton.pop();
        }
        match alternatives.len() {
            0 => None,
            1 if count == 1 => alternatives.pop(),
            _ => Some(Branch::Choice(alternatives)),
        }
    }

    /// Below the last union stand the disjunctions that this skeleton leaves open, one choice each.
    fn disjunctions(&mut self, skeleton: &[usize], taken: &mut Vec<usize>) -> Option<Branch> {
        if self.left == 0 {
            return None;
        }
        match self.case(skeleton, taken) {
            CaseOutcome::Infeasible => None,
            CaseOutcome::Case(case) => {
                self.left -= 1;
                Some(Branch::Leaf(case))
            }
            CaseOutcome::Open(count) => {
                let mut alternatives = Vec::new();
                for alternative in 0..count {
                    taken.push(alternative);
                    if let Some(branch) = self.disjunctions(skeleton, taken) {
                        alternatives.push(branch);
                    }
                    taken.pop();
                }
                (!alternatives.is_empty()).then_some(Branch::Choice(alternatives))
            }
        }
    }

    fn case(&self, skeleton: &[usize], taken: &[usize]) -> CaseOutcome {
        let ranges = self.unknowns.unknowns.iter().map(|unknown| unknown.range).collect();
        let mut deciding = Deciding { scope: self.scope, skeleton, ranges, relations: Vec::new() };
        let mut relations = Vec::new();
        for bound in self.unknowns.bounds.iter().filter(|bound| exists(&bound.owners, skeleton)) {
            match deciding.compare_unknown(bound.variable, &bound.term, bound.is_max, bound.is_strict) {
                Decision::False => return CaseOutcome::Infeasible,
                Decision::Relations(more) => relations.extend(more),
                _ => {}
            }
        }
        let mut taken = taken.iter();
        for condition in self.preconditions {
            match deciding.decide(condition) {
                Decision::False => return CaseOutcome::Infeasible,
                Decision::Relations(more) => relations.extend(more),
                Decision::Alternatives(mut alternatives) => match taken.next() {
                    None => return CaseOutcome::Open(alternatives.len()),
                    Some(&at) => {
                        if let Decision::Relations(more) = alternatives.swap_remove(at) {
                            relations.extend(more);
                        }
                    }
                },
                Decision::True | Decision::Unclear => {}
            }
        }
        relations.append(&mut deciding.relations);
        let mut ranges = deciding.ranges;
        // Unknowns of alternatives that are not taken do not exist; a range of one value keeps them harmless.
        for (unknown, range) in self.unknowns.unknowns.iter().zip(&mut ranges) {
            if !exists(&unknown.owners, skeleton) {
                *range = Interval::Int(0, 0);
            }
        }
        if ranges.iter().any(Interval::is_empty) || !propagate(&relations, &mut ranges) {
            return CaseOutcome::Infeasible;
        }
        CaseOutcome::Case(Box::new(self.arrange(skeleton, ranges, relations)))
    }

    fn arrange(&self, skeleton: &[usize], ranges: Vec<Interval>, relations: Vec<Relation>) -> Case {
        let mut is_related = vec![false; ranges.len()];
        relations.iter().flat_map(Relation::variables).for_each(|variable| is_related[variable] = true);
        let declared = &self.unknowns.unknowns;
        let existing = |&v: &Variable| declared.get(v).is_none_or(|unknown| exists(&unknown.owners, skeleton));
        let is_owned = |v: Variable| declared.get(v).is_none_or(|unknown| !unknown.owners.is_empty());
        let (mut own, mut always): (Vec<Variable>, Vec<Variable>) =
            (0..ranges.len()).filter(existing).partition(|&v| is_owned(v));
        // An unknown with a large factor goes first: what is left over must be a multiple of the factors that follow.
        let factor = |v: Variable| -> i128 {
            let sums = relations.iter().filter_map(|relation| match relation {
                Relation::AtMostZero(sum) => Some(sum),
                Relation::Order { .. } => None,
            });
            sums.flat_map(|sum| &sum.terms).filter(|term| term.0 == v).map(|term| term.1.abs()).max().unwrap_or(0)
        };
        always.sort_by_key(|&v| std::cmp::Reverse(factor(v)));
        own.sort_by_key(|&v| std::cmp::Reverse(factor(v)));
        // Quotients have factors as well, and would be drawn too late after all others.
        if own.iter().any(|&v| v >= declared.len()) {
            let mut all: Vec<Variable> = always.drain(..).chain(own.drain(..)).collect();
            all.sort_by_key(|&v| std::cmp::Reverse(factor(v)));
            own = all;
        }
        Case { skeleton: skeleton.to_vec(), ranges, always, own, is_related, relations }
    }

    /// Finds what closed the last way out: the bounds, or the first precondition without which there is one.
    fn explain(&self) -> Infeasible {
        for count in 0..=self.preconditions.len() {
            let preconditions = &self.preconditions[..count];
            let mut fewer = Solver { preconditions, left: MAX_SKELETONS, ..*self };
            if fewer.branch(&mut Vec::new(), 0).is_none() {
                return count.checked_sub(1).map_or(Infeasible::Bounds, Infeasible::Precondition);
            }
        }
        Infeasible::Bounds
    }
}

enum CaseOutcome {
    Infeasible,
    Case(Box<Case>),
    /// One more disjunction with this number of alternatives is to be decided.
    Open(usize),
}
