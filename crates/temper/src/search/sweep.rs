//! A walk along one number of the current input, or along two that move together: steps that double while the utility rises, then steps that halve around
//! the best place (the pattern moves of the alternating variable method, Korel 1990). A neighbourhood that draws the size of
//! its steps needs the right number, direction and size at once, thousands of times for two numbers of 32 bits. A walk
//! needs about three tests for each bit. After a walk that rose comes one along the next number of the input: where one
//! number matters, so do mostly the numbers next to it.

use crate::choices::tree::{ChoiceNode, NodeKind};
use crate::rng::Rng;

/// The first step of a float, as a part of its size.
const FIRST_PART: f64 = 1.0 / (1u64 << 20) as f64;

/// A float is left when a step is this part of the longest one: another walk may go on from there, if it is still the float
/// that matters.
const FINE_PART: f64 = 1.0 / (1u64 << 6) as f64;

/// One walk in this many moves two numbers by the same steps, up or down: some numbers have to keep their sum or difference.
const TOGETHER: usize = 4;

/// A series of walks ends after this many in a row that did not rise.
const MISSES: usize = 1;

#[derive(Clone, Copy, Debug, PartialEq)]
enum WalkPhase {
    /// The first step, up and then down.
    Look { is_second: bool },
    /// Steps that double in the direction that rose.
    Expand,
    /// Steps that halve, in both directions.
    Contract { is_second: bool },
}

/// A walk in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep {
    /// The number's place in the tree, and how many nodes that had.
    at: usize,
    len: usize,
    step: f64,
    least: f64,
    /// The place of a number that moves along, and in the same or the other direction.
    along: Option<(usize, f64)>,
    phase: WalkPhase,
    /// Whether the walk has risen, and how many walks in a row before it have not; nothing before the first that has.
    has_risen: bool,
    misses: Option<usize>,
    /// How many walks came before it in its series.
    before: usize,
    /// Whether the series goes through all numbers, and not only on while it rises.
    is_round: bool,
}

impl Sweep {
    /// A walk along one of the numbers at these places, if the one that is chosen is a number.
    pub fn start(nodes: &[ChoiceNode], answers: &[usize], rng: &mut Rng) -> Option<Sweep> {
        let at = *answers.get(rng.index(answers.len()))?;
        let walk = Sweep::along_one(nodes, at)?;
        let step = walk.step * if rng.bits() & 1 == 0 { 1.0 } else { -1.0 };
        let other = answers[rng.index(answers.len())];
        let is_pair = rng.index(TOGETHER) == 0 && other != at && nodes[other].kind == nodes[at].kind;
        let along = is_pair.then_some((other, if rng.bits() & 1 == 0 { 1.0 } else { -1.0 }));
        Some(Sweep { step, along, ..walk })
    }

    /// The first of walks along all numbers at these places, whether they rise or not.
    pub fn round(nodes: &[ChoiceNode], answers: &[usize], rng: &mut Rng) -> Option<Sweep> {
        let first = rng.index(answers.len());
        let mut from_there = answers[first..].iter().chain(&answers[..first]);
        let walk = from_there.find_map(|&at| Sweep::along_one(nodes, at))?;
        Some(Sweep { is_round: true, ..walk })
    }

    /// A walk along the number at this place, up first; nothing if it is none.
    fn along_one(nodes: &[ChoiceNode], at: usize) -> Option<Sweep> {
        let step = first_step(nodes[at])?;
        let least = if nodes[at].kind == NodeKind::Float { 0.0 } else { 1.0 };
        let phase = WalkPhase::Look { is_second: false };
        let (len, along, misses) = (nodes.len(), None, None);
        Some(Sweep { at, len, step, least, along, phase, has_risen: false, misses, before: 0, is_round: false })
    }

    /// The walk along the next number, when this one is over and `is_risen` says whether its last step rose. Nothing unless
    /// this walk has risen, or one of the last few before it.
    pub fn follow(&self, is_risen: bool, nodes: &[ChoiceNode], answers: &[usize]) -> Option<Sweep> {
        let misses = match self.misses {
            _ if self.has_risen || is_risen || self.is_round => 0,
            misses => misses? + 1,
        };
        // Once round all numbers is enough: walks that rise by very little would go on for ever.
        let before = self.before + 1;
        if misses > MISSES || before >= answers.len() || nodes.len() != self.len {
            return None;
        }
        let after = answers.partition_point(|&at| at <= self.at);
        let mut others = answers[after..].iter().chain(&answers[..after]);
        let walk = match self.is_round {
            true => others.find_map(|&at| Sweep::along_one(nodes, at))?,
            false => Sweep::along_one(nodes, *others.next()?)?,
        };
        Some(Sweep { misses: Some(misses), before, is_round: self.is_round, ..walk })
    }

    /// The places of the numbers and their next values; nothing if the tree is no longer the one that was begun with.
    pub fn next(&self, nodes: &[ChoiceNode]) -> Option<[(usize, u64); 2]> {
        let first = (self.at, self.moved(nodes, self.at, self.step)?);
        let second = match self.along {
            Some((at, sign)) => (at, self.moved(nodes, at, sign * self.step)?),
            None => first,
        };
        Some([first, second])
    }

    fn moved(&self, nodes: &[ChoiceNode], at: usize, step: f64) -> Option<u64> {
        let node = nodes.get(at).filter(|_| nodes.len() == self.len)?;
        let value = match node.kind {
            NodeKind::Signed => whole(node.value as i64, step, i64::MIN, i64::MAX)? as u64,
            NodeKind::Unsigned => whole(node.value, step, u64::MIN, u64::MAX)?,
            NodeKind::Float => (f64::from_bits(node.value) + step).to_bits(),
            _ => return None,
        };
        (value != node.value).then_some(value)
    }

    /// Takes note of whether the last step raised the utility, and was taken; `None` when the walk is over.
    pub fn go_on(self, is_risen: bool) -> Option<Sweep> {
        let (step, phase) = match (self.phase, is_risen) {
            (WalkPhase::Look { .. } | WalkPhase::Expand, true) => (2.0 * self.step, WalkPhase::Expand),
            (WalkPhase::Look { is_second: false }, false) => (-self.step, WalkPhase::Look { is_second: true }),
            (WalkPhase::Look { is_second: true }, false) => return None,
            // The step before this one rose, so the best place is less than this step away, on either side.
            (WalkPhase::Expand, false) => (self.step / 2.0, WalkPhase::Contract { is_second: false }),
            (WalkPhase::Contract { is_second: false }, false) => (-self.step, WalkPhase::Contract { is_second: true }),
            (WalkPhase::Contract { .. }, _) => (self.step / 2.0, WalkPhase::Contract { is_second: false }),
        };
        let is_turning = self.phase == WalkPhase::Expand && !is_risen;
        let least = if is_turning && self.least < 1.0 { self.step.abs() * FINE_PART } else { self.least };
        let has_risen = self.has_risen || is_risen;
        (step.abs() >= least && step.is_finite()).then_some(Sweep { step, phase, least, has_risen, ..self })
    }
}

/// The first step along a number; nothing for what is none.
fn first_step(node: ChoiceNode) -> Option<f64> {
    match node.kind {
        NodeKind::Signed | NodeKind::Unsigned => Some(1.0),
        NodeKind::Float => {
            let size = f64::from_bits(node.value).abs();
            size.is_finite().then_some(size.max(f64::MIN_POSITIVE / FIRST_PART) * FIRST_PART)
        }
        _ => None,
    }
}

/// A whole number and a step, kept within its type; nothing if the step is too large for any number.
fn whole<T>(value: T, step: f64, min: T, max: T) -> Option<T>
where
    T: Into<i128> + TryFrom<i128>,
{
    let moved = value.into().saturating_add(step as i128).clamp(min.into(), max.into());
    T::try_from(moved).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks from a number towards the highest utility; returns where it ends and how many steps were tried.
    fn walk(start: ChoiceNode, utility: impl Fn(u64) -> f64) -> (u64, usize) {
        let (mut nodes, mut tries) = (vec![start], 0);
        let mut sweep = Sweep::start(&nodes, &[0], &mut Rng::new(1));
        while let Some(now) = sweep {
            let Some([(at, value), _]) = now.next(&nodes) else { break };
            tries += 1;
            let is_risen = utility(value) > utility(nodes[at].value);
            if is_risen {
                nodes[at].value = value;
            }
            sweep = now.go_on(is_risen);
        }
        (nodes[0].value, tries)
    }

    #[test]
    fn a_walk_ends_at_the_best_number() {
        for target in [0i64, 1, -5, 123_456_789, -2_000_000_000, 1 << 40] {
            let away = |value: u64| -((value as i64 as f64) - target as f64).abs();
            let (end, tries) = walk(ChoiceNode::answer(NodeKind::Signed, 77), away);
            assert_eq!(end as i64, target);
            assert!(tries < 200, "{tries}");
        }
        let (end, _) = walk(ChoiceNode::answer(NodeKind::Unsigned, 9), |value| -(value as f64));
        assert_eq!(end, 0);
        let away = |value: u64| -(f64::from_bits(value) - std::f64::consts::PI).abs();
        let (end, tries) = walk(ChoiceNode::answer(NodeKind::Float, 900f64.to_bits()), away);
        assert!(-away(end) < 900.0 / 32.0 && tries < 100, "{tries}");
    }

    #[test]
    fn two_numbers_that_keep_their_sum_walk_together() {
        let nodes = [10, 90].map(|value| ChoiceNode::answer(NodeKind::Signed, value));
        let sweeps = (0..100).filter_map(|seed| Sweep::start(&nodes, &[0, 1], &mut Rng::new(seed)));
        let sums: Vec<u64> = sweeps.filter_map(|sweep| sweep.next(&nodes)).map(|[a, b]| a.1 + b.1).collect();
        assert!(sums.contains(&100), "{sums:?}");
    }

    #[test]
    fn after_a_walk_that_rose_comes_one_along_the_next_number() {
        let nodes = [7, 3, 9].map(|value| ChoiceNode::answer(NodeKind::Signed, value));
        let at = |at: usize| (0..).find_map(|seed| Sweep::start(&nodes, &[at], &mut Rng::new(seed))).unwrap();
        let next = |sweep: Sweep, is_risen: bool| sweep.follow(is_risen, &nodes, &[0, 1, 2]);
        assert!(next(at(0), false).is_none(), "nothing has risen");
        let second = next(at(0), true).unwrap();
        assert_eq!((second.at, second.misses), (1, Some(0)));
        let third = next(second, false).unwrap();
        assert_eq!((third.at, third.misses), (2, Some(1)));
        assert!(next(third, false).is_none(), "two in a row have not");
        assert!(next(third, true).is_none(), "all three had their turn");
        assert_eq!(next(at(2), true).map(|first| first.at), Some(0), "the first comes after the last");
        assert!(third.follow(true, &nodes[..2], &[0, 1]).is_none(), "another tree");
    }

    #[test]
    fn a_round_has_a_walk_along_every_number_whether_it_rises_or_not() {
        use NodeKind::{Index, Signed};
        let nodes = [Signed, Index, Signed, Signed].map(|kind| ChoiceNode::answer(kind, 3));
        for seed in 0..8 {
            let mut sweep = Sweep::round(&nodes, &[0, 1, 2, 3], &mut Rng::new(seed));
            let mut places = Vec::new();
            while let Some(now) = sweep {
                places.push(now.at);
                sweep = now.follow(false, &nodes, &[0, 1, 2, 3]);
            }
            places[..3].sort_unstable();
            assert_eq!(places[..3], [0, 2, 3], "what is no number is passed over");
            assert!(places.len() <= 4, "the round ends: {places:?}");
        }
    }

    #[test]
    fn a_number_without_a_slope_costs_two_tests() {
        assert_eq!(walk(ChoiceNode::answer(NodeKind::Signed, 5), |_| 0.0).1, 2);
        assert!(Sweep::start(&[ChoiceNode::answer(NodeKind::Index, 5)], &[0], &mut Rng::new(1)).is_none());
        assert!(Sweep::start(&[], &[], &mut Rng::new(1)).is_none());
    }
}
