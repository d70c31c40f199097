//! The kinds of values that settings take, and the words that say what would have been right.

use toml::Value;

/// What the values of a setting look like.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// A list of texts. On the command line and in the environment: separated by commas.
    Texts,
    /// A whole number from 1, or `auto`.
    CountOrAuto,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

impl Kind {
    /// The value for text from the command line or the environment.
    pub fn read_texts(self, texts: &[String]) -> Value {
        match self {
            Kind::Texts => {
                let parts =
                    texts.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|part| !part.is_empty());
                Value::Array(parts.map(Value::from).collect())
            }
            Kind::CountOrAuto => {
                let text = texts.join(",");
                text.parse::<i64>().map_or(Value::String(text), Value::Integer)
            }
            Kind::Text | Kind::OneOf(_) => Value::String(texts.join(",")),
        }
    }

    /// True when the value is one that the setting takes.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            Kind::Text => value.as_str().is_some_and(|text| !text.is_empty()),
            Kind::Texts => value.as_array().is_some_and(|items| items.iter().all(Value::is_str)),
            Kind::CountOrAuto => value.as_integer().is_some_and(|count| count >= 1) || value.as_str() == Some("auto"),
            Kind::OneOf(words) => value.as_str().is_some_and(|text| words.contains(&text)),
        }
    }

    /// What would have been right, to follow "it takes".
    pub fn takes(self) -> String {
        match self {
            Kind::Text => "a text".to_owned(),
            Kind::Texts => "a list of texts".to_owned(),
            Kind::CountOrAuto => "a whole number from 1, or \"auto\"".to_owned(),
            Kind::OneOf(words) => words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(kind: Kind, text: &str) -> bool {
        kind.accepts(&kind.read_texts(&[text.to_owned()]))
    }

    #[test]
    fn counts_take_numbers_from_one_and_auto() {
        for (text, expected) in [("4", true), ("auto", true), ("0", false), ("-1", false), ("many", false), ("", false)]
        {
            assert_eq!(accepts(Kind::CountOrAuto, text), expected, "{text}");
        }
    }

    #[test]
    fn lists_are_split_at_commas() {
        let value = Kind::Texts.read_texts(&["a, b".to_owned(), "c".to_owned()]);
        assert_eq!(value.to_string(), r#"["a", "b", "c"]"#);
    }
}
