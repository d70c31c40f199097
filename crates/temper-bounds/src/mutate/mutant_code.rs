//! How mutants are put in place: most as other code for live functions in the sample's own process, the rest in a project layer.
//!
//! Each mutant is compiled once, in a worker that has the project loaded (`python/temper/bounds/mutant_code.py`). What compiles
//! to the code of the original, or to that of another mutant, is no mutant of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use temper_worker::{
    Call, CallResult, CodeChanges, Edit, Flow, LayerSpec, Limits, Piece, Policy, Sight, Task, Value, Work,
};

use super::choice::Chosen;
use super::tighten::{Means, Tighten, Tightened};
use crate::sample::scheduler::BoundsError;

/// Changes compiled in one call: enough to be worth a process, few enough for all slots to have some.
const COMPILED_AT_ONCE: usize = 100;

/// How a mutant is put in place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MutantForm {
    /// Other code for live functions, after the fork.
    Replaced(Arc<CodeChanges>),
    /// A project layer that is loaded for it.
    Loaded,
}

/// The layer in which live functions get other code: the probed project, contained as mutants are.
pub(super) fn layer(probed: &LayerSpec, sight: Sight) -> Arc<LayerSpec> {
    let policy = Policy { sight, ..Policy::contained() };
    Arc::new(LayerSpec { policy, keeps_functions: true, ..probed.clone() })
}

/// What the worker says about a change.
enum Compiled {
    Same,
    New { digest: String, form: MutantForm, reason: Option<String> },
}

/// Compiles the chosen mutants, leaves out those that are none, and says for the others how they are put in place. Their indices change.
pub(super) fn compile(
    means: &mut Means<'_>,
    tighten: &Tighten,
    layer: &Arc<LayerSpec>,
    chosen: Vec<Chosen>,
    found: &mut Tightened,
) -> Result<Vec<Chosen>, BoundsError> {
    let mut tasks = Vec::new();
    let mut asked: Vec<&[Chosen]> = Vec::new();
    for of_file in chosen.chunk_by(|a, b| Arc::ptr_eq(&found.mutants[a.mutant].file, &found.mutants[b.mutant].file)) {
        for part in of_file.chunks(COMPILED_AT_ONCE) {
            let piece = Piece::new(comparison(found, part), 0, Limits::default());
            tasks.push(Task { layer: Arc::clone(layer), pieces: vec![piece] });
            asked.push(part);
        }
    }
    let mut compiled: BTreeMap<usize, Compiled> = BTreeMap::new();
    means.driver.run(tasks, |report| {
        if let Some(CallResult::Returned(Value::List(answers))) = report.calls.first() {
            let answers = answers.iter().zip(asked[report.task]);
            compiled.extend(answers.map(|(answer, each)| (each.mutant, read(answer))));
        }
        Flow::Continue
    })?;
    let probed: BTreeSet<_> = layer.edits.iter().map(|edit: &Edit| edit.path.clone()).collect();
    let all = std::mem::take(&mut found.mutants);
    let mut kept = Vec::new();
    let mut digests = BTreeSet::new();
    for mut each in chosen {
        let placed = &all[each.mutant];
        let path = placed.file.path();
        let (digest, form, reason) = match compiled.remove(&each.mutant) {
            Some(Compiled::Same) => {
                found.same_bytecode += 1;
                continue;
            }
            Some(Compiled::New { digest, form, reason }) => (digest, form, reason),
            None => (String::new(), MutantForm::Loaded, Some("it cannot be compiled apart".to_owned())),
        };
        if !digest.is_empty() && !digests.insert((path.to_path_buf(), digest)) {
            found.duplicates += 1;
            continue;
        }
        each.mutant = found.mutants.len();
        found.mutants.push(placed.clone());
        let reason = if probed.contains(path) { Some("its file has probes".to_owned()) } else { reason };
        each.form = if tighten.replaces_code && reason.is_none() { form } else { MutantForm::Loaded };
        if let Some(reason) = reason {
            found.loaded_apart.insert(each.mutant, reason);
        }
        kept.push(each);
    }
    Ok(kept)
}

/// The question about changes of one file.
fn comparison(found: &Tightened, part: &[Chosen]) -> Work {
    let file = &found.mutants[part[0].mutant].file;
    let edit = |each: &Chosen| {
        let mutant = &found.mutants[each.mutant].mutant;
        let text = Value::Bytes(mutant.replacement.clone().into_bytes());
        Value::List(vec![u64::from(mutant.span.start).into(), u64::from(mutant.span.end).into(), text])
    };
    let original = Value::Bytes(file.text().as_bytes().to_vec());
    let arguments = vec![Value::from_path(file.path()), original, part.iter().map(edit).collect()];
    Work::Calls {
        module: "temper.bounds.mutant_code".to_owned(),
        function: "compare".to_owned(),
        calls: vec![Call { arguments, keywords: Vec::new(), seed: 0 }],
    }
}

fn read(answer: &Value) -> Compiled {
    if answer.get("same").is_some() {
        return Compiled::Same;
    }
    let text = |name| answer.get(name).and_then(Value::to_text);
    let form = match answer.get("changes").and_then(Value::as_list) {
        Some(changes) => MutantForm::Replaced(Arc::new(CodeChanges(changes.to_vec()))),
        None => MutantForm::Loaded,
    };
    Compiled::New { digest: text("digest").unwrap_or_default(), form, reason: text("reason") }
}
