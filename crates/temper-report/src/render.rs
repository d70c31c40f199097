//! A report in one of its forms.

use serde::Serialize;

use crate::document::Document;
use crate::format::Format;
use crate::record_error::SCHEMA_VERSION;
use crate::report::CombinedReport;
use crate::{github, gitlab, junit, markdown, page, sarif};

/// Several records in JSON.
#[derive(Serialize)]
struct WrittenReport<'d> {
    schema_version: u32,
    command: &'static str,
    records: Vec<&'d Document>,
}

impl CombinedReport<'_> {
    /// The report in one of its forms. Only text may have colour.
    ///
    /// # Errors
    /// When a part has no JSON form, which only a mistake of ours can cause.
    pub fn render(&self, format: Format) -> Result<String, serde_json::Error> {
        Ok(match format {
            Format::Text => self.parts.iter().map(|part| part.text.as_str()).collect(),
            Format::Json => self.json()?,
            Format::Md => self.parts.iter().map(markdown::render).collect::<Vec<_>>().join("\n"),
            Format::Github => github::render(self),
            Format::Gitlab => serde_json::to_string_pretty(&gitlab::render(self))? + "\n",
            Format::Sarif => serde_json::to_string_pretty(&sarif::render(self))? + "\n",
            Format::Junit => junit::render(self),
            Format::Html => page::render(self)?,
        })
    }

    fn json(&self) -> Result<String, serde_json::Error> {
        match self.parts.as_slice() {
            [part] => part.document.to_json(),
            parts => {
                let records = parts.iter().map(|part| part.document).collect();
                let written = WrittenReport { schema_version: SCHEMA_VERSION, command: "report", records };
                Ok(serde_json::to_string_pretty(&written)? + "\n")
            }
        }
    }
}
