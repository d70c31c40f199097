//! Subjects that end their worker. The draw under way is known from shared memory: it becomes a finding, or the reason
//! why the subject is undecided, and the subject is taken up again without it.

use temper_report::{CallEvidence, Doubt, FindingKind};
use temper_worker::{End, Outcome, Value};

use crate::confirm;
use crate::draw_under_way::UnderWay;
use crate::error::CheckError;
use crate::findings::{Checked, FoundCall};
use crate::message;
use crate::module::Module;
use crate::protocol::{DescribeReply, WorkerAnswer};
use crate::work::{CheckedProject, Pending};

/// How often a subject that killed its worker is taken up again; every time, one more input is known to kill.
const MAX_KILLS: usize = 3;

/// Takes down how a subject ended its worker, and gives the subject back if it is to be taken up again.
pub(crate) fn take_kill(
    project: &mut CheckedProject<'_>,
    checked: &mut Checked,
    mut pending: Pending,
    outcome: &Outcome,
    (under_way, judged): (UnderWay, u64),
) -> Result<Option<Pending>, CheckError> {
    let what = message::outcome_text(outcome);
    let described = describe(project, checked, &pending, &under_way, outcome)?;
    // The draw that killed the worker was valid too.
    checked.subjects[pending.subject].evidence.valid += judged + u64::from(described.is_some());
    match (described, confirm::is_kill(outcome)) {
        (Some((call, tree)), true) => {
            let module = &project.modules[pending.module];
            checked.add_killed(killed_call(checked, &pending, module, format!("the process {what}"), (call, tree)));
        }
        (Some((call, _)), false) => {
            checked.undecide(pending.subject, doubt(outcome, format!("a call {}: {call}", late(outcome))));
        }
        (None, _) => checked.undecide(pending.subject, doubt(outcome, format!("the process {what} outside a call"))),
    }
    match under_way {
        UnderWay::Seed(seed) => pending.skip.push(seed),
        // Met by the search or while shrinking, which would meet it again.
        _ => pending.with_search = false,
    }
    pending.kills += 1;
    let is_taken_up = pending.kills < MAX_KILLS && matches!(outcome, Outcome::Ended(End::Signal(_) | End::Exited(_)));
    Ok(is_taken_up.then_some(pending))
}

fn doubt(outcome: &Outcome, reason: String) -> Doubt {
    let hint = match outcome {
        Outcome::MemoryLimit(_) => "raise `--memory-limit`, or narrow the annotations",
        _ => "say how long a call may take with `@timeout(seconds)`, or narrow the annotations",
    };
    Doubt { reason, hint: Some(hint.to_owned()) }
}

/// The call and the choices of a draw that ended a worker, made simpler if the subject ended it.
fn describe(
    project: &mut CheckedProject<'_>,
    checked: &Checked,
    pending: &Pending,
    under_way: &UnderWay,
    outcome: &Outcome,
) -> Result<Option<(String, Vec<u8>)>, CheckError> {
    let mut draw = vec![match under_way {
        UnderWay::Seed(seed) => ("draw", Value::from(*seed)),
        UnderWay::Tree(tree) => ("tree", Value::Bytes(tree.clone())),
        UnderWay::Nothing => return Ok(None),
    }];
    let killed_by = |what: &str, number: i32| Value::List(vec![Value::from(what), Value::Int(i64::from(number))]);
    match outcome {
        Outcome::Ended(End::Signal(signal)) => draw.push(("killed_by", killed_by("signal", *signal))),
        Outcome::Ended(End::Exited(code)) => draw.push(("killed_by", killed_by("code", *code))),
        _ => {}
    }
    let subject = &checked.subjects[pending.subject].name;
    let task = project.describe_task(&project.modules[pending.module], subject, draw);
    match WorkerAnswer::of(&project.run_one(task)?) {
        WorkerAnswer::Returned(DescribeReply { call, tree }) => Ok(call.map(|call| (call, tree.0))),
        WorkerAnswer::Unreadable(error) => Err(error.into()),
        // What ended the worker also ends the description.
        WorkerAnswer::Raised(_) | WorkerAnswer::NotLoaded(_) | WorkerAnswer::Ended(_) => Ok(None),
    }
}

fn killed_call(
    checked: &Checked,
    pending: &Pending,
    module: &Module,
    message: String,
    (call, tree): (String, Vec<u8>),
) -> FoundCall {
    let subject = &checked.subjects[pending.subject];
    let import = module.import_statement(&subject.name);
    FoundCall {
        id: String::new(),
        subject: pending.subject,
        kind: FindingKind::Killed,
        path: subject.path.clone(),
        line: subject.line,
        message,
        call,
        check: String::new(),
        tree,
        omitted: Vec::new(),
        evidence: CallEvidence { count: 1, import, ..CallEvidence::default() },
    }
}

fn late(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Ended(End::WallLimit | End::CpuLimit) => "did not end within the time limit",
        Outcome::Ended(End::ProcessLimit) => "started too many processes",
        _ => "gave no answer",
    }
}
