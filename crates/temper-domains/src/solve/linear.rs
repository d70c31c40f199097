//! Linear sums over unknowns, and bounds propagation over constraints made of them. Propagation is complete for
//! difference constraints (`x + c <= y`): after it, every value left in a range belongs to some solution, so unknowns can
//! be drawn one after the other without a dead end. For other sums it is sound but may leave dead ends, which are
//! counted as rejected draws.

use super::interval::Interval;
#[cfg(test)]
use super::interval::Number;

pub type Variable = usize;

/// `constant + Σ factor · unknown`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear {
    pub constant: i128,
    pub terms: Vec<(Variable, i128)>,
}

impl Linear {
    pub fn constant(value: i64) -> Linear {
        Linear { constant: i128::from(value), terms: Vec::new() }
    }

    pub fn variable(variable: Variable) -> Linear {
        Linear { constant: 0, terms: vec![(variable, 1)] }
    }

    pub fn plus(mut self, other: &Linear, factor: i128) -> Linear {
        self.constant += other.constant * factor;
        for &(variable, by) in &other.terms {
            match self.terms.iter_mut().find(|term| term.0 == variable) {
                Some(term) => term.1 += by * factor,
                None => self.terms.push((variable, by * factor)),
            }
        }
        self.terms.retain(|term| term.1 != 0);
        self
    }

    pub fn as_constant(&self) -> Option<i64> {
        if self.terms.is_empty() { i64::try_from(self.constant).ok() } else { None }
    }

    #[cfg(test)]
    /// The value of the sum once its unknowns are known; clamped to 64 bits.
    pub fn value(&self, numbers: &[Number]) -> i64 {
        let sum =
            self.terms.iter().fold(self.constant, |sum, &(v, factor)| sum + factor * i128::from(numbers[v].int()));
        clamp(sum)
    }
}

fn clamp(value: i128) -> i64 {
    value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// What must hold between unknowns.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// The sum of whole unknowns is at most zero.
    AtMostZero(Linear),
    /// The first unknown is at most the second, or below it; at least one of them is a float.
    Order { left: Variable, right: Variable, is_strict: bool },
}

impl Relation {
    pub fn variables(&self) -> Vec<Variable> {
        match self {
            Relation::AtMostZero(sum) => sum.terms.iter().map(|term| term.0).collect(),
            Relation::Order { left, right, .. } => vec![*left, *right],
        }
    }

    /// Narrows the ranges as far as this relation alone can; `None` when a range becomes empty.
    fn narrow(&self, ranges: &mut [Interval]) -> Option<bool> {
        match self {
            Relation::AtMostZero(sum) => narrow_sum(sum, ranges),
            Relation::Order { left, right, is_strict } => {
                let (high, high_excluded) = ranges[*right].high();
                let mut changed = ranges[*left].lower_max(high, high_excluded || *is_strict);
                let (low, low_excluded) = ranges[*left].low();
                changed |= ranges[*right].raise_min(low, low_excluded || *is_strict);
                (!ranges[*left].is_empty() && !ranges[*right].is_empty()).then_some(changed)
            }
        }
    }
}

fn narrow_sum(sum: &Linear, ranges: &mut [Interval]) -> Option<bool> {
    let ends = |v: Variable, ranges: &[Interval]| match ranges[v] {
        Interval::Int(min, max) => (i128::from(min), i128::from(max)),
        Interval::Float(_) => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    let least = |v, factor: i128, ranges: &[Interval]| {
        let (min, max) = ends(v, ranges);
        if factor > 0 { factor * min } else { factor * max }
    };
    let total: i128 = sum.terms.iter().fold(sum.constant, |total, &(v, factor)| total + least(v, factor, ranges));
    if sum.terms.is_empty() {
        return (total <= 0).then_some(false);
    }
    let mut changed = false;
    for &(v, factor) in &sum.terms {
        let others = total - least(v, factor, ranges);
        let (min, max) = ends(v, ranges);
        // factor · v <= -others
        let (low, high) = if factor > 0 {
            (min, max.min((-others).div_euclid(factor)))
        } else {
            // Dividing by a negative factor turns the sign, and the quotient is rounded up.
            (min.max(-((-others).div_euclid(-factor))), max)
        };
        if low > high {
            return None;
        }
        if (low, high) != (min, max) {
            ranges[v] = Interval::Int(clamp(low), clamp(high));
            changed = true;
        }
    }
    Some(changed)
}

/// A cap on rounds of propagation. Each round that changes something moves at least one end inwards; sums with slowly
/// converging ends (`2x == y + x`) are cut off here, which only costs completeness.
const MAX_ROUNDS: usize = 64;

/// Narrows all ranges by all relations until nothing changes; `false` when there is no solution.
pub fn propagate(relations: &[Relation], ranges: &mut [Interval]) -> bool {
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for relation in relations {
            match relation.narrow(ranges) {
                None => return false,
                Some(narrowed) => changed |= narrowed,
            }
        }
        if !changed {
            return true;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(constant: i64, terms: &[(Variable, i128)]) -> Relation {
        Relation::AtMostZero(Linear { constant: i128::from(constant), terms: terms.to_vec() })
    }

    #[test]
    fn differences_narrow_both_ends() {
        // x + 3 <= y, x in 0..=10, y in 0..=5.
        let mut ranges = [Interval::Int(0, 10), Interval::Int(0, 5)];
        assert!(propagate(&[sum(3, &[(0, 1), (1, -1)])], &mut ranges));
        assert_eq!(ranges, [Interval::Int(0, 2), Interval::Int(3, 5)]);
    }

    #[test]
    fn factors_round_inwards() {
        // 2x <= 7 and 3y >= 7, written 7 - 3y <= 0.
        let mut ranges = [Interval::Int(-9, 9), Interval::Int(-9, 9)];
        assert!(propagate(&[sum(-7, &[(0, 2)]), sum(7, &[(1, -3)])], &mut ranges));
        assert_eq!(ranges, [Interval::Int(-9, 3), Interval::Int(3, 9)]);
    }

    #[test]
    fn a_contradiction_is_noticed() {
        let mut ranges = [Interval::Int(0, 4), Interval::Int(5, 9)];
        assert!(!propagate(&[sum(0, &[(1, 1), (0, -1)])], &mut ranges));
    }

    /// Brute force over small boxes: after propagation of difference constraints, each end of each range is part of a
    /// solution (the ranges are exact hulls), and no solution is lost.
    #[test]
    fn propagation_is_exact_for_differences_and_loses_no_solution() {
        let mut state = 12_345u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for _ in 0..300 {
            let relations: Vec<Relation> = (0..3)
                .map(|_| {
                    let (a, b) = (next(3) as usize, next(3) as usize);
                    let constant = next(9) as i64 - 4;
                    if a == b { sum(constant, &[(a, 1)]) } else { sum(constant, &[(a, 1), (b, -1)]) }
                })
                .collect();
            let boxes: Vec<(i64, i64)> = (0..3).map(|_| (next(4) as i64, next(4) as i64 + 3)).collect();
            let holds = |point: [i64; 3]| {
                let numbers = point.map(Number::Int);
                relations.iter().all(|relation| match relation {
                    Relation::AtMostZero(sum) => sum.value(&numbers) <= 0,
                    Relation::Order { .. } => true,
                })
            };
            let mut solutions = Vec::new();
            for x in boxes[0].0..=boxes[0].1 {
                for y in boxes[1].0..=boxes[1].1 {
                    solutions.extend((boxes[2].0..=boxes[2].1).map(|z| [x, y, z]).filter(|point| holds(*point)));
                }
            }
            let mut ranges: Vec<Interval> = boxes.iter().map(|b| Interval::Int(b.0, b.1)).collect();
            assert_eq!(propagate(&relations, &mut ranges), !solutions.is_empty());
            if solutions.is_empty() {
                continue;
            }
            for v in 0..3 {
                let min = solutions.iter().map(|point| point[v]).min().unwrap();
                let max = solutions.iter().map(|point| point[v]).max().unwrap();
                assert_eq!(ranges[v], Interval::Int(min, max), "{relations:?} {boxes:?}");
            }
        }
    }
}
