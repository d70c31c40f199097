//! The fences around contained code that the driver has a part in.
//!
//! The layer puts all of them on, in Python and by system calls (`python/temper/worker/sandbox.py`). The driver compiles the filters of
//! system calls (`programs.rs`) from one table (`calls.rs`), is told of calls that they stop, decides on them by path or
//! process, and notes what it refused (`call_guard.rs`).

use serde::{Deserialize, Serialize};

mod call_guard;
mod calls;
mod programs;

pub(crate) use call_guard::CallGuard;
pub(crate) use programs::policy_programs;

/// Kinds of fences around contained code. The audit hook, which every Python has, is not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FenceSet {
    /// A mount namespace in which only scratch is writable, and a network namespace without a network.
    pub namespaces: bool,
    /// Landlock.
    pub landlock: bool,
    /// A filter of system calls.
    pub filter: bool,
}

impl FenceSet {
    /// Every fence there is.
    pub const ALL: Self = Self { namespaces: true, landlock: true, filter: true };

    /// No fence at all.
    pub const NONE: Self = Self { namespaces: false, landlock: false, filter: false };

    /// The fences of both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            namespaces: self.namespaces && other.namespaces,
            landlock: self.landlock && other.landlock,
            filter: self.filter && other.filter,
        }
    }

    /// The names of the fences that are not in the set.
    #[must_use]
    pub fn missing(self) -> Vec<&'static str> {
        let all = [(self.namespaces, "namespaces"), (self.landlock, "Landlock"), (self.filter, "seccomp")];
        all.into_iter().filter(|(has, _)| !has).map(|(_, name)| name).collect()
    }
}
