//! Internal: the one record of what was found, and everything that is a function of it. Jobs build subjects with their
//! verdicts and findings with their evidence. The document that holds them is saved, printed as text or in another form
//! (`--format`; docs/reference/report.schema.json describes the JSON one), and decides the exit code of the run.

mod acceptance;
mod decide_exit;
mod details;
mod document;
mod evidence;
mod exit;
mod explain;
mod finding;
mod format;
mod github;
mod gitlab;
mod inventory;
mod junit;
mod kind;
mod known_findings;
mod markdown;
mod markup;
mod page;
mod record_error;
mod render;
mod report;
#[cfg(test)]
mod sample;
mod sarif;
mod subject;
mod text;
mod verdict;

pub use acceptance::{AcceptanceReason, Accepted};
pub use details::{Details, PythonRow, SettingRow};
pub use document::Document;
pub use evidence::{
    AgreementFigures, AnsweredBy, AverageFigures, BaselineFigures, BoundSide, BoundsDetails, BoundsMutants,
    CallEvidence, CheckEvidence, ClosestInput, CounterexampleEvidence, DriftRecord, ErrorMapRecord, ErrorNodeRecord,
    FailureRate, FindingEvidence, JudgedModelRecord, KeptCell, KeptErrors, KillableMutant, LeafCondition, LeafEvidence,
    LeafRow, MeasuredModelRecord, MeasuredOn, MeasuredRegion, ModelDetails, ModelEvidence, ModelMeasure,
    ModelMeasureEvidence, ModelPropertiesEvidence, ModelPropertiesRecord, ModelRowsEvidence, ModelRunRecord,
    ModelSuiteRecord, MutantFate, MutantFigures, NotCompared, NotJudged, NotJudgedReason, NoticedMutants, PooledRuns,
    PropertyEvidence, PropertyFigures, Reached, ReferenceKind, ReferenceRecord, RefusedTest, RegionEvidence,
    SampleQuantiles, SearchEvidence, SeedsUsed, SiteEvidence, SiteFindingEvidence, SiteMutants, SiteRow, StoppedBy,
    SubjectEvidence, SuiteDifference, SuiteFigures, SurrogateFigures, SuspicionRecord, SuspicionsRecord,
    TestFindingEvidence, TestPower, TestRecordings, TotalFigures, UntestedLeaves, VerificationBegun,
};
pub use exit::Exit;
pub use explain::{explained_words, explanation};
pub use finding::{Finding, stable_id};
pub use format::Format;
pub use inventory::{
    AnnotatedRow, FailedFile, Inventory, InventoryBound, InventorySite, NotUnderstoodRow, RandomLikelihood, SeedState,
};
pub use kind::{FindingKind, Severity};
pub use record_error::{RecordError, SCHEMA_VERSION};
pub use report::{CombinedReport, PastRun, ReportPart, ReportSurroundings};
pub use subject::Subject;
pub use text::{
    BOLD, DIM, MarkedNumber, bars, call_lines, counted, histogram, percent, short, thousands, verdict_style,
    without_colour, wrapped,
};
pub use verdict::{Doubt, Evaluations, SubjectProblem, Verdict};
