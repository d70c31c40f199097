//! The modules to check: those of the files named that have something to check.

use std::path::{Path, PathBuf};

use temper_check::Module;
use temper_source::{Analysis, SourceFile, analyse, read};

use crate::args::Check;
use crate::commands::CommandContext;
use crate::message::{Failure, Message};
use crate::terminal::Stderr;

/// The modules with annotated functions among the files that the paths name.
pub fn find_modules(context: &CommandContext<'_>, arguments: &Check) -> Result<Vec<Module>, Failure> {
    let mut modules = Vec::new();
    let mut stderr = Stderr::new(context.common.quiet);
    for path in context.python_files(&arguments.paths)? {
        let read = read(&path).and_then(|file| analyse(&file).map(|analysis| (file, analysis)));
        match read {
            Ok((file, analysis)) => modules.extend(module_of(context, &path, &file, &analysis, arguments)),
            Err(error) => stderr.show(&Message::warning(error.to_string())),
        }
    }
    Ok(modules)
}

fn module_of(
    context: &CommandContext<'_>,
    path: &Path,
    file: &SourceFile,
    analysis: &Analysis,
    arguments: &Check,
) -> Option<Module> {
    let import_test = analysis.module_tests.first().map(|span| file.position(span.start).line);
    let script = analysis.main_block.filter(|_| arguments.scripts).map(|span| file.position(span.start).line);
    if analysis.annotated.is_empty() && import_test.is_none() && script.is_none() && !arguments.hints {
        return None;
    }
    let module = Module::of_file(&full_path(context, path), &context.root, context.shown(path), import_test);
    let nested = analysis.annotated.iter().filter(|each| each.is_nested).map(|each| each.name.clone()).collect();
    let uses_annotest = ["from annotest", "import annotest"].iter().any(|text| file.text().contains(text));
    let draws = context.settings.draws_at(Path::new(&module.shown));
    Some(Module { script, nested, uses_annotest, draws, ..module })
}

/// A path without links, so that it compares with paths below the root.
pub fn full_path(context: &CommandContext<'_>, path: &Path) -> PathBuf {
    let full = context.current.join(path);
    std::fs::canonicalize(&full).unwrap_or(full)
}
