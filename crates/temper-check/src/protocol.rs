//! What the worker answers: the twin of `python/temper/check/protocol.py`.
//!
//! Each reply is a struct with one decoder. A field that is missing, unknown or of another type is an error that names
//! it, because the two sides are shipped together and a difference is a bug of ours. A test compares the names of the
//! fields on both sides.

use temper_report::FindingKind;
use temper_worker::{CallResult, End, Exception, LoadFailure, Outcome, Refusal, Report, Value};

/// A reply that is not what both sides agreed on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// A field that should be there.
    #[error("the worker's `{reply}` has no `{field}`")]
    Missing {
        /// The reply.
        reply: &'static str,
        /// The field.
        field: &'static str,
    },
    /// A field that nobody reads.
    #[error("the worker's `{reply}` has a field `{field}` that is not known here")]
    Unknown {
        /// The reply.
        reply: &'static str,
        /// The field.
        field: String,
    },
    /// A field of another type, or a word that is none of those agreed on.
    #[error("`{field}` of the worker's `{reply}` should be {wanted}, and is {found}")]
    Wrong {
        /// The reply.
        reply: &'static str,
        /// The field.
        field: &'static str,
        /// What was expected.
        wanted: &'static str,
        /// What came.
        found: String,
    },
    /// Something else than a reply.
    #[error("the worker should answer with a `{reply}`, and answered {found}")]
    NoReply {
        /// The reply.
        reply: &'static str,
        /// What came.
        found: String,
    },
}

/// Why a field could not be read.
pub enum FieldError {
    /// It should have been this.
    Wanted(&'static str),
    /// A reply inside it is wrong.
    Inner(ProtocolError),
}

/// Something that is read from one field.
pub trait ReplyField: Sized {
    /// Reads it.
    fn read(value: &Value) -> Result<Self, FieldError>;
}

/// A whole reply.
pub trait Reply: Sized {
    /// Its name on both sides.
    const NAME: &'static str;
    /// Its fields.
    const FIELDS: &'static [&'static str];

    /// Reads it from what came over the wire.
    ///
    /// # Errors
    /// When it is not what both sides agreed on.
    fn decode(value: &Value) -> Result<Self, ProtocolError>;
}

/// Defines a reply: a struct whose fields are read by their names, all of them and no others.
macro_rules! reply {
    ($(#[$about:meta])* $name:ident { $($(#[$says:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $($(#[$says])* pub $field: $type,)* }

        impl Reply for $name {
            const NAME: &'static str = stringify!($name);
            const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];

            fn decode(value: &Value) -> Result<Self, ProtocolError> {
                refuse_unknown(value, Self::NAME, Self::FIELDS)?;
                Ok($name { $($field: field(value, Self::NAME, stringify!($field))?,)* })
            }
        }

        impl ReplyField for $name {
            fn read(value: &Value) -> Result<Self, FieldError> {
                Self::decode(value).map_err(FieldError::Inner)
            }
        }
    };
}

reply! {
    /// What was found, and the innermost line of the project that it passed.
    FoundPlace { message: String, path: String, line: u32, source: String, }
}

reply! {
    /// The last line of the subject's own file on the way to a finding in another file.
    Through { path: String, line: u32, source: String, }
}

reply! {
    /// What is wrong with the annotations of a subject.
    AnnotationProblem {
        headline: String,
        /// The file of the annotation if that is not the module's.
        path: Option<String>,
        line: u32,
        fact: Option<String>,
        hint: Option<String>,
    }
}

reply! {
    /// A subject of a module.
    SurveyedSubject {
        name: String,
        /// Its file if that is not the module's.
        path: Option<String>,
        line: u32,
        /// Other names of parameters that annotations use, by line.
        hints: Vec<(u32, String)>,
        problem: Option<AnnotationProblem>,
    }
}

reply! {
    /// The subjects of a module.
    SurveyReply { subjects: Vec<SurveyedSubject>, }
}

reply! {
    /// One finding: how calls end, the simplest call that ends so, and how many did.
    FoundReply {
        kind: FindingKind,
        place: FoundPlace,
        through: Option<Through>,
        count: u64,
        tree: RecordedChoices,
        /// Arguments that are left at their defaults, by place.
        omitted: Vec<u64>,
        call: String,
        /// Statements that fail as long as the finding is there.
        check: String,
        /// The statements that make the names of the call known.
        imports: String,
    }
}

reply! {
    /// The check of one subject.
    CheckReply {
        /// Inputs that met the annotations and were used.
        valid: u64,
        /// Inputs that were drawn.
        attempts: u64,
        /// Calls that ended in a documented exception.
        documented: u64,
        /// Calls that were given up.
        slow: u64,
        /// Draws whose generator or constructor raised.
        build_failures: u64,
        search_calls: u64,
        /// Whether the clock ended something.
        is_cut: bool,
        findings: Vec<FoundReply>,
        refused: Vec<Refusal>,
        preconditions: Vec<(u32, String)>,
        /// Lines of the subject that ran, and how many it has.
        lines: Option<(u64, u64)>,
        /// Branch outcomes that were taken, and how many there are.
        branches: Option<(u64, u64)>,
        slow_call: Option<String>,
        build_error: Option<String>,
        filter_error: Option<String>,
        /// What `@regression` is to record, as JSON.
        regression: Option<String>,
        /// A property test of the subject as source text.
        property: Option<String>,
        notes: Vec<String>,
    }
}

reply! {
    /// One recorded call that was made again.
    ConfirmReply { kind: CallEnd, call: Option<String>, place: Option<FoundPlace>, }
}

reply! {
    /// The call that a record stands for, and the record after shrinking.
    DescribeReply { tree: RecordedChoices, call: Option<String>, }
}

reply! {
    /// One run of a module as a script.
    ScriptReply { kind: ScriptEnd, refused: Vec<Refusal>, place: Option<FoundPlace>, }
}

reply! {
    /// Annotations that functions could have.
    SuggestReply { functions: Vec<SuggestedFunction>, }
}

reply! {
    /// Annotations that a function could have.
    SuggestedFunction {
        /// Its file.
        path: String,
        /// The line of the function.
        line: u32,
        /// Its qualified name.
        function: String,
        /// Each decorator as source text, and where it was read.
        decorators: Vec<(String, String)>,
        /// What else the user should know.
        notes: Vec<String>,
        /// Whether every argument that needs a value got a constraint.
        is_complete: bool,
        /// The table of a side file that says the same.
        entry: String,
    }
}

/// The recorded choices of a draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedChoices(pub Vec<u8>);

/// How one call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// With a finding.
    Found(FindingKind),
    /// Without one: it returned, its input was not valid, its exception is documented, it was given up, containment
    /// refused it, or its input could not be built.
    NothingFound,
}

/// How a script ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptEnd {
    /// Without an exception.
    Passed,
    /// In an exception.
    Raised,
    /// Containment refused something.
    Refused,
    /// It wants command-line arguments.
    WantsArguments,
}

/// The kinds of findings that one call can end in.
const CALL_FINDINGS: [FindingKind; 5] =
    [FindingKind::Crash, FindingKind::Postcondition, FindingKind::Timeout, FindingKind::Nan, FindingKind::Regression];

/// The other ends of a call.
const CALL_ENDS: [&str; 6] = ["passed", "rejected", "documented", "slow", "refused", "build"];

/// The ends of a script.
const SCRIPT_ENDS: [(&str, ScriptEnd); 4] = [
    ("passed", ScriptEnd::Passed),
    ("script", ScriptEnd::Raised),
    ("refused", ScriptEnd::Refused),
    ("usage", ScriptEnd::WantsArguments),
];

impl ReplyField for FindingKind {
    fn read(value: &Value) -> Result<Self, FieldError> {
        let named = value.as_str().and_then(FindingKind::of).filter(|kind| CALL_FINDINGS.contains(kind));
        named.ok_or(FieldError::Wanted("a kind of finding"))
    }
}

impl ReplyField for CallEnd {
    fn read(value: &Value) -> Result<Self, FieldError> {
        if value.as_str().is_some_and(|word| CALL_ENDS.contains(&word)) {
            return Ok(CallEnd::NothingFound);
        }
        FindingKind::read(value).map(CallEnd::Found).map_err(|_| FieldError::Wanted("the end of a call"))
    }
}

impl ReplyField for ScriptEnd {
    fn read(value: &Value) -> Result<Self, FieldError> {
        let named = SCRIPT_ENDS.iter().find(|(word, _)| value.as_str() == Some(word));
        named.map(|(_, end)| *end).ok_or(FieldError::Wanted("the end of a script"))
    }
}

impl ReplyField for String {
    fn read(value: &Value) -> Result<Self, FieldError> {
        value.to_text().ok_or(FieldError::Wanted("a text"))
    }
}

impl ReplyField for bool {
    fn read(value: &Value) -> Result<Self, FieldError> {
        value.as_bool().ok_or(FieldError::Wanted("true or false"))
    }
}

impl ReplyField for u64 {
    fn read(value: &Value) -> Result<Self, FieldError> {
        value.as_i64().and_then(|number| u64::try_from(number).ok()).ok_or(FieldError::Wanted("a count"))
    }
}

impl ReplyField for u32 {
    fn read(value: &Value) -> Result<Self, FieldError> {
        value.as_i64().and_then(|number| u32::try_from(number).ok()).ok_or(FieldError::Wanted("a line number"))
    }
}

impl ReplyField for RecordedChoices {
    fn read(value: &Value) -> Result<Self, FieldError> {
        match value {
            Value::Bytes(bytes) => Ok(RecordedChoices(bytes.clone())),
            _ => Err(FieldError::Wanted("recorded choices")),
        }
    }
}

impl ReplyField for Refusal {
    fn read(value: &Value) -> Result<Self, FieldError> {
        refuse_unknown(value, "Refusal", &["kind", "detail"]).map_err(FieldError::Inner)?;
        let text = |name| field(value, "Refusal", name).map_err(FieldError::Inner);
        Ok(Refusal { kind: text("kind")?, detail: text("detail")? })
    }
}

impl<T: ReplyField> ReplyField for Option<T> {
    fn read(value: &Value) -> Result<Self, FieldError> {
        match value {
            Value::None => Ok(None),
            value => T::read(value).map(Some),
        }
    }
}

impl<T: ReplyField> ReplyField for Vec<T> {
    fn read(value: &Value) -> Result<Self, FieldError> {
        value.as_list().ok_or(FieldError::Wanted("a list"))?.iter().map(T::read).collect()
    }
}

impl<A: ReplyField, B: ReplyField> ReplyField for (A, B) {
    fn read(value: &Value) -> Result<Self, FieldError> {
        match value.as_list() {
            Some([first, second]) => Ok((A::read(first)?, B::read(second)?)),
            _ => Err(FieldError::Wanted("a pair")),
        }
    }
}

fn field<T: ReplyField>(value: &Value, reply: &'static str, field: &'static str) -> Result<T, ProtocolError> {
    let value = value.get(field).ok_or(ProtocolError::Missing { reply, field })?;
    T::read(value).map_err(|error| match error {
        FieldError::Wanted(wanted) => ProtocolError::Wrong { reply, field, wanted, found: shown(value) },
        FieldError::Inner(error) => error,
    })
}

fn refuse_unknown(value: &Value, reply: &'static str, known: &[&str]) -> Result<(), ProtocolError> {
    let Value::Map(entries) = value else { return Err(ProtocolError::NoReply { reply, found: shown(value) }) };
    let is_unknown = |key: &&Value| !key.as_str().is_some_and(|name| known.contains(&name));
    match entries.iter().map(|(key, _)| key).find(is_unknown) {
        Some(key) => Err(ProtocolError::Unknown { reply, field: shown(key) }),
        None => Ok(()),
    }
}

/// A value for a message, shortened.
fn shown(value: &Value) -> String {
    match value {
        Value::Str(text) => text.chars().take(80).collect(),
        other => format!("{other:?}").chars().take(80).collect(),
    }
}

/// How a piece of work ended that should give the reply `R`.
pub enum WorkerAnswer<R> {
    /// With the reply.
    Returned(R),
    /// With something that is not the reply: the two sides disagree.
    Unreadable(ProtocolError),
    /// Our function raised: the worker is at fault, not the subject.
    Raised(Exception),
    /// The module could not be loaded.
    NotLoaded(LoadFailure),
    /// The process ended before it answered, or could not answer.
    Ended(Outcome),
}

impl<R: Reply> WorkerAnswer<R> {
    /// The answer in a report of one call.
    pub fn of(report: &Report) -> WorkerAnswer<R> {
        if let Some(exception) = lack_of_memory(&report.outcome, report.calls.first(), &report.output.text()) {
            return WorkerAnswer::Ended(Outcome::MemoryLimit(exception));
        }
        match (&report.outcome, report.calls.first()) {
            (Outcome::Called, Some(CallResult::Returned(value))) => match R::decode(value) {
                Ok(reply) => WorkerAnswer::Returned(reply),
                Err(error) => WorkerAnswer::Unreadable(error),
            },
            (Outcome::Called, Some(CallResult::Raised(exception))) => WorkerAnswer::Raised(exception.clone()),
            (Outcome::LoadFailed(failure), _) => WorkerAnswer::NotLoaded(failure.clone()),
            (Outcome::Raised(exception), _) => WorkerAnswer::Raised(exception.clone()),
            (other, _) => WorkerAnswer::Ended(other.clone()),
        }
    }
}

/// What compiled code says right before it aborts because it gets no memory: Rust, and the library of C++.
const NO_MEMORY: [&str; 2] = ["memory allocation of ", "std::bad_alloc"];
/// How Python's report of the abort begins, which follows.
const ABORTED: &str = "Fatal Python error: Aborted";

/// The lack of memory behind an answer that looks like something else. A subject that has taken all of it lets our own function
/// raise, or an allocation in compiled code abort.
fn lack_of_memory(outcome: &Outcome, call: Option<&CallResult>, printed: &str) -> Option<Exception> {
    match (outcome, call) {
        (Outcome::Called, Some(CallResult::Raised(exception))) if exception.is_memory => Some(exception.clone()),
        (Outcome::Ended(End::Signal(6)), _) => {
            let before = printed.rsplit_once(ABORTED).map_or(printed, |(before, _)| before);
            let said = before.trim_end().lines().next_back()?;
            if !NO_MEMORY.iter().any(|words| said.contains(words)) {
                return None;
            }
            Some(Exception {
                type_name: "abort".to_owned(),
                message: said.trim().to_owned(),
                frames: Vec::new(),
                errno: None,
                is_memory: true,
                is_permission: false,
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn place() -> Value {
        Value::map([
            ("message", Value::from("ValueError: no")),
            ("path", Value::from("/p/a.py")),
            ("line", Value::Int(3)),
            ("source", Value::from("f(x)")),
        ])
    }

    fn confirm(kind: &str, place: Value) -> Value {
        Value::map([("kind", Value::from(kind)), ("call", Value::None), ("place", place)])
    }

    #[test]
    fn a_reply_is_read_with_what_it_holds() {
        let read = ConfirmReply::decode(&confirm("crash", place())).unwrap();
        assert_eq!(read.kind, CallEnd::Found(FindingKind::Crash));
        assert_eq!(read.call, None);
        assert_eq!(read.place.unwrap().line, 3);
        assert_eq!(ConfirmReply::decode(&confirm("slow", Value::None)).unwrap().kind, CallEnd::NothingFound);
    }

    #[test]
    fn a_lack_of_memory_is_none_of_our_faults() {
        let exception = |is_memory| Exception {
            type_name: if is_memory { "MemoryError" } else { "KeyError" }.to_owned(),
            message: String::new(),
            frames: Vec::new(),
            errno: None,
            is_memory,
            is_permission: false,
        };
        let raised = |is_memory| CallResult::Raised(exception(is_memory));
        assert_eq!(lack_of_memory(&Outcome::Called, Some(&raised(true)), ""), Some(exception(true)));
        assert_eq!(lack_of_memory(&Outcome::Called, Some(&raised(false)), ""), None);
        let abort = Outcome::Ended(End::Signal(6));
        let printed = "one\nmemory allocation of 64 bytes failed\nFatal Python error: Aborted\n\nThread 1:\n";
        let said = lack_of_memory(&abort, None, printed).unwrap();
        assert_eq!(said.message, "memory allocation of 64 bytes failed");
        // Only what is said last is the reason.
        assert_eq!(lack_of_memory(&abort, None, "memory allocation of 64 bytes failed\nassertion failed\n"), None);
        assert_eq!(lack_of_memory(&abort, None, ""), None);
        assert_eq!(lack_of_memory(&Outcome::Ended(End::Signal(11)), None, "std::bad_alloc"), None);
    }

    #[test]
    fn a_missing_field_is_an_error_that_names_it() {
        let reply = Value::map([("kind", Value::from("passed")), ("call", Value::None)]);
        let error = ConfirmReply::decode(&reply).unwrap_err();
        assert_eq!(error.to_string(), "the worker's `ConfirmReply` has no `place`");
    }

    #[test]
    fn an_unknown_kind_is_an_error_and_no_crash() {
        let error = ConfirmReply::decode(&confirm("crush", place())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`kind` of the worker's `ConfirmReply` should be the end of a call, and is crush"
        );
        // A kind of another job is none that a call can end in.
        assert!(ConfirmReply::decode(&confirm("flaky", place())).is_err());
    }

    #[test]
    fn an_error_inside_a_reply_names_the_inner_field() {
        let mut inner = place();
        if let Value::Map(entries) = &mut inner {
            entries[2].1 = Value::from("three");
        }
        let error = ConfirmReply::decode(&confirm("crash", inner)).unwrap_err();
        assert_eq!(error.to_string(), "`line` of the worker's `FoundPlace` should be a line number, and is three");
    }

    #[test]
    fn a_field_that_nobody_reads_is_an_error() {
        let reply = Value::map([("subjects", Value::List(Vec::new())), ("extra", Value::None)]);
        let error = SurveyReply::decode(&reply).unwrap_err();
        assert_eq!(error.to_string(), "the worker's `SurveyReply` has a field `extra` that is not known here");
        assert!(SurveyReply::decode(&Value::Int(1)).is_err());
    }

    const PYTHON: &str = include_str!("../../../python/temper/check/protocol.py");

    /// The classes of the Python side that are replies, each with its fields in order.
    fn python_replies() -> BTreeMap<&'static str, Vec<&'static str>> {
        let mut replies = BTreeMap::new();
        let mut current = None;
        for line in PYTHON.lines() {
            if let Some(name) = line.strip_prefix("class ").and_then(|rest| rest.strip_suffix("(Reply):")) {
                replies.insert(name, Vec::new());
                current = Some(name);
            } else if !line.starts_with(' ') && !line.is_empty() {
                current = None;
            } else if let (Some(name), Some((field, _))) = (current, line.trim_start().split_once(": ")) {
                let is_field = field.chars().all(|c| c.is_ascii_lowercase() || c == '_');
                replies.entry(name).and_modify(|fields| fields.extend(is_field.then_some(field)));
            }
        }
        replies
    }

    /// The constants of the Python side that are words.
    fn python_words() -> Vec<&'static str> {
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_uppercase());
        let constants = PYTHON.lines().filter_map(|line| line.split_once(" = \"").filter(|(name, _)| is_name(name)));
        constants.filter_map(|(_, rest)| rest.strip_suffix('"')).collect()
    }

    #[test]
    fn both_sides_have_the_same_replies_with_the_same_fields() {
        fn of<R: Reply>() -> (&'static str, Vec<&'static str>) {
            (R::NAME, R::FIELDS.to_vec())
        }
        let ours = BTreeMap::from([
            of::<FoundPlace>(),
            of::<Through>(),
            of::<AnnotationProblem>(),
            of::<SurveyedSubject>(),
            of::<SurveyReply>(),
            of::<FoundReply>(),
            of::<CheckReply>(),
            of::<ConfirmReply>(),
            of::<DescribeReply>(),
            of::<ScriptReply>(),
            of::<SuggestedFunction>(),
            of::<SuggestReply>(),
            ("Refusal", vec!["kind", "detail"]),
        ]);
        assert_eq!(python_replies(), ours);
    }

    #[test]
    fn both_sides_have_the_same_words_for_how_calls_and_scripts_end() {
        let mut ours: Vec<&str> = CALL_FINDINGS.iter().map(|kind| kind.word()).collect();
        ours.extend(CALL_ENDS);
        ours.extend(SCRIPT_ENDS.iter().map(|(word, _)| *word));
        ours.sort_unstable();
        ours.dedup();
        let mut theirs = python_words();
        theirs.sort_unstable();
        assert_eq!(theirs, ours);
    }
}
