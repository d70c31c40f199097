//! `--emit`: tests that guard a model. A folder gets a pytest file with one test a leaf, which compares with what was recorded;
//! `hypothesis` gives the form of Durelli et al.: one file a criterion, one property test a leaf.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use temper_model::boundary::interval_ends::IntervalEnd;
use temper_model::explain::property_text::{property_in_words, rule_in_words};
use temper_model::inputs::{Criterion, InputMode, InputSettings, InputSuite, Inputs, Published};
use temper_model::judge::baseline::Baseline;
use temper_model::mersenne::RandomState;
use temper_model::record::{ExaminedModel, cell};
use temper_model::subject::worker_model::ModelSource;
use temper_model::{Column, ColumnKind, Label};

use super::keep::{python_cell, python_text};
use super::setup::{Opened, failure};
use crate::args::Model;
use crate::commands::{CommandContext, cannot_write};
use crate::message::Failure;

const GUARD: &str = include_str!("guard.py.txt");
const PUBLISHED: &str = include_str!("published.py.txt");

/// Inputs that a leaf's test keeps: enough to notice a tenth of them failing, few enough for a file in a repository.
const KEPT_INPUTS: usize = 50;

/// Chance that any test of a leaf fails although the model fails there as often as recorded.
const LEVEL: f64 = 0.05;

/// Writes what was asked for, and says which files were written.
pub fn write(
    context: &CommandContext<'_>,
    arguments: &Model,
    found: &ExaminedModel,
    opened: &Opened,
) -> Result<Vec<String>, Failure> {
    let is_form = |text: &&String| *text == "hypothesis";
    let folder = arguments.emit.iter().find(|text| !is_form(text)).map_or("tests", String::as_str);
    let folder = context.current.join(folder);
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let name = file_name(&opened.path);
    if arguments.emit.iter().any(|text| !is_form(&text)) {
        files.push((folder.join(format!("test_model_{name}.py")), guard(context, &folder, &name, opened)));
        files.push((folder.join(format!("test_model_{name}.json")), recorded(found, opened)));
    }
    if arguments.emit.iter().any(|text| is_form(&text)) {
        for (criterion, word) in [(Criterion::Coverage, "dtc"), (Criterion::Boundary, "bva")] {
            let text = published(context, &folder, found, opened, criterion, arguments)?;
            files.push((folder.join(format!("test_{name}_{word}.py")), text));
        }
    }
    let mut written = Vec::new();
    for (path, text) in files {
        let shown = context.shown(&path);
        let made = temper_files::write_output_with_folders(&path, text.as_bytes());
        made.map_err(|error| cannot_write(&shown, &error.reason()))?;
        written.push(shown);
    }
    Ok(written)
}

/// The table's name as part of a Python file name.
fn file_name(path: &str) -> String {
    let stem = Path::new(path).file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    stem.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' }).collect()
}

fn guard(context: &CommandContext<'_>, folder: &Path, name: &str, opened: &Opened) -> String {
    GUARD.replace("@MODEL@", &loads(context, folder, opened)).replace("@NAME@", name)
}

/// A function that gives the model, as Python source.
fn loads(context: &CommandContext<'_>, folder: &Path, opened: &Opened) -> String {
    // From the file to the project, so that it works wherever the project is checked out.
    let up = folder.strip_prefix(&context.root).map_or(0, |below| below.components().count());
    let root = format!("pathlib.Path(__file__).resolve().parents[{up}]");
    let below = |path: &Path| python_text(&path.strip_prefix(&context.root).unwrap_or(path).display().to_string());
    match &opened.source {
        ModelSource::File(path) => {
            format!("def load():\n    import joblib\n\n    return joblib.load({root} / {})\n", below(path))
        }
        ModelSource::Callable(name) => {
            let (module, attribute) = name.split_once(':').unwrap_or((name, "predict"));
            format!(
                "def load():\n    import importlib\n    import operator\n\n    return operator.attrgetter({})(importlib.import_module({}))\n",
                python_text(attribute),
                python_text(module)
            )
        }
        ModelSource::Train(text) => {
            let (module, made) = text.split_once(':').unwrap_or((text, ""));
            format!(
                "def load():\n    import importlib\n\n    import pandas\n\n    table = pandas.read_csv({root} / {})\n    model = eval({}, dict(vars(importlib.import_module({}))))\n    rows = table.drop(columns=[{target}])\n    rows = rows if rows.dtypes.map(str).isin([\"object\", \"str\"]).any() else rows.to_numpy(dtype=float)\n    return model.fit(rows, table[{target}].to_numpy())\n",
                python_text(&opened.path),
                python_text(made),
                python_text(module),
                target = python_text(&opened.data.target),
            )
        }
    }
}

/// The inputs of every tested leaf, what is expected of them, and how many may fail.
fn recorded(found: &ExaminedModel, opened: &Opened) -> String {
    let assessment = &found.assessment;
    let suites = [(&assessment.coverage.0, &assessment.coverage.1), (&assessment.boundary.0, &assessment.boundary.1)];
    let columns = &opened.data.schema.columns;
    let mut leaves = Vec::new();
    for result in &assessment.leaves {
        let all: Vec<(&InputSuite, usize, bool)> = suites
            .iter()
            .flat_map(|(suite, run)| {
                let own = (0..run.predicted.len()).filter(|&at| suite.leaf[at] == result.leaf);
                own.map(|at| (*suite, at, run.predicted[at] != suite.expected[at]))
            })
            .collect();
        let kept: Vec<_> =
            (0..all.len().min(KEPT_INPUTS)).map(|at| all[at * all.len() / all.len().min(KEPT_INPUTS)]).collect();
        let failures = kept.iter().filter(|(_, _, fails)| *fails).count();
        let rows: Vec<Vec<Value>> = kept
            .iter()
            .map(|(suite, at, _)| {
                columns.iter().zip(suite.rows.row(*at)).map(|(column, value)| cell(column, *value)).collect()
            })
            .collect();
        let leaf = &assessment.surrogate.leaves[result.leaf];
        leaves.push(json!({
            "id": temper_model::assess::leaf_id(leaf, &opened.data),
            "property": rule_in_words(leaf, &opened.data),
            "expected": label(&opened.data.classes[leaf.class]),
            "recorded_failures": failures,
            "allowed_failures": allowed(failures, kept.len(), &found.baseline, assessment.leaves.len()),
            "inputs": rows,
        }));
    }
    let kinds = columns.iter().map(|column| json!({ "name": column.name, "is_text": column.is_text() }));
    let document = json!({ "columns": kinds.collect::<Vec<_>>(), "leaves": leaves });
    format!("{document}\n")
}

/// The most failures that chance explains: for a model that fails in the leaf as recorded, or as it does on real rows.
fn allowed(failures: usize, inputs: usize, baseline: &Baseline, leaves: usize) -> usize {
    let usual = (baseline.rate() * inputs as f64).round() as usize;
    let then = Baseline { errors: failures.max(usual), rows: inputs, ..*baseline };
    let is_too_many = |count: &usize| then.p_value(*count, inputs) <= LEVEL / leaves.max(1) as f64;
    (failures + 1..=inputs).find(is_too_many).map_or(inputs, |count| count - 1)
}

fn label(label: &Label) -> Value {
    match label {
        Label::Boolean(value) => json!(value),
        Label::Integer(value) => json!(value),
        Label::Float(value) => json!(value),
        Label::Text(value) => json!(value),
    }
}

fn published(
    context: &CommandContext<'_>,
    folder: &Path,
    found: &ExaminedModel,
    opened: &Opened,
    criterion: Criterion,
    arguments: &Model,
) -> Result<String, Failure> {
    let data = &opened.data;
    let chosen = [IntervalEnd::Lower, IntervalEnd::Upper][RandomState::like_python(found.seed as u32).choose_of_two()];
    let settings = InputSettings {
        mode: InputMode::Paper { free_values: arguments.free_values as usize, chosen },
        slice_percent: arguments.slice,
        seed: found.seed,
        ..InputSettings::default()
    };
    let surrogate = &found.assessment.surrogate;
    let inputs = Inputs::new(surrogate, data, &settings).map_err(failure)?;
    let mut tests = String::new();
    let names: Vec<String> = (0..data.schema.columns.len()).map(|index| format!("x{index}")).collect();
    for (position, leaf) in surrogate.leaves.iter().enumerate() {
        let cells = inputs.published(position, criterion).filter(|_| !leaf.is_tied);
        let columns = data.schema.columns.iter();
        let drawn: Option<Vec<String>> =
            cells.and_then(|cells| columns.zip(cells).map(|(column, cell)| strategy(column, &cell)).collect());
        let Some(drawn) = drawn else { continue };
        let _ = write!(
            tests,
            "\n\n@SETTINGS\n@given(\n    {},\n)\ndef test_leaf_{}({}):\n    {}\n    assert answer([{}]) == {}\n",
            drawn.join(",\n    "),
            leaf.id,
            names.join(", "),
            python_text(&property_in_words(leaf, data)),
            names.join(", "),
            python_label(&data.classes[leaf.class]),
        );
    }
    let columns: Vec<String> = data.schema.columns.iter().map(|column| python_text(&column.name)).collect();
    let has_text = data.schema.columns.iter().any(Column::is_text);
    Ok(PUBLISHED
        .replace("@MODEL@", &loads(context, folder, opened))
        .replace("@COLUMNS@", &columns.join(", "))
        .replace("@HAS_TEXT@", if has_text { "True" } else { "False" })
        .replace("@DRAWS@", &arguments.draws.to_string())
        + &tests)
}

/// What Hypothesis draws a cell from; `None` when the column has no value there.
fn strategy(column: &Column, cell: &Published) -> Option<String> {
    let listed = |values: &[f64]| {
        let cells: Vec<String> = values.iter().map(|value| python_cell(column, *value)).collect();
        (!cells.is_empty()).then(|| format!("st.sampled_from([{}])", cells.join(", ")))
    };
    let (lo, hi, excludes_lo) = match cell {
        Published::OneOf(values) => return listed(values),
        Published::Between { lo, hi, excludes_lo } => (*lo, *hi, *excludes_lo),
    };
    match &column.kind {
        ColumnKind::Float => {
            let exclude = if excludes_lo { ", exclude_min=True" } else { "" };
            Some(format!("st.floats(min_value={lo:?}, max_value={hi:?}{exclude})"))
        }
        ColumnKind::Integer => {
            let least = if excludes_lo { lo.floor() + 1.0 } else { lo.ceil() };
            (least <= hi.floor()).then(|| format!("st.integers(min_value={least}, max_value={})", hi.floor()))
        }
        ColumnKind::Moment(_) => listed(&[lo, hi]),
        ColumnKind::Boolean | ColumnKind::Category(_) => {
            let last = column.max as usize;
            let inside = |code: &f64| (if excludes_lo { *code > lo } else { *code >= lo }) && *code <= hi;
            let codes: Vec<f64> = (0..=last).map(|code| code as f64).filter(inside).collect();
            listed(&codes)
        }
    }
}

fn python_label(label: &Label) -> String {
    match label {
        Label::Text(text) => python_text(text),
        other => other.to_string(),
    }
}
