//! What was found about a model on real rows, as the record of a run.

use temper_report::{
    BaselineFigures, ClosestInput, Details, Document, ErrorMapRecord, ErrorNodeRecord, Finding, FindingEvidence,
    FindingKind, JudgedModelRecord, KeptCell, KeptErrors, ModelDetails, ModelRowsEvidence, ReferenceKind,
    ReferenceRecord, RegionEvidence, Subject, SubjectEvidence, SuspicionRecord, SuspicionsRecord, Verdict, stable_id,
};
use temper_stats::Confidence;
use temper_stats::interval::wilson;

use crate::data::dataset::Dataset;
use crate::explain::property_text::property_in_words;
use crate::judge::baseline::BaselineOrigin;
use crate::judge_model::{ComparedWith, FEWEST_ROWS, JudgedModel, RowFinding};
use crate::mutants::detection::Challenge;
use crate::record::{cells, measured_on, mutant_figures};
use crate::regions::error_map::{ErrorMap, ErrorNode};
use crate::regions::judge_rows::RegionTest;
use crate::regions::saved_figures::{ErrorCell, SavedFigures};
use crate::suspicions::{SuspectInput, Suspicion, Suspicions};

/// What the record says apart from the judgement.
pub struct RowsRecord<'a> {
    /// The judgement.
    pub judged: &'a JudgedModel<'a>,
    /// The table, as the user named it.
    pub path: &'a str,
    /// The model, as the user named it.
    pub model: &'a str,
    /// The seed of everything that was drawn.
    pub seed: u64,
    /// Whether findings are kept for `temper replay`.
    pub is_kept: bool,
    /// What inputs around the rows of a table showed.
    pub suspicions: Option<(&'a Suspicions, &'a Dataset)>,
    /// The results of mutants of the model.
    pub mutants: Option<&'a Challenge>,
}

/// The record of one run.
pub fn judged_document(record: RowsRecord<'_>, python: Option<&str>) -> Document {
    let details = ModelDetails::Judged(Box::new(record.details()));
    let mut document = Document::new(Details::Model { model: details });
    document.seed = Some(record.seed);
    document.versions.extend(python.map(|version| ("python".to_owned(), version.to_owned())));
    document.subjects.push(record.subject());
    document.findings = record.judged.findings.iter().map(|finding| record.finding(finding)).collect();
    document
}

/// The name of a finding, the same in every run that finds the same region.
pub fn finding_id(finding: &RowFinding, data: &Dataset) -> String {
    format!("R{}", stable_id(&[&data.target, &finding.test.counts.region.in_words(&data.schema)], &[]))
}

impl RowsRecord<'_> {
    fn subject(&self) -> Subject {
        let judged = self.judged;
        let counts = &judged.judgement.overall.counts;
        let verdict = if !judged.findings.is_empty() {
            Verdict::Found
        } else if counts.rows < FEWEST_ROWS {
            doubt("there are fewer than 30 rows", "give more rows that the model has not seen")
        } else if judged.origin == BaselineOrigin::GivenRows {
            doubt(
                "the model may have been trained on these rows, on which it then errs less than on others",
                "give others with `--holdout FILE`, or say `--unseen` if it was not",
            )
        } else {
            Verdict::clean(counts.rows as u64)
        };
        let evidence = ModelRowsEvidence {
            rows: counts.rows,
            errors: counts.errors,
            reference_errors: counts.reference_errors,
            margin: judged.margin,
        };
        let (name, path) = (self.model.to_owned(), self.path.to_owned());
        Subject { name, path, line: 1, verdict, evidence: SubjectEvidence::ModelRows(evidence) }
    }

    fn details(&self) -> JudgedModelRecord {
        let judged = self.judged;
        let data = &judged.rows;
        let counts = &judged.judgement.overall.counts;
        let saved = SavedFigures::of(data, &judged.wrong);
        JudgedModelRecord {
            data: self.path.to_owned(),
            target: data.target.clone(),
            rows: judged.given,
            columns: data.schema.columns.iter().map(|column| column.name.clone()).collect(),
            classes: data.classes.iter().map(ToString::to_string).collect(),
            judged_on: BaselineFigures { origin: measured_on(judged.origin), errors: counts.errors, rows: counts.rows },
            reference: ReferenceRecord { kind: reference_kind(judged.compared_with), name: judged.reference.clone() },
            difference: judged.difference,
            tests: judged.judgement.tests,
            weak_spots: judged.weak_spots.iter().map(|spot| self.region(spot, None, None)).collect(),
            tree: judged.tree.iter().map(|node| self.node(node)).collect(),
            kept: KeptErrors {
                digest: saved.digest,
                wrong: saved.wrong,
                cells: saved.cells.into_iter().map(kept_cell).collect(),
            },
            suspicions: self.suspicions.map(|(found, data)| suspicions_record(found, data)),
            mutants: self.mutants.map(|mutants| mutant_figures(mutants, data)),
            replayable: self.is_kept,
        }
    }

    fn finding(&self, finding: &RowFinding) -> Finding {
        let evidence = self.region(&finding.test, self.example(finding), finding.map.as_ref());
        let message = format!(
            "worse than {} on `{}`: error {:.1} %, of the reference {:.1} %",
            self.judged.reference,
            evidence.condition,
            100.0 * evidence.error[1],
            100.0 * evidence.reference_errors as f64 / evidence.rows.max(1) as f64
        );
        Finding {
            id: finding_id(finding, &self.judged.rows),
            kind: FindingKind::Region,
            subject: self.model.to_owned(),
            path: self.path.to_owned(),
            line: 1,
            message,
            evidence: FindingEvidence::Region(Box::new(evidence)),
            exception: None,
            call: None,
            seed: Some(self.seed),
            patch: None,
        }
    }

    fn region(&self, test: &RegionTest, example: Option<ClosestInput>, map: Option<&ErrorMap>) -> RegionEvidence {
        let counts = &test.counts;
        let error = wilson(counts.errors, counts.rows, Confidence::STANDARD);
        let (errors, rows) = counts.elsewhere;
        RegionEvidence {
            condition: counts.region.in_words(&self.judged.rows.schema),
            affected: test.affected,
            rows: counts.rows,
            errors: counts.errors,
            reference_errors: counts.reference_errors,
            error: error.map_or([0.0; 3], |error| [error.low, error.share, error.high]),
            elsewhere: (rows > 0).then(|| errors as f64 / rows as f64),
            p_value: test.p_value,
            example,
            map: map.map(|map| self.map(map)),
        }
    }

    fn has_reference_rows(&self) -> bool {
        self.judged.compared_with != ComparedWith::OtherRows
    }

    fn map(&self, map: &ErrorMap) -> ErrorMapRecord {
        let counts = |at: usize| map.cells.iter().map(|row| row.iter().map(|cell| cell[at]).collect()).collect();
        let [across, down] = map.parts.clone();
        ErrorMapRecord {
            columns: map.columns.map(|column| self.judged.rows.schema.columns[column].name.clone()),
            across,
            down,
            rows: counts(0),
            errors: counts(1),
            reference_errors: self.has_reference_rows().then(|| counts(2)),
        }
    }

    fn node(&self, node: &ErrorNode) -> ErrorNodeRecord {
        ErrorNodeRecord {
            depth: node.depth,
            condition: node.counts.region.in_words(&self.judged.rows.schema),
            rows: node.counts.rows,
            errors: node.counts.errors,
            reference_errors: self.has_reference_rows().then_some(node.counts.reference_errors),
        }
    }

    /// The example of a finding. A row that no right one is near is compared with nothing, and then not shown.
    fn example(&self, finding: &RowFinding) -> Option<ClosestInput> {
        let example = finding.example?;
        let nearest = example.nearest?;
        let data = &self.judged.rows;
        let (row, other) = (data.features.row(example.row), data.features.row(nearest));
        let columns = data.schema.columns.iter().enumerate();
        Some(ClosestInput {
            input: cells(data, row),
            expected: data.classes[data.labels[example.row]].to_string(),
            predicted: data.classes[self.judged.predicted[example.row]].to_string(),
            nearest_row: nearest + 1,
            nearest: cells(data, other),
            differs: columns
                .filter(|(at, column)| column.is_telling() && row[*at] != other[*at])
                .map(|(_, column)| column.name.clone())
                .collect(),
        })
    }
}

pub(crate) fn doubt(reason: &str, hint: &str) -> Verdict {
    Verdict::Undecided(temper_report::Doubt { reason: reason.to_owned(), hint: Some(hint.to_owned()) })
}

fn suspicions_record(found: &Suspicions, data: &Dataset) -> SuspicionsRecord {
    let one = |each: &Suspicion| {
        let SuspectInput { input, expected, predicted, row } = &each.example;
        let own = data.features.row(*row);
        let columns = data.schema.columns.iter().enumerate();
        SuspicionRecord {
            property: property_in_words(&each.leaf, data),
            sources: each.sources,
            failing_sources: each.failing_sources,
            inputs: each.inputs,
            failures: each.failures,
            p_value: each.p_value,
            closest: Some(ClosestInput {
                input: cells(data, input),
                expected: data.classes[*expected].to_string(),
                predicted: data.classes[*predicted].to_string(),
                nearest_row: row + 1,
                nearest: cells(data, own),
                differs: columns
                    .filter(|(at, _)| input[*at] != own[*at])
                    .map(|(_, column)| column.name.clone())
                    .collect(),
            }),
        }
    };
    SuspicionsRecord { inputs: found.inputs, leaves: found.leaves, found: found.found.iter().map(one).collect() }
}

fn reference_kind(compared_with: ComparedWith) -> ReferenceKind {
    match compared_with {
        ComparedWith::Model => ReferenceKind::Model,
        ComparedWith::SameRows => ReferenceKind::SameRows,
        ComparedWith::OtherRows => ReferenceKind::OtherRows,
        ComparedWith::Challenger => ReferenceKind::Challenger,
    }
}

fn kept_cell(cell: ErrorCell) -> KeptCell {
    let ErrorCell { column, above, up_to, category, rows, errors } = cell;
    KeptCell { column, above, up_to, category, rows, errors }
}

/// What a report has kept, if it is one on a model that was judged on real rows.
pub fn saved_figures(document: &Document) -> Option<SavedFigures> {
    let Details::Model { model: ModelDetails::Judged(record) } = &document.details else { return None };
    let cell = |KeptCell { column, above, up_to, category, rows, errors }: KeptCell| ErrorCell {
        column,
        above,
        up_to,
        category,
        rows,
        errors,
    };
    Some(SavedFigures {
        digest: record.kept.digest.clone(),
        wrong: record.kept.wrong.clone(),
        rows: record.judged_on.rows,
        errors: record.judged_on.errors,
        cells: record.kept.cells.iter().cloned().map(cell).collect(),
    })
}
