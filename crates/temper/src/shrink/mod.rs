//! Shrinking: from a failing choice tree to the simplest one that still fails.
//!
//! Works on recorded answers, so it needs no help from domains and never leaves them: every candidate is replayed through
//! the domain, with the simplest answer wherever the edited tree has none. A candidate is taken when it fails and is
//! smaller: fewer nodes and cells first, then fewer digits, then simpler answers from the front ([`order`]). The passes
//! run until none of them helps or the budget is spent; at last, if the budget is enough for it, everything below the best
//! tree is tried ([`exhaust`]). Passes that change one place: [`delete`], [`spans`], [`lower`], [`shorten`], [`sort`].
//! Passes that move several values together: [`together`] for numbers that depend on each other, [`gather`] for items that
//! share a total or name each other. Apart from these, a failure is not simplified further if several distant answers
//! would have to change at once in unrelated ways.

mod delete;
mod exhaust;
mod gather;
mod lower;
mod order;
mod shorten;
mod sort;
mod spans;
mod together;

use crate::choices::Choices;
use crate::choices::tree::{ChoiceNode, ChoiceTree};
use crate::neighbour::{ItemGroup, Sites};
use order::is_simpler;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Simplifies a failing tree with at most `budget` tests. `fails` draws from the source it is given and says whether the
/// value still fails. Returns the tree and how often it was made simpler; the result always fails.
pub(crate) fn shrink(
    tree: ChoiceTree,
    budget: usize,
    fails: &mut dyn FnMut(&mut Choices) -> bool,
) -> (ChoiceTree, usize) {
    let mut shrinker = Shrinker {
        best: tree.nodes,
        choices: Choices::random(0),
        fails,
        seen: HashSet::default(),
        sites: Sites::default(),
        scanned: None,
        left: budget,
        shrinks: 0,
    };
    while shrinker.left > 0 {
        let before = shrinker.shrinks;
        shrinker.all_passes();
        if shrinker.shrinks == before && !shrinker.exhaust() {
            break;
        }
    }
    (ChoiceTree { nodes: shrinker.best }, shrinker.shrinks)
}

struct Shrinker<'f> {
    best: Vec<ChoiceNode>,
    choices: Choices,
    fails: &'f mut dyn FnMut(&mut Choices) -> bool,
    /// Hashes of the candidates that were tried.
    seen: HashSet<u64, BuildHasherDefault<AlreadyHashed>>,
    /// The places of the best tree, as it was after so many shrinks.
    sites: Sites,
    scanned: Option<usize>,
    left: usize,
    shrinks: usize,
}

impl Shrinker<'_> {
    fn all_passes(&mut self) {
        self.pass(Self::delete_items);
        self.pass(Self::simplify_numbers);
        self.pass(Self::simplify_spans);
        self.pass(Self::hoist_spans);
        self.pass(Self::move_items);
        self.pass(Self::drop_signs);
        self.pass(Self::gather_items);
        self.pass(Self::lower_answers);
        self.pass(Self::shorten);
        self.pass(Self::lower_equal);
        self.pass(Self::lower_together);
        self.pass(Self::redistribute);
        self.pass(Self::renumber);
        self.pass(Self::sort_items);
        self.pass(Self::exchange_spans);
    }

    /// Runs a pass with half of what is left of the budget, so that a large input is simplified in every way a little and
    /// not in one way alone.
    fn pass(&mut self, pass: fn(&mut Self)) {
        let kept = self.left / 2;
        self.left -= kept;
        pass(self);
        self.left += kept;
    }

    /// Tests a candidate; takes it when it fails and is simpler than the best so far.
    fn try_nodes(&mut self, candidate: &[ChoiceNode]) -> bool {
        if self.left == 0 || candidate == self.best || !self.seen.insert(hash(candidate)) {
            return false;
        }
        self.left -= 1;
        self.choices.start_replay(candidate, true);
        if !(self.fails)(&mut self.choices) || !is_simpler(self.choices.record(), &self.best) {
            return false;
        }
        self.choices.swap_record(&mut self.best);
        self.shrinks += 1;
        true
    }

    /// What the domain answers when it is given these nodes, counted as a test.
    fn replayed(&mut self, candidate: &[ChoiceNode]) -> &[ChoiceNode] {
        self.left -= 1;
        self.choices.start_replay(candidate, true);
        (self.fails)(&mut self.choices);
        self.choices.record()
    }

    /// Tests the best tree with one node exchanged.
    fn try_node(&mut self, at: usize, node: ChoiceNode) -> bool {
        self.try_with([(at, node)])
    }

    /// Tests the best tree with some nodes exchanged.
    fn try_with<const N: usize>(&mut self, exchanged: [(usize, ChoiceNode); N]) -> bool {
        let mut candidate = self.best.clone();
        for (at, node) in exchanged {
            candidate[at] = node;
        }
        self.try_nodes(&candidate)
    }

    /// The places of the best tree.
    fn sites(&mut self) -> &Sites {
        if self.scanned != Some(self.shrinks) {
            self.sites.scan_all(&self.best);
            self.scanned = Some(self.shrinks);
        }
        &self.sites
    }

    /// A group of items in the best tree, by its number.
    fn group(&mut self, number: usize) -> Option<ItemGroup> {
        self.sites().groups.get(number).copied()
    }
}

/// A quick hash of nodes: every shrink tests thousands of trees, and most of them are short. Two different trees have the
/// same hash so rarely that one lost candidate in a lifetime is the price.
fn hash(nodes: &[ChoiceNode]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = nodes.len() as u64;
    for node in nodes {
        let kind = u64::from(node.label) << 16 | (node.kind as u64) << 8 | node.op as u64;
        hash = (hash.rotate_left(23) ^ node.value).wrapping_mul(FACTOR);
        hash = (hash.rotate_left(29) ^ kind).wrapping_mul(FACTOR);
    }
    hash ^ (hash >> 32)
}

/// The hasher of a set of hashes.
#[derive(Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests;
