//! Totals beside cross-validation, for one data set and across several.
//!
//! Source: Durelli et al., section 6: each fold's model is run on both suites and the figures are averaged, then compared with
//! cross-validation by paired tests over data sets. Lower figures were read there as a better suite. That holds only as far
//! as the surrogate is right, so the figures are a description here, and findings are made by [`crate::judge::findings`].

use crate::data::label::Label;
use crate::error::ModelError;
use crate::inputs::InputSuite;
use crate::judge::cross_validation::CrossValidation;
use crate::judge::findings::run;
use crate::judge::metrics::Metrics;
use temper_stats::paired::{PairedTest, paired_t, wilcoxon};
use temper_stats::shapiro::{ShapiroWilk, shapiro_wilk};

/// Figures of one data set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// On the inputs that cover leaves, mean over fold models.
    pub coverage: Metrics,
    /// On the inputs next to splits, mean over fold models.
    pub boundary: Metrics,
    /// On rows left out, mean over folds.
    pub cross_validation: Metrics,
}

/// Runs every fold's model on both suites.
///
/// # Errors
/// When a model does not answer as a classifier must.
pub fn totals(
    crossed: &mut CrossValidation,
    coverage: &InputSuite,
    boundary: &InputSuite,
    classes: &[Label],
) -> Result<Totals, ModelError> {
    let mut mean = |suite: &InputSuite| {
        let runs = crossed.models.iter_mut().map(|model| Ok(run(suite, model.as_mut(), classes)?.metrics));
        runs.collect::<Result<Vec<Metrics>, ModelError>>().map(|runs| Metrics::mean(&runs))
    };
    let (coverage, boundary) = (mean(coverage)?, mean(boundary)?);
    Ok(Totals { coverage, boundary, cross_validation: crossed.mean() })
}

/// How a figure differs between two ways of testing, over several data sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Whether the first figures look normal.
    pub first: ShapiroWilk,
    /// Whether the second ones do.
    pub second: ShapiroWilk,
    /// Paired t test, right when the differences are normal.
    pub t: PairedTest,
    /// Wilcoxon's signed-rank test, right in any case.
    pub wilcoxon: PairedTest,
}

/// Compares figures of the same data sets in the same order.
///
/// # Errors
/// When there are fewer than three data sets, or not as many of one as of the other.
pub fn difference(first: &[f64], second: &[f64]) -> Result<Difference, ModelError> {
    Ok(Difference {
        first: shapiro_wilk(first)?,
        second: shapiro_wilk(second)?,
        t: paired_t(first, second)?,
        wilcoxon: wilcoxon(first, second)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Accuracy columns of table 7 in Durelli et al.; W, p and t as printed there, which are computed from unrounded figures.
    #[test]
    fn differences_equal_the_oracle_of_tables_7_and_8() {
        let coverage = [
            0.51, 0.78, 0.52, 0.75, 0.50, 0.37, 0.62, 0.49, 0.51, 0.60, 0.58, 0.50, 0.40, 0.49, 0.49, 0.65, 0.66, 0.54,
            0.60, 0.41, 0.60,
        ];
        let crossed = [
            0.88, 1.00, 0.76, 0.94, 0.64, 0.66, 0.72, 0.77, 0.67, 0.84, 0.95, 0.96, 0.96, 0.89, 0.71, 0.87, 0.80, 0.88,
            0.82, 0.69, 0.99,
        ];
        let found = difference(&coverage, &crossed).unwrap();
        assert!((found.first.w - 0.96).abs() < 0.01 && (found.first.p - 0.45).abs() < 0.05, "{found:?}");
        assert!((found.second.w - 0.94).abs() < 0.01 && (found.second.p - 0.21).abs() < 0.05, "{found:?}");
        assert!((found.t.statistic + 10.97).abs() < 0.1 && found.t.p < 0.001, "{found:?}");
        assert!(found.wilcoxon.p < 0.001);
    }

    #[test]
    fn two_data_sets_are_too_few() {
        assert!(matches!(difference(&[0.5, 0.6], &[0.7, 0.8]), Err(ModelError::Statistics(_))));
    }
}
