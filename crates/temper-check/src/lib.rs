//! Internal: the job behind `temper check`. Finds the subjects of modules, has them checked in workers, sees to it that a
//! killed worker costs one draw, confirms every finding in a fresh process, and keeps findings for `temper replay`.
//!
//! The draws, calls and shrinking happen in the worker (python/temper/check); here is what must survive the subject.

mod checker;
mod confirm;
mod draw_under_way;
mod finding;
mod imports;
mod killed_workers;
mod message;
mod module;
mod module_subjects;
mod problem;
mod protocol;
mod regressions;
mod saved;
mod scripts;
mod suggest;

pub use checker::{CheckError, Checked, Form, Options, Progress, SideEntry, check};
pub use confirm::{Replayed, replay};
pub use finding::{Evidence, Finding, Subject, Verdict};
pub use module::Module;
pub use problem::Problem;
pub use protocol::SuggestedFunction;
pub use regressions::keep_regressions;
pub use saved::{SaveError, Saved, SavedFinding};
pub use suggest::suggest;
