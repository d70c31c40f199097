//! What the name of a measured expression tells about the values that it can have: accuracies and probabilities lie between
//! 0 and 1, correlations between -1 and 1, R² not above 1. A name may be wrong, so samples outside the range overrule it.

use temper_stats::bound::Range;

/// Words for a share of a whole.
const SHARES: [&str; 17] = [
    "acc",
    "accuracy",
    "auc",
    "auroc",
    "dice",
    "f1",
    "iou",
    "jaccard",
    "precision",
    "prob",
    "proba",
    "probability",
    "purity",
    "recall",
    "sensitivity",
    "specificity",
    "pvalue",
];
/// Words for what lies between -1 and 1.
const CORRELATIONS: [&str; 9] =
    ["corr", "corrcoef", "correlation", "kendalltau", "pearson", "pearsonr", "silhouette", "spearman", "spearmanr"];
/// Words for a share of explained variance, which can be as negative as it likes.
const EXPLAINED: [&str; 3] = ["r2", "rsquared", "r2score"];

/// The range of an expression by its name; everything if it is computed from several or has none of the words.
#[must_use]
pub fn of(expression: &str) -> Range {
    let words = words(expression);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if has(&SHARES) {
        Range { low: Some(0.0), high: Some(1.0) }
    } else if has(&CORRELATIONS) {
        Range { low: Some(-1.0), high: Some(1.0) }
    } else if has(&EXPLAINED) {
        Range { low: None, high: Some(1.0) }
    } else {
        Range::default()
    }
}

/// The words of the last name outside of all brackets: `accuracy` and `score` of `metrics.accuracy_score(y, p)`.
fn words(expression: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut outside = String::new();
    for letter in expression.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(letter),
            _ => {}
        }
    }
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    if !outside.trim().chars().all(is_name) {
        return Vec::new();
    }
    let last = outside.trim().rsplit('.').next().unwrap_or_default();
    last.split('_').map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_shares_correlations_and_explained_variance_bound_their_values() {
        let range = |low, high| Range { low, high };
        for share in ["acc", "metrics.accuracy_score(y, model.predict(x))", "result.test_accuracy", "auc"] {
            assert_eq!(of(share), range(Some(0.0), Some(1.0)), "{share}");
        }
        assert_eq!(of("np.corrcoef(a, b)[0, 1]"), range(Some(-1.0), Some(1.0)));
        assert_eq!(of("fit.r2"), range(None, Some(1.0)));
    }

    #[test]
    fn what_is_computed_from_a_share_is_no_share() {
        for expression in ["1 - acc", "2 * accuracy", "loss", "abs(acc - 0.9)", "np.log(prob)", "account"] {
            assert_eq!(of(expression), Range::default(), "{expression}");
        }
    }
}
