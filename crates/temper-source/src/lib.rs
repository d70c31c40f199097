//! Internal: Python source text: assertion sites, seeds, annotations, mutants, edits and patches.
//!
//! Everything that Temper knows about a Python file without running it. [`analyse`] reads one file; [`EditSet`] changes it
//! byte by byte, and [`patch`] writes the change as a diff that `git apply` takes. No code is run, no clock is read, and
//! only [`discover`] and [`read`] touch the file system.
//!
//! What cannot be seen in the text is not guessed: names made by `setattr` or `exec`, constants of other modules, and
//! helpers of other files are listed as not understood where they look approximate, and are unknown values elsewhere.
//!
//! ```
//! use temper_source::{EditSet, SourceFile, analyse};
//!
//! let file = SourceFile::from_text("test_net.py", "def test_net():\n    assert train() > 0.8\n")?;
//! let found = analyse(&file)?;
//! let bound = found.sites[0].bound();
//! assert_eq!(bound.value, Some(0.8));
//! let edits = EditSet::new(&file, bound.edits("0.75", None).unwrap_or_default())?;
//! assert!(edits.reparse(&file)?.text().ends_with("> 0.75\n"));
//! # Ok::<(), temper_source::SourceError>(())
//! ```

mod analysis;
mod annotation;
mod candidates;
mod collect;
mod constant;
mod decorate;
mod discover;
mod edit;
mod encoding;
mod error;
mod file;
mod forms;
mod imports;
mod mutants;
mod parametrise;
mod patch;
mod path_patterns;
mod plain_function;
mod scope;
mod script;
mod seed;
mod sites;
mod span;
mod syntax;
mod test_body;
mod test_suite;
mod test_support;

pub use analysis::{Analysis, analyse};
pub use annotation::{Annotated, Spelling};
pub use decorate::{Imported, decorate};
pub use discover::{DiscoverOptions, Discovered, discover, read};
pub use edit::{ContentHash, Edit, EditSet};
pub use encoding::Encoding;
pub use error::SourceError;
pub use file::{MAX_BYTES, SourceFile};
pub use imports::{Imports, imports};
pub use mutants::{Ignored, Mutant, OPERATORS, Operator, OperatorRow, SwapError, Swaps, Wanted, mutants};
pub use patch::{Patch, patch};
pub use path_patterns::PathPatterns;
pub use plain_function::PlainFunctions;
pub use seed::{RandomDraw, RandomSource, Seed, SeedKind};
pub use sites::site::{
    Bound, BoundOrigin, Closeness, Direction, ExactHint, ExpectedAnswer, Form, Insertion, NotUnderstood, Owner,
    OwnerKind, Place, Reason, Reduction, Role, Site,
};
pub use span::{LineIndex, Position, Span};
pub use test_body::BodyEdits;
pub use test_body::repeated::{NotRepeatable, repeat_body};
pub use test_body::seeded::{NoSeedPlace, seed_body};
pub use test_body::size_literal::{SizeLiteral, size_literals};
pub use test_suite::Test;
pub use test_support::{imports_a_test_library, is_named_for_tests};
