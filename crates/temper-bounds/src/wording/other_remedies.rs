//! Remedies that keep the bound, in words.

use temper_report::short;

use crate::propose::proposal::{KnownOfRemedy, OtherRemedy, RemedyKind};

/// `or size    n=400   spread 0.51 of before, 0 of 40 runs failed; 3.9 times the time: `temper bounds B1 --remedy size``.
pub fn other_words(other: &OtherRemedy, id: &str) -> String {
    let OtherRemedy { kind, text, times, known } = other;
    let (word, cost) = (kind.word(), times_words(*times));
    format!("{:<11}{text}   {}, {cost}: `temper bounds {id} --remedy {word}`", format!("or {word}"), known_words(known))
}

/// What speaks for a remedy before it is verified.
fn known_words(known: &KnownOfRemedy) -> String {
    match known {
        KnownOfRemedy::Trial { runs, failures, spread } => {
            format!("spread {:.0} % of before, {failures} of {runs} runs failed", 100.0 * spread)
        }
        KnownOfRemedy::Resampled { failing, is_limit } => {
            let most = if *is_limit { "at most " } else { "" };
            format!("{most}{} % fail by resampling", short(100.0 * failing))
        }
        KnownOfRemedy::Independent { failing } => {
            format!("{} % fail if runs are independent", short(100.0 * failing))
        }
        KnownOfRemedy::MiddleSeed { seeds, .. } => format!("tests one case only, the middle one of {seeds} seeds"),
    }
}

/// `3.9 times the time`.
pub fn times_words(times: f64) -> String {
    let times = (10.0 * times).round() / 10.0;
    if times <= 1.0 { "about the same time".to_owned() } else { format!("{} times the time", short(times)) }
}

/// What a changed body does.
pub(super) fn rewritten_words(means: RemedyKind, old: Option<&str>, times: f64) -> String {
    let cost = times_words(times);
    match (means, old) {
        (RemedyKind::Mean, _) => format!("the mean of {} repetitions; the bound stays, {cost}", short(times)),
        (RemedyKind::Seed, _) => "a seed in the middle of those tried: the test sees one case only".to_owned(),
        (_, Some(old)) => format!("instead of {old}: the bound stays, {cost}"),
        (_, None) => format!("the bound stays, {cost}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_has_what_is_known_its_cost_and_its_command() {
        let known = KnownOfRemedy::Trial { runs: 40, failures: 1, spread: 0.512 };
        let other = OtherRemedy { kind: RemedyKind::Size, text: "n=400".to_owned(), times: 3.94, known };
        let expected = "or size    n=400   spread 51 % of before, 1 of 40 runs failed, 3.9 times the time: `temper bounds B1 --remedy size`";
        assert_eq!(other_words(&other, "B1"), expected);
        assert_eq!(
            [1.0, 1.04, 1.06].map(times_words),
            ["about the same time", "about the same time", "1.1 times the time"]
        );
    }
}
