//! A k-d tree (Bentley 1975) that meets rows in the order scikit-learn's does.
//!
//! A complete binary tree: each node halves its rows at the median of its widest feature, and keeps the box around them.
//! A search goes into the nearer box first and keeps a row only when it is strictly nearer than the farthest one kept.

use super::select::select;
use crate::data::matrix::Matrix;
use std::ops::Range;

/// Rows in a leaf are between this and twice as many; scikit-learn's default for classifiers.
const LEAF_SIZE: usize = 30;

pub(super) struct SearchTree {
    rows: Matrix,
    /// Row numbers; each node owns a stretch.
    order: Vec<usize>,
    /// Node `i` has the children `2i + 1` and `2i + 2`; those past the end do not exist.
    nodes: Vec<Range<usize>>,
    /// Smallest and largest values of each node, feature by feature.
    boxes: Vec<(f64, f64)>,
}

/// The nearest rows so far, as a heap with the farthest first. Equal distances never replace one another.
struct Nearest(Vec<(f64, usize)>);

impl SearchTree {
    pub fn new(rows: Matrix) -> Self {
        let ratio = rows.rows().saturating_sub(1) as f64 / LEAF_SIZE as f64;
        let levels = ratio.max(1.0).log2() as u32 + 1;
        let count = (1 << levels) - 1;
        let features = rows.columns();
        let order: Vec<usize> = (0..rows.rows()).collect();
        let empty = (f64::INFINITY, f64::NEG_INFINITY);
        let mut tree = SearchTree { rows, order, nodes: vec![0..0; count], boxes: vec![empty; count * features] };
        tree.build(0, 0..tree.order.len());
        tree
    }

    fn build(&mut self, node: usize, stretch: Range<usize>) {
        let features = self.rows.columns();
        self.nodes[node] = stretch.clone();
        let bounds = &mut self.boxes[node * features..(node + 1) * features];
        for &row in &self.order[stretch.clone()] {
            for (bound, &value) in bounds.iter_mut().zip(self.rows.row(row)) {
                *bound = (bound.0.min(value), bound.1.max(value));
            }
        }
        if 2 * node + 1 >= self.nodes.len() {
            return;
        }
        let mut widest = 0;
        for (feature, bound) in bounds.iter().enumerate() {
            if bound.1 - bound.0 > bounds[widest].1 - bounds[widest].0 {
                widest = feature;
            }
        }
        let middle = stretch.len() / 2;
        let rows = &self.rows;
        let is_less = |a: usize, b: usize| (rows.row(a)[widest], a) < (rows.row(b)[widest], b);
        select(&mut self.order[stretch.clone()], middle, is_less);
        self.build(2 * node + 1, stretch.start..stretch.start + middle);
        self.build(2 * node + 2, stretch.start + middle..stretch.end);
    }

    /// The rows nearest to a point, in no particular order.
    pub fn nearest(&self, point: &[f64], count: usize) -> impl Iterator<Item = usize> {
        let mut nearest = Nearest(vec![(f64::INFINITY, usize::MAX); count]);
        self.visit(0, self.distance_to_box(0, point), point, &mut nearest);
        nearest.0.into_iter().map(|(_, row)| row).filter(|&row| row != usize::MAX)
    }

    fn visit(&self, node: usize, distance: f64, point: &[f64], nearest: &mut Nearest) {
        if distance > nearest.0[0].0 {
            return;
        }
        let (left, right) = (2 * node + 1, 2 * node + 2);
        if left >= self.nodes.len() {
            for &row in &self.order[self.nodes[node].clone()] {
                let distance = point.iter().zip(self.rows.row(row)).map(|(a, b)| (a - b) * (a - b)).sum();
                nearest.offer(distance, row);
            }
            return;
        }
        let to_left = self.distance_to_box(left, point);
        let to_right = self.distance_to_box(right, point);
        if to_left <= to_right {
            self.visit(left, to_left, point, nearest);
            self.visit(right, to_right, point, nearest);
        } else {
            self.visit(right, to_right, point, nearest);
            self.visit(left, to_left, point, nearest);
        }
    }

    /// Squared distance from a point to the box around a node's rows.
    fn distance_to_box(&self, node: usize, point: &[f64]) -> f64 {
        let features = self.rows.columns();
        let bounds = &self.boxes[node * features..(node + 1) * features];
        let outside = bounds.iter().zip(point).map(|((min, max), value)| (min - value).max(value - max).max(0.0));
        outside.map(|gap| gap * gap).sum()
    }
}

impl Nearest {
    fn offer(&mut self, distance: f64, row: usize) {
        let heap = &mut self.0;
        if distance >= heap[0].0 {
            return;
        }
        let mut place = 0;
        loop {
            let (left, right) = (2 * place + 1, 2 * place + 2);
            let Some(&(left_distance, _)) = heap.get(left) else { break };
            let is_left = heap.get(right).is_none_or(|entry| left_distance >= entry.0);
            let child = if is_left { left } else { right };
            if heap[child].0 <= distance {
                break;
            }
            heap[place] = heap[child];
            place = child;
        }
        heap[place] = (distance, row);
    }
}
