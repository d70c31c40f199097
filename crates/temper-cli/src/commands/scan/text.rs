//! The inventory of a scan as a person reads it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use temper_report::{BOLD, DIM, Inventory, InventoryBound, InventorySite, RandomLikelihood, SeedState, counted};

use crate::interpreter::Interpreter;
use crate::setup_hints::nested_words;

/// Counts first; with `is_verbose`, every site and everything that is not understood before them.
/// `nested` are projects below the folder.
pub fn render(inventory: &Inventory, python: Option<&Interpreter>, nested: &[PathBuf], is_verbose: bool) -> String {
    let mut out = String::new();
    if is_verbose {
        list_everything(&mut out, inventory);
    }
    let sites = inventory.approximate().count();
    headline(&mut out, inventory, sites, python);
    if sites > 0 {
        forms(&mut out, inventory);
        seeds(&mut out, inventory);
        bounds(&mut out, inventory);
    }
    left_out(&mut out, inventory, is_verbose);
    tests_and_annotations(&mut out, inventory);
    next_step(&mut out, inventory, sites, nested);
    out
}

/// Writes a line. Writing to a `String` cannot fail.
macro_rules! line {
    ($out:expr, $($part:tt)*) => { let _ = writeln!($out, $($part)*); };
}

fn headline(out: &mut String, inventory: &Inventory, sites: usize, python: Option<&Interpreter>) {
    let holding = distinct(inventory.approximate().map(|site| site.path.as_str()));
    let mut text = format!("{BOLD}{}{BOLD:#}", counted(sites, "approximate assertion"));
    if sites > 0 {
        text += &format!(" in {}", counted(holding, "file"));
    }
    text += &format!(", {} read", counted(inventory.files_read, "file"));
    if let Some(python) = python {
        let version = python.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        text += &format!(" ({}{version})", python.shown);
    }
    line!(out, "{text}");
}

fn forms(out: &mut String, inventory: &Inventory) {
    let mut forms: Vec<(&str, usize)> = inventory.by_form.iter().map(|(form, count)| (*form, *count)).collect();
    forms.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let parts = forms.iter().map(|(form, count)| format!("{count} {form}"));
    line!(out, "  form    {}", parts.collect::<Vec<_>>().join(" · "));
}

fn seeds(out: &mut String, inventory: &Inventory) {
    let words = [
        (SeedState::Fixed, "where a seed is fixed"),
        (SeedState::Unfixed, "where random numbers are drawn without a seed"),
        (SeedState::Unseen, "where neither is seen"),
    ];
    let count = |state| inventory.approximate().filter(|site| site.seed == state).count();
    let parts = words.iter().map(|(state, words)| (count(*state), words)).filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, words)| format!("{count} {words}")).collect();
    line!(out, "  seed    {}", parts.join(" · "));
}

fn bounds(out: &mut String, inventory: &Inventory) {
    let mut origins: BTreeMap<&str, usize> = BTreeMap::new();
    for site in inventory.approximate() {
        *origins.entry(origin_words(first_bound(site))).or_default() += 1;
    }
    let mut origins: Vec<_> = origins.into_iter().collect();
    origins.sort_by_key(|(words, count)| (std::cmp::Reverse(*count), *words));
    let parts = origins.iter().map(|(words, count)| format!("{count} {words}"));
    line!(out, "  bound   {}", parts.collect::<Vec<_>>().join(" · "));
}

/// The bound to speak of: the first that the author wrote, else the first.
fn first_bound(site: &InventorySite) -> Option<&InventoryBound> {
    let written = |bound: &&InventoryBound| !matches!(bound.origin, "default" | "margin");
    site.bounds.iter().find(written).or(site.bounds.first())
}

fn origin_words(bound: Option<&InventoryBound>) -> &'static str {
    match bound.map(|bound| bound.origin) {
        Some("here") => "in the assertion",
        Some("local" | "class" | "module" | "parameter") => "by name",
        Some("default") => "by default of the function",
        Some("margin") => "none: two computed values",
        _ => "computed",
    }
}

fn left_out(out: &mut String, inventory: &Inventory, is_verbose: bool) {
    let exact = inventory.sites.len() - inventory.approximate().count();
    if exact > 0 {
        line!(out, "  also    {} of lengths, shapes and counts, which are exact", counted(exact, "comparison"));
    }
    let unread = [
        (inventory.doctests, "file with doctests", "files with doctests"),
        (inventory.notebooks, "notebook", "notebooks"),
    ];
    let unread = unread.iter().filter(|(count, ..)| *count > 0);
    let unread: Vec<String> =
        unread.map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many })).collect();
    if !unread.is_empty() {
        line!(out, "  not     {}: doctests and notebooks are not read", unread.join(" and "));
    }
    let unknown = inventory.not_understood.len();
    if unknown > 0 {
        let hint = if is_verbose { "listed above" } else { "-v lists them" };
        line!(out, "  unclear {unknown} that look approximate but are not understood ({hint})");
    }
}

fn tests_and_annotations(out: &mut String, inventory: &Inventory) {
    if inventory.tests > 0 {
        let seeded = inventory.tests_with_seed;
        let verb = if seeded == 1 { "fixes" } else { "fix" };
        line!(out, "{}, {seeded} of them {verb} a seed", counted(inventory.tests, "test"));
    }
    let annotated = inventory.annotated.len();
    if annotated > 0 {
        let files = distinct(inventory.annotated.iter().map(|function| function.path.as_str()));
        line!(out, "{} in {}", counted(annotated, "annotated function"), counted(files, "file"));
    }
}

/// What to run next: `temper bounds` on the file whose values are most likely random, and of such files that with most sites
/// that draw, then with most sites; `temper check` if functions are annotated.
fn next_step(out: &mut String, inventory: &Inventory, sites: usize, nested: &[PathBuf]) {
    if sites == 0 {
        line!(
            out,
            "Temper looks for assertions such as `assert accuracy > 0.8` and `assert_allclose(x, y, rtol=1e-3)`."
        );
    }
    let mut by_file: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for site in inventory.approximate() {
        let (drawn, count) = by_file.entry(&site.path).or_default();
        *drawn += usize::from(site.seed == SeedState::Unfixed);
        *count += 1;
    }
    let likelihood = |path: &str| inventory.likelihood.get(path).copied().unwrap_or(RandomLikelihood::Unlikely);
    if by_file.keys().any(|path| has_tests(path)) {
        // A helper module is no test that could be run.
        by_file.retain(|path, _| has_tests(path));
    }
    let most = by_file.into_iter().max_by_key(|(path, counts)| (likelihood(path), *counts, std::cmp::Reverse(*path)));
    if let Some((path, (_, count))) = most {
        let likelihood = likelihood(path);
        let (place, path) = in_project(path, nested);
        let bounds = counted(count, "bound");
        if likelihood == RandomLikelihood::Seeded {
            line!(
                out,
                "Next: {place}temper bounds --seeds vary {path}   judges {bounds} under other seeds than its own"
            );
        } else {
            line!(out, "Next: {place}temper bounds {path}   runs its tests many times and judges {bounds}");
        }
    }
    if nested.len() > 1 {
        line!(out, "Note: {}", nested_words(nested));
    }
    if !inventory.annotated.is_empty() {
        line!(out, "Next: temper check   looks for inputs that crash the annotated functions");
    }
    let plain = inventory.plain_functions;
    if plain > 0 {
        line!(out, "Next: temper check --suggest   proposes annotations for {}", counted(plain, "function"));
    }
}

/// Whether pytest collects a file of this name by default.
fn has_tests(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test_") || name.ends_with("_test.py")
}

/// How to get to the project that a file is in, if it is one below this folder, and the path from there.
fn in_project<'p>(path: &'p str, nested: &[PathBuf]) -> (String, &'p str) {
    let inside = |folder: &PathBuf| {
        let rest = path.strip_prefix(&folder.display().to_string())?.strip_prefix('/')?;
        Some((format!("cd {} && ", folder.display()), rest))
    };
    nested.iter().find_map(inside).unwrap_or((String::new(), path))
}

fn list_everything(out: &mut String, inventory: &Inventory) {
    for site in inventory.approximate() {
        let place = format!("{}:{}:{}", site.path, site.line, site.column);
        line!(out, "{place}  {} {}  {DIM}{}{DIM:#}", site.form, rule(site), site.code);
    }
    for item in &inventory.not_understood {
        let place = format!("{}:{}:{}", item.path, item.line, item.column);
        line!(out, "{place}  not understood: {}  {DIM}{}{DIM:#}", item.reason, item.code);
    }
    for function in &inventory.annotated {
        line!(out, "{}:{}  annotated: {}", function.path, function.line, function.name);
    }
}

/// The bound of a site in a few characters: `< 0.3`, `rtol 1e-07`, `decimal 6`.
fn rule(site: &InventorySite) -> String {
    let Some(bound) = first_bound(site) else { return "?".to_owned() };
    let value = bound.value.map_or_else(|| "(computed)".to_owned(), shown_number);
    let sign = match (site.direction, site.is_strict) {
        ("upper", true) => "<",
        ("upper", false) => "<=",
        (_, true) => ">",
        (_, false) => ">=",
    };
    match bound.role {
        "value" => format!("{sign} {value}"),
        "margin" => format!("{sign} another computed value"),
        "relative" => format!("rtol {value}"),
        "absolute" => format!("atol {value}"),
        role => format!("{role} {value}"),
    }
}

/// A number as a person would write it: plain if that is short, else with an exponent.
fn shown_number(value: f64) -> String {
    let is_plain = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

fn distinct<'a>(items: impl Iterator<Item = &'a str>) -> usize {
    items.collect::<std::collections::BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        for (value, expected) in
            [(0.3, "0.3"), (1e-7, "1e-7"), (-0.05, "-0.05"), (0.0, "0"), (100.0, "100"), (2e9, "2e9")]
        {
            assert_eq!(shown_number(value), expected);
        }
    }
}
