//! Recursive domains with a depth budget. The levels are built one from the other, from the leaves up, so a draw always
//! ends; every level has a span of its own, so that shrinking can put a subtree in the place of its parent.

use super::{BoxDomain, Domain};
use crate::choices::tree::label;
use crate::choices::{Choices, Rejected};

/// Trees of at most `depth` levels above the leaves: `grow` makes the domain of inner nodes from the domain of what may
/// stand below them. Leaf and inner node are equally likely at each level; lists inside get shorter with every level.
///
/// ```
/// use temper::prelude::*;
/// #[derive(Clone, Debug)]
/// enum Tree { Leaf(i32), Node(Vec<Tree>) }
/// let trees = recursive(4, ints(0..=9).map(Tree::Leaf), |inner| vecs(inner).max_len(3).map(Tree::Node));
/// fn depth(tree: &Tree) -> usize {
///     match tree {
///         Tree::Leaf(_) => 0,
///         Tree::Node(children) => 1 + children.iter().map(depth).max().unwrap_or(0),
///     }
/// }
/// forall(trees).check(|tree| depth(tree) <= 4);
/// ```
pub fn recursive<T, L, B>(depth: usize, leaf: L, grow: impl Fn(BoxDomain<T>) -> B) -> BoxDomain<T>
where
    T: 'static,
    L: Domain<Value = T> + Send + Sync + 'static,
    B: Domain<Value = T> + Send + Sync + 'static,
{
    let leaf = leaf.boxed();
    (0..depth).fold(leaf.clone(), |below, _| {
        let branch = grow(below).boxed();
        Level { leaf: leaf.clone(), branch }.boxed()
    })
}

struct Level<T> {
    leaf: BoxDomain<T>,
    branch: BoxDomain<T>,
}

impl<T> Domain for Level<T> {
    type Value = T;

    fn draw(&self, choices: &mut Choices) -> Result<T, Rejected> {
        choices.open_span(label::LEVEL, 0);
        let is_branch = choices.flag(0.5);
        let size = choices.size();
        choices.set_size(size / 2);
        choices.open_span(label::ALTERNATIVE + u32::from(is_branch), 0);
        let value = if is_branch { self.branch.draw(choices) } else { self.leaf.draw(choices) };
        choices.close();
        choices.set_size(size);
        choices.close();
        value
    }
}
