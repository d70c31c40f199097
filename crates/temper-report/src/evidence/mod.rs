//! The numbers behind verdicts and findings, typed for each job.

pub(crate) mod bounds;
mod check;
pub(crate) mod model;
mod model_details;
pub(crate) mod model_measured;
pub(crate) mod model_properties;
pub(crate) mod model_rows;
mod rate;
mod search;

pub use bounds::{
    BoundSide, BoundsDetails, BoundsMutants, DriftRecord, FailureRate, KillableMutant, NotJudged, NotJudgedReason,
    NoticedMutants, PooledRuns, RefusedTest, SampleQuantiles, SeedsUsed, SiteEvidence, SiteFindingEvidence,
    SiteMutants, SiteRow, StoppedBy, TestFindingEvidence, TestPower, TestRecordings, VerificationBegun,
};
pub use check::{CallEvidence, CheckEvidence, Reached};
pub use model::{
    AgreementFigures, AnsweredBy, AverageFigures, BaselineFigures, ClosestInput, LeafCondition, LeafEvidence, LeafRow,
    MeasuredOn, ModelEvidence, ModelRunRecord, ModelSuiteRecord, MutantFate, MutantFigures, NotCompared,
    SuiteDifference, SuiteFigures, SurrogateFigures, TotalFigures, UntestedLeaves,
};
pub use model_details::ModelDetails;
pub use model_measured::{MeasuredModelRecord, MeasuredRegion, ModelMeasure, ModelMeasureEvidence};
pub use model_properties::{ModelPropertiesEvidence, ModelPropertiesRecord, PropertyEvidence, PropertyFigures};
pub use model_rows::{
    ErrorMapRecord, ErrorNodeRecord, JudgedModelRecord, KeptCell, KeptErrors, ModelRowsEvidence, ReferenceKind,
    ReferenceRecord, RegionEvidence, SuspicionRecord, SuspicionsRecord,
};
pub use search::{CounterexampleEvidence, SearchEvidence};

use serde::Serialize;
use serde_json::{Map, Value};

/// The numbers behind the verdict on a subject.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SubjectEvidence {
    /// A function or module of `temper check`.
    Check(CheckEvidence),
    /// An assertion of `temper bounds` in one test.
    Site(Box<SiteEvidence>),
    /// A model of `temper model`, leaf by leaf.
    Model(ModelEvidence),
    /// A model of `temper model`, on real rows.
    ModelRows(ModelRowsEvidence),
    /// A model, or two tables, of `temper model`, by what was measured.
    ModelMeasure(ModelMeasureEvidence),
    /// The properties of a model of `temper model`.
    ModelProperties(ModelPropertiesEvidence),
    /// A property test.
    Search(SearchEvidence),
    /// A test of `temper bounds` that could not be judged.
    Nothing {},
}

/// The numbers behind a finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FindingEvidence {
    /// A call of `temper check`.
    Call(CallEvidence),
    /// An assertion of `temper bounds`.
    Site(Box<SiteFindingEvidence>),
    /// A leaf of `temper model`.
    Leaf(LeafEvidence),
    /// A test of `temper bounds` that fails by luck outside its approximate assertions.
    Test(TestFindingEvidence),
    /// A region of `temper model`.
    Region(Box<RegionEvidence>),
    /// A region of `temper model` in which what was measured is not as expected.
    Measured(Box<MeasuredRegion>),
    /// A property of `temper model` that does not hold.
    Property(Box<PropertyEvidence>),
    /// An input that breaks a property test.
    Counterexample(Box<CounterexampleEvidence>),
}

impl SubjectEvidence {
    /// How many evaluations it counts.
    pub fn evaluations(&self) -> u64 {
        match self {
            SubjectEvidence::Check(evidence) => evidence.valid,
            SubjectEvidence::Site(evidence) => evidence.runs as u64,
            SubjectEvidence::Model(evidence) => evidence.inputs as u64,
            SubjectEvidence::ModelRows(evidence) => evidence.rows as u64,
            SubjectEvidence::ModelMeasure(evidence) => evidence.rows as u64,
            SubjectEvidence::ModelProperties(evidence) => evidence.pairs as u64,
            SubjectEvidence::Search(evidence) => evidence.tests,
            SubjectEvidence::Nothing {} => 0,
        }
    }

    /// Seconds that the evaluations took, if they were measured.
    pub fn secs(&self) -> Option<f64> {
        match self {
            SubjectEvidence::Site(evidence) => Some(evidence.secs),
            _ => None,
        }
    }

    /// As the members of a JSON object.
    pub fn members(&self) -> Map<String, Value> {
        members(self)
    }
}

impl FindingEvidence {
    /// Whether an earlier report has the finding already, so that it fails nothing.
    pub fn is_known(&self) -> bool {
        match self {
            FindingEvidence::Call(_)
            | FindingEvidence::Site(_)
            | FindingEvidence::Test(_)
            | FindingEvidence::Region(_)
            | FindingEvidence::Measured(_)
            | FindingEvidence::Property(_)
            | FindingEvidence::Counterexample(_) => false,
            FindingEvidence::Leaf(evidence) => evidence.known,
        }
    }

    /// As the members of a JSON object.
    pub fn members(&self) -> Map<String, Value> {
        members(self)
    }
}

fn members(evidence: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(evidence) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
