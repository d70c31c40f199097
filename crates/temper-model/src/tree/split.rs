//! The best split of one feature in one node.
//!
//! The score is computed in exactly scikit-learn's form, because its rounding decides which of several equally good splits
//! wins. Counts are integers, so sums of squares stay exact and can be updated instead of summed anew.

use super::ranked::Ranked;

/// Values that differ by no more than this are not separated; scikit-learn's constant, in its width.
const FEATURE_THRESHOLD: f32 = 1e-7;

/// The best split seen so far in a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub score: f64,
    pub feature: usize,
    pub threshold: f64,
    /// Largest rank that goes left.
    pub left_rank: u32,
    pub left_rows: u32,
}

/// Buffers for the search, reused from node to node.
pub(super) struct SplitSearch<'a> {
    ranked: &'a Ranked,
    min_leaf: u32,
    keys: Vec<u32>,
    histogram: Vec<u32>,
    left: Vec<u32>,
}

/// Running counts on either side of the candidate position.
struct Sides<'a> {
    total: &'a [u32],
    left: &'a mut [u32],
    left_rows: u32,
    rows: u32,
    left_squares: i64,
    right_squares: i64,
}

impl Sides<'_> {
    fn move_left(&mut self, class: usize, count: u32) {
        let (before, count_wide) = (i64::from(self.left[class]), i64::from(count));
        let right = i64::from(self.total[class]) - before;
        self.left_squares += count_wide * (2 * before + count_wide);
        self.right_squares -= count_wide * (2 * right - count_wide);
        self.left[class] += count;
        self.left_rows += count;
    }

    fn score(&self) -> f64 {
        let left = f64::from(self.left_rows);
        let right = f64::from(self.rows - self.left_rows);
        let left_gini = 1.0 - self.left_squares as f64 / (left * left);
        let right_gini = 1.0 - self.right_squares as f64 / (right * right);
        -right * right_gini - left * left_gini
    }
}

impl<'a> SplitSearch<'a> {
    pub fn new(ranked: &'a Ranked, rows: usize, min_leaf: u32) -> Self {
        let widest = ranked.values.iter().map(Vec::len).max().unwrap_or(0);
        SplitSearch {
            ranked,
            min_leaf,
            keys: vec![0; rows],
            histogram: vec![0; widest << ranked.class_bits],
            left: vec![0; ranked.classes],
        }
    }

    /// Improves `best` with the best split of `feature`. Returns `false`, having done nothing, when the feature is constant.
    pub fn try_feature(&mut self, feature: usize, rows: &[u32], total: &[u32], best: &mut Best) -> bool {
        let source = &self.ranked.keys[feature];
        let (mut low, mut high) = (u32::MAX, 0);
        for (key, &row) in self.keys.iter_mut().zip(rows) {
            *key = source[row as usize];
            low = low.min(*key);
            high = high.max(*key);
        }
        let bits = self.ranked.class_bits;
        let values = &self.ranked.values[feature];
        let (low_rank, high_rank) = (low >> bits, high >> bits);
        if values[high_rank as usize] <= values[low_rank as usize] + FEATURE_THRESHOLD {
            return false;
        }
        if is_counting_cheaper((high - low) as usize, rows.len()) {
            self.scan_counted(feature, rows.len(), (low_rank, high_rank), total, best);
        } else {
            self.keys[..rows.len()].sort_unstable();
            self.scan_sorted(feature, rows.len(), total, best);
        }
        true
    }

    fn scan_sorted(&mut self, feature: usize, rows: usize, total: &[u32], best: &mut Best) {
        let bits = self.ranked.class_bits;
        let values = &self.ranked.values[feature];
        let mask = (1 << bits) - 1;
        let mut sides = start(total, &mut self.left, rows);
        let mut previous = self.keys[0] >> bits;
        for &key in &self.keys[..rows] {
            let rank = key >> bits;
            if rank != previous {
                consider(&sides, self.min_leaf, feature, values, (previous, rank), best);
                previous = rank;
            }
            sides.move_left((key & mask) as usize, 1);
        }
    }

    fn scan_counted(&mut self, feature: usize, rows: usize, ranks: (u32, u32), total: &[u32], best: &mut Best) {
        let bits = self.ranked.class_bits;
        let values = &self.ranked.values[feature];
        for &key in &self.keys[..rows] {
            self.histogram[key as usize] += 1;
        }
        let mut sides = start(total, &mut self.left, rows);
        let mut previous = ranks.0;
        for rank in ranks.0..=ranks.1 {
            let cell = (rank as usize) << bits;
            let counts = &mut self.histogram[cell..cell + total.len()];
            if counts.iter().all(|&count| count == 0) {
                continue;
            }
            if rank != previous {
                consider(&sides, self.min_leaf, feature, values, (previous, rank), best);
                previous = rank;
            }
            for (class, count) in counts.iter_mut().enumerate() {
                if *count > 0 {
                    sides.move_left(class, *count);
                    *count = 0;
                }
            }
        }
    }
}

/// Counting costs a pass over the range of keys, sorting a few passes over the rows. The factor was measured on the
/// data sets of `benches/model`; results do not depend on it.
fn is_counting_cheaper(key_range: usize, rows: usize) -> bool {
    key_range <= 4 * rows
}

fn start<'a>(total: &'a [u32], left: &'a mut [u32], rows: usize) -> Sides<'a> {
    left.fill(0);
    let right_squares = total.iter().map(|&count| i64::from(count) * i64::from(count)).sum();
    Sides { total, left, left_rows: 0, rows: rows as u32, left_squares: 0, right_squares }
}

fn consider(sides: &Sides, min_leaf: u32, feature: usize, values: &[f32], (below, above): (u32, u32), best: &mut Best) {
    let (low, high) = (values[below as usize], values[above as usize]);
    if high <= low + FEATURE_THRESHOLD || sides.left_rows < min_leaf || sides.rows - sides.left_rows < min_leaf {
        return;
    }
    let score = sides.score();
    if score > best.score {
        let threshold = f64::from(low) / 2.0 + f64::from(high) / 2.0;
        *best = Best { score, feature, threshold, left_rank: below, left_rows: sides.left_rows };
    }
}
