//! Internal: every file that Temper itself writes, replaces or removes goes through here.
//!
//! A repository may hold links, and a shared `/tmp` may hold other people's files. So nothing here follows a link that it was
//! not told to follow, and no name can be guessed before it exists. Folders are held by descriptor ([`Folder`]): what happens
//! to their names later does not matter. Files appear whole or not at all: they are written under a name that nobody knows, and
//! renamed.
//!
//! - [`PrivateFolder`]: a fresh folder that only this user can enter, removed with its owner;
//! - [`state_folder`]: the project's `.temper/`;
//! - [`write_output`]: a file that the user named;
//! - [`replace_source`]: a file of the user's project, for `temper apply` alone.

mod error;
mod folder;
mod lock;
mod output;
mod private;
mod state;

pub use error::FileError;
pub use folder::Folder;
pub use lock::FileLock;
pub use output::{remove_file, replace_source, write_output, write_output_with_folders};
pub use private::PrivateFolder;
pub use state::{STATE, state_folder};
