//! What terms and trees say before anything is solved: fixed numbers, names, dimensions.

use std::collections::BTreeSet;

use crate::compile::Amount;
use crate::function::{Condition, Constraint, Dimension, Function, Shape, Term};

/// The number that a term is, when no unknown is in it.
pub fn fixed(term: &Term) -> Option<i64> {
    match term {
        Term::Int(value) => Some(*value),
        Term::Add(a, b) => fixed(a)?.checked_add(fixed(b)?),
        Term::Sub(a, b) => fixed(a)?.checked_sub(fixed(b)?),
        Term::Mul(a, b) => fixed(a)?.checked_mul(fixed(b)?),
        Term::Div(a, b) => {
            let by = fixed(b).filter(|&by| by > 0)?;
            fixed(a)?.checked_div_euclid(by)
        }
        Term::Mod(a, b) => {
            let by = fixed(b).filter(|&by| by > 0)?;
            fixed(a)?.checked_rem_euclid(by)
        }
        _ => None,
    }
}

pub fn number(term: &Term) -> Option<f64> {
    match term {
        Term::Float(value) => Some(*value),
        other => fixed(other).map(|value| value as f64),
    }
}

pub fn amount(term: &Term) -> Amount {
    fixed(term).map_or_else(|| Amount::Term(term.clone()), Amount::Fixed)
}

pub fn unclear(term: &Term) -> Option<String> {
    match term {
        Term::Unclear(text) => Some(text.clone()),
        Term::Add(a, b) | Term::Sub(a, b) | Term::Mul(a, b) | Term::Div(a, b) | Term::Mod(a, b) => {
            unclear(a).or_else(|| unclear(b))
        }
        _ => None,
    }
}

pub fn names_in(term: &Term) -> Vec<String> {
    match term {
        Term::Value(path) | Term::Len(path) | Term::Dim(path, _) | Term::Dims(path) => vec![path.name.clone()],
        Term::Add(a, b) | Term::Sub(a, b) | Term::Mul(a, b) | Term::Div(a, b) | Term::Mod(a, b) => {
            let mut names = names_in(a);
            names.extend(names_in(b));
            names
        }
        Term::Int(_) | Term::Float(_) | Term::Unclear(_) => Vec::new(),
    }
}

/// The names that bounds and preconditions mention: only those need unknowns.
pub fn referenced_names(function: &Function) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for argument in &function.arguments {
        let terms = terms(&argument.constraint);
        names.extend(terms.iter().flat_map(names_in));
        // What depends on unknowns is one itself, so that its range is never empty when its turn comes.
        if terms.iter().any(|term| !names_in(term).is_empty()) {
            names.insert(argument.name.clone());
        }
        for_each_dimension(&argument.constraint, &mut |dimension| {
            if let Dimension::Named { name, .. } = dimension {
                names.insert(name.clone());
            }
        });
    }
    for precondition in &function.preconditions {
        condition_names(&precondition.condition, &mut names);
    }
    names
}

fn condition_names(condition: &Condition, names: &mut BTreeSet<String>) {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| condition_names(part, names)),
        Condition::Compare(_, left, right) => {
            names.extend(names_in(left));
            names.extend(names_in(right));
        }
        Condition::Type { path, .. } => {
            names.insert(path.name.clone());
        }
        Condition::Other => {}
    }
}

/// Every term in a constraint tree.
pub fn terms(constraint: &Constraint) -> Vec<Term> {
    let mut found = Vec::new();
    walk(constraint, &mut |node| match node {
        Constraint::Ints { min, max } => found.extend([min.clone(), max.clone()]),
        Constraint::Floats(floats) => found.extend(floats.min.iter().chain(&floats.max).cloned()),
        Constraint::Texts { min_len, max_len, .. } | Constraint::Lists { min_len, max_len, .. } => {
            found.extend([min_len.clone(), max_len.clone()]);
        }
        Constraint::NpShapes(range) => found.extend([range.min_side.clone(), range.max_side.clone()]),
        Constraint::NpArrays { shape, min, max, .. } => {
            found.extend(min.iter().chain(max).cloned());
            if let Shape::Range(range) = shape {
                found.extend([range.min_side.clone(), range.max_side.clone()]);
            }
        }
        _ => {}
    });
    for_each_dimension(constraint, &mut |dimension| match dimension {
        Dimension::Size(term) => found.push(term.clone()),
        Dimension::Named { min, max, .. } => found.extend(min.iter().chain(max).cloned()),
        Dimension::Rest(_) => {}
    });
    found
}

pub fn for_each_dimension(constraint: &Constraint, visit: &mut dyn FnMut(&Dimension)) {
    walk(constraint, &mut |node| match node {
        Constraint::NpArrays { shape: Shape::Dims(dims), .. } => dims.iter().for_each(&mut *visit),
        Constraint::Frames { rows, .. } => visit(rows),
        _ => {}
    });
}

fn walk(constraint: &Constraint, visit: &mut dyn FnMut(&Constraint)) {
    visit(constraint);
    match constraint {
        Constraint::Lists { element, .. }
        | Constraint::Stepped { inner: element, .. }
        | Constraint::Untargeted { inner: element } => walk(element, visit),
        Constraint::Tuples { elements } | Constraint::Anys { options: elements } => {
            elements.iter().for_each(|element| walk(element, visit));
        }
        Constraint::Dicts { keys, values, .. } => {
            walk(keys, visit);
            walk(values, visit);
        }
        Constraint::Records { fields } | Constraint::Frames { columns: fields, .. } => {
            fields.iter().for_each(|field| walk(&field.constraint, visit));
        }
        _ => {}
    }
}
