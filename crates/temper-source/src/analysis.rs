//! Everything that one file tells without being run.

use std::collections::HashMap;

use crate::annotation::{self, Annotated};
use crate::candidates::CANDIDATES;
use crate::collect::collect;
use crate::error::SourceError;
use crate::file::SourceFile;
use crate::plain_function::{self, PlainFunctions};
use crate::script;
use crate::seed::{self, RandomDraw, Seed};
use crate::sites::recogniser::Recogniser;
use crate::sites::site::{NotUnderstood, Site};
use crate::span::Span;
use crate::syntax::SyntaxTree;
use crate::test_suite::{Test, TestSuite};

/// What [`analyse`] finds. Every list is in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Assertion sites; their indices are stable for one text.
    pub sites: Vec<Site>,
    /// What looks approximate and is no site, with the reason.
    pub not_understood: Vec<NotUnderstood>,
    /// Tests, each under every name that pytest collects it by.
    pub tests: Vec<Test>,
    /// Fixed seeds.
    pub seeds: Vec<Seed>,
    /// Draws from shared random state, and generators made without a seed.
    pub draws: Vec<RandomDraw>,
    /// Functions that carry annotations.
    pub annotated: Vec<Annotated>,
    /// Functions that carry none.
    pub plain: PlainFunctions,
    /// Calls at module level that make the module's import a subject.
    pub module_tests: Vec<Span>,
    /// The first `if __name__ == "__main__":` at module level.
    pub main_block: Option<Span>,
}

impl Analysis {
    /// The own names of the functions that hold a site.
    pub fn asserting(&self) -> impl Iterator<Item = &str> {
        self.sites.iter().filter_map(|site| site.owner.name.rsplit("::").next()).filter(|name| !name.is_empty())
    }
}

/// Reads a file: one parse, one walk over the tree, no code is run. The same text gives the same answer.
///
/// # Errors
/// [`SourceError::Syntax`] when the file is not valid Python.
pub fn analyse(file: &SourceFile) -> Result<Analysis, SourceError> {
    let tree = SyntaxTree::parse(file)?;
    let found = collect(tree.body(), CANDIDATES);
    let suite = TestSuite::read(&found, file);
    let mut recogniser = Recogniser::new(&found, &tree, file, &suite);
    recogniser.run();
    let (mut sites, mut not_understood) = (recogniser.sites, recogniser.not_understood);
    sites.sort_by_key(|site| (site.assertion, site.comparison));
    share_places(&mut sites);
    not_understood.sort_by_key(|item| item.span);
    let (mut seeds, mut draws) = seed::read(&found, &suite, file);
    seeds.sort_by_key(|seed| seed.call);
    draws.sort_by_key(|draw| draw.call);
    let (annotated, module_tests) = annotation::read(&found, file);
    let plain = plain_function::read(&found, &annotated);
    drop(found);
    let main_block = script::main_block(tree.body());
    Ok(Analysis { sites, not_understood, tests: suite.tests, seeds, draws, annotated, plain, module_tests, main_block })
}

/// Tells each bound which other sites move with its constant.
fn share_places(sites: &mut [Site]) {
    let mut users: HashMap<Span, Vec<usize>> = HashMap::new();
    for (index, site) in sites.iter().enumerate() {
        let places = site.bounds.iter().flat_map(|bound| &bound.places).filter(|place| place.name.is_some());
        for place in places {
            users.entry(place.span).or_default().push(index);
        }
    }
    for (index, site) in sites.iter_mut().enumerate() {
        for bound in &mut site.bounds {
            let others = bound.places.iter().filter_map(|place| users.get(&place.span)).flatten().copied();
            let mut others: Vec<_> = others.filter(|&other| other != index).collect();
            others.sort_unstable();
            others.dedup();
            bound.shared_with = others;
        }
    }
}
