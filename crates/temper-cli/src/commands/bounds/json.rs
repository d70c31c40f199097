//! The results of `temper bounds` for programs: every number and every seed.

use serde_json::{Map, Value, json};
use temper_bounds::Seeds;
use temper_bounds::findings::{JudgedSite, word};
use temper_bounds::judge::verdict::{Flaky, Rules, SiteVerdict};
use temper_bounds::propose::advice::{Advised, Begun};
use temper_bounds::propose::patches;
use temper_bounds::propose::proposal::{Proposal, Support};
use temper_bounds::sample::run_record::role_name;
use temper_bounds::sample::scheduler::{BoundsResult, SiteResult, Stop, TestProblem, TestResult, is_finding};
use temper_report::{
    BoundsDetails, Details, Document, Finding, FindingEvidence, FindingKind, NotJudged, NotJudgedReason, Problem,
    SeedsUsed, StoppedBy, Subject, SubjectEvidence, Verdict,
};
use temper_stats::Direction;

use super::mutants_json;
use crate::commands::{Context, proposal_text};

/// One subject for each site of each test; one finding for each site.
pub fn document(
    found: &BoundsResult,
    (rows, advised): (&[JudgedSite<'_>], &Advised),
    rules: &Rules,
    context: &Context<'_>,
) -> Document {
    let stopped = advised.stopped.or(found.stopped);
    let details = BoundsDetails {
        pass: rules.pass.get(),
        confidence: rules.confidence.get(),
        most_runs: rules.most_runs,
        seeds: if found.seeds == Seeds::Vary { SeedsUsed::Vary } else { SeedsUsed::Keep },
        runs_taken: found.taken,
        runs_of_patches: advised.taken,
        runs_reused: found.reused,
        stopped: stopped.map(|stop| if stop == Stop::Budget { StoppedBy::Budget } else { StoppedBy::Interrupt }),
        not_judged: not_collected(found).chain(found.tests.iter().filter_map(not_judged)).collect(),
        left_out: found.plan.left_out().into_iter().collect(),
        mutants: mutants_json::report(found, rows, advised),
    };
    let mut document = Document::new(Details::Bounds { bounds: Box::new(details) });
    document.seed = Some(context.settings.seed);
    document.is_interrupted = stopped == Some(Stop::Interrupt);
    if let Some(versions) = &found.loaded.versions {
        document.versions.insert(versions.implementation.clone(), versions.python.clone());
    }
    for test in &found.tests {
        match &test.problem {
            None => document.subjects.extend(test.sites.iter().filter_map(|site| subject(found, test, site, context))),
            Some(problem) => document.subjects.extend(test_without_answer(test, problem, context)),
        }
    }
    let findings = rows.iter().filter(|row| is_finding(&row.result.judgement.verdict));
    document.findings = findings.filter_map(|row| finding(row, advised)).collect();
    document
}

fn not_collected(found: &BoundsResult) -> impl Iterator<Item = NotJudged> {
    found.loaded.errors.iter().map(|error| {
        let last = error.text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        NotJudged { test: error.node.clone(), reason: NotJudgedReason::NotCollected, message: last.trim().to_owned() }
    })
}

fn not_judged(test: &TestResult) -> Option<NotJudged> {
    let (reason, message) = match test.problem.as_ref()? {
        TestProblem::FailsAlways(said) => (NotJudgedReason::FailsAlways, said.as_str()),
        TestProblem::OwnSeed(said) => (NotJudgedReason::OwnSeed, said.as_str()),
        TestProblem::Errors(said) => (NotJudgedReason::Errors, said.as_str()),
        TestProblem::Skipped(said) => (NotJudgedReason::Skipped, said.as_str()),
        TestProblem::NoSite => (NotJudgedReason::NoSite, ""),
        TestProblem::NotRun => (NotJudgedReason::NotRun, ""),
    };
    Some(NotJudged { test: test.test.node.clone(), reason, message: message.to_owned() })
}

fn subject(found: &BoundsResult, test: &TestResult, site: &SiteResult, context: &Context<'_>) -> Option<Subject> {
    let (planned, source) = found.plan.site(site.number)?;
    Some(Subject {
        name: format!("{} {}:{}", test.test.node, source.position.line, source.position.column),
        path: context.shown(planned.file.path()),
        line: source.position.line,
        verdict: verdict(site),
        evidence: SubjectEvidence::Plain(evidence(site, source.form.name())),
    })
}

/// A test that should have been judged and was not; none if there is nothing to judge.
fn test_without_answer(test: &TestResult, problem: &TestProblem, context: &Context<'_>) -> Option<Subject> {
    let failed = |said: String| Verdict::Failed(Problem::sentence(said));
    let verdict = match problem {
        TestProblem::FailsAlways(said) => failed(format!("it fails in every run: {said}")),
        TestProblem::Errors(said) => failed(format!("most runs raise: {said}")),
        TestProblem::OwnSeed(said) => Verdict::undecided(format!("it fails with most seeds but its own: {said}")),
        TestProblem::NotRun => Verdict::undecided("no run came to an end"),
        TestProblem::Skipped(_) | TestProblem::NoSite => return None,
    };
    Some(Subject {
        name: test.test.node.clone(),
        path: context.shown(&test.test.path),
        line: test.test.line.unwrap_or(1).max(1),
        verdict,
        evidence: SubjectEvidence::Plain(Map::new()),
    })
}

fn verdict(site: &SiteResult) -> Verdict {
    let reason = || proposal_text::no_answer_words(site).join("; ");
    match &site.judgement.verdict {
        SiteVerdict::Deterministic | SiteVerdict::Pinned | SiteVerdict::Sound(_) | SiteVerdict::Rare => {
            Verdict::clean(site.series.runs as u64)
        }
        SiteVerdict::Flaky(_) | SiteVerdict::Suspect(_) | SiteVerdict::Loose(_) => Verdict::Found,
        SiteVerdict::Undecided { .. } => Verdict::undecided(reason()),
        SiteVerdict::FailsAlways => Verdict::Failed(Problem::sentence("it fails in every run")),
        SiteVerdict::Broken => Verdict::Failed(Problem::sentence(reason())),
    }
}

fn evidence(site: &SiteResult, form: &str) -> Map<String, Value> {
    let (series, failures) = (&site.series, &site.judgement.failures);
    let samples = series.samples().ok();
    let quantile = |p: f64| samples.as_ref().and_then(|samples| samples.quantile(p));
    let upper = series.direction == Direction::Upper;
    let value = json!({
        "verdict": word(&site.judgement.verdict),
        "form": form,
        "role": role_name(series.role),
        "direction": if upper { "upper" } else { "lower" },
        "is_strict": series.is_strict,
        "bound": series.bound,
        "is_margin": series.is_margin,
        "judged_after": site.judgement.runs,
        "judged_at": site.judgement.pass.get(),
        "runs": series.runs,
        "reached": series.reached,
        "failures": series.failures,
        "failure_rate": { "share": failures.share, "low": failures.low, "high": failures.high },
        "nan": series.nan,
        "infinite": series.infinite,
        "unreadable": series.unreadable,
        "errors": series.errors,
        "quantiles": { "p0.1": quantile(0.001), "p1": quantile(0.01), "p50": quantile(0.5), "p99": quantile(0.99), "p99.9": quantile(0.999) },
        "rests_on": rests_on(&site.judgement.verdict),
        "worst_seeds": series.worst_seeds(5),
        "seeds": series.seeds,
        "numbers": series.numbers,
    });
    let mut map = match value {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    if let SiteVerdict::Broken = site.judgement.verdict {
        let reason = proposal_text::no_answer_words(site).join("; ");
        map.insert("reason".to_owned(), json!(reason));
    }
    map
}

fn rests_on(verdict: &SiteVerdict) -> Value {
    match verdict {
        SiteVerdict::Sound(evidence) => json!(Support::from(evidence)),
        SiteVerdict::Flaky(Flaky { is_observed, .. }) => {
            json!({ "kind": if *is_observed { "observed" } else { "extrapolated" } })
        }
        _ => Value::Null,
    }
}

fn finding(row: &JudgedSite<'_>, advised: &Advised) -> Option<Finding> {
    let kind = kind(&row.result.judgement.verdict)?;
    let mut evidence = evidence(row.result, row.site.form.name());
    let advice = advised.by_id.get(&row.id);
    let proposal = advice.and_then(|advice| advice.proposal.as_ref());
    if let Some(proposal) = proposal {
        evidence.insert("proposal".to_owned(), proposal_json(proposal));
    }
    if let Some(advice) = advice {
        let words: Vec<String> = advice.passed_over.iter().map(proposal_text::passed_over_words).collect();
        evidence.insert("passed_over".to_owned(), json!(words));
        if let Some(Begun { runs, wanted, failures }) = advice.begun {
            let begun = json!({ "runs": runs, "wanted": wanted, "failures": failures });
            evidence.insert("verification_begun".to_owned(), begun);
        }
    }
    let patch =
        proposal.filter(|proposal| proposal.verification.is_some()).map(|proposal| patches::path_of(&proposal.id));
    let series = &row.result.series;
    let verdict = word(&row.result.judgement.verdict);
    Some(Finding {
        id: row.id.clone(),
        kind,
        subject: format!("{} {}:{}", row.test.test.node, row.line, row.column),
        path: row.path.clone(),
        line: row.line,
        message: format!("`{}` is {verdict}: {} of {} runs failed", row.source, series.failures, series.runs),
        evidence: FindingEvidence::Plain(evidence),
        exception: None,
        call: None,
        seed: series.worst_seeds(1).first().copied(),
        patch,
    })
}

fn kind(verdict: &SiteVerdict) -> Option<FindingKind> {
    match verdict {
        SiteVerdict::Flaky(_) => Some(FindingKind::Flaky),
        SiteVerdict::Suspect(_) => Some(FindingKind::Suspect),
        SiteVerdict::Loose(_) => Some(FindingKind::Loose),
        _ => None,
    }
}

/// Everything that a person decides by; the samples are in the evidence already.
fn proposal_json(proposal: &Proposal) -> Value {
    json!({
        "remedy": proposal.remedy,
        "pass": proposal.pass,
        "confidence": proposal.confidence,
        "levels": proposal.levels,
        "moves": proposal.moves,
        "tests": proposal.place.tests,
        "change": proposal.change,
        "verification": proposal.verification,
        "kill_cost": proposal.kill_cost,
        "decision": proposal.decision,
    })
}
