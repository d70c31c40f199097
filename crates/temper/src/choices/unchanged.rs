//! Items of a list that a replay gives as they were recorded. They are read from the tree in one loop, without a request for
//! each answer: of what a search replays, most items did not change.

use super::tree::{ChoiceNode, NodeKind, label};
use super::{Choices, List, MAX_NODES};
use std::slice::Iter;

/// The recorded answers of one part, to be read in the order of the requests; see
/// [`Domain::unchanged`](crate::Domain::unchanged).
#[derive(Clone, Debug)]
pub struct Unchanged<'a> {
    nodes: Iter<'a, ChoiceNode>,
}

impl Unchanged<'_> {
    /// The next answer, if it has this kind and is to be given as it is.
    #[inline(always)]
    pub(crate) fn answer(&mut self, kind: NodeKind) -> Option<u64> {
        let node = self.nodes.next()?;
        node.is_kept(kind).then_some(node.value)
    }
}

impl Choices {
    /// Whether the tree has another item of the list here, to be read as it is.
    #[inline(always)]
    pub(crate) fn is_unchanged_next(&self, list: &List) -> bool {
        let at = self.pos + usize::from(list.is_item_open);
        list.on_base
            && self.reading.off == 0
            && self.base.get(at).is_some_and(|node| list.is_bare || is_item(node))
            && !self.reading.redraw
            // Near the largest tree, every item is asked for: the list may have to end.
            && self.lead + self.record.len() + self.base.len() < MAX_NODES
    }

    /// The next items of the list as far as the tree has them, if [`Choices::is_unchanged_next`], each with this many answers.
    /// How many of them were read has to be told with [`Choices::skip_items`].
    #[inline(always)]
    pub(crate) fn next_items<'a>(
        &'a self,
        list: &List,
        is_bare: bool,
        answers: usize,
    ) -> impl ExactSizeIterator<Item = Option<Unchanged<'a>>> {
        let nodes = &self.base[self.pos..];
        let nodes = match nodes {
            [first, nodes @ ..] if list.is_item_open && is_close(first) => nodes,
            _ if list.is_item_open => &[],
            _ => nodes,
        };
        let (width, first) = if is_bare { (answers, 0) } else { (answers + 2, 1) };
        // The list may end before the tree does; one bound for both is one counter in the loop.
        let most = (list.max - list.len).saturating_mul(width).min(nodes.len());
        nodes[..most].chunks_exact(width).map(move |nodes| {
            let is_whole = is_bare || (is_item(&nodes[0]) && is_close(&nodes[answers + 1]));
            is_whole.then(|| Unchanged { nodes: nodes[first..first + answers].iter() })
        })
    }

    /// How many items to make room for, if each has this many answers or, for 0, it is not known.
    #[inline]
    pub(crate) fn likely_len(&self, list: &List, answers: usize) -> usize {
        if !list.on_base || answers == 0 {
            return list.expected_len();
        }
        // As many as the rest of the tree has room for: mostly, that is the list.
        let width = if list.is_bare { answers } else { answers + 2 };
        ((self.base.len() - self.pos) / width + 1).min(list.max).min(1 << 16)
    }

    /// Takes note that this many of [`Choices::next_items`] were read.
    #[inline]
    pub(crate) fn skip_items(&mut self, list: &mut List, taken: usize, answers: usize) {
        if taken == 0 {
            return;
        }
        list.len += taken;
        let (width, spans) = if list.is_bare { (answers, 0) } else { (answers + 2, 1) };
        self.pos += usize::from(list.is_item_open) + (taken - 1) * width;
        list.item_start = self.record_len();
        // Behind the answers of the last one: an item is still open when the next one begins.
        self.pos += answers + spans;
        list.is_item_open = !list.is_bare;
    }
}

#[inline(always)]
fn is_close(node: &ChoiceNode) -> bool {
    node.kind == NodeKind::Close
}

#[inline(always)]
fn is_item(node: &ChoiceNode) -> bool {
    const ITEM: ChoiceNode = ChoiceNode::open(label::ITEM, 0);
    node.head() == ITEM.head() && node.value == ITEM.value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::Rejected;
    use crate::domain::{Domain, bools, floats, ints, vecs};
    use crate::search::{Method, Search};
    use std::fmt::Debug;

    /// The same domain, whose items can only be asked for.
    struct Asked<D>(D);

    impl<D: Domain> Domain for Asked<D> {
        type Value = D::Value;

        fn draw(&self, choices: &mut Choices) -> Result<D::Value, Rejected> {
            self.0.draw(choices)
        }

        fn is_bare(&self) -> bool {
            self.0.is_bare()
        }
    }

    /// Searches of lists of this item, read from the tree and asked for one by one: every input and every record is the same.
    fn check<D: Domain<Value: Debug> + Clone>(name: &str, item: D, utility: impl Fn(&[D::Value]) -> f64) {
        let (read, asked) = (vecs(item.clone()).max_len(60), vecs(Asked(item)).max_len(60));
        for seed in 0..20 {
            let searches = [Search::new(Method::Annealing, seed), Search::new(Method::Annealing, seed)];
            let [mut first, mut second] = searches;
            for test in 0..600 {
                let (one, other) = (read.draw(first.ask()), asked.draw(second.ask()));
                assert_eq!(format!("{one:?}"), format!("{other:?}"), "{name}, seed {seed}, test {test}");
                let again = first.recorded(|choices| drop(read.draw(choices)));
                assert_eq!(again, second.recorded(|choices| drop(asked.draw(choices))), "{name}, seed {seed}");
                let utility = one.ok().map(|list| utility(&list));
                first.tell(utility, |_| ());
                second.tell(utility, |_| ());
            }
        }
    }

    #[test]
    fn items_that_are_read_are_those_that_are_asked_for() {
        let pair = (ints(1..=42u32).uniform(), ints(1..=42u32).uniform());
        check("filtered pairs", pair.filter(|(a, b)| a < b), |list| list.iter().map(|(a, b)| f64::from(b - a)).sum());
        check("pairs of wide numbers", (ints::<i64>(..), ints::<u64>(..)), |list| list.len() as f64);
        check("bare numbers", ints(0..=1000), |list| list.iter().map(|&v| f64::from(v)).sum());
        check("bare floats", floats(-1.0..=1.0), |list| list.iter().sum());
        check("mapped", (bools(), ints(0..=9u8)).map(|(is, v)| if is { v } else { 0 }), |list| {
            list.iter().map(|&v| f64::from(v)).sum()
        });
        // One draw in eight is kept: a part that moved is drawn again, from the answers as they were.
        check("rarely kept", (ints(0..=99), ints(0..=99)).filter(|(a, b)| (a + b) % 8 == 0), |list| {
            list.iter().map(|(a, b)| f64::from(a * b)).sum()
        });
    }

    #[test]
    fn a_list_in_a_list_is_read_like_others() {
        let pairs = |list: &Vec<(i32, i32)>| list.iter().map(|(a, b)| f64::from(a - b)).sum::<f64>();
        let item = || (ints(0..=99), ints(0..=99));
        let (read, asked) = (vecs(vecs(item())), vecs(vecs(Asked(item()))));
        for seed in 0..10 {
            let [mut first, mut second] = [Search::new(Method::Annealing, seed), Search::new(Method::Annealing, seed)];
            for _ in 0..300 {
                let (one, other) = (read.draw(first.ask()).unwrap(), asked.draw(second.ask()).unwrap());
                assert_eq!(one, other);
                let utility = one.iter().map(pairs).sum::<f64>();
                first.tell(Some(utility), |choices| drop(read.draw(choices)));
                second.tell(Some(utility), |choices| drop(asked.draw(choices)));
            }
        }
    }
}
