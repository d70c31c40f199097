//! Subjects that end their worker: the input is known from shared memory, and the subject is taken up without it.

use temper_report::FindingKind;
use temper_worker::{End, Flow, Outcome, Task, Value};

use crate::checker::{CheckError, Pending, Run, import_statement};
use crate::confirm;
use crate::draw_under_way::{Memory, UnderWay};
use crate::finding::{Finding, Verdict};
use crate::message;
use crate::protocol::{Answer, DescribeReply};

/// How often a subject that killed its worker is taken up again; every time, one more input is known to kill.
const MAX_KILLS: usize = 3;

impl Run<'_> {
    /// The subject ended its worker: that input is a finding or undecided, and the subject is taken up without it.
    pub(crate) fn take_kill(
        &mut self,
        mut pending: Pending,
        outcome: &Outcome,
        memory: &Memory,
    ) -> Result<(), CheckError> {
        let what = message::outcome_text(outcome);
        let (under_way, judged) = memory.read();
        let described = match &under_way {
            UnderWay::Nothing => None,
            other => self.describe(&pending, other, outcome)?,
        };
        let evidence = &mut self.checked.subjects[pending.subject].evidence;
        // The draw that killed the worker was valid too.
        let drawn = judged + u64::from(described.is_some());
        evidence.valid += drawn;
        evidence.attempts += drawn;
        match (described, confirm::is_kill(outcome)) {
            (Some((call, tree)), true) => self.add_killed(&pending, format!("the process {what}"), call, tree),
            (Some((call, _)), false) => self.undecide(&pending, format!("a call {}", late(outcome)), Some(call)),
            (None, _) => self.undecide(&pending, format!("the process {what} outside a call"), None),
        }
        match under_way {
            UnderWay::Seed(seed) => pending.skip.push(seed),
            // Met by the search or while shrinking, which would meet it again.
            _ => pending.with_search = false,
        }
        pending.kills += 1;
        if pending.kills < MAX_KILLS && matches!(outcome, Outcome::Ended(End::Signal(_) | End::Exited(_))) {
            self.pending.push(pending);
        } else {
            self.done += 1;
        }
        Ok(())
    }

    pub(crate) fn undecide(&mut self, pending: &Pending, reason: String, call: Option<String>) {
        let subject = &mut self.checked.subjects[pending.subject];
        let reason = call.map_or_else(|| reason.clone(), |call| format!("{reason}: {call}"));
        if subject.verdict == Verdict::Clean {
            let hint = "say how long a call may take with `@timeout(seconds)`, or narrow the annotations".to_owned();
            subject.verdict = Verdict::Undecided(reason, Some(hint));
        }
    }

    /// The call and the choices of a draw that ended a worker, made simpler where it was the draw's doing.
    fn describe(
        &mut self,
        pending: &Pending,
        under_way: &UnderWay,
        outcome: &Outcome,
    ) -> Result<Option<(String, Vec<u8>)>, CheckError> {
        let module = &self.modules[pending.module];
        let mut entries = self.options.entries(self.root, module);
        entries.extend([
            (Value::from("only_describe"), Value::from(true)),
            (Value::from("omitted"), Value::List(Vec::new())),
        ]);
        let killed_by = |what: &str, number: i32| Value::List(vec![Value::from(what), Value::Int(i64::from(number))]);
        match outcome {
            Outcome::Ended(End::Signal(signal)) => {
                entries.push((Value::from("killed_by"), killed_by("signal", *signal)))
            }
            Outcome::Ended(End::Exited(code)) => entries.push((Value::from("killed_by"), killed_by("code", *code))),
            _ => {}
        }
        match under_way {
            UnderWay::Seed(seed) => entries.push((Value::from("draw"), Value::from(*seed))),
            UnderWay::Tree(tree) => entries.push((Value::from("tree"), Value::Bytes(tree.clone()))),
            UnderWay::Nothing => return Ok(None),
        }
        let subject = self.checked.subjects[pending.subject].name.as_str();
        let arguments = vec![Value::from(module.name.as_str()), Value::from(subject), Value::Map(entries)];
        let piece = confirm::call_piece("confirm", arguments, self.options, 60);
        let task = Task { layer: module.layer(self.root, &self.options.policy(&[])), pieces: vec![piece] };
        let mut found = None;
        self.driver.run([task], |report| {
            if let Answer::Returned(DescribeReply { call: Some(call), tree }) = Answer::of(&report) {
                found = Some((call, tree.0));
            }
            Flow::Continue
        })?;
        Ok(found)
    }

    fn add_killed(&mut self, pending: &Pending, message: String, call: String, tree: Vec<u8>) {
        let already = self.checked.findings.iter_mut().find(|finding| {
            finding.subject == pending.subject && finding.kind == FindingKind::Killed && finding.message == message
        });
        if let Some(finding) = already {
            finding.count += 1;
            // The shorter call is the easier one to look at.
            if call.len() < finding.call.len() {
                (finding.call, finding.tree) = (call, tree);
            }
            return;
        }
        let subject = &self.checked.subjects[pending.subject];
        let (path, line) = (subject.path.clone(), subject.line);
        let import = import_statement(&self.modules[pending.module], &subject.name);
        self.checked.subjects[pending.subject].verdict = Verdict::Found;
        self.push_finding(Finding {
            id: String::new(),
            through: None,
            subject: pending.subject,
            kind: FindingKind::Killed,
            path,
            line,
            message,
            source: String::new(),
            call,
            import,
            check: String::new(),
            count: 1,
            tree,
            omitted: Vec::new(),
            recurs: None,
        });
    }
}

fn late(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Ended(End::WallLimit | End::CpuLimit) => "did not end within the time limit",
        Outcome::Ended(End::ProcessLimit) => "started too many processes",
        _ => "gave no answer",
    }
}
