//! Names in bounds, shapes and preconditions: all known, and none that depends on itself.

use std::collections::BTreeSet;

use crate::error::AnnotationError;
use crate::function::Function;
use crate::solve::terms::{Dimension, Term};

/// The names that bounds and preconditions mention: only those need unknowns.
pub fn referenced(function: &Function) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for argument in &function.arguments {
        let terms = argument.domain.terms();
        names.extend(terms.iter().flat_map(Term::names).map(str::to_owned));
        // What depends on unknowns is one itself, so that its range is never empty when its turn comes.
        if terms.iter().any(|term| !term.names().is_empty()) {
            names.insert(argument.name.clone());
        }
        argument.domain.for_each_dimension(&mut |dimension| {
            if let Dimension::Named { name, .. } = dimension {
                names.insert(name.clone());
            }
        });
    }
    for precondition in &function.preconditions {
        names.extend(precondition.condition.names().into_iter().map(str::to_owned));
    }
    names
}

/// Checks that bounds can be read and name only what there is.
///
/// # Errors
/// With the first bound that is not understood or names something else.
pub fn check(function: &Function, is_shape_variable: impl Fn(&str) -> bool) -> Result<(), AnnotationError> {
    let is_known = |name: &str| is_shape_variable(name) || function.arguments.iter().any(|each| each.name == name);
    for argument in &function.arguments {
        let (annotation, line) = (argument.annotation(), argument.line);
        for term in argument.domain.terms() {
            if let Some(text) = term.unclear() {
                return Err(AnnotationError::UnclearTerm { annotation, text: text.to_owned(), line });
            }
            if let Some(name) = term.names().into_iter().find(|name| !is_known(name)) {
                let (name, function) = (name.to_owned(), function.name.clone());
                return Err(AnnotationError::UnknownName { annotation, name, function, line });
            }
        }
    }
    Ok(())
}

/// Follows what bounds name, from argument to argument, until a name comes back.
///
/// # Errors
/// With the arguments on a circle.
pub fn check_circles(function: &Function) -> Result<(), AnnotationError> {
    let arguments = &function.arguments;
    let needs: Vec<Vec<usize>> = arguments
        .iter()
        .map(|argument| {
            let terms = argument.domain.terms();
            let names: BTreeSet<&str> = terms.iter().flat_map(Term::names).collect();
            (0..arguments.len()).filter(|&at| names.contains(arguments[at].name.as_str())).collect()
        })
        .collect();
    for start in 0..arguments.len() {
        let mut path = vec![start];
        if find_circle(&needs, start, &mut path) {
            let names = path.iter().map(|&at| arguments[at].name.clone()).collect();
            return Err(AnnotationError::Cycle { names, line: arguments[start].line });
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn function(bounds: &[(&str, &str)]) -> Function {
        let argument = |(name, max): &(&str, &str)| {
            let max = match max.parse::<i64>() {
                Ok(number) => format!(r#"{{"int":{number}}}"#),
                Err(_) => format!(r#"{{"value":{{"name":"{max}"}}}}"#),
            };
            format!(r#"{{"name":"{name}","line":4,"domain":{{"kind":"ints","min":{{"int":0}},"max":{max}}}}}"#)
        };
        let arguments: Vec<String> = bounds.iter().map(argument).collect();
        serde_json::from_str(&format!(r#"{{"name":"f","arguments":[{}]}}"#, arguments.join(","))).unwrap()
    }

    #[test]
    fn what_a_bound_names_and_what_has_it_are_referenced() {
        let found = referenced(&function(&[("a", "b"), ("b", "9"), ("c", "9")]));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn unknown_names_and_circles_are_found() {
        assert!(check(&function(&[("a", "n")]), |name| name == "n").is_ok());
        assert!(matches!(
            check(&function(&[("a", "n")]), |_| false),
            Err(AnnotationError::UnknownName { line: 4, .. })
        ));
        assert!(check_circles(&function(&[("a", "b"), ("b", "c"), ("c", "9")])).is_ok());
        let error = check_circles(&function(&[("a", "b"), ("b", "c"), ("c", "a")])).unwrap_err();
        assert_eq!(error.to_string(), "the annotations of `a`, `b`, `c` depend on each other in a circle");
    }
}
