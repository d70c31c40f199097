//! Internal: the one record of what was found, and everything that is a function of it. Jobs build subjects with their
//! verdicts and findings with their evidence. The document that holds them is saved, printed as text or in another form
//! (`--format`; docs/reference/report.schema.json describes the JSON one), and decides the exit code of the run.

mod decide_exit;
mod details;
mod document;
mod evidence;
mod exit;
mod finding;
mod format;
mod github;
mod histogram;
mod html;
mod inventory;
mod junit;
mod kind;
mod markdown;
mod markup;
mod record_error;
#[cfg(test)]
mod sample;
mod sarif;
mod subject;
mod text;
mod verdict;

pub use details::{Details, PythonRow, SettingRow};
pub use document::Document;
pub use evidence::{
    AgreementFigures, AnsweredBy, AverageFigures, BaselineFigures, BoundSide, BoundsDetails, BoundsMutants,
    CallEvidence, CheckEvidence, ClosestInput, FailureRate, FindingEvidence, JudgedModelRecord, KeptCell, KeptErrors,
    KillableMutant, LeafCondition, LeafEvidence, LeafRow, MeasuredOn, ModelDetails, ModelEvidence,
    ModelPropertiesEvidence, ModelPropertiesRecord, ModelRowsEvidence, ModelRunRecord, ModelSuiteRecord, MutantFate,
    MutantFigures, NotCompared, NotJudged, NotJudgedReason, PropertyEvidence, PropertyFigures, Reached, ReferenceKind,
    ReferenceRecord, RefusedTest, RegionEvidence, SampleQuantiles, SeedsUsed, SiteEvidence, SiteFindingEvidence,
    SiteMutants, SiteRow, StoppedBy, SubjectEvidence, SuiteDifference, SuiteFigures, SurrogateFigures, SuspicionRecord,
    SuspicionsRecord, TestFindingEvidence, TotalFigures, UntestedLeaves, VerificationBegun,
};
pub use exit::Exit;
pub use finding::{Finding, stable_id};
pub use format::Format;
pub use inventory::{
    AnnotatedRow, FailedFile, Inventory, InventoryBound, InventorySite, NotUnderstoodRow, RandomLikelihood, SeedState,
};
pub use kind::{FindingKind, Severity};
pub use record_error::{RecordError, SCHEMA_VERSION};
pub use subject::Subject;
pub use text::{BOLD, DIM, bars, percent, short, thousands, without_colour};
pub use verdict::{Doubt, Evaluations, SubjectProblem, Verdict};

impl Document {
    /// The document in one of its forms. `text` is how a person reads it.
    ///
    /// # Errors
    /// When a part has no JSON form, which only a mistake of ours can cause.
    pub fn render(&self, format: Format, text: impl FnOnce() -> String) -> Result<String, serde_json::Error> {
        Ok(match format {
            Format::Text => text(),
            Format::Json => self.to_json()?,
            Format::Md => markdown::render(self, &without_colour(&text())),
            Format::Github => github::render(self, &without_colour(&text())),
            Format::Sarif => serde_json::to_string_pretty(&sarif::render(self))? + "\n",
            Format::Junit => junit::render(self),
            Format::Html => html::render(self, &without_colour(&text())),
        })
    }
}
