//! A vote of bagged trees: how sure the data are about an input.
//!
//! Source: Breiman, "Bagging Predictors", Machine Learning 24, 1996. A single tree is certain everywhere, also where no row ever
//! was; trees grown on resampled rows disagree there. An input is trusted when nearly all of them give its expected class.
//! The vote fails where all trees share one error: a truth that no row shows, or labels that are wrong in one place.

use crate::seed::mixed;
use crate::tree::{DecisionTree, Growth, Ranked, grow};
use rayon::prelude::*;
use temper::Choices;

/// Bagged trees.
pub struct Forest {
    trees: Vec<DecisionTree>,
}

impl Forest {
    /// Grows trees on rows drawn with replacement; tree `i` depends on the seed and on `i` alone.
    pub fn grow(ranked: &Ranked, trees: usize, growth: Growth, seed: u64) -> Forest {
        let grow_one = |index: usize| {
            let mut choices = Choices::random(0);
            choices.start_random(mixed(&[seed, index as u64]), false);
            let rows = (0..ranked.rows()).map(|_| choices.index(ranked.rows()) as u32).collect();
            grow(ranked, rows, Growth { seed: growth.seed.wrapping_add(index as u32), ..growth })
        };
        Forest { trees: (0..trees).into_par_iter().map(grow_one).collect() }
    }

    /// Number of trees.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Whether there are no trees.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// Share of the trees that give this class.
    pub fn share(&self, row: &[f64], class: usize) -> f64 {
        let votes = self.trees.iter().filter(|tree| tree.predict(row) == class).count();
        votes as f64 / self.trees.len() as f64
    }

    /// Whether at least this share of the trees gives the class. Stops counting once the answer is known.
    pub fn agrees(&self, row: &[f64], class: usize, share: f64) -> bool {
        let needed = (share * self.trees.len() as f64 - 1e-9).ceil().max(0.0) as usize;
        let mut against_left = self.trees.len().saturating_sub(needed);
        for tree in &self.trees {
            if tree.predict(row) != class {
                if against_left == 0 {
                    return false;
                }
                against_left -= 1;
            }
        }
        true
    }
}
