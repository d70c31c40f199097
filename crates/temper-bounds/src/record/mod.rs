//! What a run of `temper bounds` found, as the record that everything is printed from.

pub mod mutants;

use std::path::Path;

use serde_json::{Map, Value, json};
use temper_report::{
    BoundSide, BoundsDetails, Details, Document, DriftRecord, FailureRate, Finding, FindingEvidence, FindingKind,
    NotJudged, NotJudgedReason, PooledRuns, SampleQuantiles, SeedsUsed, SiteEvidence, SiteFindingEvidence, SiteRow,
    StoppedBy, Subject, SubjectEvidence, SubjectProblem, TestFindingEvidence, TestRecordings, Verdict,
    VerificationBegun, percent,
};
use temper_stats::Direction;

use crate::Seeds;
use crate::findings::{JudgedSite, word};
use crate::judge::verdict::{Flaky, Rules, SiteVerdict, Soundness};
use crate::mutate::tighten::Tightened;
use crate::propose::advice::{Advice, Advised, Begun};
use crate::propose::patches;
use crate::propose::proposal::{Proposal, Support};
use crate::sample::failures_elsewhere::{self, FailuresElsewhere};
use crate::sample::pooling::Pooling;
use crate::sample::recorded::{Drift, RecordedEvidence};
use crate::sample::replaced_seeds;
use crate::sample::run_record::{RunEnd, role_name};
use crate::sample::scheduler::{BoundsResult, SiteResult, Stop, TestProblem, TestResult};
use crate::wording;

/// What a run is recorded from.
pub struct BoundsRun<'r> {
    /// What was found.
    pub found: &'r BoundsResult,
    /// Its assertions.
    pub rows: &'r [JudgedSite<'r>],
    /// What is proposed for them.
    pub advised: &'r Advised,
    /// What was asked of bounds.
    pub rules: &'r Rules,
    /// The seed of the run.
    pub seed: u64,
    /// A path as reports show it.
    pub shown: &'r dyn Fn(&Path) -> String,
}

impl BoundsRun<'_> {
    /// The record: one subject for each assertion of each test, one finding for each assertion.
    pub fn document(&self) -> Document {
        let (found, advised) = (self.found, self.advised);
        let stopped = advised.stopped.or(found.stopped);
        let is_judged = |test: &&TestResult| test.shown_sites().next().is_some();
        let details = BoundsDetails {
            pass: self.rules.pass.get(),
            confidence: self.rules.confidence.get(),
            most_runs: self.rules.most_runs,
            seeds: if found.seeds == Seeds::Vary { SeedsUsed::Vary } else { SeedsUsed::Keep },
            runs_taken: found.taken,
            runs_of_patches: advised.taken + advised.taken_in_short_trials,
            runs_reused: found.reused,
            pooled: found.tests.iter().filter_map(pooled).collect(),
            recorded: found.tests.iter().filter_map(recorded).collect(),
            stopped: stopped.map(|stop| match stop {
                Stop::Budget => StoppedBy::Budget,
                Stop::Interrupt => StoppedBy::Interrupt,
                Stop::NoRun => StoppedBy::NoRun,
            }),
            tests_judged: found.tests.iter().filter(is_judged).count(),
            sites: self.rows.iter().map(|row| self.site_row(row)).collect(),
            not_judged: not_collected(found).chain(found.tests.iter().filter_map(not_judged)).collect(),
            left_out: found.plan.left_out(),
            mutants: mutants::record(found, self.rows, advised, self.rules),
        };
        let mut document = Document::new(Details::Bounds { bounds: Box::new(details) });
        document.seed = Some(self.seed);
        document.is_interrupted = stopped == Some(Stop::Interrupt);
        if let Some(versions) = &found.loaded.versions {
            document.versions.insert(versions.implementation.clone(), versions.python.clone());
        }
        document.subjects = found.tests.iter().flat_map(|test| self.subjects(test)).collect();
        let sites = self.rows.iter().filter_map(|row| finding(row, advised));
        document.findings = sites.chain(found.tests.iter().filter_map(|test| self.elsewhere(test))).collect();
        document
    }

    fn subjects(&self, test: &TestResult) -> Vec<Subject> {
        let sites: Vec<Subject> = test.shown_sites().filter_map(|site| self.subject(test, site)).collect();
        match &test.problem {
            Some(problem) if sites.is_empty() => self.test_without_answer(test, problem).into_iter().collect(),
            _ => sites,
        }
    }

    fn subject(&self, test: &TestResult, site: &SiteResult) -> Option<Subject> {
        let (planned, source) = self.found.plan.site(site.number)?;
        Some(Subject {
            name: subject_name(test, source.position.line, source.position.column),
            path: (self.shown)(planned.file.path()),
            line: source.position.line,
            verdict: self.verdict(test, site),
            evidence: SubjectEvidence::Site(Box::new(SiteEvidence {
                verdict: if self.is_half_answered(site) { "undecided" } else { word(&site.judgement.verdict) }
                    .to_owned(),
                ..evidence(site, source.form.name(), test.all_secs)
            })),
        })
    }

    fn verdict(&self, test: &TestResult, site: &SiteResult) -> Verdict {
        if self.is_half_answered(site) { Verdict::undecided(self.half_answer(test, site)) } else { verdict(site) }
    }

    /// Whether a bound meets its target, while it was also asked whether it is loose, and that is not known.
    fn is_half_answered(&self, site: &SiteResult) -> bool {
        let is_cut = |tightened: &Tightened| tightened.is_cut && tightened.is_asked;
        is_clean(site) && self.found.tightened.as_ref().is_some_and(is_cut)
    }

    fn half_answer(&self, test: &TestResult, site: &SiteResult) -> String {
        let kills = self.found.tightened.as_ref().and_then(|found| found.of(&test.test.node, site.number));
        let judged = mutants::judged_words(kills.map(|kills| &kills.reach));
        format!("the bound meets its target; whether it is loose is not known: {judged}")
    }

    /// A test that fails by luck outside its sites.
    fn elsewhere(&self, test: &TestResult) -> Option<Finding> {
        let FailuresElsewhere { failures, runs, rate, seed, said } = test.elsewhere.as_ref()?;
        let node = &test.test.node;
        let rate = FailureRate { share: Some(rate.share), low: Some(rate.low), high: Some(rate.high) };
        let green_seed = replaced_seeds::words(&test.replaced).filter(|_| test.baseline == Some(RunEnd::Passed));
        Some(Finding {
            id: failures_elsewhere::id(node),
            kind: FindingKind::Flaky,
            subject: node.clone(),
            path: (self.shown)(&test.test.path),
            line: test.test.line.unwrap_or(1).max(1),
            message: format!("`{node}` fails outside its approximate assertions in {failures} of {runs} runs: {said}"),
            evidence: FindingEvidence::Test(TestFindingEvidence {
                runs: *runs,
                failures: *failures,
                failure_rate: rate,
                green_seed,
            }),
            exception: Some(said.clone()),
            call: None,
            seed: Some(*seed),
            patch: None,
        })
    }

    /// A test that should have been judged and was not; none if there is nothing to judge.
    fn test_without_answer(&self, test: &TestResult, problem: &TestProblem) -> Option<Subject> {
        let failed = |said: String| Verdict::Failed(SubjectProblem::sentence(said));
        let verdict = match problem {
            TestProblem::FailsAlways(said) => failed(format!("it fails in every run: {said}")),
            TestProblem::Errors(said) => failed(format!("most runs raise: {said}")),
            TestProblem::OwnSeed(said) => Verdict::undecided(format!("it fails with most seeds but its own: {said}")),
            TestProblem::NotRun => Verdict::undecided("no run came to an end"),
            TestProblem::Skipped(_) | TestProblem::NoSite => return None,
        };
        Some(Subject {
            name: test.test.node.clone(),
            path: (self.shown)(&test.test.path),
            line: test.test.line.unwrap_or(1).max(1),
            verdict,
            evidence: SubjectEvidence::Nothing {},
        })
    }

    fn site_row(&self, row: &JudgedSite<'_>) -> SiteRow {
        SiteRow {
            id: row.id.clone(),
            subject: subject_name(row.test, row.line, row.column),
            path: row.path.clone(),
            line: row.line,
            column: row.column,
            source: row.source.clone(),
            test: row.test.test.node.clone(),
            tests: row.tests.len(),
            green_seed: row.green_seed(),
            said: if self.is_half_answered(row.result) {
                vec![self.half_answer(row.test, row.result)]
            } else {
                said(row, self.advised, self.rules)
            },
            mutants: mutants::of_site(self.found, row, self.advised, self.rules),
        }
    }
}

fn subject_name(test: &TestResult, line: u32, column: u32) -> String {
    format!("{} {line}:{column}", test.test.node)
}

/// What the verdict rests on and what is proposed, line by line.
fn said(row: &JudgedSite<'_>, advised: &Advised, rules: &Rules) -> Vec<String> {
    let pass = row.result.judgement.pass.get();
    let reproduce = format!("reproduce  temper replay {}", row.id);
    match &row.result.judgement.verdict {
        SiteVerdict::Flaky(_) => proposal_lines(row, advised).into_iter().chain([reproduce]).collect(),
        SiteVerdict::Loose(_) => proposal_lines(row, advised),
        SiteVerdict::Sound(Soundness::Supported(evidence)) => {
            let support = wording::support_words(&Support::from(evidence), rules.confidence.get());
            vec![format!("holds      {} ({support})", wording::promise(pass))]
        }
        SiteVerdict::Sound(Soundness::FarInside(found)) => {
            vec![format!("holds      {}", wording::far_inside_words(found))]
        }
        SiteVerdict::Suspect(suspicion) => {
            let words = wording::suspicion_words(suspicion);
            vec![format!("{words}: looks like a bug, no wider bound is offered"), reproduce]
        }
        SiteVerdict::Rare => vec![format!(
            "failures are as rare as asked: the fitted tail stays inside the bound in {} of runs",
            percent(pass)
        )],
        SiteVerdict::Undecided { .. } | SiteVerdict::Broken => wording::no_answer_words(row.result),
        SiteVerdict::Deterministic => row.constant_because.iter().map(wording::constant_words).collect(),
        SiteVerdict::Pinned => vec![
            "most distances are over ten times the tolerance: the expected numbers look recorded under the test's own seed"
                .to_owned(),
        ],
        SiteVerdict::FailsAlways => Vec::new(),
    }
}

fn proposal_lines(row: &JudgedSite<'_>, advised: &Advised) -> Vec<String> {
    match advised.by_id.get(&row.id) {
        Some(Advice { proposal: Some(proposal), begun, passed_over, .. }) => {
            let lines = wording::lines(proposal, begun.as_ref(), passed_over);
            lines.lines().map(|line| line.strip_prefix("  ").unwrap_or(line).to_owned()).collect()
        }
        Some(Advice { proposal: None, passed_over, others, .. }) => {
            let why = passed_over.iter().map(|why| format!("           {}", wording::passed_over_words(why)));
            let others = others.iter().map(|other| wording::other_words(other, &row.id));
            ["proposal   none".to_owned()].into_iter().chain(why).chain(others).collect()
        }
        None => Vec::new(),
    }
}

fn not_collected(found: &BoundsResult) -> impl Iterator<Item = NotJudged> {
    found.loaded.errors.iter().map(|error| {
        let last = error.text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        NotJudged { test: error.node.clone(), reason: NotJudgedReason::NotCollected, message: last.trim().to_owned() }
    })
}

fn pooled(test: &TestResult) -> Option<PooledRuns> {
    let Pooling { runs, machines, p, is_counted } = test.pooling.clone()?;
    Some(PooledRuns { test: test.test.node.clone(), runs, machines, p, is_counted })
}

fn recorded(test: &TestResult) -> Option<TestRecordings> {
    let RecordedEvidence { runs, commits, outdated, drift } = test.recorded.clone()?;
    let drift = drift.map(|Drift { since, runs, p }| DriftRecord { since, runs, p });
    Some(TestRecordings { test: test.test.node.clone(), runs, commits, outdated, drift })
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

/// Whether a bound that meets its target could still be loose.
fn is_clean(site: &SiteResult) -> bool {
    matches!(site.judgement.verdict, SiteVerdict::Sound(_) | SiteVerdict::Rare)
}

fn verdict(site: &SiteResult) -> Verdict {
    let reason = || wording::no_answer_words(site).join("; ");
    match &site.judgement.verdict {
        SiteVerdict::Deterministic | SiteVerdict::Pinned | SiteVerdict::Sound(_) | SiteVerdict::Rare => {
            Verdict::clean(site.series.runs as u64)
        }
        SiteVerdict::Flaky(_) | SiteVerdict::Suspect(_) | SiteVerdict::Loose(_) => Verdict::Found,
        SiteVerdict::Undecided { .. } => Verdict::undecided(reason()),
        SiteVerdict::FailsAlways => Verdict::Failed(SubjectProblem::sentence("it fails in every run")),
        SiteVerdict::Broken => Verdict::Failed(SubjectProblem::sentence(reason())),
    }
}

fn evidence(site: &SiteResult, form: &str, secs: f64) -> SiteEvidence {
    let (series, failures) = (&site.series, &site.judgement.failures);
    let samples = series.samples().ok();
    let quantile = |p: f64| samples.as_ref().and_then(|samples| samples.quantile(p)).and_then(finite);
    let is_broken = matches!(site.judgement.verdict, SiteVerdict::Broken);
    SiteEvidence {
        verdict: word(&site.judgement.verdict).to_owned(),
        form: form.to_owned(),
        role: role_name(series.role).to_owned(),
        direction: if series.direction == Direction::Upper { BoundSide::Upper } else { BoundSide::Lower },
        is_strict: series.is_strict,
        bound: finite(series.bound),
        is_margin: series.is_margin,
        judged_after: site.judgement.runs,
        judged_at: site.judgement.pass.get(),
        runs: series.runs,
        reached: series.reached,
        failures: series.failures,
        failure_rate: FailureRate {
            share: finite(failures.share),
            low: finite(failures.low),
            high: finite(failures.high),
        },
        nan: series.nan,
        infinite: series.infinite,
        unreadable: series.unreadable,
        errors: series.errors,
        quantiles: SampleQuantiles {
            p0_1: quantile(0.001),
            p1: quantile(0.01),
            p50: quantile(0.5),
            p99: quantile(0.99),
            p99_9: quantile(0.999),
        },
        rests_on: rests_on(&site.judgement.verdict),
        worst_seeds: series.worst_seeds(5),
        seeds: series.seeds.clone(),
        numbers: series.numbers.clone(),
        reason: is_broken.then(|| wording::no_answer_words(site).join("; ")),
        secs,
    }
}

/// A number that has a JSON form.
fn finite(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite())
}

fn rests_on(verdict: &SiteVerdict) -> Value {
    match verdict {
        SiteVerdict::Sound(Soundness::Supported(evidence)) => json!(Support::from(evidence)),
        SiteVerdict::Sound(Soundness::FarInside(found)) => {
            json!({ "kind": "far-inside", "times": finite(found.times), "values": found.values })
        }
        SiteVerdict::Flaky(Flaky { is_observed, .. }) => {
            json!({ "kind": if *is_observed { "observed" } else { "extrapolated" } })
        }
        _ => Value::Null,
    }
}

fn finding(row: &JudgedSite<'_>, advised: &Advised) -> Option<Finding> {
    let kind = kind(&row.result.judgement.verdict)?;
    let advice = advised.by_id.get(&row.id);
    let proposal = advice.and_then(|advice| advice.proposal.as_ref());
    let passed_over = |advice: &Advice| advice.passed_over.iter().map(wording::passed_over_words).collect();
    let begun = |Begun { runs, wanted, failures }| VerificationBegun { runs, wanted, failures };
    let evidence = SiteFindingEvidence {
        site: evidence(row.result, row.site.form.name(), row.test.all_secs),
        proposal: proposal.map(proposal_members),
        passed_over: advice.map(passed_over),
        other_remedies: advice.map(|advice| advice.others.iter().map(|other| json!(other)).collect()),
        verification_begun: advice.and_then(|advice| advice.begun).map(begun),
    };
    let verified = proposal.filter(|proposal| proposal.verification.is_some());
    let series = &row.result.series;
    Some(Finding {
        id: row.id.clone(),
        kind,
        subject: subject_name(row.test, row.line, row.column),
        path: row.path.clone(),
        line: row.line,
        message: format!("`{}` is {}: {} of {} runs failed", row.source, kind.word(), series.failures, series.runs),
        evidence: FindingEvidence::Site(Box::new(evidence)),
        exception: None,
        call: None,
        seed: series.worst_seeds(1).first().copied(),
        patch: verified.map(|proposal| patches::path_of(&proposal.id)),
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
fn proposal_members(proposal: &Proposal) -> Map<String, Value> {
    let members = [
        ("remedy", json!(proposal.remedy)),
        ("pass", json!(proposal.pass)),
        ("confidence", json!(proposal.confidence)),
        ("levels", json!(proposal.levels)),
        ("moves", json!(proposal.moves)),
        ("tests", json!(proposal.place.tests)),
        ("change", json!(proposal.change)),
        ("verification", json!(proposal.verification)),
        ("kill_cost", json!(proposal.kill_cost)),
        ("decision", json!(proposal.decision)),
    ];
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
