//! Internal: Python source text: assertion sites, seeds, annotations, edits and patches.
//!
//! Everything that Temper knows about a Python file without running it. [`analyse`] reads one file; [`EditSet`] changes it
//! byte by byte and [`patch`] writes the change as a diff. No code is run, no clock is read, and only the modules that say so touch the file system.

mod analysis;
mod annotation;
mod callee;
mod collect;
mod constant;
mod discover;
mod edit;
mod encoding;
mod error;
mod file;
mod hint;
mod measure;
mod patch;
mod recognise;
mod scope;
mod seed;
mod site;
mod span;
mod suite;
mod syntax;

pub use analysis::{Analysis, analyse};
pub use annotation::{Annotated, Spelling};
pub use discover::{DiscoverOptions, Discovered, discover, read};
pub use edit::{ContentHash, Edit, EditSet};
pub use encoding::Encoding;
pub use error::SourceError;
pub use file::{MAX_BYTES, SourceFile};
pub use patch::{Patch, patch};
pub use seed::{RandomDraw, RandomSource, Seed, SeedKind};
pub use site::{
    Bound, Closeness, Direction, ExactHint, Form, Insertion, NotUnderstood, Origin, Owner, OwnerKind, Place, Reason,
    Reduction, Role, Site,
};
pub use span::{LineIndex, Position, Span};
pub use suite::Test;
