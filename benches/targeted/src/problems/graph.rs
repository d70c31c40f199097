//! B1 and B7: graphs on 42 nodes, and the longest of the shortest paths to node 1.

use temper::prelude::*;

/// The largest number of nodes.
pub const NODES: u32 = 42;

/// An edge, its smaller end first.
pub type Edge = (u32, u32);

/// An edge between two nodes drawn uniformly, drawn again until the first is the smaller.
pub fn edge(nodes: u32) -> impl Domain<Value = Edge> + Clone {
    (ints(1..=nodes).uniform(), ints(1..=nodes).uniform()).filter(|(a, b)| a < b)
}

fn sorted(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// B1: a list of edges, sorted and without duplicates.
pub fn graph() -> impl Domain<Value = Vec<Edge>> {
    vecs(edge(NODES)).map(sorted)
}

/// B7, first form: the dependent pair inside, one map outside.
pub fn graph_outer_map() -> impl Domain<Value = Vec<Edge>> {
    ints(2..=NODES).uniform().and_then(|nodes| vecs(edge(nodes))).map(sorted)
}

/// B7, second form: the map inside the dependent step.
pub fn graph_nested() -> impl Domain<Value = Vec<Edge>> {
    ints(2..=NODES).uniform().and_then(|nodes| vecs(edge(nodes)).map(sorted))
}

/// B7, third form: the length drawn as a number, then exactly so many edges.
pub fn graph_of_length() -> impl Domain<Value = Vec<Edge>> {
    let size = ints(2..=NODES).uniform();
    let len = ints(0..=42usize).uniform();
    (size, len).and_then(|(nodes, len)| vecs(edge(nodes)).len(len..=len)).map(sorted)
}

/// The number of hops from node 1 to the farthest node that can be reached.
pub fn longest_path(edges: &[Edge]) -> u32 {
    let mut adjacent = [0u64; NODES as usize + 1];
    for &(a, b) in edges {
        adjacent[a as usize] |= 1 << b;
        adjacent[b as usize] |= 1 << a;
    }
    let mut seen = 1u64 << 1;
    let mut front = seen;
    let mut hops = 0;
    loop {
        let mut next = 0;
        let mut left = front;
        while left != 0 {
            next |= adjacent[left.trailing_zeros() as usize];
            left &= left - 1;
        }
        front = next & !seen;
        if front == 0 {
            return hops;
        }
        seen |= front;
        hops += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_as_long_as_its_edges() {
        let chain: Vec<Edge> = (1..NODES).map(|a| (a, a + 1)).collect();
        assert_eq!(longest_path(&chain), 41);
        assert_eq!(longest_path(&[(2, 3), (1, 5), (5, 9), (1, 9)]), 1);
        assert_eq!(longest_path(&[]), 0);
    }
}
