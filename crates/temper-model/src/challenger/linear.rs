//! A linear model: multinomial logistic regression with a ridge penalty, on columns or on columns with their products.

use crate::challenger::forest::most;
use crate::challenger::minimise::minimise;
use crate::data::matrix::Matrix;
use crate::data::schema::{ColumnKind, Schema};

/// Categories of a column that get an indicator each.
const MOST_INDICATORS: usize = 20;

/// Columns up to which products of pairs are made.
const MOST_PAIRED: usize = 20;

/// Steps of the minimiser: beyond these the answers hardly change.
const STEPS: usize = 60;

/// Which terms the model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearTerms {
    /// The columns.
    Columns,
    /// The columns, their squares, and the products of any two.
    Products,
}

/// How a cell becomes terms.
enum Term {
    /// The number, standardised; a missing one is the mean.
    Number { column: usize, mean: f64, deviation: f64, missing: Option<f64> },
    /// Whether the cell has this code.
    Is { column: usize, code: f64 },
}

/// The terms of a table.
pub struct Terms {
    terms: Vec<Term>,
    /// Positions of numbers whose products are taken.
    paired: Vec<usize>,
}

impl Terms {
    /// Terms for rows of this meaning, scaled by these rows. `None` if products are asked for and there are too many or none.
    pub fn new(rows: &Matrix, schema: &Schema, kind: LinearTerms) -> Option<Terms> {
        let mut terms = Vec::new();
        let mut paired = Vec::new();
        for (index, column) in schema.columns.iter().enumerate().filter(|(_, column)| !column.is_identifier) {
            let missing = column.missing;
            match &column.kind {
                ColumnKind::Category(names) => {
                    let codes = (0..names.len().min(MOST_INDICATORS)).map(|code| code as f64);
                    terms.extend(codes.chain(missing).map(|code| Term::Is { column: index, code }));
                }
                _ => {
                    let (mean, deviation) = spread(rows.column(index).filter(|&value| Some(value) != missing));
                    if deviation > 0.0 {
                        paired.push(terms.len());
                        terms.push(Term::Number { column: index, mean, deviation, missing });
                    }
                    terms.extend(missing.map(|code| Term::Is { column: index, code }));
                }
            }
        }
        match kind {
            LinearTerms::Columns => paired.clear(),
            LinearTerms::Products if paired.is_empty() || paired.len() > MOST_PAIRED => return None,
            LinearTerms::Products => {}
        }
        Some(Terms { terms, paired })
    }

    /// Terms of a row: the constant, the terms, the products.
    pub fn len(&self) -> usize {
        1 + self.terms.len() + self.paired.len() * (self.paired.len() + 1) / 2
    }

    /// Writes the terms of a row.
    pub fn write(&self, row: &[f64], out: &mut Vec<f64>) {
        out.push(1.0);
        let first = out.len();
        for term in &self.terms {
            out.push(match term {
                Term::Number { column, missing, .. } if Some(row[*column]) == *missing => 0.0,
                // Far values would rule the fit.
                Term::Number { column, mean, deviation, .. } => ((row[*column] - mean) / deviation).clamp(-5.0, 5.0),
                Term::Is { column, code } => f64::from(u8::from(row[*column] == *code)),
            });
        }
        for (at, &a) in self.paired.iter().enumerate() {
            for &b in &self.paired[at..] {
                let (a, b) = (out[first + a], out[first + b]);
                out.push(a * b);
            }
        }
    }
}

fn spread(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let (sum, count) = values.clone().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    let mean = sum / f64::max(count, 1.0);
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / f64::max(count, 1.0)).sqrt())
}

/// A trained linear model.
pub struct LinearModel {
    /// Weights, class after class.
    weights: Vec<f64>,
    terms: usize,
    classes: usize,
}

impl LinearModel {
    /// Learns from rows of terms, stored one after another.
    pub fn train(rows: &[f64], terms: usize, labels: &[usize], classes: usize) -> LinearModel {
        let count = labels.len() as f64;
        let mut loss = |weights: &[f64], gradient: &mut [f64]| {
            gradient.fill(0.0);
            let mut total = 0.0;
            let mut scores = vec![0.0; classes];
            for (row, &label) in rows.chunks_exact(terms).zip(labels) {
                for (score, weights) in scores.iter_mut().zip(weights.chunks_exact(terms)) {
                    *score = dot(row, weights);
                }
                let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let own = scores[label];
                let mut sum = 0.0;
                for score in &mut scores {
                    *score = (*score - highest).exp();
                    sum += *score;
                }
                total += sum.ln() + highest - own;
                for (class, gradient) in gradient.chunks_exact_mut(terms).enumerate() {
                    let excess = scores[class] / sum - f64::from(u8::from(class == label));
                    gradient.iter_mut().zip(row).for_each(|(gradient, term)| *gradient += excess * term);
                }
            }
            // The penalty of scikit-learn's default, C = 1; constants are free.
            for (at, (gradient, weight)) in gradient.iter_mut().zip(weights).enumerate() {
                if at % terms != 0 {
                    *gradient += weight;
                    total += 0.5 * weight * weight;
                }
                *gradient /= count;
            }
            total / count
        };
        let weights = minimise(vec![0.0; terms * classes], STEPS, &mut loss);
        LinearModel { weights, terms, classes }
    }

    /// The class of a row of terms.
    pub fn predict(&self, row: &[f64]) -> usize {
        let scores = (0..self.classes).map(|class| dot(row, &self.weights[class * self.terms..][..self.terms]) as f32);
        most(&scores.collect::<Vec<_>>())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four sums let the processor add side by side.
    let mut sums = [0.0; 4];
    let (a_fours, b_fours) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a_fours.remainder().iter().zip(b_fours.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_fours.zip(b_fours) {
        for at in 0..4 {
            sums[at] += a[at] * b[at];
        }
    }
    sums.iter().sum::<f64>() + rest
}
