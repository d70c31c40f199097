//! A test whose assertion compares a mean: the statements before it go into a loop, the measured value of each round into a
//! list.

use ruff_python_ast::Stmt;

use super::{BodyEdits, behind_docstring, function_at, indent_of, line_end, line_start};
use crate::analysis::Analysis;
use crate::edit::Edit;
use crate::error::SourceError;
use crate::file::SourceFile;
use crate::seed::SeedKind;
use crate::sites::site::{Form, OwnerKind, Reduction, Site};
use crate::span::{Span, offset};
use crate::syntax::{SyntaxTree, span};
use crate::test_suite::Test;

/// Names for the list, the first that the test does not use.
const LIST_NAMES: [&str; 4] = ["values", "measured", "rounds", "repeated_values"];

/// Why a body is not repeated.
#[derive(Debug, thiserror::Error)]
pub enum NotRepeatable {
    /// The assertion has another form.
    #[error("the assertion is not one plain comparison of a value with a number")]
    Form,
    /// It stands in a block, a helper or a fixture.
    #[error("the assertion is not a statement of the test itself")]
    Nested,
    /// Repeating others would make them fail more often.
    #[error("another approximate assertion stands before it, and would be repeated too")]
    OtherAssertion,
    /// All rounds would give one value.
    #[error("a fixed seed in the test would make all repetitions alike")]
    FixedSeed,
    /// Lines cannot be moved to the right without changing what they mean.
    #[error("the test cannot be indented: {0}")]
    Indent(&'static str),
    /// The file is no valid Python.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// The edits that let the assertion of `site` compare the mean of `rounds` repetitions.
///
/// # Errors
/// When that cannot be done safely.
pub fn repeat_body(
    file: &SourceFile,
    analysis: &Analysis,
    test: &Test,
    site: &Site,
    rounds: u32,
) -> Result<BodyEdits, NotRepeatable> {
    if site.in_loop || site.owner.kind != OwnerKind::Test {
        return Err(NotRepeatable::Nested);
    }
    if !is_plain(file, site) {
        return Err(NotRepeatable::Form);
    }
    let tree = SyntaxTree::parse(file)?;
    let function = function_at(tree.body(), test.span).ok_or(NotRepeatable::Nested)?;
    let body = behind_docstring(function);
    let at = body.iter().position(|stmt| is_assertion(stmt, site)).ok_or(NotRepeatable::Nested)?;
    if analysis.sites.iter().filter(|other| span(&body[at]).contains(other.assertion)).count() != 1 {
        return Err(NotRepeatable::Form);
    }
    let repeated = &body[seeds_first(analysis, test, &body[..at])?..at];
    let region =
        repeated.first().zip(repeated.last()).map(|(first, last)| Span::new(span(first).start, span(last).end));
    if region.is_some_and(|region| analysis.sites.iter().any(|other| region.contains(other.assertion))) {
        return Err(NotRepeatable::OtherAssertion);
    }
    let assertion = span(&body[at]);
    let whole = Span::new(region.map_or(assertion.start, |region| region.start), assertion.end);
    if tree.has_token_over_lines(file.text(), whole) {
        return Err(NotRepeatable::Indent("a text over several lines would change"));
    }
    let layout = Layout::of(file, test, repeated, assertion)?;
    Ok(layout.edits(file, region, site, &list_name(file, test), rounds))
}

/// Whether one value is compared with a number that is the same in all rounds.
fn is_plain(file: &SourceFile, site: &Site) -> bool {
    let is_number = |at: Span| file.slice(at).trim_start_matches('-').replace('_', "").parse::<f64>().is_ok();
    let is_fixed = match site.form {
        Form::Compare => site.bound().value.is_some(),
        Form::Approx => site.reference.is_some_and(is_number),
        _ => false,
    };
    is_fixed && site.reduction == Reduction::None && site.answer.is_none() && !site.expects_failure
}

fn is_assertion(stmt: &Stmt, site: &Site) -> bool {
    matches!(stmt, Stmt::Assert(_) | Stmt::Expr(_)) && span(stmt).contains(site.assertion)
}

/// How many of the first statements set a seed and stay outside the loop.
fn seeds_first(analysis: &Analysis, test: &Test, body: &[Stmt]) -> Result<usize, NotRepeatable> {
    let in_test = analysis.seeds.iter().filter(|seed| test.span.contains(seed.call));
    let mut first = 0;
    for seed in in_test {
        match body.iter().position(|stmt| span(stmt).contains(seed.call)) {
            Some(index) if seed.kind != SeedKind::Argument && index <= first => first = first.max(index + 1),
            _ => return Err(NotRepeatable::FixedSeed),
        }
    }
    Ok(first)
}

fn list_name(file: &SourceFile, test: &Test) -> String {
    let text = file.slice(test.span);
    let is_used =
        |name: &&&str| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == **name);
    LIST_NAMES.iter().find(|name| !is_used(name)).unwrap_or(&"_values").to_string()
}

/// Where lines start and how they are indented.
struct Layout {
    indent: String,
    unit: String,
    /// Starts of the lines that move to the right.
    lines: Vec<u32>,
    assertion: Span,
    actual_line: u32,
}

impl Layout {
    fn of(file: &SourceFile, test: &Test, repeated: &[Stmt], assertion: Span) -> Result<Self, NotRepeatable> {
        let shared = || NotRepeatable::Indent("statements share a line");
        let indent = indent_of(file, assertion).ok_or_else(shared)?;
        let outer = indent_of(file, test.span).ok_or_else(shared)?;
        let unit = indent.strip_prefix(outer).filter(|unit| !unit.is_empty());
        let unit = unit.ok_or(NotRepeatable::Indent("tabs and blanks are mixed"))?;
        let text = file.text();
        let mut lines = Vec::new();
        if let (Some(first), Some(last)) = (repeated.first(), repeated.last()) {
            if repeated.iter().any(|stmt| indent_of(file, span(stmt)) != Some(indent)) {
                return Err(shared());
            }
            let (start, end) = (line_start(file, span(first)), span(last).end);
            lines.push(start);
            let breaks = text[start as usize..end as usize].match_indices('\n');
            let starts = breaks.map(|(at, _)| start + offset(at) + 1);
            lines.extend(starts.filter(|&at| !text[at as usize..].starts_with(['\n', '\r'])));
        }
        let actual_line = line_start(file, assertion);
        Ok(Self { indent: indent.to_owned(), unit: unit.to_owned(), lines, assertion, actual_line })
    }

    fn edits(&self, file: &SourceFile, region: Option<Span>, site: &Site, list: &str, rounds: u32) -> BodyEdits {
        let Self { indent, unit, .. } = self;
        let end = line_end(file);
        let head = format!("{indent}{list} = []{end}{indent}for _ in range({rounds}):{end}");
        let append = format!("{indent}{unit}{list}.append({})", file.slice(site.actual));
        let mut edits = Vec::new();
        match region {
            Some(region) => {
                let first = self.lines.first().copied();
                edits.extend(self.lines.iter().map(|&at| {
                    let head = if Some(at) == first { head.as_str() } else { "" };
                    Edit::insert(at, &format!("{head}{unit}"))
                }));
                let rest = &file.text()[region.end as usize..];
                let line_over = region.end + offset(rest.find(['\n', '\r']).unwrap_or(rest.len()));
                edits.push(Edit::insert(line_over, &format!("{end}{append}")));
            }
            None => edits.push(Edit::insert(self.actual_line, &format!("{head}{append}{end}"))),
        }
        let mean = format!("sum({list}) / len({list})");
        edits.push(Edit::replace(site.actual, &mean));
        let assertion = self.assertion;
        let (before, behind) = (
            file.slice(Span::new(assertion.start, site.actual.start)),
            file.slice(Span::new(site.actual.end, assertion.end)),
        );
        let old: Vec<&str> = file.slice(assertion).split_whitespace().collect();
        BodyEdits {
            text: format!("{before}{mean}{behind}"),
            old: Some(old.join(" ")),
            edits: vec![joined(file, &edits)],
        }
    }
}

/// All edits, which are in the order of the text, as one: blanks at the start of a line could not be told from those that were
/// there before, when a patch is looked for in a file.
fn joined(file: &SourceFile, edits: &[Edit]) -> Edit {
    let start = edits.first().map_or(0, |edit| edit.span.start);
    let (mut text, mut from) = (String::new(), start);
    for edit in edits {
        text += file.slice(Span::new(from, edit.span.start));
        text += &edit.replacement;
        from = edit.span.end;
    }
    Edit::replace(Span::new(start, from), &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EditSet, analyse};

    fn repeat(text: &str, index: usize) -> Result<String, NotRepeatable> {
        let file = SourceFile::from_text("test_x.py", text).unwrap();
        let analysis = analyse(&file).unwrap();
        let found = repeat_body(&file, &analysis, analysis.tests.last().unwrap(), &analysis.sites[index], 5)?;
        let edited = EditSet::new(&file, found.edits).unwrap().reparse(&file).unwrap();
        let again = analyse(&edited).unwrap();
        assert_eq!(again.sites.len(), analysis.sites.len());
        assert_eq!(again.sites[index].bound().value, analysis.sites[index].bound().value);
        // Every line of before is there in its order, but for its indentation and the assertion's value.
        let mut lines = edited.text().lines().map(str::trim);
        let assertion = file.line_text(analysis.sites[index].position.line).trim();
        for line in text.lines().map(str::trim).filter(|line| *line != assertion) {
            assert!(lines.any(|other| other == line), "{line}");
        }
        Ok(edited.text().to_owned())
    }

    #[test]
    fn statements_before_the_assertion_go_into_the_loop() {
        let text = "def test_a():\n    \"\"\"Doc.\"\"\"\n    x = draw(\n        1,\n    )\n\n    # Halved.\n    if x:\n        x = x / 2  # so\n    # It is small.\n    assert x < 0.5\n    assert draw\n";
        let expected = "def test_a():\n    \"\"\"Doc.\"\"\"\n    values = []\n    for _ in range(5):\n        x = draw(\n            1,\n        )\n\n        # Halved.\n        if x:\n            x = x / 2  # so\n        values.append(x)\n    # It is small.\n    assert sum(values) / len(values) < 0.5\n    assert draw\n";
        assert_eq!(repeat(text, 0).unwrap(), expected);
    }

    #[test]
    fn an_assertion_alone_methods_tabs_and_other_line_ends_are_kept() {
        assert_eq!(
            repeat("def test_a():\n    assert draw() * 2 >= 3\n", 0).unwrap(),
            "def test_a():\n    values = []\n    for _ in range(5):\n        values.append(draw() * 2)\n    assert sum(values) / len(values) >= 3\n"
        );
        assert_eq!(
            repeat("class TestA:\r\n\tdef test_a(self):\r\n\t\tvalues = draw()\r\n\t\tassert values < 3, 'no'\r\n", 0)
                .unwrap(),
            "class TestA:\r\n\tdef test_a(self):\r\n\t\tmeasured = []\r\n\t\tfor _ in range(5):\r\n\t\t\tvalues = draw()\r\n\t\t\tmeasured.append(values)\r\n\t\tassert sum(measured) / len(measured) < 3, 'no'\r\n"
        );
        let text = "from pytest import approx\n\ndef test_a():\n    x = draw()\n    assert x == approx(0.5, abs=0.1)\n";
        assert!(repeat(text, 0).unwrap().ends_with("    assert sum(values) / len(values) == approx(0.5, abs=0.1)\n"));
    }

    #[test]
    fn a_seed_that_comes_first_stays_outside() {
        let text = "import numpy as np\n\ndef test_a():\n    rng = np.random.default_rng(3)\n    x = rng.normal()\n    assert x < 3\n";
        let edited = repeat(text, 0).unwrap();
        assert!(
            edited.contains("default_rng(3)\n    values = []\n    for _ in range(5):\n        x = rng"),
            "{edited}"
        );
        let text = "def test_a():\n    x = draw()\n    y = fit(x, random_state=0)\n    assert y < 3\n";
        assert!(matches!(repeat(text, 0), Err(NotRepeatable::FixedSeed)));
    }

    #[test]
    fn what_is_not_safe_is_refused() {
        let refused = |text: &str| repeat(text, 0).unwrap_err().to_string();
        let form = NotRepeatable::Form.to_string();
        assert_eq!(refused("def test_a():\n    x, y = draw()\n    assert x < 3 and y < 4\n"), form);
        assert_eq!(refused("def test_a():\n    assert abs(draw() - other()) < 3\n"), form);
        assert_eq!(
            refused("def test_a():\n    with draw() as x:\n        assert x < 3\n"),
            NotRepeatable::Nested.to_string()
        );
        assert!(
            refused("def test_a():\n    x = '''\na'''\n    assert draw(x) < 3\n").contains("a text over several lines")
        );
        assert!(refused("def test_a(): assert draw() < 3\n").contains("share a line"));
        assert!(refused("def test_a():\n    x = draw(); assert x < 3\n").contains("share a line"));
        let text = "def test_a():\n    x = draw()\n    assert x < 3\n    y = draw()\n    assert y < 4\n";
        assert!(matches!(repeat(text, 1), Err(NotRepeatable::OtherAssertion)));
        assert!(repeat(text, 0).is_ok());
    }
}
