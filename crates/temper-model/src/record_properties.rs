//! Properties of a model, as the record of a run.

use temper_report::{
    ClosestInput, Details, Document, Finding, FindingEvidence, FindingKind, ModelDetails, ModelPropertiesEvidence,
    ModelPropertiesRecord, PropertyEvidence, PropertyFigures, Subject, SubjectEvidence, Verdict, stable_id,
};

use crate::data::dataset::Dataset;
use crate::properties::{BreakingPair, PropertyResult};
use crate::record::cells;

/// The record of one run. `path` and `model` are as the user named them; suggested properties are those that hold.
pub fn properties_document(
    results: &[PropertyResult],
    data: &Dataset,
    (path, model): (&str, &str),
    (seed, python): (u64, Option<&str>),
    is_suggested: bool,
) -> Document {
    let figures = |result: &PropertyResult| PropertyFigures {
        property: result.property.in_words(data),
        pairs: result.pairs,
        broken: result.broken,
        written: result.property.written(data),
    };
    let record = ModelPropertiesRecord {
        data: path.to_owned(),
        columns: data.schema.columns.iter().map(|column| column.name.clone()).collect(),
        properties: results.iter().map(figures).collect(),
        suggested: is_suggested,
    };
    let mut document = Document::new(Details::Model { model: ModelDetails::Properties(record) });
    document.seed = Some(seed);
    document.versions.extend(python.map(|version| ("python".to_owned(), version.to_owned())));
    let findings = results.iter().filter_map(|result| finding(result, data, (path, model), seed));
    document.findings = findings.collect();
    document.subjects.push(subject(results, (path, model), !document.findings.is_empty()));
    document
}

/// A property for which no pair could be made is not decided.
fn subject(results: &[PropertyResult], (path, model): (&str, &str), is_found: bool) -> Subject {
    let pairs = results.iter().map(|result| result.pairs).sum();
    let verdict = if is_found {
        Verdict::Found
    } else if results.is_empty() {
        Verdict::undecided("no property holds that says something")
    } else if results.iter().any(|result| result.pairs == 0) {
        Verdict::undecided("the rows give no pair of inputs for a property")
    } else {
        Verdict::clean(pairs as u64)
    };
    let evidence = SubjectEvidence::ModelProperties(ModelPropertiesEvidence { pairs });
    Subject { name: model.to_owned(), path: path.to_owned(), line: 1, verdict, evidence }
}

fn finding(result: &PropertyResult, data: &Dataset, (path, model): (&str, &str), seed: u64) -> Option<Finding> {
    let BreakingPair { inputs, answers, .. } = result.closest.as_ref()?;
    let property = result.property.in_words(data);
    let columns = data.schema.columns.iter().enumerate();
    let differs = columns.filter(|(at, _)| inputs[0][*at] != inputs[1][*at]).map(|(_, column)| column.name.clone());
    let example = ClosestInput {
        input: cells(data, &inputs[0]),
        predicted: data.classes[answers[0]].to_string(),
        expected: data.classes[answers[1]].to_string(),
        // The other input is no row of the table.
        nearest_row: 0,
        nearest: cells(data, &inputs[1]),
        differs: differs.collect(),
    };
    let PropertyResult { pairs, broken, .. } = *result;
    Some(Finding {
        id: format!("P{}", stable_id(&[&data.target, &property], &[])),
        kind: FindingKind::Property,
        subject: model.to_owned(),
        path: path.to_owned(),
        line: 1,
        message: format!("not {property}: {broken} of {pairs} pairs of inputs break it"),
        evidence: FindingEvidence::Property(Box::new(PropertyEvidence { property, pairs, broken, example })),
        exception: None,
        call: None,
        seed: Some(seed),
        patch: None,
    })
}
