//! The remedies for one site, best first, each taken when the one before it is of no use.

use temper_stats::order::samples_needed;
use temper_stats::{Target, bootstrap};

use super::candidate::{
    Advice, Begun, Candidate, PassedOver, ProposalLimits, count_fresh, levels, proposal_of, supported, tests_of,
    verified,
};
use crate::findings::JudgedSite;
use crate::judge::verdict::{NoProposal, Rules, SiteVerdict};
use crate::propose::proposal::{KillCost, OtherRemedy, Remedy, RemedyKind, Support, Verification};
use crate::propose::verify::{FreshRuns, PatchTrial};
use crate::propose::written_body::RemedySite;
use crate::propose::{rerun_mark, rewrite, supported_level};
use crate::sample::scheduler::{BoundsResult, Job};

/// Resamples of the empirical bound, as in the paper.
const RESAMPLES: usize = 1000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum CandidateStep {
    Tail,
    Empirical,
    Rerun,
    /// The one that the user wants: another body.
    Rewritten,
    End,
}

/// One site on its way from remedy to remedy.
pub(super) struct Remedies<'a> {
    job: &'a Job<'a>,
    limits: ProposalLimits<'a>,
    found: &'a BoundsResult,
    pub(super) row: &'a JudgedSite<'a>,
    rules: Rules,
    step: CandidateStep,
    candidate: Option<Candidate>,
    verification: Option<Verification>,
    begun: Option<Begun>,
    passed_over: Vec<PassedOver>,
    /// The only remedy that is wanted, if the user says so.
    only: Option<RemedyKind>,
    rewritten: Option<Result<Candidate, PassedOver>>,
}

impl<'a> Remedies<'a> {
    pub(super) fn new(
        job: &'a Job<'a>,
        limits: ProposalLimits<'a>,
        found: &'a BoundsResult,
        row: &'a JudgedSite<'a>,
    ) -> Self {
        let rules = Rules { pass: row.result.judgement.pass, ..job.rules };
        let is_loose = matches!(row.result.judgement.verdict, SiteVerdict::Loose(_));
        let chosen = limits.chosen.filter(|(_, ids)| ids.contains(&row.id) && !is_loose);
        let only = chosen.map(|(kind, _)| kind);
        let step = match only {
            None | Some(RemedyKind::Bound) => CandidateStep::Tail,
            Some(RemedyKind::Rerun) => CandidateStep::Rerun,
            Some(RemedyKind::Size | RemedyKind::Mean | RemedyKind::Seed) => CandidateStep::Rewritten,
        };
        Self {
            job,
            limits,
            found,
            row,
            rules,
            step,
            candidate: None,
            verification: None,
            begun: None,
            passed_over: Vec::new(),
            only,
            rewritten: None,
        }
    }

    /// The other body that the user wants for this site, if it is one.
    pub(super) fn wants_body(&self) -> Option<RemedyKind> {
        self.only.filter(|_| self.step == CandidateStep::Rewritten && self.rewritten.is_none())
    }

    /// Takes the body that was found, or the reason why there is none.
    pub(super) fn take_body(&mut self, found: Result<Candidate, PassedOver>) {
        self.rewritten = Some(found);
    }

    /// Whether others than the remedy at hand are of interest: the user has chosen none, and the site is flaky.
    pub(super) fn is_open_to_others(&self) -> bool {
        self.limits.chosen.is_none() && !self.is_loose()
    }

    /// The site, with the rules at its own target.
    pub(super) fn site(&self) -> RemedySite<'a> {
        RemedySite { row: self.row, rules: self.rules }
    }

    /// The remedy at hand.
    pub(super) fn kind(&self) -> Option<RemedyKind> {
        self.candidate.as_ref().map(|candidate| candidate.remedy.kind())
    }

    /// Goes on to the next remedy that can be written, if none is at hand.
    pub(super) fn climb(&mut self) {
        while self.candidate.is_none() && self.step != CandidateStep::End {
            let (found, next) = match self.step {
                CandidateStep::Tail if self.is_loose() => (self.tail(), CandidateStep::End),
                CandidateStep::Tail => (self.tail(), CandidateStep::Empirical),
                CandidateStep::Empirical if self.only.is_some() => (self.empirical(), CandidateStep::End),
                CandidateStep::Empirical => (self.empirical(), CandidateStep::Rerun),
                CandidateStep::Rewritten => match self.rewritten.take() {
                    Some(found) => (found, CandidateStep::End),
                    None => break,
                },
                _ => (self.rerun(), CandidateStep::End),
            };
            self.step = next;
            match found {
                Ok(candidate) => self.candidate = Some(candidate),
                // The most extreme value stands at the limit too.
                Err(why @ PassedOver::Unsupported(NoProposal::HardLimit)) if !self.is_loose() => {
                    self.step = if self.only.is_some() { CandidateStep::End } else { CandidateStep::Rerun };
                    self.passed_over.push(why);
                }
                Err(why) => self.passed_over.push(why),
            }
        }
    }

    /// Nothing but a number makes a bound tighter.
    fn is_loose(&self) -> bool {
        matches!(self.row.result.judgement.verdict, SiteVerdict::Loose(_))
    }

    fn tail(&self) -> Result<Candidate, PassedOver> {
        let (limit, support) = supported(self.row, &self.rules).map_err(PassedOver::Unsupported)?;
        let candidate = self.bound(limit, support, levels(self.row, &self.rules))?;
        let candidate = if self.is_loose() { candidate } else { supported_level::best(self.row, candidate) };
        let series = &self.row.result.series;
        let out = |bound: f64| series.direction.oriented(bound);
        if self.is_loose() && out(candidate.draft.bound) >= out(series.bound) {
            return Err(PassedOver::Unwritten("the number that is written is as tight as one can be here".to_owned()));
        }
        Ok(candidate)
    }

    /// How many mutants the bound kills before and after, where mutants were run.
    fn kill_cost(&self, candidate: &Candidate) -> Option<KillCost> {
        let Remedy::Bound { bound, .. } = candidate.remedy else { return None };
        let kills = self.found.tightened.as_ref()?.of(&self.row.test.test.node, self.row.result.number)?;
        (!kills.curve.is_empty()).then(|| kills.cost(self.row.result.series.bound, bound))
    }

    fn empirical(&self) -> Result<Candidate, PassedOver> {
        let series = &self.row.result.series;
        let unsupported = || PassedOver::Unwritten("there are no values to resample".to_owned());
        let samples = series.samples().map_err(|_| unsupported())?;
        let confidence = self.rules.confidence;
        let needed = samples_needed(self.least_promise(), confidence);
        if samples.len() < needed {
            return Err(PassedOver::TooFew { values: samples.len(), needed });
        }
        let found = bootstrap::extremes(&samples, series.direction, RESAMPLES, confidence, self.job.seed)
            .map_err(|_| unsupported())?;
        if !found.is_narrow(series.bound, self.limits.empirical_width) {
            return Err(PassedOver::TooWide { low: found.low, high: found.high });
        }
        let limit = if series.direction == temper_stats::Direction::Upper { found.high } else { found.low };
        let support = Support::Empirical { resamples: RESAMPLES, low: found.low, high: found.high };
        self.bound(limit, support, Vec::new())
    }

    /// The pass target below which an empirical bound is not worth a change: the user's own, or 0.99.
    fn least_promise(&self) -> Target {
        if self.rules.pass.get() < Target::HUNDREDTH.get() { self.rules.pass } else { Target::HUNDREDTH }
    }

    fn bound(
        &self,
        limit: f64,
        support: Support,
        levels: Vec<crate::propose::proposal::TargetLevel>,
    ) -> Result<Candidate, PassedOver> {
        let row = self.row;
        let draft = rewrite::number(row.planned, row.site, &row.result.series, limit)
            .map_err(|why| PassedOver::Unwritten(why.to_string()))?;
        let remedy = Remedy::Bound { text: draft.text.clone(), bound: draft.bound, limit, support };
        Ok(Candidate { draft, remedy, pass: self.rules.pass, asked: None, levels, path: row.path.clone() })
    }

    fn rerun(&self) -> Result<Candidate, PassedOver> {
        rerun_mark::candidate(self.job, self.found, self.row, &self.rules)
    }

    /// Takes the number that another site of the same constant needs.
    pub(super) fn take_number(&mut self, other: &rewrite::Draft) {
        let Some(Candidate { draft, remedy: Remedy::Bound { text, bound, .. }, .. }) = &mut self.candidate else {
            return;
        };
        let series = &self.row.result.series;
        if let Ok(same) = rewrite::exact(self.row.planned, self.row.site, series, &other.text, other.bound) {
            (*text, *bound) = (same.text.clone(), same.bound);
            *draft = same;
        }
    }

    pub(super) fn untried(&self) -> Option<&Candidate> {
        self.candidate.as_ref().filter(|_| self.verification.is_none())
    }

    pub(super) fn is_untried(&self) -> bool {
        self.untried().is_some()
    }

    pub(super) fn trial(&self) -> Option<PatchTrial<'_>> {
        let candidate = self.untried()?;
        let is_alone = !matches!(candidate.remedy, Remedy::Bound { .. });
        Some(PatchTrial { edits: &candidate.draft.edits, tests: tests_of(self.row, &candidate.remedy), is_alone })
    }

    /// Keeps the candidate, or passes it over if it failed too often. A part of the runs settles nothing.
    pub(super) fn settle(&mut self, fresh: &FreshRuns) {
        let Some(candidate) = &self.candidate else { return };
        let runs = &fresh.by_test;
        let asked = (candidate.pass, self.rules.confidence);
        let found = match &candidate.remedy {
            Remedy::Bound { .. } | Remedy::Rewritten { .. } => {
                let is_rewritten = matches!(candidate.remedy, Remedy::Rewritten { .. });
                let draft = (&candidate.draft, is_rewritten);
                verified(self.row.result.number, &self.row.result.series, draft, runs, asked)
            }
            Remedy::Rerun { max_runs, .. } => rerun_mark::verified(*max_runs, runs, asked),
        };
        if !fresh.is_whole() {
            let begun = Begun { runs: found.runs, wanted: fresh.wanted, failures: found.failures };
            self.begun = Some(begun).filter(|begun| begun.runs > 0);
        } else if found.is_rejected {
            let text = candidate.remedy.text().to_owned();
            let (trials, failures) = (found.trials, found.failures);
            self.passed_over.push(match candidate.remedy {
                Remedy::Rewritten { .. } => PassedOver::StillFails { text, trials, failures },
                _ => PassedOver::Rejected { text, trials, failures },
            });
            self.candidate = None;
        } else {
            self.verification = Some(found);
        }
    }

    pub(super) fn advice(self, others: Vec<OtherRemedy>) -> (String, Advice) {
        let cost = self.candidate.as_ref().and_then(|candidate| self.kill_cost(candidate));
        let proposal = self.candidate.map(|candidate| {
            let mut proposal = proposal_of(self.job, self.row, &candidate);
            proposal.more_runs = supported_level::more_runs(self.row, &self.rules, &candidate);
            proposal.kill_cost = cost;
            proposal.verification = self.verification;
            proposal.others.clone_from(&others);
            count_fresh(&mut proposal);
            proposal
        });
        (self.row.id.clone(), Advice { proposal, begun: self.begun, passed_over: self.passed_over, others })
    }
}
