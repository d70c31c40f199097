//! The kinds of values that settings take, and the words that say what would have been right.

use std::path::PathBuf;
use std::time::Duration;

use temper_report::Format;
use toml::Value;

/// What the values of a setting look like.
#[derive(Clone, Copy, Debug)]
pub enum SettingKind {
    /// Any text.
    Text,
    /// A list of texts. On the command line and in the environment: separated by commas.
    Texts,
    /// A whole number from 1, or `auto`.
    CountOrAuto,
    /// A whole number from 1.
    Count,
    /// A whole number from 0.
    Whole,
    /// A number strictly between 0 and 1.
    Share,
    /// A number above 0, up to 1.
    Part,
    /// A list of some of these words.
    Words(fn() -> Vec<&'static str>),
    /// A list of forms with their files, as in `html:report.html`.
    Reports,
    /// A duration such as `90s`, or `none`.
    DurationOrNone,
    /// A duration such as `90s`.
    Duration,
    /// A number of bytes such as `16GB`.
    Size,
    /// `local`, or a cluster such as `dask://tcp://scheduler:8786`.
    Executor,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

impl SettingKind {
    /// The value for text from the command line or the environment.
    pub fn read_texts(self, texts: &[String]) -> Value {
        match self {
            SettingKind::Texts | SettingKind::Words(_) => {
                let parts =
                    texts.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|part| !part.is_empty());
                Value::Array(parts.map(Value::from).collect())
            }
            // A path may have a comma.
            SettingKind::Reports => Value::Array(texts.iter().map(|text| Value::from(text.as_str())).collect()),
            SettingKind::CountOrAuto | SettingKind::Count | SettingKind::Whole => {
                let text = texts.join(",");
                text.parse::<i64>().map_or(Value::String(text), Value::Integer)
            }
            SettingKind::Share | SettingKind::Part => {
                let text = texts.join(",");
                text.parse::<f64>().map_or(Value::String(text), Value::Float)
            }
            SettingKind::Text
            | SettingKind::DurationOrNone
            | SettingKind::Duration
            | SettingKind::Size
            | SettingKind::Executor
            | SettingKind::OneOf(_) => Value::String(texts.join(",")),
        }
    }

    /// True when the value is one that the setting takes.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            SettingKind::Text => value.as_str().is_some_and(|text| !text.is_empty()),
            SettingKind::Texts => value.as_array().is_some_and(|items| items.iter().all(Value::is_str)),
            SettingKind::CountOrAuto => {
                value.as_integer().is_some_and(|count| count >= 1) || value.as_str() == Some("auto")
            }
            SettingKind::Count => value.as_integer().is_some_and(|count| count >= 1),
            SettingKind::Whole => value.as_integer().is_some_and(|count| count >= 0),
            SettingKind::Share => value.as_float().is_some_and(|share| share > 0.0 && share < 1.0),
            SettingKind::Part => value.as_float().is_some_and(|share| share > 0.0 && share <= 1.0),
            SettingKind::Words(words) => value.as_array().is_some_and(|items| {
                items.iter().all(|item| item.as_str().is_some_and(|text| words().contains(&text)))
            }),
            SettingKind::Reports => value
                .as_array()
                .is_some_and(|items| items.iter().all(|item| item.as_str().is_some_and(|text| report(text).is_some()))),
            SettingKind::DurationOrNone => {
                value.as_str().is_some_and(|text| text == "none" || duration(text).is_some())
            }
            SettingKind::Duration => value.as_str().and_then(duration).is_some_and(|time| !time.is_zero()),
            SettingKind::Size => value.as_str().and_then(bytes).is_some_and(|count| count > 0),
            SettingKind::Executor => value.as_str().and_then(executor).is_some(),
            SettingKind::OneOf(words) => value.as_str().is_some_and(|text| words.contains(&text)),
        }
    }

    /// What would have been right, to follow "it takes".
    pub fn takes(self) -> String {
        match self {
            SettingKind::Text => "a text".to_owned(),
            SettingKind::Texts => "a list of texts".to_owned(),
            SettingKind::CountOrAuto => "a whole number from 1, or \"auto\"".to_owned(),
            SettingKind::Count => "a whole number from 1".to_owned(),
            SettingKind::Whole => "a whole number from 0".to_owned(),
            SettingKind::Share => "a number between 0 and 1, as in 0.999".to_owned(),
            SettingKind::Part => "a number above 0 and up to 1, as in 0.25".to_owned(),
            SettingKind::Words(words) => format!("some of {}", words().join(", ")),
            SettingKind::Reports => {
                format!("forms with their files, as in html:report.html; the forms are {}", Format::NAMES.join(", "))
            }
            SettingKind::DurationOrNone => "a duration such as \"90s\", \"5m\" or \"2h\", or \"none\"".to_owned(),
            SettingKind::Duration => "a duration such as \"90s\", \"5m\" or \"2h\"".to_owned(),
            SettingKind::Size => "a size such as \"512MB\" or \"16GB\"".to_owned(),
            SettingKind::Executor => "\"local\" or a cluster such as \"dask://tcp://scheduler:8786\"".to_owned(),
            SettingKind::OneOf(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                match quoted.split_last() {
                    Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                    _ => quoted.concat(),
                }
            }
        }
    }
}

/// A form and its file, as in `html:report.html`; no file is standard output, written `-`.
pub fn report(text: &str) -> Option<(Format, Option<PathBuf>)> {
    let (format, path) = text.split_once(':').filter(|(_, path)| !path.is_empty())?;
    Some((Format::of(format)?, Some(path).filter(|path| *path != "-").map(PathBuf::from)))
}

/// The address of a cluster; `Some(None)` for this machine, and `None` for what is neither.
pub fn executor(text: &str) -> Option<Option<String>> {
    if text == "local" {
        return Some(None);
    }
    text.strip_prefix("dask://").filter(|address| !address.is_empty()).map(|address| Some(address.to_owned()))
}

/// A duration such as `90s`, `5m`, `2h`; a bare number is seconds.
pub fn duration(text: &str) -> Option<Duration> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let secs = match unit {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    number.parse::<f64>().ok().and_then(|count| Duration::try_from_secs_f64(count * secs).ok())
}

/// A number of bytes such as `512MB` or `16GB`, in powers of 1,024.
pub fn bytes(text: &str) -> Option<u64> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let power = match unit {
        "KB" => 10,
        "MB" => 20,
        "GB" => 30,
        "TB" => 40,
        _ => return None,
    };
    let count = number.parse::<f64>().ok()? * f64::from(2).powi(power);
    (count < u64::MAX as f64).then_some(count as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(kind: SettingKind, text: &str) -> bool {
        kind.accepts(&kind.read_texts(&[text.to_owned()]))
    }

    #[test]
    fn counts_take_numbers_from_one_and_auto() {
        for (text, expected) in [("4", true), ("auto", true), ("0", false), ("-1", false), ("many", false), ("", false)]
        {
            assert_eq!(accepts(SettingKind::CountOrAuto, text), expected, "{text}");
        }
    }

    #[test]
    fn durations_have_a_unit() {
        for (text, secs) in [("90s", 90), ("5m", 300), ("2h", 7200), ("45", 45)] {
            assert_eq!(duration(text), Some(Duration::from_secs(secs)));
        }
        for text in ["", "5x", "m", "-3s"] {
            assert!(!accepts(SettingKind::DurationOrNone, text), "{text}");
        }
        assert!(accepts(SettingKind::DurationOrNone, "none"));
    }

    #[test]
    fn sizes_have_a_unit() {
        for (text, count) in [("512MB", 512 << 20), ("1.5GB", 3 << 29), ("2TB", 2 << 40)] {
            assert_eq!(bytes(text), Some(count));
        }
        for text in ["", "16", "GB", "0GB", "1e400TB"] {
            assert!(!accepts(SettingKind::Size, text), "{text}");
        }
        assert!(!accepts(SettingKind::Duration, "none") && !accepts(SettingKind::Duration, "0s"));
    }

    #[test]
    fn shares_lie_between_zero_and_one() {
        for (text, expected) in [("0.999", true), ("1", false), ("0", false), ("99%", false)] {
            assert_eq!(accepts(SettingKind::Share, text), expected, "{text}");
        }
        for (text, expected) in [("0.25", true), ("1", true), ("0", false), ("1.5", false)] {
            assert_eq!(accepts(SettingKind::Part, text), expected, "{text}");
        }
    }

    #[test]
    fn lists_are_split_at_commas() {
        let value = SettingKind::Texts.read_texts(&["a, b".to_owned(), "c".to_owned()]);
        assert_eq!(value.to_string(), r#"["a", "b", "c"]"#);
    }
}
