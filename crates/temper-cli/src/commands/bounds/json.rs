//! The results of `temper bounds` for programs: every number and every seed.

use serde::Serialize;
use serde_json::{Map, Value, json};
use temper_bounds::Seeds;
use temper_bounds::findings::{JudgedSite, word};
use temper_bounds::judge::verdict::{Flaky, Rules, SiteVerdict};
use temper_bounds::propose::advice::{Advised, Begun};
use temper_bounds::propose::patches;
use temper_bounds::propose::proposal::{Proposal, Support};
use temper_bounds::sample::run_record::role_name;
use temper_bounds::sample::scheduler::{BoundsResult, SiteResult, Stop, TestProblem, TestResult, is_finding};
use temper_report::{Document, Finding, Subject};
use temper_stats::Direction;

use super::mutants_json;
use crate::commands::{Context, proposal_text};

#[derive(Serialize)]
pub struct Own {
    bounds: Run,
}

#[derive(Serialize)]
struct Run {
    pass: f64,
    confidence: f64,
    most_runs: usize,
    seeds: &'static str,
    runs_taken: usize,
    runs_of_patches: usize,
    runs_reused: usize,
    stopped: Option<&'static str>,
    not_judged: Vec<NotJudged>,
    left_out: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mutants: Option<Value>,
}

#[derive(Serialize)]
struct NotJudged {
    test: String,
    reason: &'static str,
    message: String,
}

/// One subject for each site of each test; one finding for each site.
pub fn document(
    found: &BoundsResult,
    (rows, advised): (&[JudgedSite<'_>], &Advised),
    rules: &Rules,
    context: &Context<'_>,
) -> Document<Own> {
    let own = Own {
        bounds: Run {
            pass: rules.pass.get(),
            confidence: rules.confidence.get(),
            most_runs: rules.most_runs,
            seeds: if found.seeds == Seeds::Vary { "vary" } else { "keep" },
            runs_taken: found.taken,
            runs_of_patches: advised.taken,
            runs_reused: found.reused,
            stopped: found.stopped.map(|stop| if stop == Stop::Budget { "budget" } else { "interrupt" }),
            not_judged: found.tests.iter().filter_map(not_judged).collect(),
            left_out: found.plan.left_out().into_iter().map(|(reason, count)| (reason, json!(count))).collect(),
            mutants: mutants_json::report(found, rows, advised),
        },
    };
    let mut document = Document::new("bounds", own);
    document.seed = Some(context.settings.seed);
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
    document.findings = findings.map(|row| finding(row, advised)).collect();
    document
}

fn not_judged(test: &TestResult) -> Option<NotJudged> {
    let (reason, message) = match test.problem.as_ref()? {
        TestProblem::FailsAlways(said) => ("fails always", said.as_str()),
        TestProblem::OwnSeed(said) => ("fails with other seeds", said.as_str()),
        TestProblem::Errors(said) => ("errors", said.as_str()),
        TestProblem::Skipped(said) => ("skipped", said.as_str()),
        TestProblem::NoSite => ("no site reached", ""),
        TestProblem::NotRun => ("not run", ""),
    };
    Some(NotJudged { test: test.test.node.clone(), reason, message: message.to_owned() })
}

fn subject(found: &BoundsResult, test: &TestResult, site: &SiteResult, context: &Context<'_>) -> Option<Subject> {
    let (planned, source) = found.plan.site(site.number)?;
    Some(Subject {
        name: format!("{} {}:{}", test.test.node, source.position.line, source.position.column),
        path: context.shown(planned.file.path()),
        line: source.position.line,
        verdict: verdict(&site.judgement.verdict),
        evidence: evidence(site, source.form.name()),
    })
}

/// A test that should have been judged and was not; none where there is nothing to judge.
fn test_without_answer(test: &TestResult, problem: &TestProblem, context: &Context<'_>) -> Option<Subject> {
    let (verdict, name, said) = match problem {
        TestProblem::FailsAlways(said) => {
            (temper_report::Verdict::Failed, "error", format!("it fails in every run: {said}"))
        }
        TestProblem::Errors(said) => (temper_report::Verdict::Failed, "error", format!("most runs raise: {said}")),
        TestProblem::OwnSeed(said) => {
            (temper_report::Verdict::Undecided, "reason", format!("it fails with most seeds but its own: {said}"))
        }
        TestProblem::NotRun => (temper_report::Verdict::Undecided, "reason", "no run came to an end".to_owned()),
        TestProblem::Skipped(_) | TestProblem::NoSite => return None,
    };
    Some(Subject {
        name: test.test.node.clone(),
        path: context.shown(&test.test.path),
        line: test.test.line.unwrap_or(1).max(1),
        verdict,
        evidence: Map::from_iter([(name.to_owned(), json!(said))]),
    })
}

fn verdict(verdict: &SiteVerdict) -> temper_report::Verdict {
    match verdict {
        SiteVerdict::Deterministic | SiteVerdict::Pinned | SiteVerdict::Sound(_) | SiteVerdict::Rare => {
            temper_report::Verdict::Clean
        }
        SiteVerdict::Flaky(_) | SiteVerdict::Suspect(_) | SiteVerdict::Loose(_) => temper_report::Verdict::Found,
        SiteVerdict::Undecided { .. } => temper_report::Verdict::Undecided,
        SiteVerdict::FailsAlways | SiteVerdict::Broken => temper_report::Verdict::Failed,
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
    let reason = proposal_text::no_answer_words(site).join("; ");
    if !reason.is_empty() {
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

fn finding(row: &JudgedSite<'_>, advised: &Advised) -> Finding {
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
    Finding {
        id: row.id.clone(),
        kind: verdict.to_owned(),
        subject: format!("{} {}:{}", row.test.test.node, row.line, row.column),
        path: row.path.clone(),
        line: row.line,
        message: format!("`{}` is {verdict}: {} of {} runs failed", row.source, series.failures, series.runs),
        evidence,
        exception: None,
        call: None,
        seed: series.worst_seeds(1).first().copied(),
        patch,
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
