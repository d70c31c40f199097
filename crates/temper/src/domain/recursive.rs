//! Recursive domains with a depth budget. The levels are built one from the other, from the leaves up, so a draw always
//! ends. Every level has its span, so that shrinking can put a subtree in the place of its parent.

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
        RecursionLevel { leaf: leaf.clone(), branch }.boxed()
    })
}

struct RecursionLevel<T> {
    leaf: BoxDomain<T>,
    branch: BoxDomain<T>,
}

impl<T> Domain for RecursionLevel<T> {
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

/// How deep a derived domain of a recursive enum goes before it leaves out the variants that contain their own type.
const DERIVED_DEPTH: usize = 5;

/// Draws one value of a derived domain inside a span; tells `draw` whether it is time to end a recursion. Called by the
/// derive macro.
///
/// # Errors
/// When `draw` rejects.
pub fn draw_level<T>(
    choices: &mut Choices,
    draw: impl FnOnce(&mut Choices, bool) -> Result<T, Rejected>,
) -> Result<T, Rejected> {
    choices.open_span(label::LEVEL, 0);
    let size = choices.size();
    let is_deep = choices.enter_level() > DERIVED_DEPTH || choices.is_full();
    choices.set_size(size * 2 / 3);
    let value = draw(choices, is_deep);
    choices.set_size(size);
    choices.leave_level();
    choices.close();
    value
}

/// How deep functions that draw may be nested, and how much they may draw, before they get the simplest answers only: a
/// recursion without a bound then ends if `false` and the first alternative end it.
const NESTED_DEPTH: usize = 32;
const NESTED_NODES: usize = 1 << 14;

/// Draws what a user's function makes of choices inside a span; a function may draw from itself. Lists get shorter with
/// every level below the first.
pub fn draw_nested<T>(choices: &mut Choices, draw: impl FnOnce(&mut Choices) -> T) -> T {
    choices.open_span(label::LEVEL, 0);
    let level = choices.enter_level();
    let size = choices.size();
    if level > 1 {
        choices.set_size(size * 2 / 3);
    }
    let is_deep = level > NESTED_DEPTH || choices.record_len() > NESTED_NODES;
    let value = if is_deep { choices.simplest(draw) } else { draw(choices) };
    choices.set_size(size);
    choices.leave_level();
    choices.close();
    value
}

/// Chooses an alternative by weight and draws it inside a new span. Called by the derive macro.
///
/// # Errors
/// When `draw` rejects.
pub fn draw_alternative<T>(
    choices: &mut Choices,
    weights: &[u32],
    draw: impl FnOnce(&mut Choices, usize) -> Result<T, Rejected>,
) -> Result<T, Rejected> {
    let i = choices.weighted(weights);
    // A replayed index may name an alternative that is left out at this depth.
    let i = if weights.get(i).is_none_or(|&weight| weight == 0) { 0 } else { i };
    choices.open_span(label::ALTERNATIVE + i as u32, 0);
    let value = draw(choices, i);
    choices.close();
    value
}
