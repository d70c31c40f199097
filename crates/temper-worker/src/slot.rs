//! A slot: a layer forked from the base, with the project layers it has loaded. It does one piece of work at a time.
//!
//! One at a time, so that whatever process is left over when a piece of work ends belongs to that piece and can be killed.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::cancel::Cancel;
use crate::dispatch::WorkPlace;
use crate::error::WorkerError;
use crate::fences::FenceSet;
use crate::lazy_imports::{self, LazyImports};
use crate::project::{Project, Start, blank_report};
use crate::report::{End, LoadFailure, Loaded, Mode, Outcome, Report};
use crate::supervise::Link;
use crate::wire::Value;
use crate::work::{Containment, LayerSpec, Piece, Work};

/// How often a run that was ended from outside is taken again.
const TRIES_AGAIN: usize = 2;

/// A process that reached its wall limit with less than this share of it in processor time was waiting, not working.
const IDLE_SHARE: f64 = 0.1;

/// What all slots share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    ids: AtomicU64,
    pub(crate) cancel: Cancel,
    /// Subjects that reached their wall limit idle in a fork: whether a fresh interpreter helps them.
    hangs: Mutex<HashMap<String, bool>>,
    lazy_imports: LazyImports,
    /// Fences that are wanted around contained code.
    wanted_fences: FenceSet,
    /// Those of them that the machine has, once somebody has asked.
    fences: OnceLock<FenceSet>,
}

impl Shared {
    pub(crate) fn new(cancel: Cancel, wanted_fences: FenceSet) -> Self {
        Self { cancel, wanted_fences, ..Self::default() }
    }

    /// The fences around contained code; the layer is asked if it is not known yet.
    pub(crate) fn fences(&self, layer: &mut Link) -> Result<FenceSet, WorkerError> {
        if let Some(known) = self.fences.get() {
            return Ok(*known);
        }
        let found = layer.fences(&self.cancel)?.and(self.wanted_fences);
        Ok(*self.fences.get_or_init(|| found))
    }

    pub(crate) fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    fn is_helped_by_spawning(&self, subject: &str) -> Option<bool> {
        self.hangs.lock().unwrap_or_else(PoisonError::into_inner).get(subject).copied()
    }

    fn note_hang(&self, subject: &str, is_helped: bool) {
        self.hangs.lock().unwrap_or_else(PoisonError::into_inner).insert(subject.to_owned(), is_helped);
    }
}

/// One slot.
#[derive(Debug)]
pub(crate) struct Slot {
    link: Link,
    scratch: PathBuf,
    /// Most recently used first.
    projects: VecDeque<Project>,
    max_projects: usize,
    /// How many of the modules that runs import late it has.
    late_modules: usize,
    /// Importing them left threads running: project layers need separate interpreters.
    is_threaded: bool,
    /// The layer that failed last, so that the next piece of work on it need not load it again.
    failed: Option<(Arc<LayerSpec>, LoadFailure)>,
    shared: Arc<Shared>,
}

impl WorkPlace for Slot {
    /// Loads the layer if it is not there. A run of a test that was ended from outside is taken again: only one that ends so
    /// every time is reported as such.
    fn run(&mut self, spec: &Arc<LayerSpec>, piece: &Piece) -> Result<Report, WorkerError> {
        let mut report = self.run_once(spec, piece)?;
        let is_test = matches!(piece.work, Work::Test { .. } | Work::Repeat { .. } | Work::Cover { .. });
        for _ in 0..TRIES_AGAIN {
            if !is_test || !report.is_ended_from_outside() {
                break;
            }
            report = self.run_once(spec, piece)?;
        }
        Ok(report)
    }
}

impl Slot {
    pub(crate) fn new(link: Link, scratch: PathBuf, max_projects: usize, shared: Arc<Shared>) -> Self {
        Self {
            link,
            scratch,
            projects: VecDeque::new(),
            max_projects,
            late_modules: 0,
            is_threaded: false,
            failed: None,
            shared,
        }
    }

    fn run_once(&mut self, spec: &Arc<LayerSpec>, piece: &Piece) -> Result<Report, WorkerError> {
        let subject = subject_of(&piece.work);
        if self.shared.is_helped_by_spawning(subject) == Some(true) {
            return self.run_spawned(spec, piece, hang_reason());
        }
        if let Err(failure) = self.use_project(spec)? {
            return Ok(blank_report(piece, Outcome::LoadFailed(failure), Mode::Forked));
        }
        let id = self.shared.next_id();
        let shared = Arc::clone(&self.shared);
        let project = &mut self.projects[0];
        if let Some(reason) = project.loaded.spawn_reason.clone() {
            return self.run_spawned(spec, piece, reason);
        }
        let (report, is_alive) = project.run_forked(id, piece, &shared.cancel)?;
        let late_modules = shared.lazy_imports.to_try(&report);
        if !is_alive {
            self.drop_project(0)?;
        } else if !late_modules.is_empty() {
            self.try_lazy_imports(late_modules, piece, &report)?;
        } else if report.outcome == Outcome::Ended(End::WallLimit) && is_idle(&report, piece) {
            return self.retry_spawned(spec, piece, report);
        }
        Ok(report)
    }

    /// Imports what a run imported late into its layer, and sees whether the same run then comes out the same.
    fn try_lazy_imports(&mut self, modules: Vec<String>, piece: &Piece, before: &Report) -> Result<(), WorkerError> {
        let shared = Arc::clone(&self.shared);
        let project = &mut self.projects[0];
        let is_harmless = project.import(&modules, &shared.cancel)? && {
            let (after, is_alive) = project.run_forked(shared.next_id(), piece, &shared.cancel)?;
            is_alive && lazy_imports::is_alike(before, &after)
        };
        if is_harmless {
            shared.lazy_imports.are_harmless(modules);
            return Ok(());
        }
        self.drop_project(0)
    }

    /// A fork that hung may have waited for threads that only its parent had: tries once without a fork.
    fn retry_spawned(&mut self, spec: &Arc<LayerSpec>, piece: &Piece, forked: Report) -> Result<Report, WorkerError> {
        let subject = subject_of(&piece.work);
        if self.shared.is_helped_by_spawning(subject).is_some() {
            return Ok(forked);
        }
        let spawned = self.run_spawned(spec, piece, hang_reason())?;
        let is_helped = spawned.outcome != Outcome::Ended(End::WallLimit);
        self.shared.note_hang(subject, is_helped);
        Ok(if is_helped { spawned } else { forked })
    }

    /// Does a piece of work in a fresh interpreter.
    fn run_spawned(&mut self, spec: &Arc<LayerSpec>, piece: &Piece, reason: String) -> Result<Report, WorkerError> {
        let shared = Arc::clone(&self.shared);
        match self.load(spec, true, false)? {
            Err(failure) => Ok(blank_report(piece, Outcome::LoadFailed(failure), Mode::Spawned(reason))),
            Ok(project) => project.run_here(&mut self.link, piece, reason, &shared.cancel),
        }
    }

    /// Brings the project layer to the front, loading it if needed.
    fn use_project(&mut self, spec: &Arc<LayerSpec>) -> Result<Result<(), LoadFailure>, WorkerError> {
        if let Some((_, failure)) = self.failed.as_ref().filter(|(failed, _)| Arc::ptr_eq(failed, spec)) {
            return Ok(Err(failure.clone()));
        }
        let is_same = |project: &Project| Arc::ptr_eq(&project.spec, spec) || project.spec == *spec;
        if let Some(index) = self.projects.iter().position(is_same) {
            self.projects.swap(0, index);
        } else if let Err(failure) = self.add_project(spec)? {
            return Ok(Err(failure));
        }
        if self.catch_up()? {
            return Ok(Ok(()));
        }
        self.drop_project(0)?;
        let added = self.add_project(spec)?;
        if added.is_ok() {
            self.projects[0].late_modules = usize::MAX;
        }
        Ok(added)
    }

    /// Loads a project layer and puts it in front.
    fn add_project(&mut self, spec: &Arc<LayerSpec>) -> Result<Result<(), LoadFailure>, WorkerError> {
        if self.projects.len() >= self.max_projects {
            self.drop_project(self.projects.len() - 1)?;
        }
        self.load_in_front(spec, false)
    }

    /// Loads a project layer that lists what it found.
    pub(crate) fn survey(
        &mut self,
        spec: &Arc<LayerSpec>,
    ) -> Result<Result<(Loaded, Value), LoadFailure>, WorkerError> {
        let found = self.load_in_front(spec, true)?;
        Ok(found.map(|()| (self.projects[0].loaded.clone(), self.projects[0].variables.clone())))
    }

    fn load_in_front(
        &mut self,
        spec: &Arc<LayerSpec>,
        wants_description: bool,
    ) -> Result<Result<(), LoadFailure>, WorkerError> {
        match self.load(spec, false, wants_description)? {
            Err(failure) => {
                // One that was ended from outside may load the next time.
                if !matches!(failure, LoadFailure::Ended { end, .. } if end.is_from_outside()) {
                    self.failed = Some((Arc::clone(spec), failure.clone()));
                }
                Ok(Err(failure))
            }
            Ok(project) => {
                self.projects.push_front(project);
                Ok(Ok(()))
            }
        }
    }

    /// Imports what was found harmless since into the project layer in front; says whether it is still of use.
    fn catch_up(&mut self) -> Result<bool, WorkerError> {
        let shared = Arc::clone(&self.shared);
        let project = &mut self.projects[0];
        let modules = shared.lazy_imports.harmless(project.late_modules);
        if modules.is_empty() || project.loaded.spawn_reason.is_some() {
            return Ok(true);
        }
        project.late_modules += modules.len();
        project.import(&modules, &shared.cancel)
    }

    /// The same for what project layers are forked from.
    fn catch_up_itself(&mut self, spec: &LayerSpec) -> Result<(), WorkerError> {
        let modules = self.shared.lazy_imports.harmless(self.late_modules);
        self.late_modules += modules.len();
        if !modules.is_empty() && !self.link.import(&modules, spec.limits.wall, &self.shared.cancel)? {
            self.is_threaded = true;
        }
        Ok(())
    }

    fn load(
        &mut self,
        spec: &Arc<LayerSpec>,
        is_fresh: bool,
        wants_description: bool,
    ) -> Result<Result<Project, LoadFailure>, WorkerError> {
        self.catch_up_itself(spec)?;
        let is_fresh = is_fresh || self.is_threaded;
        let fences = match spec.policy.containment {
            Containment::Baseline => FenceSet::NONE,
            Containment::Contained => self.shared.fences(&mut self.link)?,
        };
        let id = self.shared.next_id();
        let scratch = self.scratch.join(format!("layer-{id}"));
        let start = Start {
            parent: &mut self.link,
            id,
            spec,
            fences,
            scratch,
            is_fresh,
            wants_description,
            cancel: &self.shared.cancel,
        };
        start.load()
    }

    /// Ends a project layer and all below it.
    fn drop_project(&mut self, index: usize) -> Result<(), WorkerError> {
        match self.projects.remove(index) {
            Some(project) => project.end(&mut self.link, &self.shared.cancel),
            None => Ok(()),
        }
    }
}

fn subject_of(work: &Work) -> &str {
    match work {
        Work::Test { node, .. } | Work::Repeat { node, .. } | Work::Cover { node } => node,
        Work::Calls { function, .. } => function,
        Work::Import { module } => module,
    }
}

fn is_idle(report: &Report, piece: &Piece) -> bool {
    report.usage.cpu < piece.limits.wall.mul_f64(IDLE_SHARE).max(Duration::from_millis(100))
}

fn hang_reason() -> String {
    "it hung after a fork".to_owned()
}
