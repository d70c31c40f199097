//! Internal: the job behind `temper check`. Finds the subjects of modules, has them checked in workers, sees to it that a
//! killed worker costs one draw, confirms every finding in a fresh process, and keeps findings for `temper replay`.
//!
//! The draws, calls and shrinking happen in the worker (python/temper/check); here is what must survive the subject.

mod confirm;
mod finding;
mod imports;
mod kills;
mod memory;
mod message;
mod module;
mod problem;
mod protocol;
mod regressions;
mod run;
mod saved;
mod scripts;
mod suggest;
mod whole;

pub use confirm::{Replayed, replay};
pub use finding::{Evidence, Finding, Subject, Verdict};
pub use module::Module;
pub use problem::Problem;
pub use protocol::SuggestedFunction;
pub use regressions::keep_regressions;
pub use run::{CheckError, Checked, Form, Options, Progress, SideEntry, check};
pub use saved::{SaveError, Saved, SavedFinding};
pub use suggest::suggest;
