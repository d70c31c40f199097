//! What preconditions and bounds mean once the skeleton is chosen: true, false, relations between unknowns, or nothing
//! that the solver understands (then they only filter).

use super::interval::{Interval, Number};
use super::linear::{Linear, Relation, Variable};
use super::terms::{Comparison, Condition, Term};
use super::unknowns::{Answer, NoAnswer, Quantity, Scope, side_at};

/// What a condition amounts to under one skeleton.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    True,
    False,
    /// These must hold; alternatives of a disjunction are apart.
    Relations(Vec<Relation>),
    /// At least one of these.
    Alternatives(Vec<Decision>),
    /// Not understood.
    Unclear,
}

/// A term as the solver sees it.
#[derive(Clone, Debug)]
enum Form {
    Whole(Linear),
    FloatUnknown(Variable),
    FloatNumber(f64),
}

/// One skeleton under construction: the alternatives taken, and the unknowns with those that quotients add.
pub struct Deciding<'c> {
    pub scope: &'c dyn Scope,
    pub skeleton: &'c [usize],
    pub ranges: Vec<Interval>,
    pub relations: Vec<Relation>,
}

impl Deciding<'_> {
    pub fn decide(&mut self, condition: &Condition) -> Decision {
        match condition {
            Condition::And(parts) => self.all(parts),
            Condition::Or(parts) => self.any(parts),
            Condition::Compare(comparison, left, right) => self.compare(*comparison, left, right),
            Condition::Type { path, names, negated } => match self.scope.type_name(path, self.skeleton) {
                Ok(actual) => truth(names.iter().any(|name| is_subtype(actual, name)) != *negated),
                Err(_) => Decision::Unclear,
            },
            Condition::Other => Decision::Unclear,
        }
    }

    fn all(&mut self, parts: &[Condition]) -> Decision {
        let mut relations = Vec::new();
        let mut alternatives = Vec::new();
        for part in parts {
            match self.decide(part) {
                Decision::False => return Decision::False,
                Decision::Relations(more) => relations.extend(more),
                // The parts that are understood are used; the rest filters.
                Decision::True | Decision::Unclear => {}
                other => alternatives.push(other),
            }
        }
        // A disjunction inside a conjunction inside a disjunction is rare; it filters.
        if relations.is_empty() && alternatives.len() == 1 {
            return alternatives.swap_remove(0);
        }
        if relations.is_empty() { Decision::True } else { Decision::Relations(relations) }
    }

    fn any(&mut self, parts: &[Condition]) -> Decision {
        let mut open = Vec::new();
        let mut is_unclear = false;
        for part in parts {
            match self.decide(part) {
                Decision::True => return Decision::True,
                Decision::False => {}
                Decision::Unclear => is_unclear = true,
                Decision::Alternatives(more) => open.extend(more),
                relations => open.push(relations),
            }
        }
        match open.len() {
            _ if is_unclear => Decision::Unclear,
            0 => Decision::False,
            1 => open.swap_remove(0),
            _ => Decision::Alternatives(open),
        }
    }

    fn compare(&mut self, comparison: Comparison, left: &Term, right: &Term) -> Decision {
        let forms = self.form(left).and_then(|left| Ok((left, self.form(right)?)));
        match forms {
            Err(NoAnswer::Undefined) => Decision::False,
            Err(NoAnswer::Unclear) => Decision::Unclear,
            Ok((Form::Whole(left), Form::Whole(right))) => whole(comparison, &left, &right),
            Ok((left, right)) => self.compare_floats(comparison, left, right),
        }
    }

    /// Floats are compared unknown by unknown; anything more is left to the filter.
    fn compare_floats(&mut self, comparison: Comparison, left: Form, right: Form) -> Decision {
        let (Some(left), Some(right)) = (self.as_unknown(left), self.as_unknown(right)) else {
            return Decision::Unclear;
        };
        let order = |left, right, is_strict| Decision::Relations(vec![Relation::Order { left, right, is_strict }]);
        match comparison {
            Comparison::Lt => order(left, right, true),
            Comparison::Le => order(left, right, false),
            Comparison::Eq => Decision::Relations(vec![
                Relation::Order { left, right, is_strict: false },
                Relation::Order { left: right, right: left, is_strict: false },
            ]),
            Comparison::Ne => Decision::Unclear,
        }
    }

    fn as_unknown(&mut self, form: Form) -> Option<Variable> {
        match form {
            Form::FloatUnknown(variable) => Some(variable),
            Form::FloatNumber(value) => {
                self.ranges.push(Interval::of(Number::Float(value)));
                Some(self.ranges.len() - 1)
            }
            Form::Whole(sum) if sum.constant == 0 && sum.terms.len() == 1 && sum.terms[0].1 == 1 => {
                Some(sum.terms[0].0)
            }
            Form::Whole(sum) => Some(self.name_sum(sum)),
        }
    }

    /// An unknown that equals a sum.
    fn name_sum(&mut self, sum: Linear) -> Variable {
        let variable = self.fresh(i64::MIN, i64::MAX);
        let difference = sum.plus(&Linear::variable(variable), -1);
        self.relations.extend(equal(difference));
        variable
    }

    fn fresh(&mut self, min: i64, max: i64) -> Variable {
        self.ranges.push(Interval::Int(min, max));
        self.ranges.len() - 1
    }

    /// The linear form of a bound, for the callers that have an unknown to compare it with.
    pub fn compare_unknown(&mut self, variable: Variable, term: &Term, is_max: bool, is_strict: bool) -> Decision {
        let own = self.of_quantity(Quantity::Unknown(variable));
        let comparison = if is_strict { Comparison::Lt } else { Comparison::Le };
        match (self.form(term), own) {
            (Err(NoAnswer::Undefined), _) => Decision::False,
            (Err(NoAnswer::Unclear), _) => Decision::Unclear,
            (Ok(Form::Whole(sum)), Form::Whole(own)) if is_max => whole(comparison, &own, &sum),
            (Ok(Form::Whole(sum)), Form::Whole(own)) => whole(comparison, &sum, &own),
            (Ok(other), own) if is_max => self.compare_floats(comparison, own, other),
            (Ok(other), own) => self.compare_floats(comparison, other, own),
        }
    }

    fn form(&mut self, term: &Term) -> Answer<Form> {
        match term {
            Term::Int(value) => Ok(Form::Whole(Linear::constant(*value))),
            Term::Float(value) => Ok(Form::FloatNumber(*value)),
            Term::Value(path) => self.scope.number(path, self.skeleton).map(|number| self.of_quantity(number)),
            Term::Len(path) => self.scope.len(path, self.skeleton).map(|len| self.of_quantity(len)),
            Term::Dim(path, at) => {
                let side = side_at(&self.scope.sides(path, self.skeleton)?, *at)?;
                Ok(self.of_quantity(side))
            }
            Term::Dims(path) => {
                let sides = self.scope.sides(path, self.skeleton)?;
                Ok(Form::Whole(Linear::constant(sides.len() as i64)))
            }
            Term::Add(a, b) => Ok(Form::Whole(self.sum(a)?.plus(&self.sum(b)?, 1))),
            Term::Sub(a, b) => Ok(Form::Whole(self.sum(a)?.plus(&self.sum(b)?, -1))),
            Term::Mul(a, b) => {
                let (a, b) = (self.sum(a)?, self.sum(b)?);
                match (a.as_constant(), b.as_constant()) {
                    (Some(factor), _) => Ok(Form::Whole(Linear::default().plus(&b, i128::from(factor)))),
                    (_, Some(factor)) => Ok(Form::Whole(Linear::default().plus(&a, i128::from(factor)))),
                    _ => Err(NoAnswer::Unclear),
                }
            }
            Term::Div(a, b) => self.divide(a, b).map(|(quotient, _)| Form::Whole(Linear::variable(quotient))),
            Term::Mod(a, b) => self.divide(a, b).map(|(_, rest)| Form::Whole(rest)),
            Term::Unclear(_) => Err(NoAnswer::Unclear),
        }
    }

    fn sum(&mut self, term: &Term) -> Answer<Linear> {
        match self.form(term)? {
            Form::Whole(sum) => Ok(sum),
            _ => Err(NoAnswer::Unclear),
        }
    }

    /// `a // b` for a positive number `b`: an unknown `q` with `b·q <= a <= b·q + b - 1`; and the rest `a - b·q`.
    fn divide(&mut self, a: &Term, b: &Term) -> Answer<(Variable, Linear)> {
        let (a, b) = (self.sum(a)?, self.sum(b)?);
        let by = b.as_constant().filter(|&by| by > 0).ok_or(NoAnswer::Unclear)?;
        let quotient = self.fresh(i64::MIN, i64::MAX);
        let rest = a.plus(&Linear::variable(quotient), -i128::from(by));
        self.relations.push(Relation::AtMostZero(Linear::default().plus(&rest, -1)));
        self.relations.push(Relation::AtMostZero(rest.clone().plus(&Linear::constant(by - 1), -1)));
        Ok((quotient, rest))
    }

    fn of_quantity(&self, quantity: Quantity) -> Form {
        match quantity {
            Quantity::Unknown(variable) if self.ranges[variable].is_float() => Form::FloatUnknown(variable),
            Quantity::Unknown(variable) => Form::Whole(Linear::variable(variable)),
            Quantity::Multiple(variable, factor) => {
                Form::Whole(Linear::default().plus(&Linear::variable(variable), i128::from(factor)))
            }
            Quantity::Int(value) => Form::Whole(Linear::constant(value)),
            Quantity::Float(value) => Form::FloatNumber(value),
        }
    }
}

fn truth(holds: bool) -> Decision {
    if holds { Decision::True } else { Decision::False }
}

fn equal(difference: Linear) -> [Relation; 2] {
    let negated = Linear::default().plus(&difference, -1);
    [Relation::AtMostZero(difference), Relation::AtMostZero(negated)]
}

fn whole(comparison: Comparison, left: &Linear, right: &Linear) -> Decision {
    let difference = left.clone().plus(right, -1);
    let below = |sum: Linear, margin| Relation::AtMostZero(sum.plus(&Linear::constant(margin), 1));
    if difference.terms.is_empty() {
        return truth(match comparison {
            Comparison::Lt => difference.constant < 0,
            Comparison::Le => difference.constant <= 0,
            Comparison::Eq => difference.constant == 0,
            Comparison::Ne => difference.constant != 0,
        });
    }
    match comparison {
        Comparison::Lt => Decision::Relations(vec![below(difference, 1)]),
        Comparison::Le => Decision::Relations(vec![below(difference, 0)]),
        Comparison::Eq => Decision::Relations(equal(difference).to_vec()),
        Comparison::Ne => {
            let negated = Linear::default().plus(&difference, -1);
            let one = |sum| Decision::Relations(vec![below(sum, 1)]);
            Decision::Alternatives(vec![one(negated), one(difference)])
        }
    }
}

/// `name` may be a plain type (`type(x) is int`) or, with a star, one that subtypes count for (`isinstance(x, int)`).
fn is_subtype(actual: &str, name: &str) -> bool {
    match name.strip_prefix('*') {
        None => actual == name,
        Some("int") => actual == "int" || actual == "bool",
        Some(name) => actual == name,
    }
}
