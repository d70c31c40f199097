//! The messages of the control socket and the result pipe, to and from the types of this crate.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::WorkerError;
use crate::fences::{FenceSet, policy_programs};
use crate::report::{
    CallResult, CollectError, ContainmentReport, Exception, Item, LoadFailure, Loaded, Outcome, Output, ProbeRecord,
    RandomSources, Refusal, RepeatedRun, Secs, TestRun, TestStatus, Used, UsedItem, Versions,
};
use crate::wire::{self, Value};
use crate::work::{
    Call, Containment, LayerSpec, Limits, Memory, Piece, Policy, RepeatUntil, RunStart, Sight, Subjects, Work,
    WorkingDir,
};

/// Error number for a file that would exceed its size limit.
const EFBIG: i64 = 27;

// To a worker.

pub(crate) fn start_layer(id: u64, is_fresh: bool, scratch: &Path) -> Value {
    Value::map([
        ("kind", "layer".into()),
        ("id", id.into()),
        ("fresh", is_fresh.into()),
        ("scratch", Value::from_path(scratch)),
    ])
}

pub(crate) fn preload(modules: &[String], variables: &Value, root: Option<&Path>) -> Value {
    Value::map([
        ("kind", "preload".into()),
        ("modules", texts(modules)),
        ("variables", variables.clone()),
        ("root", root.map_or(Value::None, Value::from_path)),
    ])
}

pub(crate) fn kill(id: u64) -> Value {
    Value::map([("kind", "kill".into()), ("id", id.into())])
}

/// Asks a layer which fences its machine has.
pub(crate) fn fences() -> Value {
    Value::map([("kind", "fences".into())])
}

pub(crate) fn load(spec: &LayerSpec, fences: FenceSet, wants_description: bool) -> Value {
    let paths = std::iter::once(&spec.root).chain(&spec.paths);
    Value::map([
        ("kind", "load".into()),
        ("root", Value::from_path(&spec.root)),
        ("paths", paths.map(|path| Value::from_path(path)).collect()),
        ("subjects", subjects(&spec.subjects)),
        ("edits", spec.edits.iter().map(|edit| pair(&edit.path, &edit.source)).collect()),
        ("policy", policy(&spec.policy, fences)),
        ("limits", limits(&spec.limits)),
        ("describe", wants_description.into()),
        ("keeps_functions", spec.keeps_functions.into()),
    ])
}

pub(crate) fn run(
    id: u64,
    (spec, fences): (&LayerSpec, FenceSet),
    piece: &Piece,
    scratch: &Path,
    is_here: bool,
) -> Value {
    Value::map([
        ("kind", "run".into()),
        ("id", id.into()),
        ("here", is_here.into()),
        ("root", Value::from_path(&spec.root)),
        ("piece", work(piece)),
        ("changes", Value::List(piece.changes.as_ref().map(|changes| changes.0.clone()).unwrap_or_default())),
        ("seed", piece.seed.into()),
        ("limits", limits(&piece.limits)),
        ("policy", policy(&spec.policy, fences)),
        ("scratch", Value::from_path(scratch)),
    ])
}

fn texts(items: &[String]) -> Value {
    items.iter().map(String::as_str).collect()
}

fn pair(path: &Path, source: &[u8]) -> Value {
    Value::List(vec![Value::from_path(path), Value::Bytes(source.to_vec())])
}

fn subjects(subjects: &Subjects) -> Value {
    match subjects {
        Subjects::Tests(arguments) => Value::map([("kind", "tests".into()), ("arguments", texts(arguments))]),
        Subjects::Modules(modules) => Value::map([("kind", "modules".into()), ("modules", texts(modules))]),
        Subjects::Prepared { module, function, arguments } => Value::map([
            ("kind", "prepared".into()),
            ("module", module.as_str().into()),
            ("function", function.as_str().into()),
            ("arguments", Value::List(arguments.clone())),
        ]),
    }
}

fn policy(policy: &Policy, fences: FenceSet) -> Value {
    let is_contained = policy.containment == Containment::Contained;
    let programs = (is_contained && fences.filter).then(|| policy_programs(policy)).flatten();
    Value::map([
        ("contained", is_contained.into()),
        (
            "fences",
            Value::map([
                ("namespaces", fences.namespaces.into()),
                ("landlock", fences.landlock.into()),
                ("programs", programs.unwrap_or(Value::None)),
            ]),
        ),
        ("allow_write", policy.allow_write.iter().map(|path| Value::from_path(path)).collect()),
        ("allow_net", policy.allow_net.into()),
        ("allow_subprocess", policy.allow_subprocess.into()),
        ("sight", sight(&policy.sight)),
        ("scratch_cwd", (policy.working_dir == WorkingDir::Scratch).into()),
    ])
}

fn sight(sight: &Sight) -> Value {
    match sight {
        Sight::Everything => Value::None,
        Sight::Named { variables, paths } => Value::map([
            ("variables", texts(variables)),
            ("paths", paths.iter().map(|path| Value::from_path(path)).collect()),
        ]),
    }
}

fn limits(limits: &Limits) -> Value {
    Value::map([
        ("cpu_secs", limits.cpu.as_secs_f64().max(0.1).into()),
        ("memory_bytes", limits.memory_bytes.into()),
        ("file_bytes", limits.file_bytes.into()),
        ("processes", u64::from(limits.processes).into()),
    ])
}

fn work(piece: &Piece) -> Value {
    match &piece.work {
        Work::Test { node, memory } => Value::map([
            ("kind", "test".into()),
            ("node", node.as_str().into()),
            ("memory", pattern(*memory)),
            ("traceback", piece.wants_traceback.into()),
        ]),
        Work::Repeat { node, starts, until } => Value::map([
            ("kind", "repeat".into()),
            ("node", node.as_str().into()),
            ("starts", starts.iter().map(start).collect()),
            ("until", until_word(*until).into()),
        ]),
        Work::Cover { node } => Value::map([("kind", "cover".into()), ("node", node.as_str().into())]),
        Work::Import { module } => Value::map([("kind", "import".into()), ("module", module.as_str().into())]),
        Work::Calls { module, function, calls } => Value::map([
            ("kind", "calls".into()),
            ("module", module.as_str().into()),
            ("function", function.as_str().into()),
            ("calls", calls.iter().map(call).collect()),
        ]),
    }
}

fn until_word(until: RepeatUntil) -> &'static str {
    match until {
        RepeatUntil::End => "end",
        RepeatUntil::Failure => "failure",
        RepeatUntil::Chance => "chance",
    }
}

fn start(start: &RunStart) -> Value {
    Value::map([("seed", start.seed.into()), ("memory", pattern(start.memory))])
}

/// The byte that memory is filled with. As floats of either size the first pattern is a small number, and the second so great
/// that most sums and squares of it overflow: else a variance could not tell them apart.
fn pattern(memory: Memory) -> Value {
    match memory {
        Memory::AsFound => Value::None,
        Memory::Filled => 0x3f_u64.into(),
        Memory::FilledOtherwise => 0x7f_u64.into(),
    }
}

fn call(call: &Call) -> Value {
    let keywords = call.keywords.iter().map(|(name, value)| (name.as_str().into(), value.clone())).collect();
    Value::map([
        ("arguments", Value::List(call.arguments.clone())),
        ("keywords", Value::Map(keywords)),
        ("seed", call.seed.into()),
    ])
}

// From a worker.

/// How a child of a layer ended.
#[derive(Debug, Clone)]
pub(crate) struct Exited {
    pub(crate) id: u64,
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) cpu: Duration,
    pub(crate) max_rss_kib: u64,
    pub(crate) orphans: u32,
    pub(crate) has_too_many_processes: bool,
}

/// The last message of a piece of work.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) outcome: Outcome,
    pub(crate) probes: Vec<ProbeRecord>,
    pub(crate) dropped_probes: u64,
    pub(crate) random_sources: RandomSources,
    pub(crate) containment: ContainmentReport,
    pub(crate) late_files: Vec<PathBuf>,
    pub(crate) late_modules: Vec<String>,
    pub(crate) late_packages: Vec<(String, String)>,
    pub(crate) used: Used,
    pub(crate) covered: Vec<(PathBuf, Vec<u32>)>,
}

/// A part of a message, taken as the type that is needed there.
struct Part<'a>(&'a Value);

impl<'a> Part<'a> {
    fn at<T>(&self, field: &'static str, take: impl FnOnce(&'a Value) -> Option<T>) -> Result<T, WorkerError> {
        self.0.get(field).and_then(take).ok_or(WorkerError::Protocol { field })
    }

    fn many<T>(
        &self,
        field: &'static str,
        mut take: impl FnMut(&'a Value) -> Result<T, WorkerError>,
    ) -> Result<Vec<T>, WorkerError> {
        self.at(field, Value::as_list)?.iter().map(&mut take).collect()
    }

    fn optional(&self, field: &str) -> Option<&'a Value> {
        self.0.get(field).filter(|value| **value != Value::None)
    }

    fn text(&self, field: &'static str) -> Result<String, WorkerError> {
        self.at(field, Value::to_text)
    }

    fn number<T: TryFrom<i64>>(&self, field: &'static str) -> Result<T, WorkerError> {
        self.at(field, |value| T::try_from(value.as_i64()?).ok())
    }

    fn optional_number<T: TryFrom<i64>>(&self, field: &str) -> Option<T> {
        self.optional(field).and_then(Value::as_i64).and_then(|value| T::try_from(value).ok())
    }

    fn duration(&self, field: &'static str) -> Result<Duration, WorkerError> {
        Ok(Duration::try_from_secs_f64(self.at(field, Value::as_f64)?).unwrap_or_default())
    }

    fn paths(&self, field: &'static str) -> Result<Vec<PathBuf>, WorkerError> {
        self.many(field, |value| value.to_path().ok_or(WorkerError::Protocol { field }))
    }
}

/// The `kind` of a message.
pub(crate) fn kind(message: &Value) -> Result<&str, WorkerError> {
    Part(message).at("kind", Value::as_str)
}

pub(crate) fn parse_exited(message: &Value) -> Result<Exited, WorkerError> {
    let part = Part(message);
    Ok(Exited {
        id: part.number("id")?,
        code: part.optional_number("code"),
        signal: part.optional_number("signal"),
        cpu: part.duration("cpu_secs")?,
        max_rss_kib: part.number("max_rss_kib")?,
        orphans: part.number("orphans")?,
        has_too_many_processes: part.at("too_many_processes", Value::as_bool)?,
    })
}

/// The answer to `preload`: the first module that left threads running.
pub(crate) fn parse_preloaded(message: &Value) -> Option<String> {
    Part(message).optional("threaded").and_then(Value::to_text)
}

/// The answer to `fences`.
pub(crate) fn parse_fences(message: &Value) -> Result<FenceSet, WorkerError> {
    let part = Part(message);
    Ok(FenceSet {
        namespaces: part.at("namespaces", Value::as_bool)?,
        landlock: part.at("landlock", Value::as_bool)?,
        filter: part.at("filter", Value::as_bool)?,
    })
}

/// Environment variables that the project set while it was loaded, as they were sent.
pub(crate) fn parse_variables(message: &Value) -> Value {
    Part(message).optional("variables").cloned().unwrap_or(Value::Map(Vec::new()))
}

pub(crate) fn parse_loaded(message: &Value) -> Result<Loaded, WorkerError> {
    let part = Part(message);
    let modules = part.optional("modules").and_then(Value::as_list).unwrap_or_default();
    Ok(Loaded {
        items: part.many("items", parse_item)?,
        errors: part.many("errors", |value| {
            let part = Part(value);
            Ok(CollectError { node: part.text("node")?, text: part.text("text")? })
        })?,
        files: part.paths("files")?,
        unapplied: part.paths("unapplied")?,
        spawn_reason: part.optional("spawn_reason").and_then(Value::to_text),
        modules: modules.iter().filter_map(Value::to_text).collect(),
        versions: part.optional("versions").map(parse_versions).transpose()?,
        options: part.optional("options").map(parse_texts).transpose()?.unwrap_or_default(),
        used: part.optional("used").map(parse_used).transpose()?.unwrap_or_default(),
    })
}

fn parse_item(value: &Value) -> Result<Item, WorkerError> {
    let part = Part(value);
    Ok(Item { node: part.text("node")?, path: part.at("path", Value::to_path)?, line: part.optional_number("line") })
}

fn parse_versions(value: &Value) -> Result<Versions, WorkerError> {
    let part = Part(value);
    Ok(Versions {
        python: part.text("python")?,
        implementation: part.text("implementation")?,
        prefix: part.at("prefix", Value::to_path)?,
        packages: parse_texts(part.at("packages", Some)?)?,
        installed: parse_texts(part.at("installed", Some)?)?,
    })
}

/// A map of texts, sorted.
fn parse_texts(value: &Value) -> Result<Vec<(String, String)>, WorkerError> {
    let Value::Map(entries) = value else { return Err(WorkerError::Protocol { field: "texts" }) };
    let texts = entries.iter().map(|(name, text)| Some((name.to_text()?, text.to_text()?)));
    let mut texts: Vec<_> = texts.collect::<Option<_>>().ok_or(WorkerError::Protocol { field: "texts" })?;
    texts.sort();
    Ok(texts)
}

fn parse_used(value: &Value) -> Result<Used, WorkerError> {
    let part = Part(value);
    let item = |field: &'static str| {
        move |item: &Value| {
            let parts = item.as_list().unwrap_or_default();
            let [name, owner] = parts else { return Err(WorkerError::Protocol { field }) };
            let name = name.to_text().ok_or(WorkerError::Protocol { field })?;
            Ok(UsedItem { name, owner: owner.to_path().filter(|path| !path.as_os_str().is_empty()) })
        }
    };
    Ok(Used {
        files: part.many("files", item("files"))?,
        folders: part.many("folders", item("folders"))?,
        variables: part.many("variables", item("variables"))?,
        is_opaque: part.at("is_opaque", Value::as_bool)?,
    })
}

/// The message of a layer that could not load, completed with what it printed.
pub(crate) fn parse_failed(message: &Value, output: Output) -> Result<LoadFailure, WorkerError> {
    let part = Part(message);
    let exception = part.optional("exception").map(parse_exception).transpose()?;
    match (part.at("stage", Value::as_str)?, exception) {
        ("import", Some(exception)) => Ok(LoadFailure::Import(exception)),
        (_, exception) => Ok(LoadFailure::Collection { exit_code: part.number("exit_code")?, exception, output }),
    }
}

fn parse_exception(value: &Value) -> Result<Exception, WorkerError> {
    let part = Part(value);
    let frames = part.many("frames", |frame| {
        let [file, line, function] = frame.as_list().unwrap_or_default() else {
            return Err(WorkerError::Protocol { field: "frames" });
        };
        let line = line.as_i64().and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        Ok((file.to_text().unwrap_or_default(), line, function.to_text().unwrap_or_default()))
    })?;
    Ok(Exception {
        type_name: part.text("type")?,
        message: part.text("message")?,
        frames,
        errno: part.optional_number("errno"),
        is_memory: part.at("is_memory", Value::as_bool)?,
        is_permission: part.at("is_permission", Value::as_bool)?,
    })
}

pub(crate) fn parse_call(message: &Value) -> Result<CallResult, WorkerError> {
    let part = Part(message);
    match part.0.get("returned") {
        Some(value) => Ok(CallResult::Returned(value.clone())),
        None => Ok(CallResult::Raised(parse_exception(part.at("raised", Some)?)?)),
    }
}

pub(crate) fn parse_done(message: &Value) -> Result<Done, WorkerError> {
    let part = Part(message);
    let (probes, dropped_probes) = parse_recorded(part.at("probes", Some)?)?;
    Ok(Done {
        outcome: parse_outcome(part.at("outcome", Some)?)?,
        probes,
        dropped_probes,
        random_sources: parse_random_sources(part.at("random_sources", Some)?)?,
        containment: parse_containment(part.at("containment", Some)?)?,
        late_files: part.paths("late_files")?,
        late_modules: part
            .many("late_modules", |name| name.to_text().ok_or(WorkerError::Protocol { field: "late_modules" }))?,
        late_packages: parse_texts(part.at("late_distributions", Some)?)?,
        used: parse_used(part.at("used", Some)?)?,
        covered: part.many("covered", parse_covered)?,
    })
}

fn parse_covered(value: &Value) -> Result<(PathBuf, Vec<u32>), WorkerError> {
    let part = Part(value);
    let lines = part.at("lines", Value::as_list)?.iter().filter_map(|line| u32::try_from(line.as_i64()?).ok());
    Ok((part.at("path", Value::to_path)?, lines.collect()))
}

/// One of several runs in one process.
pub(crate) fn parse_run(message: &Value, seed: u64) -> Result<RepeatedRun, WorkerError> {
    let part = Part(message);
    let (probes, dropped_probes) = parse_recorded(part.at("probes", Some)?)?;
    Ok(RepeatedRun {
        seed,
        outcome: parse_outcome(part.at("outcome", Some)?)?,
        probes,
        dropped_probes,
        random_sources: parse_random_sources(part.at("random_sources", Some)?)?,
        wall: part.duration("wall_secs")?,
        cpu: part.duration("cpu_secs")?,
    })
}

fn parse_random_sources(value: &Value) -> Result<RandomSources, WorkerError> {
    let part = Part(value);
    let names = |field: &'static str| part.many(field, |name| name.to_text().ok_or(WorkerError::Protocol { field }));
    Ok(RandomSources { unseeded: names("unseeded")?, seeded: names("seeded")? })
}

fn parse_recorded(value: &Value) -> Result<(Vec<ProbeRecord>, u64), WorkerError> {
    let part = Part(value);
    let records = part.at("records", |value| if let Value::Bytes(bytes) = value { Some(bytes) } else { None })?;
    Ok((parse_probes(records)?, part.number("dropped")?))
}

fn parse_probes(mut records: &[u8]) -> Result<Vec<ProbeRecord>, WorkerError> {
    let mut probes = Vec::new();
    while !records.is_empty() {
        let Some(Value::List(mut values)) = wire::decode(&mut records) else {
            return Err(WorkerError::Protocol { field: "probes" });
        };
        let site = values.first().and_then(Value::as_i64).ok_or(WorkerError::Protocol { field: "site" })?;
        values.remove(0);
        probes.push(ProbeRecord { site, values });
    }
    Ok(probes)
}

fn parse_containment(value: &Value) -> Result<ContainmentReport, WorkerError> {
    let part = Part(value);
    Ok(ContainmentReport {
        has_audit: part.at("audit", Value::as_bool)?,
        fences: parse_fences(value)?,
        refused: part.many("refused", |value| {
            let part = Part(value);
            Ok(Refusal { kind: part.text("kind")?, detail: part.text("detail")? })
        })?,
    })
}

fn parse_outcome(value: &Value) -> Result<Outcome, WorkerError> {
    let part = Part(value);
    let exception = part.optional("exception").map(parse_exception).transpose()?;
    match exception {
        Some(exception) if exception.is_memory => return Ok(Outcome::MemoryLimit(exception)),
        Some(exception) if exception.errno == Some(EFBIG) => return Ok(Outcome::FileLimit(exception)),
        _ => {}
    }
    match (part.at("kind", Value::as_str)?, exception) {
        ("test", exception) => parse_test(&part, exception),
        ("called", _) => Ok(Outcome::Called),
        ("repeated", _) => Ok(Outcome::Repeated),
        ("imported", _) => Ok(Outcome::Imported),
        ("missing", _) => Ok(Outcome::Missing),
        ("raised", Some(exception)) => Ok(Outcome::Raised(exception)),
        _ => Err(WorkerError::Protocol { field: "outcome" }),
    }
}

fn parse_test(part: &Part<'_>, exception: Option<Exception>) -> Result<Outcome, WorkerError> {
    let status = match part.at("status", Value::as_str)? {
        "passed" => TestStatus::Passed,
        "failed" => TestStatus::Failed,
        "error" => TestStatus::Error,
        "skipped" => TestStatus::Skipped,
        "xfailed" => TestStatus::XFailed,
        "xpassed" => TestStatus::XPassed,
        _ => return Err(WorkerError::Protocol { field: "status" }),
    };
    let secs = Part(part.at("secs", Some)?);
    let phase = |name| secs.optional(name).and_then(Value::as_f64).unwrap_or(0.0);
    let secs = Secs { setup: phase("setup"), call: phase("call"), teardown: phase("teardown") };
    Ok(Outcome::Test(TestRun { status, exception, text: part.text("text")?, secs }))
}
