//! Inputs next to the splits on the path to a leaf.
//!
//! The published tool looks at one end of each interval, picked at random, with all features at once near their ends. Here each
//! end of each feature is looked at by itself, so that a failure names the split that it belongs to; and the two last values
//! on either side of each split are tried exactly, which a slice of an interval hardly ever meets.

use super::leaf_domain::LeafDomain;
use super::{Criterion, InputSource, InputSuite, Inputs};
use crate::boundary::interval_ends::{Ends, IntervalEnd};
use crate::boundary::last_value::{above, below};
use crate::tree::leaf::{PathStep, path};
use temper::Choices;

/// Draw numbers of points start here, past those of slices.
pub(super) const FIRST_POINT: usize = 1 << 32;

/// One domain for each end of each interval of the leaf.
pub(super) fn slices<'a>(inputs: &Inputs, leaf: usize, coverage: &LeafDomain<'a>) -> Vec<LeafDomain<'a>> {
    let mut domains = Vec::new();
    for &(feature, interval) in &inputs.surrogate.leaves[leaf].intervals {
        let Some((lo, hi)) = coverage.limits(feature) else { continue };
        let column = &inputs.data.schema.columns[feature];
        let whole = Ends { lo: interval.lo.unwrap_or(lo), hi: interval.hi.unwrap_or(hi) };
        let percent = inputs.settings.slice_percent;
        // A boundary below the smallest value only tells missing cells from others.
        if interval.lo.is_some_and(|lo| lo >= column.min) {
            let slice = whole.slice(IntervalEnd::Lower, percent);
            domains.push(coverage.focused(feature, lo, slice.hi.clamp(lo, hi)));
        }
        if interval.hi.is_some() {
            let slice = whole.slice(IntervalEnd::Upper, percent);
            domains.push(coverage.focused(feature, slice.lo.clamp(lo, hi), hi));
        }
    }
    domains
}

/// For each split on the path, an input of the leaf moved to the last value on either side. What is expected of it is the
/// class of the leaf that it falls into.
pub(super) fn points(
    inputs: &Inputs,
    leaf: usize,
    coverage: &LeafDomain,
    choices: &mut Choices,
    suite: &mut InputSuite,
) {
    let mut row = vec![0.0; inputs.data.features.columns()];
    for (number, step) in path(&inputs.surrogate.tree, inputs.surrogate.leaves[leaf].id).enumerate() {
        for (side, value) in sides(inputs, &step).into_iter().enumerate() {
            let source = InputSource { leaf, criterion: Criterion::Boundary, draw: FIRST_POINT + 2 * number + side };
            inputs.fill(coverage, source, choices, &mut row);
            row[step.split.feature] = value;
            suite.offer(inputs.surrogate, &row, source);
        }
    }
}

/// The feature and value that make an input a point; `None` when the source is no point.
pub(super) fn point(inputs: &Inputs, source: InputSource) -> Option<(usize, f64)> {
    let number = source.draw.checked_sub(FIRST_POINT)?;
    let step = path(&inputs.surrogate.tree, inputs.surrogate.leaves[source.leaf].id).nth(number / 2)?;
    Some((step.split.feature, sides(inputs, &step)[number % 2]))
}

/// The last values on either side of a split.
fn sides(inputs: &Inputs, step: &PathStep) -> [f64; 2] {
    let column = &inputs.data.schema.columns[step.split.feature];
    let (threshold, reads) = (step.split.threshold, inputs.settings.reads);
    match column.missing {
        Some(code) if threshold < column.min => [code, column.min],
        _ => [below(threshold, column, reads), above(threshold, column, reads)],
    }
}
