//! Selecting the n-th element, leaving the others in the order that the usual C++ library leaves them in.
//!
//! Musser's introselect (1997) with a median-of-three pivot: any selection is right for searching, but this order is what
//! scikit-learn's tie behaviour follows from. Where a run of bad pivots makes that library change its algorithm we sort, and
//! the order may differ.

/// Rearranges `items` so that the one at `nth` is where sorting would put it, smaller ones before and larger ones after.
pub(super) fn select(items: &mut [usize], nth: usize, is_less: impl Fn(usize, usize) -> bool) {
    let (mut first, mut last) = (0, items.len());
    let mut patience = 2 * items.len().checked_ilog2().unwrap_or(0);
    while last - first > 3 && patience > 0 {
        patience -= 1;
        let cut = partition(items, first, last, &is_less);
        if cut <= nth { first = cut } else { last = cut }
    }
    items[first..last].sort_by(|&a, &b| is_less(b, a).cmp(&is_less(a, b)));
}

/// Moves items below a pivot to the front and returns where the others start.
fn partition(items: &mut [usize], first: usize, last: usize, is_less: &impl Fn(usize, usize) -> bool) -> usize {
    let (a, b, c) = (first + 1, first + (last - first) / 2, last - 1);
    items.swap(first, median(items, [a, b, c], is_less));
    let pivot = items[first];
    let (mut low, mut high) = (first + 1, last);
    loop {
        while is_less(items[low], pivot) {
            low += 1;
        }
        high -= 1;
        while is_less(pivot, items[high]) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        items.swap(low, high);
        low += 1;
    }
}

/// The place, of three, that holds the middle item.
fn median(items: &[usize], [a, b, c]: [usize; 3], is_less: &impl Fn(usize, usize) -> bool) -> usize {
    let is_less = |x: usize, y: usize| is_less(items[x], items[y]);
    let (low, high) = if is_less(a, b) { (a, b) } else { (b, a) };
    if is_less(high, c) {
        high
    } else if is_less(low, c) {
        c
    } else {
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_items_come_before_the_selected_one_and_larger_after() {
        for length in 1..200usize {
            let items: Vec<usize> = (0..length).map(|i| i * 7919 % 101 * 1000 + i).collect();
            for nth in [0, length / 3, length / 2, length - 1] {
                let mut moved = items.clone();
                select(&mut moved, nth, |a, b| a < b);
                assert!(moved[..nth].iter().all(|&item| item < moved[nth]));
                assert!(moved[nth + 1..].iter().all(|&item| item > moved[nth]));
                moved.sort_unstable();
                let mut sorted = items.clone();
                sorted.sort_unstable();
                assert_eq!(moved, sorted);
            }
        }
    }
}
