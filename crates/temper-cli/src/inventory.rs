//! Fills the inventory of `temper scan` from what `temper-source` reads in each file.

use std::collections::BTreeSet;
use std::path::Path;

use temper_report::{
    AnnotatedRow, Inventory, InventoryBound, InventorySite, NotUnderstoodRow, RandomLikelihood, SeedState,
};
use temper_source::{
    Analysis, Annotated, Bound, BoundOrigin, Direction, ExactHint, OwnerKind, Role, Site, SourceFile, Spelling,
    imports, imports_a_test_library, is_named_for_tests,
};

/// Adds what one file told. `asserting` has the names of the functions of all files that hold a site.
pub fn add(
    inventory: &mut Inventory,
    path: &str,
    file: &SourceFile,
    analysis: &Analysis,
    asserting: &BTreeSet<String>,
) {
    inventory.files_read += 1;
    let is_for_tests = !analysis.tests.is_empty() || is_for_tests(path, file);
    let randomness = Randomness::of(analysis);
    inventory.tests += analysis.tests.len();
    inventory.tests_with_seed += analysis.tests.iter().filter(|test| randomness.is_seeded(&test.name)).count();
    for site in &analysis.sites {
        if matches!(site.owner.kind, OwnerKind::Function | OwnerKind::Module) && !is_for_tests {
            inventory.comparisons_outside_tests += 1;
            continue;
        }
        if site.likely_exact.is_none() {
            *inventory.by_form.entry(site.form.name()).or_default() += 1;
        }
        inventory.sites.push(site_row(path, file, site, &randomness));
    }
    let unclear = analysis.not_understood.iter().filter(|item| !item.is_seen_inside(asserting));
    inventory.not_understood.extend(unclear.map(|item| NotUnderstoodRow {
        path: path.to_owned(),
        line: item.position.line,
        column: item.position.column,
        reason: item.reason.to_string(),
        code: file.line_text(item.position.line).trim().to_owned(),
    }));
    inventory.doctests += usize::from(file.text().lines().any(|line| line.trim_start().starts_with(">>> ")));
    if !analysis.sites.is_empty() {
        inventory.likelihood.insert(path.to_owned(), likelihood(file, analysis, &randomness));
    }
    inventory.plain_functions += if is_for_tests { 0 } else { analysis.plain.all };
    inventory.annotated.extend(analysis.annotated.iter().map(|function| annotated_row(path, function)));
}

/// Words of code whose results are random as a rule.
const RANDOM_WORDS: [&str; 22] = [
    "random",
    "sampl",
    "train",
    ".fit(",
    "fit_",
    "simulat",
    "mcmc",
    "anneal",
    "genetic",
    "swarm",
    "shuffl",
    "bootstrap",
    "dropout",
    "noise",
    "monte",
    "stochast",
    "optimi",
    "cluster",
    "neural",
    "learn",
    "posterior",
    "epoch",
];

fn likelihood(file: &SourceFile, analysis: &Analysis, randomness: &Randomness<'_>) -> RandomLikelihood {
    let states = || analysis.sites.iter().map(|site| randomness.state(&site.owner.name));
    if states().any(|state| state == SeedState::Unfixed) {
        return RandomLikelihood::Drawn;
    }
    if !randomness.drawing.is_empty() {
        return RandomLikelihood::Around;
    }
    let has_unseeded = states().any(|state| state == SeedState::Unseen);
    let text = file.text().to_ascii_lowercase();
    match has_unseeded && RANDOM_WORDS.iter().any(|word| text.contains(word)) {
        true => RandomLikelihood::Worded,
        false if states().any(|state| state == SeedState::Fixed) => RandomLikelihood::Seeded,
        false => RandomLikelihood::Unlikely,
    }
}

/// Base classes, helpers and testing modules hold assertions of tests; other files without tests do not.
fn is_for_tests(path: &str, file: &SourceFile) -> bool {
    is_named_for_tests(Path::new(path)) || imports(file).is_ok_and(|found| imports_a_test_library(&found))
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

fn site_row(path: &str, file: &SourceFile, site: &Site, randomness: &Randomness<'_>) -> InventorySite {
    InventorySite {
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

fn bound_row(bound: &Bound) -> InventoryBound {
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
    InventoryBound { role, value: bound.value.filter(|value| value.is_finite()), origin }
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
