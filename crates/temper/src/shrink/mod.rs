//! Shrinking: from a failing choice tree to the simplest one that still fails.
//!
//! Works on recorded answers, so it needs no help from domains and never leaves them: every candidate is replayed through
//! the domain, with the simplest answer wherever the edited tree has none. A candidate is taken when it fails and is
//! smaller: fewer nodes and cells first, then fewer digits, then simpler answers from the front. The passes run until none of them
//! helps or the budget is spent; at last, if the budget is enough for it, everything below the best tree is tried.
//! Apart from that, a failure is not simplified further if several distant answers would have to change at once in
//! unrelated ways.

mod exhaust;
mod order;
mod passes;

use crate::choices::Choices;
use crate::choices::tree::{ChoiceNode, ChoiceTree};
use crate::neighbour::Sites;
use order::is_simpler;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

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
        seen: HashSet::new(),
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
    seen: HashSet<u64>,
    left: usize,
    shrinks: usize,
}

impl Shrinker<'_> {
    fn all_passes(&mut self) {
        self.delete_items();
        self.simplify_spans();
        self.hoist_spans();
        self.join_lists();
        self.drop_signs();
        self.lower_answers();
        self.shorten();
        self.lower_together();
        self.redistribute();
        self.sort_items();
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
        let mut candidate = self.best.clone();
        candidate[at] = node;
        self.try_nodes(&candidate)
    }

    fn sites(&self) -> Sites {
        let mut sites = Sites::default();
        sites.scan_all(&self.best);
        sites
    }
}

fn hash(nodes: &[ChoiceNode]) -> u64 {
    let mut hasher = DefaultHasher::new();
    nodes.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
