//! Results in the terms that reports use: one row a site, the worst test of it first, with a stable id.

use std::path::Path;

use temper_source::{Analysis, ContentHash, Form, Role, Site, SourceFile};

use crate::Seeds;
use crate::judge::verdict::SiteVerdict;
use crate::plan::sampling_plan::{PlannedFile, SamplingPlan};
use crate::sample::replaced_seeds;
use crate::sample::run_record::RunEnd;
use crate::sample::scheduler::{BoundsResult, SiteResult, TestResult};

/// One site with the verdict of the test that speaks most against it.
pub struct JudgedSite<'a> {
    /// Stable as long as test and assertion are the same.
    pub id: String,
    /// The file, relative to the project.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The assertion, on one line.
    pub source: String,
    /// Its file.
    pub planned: &'a PlannedFile,
    /// The site.
    pub site: &'a Site,
    /// Its index in the analysis of the file.
    pub index: usize,
    /// The test.
    pub test: &'a TestResult,
    /// All tests that reach the site, with the result of each there.
    pub tests: Vec<(&'a TestResult, &'a SiteResult)>,
    /// The result.
    pub result: &'a SiteResult,
    /// Why its value may never change, as far as seeds are concerned.
    pub constant_because: Option<ConstantBecause>,
}

impl JudgedSite<'_> {
    /// The fixed seed without which the test would not be green: only varied seeds can make a seeded test flaky.
    #[must_use]
    pub(crate) fn green_seed(&self) -> Option<String> {
        let is_red_without = matches!(self.result.judgement.verdict, SiteVerdict::Flaky(_) | SiteVerdict::Suspect(_));
        let is_green = self.test.baseline == Some(RunEnd::Passed);
        if is_red_without && is_green { replaced_seeds::words(&self.test.replaced) } else { None }
    }
}

/// What seeds have to do with a value that never changes.
pub enum ConstantBecause {
    /// The test's file fixes a seed, and fixed seeds are kept.
    KeptSeed,
    /// A fixed seed took effect while the module was imported, once for all runs: its text and its line.
    SeedAtImport(String, u32),
    /// These fixed seeds were replaced in every run, and the value stayed.
    ReplacedSeeds(String),
}

/// All sites that were reached, in the order of files and lines.
#[must_use]
pub fn rows<'a>(found: &'a BoundsResult, root: &Path) -> Vec<JudgedSite<'a>> {
    let mut by_site: Vec<(i64, Vec<(&TestResult, &SiteResult)>)> = Vec::new();
    for test in &found.tests {
        for site in test.shown_sites() {
            match by_site.iter_mut().find(|(number, _)| *number == site.number) {
                Some((_, tests)) => tests.push((test, site)),
                None => by_site.push((site.number, vec![(test, site)])),
            }
        }
    }
    let rows = by_site.iter().filter_map(|(number, tests)| row(found, *number, tests, root));
    let mut rows: Vec<JudgedSite<'_>> = rows.collect();
    rows.sort_by(|a, b| (&a.path, a.index).cmp(&(&b.path, b.index)));
    rows
}

fn row<'a>(
    found: &'a BoundsResult,
    number: i64,
    tests: &[(&'a TestResult, &'a SiteResult)],
    root: &Path,
) -> Option<JudgedSite<'a>> {
    let (planned, site) = found.plan.site(number)?;
    let &(test, result) = tests.iter().max_by(|(_, a), (_, b)| weight(a).total_cmp(&weight(b)))?;
    let path = planned.file.path();
    Some(JudgedSite {
        id: id(&planned.file, &planned.analysis, site, &test.test.node),
        path: path.strip_prefix(root).unwrap_or(path).display().to_string(),
        line: site.position.line,
        column: site.position.column,
        source: planned.file.slice(site.assertion).split_whitespace().collect::<Vec<_>>().join(" "),
        planned,
        site,
        index: SamplingPlan::index_of(number),
        test,
        tests: tests.to_vec(),
        result,
        constant_because: constant_because(found, test),
    })
}

fn constant_because(found: &BoundsResult, test: &TestResult) -> Option<ConstantBecause> {
    if found.seeds == Seeds::Keep {
        return found.plan.seed_of(&test.test).map(|_| ConstantBecause::KeptSeed);
    }
    if let Some(words) = replaced_seeds::words(&test.replaced) {
        return Some(ConstantBecause::ReplacedSeeds(words));
    }
    let (text, line) = found.plan.seed_at_import(&test.test)?;
    Some(ConstantBecause::SeedAtImport(text.to_owned(), line))
}

/// Precedence of verdicts; among equal ones, the larger share of failures.
fn weight(result: &SiteResult) -> f64 {
    let rank = match result.judgement.verdict {
        SiteVerdict::Suspect(_) => 7.0,
        SiteVerdict::Flaky(_) => 6.0,
        SiteVerdict::FailsAlways => 5.0,
        SiteVerdict::Broken => 4.0,
        SiteVerdict::Loose(_) => 3.5,
        SiteVerdict::Undecided { .. } => 3.0,
        SiteVerdict::Rare => 2.0,
        SiteVerdict::Sound(_) => 1.0,
        SiteVerdict::Pinned => 0.5,
        SiteVerdict::Deterministic => 0.0,
    };
    rank + 0.9 * result.judgement.failures.share
}

/// Follows the test and the text of the assertion, so lines may move above it.
#[must_use]
pub fn id(file: &SourceFile, analysis: &Analysis, site: &Site, node: &str) -> String {
    let text = file.slice(site.assertion);
    let same = analysis.sites.iter().filter(|other| file.slice(other.assertion) == text);
    let ordinal = same.take_while(|other| !std::ptr::eq(*other, site)).count();
    // The hash mixes its last byte into few bits, so the number of a further site of the same text stands first.
    let named = if ordinal == 0 { format!("{node}\n{text}\n0") } else { format!("{ordinal}\n{node}\n{text}") };
    let hash = ContentHash::of(named.as_bytes()).0;
    format!("B{:05x}", hash >> 44)
}

/// The word for a verdict.
#[must_use]
pub fn word(verdict: &SiteVerdict) -> &'static str {
    match verdict {
        SiteVerdict::Deterministic => "deterministic",
        SiteVerdict::Sound(_) => "sound",
        SiteVerdict::Flaky(_) => "flaky",
        SiteVerdict::Loose(_) => "loose",
        SiteVerdict::Rare => "rare",
        SiteVerdict::Suspect(_) => "suspect",
        SiteVerdict::Pinned => "pinned",
        SiteVerdict::Undecided { .. } => "undecided",
        SiteVerdict::FailsAlways => "fails always",
        SiteVerdict::Broken => "broken",
    }
}

/// What stands in front of a bound in the source: `<`, `rtol`, `decimal`.
#[must_use]
pub fn bound_label(row: &JudgedSite<'_>) -> &'static str {
    let is_upper = row.result.series.direction == temper_stats::Direction::Upper;
    match (row.result.series.role, is_upper, row.site.is_strict) {
        (Role::Relative, ..) if row.site.form == Form::Approx => "rel",
        (Role::Absolute, ..) if row.site.form == Form::Approx => "abs",
        (Role::Relative, ..) if row.site.form == Form::MathIsclose => "rel_tol",
        (Role::Absolute, ..) if row.site.form == Form::MathIsclose => "abs_tol",
        (Role::Relative, ..) => "rtol",
        (Role::Absolute, ..) => "atol",
        (Role::Decimal, ..) => "decimal",
        (Role::Significant, ..) => "significant",
        (Role::Places, ..) => "places",
        (Role::Delta, ..) => "delta",
        (Role::Margin, ..) => "margin",
        (Role::Value, true, true) => "<",
        (Role::Value, true, false) => "<=",
        (Role::Value, false, true) => ">",
        (Role::Value, false, false) => ">=",
    }
}
