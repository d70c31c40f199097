//! How workers are started: which interpreter, which environment, how many at once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::fences::FenceSet;

/// How many threads numerical libraries may start in one piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// One. Slots already use the cores; pools started before a fork hang after it; and sums come out the same on all machines.
    One,
    /// What the environment and the project say.
    Inherit,
}

/// What a [`Driver`](crate::Driver) needs to know before it starts.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The interpreter of the user's project.
    pub python: PathBuf,
    /// The folder that holds our Python package `temper`. Nothing else is loaded from it.
    pub package_dir: PathBuf,
    /// Where the driver may make its scratch folder, which is removed at the end.
    pub scratch_parent: PathBuf,
    /// The whole environment of the workers, before the changes that keep them apart from the outside.
    pub env: BTreeMap<OsString, OsString>,
    /// Pieces of work at the same time; one a core.
    pub slots: NonZeroUsize,
    /// Threads of numerical libraries.
    pub threads: Threads,
    /// Project layers that a slot keeps: the baseline and the mutant at hand are two.
    pub layers_per_slot: NonZeroUsize,
    /// Fences to put around contained code, where the machine has them.
    pub fences: FenceSet,
}

impl Settings {
    /// Settings with one slot, one thread, an empty environment and two layers a slot.
    pub fn new(python: PathBuf, package_dir: PathBuf, scratch_parent: PathBuf) -> Self {
        Self {
            python,
            package_dir,
            scratch_parent,
            env: BTreeMap::new(),
            slots: NonZeroUsize::MIN,
            threads: Threads::One,
            layers_per_slot: NonZeroUsize::MIN.saturating_add(1),
            fences: FenceSet::ALL,
        }
    }

    /// The environment that workers get.
    pub(crate) fn worker_env(&self) -> BTreeMap<OsString, OsString> {
        let mut env = self.env.clone();
        env.retain(|name, _| !name.to_str().is_some_and(is_of_another_run));
        // Set order is part of what a seed must reproduce; a user who has chosen another value keeps it.
        env.entry("PYTHONHASHSEED".into()).or_insert_with(|| "0".into());
        env.insert("PYTHONDONTWRITEBYTECODE".into(), "1".into());
        if self.threads == Threads::One {
            for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"] {
                env.insert(name.into(), "1".into());
            }
        }
        env
    }
}

/// Variables by which an outer pytest or coverage run would reach into the workers.
fn is_of_another_run(name: &str) -> bool {
    name.starts_with("PYTEST_XDIST_")
        || name.starts_with("COV_CORE_")
        || matches!(
            name,
            "PYTEST_CURRENT_TEST" | "PYTEST_VERSION" | "COVERAGE_PROCESS_START" | "COVERAGE_PROCESS_CONFIG"
        )
}
