//! How well predictions agree with expectations: accuracy, precision, recall and F1, weighted and macro.
//!
//! Definitions and the value for "nothing to divide" (0) are scikit-learn's. Classes that occur neither among the
//! expectations nor among the predictions do not count.

/// Figures over all classes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Share of predictions that are as expected.
    pub accuracy: f64,
    /// Averages weighted by how often a class is expected.
    pub weighted: Averages,
    /// Plain averages over classes.
    pub macro_average: Averages,
}

/// Precision, recall and F1 averaged in one way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Averages {
    /// Of the predictions of a class, the share that was expected.
    pub precision: f64,
    /// Of the expectations of a class, the share that was predicted.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
}

impl Metrics {
    /// Figures of predictions against expectations, both as classes below `classes`.
    pub fn of(expected: &[usize], predicted: &[usize], classes: usize) -> Metrics {
        let mut tally = vec![LabelTally::default(); classes];
        for (&wanted, &got) in expected.iter().zip(predicted) {
            tally[wanted].expected += 1.0;
            tally[got].predicted += 1.0;
            tally[wanted].both += f64::from(u8::from(wanted == got));
        }
        tally.retain(|class| class.expected + class.predicted > 0.0);
        let rows = expected.len() as f64;
        Metrics {
            accuracy: ratio(tally.iter().map(|class| class.both).sum(), rows),
            weighted: average(&tally, |class| class.expected),
            macro_average: average(&tally, |_| 1.0),
        }
    }

    /// The plain mean of several figures, as over folds.
    pub fn mean(all: &[Metrics]) -> Metrics {
        let mean = |read: fn(&Metrics) -> f64| ratio(all.iter().map(read).sum(), all.len() as f64);
        Metrics {
            accuracy: mean(|metrics| metrics.accuracy),
            weighted: Averages {
                precision: mean(|metrics| metrics.weighted.precision),
                recall: mean(|metrics| metrics.weighted.recall),
                f1: mean(|metrics| metrics.weighted.f1),
            },
            macro_average: Averages {
                precision: mean(|metrics| metrics.macro_average.precision),
                recall: mean(|metrics| metrics.macro_average.recall),
                f1: mean(|metrics| metrics.macro_average.f1),
            },
        }
    }
}

/// What is counted for one class.
#[derive(Clone, Copy, Default)]
struct LabelTally {
    expected: f64,
    predicted: f64,
    both: f64,
}

fn average(tally: &[LabelTally], weight: impl Fn(&LabelTally) -> f64) -> Averages {
    let total: f64 = tally.iter().map(&weight).sum();
    let mean = |figure: &dyn Fn(&LabelTally) -> f64| {
        ratio(tally.iter().map(|class| weight(class) * figure(class)).sum(), total)
    };
    Averages {
        precision: mean(&|class| ratio(class.both, class.predicted)),
        recall: mean(&|class| ratio(class.both, class.expected)),
        f1: mean(&|class| ratio(2.0 * class.both, class.expected + class.predicted)),
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    // sklearn.metrics 1.9.1: accuracy_score, precision_recall_fscore_support(average=..., zero_division=0). Tolerance for
    // the order of summation.
    #[test]
    fn figures_equal_the_oracle_of_scikit_learn() {
        let expected = [0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2];
        let predicted = [0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 4, 0, 1];
        let figures = Metrics::of(&expected, &predicted, 5);
        let found = [
            figures.accuracy,
            figures.weighted.precision,
            figures.weighted.recall,
            figures.weighted.f1,
            figures.macro_average.precision,
            figures.macro_average.recall,
            figures.macro_average.f1,
        ];
        let wanted = [
            0.8,
            0.8694444444444446,
            0.8,
            0.8112460638776429,
            0.39583333333333337,
            0.4431818181818182,
            0.40215924426450744,
        ];
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-14, "{found} {wanted}");
        }
    }
}
