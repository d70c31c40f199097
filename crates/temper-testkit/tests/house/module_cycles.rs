//! Modules of a crate depend on each other in one direction, so that each can be read after those that it uses.
//!
//! Dependencies are read off `use` declarations and off paths that start with `crate`, `super`, `self` or a child module. A
//! name that a module only passes on counts as its owner's. Passing on what a child defines is no dependency.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Item, UseTree, Visibility};

use crate::sources::{RustFile, crates, is_for_tests};

/// Knots that may stay: the crate, the modules, and why.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[(
    "temper-bounds",
    &[
        "findings",
        "mutate::choice",
        "mutate::early_stop",
        "mutate::mutant_code",
        "mutate::mutant_run",
        "mutate::opposite",
        "mutate::order",
        "mutate::raise_rates",
        "mutate::schedule",
        "mutate::score",
        "mutate::survivors",
        "mutate::tighten",
        "sample::queue",
        "sample::sampled_test",
        "sample::scheduler",
        "sample::shared_process",
    ],
    "the scheduler of samples starts the mutants, and these ask it for further samples: two loops that one scheduler replaces",
)];

type Module = Vec<String>;

#[test]
fn modules_of_a_crate_do_not_depend_on_each_other_in_a_circle() {
    let mut knots = String::new();
    for (name, files) in crates() {
        for knot in Graph::of(&files).knots() {
            let modules: Vec<String> = knot.iter().map(|module| module.join("::")).collect();
            let is_known = |(of, known, _): &&(&str, &[&str], &str)| {
                *of == name && modules.iter().all(|module| known.contains(&module.as_str()))
            };
            if !EXCEPTIONS.iter().any(|exception| is_known(&exception)) {
                knots += &format!("  {name}: {}\n", modules.join(", "));
            }
        }
    }
    assert!(knots.is_empty(), "modules that use each other in a circle:\n{knots}");
}

#[test]
fn exceptions_have_reasons() {
    assert!(EXCEPTIONS.iter().all(|(_, modules, reason)| modules.len() > 1 && reason.len() > 20));
}

/// Which module uses which.
struct Graph {
    uses: BTreeMap<Module, BTreeSet<Module>>,
}

impl Graph {
    fn of(files: &[RustFile]) -> Graph {
        let modules: BTreeSet<Module> = files.iter().map(|file| file.module.clone()).collect();
        let mut passed_on = BTreeMap::new();
        let mut paths = Vec::new();
        for file in files {
            let mut reader =
                PathReader { module: &file.module, modules: &modules, paths: Vec::new(), passed_on: Vec::new() };
            reader.visit_file(&file.syntax);
            for (name, path) in reader.passed_on {
                passed_on.insert((file.module.clone(), name), path);
            }
            paths.push((file.module.clone(), reader.paths));
        }
        let mut uses = BTreeMap::new();
        for (module, paths) in paths {
            let owners = paths.into_iter().filter_map(|path| owner(&path, &modules, &passed_on, 0));
            let others = owners.filter(|owner| *owner != module).collect();
            uses.insert(module, others);
        }
        Graph { uses }
    }

    /// Groups of modules of which each reaches each other.
    fn knots(&self) -> Vec<Vec<Module>> {
        let reach: BTreeMap<&Module, BTreeSet<&Module>> =
            self.uses.keys().map(|module| (module, self.reachable(module))).collect();
        let mut knots = BTreeSet::new();
        for (module, reached) in &reach {
            let knot: BTreeSet<&Module> = reached
                .iter()
                .copied()
                .filter(|other| reach.get(other).is_some_and(|back| back.contains(module)))
                .collect();
            if knot.len() > 1 {
                knots.insert(knot.into_iter().cloned().collect::<Vec<_>>());
            }
        }
        knots.into_iter().collect()
    }

    fn reachable<'g>(&'g self, from: &'g Module) -> BTreeSet<&'g Module> {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(module) = open.pop() {
            for used in self.uses.get(module).into_iter().flatten() {
                if seen.insert(used) {
                    open.push(used);
                }
            }
        }
        seen
    }
}

/// The module that defines what a path names.
fn owner(
    path: &[String],
    modules: &BTreeSet<Module>,
    passed_on: &BTreeMap<(Module, String), Vec<String>>,
    depth: usize,
) -> Option<Module> {
    let length = (0..=path.len()).rev().find(|&length| modules.contains(&path[..length]))?;
    let module = path[..length].to_vec();
    let name = path.get(length);
    match name.and_then(|name| passed_on.get(&(module.clone(), name.clone()))) {
        Some(elsewhere) if depth < 8 => owner(elsewhere, modules, passed_on, depth + 1),
        _ => Some(module),
    }
}

/// Reads the paths of one file, made absolute within the crate.
struct PathReader<'f> {
    module: &'f [String],
    modules: &'f BTreeSet<Module>,
    paths: Vec<Vec<String>>,
    /// Names that `pub use` makes known here, with what they stand for.
    passed_on: Vec<(String, Vec<String>)>,
}

impl PathReader<'_> {
    /// The path from the root of the crate; nothing for paths that lead out of it.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let mut start = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.module.to_vec(),
            "super" => self.module.split_last()?.1.to_vec(),
            name => {
                let child: Vec<String> = self.module.iter().cloned().chain([name.to_owned()]).collect();
                if !self.modules.contains(&child) {
                    return None;
                }
                child
            }
        };
        for part in rest {
            if part == "super" {
                start.pop();
            } else {
                start.push(part.clone());
            }
        }
        Some(start)
    }

    fn tree(&mut self, tree: &UseTree, path: &mut Vec<String>, is_public: bool) {
        match tree {
            UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.tree(&part.tree, path, is_public);
                path.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, path, is_public)),
            UseTree::Name(name) if name.ident == "self" => self.used(path, None, is_public),
            UseTree::Name(name) => self.leaf(&name.ident, &name.ident, path, is_public),
            UseTree::Rename(rename) => self.leaf(&rename.ident, &rename.rename, path, is_public),
            UseTree::Glob(_) => self.used(path, None, is_public),
        }
    }

    fn leaf(&mut self, name: &syn::Ident, known_as: &syn::Ident, path: &mut Vec<String>, is_public: bool) {
        path.push(name.to_string());
        self.used(path, Some(known_as.to_string()), is_public);
        path.pop();
    }

    fn used(&mut self, path: &[String], known_as: Option<String>, is_public: bool) {
        let Some(absolute) = self.absolute(path) else { return };
        let is_childs = absolute.len() > self.module.len() && absolute.starts_with(self.module);
        if is_public {
            self.passed_on.extend(known_as.map(|name| (name, absolute.clone())));
        }
        if !(is_public && is_childs) {
            self.paths.push(absolute);
        }
    }
}

impl<'ast> Visit<'ast> for PathReader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if let Item::Mod(module) = item
            && is_for_tests(&module.attrs)
        {
            return;
        }
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_public = !matches!(item.vis, Visibility::Inherited);
        self.tree(&item.tree, &mut Vec::new(), is_public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if parts.len() > 1 {
            self.paths.extend(self.absolute(&parts));
        }
        visit::visit_path(self, path);
    }
}
