//! The table at the end of `temper check --suggest`: what happened when each proposal was tried.

use temper_check::{Checked, SuggestedFunction};
use temper_report::{FindingKind, Verdict, counted};

/// How the trial of a proposal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialEnd {
    /// No call crashed.
    Clean,
    /// A call crashed, and not because the function itself refused its input.
    Crash,
    /// The function's own `raise` refused an input: the proposal is too wide.
    Refused,
    /// It could not be decided.
    Undecided,
    /// Some argument is not known, or nothing could be drawn or imported.
    Untried,
}

impl TrialEnd {
    const ALL: [TrialEnd; 5] =
        [TrialEnd::Clean, TrialEnd::Crash, TrialEnd::Refused, TrialEnd::Undecided, TrialEnd::Untried];

    fn word(self) -> &'static str {
        match self {
            TrialEnd::Clean => "clean",
            TrialEnd::Crash => "crash",
            TrialEnd::Refused => "refused",
            TrialEnd::Undecided => "undecided",
            TrialEnd::Untried => "not tried",
        }
    }
}

/// What happened when a proposal was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// How it ended.
    pub end: TrialEnd,
    /// What the function said, one message a finding.
    pub said: Vec<String>,
    /// What the table says about it.
    shown: String,
    /// The call that crashed or was refused, as source text to paste.
    call: Option<String>,
}

/// A message that is longer ends there in the table. Calls are never cut.
const MESSAGE_CHARS: usize = 160;

impl Trial {
    /// The trial of one function, if its module was checked.
    pub fn of(function: &SuggestedFunction, checked: &Checked, module: Option<usize>) -> Trial {
        let number =
            checked.subjects.iter().position(|each| Some(each.module) == module && each.name == function.function);
        let Some((at, subject)) = number.map(|at| (at, &checked.subjects[at])) else {
            let why = if function.is_complete { "nothing is known about it" } else { "not every argument is known" };
            return Trial::without_findings(TrialEnd::Untried, why.to_owned());
        };
        match &subject.verdict {
            Some(Verdict::Found) => Trial::of_findings(checked, at),
            Some(Verdict::Undecided(doubt)) => Trial::without_findings(TrialEnd::Undecided, doubt.reason.clone()),
            Some(Verdict::Failed(problem)) => {
                let facts = problem.facts.first().map(|fact| format!(" ({fact})")).unwrap_or_default();
                Trial::without_findings(TrialEnd::Untried, format!("{}{facts}", problem.headline))
            }
            Some(_) => Trial::without_findings(TrialEnd::Clean, counted(subject.evidence.valid as usize, "input")),
            None => Trial::without_findings(TrialEnd::Undecided, "the run ended before it".to_owned()),
        }
    }

    fn without_findings(end: TrialEnd, shown: String) -> Trial {
        Trial { end, said: Vec::new(), shown, call: None }
    }

    fn of_findings(checked: &Checked, subject: usize) -> Trial {
        let findings: Vec<_> = checked.findings.iter().filter(|finding| finding.subject == subject).collect();
        let is_refusal = |source: &str| source.trim_start().starts_with("raise");
        let worst = findings.iter().find(|each| each.kind != FindingKind::Crash || !is_refusal(&each.evidence.source));
        let end = if worst.is_some() { TrialEnd::Crash } else { TrialEnd::Refused };
        let said = findings.iter().map(|each| each.message.clone()).collect();
        let told = worst.or(findings.first());
        let shown = told.map(|each| each.message.clone()).unwrap_or_default();
        Trial { end, said, shown, call: told.map(|each| each.call.clone()) }
    }

    /// The end of its line in the table: what was said, shortened, and the call as a whole.
    fn text(&self) -> String {
        let said: String = self.shown.lines().next().unwrap_or_default().chars().take(MESSAGE_CHARS).collect();
        self.call.iter().fold(said, |text, call| format!("{text}   {call}"))
    }
}

/// The table, and a line that sums up; `file` is where the proposals are.
pub fn render(found: &[SuggestedFunction], trials: &[Trial], file: &str) -> String {
    let mut text = String::from("\nTried:\n");
    for (each, trial) in found.iter().zip(trials) {
        text.push_str(&format!(
            "  {:<10} {}:{}   {}   {}\n",
            trial.end.word(),
            each.path,
            each.line,
            each.function,
            trial.text()
        ));
    }
    let known = found.iter().filter(|each| each.is_complete).count();
    let count = |end: TrialEnd| trials.iter().filter(|trial| trial.end == end).count();
    let parts = TrialEnd::ALL.into_iter().filter(|end| count(*end) > 0);
    let parts: Vec<String> = parts.map(|end| format!("{} {}", count(end), end.word())).collect();
    text.push_str(&format!(
        "{}, {known} with every argument known: {} · try them again: temper check --annotations {file}\n",
        counted(found.len(), "function"),
        parts.join(" · ")
    ));
    text
}
