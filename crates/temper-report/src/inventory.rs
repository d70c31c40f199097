//! What `temper scan` found, in the shape in which it is printed.

use std::collections::BTreeMap;

use serde::Serialize;

/// Everything that was found, over all files.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Inventory {
    /// Python files below the paths.
    pub files_found: usize,
    /// Those that could be read.
    pub files_read: usize,
    /// Those that could not.
    pub files_failed: Vec<FailedFile>,
    /// Tests in them.
    pub tests: usize,
    /// Tests that fix a seed.
    pub tests_with_seed: usize,
    /// Approximate assertions by their form.
    pub by_form: BTreeMap<&'static str, usize>,
    /// All of them.
    pub sites: Vec<InventorySite>,
    /// What looks approximate and is not understood.
    pub not_understood: Vec<NotUnderstoodRow>,
    /// Comparisons in functions that no test file holds: not test assertions.
    pub comparisons_outside_tests: usize,
    /// Functions with annotations.
    pub annotated: Vec<AnnotatedRow>,
    /// Functions without annotations, in files that are not for tests.
    #[serde(skip)]
    pub plain_functions: usize,
    /// Files with doctests, which are not read.
    pub doctests: usize,
    /// Notebooks, which are not read.
    pub notebooks: usize,
    /// By file with sites: how likely it is that their values are random.
    #[serde(skip)]
    pub likelihood: BTreeMap<String, RandomLikelihood>,
}

/// How likely the values behind the assertions of a file are random, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RandomLikelihood {
    /// Nothing speaks for it.
    Unlikely,
    /// Random, but under seeds that the file fixes.
    Seeded,
    /// It trains, samples or optimises, by the words that it uses.
    Worded,
    /// It draws without a seed, but not in the functions that hold its sites.
    Around,
    /// A function that holds a site draws without a seed.
    Drawn,
}

/// A file that could not be read as Python.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailedFile {
    /// The file, relative to the project.
    pub path: String,
    /// Why.
    pub message: String,
}

/// One approximate assertion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InventorySite {
    /// The file, relative to the project.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Its form.
    pub form: &'static str,
    /// The test or helper that holds it.
    pub owner: String,
    /// The side on which the value must stay.
    pub direction: &'static str,
    /// Whether the bound itself fails.
    pub is_strict: bool,
    /// Its bounds.
    pub bounds: Vec<InventoryBound>,
    /// The line.
    pub code: String,
    /// Whether it is in a loop.
    pub is_in_loop: bool,
    /// Why the value is probably exact, if it is.
    pub exact: Option<&'static str>,
    /// What is seen of randomness.
    pub seed: SeedState,
}

/// One number that bounds a site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InventoryBound {
    /// What it bounds.
    pub role: &'static str,
    /// Absent when only a run would tell.
    pub value: Option<f64>,
    /// Where it comes from.
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotUnderstoodRow {
    /// The file, relative to the project.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Why it is not understood.
    pub reason: String,
    /// The line.
    pub code: String,
}

/// A function with annotations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnnotatedRow {
    /// The file, relative to the project.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The qualified name.
    pub name: String,
    /// How the annotations are spelt.
    pub spellings: Vec<&'static str>,
}

impl Inventory {
    /// The sites whose value may vary: all but those that are probably exact.
    pub fn approximate(&self) -> impl Iterator<Item = &InventorySite> {
        self.sites.iter().filter(|site| site.exact.is_none())
    }
}
