//! What a scan found, file by file and as a whole, in the shape in which it is printed. Filled from `temper-source`;
//! rendered as text by `commands::scan` and as JSON by its serialised form.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use temper_source::{
    Analysis, Annotated, Bound, BoundOrigin, Direction, ExactHint, OwnerKind, Role, Site, SourceFile, Spelling,
};

/// Everything that was found, over all files.
#[derive(Debug, Default, Serialize)]
pub struct Inventory {
    pub files_found: usize,
    pub files_read: usize,
    pub files_failed: Vec<FailedFile>,
    pub tests: usize,
    pub tests_with_seed: usize,
    pub by_form: BTreeMap<&'static str, usize>,
    pub sites: Vec<SiteRow>,
    pub not_understood: Vec<NotUnderstoodRow>,
    /// Comparisons in functions that no test file holds: not test assertions.
    pub comparisons_outside_tests: usize,
    pub annotated: Vec<AnnotatedRow>,
}

/// A file that could not be read as Python.
#[derive(Debug, Serialize)]
pub struct FailedFile {
    pub path: String,
    pub message: String,
}

/// One approximate assertion.
#[derive(Debug, Serialize)]
pub struct SiteRow {
    pub path: String,
    pub line: u32,
    pub column: u32,
    pub form: &'static str,
    /// The test or helper that holds it.
    pub owner: String,
    pub direction: &'static str,
    pub is_strict: bool,
    pub bounds: Vec<BoundRow>,
    pub code: String,
    pub is_in_loop: bool,
    /// Why the value is probably exact, if it is.
    pub exact: Option<&'static str>,
    pub seed: SeedState,
}

/// One number that bounds a site.
#[derive(Debug, Serialize)]
pub struct BoundRow {
    pub role: &'static str,
    /// Absent when only a run would tell.
    pub value: Option<f64>,
    pub origin: &'static str,
}

/// What can be seen about randomness in the test that holds a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SeedState {
    /// A seed is fixed in the test, in a fixture or in the module.
    Fixed,
    /// Random numbers are drawn and no seed is fixed.
    Unfixed,
    /// Neither seeds nor draws are seen; the code under test may still draw.
    Unseen,
}

/// Something that looks approximate and is not understood.
#[derive(Debug, Serialize)]
pub struct NotUnderstoodRow {
    pub path: String,
    pub line: u32,
    pub column: u32,
    pub reason: String,
    pub code: String,
}

/// A function with annotations.
#[derive(Debug, Serialize)]
pub struct AnnotatedRow {
    pub path: String,
    pub line: u32,
    pub name: String,
    pub spellings: Vec<&'static str>,
}

impl Inventory {
    /// Adds what one file told.
    pub fn add(&mut self, path: &str, file: &SourceFile, analysis: &Analysis) {
        self.files_read += 1;
        let randomness = Randomness::of(analysis);
        self.tests += analysis.tests.len();
        self.tests_with_seed += analysis.tests.iter().filter(|test| randomness.is_seeded(&test.name)).count();
        for site in &analysis.sites {
            if matches!(site.owner.kind, OwnerKind::Function | OwnerKind::Module) && analysis.tests.is_empty() {
                self.comparisons_outside_tests += 1;
                continue;
            }
            if site.likely_exact.is_none() {
                *self.by_form.entry(site.form.name()).or_default() += 1;
            }
            self.sites.push(site_row(path, file, site, &randomness));
        }
        self.not_understood.extend(analysis.not_understood.iter().map(|item| NotUnderstoodRow {
            path: path.to_owned(),
            line: item.position.line,
            column: item.position.column,
            reason: item.reason.to_string(),
            code: file.line_text(item.position.line).trim().to_owned(),
        }));
        self.annotated.extend(analysis.annotated.iter().map(|function| annotated_row(path, function)));
    }

    /// The sites whose value may vary: all but those that are probably exact.
    pub fn approximate(&self) -> impl Iterator<Item = &SiteRow> {
        self.sites.iter().filter(|site| site.exact.is_none())
    }
}

/// The names of the tests and helpers of one file that fix seeds, and of those that draw without one.
struct Randomness<'a> {
    is_file_seeded: bool,
    seeded: BTreeSet<&'a str>,
    drawing: BTreeSet<&'a str>,
}

impl<'a> Randomness<'a> {
    fn of(analysis: &'a Analysis) -> Randomness<'a> {
        let is_for_all = |kind| matches!(kind, OwnerKind::Module | OwnerKind::Fixture);
        Randomness {
            is_file_seeded: analysis.seeds.iter().any(|seed| is_for_all(seed.owner.kind)),
            seeded: analysis.seeds.iter().map(|seed| seed.owner.name.as_str()).collect(),
            drawing: analysis
                .draws
                .iter()
                .filter(|draw| !draw.is_seeded)
                .map(|draw| draw.owner.name.as_str())
                .collect(),
        }
    }

    fn is_seeded(&self, owner: &str) -> bool {
        self.is_file_seeded || self.seeded.contains(owner)
    }

    fn state(&self, owner: &str) -> SeedState {
        match (self.is_seeded(owner), self.drawing.contains(owner)) {
            (true, _) => SeedState::Fixed,
            (false, true) => SeedState::Unfixed,
            (false, false) => SeedState::Unseen,
        }
    }
}

fn site_row(path: &str, file: &SourceFile, site: &Site, randomness: &Randomness<'_>) -> SiteRow {
    SiteRow {
        path: path.to_owned(),
        line: site.position.line,
        column: site.position.column,
        form: site.form.name(),
        owner: site.owner.name.clone(),
        direction: match site.direction {
            Direction::Upper => "upper",
            Direction::Lower => "lower",
        },
        is_strict: site.is_strict,
        bounds: site.bounds.iter().map(bound_row).collect(),
        code: file.line_text(site.position.line).trim().to_owned(),
        is_in_loop: site.in_loop,
        exact: site.likely_exact.map(|hint| match hint {
            ExactHint::Length => "length",
            ExactHint::Shape => "shape",
            ExactHint::Count => "count",
            ExactHint::Structure => "structure",
        }),
        seed: randomness.state(&site.owner.name),
    }
}

fn bound_row(bound: &Bound) -> BoundRow {
    let role = match bound.role {
        Role::Value => "value",
        Role::Relative => "relative",
        Role::Absolute => "absolute",
        Role::Decimal => "decimal",
        Role::Significant => "significant",
        Role::Places => "places",
        Role::Delta => "delta",
        Role::Margin => "margin",
    };
    let origin = match bound.origin {
        BoundOrigin::Here => "here",
        BoundOrigin::Local => "local",
        BoundOrigin::Class => "class",
        BoundOrigin::Module => "module",
        BoundOrigin::Parameter => "parameter",
        BoundOrigin::Default => "default",
        BoundOrigin::RunTime => "run-time",
        BoundOrigin::Margin => "margin",
    };
    BoundRow { role, value: bound.value.filter(|value| value.is_finite()), origin }
}

fn annotated_row(path: &str, function: &Annotated) -> AnnotatedRow {
    let spelling = |spelling: &Spelling| match spelling {
        Spelling::Decorator => "decorator",
        Spelling::Hint => "hint",
        Spelling::Annotest => "annotest",
    };
    AnnotatedRow {
        path: path.to_owned(),
        line: function.position.line,
        name: function.name.clone(),
        spellings: function.spellings.iter().map(spelling).collect(),
    }
}
