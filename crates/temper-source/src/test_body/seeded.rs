//! A seed for a test that has none: as the argument of a generator that it makes, else as its first statement, for the
//! libraries that the file draws from or imports.

use ruff_python_ast::Stmt;

use super::{BodyEdits, behind_docstring, function_at, indent_of, line_end, line_start};
use crate::analysis::Analysis;
use crate::decorate::{Imported, bound_by};
use crate::edit::Edit;
use crate::error::SourceError;
use crate::file::SourceFile;
use crate::seed::{RandomSource, SeedKind, makes_generator};
use crate::span::Span;
use crate::syntax::{SyntaxTree, span};
use crate::test_suite::Test;

/// Why there is no place for a seed.
#[derive(Debug, thiserror::Error)]
pub enum NoSeedPlace {
    /// Nothing that draws is imported by name.
    #[error("the test's file imports neither numpy, random nor torch")]
    NoLibrary,
    /// The sources that a statement could seed are seeded.
    #[error("the test sets its seeds already")]
    Seeded,
    /// There is no line for a statement.
    #[error("the test is written on one line")]
    OneLine,
    /// The file is no valid Python.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// Libraries with a shared random state, and the function that sets it.
const LIBRARIES: [(RandomSource, &str, &str); 3] = [
    (RandomSource::Numpy, "numpy", ".random.seed"),
    (RandomSource::Python, "random", ".seed"),
    (RandomSource::Torch, "torch", ".manual_seed"),
];

/// The edits that fix the seed of a test.
///
/// # Errors
/// When there is no place for one.
pub fn seed_body(file: &SourceFile, analysis: &Analysis, test: &Test, seed: u32) -> Result<BodyEdits, NoSeedPlace> {
    let tree = SyntaxTree::parse(file)?;
    let draws = || analysis.draws.iter().filter(|draw| !draw.is_seeded);
    let is_empty_call = |call: Span| file.slice(call).ends_with("()");
    let makers: Vec<Span> = draws()
        .filter(|draw| makes_generator(&draw.callee) && test.span.contains(draw.call) && is_empty_call(draw.call))
        .map(|draw| draw.call)
        .collect();
    if let Some(first) = makers.first() {
        let call = file.slice(*first);
        let text = format!("{}{seed})", call.strip_suffix(')').unwrap_or(call));
        let edits = makers.iter().map(|call| Edit::insert(call.end - 1, &seed.to_string())).collect();
        return Ok(BodyEdits { text, old: Some(call.to_owned()), edits });
    }
    let drawn: Vec<RandomSource> = draws().map(|draw| draw.source).collect();
    let set = |source: RandomSource| {
        let is_set = |kind: SeedKind| kind == SeedKind::Global;
        analysis.seeds.iter().any(|seed| seed.source == source && is_set(seed.kind) && test.span.contains(seed.call))
    };
    let is_drawn = |source: RandomSource| drawn.is_empty() || drawn.contains(&source);
    let imported = LIBRARIES.iter().filter_map(|(source, module, function)| {
        let local = tree.body().iter().find_map(|stmt: &Stmt| bound_by(stmt, Imported::Module(module)))?;
        is_drawn(*source).then(|| (*source, format!("{local}{function}({seed})")))
    });
    let imported: Vec<(RandomSource, String)> = imported.collect();
    if imported.is_empty() {
        return Err(NoSeedPlace::NoLibrary);
    }
    let open: Vec<String> = imported.into_iter().filter(|(source, _)| !set(*source)).map(|(_, text)| text).collect();
    if open.is_empty() {
        return Err(NoSeedPlace::Seeded);
    }
    let function = function_at(tree.body(), test.span).ok_or(NoSeedPlace::OneLine)?;
    let first = behind_docstring(function).first().map(span).ok_or(NoSeedPlace::OneLine)?;
    let indent = indent_of(file, first).ok_or(NoSeedPlace::OneLine)?;
    let lines: String = open.iter().map(|text| format!("{indent}{text}{}", line_end(file))).collect();
    Ok(BodyEdits { text: open.join("; "), old: None, edits: vec![Edit::insert(line_start(file, first), &lines)] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EditSet, analyse};

    fn seeded(text: &str) -> Result<(String, String), NoSeedPlace> {
        let file = SourceFile::from_text("test_x.py", text).unwrap();
        let analysis = analyse(&file).unwrap();
        let found = seed_body(&file, &analysis, analysis.tests.last().unwrap(), 7)?;
        let edited = EditSet::new(&file, found.edits).unwrap().reparse(&file).unwrap();
        Ok((found.text, edited.text().to_owned()))
    }

    #[test]
    fn a_generator_without_a_seed_gets_one() {
        let text =
            "import numpy as np\n\ndef test_a():\n    rng = np.random.default_rng()\n    assert rng.normal() < 3\n";
        let (said, edited) = seeded(text).unwrap();
        assert_eq!(said, "np.random.default_rng(7)");
        assert_eq!(edited, text.replace("default_rng()", "default_rng(7)"));
    }

    #[test]
    fn what_is_drawn_from_is_seeded_first_of_all() {
        let text = "import random\nimport numpy as np\n\ndef test_a():\n    'Doc.'\n    # Why.\n    assert np.random.normal() < 3\n";
        let (said, edited) = seeded(text).unwrap();
        assert_eq!(said, "np.random.seed(7)");
        assert_eq!(edited, text.replace("    assert", "    np.random.seed(7)\n    assert"));
    }

    #[test]
    fn code_that_draws_elsewhere_is_seeded_through_what_is_imported() {
        let text = "import numpy as np\nimport torch\nfrom lib import fit\n\nclass TestA:\n    def test_a(self):\n        assert fit() < 3\n";
        let (said, edited) = seeded(text).unwrap();
        assert_eq!(said, "np.random.seed(7); torch.manual_seed(7)");
        assert!(
            edited.contains("(self):\n        np.random.seed(7)\n        torch.manual_seed(7)\n        assert"),
            "{edited}"
        );
    }

    #[test]
    fn without_a_place_there_is_a_reason() {
        let none = seeded("from lib import fit\n\ndef test_a():\n    assert fit() < 3\n").unwrap_err();
        assert!(matches!(none, NoSeedPlace::NoLibrary));
        let text = "import random\n\ndef test_a():\n    random.seed(1)\n    assert fit() < 3\n";
        assert!(matches!(seeded(text), Err(NoSeedPlace::Seeded)));
        let text = "import random\n\ndef test_a(): assert fit() < 3\n";
        assert!(matches!(seeded(text), Err(NoSeedPlace::OneLine)));
    }
}
