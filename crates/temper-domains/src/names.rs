//! Names in bounds and shapes: all known, and none that depends on itself.

use std::collections::BTreeSet;

use crate::compile::Compiler;
use crate::error::AnnotationError;
use crate::solve::terms::{names_in, terms, unclear};

impl Compiler<'_> {
    pub(crate) fn check_names(&self) -> Result<(), AnnotationError> {
        for argument in &self.function.arguments {
            for term in terms(&argument.constraint) {
                if let Some(text) = unclear(&term) {
                    return Err(AnnotationError::UnclearTerm {
                        annotation: argument.annotation(),
                        text,
                        line: argument.line,
                    });
                }
                for name in names_in(&term) {
                    if !self.is_known(&name) {
                        return Err(AnnotationError::UnknownName {
                            annotation: argument.annotation(),
                            name,
                            function: self.function.name.clone(),
                            line: argument.line,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn is_known(&self, name: &str) -> bool {
        self.shapes.contains_key(name) || self.function.arguments.iter().any(|argument| argument.name == name)
    }

    /// Follows what bounds name, from argument to argument, until a name comes back.
    pub(crate) fn check_cycles(&self) -> Result<(), AnnotationError> {
        let arguments = &self.function.arguments;
        let needs: Vec<Vec<usize>> = arguments
            .iter()
            .map(|argument| {
                let names: BTreeSet<String> = terms(&argument.constraint).iter().flat_map(names_in).collect();
                (0..arguments.len()).filter(|&at| names.contains(&arguments[at].name)).collect()
            })
            .collect();
        for start in 0..arguments.len() {
            let mut path = vec![start];
            if find_circle(&needs, start, &mut path) {
                return Err(AnnotationError::Cycle {
                    names: path.iter().map(|&at| arguments[at].name.clone()).collect(),
                    line: arguments[start].line,
                });
            }
        }
        Ok(())
    }
}

fn find_circle(needs: &[Vec<usize>], start: usize, path: &mut Vec<usize>) -> bool {
    let Some(&last) = path.last() else { return false };
    for &next in &needs[last] {
        if next == start {
            return true;
        }
        if !path.contains(&next) {
            path.push(next);
            if find_circle(needs, start, path) {
                return true;
            }
            path.pop();
        }
    }
    false
}
