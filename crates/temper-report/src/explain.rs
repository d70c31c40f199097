//! What words mean: one paragraph each, from the page that the documentation shows too.

const WORDS: &str = include_str!("../words.md");

/// Every word that is explained, in the order of the page.
pub fn explained_words() -> impl Iterator<Item = &'static str> {
    sections().map(|(word, _)| word)
}

/// What a word means.
pub fn explanation(word: &str) -> Option<&'static str> {
    sections().find(|(each, _)| *each == word).map(|(_, text)| text)
}

fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = WORDS.split("\n## ").skip(1);
    sections.filter_map(|section| section.split_once('\n')).map(|(word, text)| (word, text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::FindingKind;

    #[test]
    fn every_kind_of_finding_and_every_verdict_is_explained() {
        let verdicts =
            ["sound", "rare", "pinned", "deterministic", "undecided", "broken", "fails always", "clean", "failed"];
        for word in FindingKind::ALL.iter().map(|kind| kind.word()).chain(verdicts) {
            assert!(explanation(word).is_some_and(|text| text.len() > 20), "{word}");
        }
        assert_eq!(explanation("fluky"), None);
    }
}
