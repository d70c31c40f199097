//! Shapes: ranges of them, the dimensions of arrays, and the variables that arrays share.

use std::collections::BTreeSet;

use crate::compile::Compiler;
use crate::error::AnnotationError;
use crate::function::{Dimension, Path, Shape, ShapeRange, Term};
use crate::node::{Dim, Dims, Filling, Node, Owners};
use crate::solve::interval::Interval;
use crate::solve::linear::Variable;
use crate::solve::terms::{amount, fixed, for_each_dimension};

/// Sizes of a shape variable that no annotation bounds.
const DEFAULT_SIDES: (i64, i64) = (1, 8);
/// How many leading dimensions `*batch` stands for, and how large they are: enough to tell 0, 1 and 2 apart.
const REST_DIMS: usize = 2;
const REST_SIDES: (i64, i64) = (1, 4);

impl Compiler<'_> {
    pub(crate) fn shape_range(
        &mut self,
        range: &ShapeRange,
        site: Option<&Path>,
        owners: &Owners,
    ) -> Result<Dims, AnnotationError> {
        let ShapeRange { min_dims, max_dims, min_side, max_side } = range;
        if min_dims > max_dims || *max_dims < 0 {
            let fact = format!("min_dims is {min_dims} and max_dims is {max_dims}");
            return Err(self.empty(fact, "raise `max_dims` or lower `min_dims`"));
        }
        if let (Some(low), Some(high)) = (fixed(min_side), fixed(max_side))
            && (low > high || low < 0)
        {
            let fact = format!("min_side is {low} and max_side is {high}");
            return Err(self.empty(fact, "raise `max_side` or lower `min_side`"));
        }
        if site.is_none() || min_dims != max_dims {
            return Ok(Dims::Free { dims: (*min_dims, *max_dims), sides: (amount(min_side), amount(max_side)) });
        }
        let dims = (0..*max_dims).map(|_| Dim::Unknown(self.whole_unknown(min_side, max_side, 0, owners))).collect();
        Ok(Dims::Known(dims))
    }

    pub(crate) fn array(
        &mut self,
        cells: Filling,
        shape: &Shape,
        lib: Option<&String>,
        site: Option<&Path>,
        owners: &Owners,
    ) -> Result<Node, AnnotationError> {
        let node = |dims| Node::Array { cells: cells.clone(), dims, lib: lib.cloned() };
        match shape {
            Shape::Dims(dims) => {
                let dims = dims.iter().map(|dim| self.dim(dim, owners)).collect::<Result<_, _>>()?;
                Ok(node(Dims::Known(dims)))
            }
            Shape::OneOf(shapes) if shapes.is_empty() => {
                Err(self.empty("the list of shapes is empty".to_owned(), "write at least one shape"))
            }
            Shape::OneOf(shapes) if site.is_some() && shapes.len() <= self.max_froms => {
                let union = self.union(shapes.len(), owners);
                let known = |shape: &Vec<i64>| node(Dims::Known(shape.iter().map(|&side| Dim::Fixed(side)).collect()));
                Ok(Node::Union(union, shapes.iter().map(known).collect()))
            }
            Shape::OneOf(shapes) => Ok(node(Dims::OneOf(shapes.clone()))),
            // A shape of varying rank that a precondition speaks about is one alternative a rank.
            Shape::Range(range) if site.is_some() && range.min_dims < range.max_dims => {
                let union = self.union((range.max_dims - range.min_dims + 1) as usize, owners);
                let mut nodes = Vec::new();
                for (at, dims) in (range.min_dims..=range.max_dims).enumerate() {
                    let mut inner = owners.clone();
                    inner.push((union, at));
                    let one = ShapeRange { min_dims: dims, max_dims: dims, ..range.clone() };
                    nodes.push(node(self.shape_range(&one, site, &inner)?));
                }
                Ok(Node::Union(union, nodes))
            }
            Shape::Range(range) => {
                let dims = self.shape_range(range, site, owners)?;
                Ok(node(dims))
            }
        }
    }

    pub(crate) fn dim(&mut self, dim: &Dimension, owners: &Owners) -> Result<Dim, AnnotationError> {
        match dim {
            Dimension::Size(term) => match fixed(term) {
                Some(side) if side < 0 => Err(self.empty(format!("a dimension is {side}"), "write sizes of 0 or more")),
                Some(side) => Ok(Dim::Fixed(side)),
                None => {
                    let variable = self.unknown(Interval::Int(0, i64::MAX), owners);
                    self.bound(variable, term, false, false, owners);
                    self.bound(variable, term, true, false, owners);
                    Ok(Dim::Unknown(variable))
                }
            },
            Dimension::Named { name, .. } => self
                .shapes
                .get(name)
                .map(|&v| Dim::Unknown(v))
                .ok_or_else(|| AnnotationError::Unreadable(format!("shape variable {name} was not declared"))),
            Dimension::Rest(name) => {
                let (union, variables) = self.rest(name);
                Ok(Dim::Rest(union, variables))
            }
        }
    }

    fn rest(&mut self, name: &str) -> (usize, Vec<Variable>) {
        if let Some(known) = self.rests.get(name) {
            return known.clone();
        }
        let union = self.union(REST_DIMS + 1, &Vec::new());
        let variables: Vec<Variable> =
            (0..REST_DIMS).map(|_| self.unknown(Interval::Int(REST_SIDES.0, REST_SIDES.1), &Vec::new())).collect();
        self.rests.insert(name.to_owned(), (union, variables.clone()));
        (union, variables)
    }

    /// Shape variables are shared by the whole function, so they exist before any argument is compiled. A name that is
    /// also an argument is that argument.
    pub(crate) fn declare_shape_variables(&mut self) -> Result<(), AnnotationError> {
        let mut named: Vec<(usize, String, Option<Term>, Option<Term>)> = Vec::new();
        for (at, argument) in self.function.arguments.iter().enumerate() {
            for_each_dimension(&argument.constraint, &mut |dimension| {
                if let Dimension::Named { name, min, max } = dimension {
                    named.push((at, name.clone(), min.clone(), max.clone()));
                }
            });
        }
        for (at, name, min, max) in named {
            self.argument = at;
            let (low, high) = (min.as_ref().and_then(fixed), max.as_ref().and_then(fixed));
            if let (Some(low), Some(high)) = (low, high)
                && (low > high || high < 0)
            {
                let fact = format!("`{name}:{low}..{high}` is an empty range");
                return Err(self.empty(fact, "write the smaller number first"));
            }
            let variable = match self.shapes.get(&name) {
                Some(&variable) => variable,
                None => {
                    let variable = self.unknown(Interval::Int(0, i64::MAX), &Vec::new());
                    self.shapes.insert(name.clone(), variable);
                    self.out.shape_variables.push((name.clone(), variable));
                    variable
                }
            };
            self.limit_shape_variable(variable, &min, &max);
        }
        self.bound_open_shape_variables();
        Ok(())
    }

    fn limit_shape_variable(&mut self, variable: Variable, min: &Option<Term>, max: &Option<Term>) {
        for (term, is_max) in [(min, false), (max, true)] {
            let Some(term) = term else { continue };
            match fixed(term) {
                Some(side) if is_max => self.out.unknowns[variable].range.lower_max(side as f64, false),
                Some(side) => self.out.unknowns[variable].range.raise_min(side as f64, false),
                None => {
                    self.bound(variable, term, is_max, false, &Vec::new());
                    true
                }
            };
        }
    }

    /// A shape variable that is also an argument equals it; one without a range gets the usual one.
    fn bound_open_shape_variables(&mut self) {
        for (name, variable) in self.out.shape_variables.clone() {
            if self.function.arguments.iter().any(|argument| argument.name == name) {
                let term = Term::Value(Path { name: name.clone(), items: vec![] });
                self.bound(variable, &term, false, false, &Vec::new());
                self.bound(variable, &term, true, false, &Vec::new());
                continue;
            }
            let has_bound = |is_max| self.out.bounds.iter().any(|b| b.variable == variable && b.is_max == is_max);
            let (has_min, has_max) = (has_bound(false), has_bound(true));
            if let Interval::Int(min, max) = &mut self.out.unknowns[variable].range {
                if *min == 0 && *max == i64::MAX && !has_min {
                    *min = DEFAULT_SIDES.0;
                }
                if *max == i64::MAX && !has_max {
                    *max = (*min).max(1) + DEFAULT_SIDES.1 - 1;
                }
            }
        }
        let names: BTreeSet<String> = self.function.arguments.iter().map(|argument| argument.name.clone()).collect();
        self.out.shape_variables.retain(|(name, _)| !names.contains(name));
    }
}
