//! The driver: starts the tree, warms the base layer up, and spreads work over the slots.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cancel::Cancel;
use crate::channel::Channel;
use crate::dispatch::{Feed, Flow, Listed, Unfinished, dispatch};
use crate::error::WorkerError;
use crate::fences::FenceSet;
use crate::messages;
use crate::pipes::PipeReader;
use crate::remote::Cluster;
use crate::report::{LoadFailure, Loaded, Report};
use crate::settings::Settings;
use crate::slot::{Shared, Slot};
use crate::supervise::{Link, Preloaded};
use crate::tree::Tree;
use crate::wire::Value;
use crate::work::{Adaptive, LayerSpec, Subjects, Task};

/// Modules that leave threads running are left out of the base layer one by one; a project with more of them than this gets
/// a base layer without any.
const MAX_THREADED: usize = 8;

/// How often lost workers are started again in one call: by then it is no accident.
const MOST_RESTARTS: usize = 3;

/// Owns the worker processes. Dropping it ends all of them and removes their files.
#[derive(Debug)]
pub struct Driver {
    // Before the tree: their sockets close first, so that layers end in order.
    slots: Vec<Slot>,
    tree: Option<Tree>,
    settings: Settings,
    shared: Arc<Shared>,
    /// What the base layer has imported, for one that takes its place.
    warmed: Option<Warmed>,
    is_at_rest: bool,
    /// The machines that do the work, if it is not done here.
    cluster: Option<Cluster>,
}

/// What a base layer is given to import.
#[derive(Clone, Debug)]
struct Warmed {
    modules: Vec<String>,
    variables: Value,
    spec: Arc<LayerSpec>,
    /// The project that they are guessed for: its files are passed over.
    guessed: Option<PathBuf>,
}

impl Driver {
    /// Starts the guard and a base layer with nothing imported.
    pub fn start(settings: Settings, cancel: Cancel) -> Result<Self, WorkerError> {
        let tree = Tree::start(&settings, &cancel)?;
        let shared = Arc::new(Shared::new(cancel, settings.fences));
        Ok(Self {
            slots: Vec::new(),
            tree: Some(tree),
            settings,
            shared,
            warmed: None,
            is_at_rest: false,
            cluster: None,
        })
    }

    /// From now on projects are loaded, and no work is done: whoever asks for some is told that it is cancelled.
    pub fn rest(&mut self) {
        self.is_at_rest = true;
    }

    /// From now on projects are loaded here to see what is in them, and the work is done by other machines.
    pub fn work_on(&mut self, cluster: Cluster) {
        self.cluster = Some(cluster);
    }

    /// Which fences contained code will have around it.
    pub fn fences(&mut self) -> Result<FenceSet, WorkerError> {
        let shared = Arc::clone(&self.shared);
        let result = self.tree().and_then(|tree| shared.fences(tree.base()?));
        self.end_if_cancelled(result)
    }

    /// Imports third-party modules into the base layer that a project will probably import. Names that cannot be imported,
    /// or that lead into the project, are passed over.
    pub fn expect(&mut self, modules: Vec<String>, root: &Path) -> Result<(), WorkerError> {
        let spec = Arc::new(LayerSpec::new(root.to_path_buf(), Subjects::Modules(Vec::new())));
        let guessed = Some(root.to_path_buf());
        let result = self.preload(Warmed { modules, variables: Value::Map(Vec::new()), spec, guessed });
        self.end_if_cancelled(result.map(drop))
    }

    /// Loads a project and says what is in it, then imports the third-party modules it needs into the base layer, so that
    /// further layers share them. The inner error is a fault of the project; the driver can still be used.
    pub fn warm(&mut self, spec: &Arc<LayerSpec>) -> Result<Result<Loaded, LoadFailure>, WorkerError> {
        let mut result = self.try_warm(spec);
        for _ in 0..MOST_RESTARTS {
            let is_lost = match &result {
                Err(error) => matches!(error, WorkerError::Lost { .. }),
                Ok(loaded) => matches!(loaded, Err(LoadFailure::Ended { end, .. }) if end.is_from_outside()),
            };
            if !is_lost {
                break;
            }
            result = self.restart().and_then(|()| self.try_warm(spec));
        }
        if let (Some(cluster), Ok(Ok(Loaded { versions: Some(versions), .. }))) = (&mut self.cluster, &result) {
            cluster.fit(versions)?;
        }
        self.end_if_cancelled(result)
    }

    fn try_warm(&mut self, spec: &Arc<LayerSpec>) -> Result<Result<Loaded, LoadFailure>, WorkerError> {
        self.slots.clear();
        let mut slot = self.start_slot()?;
        let (loaded, variables) = match slot.survey(spec)? {
            Err(failure) => return Ok(Err(failure)),
            Ok(found) => found,
        };
        let expected = self.warmed.as_ref().map(|warmed| warmed.modules.clone()).unwrap_or_default();
        let is_set = matches!(&variables, Value::Map(set) if !set.is_empty());
        let modules: Vec<String> = expected.iter().chain(&loaded.modules).cloned().collect();
        let wanted = Warmed { modules, variables, spec: Arc::clone(spec), guessed: None };
        if is_set && !expected.is_empty() {
            // Libraries may read those variables when they are imported, and some were imported before.
            self.restart()?;
            self.preload(wanted)?;
        } else if loaded.modules.is_empty() {
            self.slots.push(slot);
        } else {
            // Layers are still to come, of other slots and of mutants. This one has all it needs.
            let is_restarted = self.preload(wanted)?;
            if !is_restarted {
                self.slots.push(slot);
            }
        }
        Ok(Ok(loaded))
    }

    /// Imports modules into the base layer. One that leaves threads running spoils it for forks, so the tree is started
    /// again without it; says whether that happened.
    fn preload(&mut self, wanted: Warmed) -> Result<bool, WorkerError> {
        let Warmed { mut modules, variables, spec, guessed } = wanted;
        for restarts in 0..MAX_THREADED {
            let shared = Arc::clone(&self.shared);
            let base = self.tree()?.base()?;
            match base.preload(&modules, (&variables, guessed.as_deref()), spec.limits.wall, &shared.cancel)? {
                Preloaded::Whole => {
                    self.warmed = Some(Warmed { modules, variables, spec, guessed });
                    return Ok(restarts > 0);
                }
                Preloaded::Threaded(module) => {
                    let top = module.split('.').next();
                    modules.retain(|name| name.split('.').next() != top);
                }
                // A module that kills the process when imported by itself.
                Preloaded::Lost => modules.clear(),
            }
            self.restart()?;
        }
        Ok(true)
    }

    fn restart(&mut self) -> Result<(), WorkerError> {
        self.slots.clear();
        self.tree = None;
        self.tree = Some(Tree::start(&self.settings, &self.shared.cancel)?);
        Ok(())
    }

    fn tree(&mut self) -> Result<&mut Tree, WorkerError> {
        self.tree.as_mut().ok_or(WorkerError::Cancelled)
    }

    /// Does all tasks, as many at a time as there are slots, and hands each report to `on_report` as it comes.
    ///
    /// Pieces of one task come in order; tasks do not. A subject that crashes, hangs or will not load is an outcome in its
    /// report. An error means that the workers themselves failed; after [`WorkerError::Cancelled`] no process is left.
    pub fn run<I>(&mut self, tasks: I, on_report: impl FnMut(Report) -> Flow) -> Result<(), WorkerError>
    where
        I: IntoIterator<Item = Task>,
    {
        self.run_adaptive(tasks.into_iter().map(Adaptive::from), on_report)
    }

    /// As [`Driver::run`], for work whose next piece depends on what the last one gave.
    pub fn run_adaptive<I>(&mut self, work: I, on_report: impl FnMut(Report) -> Flow) -> Result<(), WorkerError>
    where
        I: IntoIterator<Item = Adaptive>,
    {
        self.run_fed(&mut Listed { work: work.into_iter(), on_report })
    }

    /// As [`Driver::run`], for work that is decided on while reports come in.
    pub fn run_fed(&mut self, feed: &mut dyn Feed) -> Result<(), WorkerError> {
        let result = self.run_all(feed);
        self.end_if_cancelled(result)
    }

    /// Does all work. What was going on in a slot that was lost is begun again, with its last piece, by other workers.
    fn run_all(&mut self, feed: &mut dyn Feed) -> Result<(), WorkerError> {
        if self.is_at_rest {
            return if feed.next().is_none() { Ok(()) } else { Err(WorkerError::Cancelled) };
        }
        if let Some(cluster) = &mut self.cluster {
            return cluster.run_all(feed, &self.shared.cancel);
        }
        let mut again: Vec<Unfinished> = Vec::new();
        let mut begun = 0;
        for _ in 0..MOST_RESTARTS {
            self.start_slots()?;
            again = dispatch(&mut self.slots, feed, again, &mut begun)?;
            if again.is_empty() {
                return Ok(());
            }
            self.restart()?;
            if let Some(warmed) = self.warmed.clone() {
                self.preload(warmed)?;
            }
        }
        Err(WorkerError::Lost { during: "doing the same work again and again" })
    }

    fn end_if_cancelled<T>(&mut self, result: Result<T, WorkerError>) -> Result<T, WorkerError> {
        if matches!(result, Err(WorkerError::Cancelled)) {
            self.slots.clear();
            self.tree = None;
        }
        result
    }

    fn start_slots(&mut self) -> Result<(), WorkerError> {
        while self.slots.len() < self.settings.slots.get() {
            let slot = self.start_slot()?;
            self.slots.push(slot);
        }
        Ok(())
    }

    fn start_slot(&mut self) -> Result<Slot, WorkerError> {
        let id = self.shared.next_id();
        let shared = Arc::clone(&self.shared);
        let max_projects = self.settings.layers_per_slot.get();
        let tree = self.tree()?;
        let scratch = tree.scratch.join(&format!("slot-{id}"));
        let (channel, control) = Channel::pair()?;
        // Slots print nothing of interest; the reading end may go.
        let (_, output) = PipeReader::pair()?;
        let message = messages::start_layer(id, false, &scratch);
        tree.base()?.channel.send(&message, &[control.as_fd(), output.as_fd()])?;
        drop((control, output));
        Ok(Slot::new(Link::new(channel), scratch, max_projects, shared))
    }
}
