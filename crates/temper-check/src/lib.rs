//! Internal: the job behind `temper check`. Finds the subjects of modules, has them checked in workers, sees to it that a
//! killed worker costs one draw, confirms every finding in a fresh process, and keeps findings for `temper replay`.
//!
//! The draws, calls and shrinking happen in the worker (python/temper/check); here is what must survive the subject.

mod checker;
mod confirm;
mod draw_under_way;
mod error;
mod findings;
mod killed_workers;
mod message;
mod module;
mod module_subjects;
mod options;
mod protocol;
mod regressions;
mod replay;
mod saved;
mod suggest;
mod work;

pub use checker::{CheckProgress, check};
pub use confirm::Replayed;
pub use error::CheckError;
pub use findings::{Checked, CheckedSubject, FoundCall};
pub use module::Module;
pub use options::{CheckOptions, PropertyForm, SideEntry};
pub use protocol::{ProtocolError, SuggestedFunction};
pub use regressions::keep_regressions;
pub use replay::replay;
pub use saved::{SaveError, Saved, SavedFinding};
pub use suggest::{SaidOfProposal, suggest};
