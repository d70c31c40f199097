//! The sites that one comparison decides, and what all shapes of probe do with them.

use temper_source::{Form, Site, SourceFile, Span};

/// Why a site is not sampled although its form is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unprobed {
    /// It stands where an assertion is expected to fail.
    #[error("the code around it expects the assertion to fail")]
    ExpectsFailure,
    /// A chained comparison with parentheses, or with a link that is no site.
    #[error("a chained comparison that cannot be taken apart")]
    Chain,
    /// The function is called through something that is no dotted name.
    #[error("the asserting function is called through an expression")]
    Callee,
}

/// Sites that one comparison decides: usually one, two for `assertBetween`.
pub(super) struct ProbeGroup<'a> {
    pub(super) comparison: Span,
    pub(super) sites: Vec<(usize, &'a Site)>,
}

/// The comparison operator between the operands, and whether the actual is on its left; nothing if there is none in the text.
pub(super) fn operator(file: &SourceFile, site: &Site) -> Option<(&'static str, bool)> {
    let other = site.reference.or_else(|| site.bounds.first().and_then(|bound| bound.expression))?;
    // The expected value of `approx` stands inside a call; the operator is before that call or behind it.
    let other = if site.form == Form::Approx { approx_side(site) } else { other };
    let is_left = site.actual.start < other.start;
    let (left, right) = if is_left { (site.actual, other) } else { (other, site.actual) };
    let gap = file.text().get(left.end as usize..right.start as usize)?;
    let found =
        ["==", "!=", "<=", ">=", "<", ">"].into_iter().find(|operator| without_comments(gap).contains(operator));
    found.map(|operator| (operator, is_left))
}

pub(super) fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The side of an equality that the actual is not on: from the comparison's start, or up to its end.
pub(super) fn approx_side(site: &Site) -> Span {
    if site.actual.start == site.comparison.start || site.reference.is_some_and(|span| span.start > site.actual.start) {
        Span::new(site.reference.map_or(site.comparison.end, |span| span.start), site.comparison.end)
    } else {
        Span::new(site.comparison.start, site.reference.map_or(site.comparison.start, |span| span.end))
    }
}
