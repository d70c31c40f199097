//! Findings for people: the closest failing input, where two models differ, properties in words.

pub mod closest;
pub mod property_text;
