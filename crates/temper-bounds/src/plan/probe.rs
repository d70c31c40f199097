//! Turns assertion sites into edits that record their operands and let failed assertions go on.
//!
//! Every edit is an insertion on one line, so line numbers stay. What the inserted calls do is in
//! `python/temper/bounds/recording.py`. Four shapes cover all forms:
//!
//! - `a < c`: operands are wrapped, and `judge` around the comparison sees its answer;
//! - `lo < a < hi`: taken apart into a conjunction, with the middle evaluated once;
//! - `assert_allclose(a, d)`: operands are wrapped, and `soft` around the function's name sees its exception;
//! - a fixed seed that does not pass through Python when it takes effect: wrapped, so that each run can have its own. All
//!   others are replaced at run time, by `python/temper/bounds/seed_variation.py`.

mod call_text;
mod chained_comparison;
mod group;
mod nested_insertions;
pub mod observation;
mod operands;

use temper_source::{Analysis, EditSet, Form, Site, SourceError, SourceFile, Span};

use crate::Seeds;
pub use group::Unprobed;
use group::{ProbeGroup, operator};
use nested_insertions::Inserts;
use operands::wrap_operands;

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

/// Probes all sites of a file. Numbers of sites start at `first`.
///
/// # Errors
/// When the edited text cannot be encoded, or is not valid Python: a fault of ours.
pub fn probe(file: &SourceFile, analysis: &Analysis, first: i64, seeds: Seeds) -> Result<Probed, SourceError> {
    let (groups, mut left_out) = groups(analysis);
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
        for seed in analysis.seeds.iter().filter(|seed| !seed.is_seen_at_run_time()) {
            inserts.wrap(seed.argument, call_text::call("seed", "("), "))".to_owned());
        }
    }
    let end = file.text().len();
    // Imports the recorder with the tests, once for all runs.
    let at_end = match seeds {
        Seeds::Keep => "\n__import__('temper.bounds')\n".to_owned(),
        Seeds::Vary => format!("\n{})\n", call_text::call("install", "")),
    };
    inserts.at_end(u32::try_from(end).unwrap_or(u32::MAX), at_end);
    let edited = EditSet::new(file, inserts.into_edits())?.reparse(file)?;
    probed.sort_unstable();
    left_out.sort_by_key(|(index, _)| *index);
    Ok(Probed { source: edited.to_bytes()?, sites: probed, left_out })
}

/// The sites by the comparison that decides them, in the order of the text; and those that are left out.
fn groups(analysis: &Analysis) -> (Vec<ProbeGroup<'_>>, Vec<(usize, Unprobed)>) {
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
    (groups, left_out)
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

#[cfg(test)]
mod tests;
