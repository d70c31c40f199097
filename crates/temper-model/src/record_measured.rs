//! What was measured region by region, as the record of a run: distances of answers, probabilities, rows of two tables.

use serde_json::json;
use temper_report::{
    ClosestInput, Details, Document, Finding, FindingEvidence, FindingKind, MeasuredModelRecord, MeasuredRegion,
    ModelDetails, ModelMeasure, ModelMeasureEvidence, Subject, SubjectEvidence, Verdict, stable_id,
};

use crate::calibration::JudgedPromises;
use crate::data::dataset::Dataset;
use crate::data::schema::Schema;
use crate::distances::JudgedDistances;
use crate::drift::MovedSpot;
use crate::judge::baseline::BaselineOrigin;
use crate::judge_model::FEWEST_ROWS;
use crate::record::{cells, measured_on};
use crate::record_rows::doubt;
use crate::regions::measured::{MeasuredJudgement, MeasuredTest};

/// What the user named, and the run.
pub struct MeasuredRun<'a> {
    /// The table; for drift the older one.
    pub path: &'a str,
    /// The model; for drift the newer table.
    pub name: &'a str,
    /// The seed of everything that was drawn.
    pub seed: u64,
    /// The version of the project's Python.
    pub python: Option<&'a str>,
}

/// The record of a model of a quantity.
pub fn distances_document(judged: &JudgedDistances<'_>, run: &MeasuredRun<'_>) -> Document {
    let rows = judged.rows;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let regions = |tests: &[MeasuredTest]| tests.iter().map(|test| region(test, &rows.schema)).collect::<Vec<_>>();
    let mut found = regions(&judged.judgement.found);
    for (region, test) in found.iter_mut().zip(&judged.judgement.found) {
        region.is_more = true;
        region.example = judged.example(test).map(|pair| example(judged, pair));
    }
    let evidence = ModelMeasureEvidence {
        rows: rows.rows(),
        measured: mean(&judged.off),
        expected: mean(&judged.reference_off),
        margin: judged.margin,
    };
    let record = MeasuredModelRecord {
        measure: ModelMeasure::Quantity,
        data: run.path.to_owned(),
        target: rows.target.clone(),
        reference: judged.reference.clone(),
        origin: Some(measured_on(judged.origin)),
        columns: rows.schema.columns.iter().map(|column| column.name.clone()).chain([rows.target.clone()]).collect(),
        difference: judged.difference,
        tests: judged.judgement.tests,
        weak_spots: regions(&judged.weak_spots),
    };
    let verdict = verdict(&found, rows.rows(), judged.origin);
    document(record, (verdict, evidence), found, run)
}

/// The record of a model's probabilities.
pub fn promises_document(judged: &JudgedPromises<'_>, run: &MeasuredRun<'_>) -> Document {
    let rows = judged.rows;
    let count = judged.promises.len().max(1) as f64;
    let said = judged.promises.iter().map(|promise| promise.said).sum::<f64>() / count;
    let is_so = judged.promises.iter().filter(|promise| promise.is_so).count() as f64 / count;
    let evidence = ModelMeasureEvidence { rows: rows.rows(), measured: is_so, expected: said, margin: judged.margin };
    let found = judged.judgement.found.iter().map(|test| region(test, &judged.schema)).collect::<Vec<_>>();
    let record = MeasuredModelRecord {
        measure: ModelMeasure::Calibration,
        data: run.path.to_owned(),
        target: rows.target.clone(),
        reference: judged.event.clone(),
        origin: Some(measured_on(judged.origin)),
        columns: rows.schema.columns.iter().map(|column| column.name.clone()).collect(),
        difference: judged.difference,
        tests: judged.judgement.tests,
        weak_spots: Vec::new(),
    };
    let verdict = verdict(&found, rows.rows(), judged.origin);
    document(record, (verdict, evidence), found, run)
}

/// Two tables that were compared.
pub struct ComparedTables<'a> {
    /// The rows of both.
    pub rows: &'a Dataset,
    /// Where they differ.
    pub judgement: &'a MeasuredJudgement,
    /// The weak spots of a model, and what their columns mean.
    pub spots: Option<(&'a [MovedSpot], &'a Schema)>,
    /// The share of the rows by which a region may have changed.
    pub margin: f64,
}

/// The record of two tables.
pub fn drift_document(compared: &ComparedTables<'_>, run: &MeasuredRun<'_>) -> Document {
    let rows = compared.rows;
    let newer = rows.labels.iter().filter(|&&label| label == 1).count();
    let older = rows.rows() - newer;
    let found: Vec<MeasuredRegion> = compared.judgement.found.iter().map(|test| region(test, &rows.schema)).collect();
    let spot = |schema: &Schema, spot: &MovedSpot| {
        let is_more = spot.test.shown.p_value <= 0.05;
        MeasuredRegion { error: Some(spot.error), is_more, ..region(&spot.test, schema) }
    };
    let weak_spots = compared.spots.map(|(spots, schema)| spots.iter().map(|each| spot(schema, each)).collect());
    let record = MeasuredModelRecord {
        measure: ModelMeasure::Drift,
        data: run.path.to_owned(),
        target: rows.target.clone(),
        reference: run.name.to_owned(),
        origin: None,
        columns: rows.schema.columns.iter().map(|column| column.name.clone()).collect(),
        difference: [0.0; 3],
        tests: compared.judgement.tests,
        weak_spots: weak_spots.unwrap_or_default(),
    };
    let evidence = ModelMeasureEvidence {
        rows: rows.rows(),
        measured: newer as f64,
        expected: older as f64,
        margin: compared.margin,
    };
    let verdict = verdict(&found, newer.min(older), BaselineOrigin::Unseen);
    document(record, (verdict, evidence), found, run)
}

fn verdict(found: &[MeasuredRegion], rows: usize, origin: BaselineOrigin) -> Verdict {
    if !found.is_empty() {
        Verdict::Found
    } else if rows < FEWEST_ROWS {
        doubt("there are fewer than 30 rows", "give more rows")
    } else if origin == BaselineOrigin::GivenRows {
        doubt(
            "the model may have been trained on these rows, which it then answers better than others",
            "give others with `--holdout FILE`, or say `--unseen` if it was not",
        )
    } else {
        Verdict::clean(rows as u64)
    }
}

fn document(
    record: MeasuredModelRecord,
    (verdict, evidence): (Verdict, ModelMeasureEvidence),
    found: Vec<MeasuredRegion>,
    run: &MeasuredRun<'_>,
) -> Document {
    let (kind, letter) = match record.measure {
        ModelMeasure::Quantity => (FindingKind::Distance, 'Q'),
        ModelMeasure::Calibration => (FindingKind::Calibration, 'C'),
        ModelMeasure::Drift => (FindingKind::Drift, 'D'),
    };
    let finding = |found: MeasuredRegion| Finding {
        id: format!("{letter}{}", stable_id(&[&record.target, &found.condition], &[])),
        kind,
        subject: run.name.to_owned(),
        path: run.path.to_owned(),
        line: 1,
        message: message(&record, &found),
        evidence: FindingEvidence::Measured(Box::new(found)),
        exception: None,
        call: None,
        seed: Some(run.seed),
        patch: None,
    };
    let findings = found.into_iter().map(finding).collect();
    let mut document = Document::new(Details::Model { model: ModelDetails::Measured(Box::new(record)) });
    document.seed = Some(run.seed);
    document.versions.extend(run.python.map(|version| ("python".to_owned(), version.to_owned())));
    let (name, path) = (run.name.to_owned(), run.path.to_owned());
    document.subjects.push(Subject { name, path, line: 1, verdict, evidence: SubjectEvidence::ModelMeasure(evidence) });
    document.findings = findings;
    document
}

fn message(record: &MeasuredModelRecord, found: &MeasuredRegion) -> String {
    let MeasuredRegion { condition, measured: [_, measured, _], expected, .. } = found;
    let percent = |share: &f64| format!("{:.1} %", 100.0 * share);
    match record.measure {
        ModelMeasure::Quantity => {
            format!(
                "further off than {} on `{condition}`: by {measured:.4}, the reference by {expected:.4}",
                record.reference
            )
        }
        ModelMeasure::Calibration => {
            let (said, is_so) = (percent(expected), percent(measured));
            format!("says {said} on `{condition}`, and {} on {is_so}", record.reference)
        }
        ModelMeasure::Drift => {
            format!("`{condition}` has {} of the rows, before {}", percent(measured), percent(expected))
        }
    }
}

fn region(test: &MeasuredTest, schema: &Schema) -> MeasuredRegion {
    MeasuredRegion {
        condition: test.region.in_words(schema),
        affected: test.affected,
        rows: test.rows,
        measured: test.shown.measured,
        expected: test.shown.expected,
        elsewhere: test.elsewhere,
        is_more: test.direction == 0,
        error: None,
        p_value: test.shown.p_value,
        example: None,
    }
}

/// Two rows with their target and what the model says.
fn example(judged: &JudgedDistances<'_>, (row, nearest): (usize, usize)) -> ClosestInput {
    let data = judged.rows;
    let shown = |row: usize| {
        let mut shown = cells(data, data.features.row(row));
        let target = data.quantity.as_ref().map(|values| values[row]);
        shown.insert(data.target.clone(), json!(target));
        shown
    };
    let columns = data.schema.columns.iter().enumerate();
    let (one, other) = (data.features.row(row), data.features.row(nearest));
    let differs = columns.filter(|(at, column)| column.is_telling() && one[*at] != other[*at]);
    let answer =
        |row: usize| format!("{:.6}", judged.answers[row]).trim_end_matches('0').trim_end_matches('.').to_owned();
    ClosestInput {
        input: shown(row),
        predicted: answer(row),
        expected: answer(nearest),
        nearest_row: nearest + 1,
        nearest: shown(nearest),
        differs: differs.map(|(_, column)| column.name.clone()).collect(),
    }
}
