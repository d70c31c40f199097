//! The solver. A draw has three phases: the skeleton (which alternative each union takes), the unknowns (whole numbers,
//! lengths, dimensions, compared floats), and the fill (everything else, given the unknowns). Skeletons without a
//! solution are excluded here, once, so that a draw never takes one.
//!
//! Complete for difference constraints; for other sums, and for preconditions that are not understood, draws may be
//! rejected, and the rate is reported.

use crate::compile::{self, Compiled};
use crate::error::AnnotationError;
use crate::function::{Argument, Constant, Function};
use crate::solve::decide::{Deciding, Decision};
use crate::solve::interval::Interval;
use crate::solve::linear::{Relation, Variable, propagate};

/// How many skeletons are looked at when a plan is made. Beyond that, unions are drawn freely and preconditions over
/// them filter.
const MAX_SKELETONS: usize = 4096;

/// How to draw the arguments of one function.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) compiled: Compiled,
    pub(crate) defaults: Vec<Option<Constant>>,
    pub(crate) root: Branch,
}

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

impl Plan {
    /// Checks the annotations of a function and solves its skeletons.
    ///
    /// # Errors
    /// When an annotation or precondition is wrong or allows nothing.
    pub fn compile(function: &Function) -> Result<Plan, AnnotationError> {
        let mut compiled = compile::compile(function, compile::MAX_FROMS)?;
        if compiled.unions.iter().map(|union| union.alternatives as f64).product::<f64>() > MAX_SKELETONS as f64 {
            compiled = compile::compile(function, 0)?;
        }
        let mut solver = Solver {
            function,
            compiled: &compiled,
            left: MAX_SKELETONS,
            with_preconditions: function.preconditions.len(),
        };
        let root = match solver.branch(&mut Vec::new(), 0) {
            Some(root) => root,
            None => return Err(solver.explain()),
        };
        let defaults = function.arguments.iter().map(|argument| argument.default.clone()).collect();
        Ok(Plan { compiled, defaults, root })
    }

    /// Reads the annotations of a function as the worker sends them, and compiles them.
    ///
    /// # Errors
    /// As [`Plan::compile`], and when the text is no such description.
    pub fn from_json(text: &str) -> Result<Plan, AnnotationError> {
        let function: Function =
            serde_json::from_str(text).map_err(|error| AnnotationError::Unreadable(error.to_string()))?;
        Plan::compile(&function)
    }

    /// The names of the arguments, in order, followed by those of the shape variables.
    pub fn names(&self) -> Vec<&str> {
        let arguments = self.compiled.names.iter().map(String::as_str);
        arguments.chain(self.compiled.shape_variables.iter().map(|(name, _)| name.as_str())).collect()
    }

    /// The number of arguments.
    pub fn arguments(&self) -> usize {
        self.compiled.names.len()
    }
}

struct Solver<'s> {
    function: &'s Function,
    compiled: &'s Compiled,
    left: usize,
    /// How many of the preconditions are used, in the order of the page.
    with_preconditions: usize,
}

impl Solver<'_> {
    fn branch(&mut self, skeleton: &mut Vec<usize>, union: usize) -> Option<Branch> {
        let Some(here) = self.compiled.unions.get(union) else {
            return self.disjunctions(skeleton, &mut Vec::new());
        };
        let is_active = here.owners.iter().all(|&(owner, alternative)| skeleton[owner] == alternative);
        let count = if is_active { here.alternatives } else { 1 };
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
            Solved::Infeasible => None,
            Solved::Case(case) => {
                self.left -= 1;
                Some(Branch::Leaf(case))
            }
            Solved::Open(count) => {
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

    fn case(&self, skeleton: &[usize], taken: &[usize]) -> Solved {
        let compiled = self.compiled;
        let ranges = compiled.unknowns.iter().map(|unknown| unknown.range).collect();
        let mut deciding = Deciding { compiled, skeleton, ranges, relations: Vec::new() };
        let exists = |owners: &compile::Owners| owners.iter().all(|&(union, at)| skeleton[union] == at);
        let mut relations = Vec::new();
        for bound in compiled.bounds.iter().filter(|bound| exists(&bound.owners)) {
            match deciding.compare_unknown(bound.variable, &bound.term, bound.is_max, bound.is_strict) {
                Decision::False => return Solved::Infeasible,
                Decision::Relations(more) => relations.extend(more),
                _ => {}
            }
        }
        let mut taken = taken.iter();
        for precondition in &self.function.preconditions[..self.with_preconditions] {
            match deciding.decide(&precondition.condition) {
                Decision::False => return Solved::Infeasible,
                Decision::Relations(more) => relations.extend(more),
                Decision::Alternatives(mut alternatives) => match taken.next() {
                    None => return Solved::Open(alternatives.len()),
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
        for (unknown, range) in compiled.unknowns.iter().zip(&mut ranges) {
            if !exists(&unknown.owners) {
                *range = Interval::Int(0, 0);
            }
        }
        if ranges.iter().any(Interval::is_empty) || !propagate(&relations, &mut ranges) {
            return Solved::Infeasible;
        }
        Solved::Case(Box::new(self.arrange(skeleton, ranges, relations)))
    }

    fn arrange(&self, skeleton: &[usize], ranges: Vec<Interval>, relations: Vec<Relation>) -> Case {
        let mut is_related = vec![false; ranges.len()];
        relations.iter().flat_map(Relation::variables).for_each(|variable| is_related[variable] = true);
        let existing = |&v: &Variable| match self.compiled.unknowns.get(v) {
            None => true,
            Some(unknown) => unknown.owners.iter().all(|&(union, at)| skeleton[union] == at),
        };
        let is_owned = |v: Variable| self.compiled.unknowns.get(v).is_none_or(|unknown| !unknown.owners.is_empty());
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
        // Quotients have factors of their own and would otherwise be drawn too late.
        if own.iter().any(|&v| v >= self.compiled.unknowns.len()) {
            let mut all: Vec<Variable> = always.drain(..).chain(own.drain(..)).collect();
            all.sort_by_key(|&v| std::cmp::Reverse(factor(v)));
            own = all;
        }
        Case { skeleton: skeleton.to_vec(), ranges, always, own, is_related, relations }
    }

    /// Finds what closed the last way out: the arguments alone, or the first precondition without which there is one.
    fn explain(&mut self) -> AnnotationError {
        let all = self.with_preconditions;
        for count in 0..=all {
            self.left = MAX_SKELETONS;
            self.with_preconditions = count;
            if self.branch(&mut Vec::new(), 0).is_some() {
                continue;
            }
            if let Some(precondition) = count.checked_sub(1).map(|last| &self.function.preconditions[last]) {
                return AnnotationError::Contradiction {
                    function: self.function.name.clone(),
                    text: precondition.text.clone(),
                    line: precondition.line,
                };
            }
            break;
        }
        let at = self.compiled.bounds.first().map_or(0, |bound| bound.argument);
        let argument = self.function.arguments.get(at);
        AnnotationError::Empty {
            annotation: argument.map(Argument::annotation).unwrap_or_default(),
            fact: "no value lies between the bounds that it takes from other arguments".to_owned(),
            hint: "widen the range of the arguments that it names".to_owned(),
            line: argument.map_or(0, |argument| argument.line),
        }
    }
}

enum Solved {
    Infeasible,
    Case(Box<Case>),
    /// One more disjunction with so many alternatives is to be decided.
    Open(usize),
}
