//! B8: routing trees for 20 nodes, drawn recursively or as minimum spanning trees of random weights.

use temper::prelude::*;
use temper::rng::Rng;

/// The number of nodes; node 0 is the sink.
pub const NODES: usize = 20;

/// The energy that one random spanning tree in a million has: of 20,000,000 draws of M, 20 were above 101.8 and 21 above
/// 101.1 (seeds 0 to 19,999,999).
pub const LIMIT: f64 = 101.5;

/// The parent of every node; the sink is its own.
pub type Tree = [usize; NODES];

/// Fixed random positions in the unit square.
pub fn positions() -> [(f64, f64); NODES] {
    let mut rng = Rng::new(8);
    std::array::from_fn(|_| (rng.unit(), rng.unit()))
}

/// Generator R: start from the sink and attach a random unattached node to a random attached one, until none is left.
pub fn grown() -> impl Domain<Value = Tree> {
    compose(|c| {
        let mut tree = [0; NODES];
        attach(c, &mut tree, vec![0], (1..NODES).collect())?;
        Ok(tree)
    })
}

fn attach(c: &mut Choices, tree: &mut Tree, mut attached: Vec<usize>, mut free: Vec<usize>) -> Result<(), Rejected> {
    if free.is_empty() {
        return Ok(());
    }
    let node = free.remove(c.index(free.len()));
    tree[node] = attached[c.index(attached.len())];
    attached.push(node);
    attach(c, tree, attached, free)
}

/// Generator M: a random weight for each possible link, then the minimum spanning tree.
pub fn spanning() -> impl Domain<Value = Tree> {
    vecs(floats(0.0..=1.0).uniform()).len(LINKS..=LINKS).map(|weights| spanning_tree(&weights))
}

const LINKS: usize = NODES * (NODES - 1) / 2;

/// Prim's algorithm from the sink.
fn spanning_tree(weights: &[f64]) -> Tree {
    let link = |a: usize, b: usize| weights[a.max(b) * (a.max(b) - 1) / 2 + a.min(b)];
    let mut tree = [0; NODES];
    let mut cost: [f64; NODES] = std::array::from_fn(|node| if node == 0 { 0.0 } else { link(0, node) });
    let mut is_attached = [false; NODES];
    is_attached[0] = true;
    for _ in 1..NODES {
        let next = (1..NODES).filter(|&n| !is_attached[n]).min_by(|&a, &b| cost[a].total_cmp(&cost[b]));
        let Some(next) = next else { break };
        is_attached[next] = true;
        for node in 1..NODES {
            if !is_attached[node] && link(next, node) < cost[node] {
                cost[node] = link(next, node);
                tree[node] = next;
            }
        }
    }
    tree
}

/// The sum over the nodes of hops to the sink times the squared length of the node's own link.
pub fn energy(tree: &Tree, positions: &[(f64, f64); NODES]) -> f64 {
    (1..NODES)
        .map(|node| {
            let parent = tree[node];
            let (dx, dy) = (positions[node].0 - positions[parent].0, positions[node].1 - positions[parent].1);
            hops(tree, node) as f64 * (dx * dx + dy * dy)
        })
        .sum()
}

fn hops(tree: &Tree, mut node: usize) -> usize {
    let mut hops = 0;
    while node != 0 {
        node = tree[node];
        hops += 1;
    }
    hops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_generators_give_trees() {
        for seed in 0..200 {
            for tree in [grown().draw(&mut Choices::random(seed)), spanning().draw(&mut Choices::random(seed))] {
                let tree = tree.unwrap();
                assert!((1..NODES).all(|node| hops(&tree, node) < NODES));
            }
        }
    }

    #[test]
    fn energy_counts_hops_times_squared_length() {
        let mut places = [(0.0, 0.0); NODES];
        places[1] = (1.0, 0.0);
        places[2] = (1.0, 2.0);
        let mut tree = [0; NODES];
        tree[2] = 1;
        assert_eq!(energy(&tree, &places), 1.0 + 2.0 * 4.0);
    }
}
