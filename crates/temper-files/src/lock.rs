//! A file that one process holds at a time. The kernel lets go of it when the process ends, however it ends.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag, openat};
use nix::sys::stat::Mode;

use crate::error::FileError;
use crate::folder::Folder;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct FileLock(#[expect(dead_code, reason = "kept for the lock that ends with it")] Flock<File>);

impl Folder {
    /// Takes the lock of this name and writes down who has it; what its holder wrote down if somebody else has it.
    ///
    /// # Errors
    /// When a link has its name, or the file system refuses.
    pub fn try_lock(&self, name: &str, holder: &str) -> Result<Result<FileLock, String>, FileError> {
        let path = self.path().join(name);
        let refused = |cause: io::Error| FileError::Io { path: path.clone(), cause };
        let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let mode = Mode::S_IRUSR | Mode::S_IWUSR;
        let descriptor = openat(self, name, flags, mode).map_err(FileError::at_folder(path.clone()))?;
        match Flock::lock(File::from(descriptor), FlockArg::LockExclusiveNonblock) {
            Ok(mut file) => {
                file.set_len(0).and_then(|()| file.rewind()).map_err(refused)?;
                file.write_all(holder.as_bytes()).map_err(refused)?;
                Ok(Ok(FileLock(file)))
            }
            Err((mut file, Errno::EWOULDBLOCK)) => {
                let mut said = String::new();
                file.read_to_string(&mut said).map_err(refused)?;
                Ok(Err(said))
            }
            Err((_, error)) => Err(refused(error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::PrivateFolder;

    #[test]
    fn a_lock_is_held_once_and_says_by_whom() {
        let scratch = PrivateFolder::create(&std::env::temp_dir()).unwrap();
        let first = scratch.folder().try_lock("lock", "temper bounds, process 7").unwrap();
        assert!(first.is_ok());
        let second = scratch.folder().try_lock("lock", "another").unwrap();
        assert_eq!(second.unwrap_err(), "temper bounds, process 7");
        drop(first);
        assert!(scratch.folder().try_lock("lock", "another").unwrap().is_ok());
    }

    #[test]
    fn a_link_in_the_place_of_a_lock_is_refused() {
        let scratch = PrivateFolder::create(&std::env::temp_dir()).unwrap();
        let precious = scratch.join("precious");
        std::fs::write(&precious, "kept").unwrap();
        std::os::unix::fs::symlink(&precious, scratch.join("lock")).unwrap();
        assert!(scratch.folder().try_lock("lock", "us").is_err());
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "kept");
    }
}
