//! Turns assertion sites into edits that record their operands and let failed assertions go on.
//!
//! Every edit is an insertion on one line, so line numbers stay. What the inserted calls do is in
//! `python/temper/bounds/hit.py`. Four shapes cover all forms:
//!
//! - `a < c`: operands are wrapped, and `judge` around the comparison sees its answer;
//! - `lo < a < hi`: taken apart into a conjunction, with the middle evaluated once;
//! - `assert_allclose(a, d)`: operands are wrapped, and `soft` around the function's name sees its exception;
//! - a fixed seed: wrapped, so that each run can have its own.

mod call_text;
mod chained_comparison;
mod nested_insertions;

use temper_source::{Analysis, EditSet, Form, Site, SourceError, SourceFile, Span};

use crate::Seeds;
use crate::sample::run_record::role_name;
use nested_insertions::Inserts;

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

/// One file with its probes.
#[derive(Clone, Debug)]
pub struct Probed {
    /// The bytes that stand in for the file.
    pub source: Vec<u8>,
    /// Indices of the sites that are probed, in the order of the text; site `i` has number `first + i`.
    pub sites: Vec<usize>,
    /// Indices of the others, with the reason.
    pub left_out: Vec<(usize, Unprobed)>,
}

/// Sites that one comparison decides: usually one, two for `assertBetween`.
struct ProbeGroup<'a> {
    comparison: Span,
    sites: Vec<(usize, &'a Site)>,
}

/// Probes all sites of a file. Numbers of sites start at `first`.
///
/// # Errors
/// When the edited text cannot be encoded, or is not valid Python: a fault of ours.
pub fn probe(file: &SourceFile, analysis: &Analysis, first: i64, seeds: Seeds) -> Result<Probed, SourceError> {
    let mut left_out = Vec::new();
    let mut groups: Vec<ProbeGroup<'_>> = Vec::new();
    for (index, site) in analysis.sites.iter().enumerate() {
        if site.expects_failure {
            left_out.push((index, Unprobed::ExpectsFailure));
            continue;
        }
        match groups.iter_mut().find(|group| group.comparison == site.comparison) {
            Some(group) => group.sites.push((index, site)),
            None => groups.push(ProbeGroup { comparison: site.comparison, sites: vec![(index, site)] }),
        }
    }
    groups.sort_by_key(|group| group.comparison);
    let mut inserts = Inserts::default();
    let mut probed = Vec::new();
    for chain in groups.chunk_by(|left, right| chained_comparison::is_linked(left.comparison, right.comparison)) {
        let done = match chain {
            [single] => probe_group(file, single, first, &mut inserts),
            links => chained_comparison::probe(file, links, first, &mut inserts),
        };
        let sites = chain.iter().flat_map(|group| group.sites.iter().map(|(index, _)| *index));
        match done {
            Ok(()) => probed.extend(sites),
            Err(reason) => left_out.extend(sites.map(|index| (index, reason))),
        }
    }
    if seeds == Seeds::Vary {
        for seed in &analysis.seeds {
            inserts.wrap(seed.argument, call_text::call("seed", "("), "))".to_owned());
        }
    }
    let end = file.text().len();
    // Imports the recorder with the tests, once for all runs.
    inserts.at_end(u32::try_from(end).unwrap_or(u32::MAX), "\n__import__('temper.bounds')\n".to_owned());
    let edited = EditSet::new(file, inserts.into_edits())?.reparse(file)?;
    probed.sort_unstable();
    left_out.sort_by_key(|(index, _)| *index);
    Ok(Probed { source: edited.to_bytes()?, sites: probed, left_out })
}

fn probe_group(file: &SourceFile, group: &ProbeGroup<'_>, first: i64, inserts: &mut Inserts) -> Result<(), Unprobed> {
    let text = file.slice(group.comparison);
    let site = group.sites[0].1;
    let described = call_text::sites(file, group, first);
    if is_raising(site, text) {
        let end = callee_end(text).ok_or(Unprobed::Callee)?;
        let callee = Span::new(group.comparison.start, group.comparison.start + end);
        inserts.wrap(callee, call_text::call("soft", &format!("{described},")), ")".to_owned());
    } else {
        if operator(file, site).is_some() && chained_comparison::is_part_of_longer(file.text(), group.comparison) {
            return Err(Unprobed::Chain);
        }
        inserts.wrap(group.comparison, call_text::call("judge", &format!("{described},(")), "))".to_owned());
    }
    for (index, site) in &group.sites {
        wrap_operands(site, first + *index as i64, inserts);
    }
    Ok(())
}

/// The operands of a site by the names that the recorder knows.
fn operands(site: &Site) -> impl Iterator<Item = (&'static str, Span)> + '_ {
    let reference = site.reference.map(|span| ("reference", span));
    let bounds = site.bounds.iter().filter_map(|bound| Some((role_name(bound.role), bound.expression?)));
    std::iter::once(("actual", site.actual)).chain(reference).chain(bounds)
}

fn wrap_operands(site: &Site, number: i64, inserts: &mut Inserts) {
    for (slot, span) in operands(site) {
        inserts.wrap(span, call_text::call("operand", &format!("{number},'{slot}',(")), "))".to_owned());
    }
}

/// Whether the comparison is a call that raises where it does not hold, known by the function's full name or its own.
fn is_raising(site: &Site, text: &str) -> bool {
    let is_asserting = |name: &str| {
        let name = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
        name.contains("assert") || name.starts_with("fail")
    };
    let own = text.split('(').next().unwrap_or_default();
    site.callee.as_deref().is_some_and(is_asserting) || site.form == Form::Approx && is_asserting(own.trim())
}

/// Length of the dotted name that a call starts with.
fn callee_end(text: &str) -> Option<u32> {
    let open = text.find('(')?;
    let name = text[..open].trim_end();
    let is_dotted =
        name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ' ' | '\t' | '\\' | '\n' | '\r'));
    is_dotted.then(|| u32::try_from(name.len()).ok()).flatten()
}

/// The comparison operator between the operands, and whether the actual is on its left; nothing if there is none in the text.
fn operator(file: &SourceFile, site: &Site) -> Option<(&'static str, bool)> {
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

/// The side of an equality that the actual is not on: from the comparison's start, or up to its end.
fn approx_side(site: &Site) -> Span {
    if site.actual.start == site.comparison.start || site.reference.is_some_and(|span| span.start > site.actual.start) {
        Span::new(site.reference.map_or(site.comparison.end, |span| span.start), site.comparison.end)
    } else {
        Span::new(site.comparison.start, site.reference.map_or(site.comparison.start, |span| span.end))
    }
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
