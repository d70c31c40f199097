//! A type name means one thing in the workspace.

use std::collections::BTreeMap;

use syn::Item;

use crate::sources::{crates, is_for_tests};

/// The part of all types that may share their name with another type. Well-kept tools of this size have between none and a
/// sixth.
const MOST_SHARED: f64 = 0.10;

#[test]
fn type_names_are_used_once() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, files) in crates() {
        for file in files {
            types(&file.syntax.items, &mut |name| {
                places.entry(name.to_string()).or_default().push(file.path.display().to_string());
            });
        }
    }
    let all: usize = places.values().map(Vec::len).sum();
    let shared: Vec<_> = places.iter().filter(|(_, files)| files.len() > 1).collect();
    let count: usize = shared.iter().map(|(_, files)| files.len()).sum();
    let share = count as f64 / all as f64;
    println!("{count} of {all} types share their name with another: {:.1} %", 100.0 * share);
    let list = shared.iter().map(|(name, files)| format!("  {name}: {}\n", files.join(", "))).collect::<String>();
    assert!(share < MOST_SHARED, "{count} of {all} types share their name with another type:\n{list}");
}

fn types(items: &[Item], found: &mut impl FnMut(&syn::Ident)) {
    for item in items {
        match item {
            Item::Struct(item) if !is_for_tests(&item.attrs) => found(&item.ident),
            Item::Enum(item) if !is_for_tests(&item.attrs) => found(&item.ident),
            Item::Trait(item) if !is_for_tests(&item.attrs) => found(&item.ident),
            Item::Mod(item) if !is_for_tests(&item.attrs) => {
                types(item.content.as_ref().map_or(&[], |(_, items)| items), found);
            }
            _ => {}
        }
    }
}
