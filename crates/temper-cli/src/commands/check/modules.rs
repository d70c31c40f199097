//! The modules to check: those of the files named that have something to check.
//!
//! A function that needs no argument needs no annotation: it is a subject if its module was named, or knows Temper or
//! AnnoTest. Modules that only happen to lie in the project are left alone.

use std::path::{Path, PathBuf};

use temper_check::Module;
use temper_source::{Analysis, SourceFile, analyse, is_named_for_tests, read};

use super::side::Side;
use crate::args::Check;
use crate::commands::CommandContext;
use crate::message::{Failure, Message};
use crate::terminal::Stderr;

/// What the files have that the paths name.
#[derive(Debug, Default)]
pub struct FoundModules {
    /// The modules with something to check.
    pub modules: Vec<Module>,
    /// How many functions of all files have no annotation.
    pub plain_functions: usize,
}

/// The modules with subjects among the files that the paths name.
pub fn find_modules(context: &CommandContext<'_>, arguments: &Check, side: &Side) -> Result<FoundModules, Failure> {
    let mut found = FoundModules::default();
    let mut stderr = Stderr::new(context.common.quiet);
    let is_read = |path: &PathBuf| !is_side_file_alone(arguments) || is_in_side_file(context, path, side);
    for path in context.python_files(&arguments.paths)?.into_iter().filter(is_read) {
        let read = read(&path).and_then(|file| analyse(&file).map(|analysis| (file, analysis)));
        match read {
            Ok((file, analysis)) => {
                let is_for_tests = is_named_for_tests(Path::new(&context.shown(&path)));
                found.plain_functions += if is_for_tests { 0 } else { analysis.plain.all };
                found.modules.extend(module_of(context, &path, &file, &analysis, arguments, side));
            }
            Err(error) => stderr.show(&Message::warning(error.to_string())),
        }
    }
    Ok(found)
}

/// Whether only the modules of the side file are meant: it was named, and no path. The project may be all installed packages.
fn is_side_file_alone(arguments: &Check) -> bool {
    arguments.annotations.is_some() && arguments.paths.is_empty() && !arguments.hints && !arguments.scripts
}

fn is_in_side_file(context: &CommandContext<'_>, path: &Path, side: &Side) -> bool {
    let name = Module::of_file(&full_path(context, path), &context.root, String::new(), None).name;
    side.names_module(&name)
}

fn module_of(
    context: &CommandContext<'_>,
    path: &Path,
    file: &SourceFile,
    analysis: &Analysis,
    arguments: &Check,
    side: &Side,
) -> Option<Module> {
    let import_test = analysis.module_tests.first().map(|span| file.position(span.start).line);
    let script = analysis.main_block.filter(|_| arguments.scripts).map(|span| file.position(span.start).line);
    let has_free_subjects = has_free_subjects(&context.shown(path), file, analysis, arguments);
    let module = Module::of_file(&full_path(context, path), &context.root, context.shown(path), import_test);
    let is_in_side_file = side.names_module(&module.name);
    let has_own_subjects = !analysis.annotated.is_empty() || (has_free_subjects && analysis.plain.free > 0);
    let has_subjects = has_own_subjects || is_in_side_file || arguments.hints;
    if !has_subjects && import_test.is_none() && script.is_none() {
        return None;
    }
    let nested = analysis.annotated.iter().filter(|each| each.is_nested).map(|each| each.name.clone()).collect();
    let draws = context.settings.draws_at(Path::new(&module.shown));
    let uses_annotest = imports(file, "annotest");
    Some(Module { script, nested, has_free_subjects, uses_annotest, draws, ..module })
}

fn has_free_subjects(shown: &str, file: &SourceFile, analysis: &Analysis, arguments: &Check) -> bool {
    let is_known = !analysis.annotated.is_empty() || imports(file, "annotest") || imports(file, "temper");
    let is_meant = arguments.hints || !arguments.paths.is_empty();
    is_known || (is_meant && !is_named_for_tests(Path::new(shown)))
}

/// Whether a file imports a package, as far as its text tells.
fn imports(file: &SourceFile, package: &str) -> bool {
    ["from", "import"].iter().any(|word| file.text().contains(&format!("{word} {package}")))
}

/// A path without links, so that it compares with paths below the root.
pub fn full_path(context: &CommandContext<'_>, path: &Path) -> PathBuf {
    let full = context.current.join(path);
    std::fs::canonicalize(&full).unwrap_or(full)
}
