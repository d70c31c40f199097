//! What workers answer, read from the wire.

use temper_worker::{CallResult, Exception, LoadFailure, Outcome, Report, Value};

/// A subject that a survey found.
#[derive(Clone, Debug)]
pub struct Surveyed {
    pub name: String,
    /// Its file, where that is not the module's.
    pub path: Option<String>,
    pub line: u32,
    pub hints: Vec<(u32, String)>,
    pub problem: Option<SurveyedProblem>,
}

/// What is wrong with its annotations.
#[derive(Clone, Debug)]
pub struct SurveyedProblem {
    pub headline: String,
    /// The file that the annotation is in, where that is not the module's.
    pub path: Option<String>,
    pub line: u32,
    pub fact: Option<String>,
    pub hint: Option<String>,
}

/// How a piece of work ended.
pub enum Answer {
    /// The function returned this.
    Returned(Value),
    /// The function of ours raised: a harness error.
    Raised(Exception),
    /// The module could not be loaded.
    NotLoaded(LoadFailure),
    /// The process ended before it answered, or could not.
    Ended(Outcome),
}

/// The answer in a report of one call.
pub fn answer(report: &Report) -> Answer {
    match (&report.outcome, report.calls.first()) {
        (Outcome::Called, Some(CallResult::Returned(value))) => Answer::Returned(value.clone()),
        (Outcome::Called, Some(CallResult::Raised(exception))) => Answer::Raised(exception.clone()),
        (Outcome::LoadFailed(failure), _) => Answer::NotLoaded(failure.clone()),
        (Outcome::Raised(exception), _) => Answer::Raised(exception.clone()),
        (other, _) => Answer::Ended(other.clone()),
    }
}

pub fn text(value: &Value, key: &str) -> String {
    optional_text(value, key).unwrap_or_default()
}

pub fn optional_text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::to_text)
}

pub fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_i64).and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
}

pub fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_list).unwrap_or(&[])
}

pub fn bytes(value: &Value, key: &str) -> Vec<u8> {
    match value.get(key) {
        Some(Value::Bytes(bytes)) => bytes.clone(),
        _ => Vec::new(),
    }
}

pub fn numbers(value: &Value, key: &str) -> Vec<u64> {
    let as_number = |item: &Value| item.as_i64().and_then(|number| u64::try_from(number).ok());
    list(value, key).iter().filter_map(as_number).collect()
}

/// A pair such as `[reached, all]`.
pub fn pair(value: &Value, key: &str) -> Option<(u64, u64)> {
    match numbers(value, key)[..] {
        [reached, all] => Some((reached, all)),
        _ => None,
    }
}

/// Pairs of a line and a text.
pub fn lines(value: &Value, key: &str) -> Vec<(u32, String)> {
    let pair = |item: &Value| match item.as_list() {
        Some([line, text]) => Some((line.as_i64()? as u32, text.to_text()?)),
        _ => None,
    };
    list(value, key).iter().filter_map(pair).collect()
}

pub fn surveyed(value: &Value) -> Vec<Surveyed> {
    let problem = |value: &Value| SurveyedProblem {
        headline: text(value, "headline"),
        path: optional_text(value, "path"),
        line: number(value, "line") as u32,
        fact: optional_text(value, "fact"),
        hint: optional_text(value, "hint"),
    };
    let one = |value: &Value| Surveyed {
        name: text(value, "name"),
        path: optional_text(value, "path"),
        line: number(value, "line") as u32,
        hints: lines(value, "hints"),
        problem: value.get("problem").map(problem),
    };
    list(value, "subjects").iter().map(one).collect()
}
