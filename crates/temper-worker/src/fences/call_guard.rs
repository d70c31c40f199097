//! Answers system calls that the filter of a layer stopped: lets them go on, or refuses them and notes it.
//!
//! The paths are read from the memory of the process, which could change them after the look. So this is a fence against accidents, and
//! the source of the words for a refusal. Namespaces and Landlock look at the files themselves.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};

use nix::libc;

use super::calls::{Decision, FencedCall, FileArgument, LastLink, fenced_call};
use crate::report::Refusal;

/// Refusals that are kept; the same number is in `sandbox.py`.
const MOST_REFUSALS: usize = 20;
/// A path is at most this long.
const LONGEST_PATH: usize = 4096;
/// Links that are followed before a path counts as a circle.
const MOST_LINKS: usize = 40;
/// Devices that swallow or invent what goes through them; the same are in `landlock.py`.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// The driver's end of the filter of one layer.
#[derive(Debug, Default)]
pub(crate) struct CallGuard {
    /// What may be written.
    writable: Vec<PathBuf>,
    /// Where the kernel tells of stopped calls; nothing until the layer has sent it.
    listener: Option<OwnedFd>,
    /// Where the piece of work at hand is told of refusals.
    told: Option<File>,
    refused: Vec<Refusal>,
}

impl CallGuard {
    /// A guard for a layer that may write to these files and folders.
    pub(crate) fn new(writable: Vec<PathBuf>) -> Self {
        let real = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
        Self { writable: writable.into_iter().map(real).collect(), ..Self::default() }
    }

    /// Takes over the answers to the calls of a layer.
    pub(crate) fn listen(&mut self, listener: OwnedFd) {
        self.listener = Some(listener);
    }

    /// Whom to tell of refusals from here on.
    pub(crate) fn tell(&mut self, told: OwnedFd) {
        self.told = Some(File::from(told));
        self.refused.clear();
    }

    /// What was refused since.
    pub(crate) fn refused(&self) -> &[Refusal] {
        &self.refused
    }

    /// What becomes readable when a call waits.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.listener.as_ref().map(AsFd::as_fd)
    }

    /// Answers all calls that wait.
    pub(crate) fn answer_all(&mut self) {
        while let Some(listener) = &self.listener {
            let mut ready = [nix::poll::PollFd::new(listener.as_fd(), nix::poll::PollFlags::POLLIN)];
            let is_ready = nix::poll::poll(&mut ready, nix::poll::PollTimeout::ZERO).is_ok_and(|count| count > 0);
            let events = ready[0].revents().unwrap_or(nix::poll::PollFlags::empty());
            if !is_ready {
                return;
            }
            if !events.contains(nix::poll::PollFlags::POLLIN) {
                // No process is left that has the filter.
                self.listener = None;
                return;
            }
            let Some(stopped) = receive(listener) else { return };
            let errno = self.decide(&stopped);
            if let Some(listener) = &self.listener {
                send(listener, stopped.id, errno);
            }
        }
    }

    /// The error that the call ends with; nothing if it may go on.
    fn decide(&mut self, stopped: &libc::seccomp_notif) -> Option<i32> {
        let arguments = &stopped.data.args;
        let Some(call) = fenced_call(i64::from(stopped.data.nr)) else { return Some(libc::EPERM) };
        match call.decision {
            Decision::RefuseSocket if arguments[0] == libc::AF_UNIX as u64 => Some(libc::EPERM),
            Decision::Refuse | Decision::RefuseSocket => {
                self.refuse(call, String::new());
                Some(libc::EPERM)
            }
            Decision::Unknown => Some(libc::ENOSYS),
            Decision::ByTask(at) => {
                let task = arguments[usize::from(at)] as u32;
                if Path::new(&format!("/proc/{}/task/{task}", stopped.pid)).exists() {
                    return None;
                }
                self.refuse(call, task.to_string());
                Some(libc::EPERM)
            }
            Decision::ByFile(files) => {
                let process = StoppedProcess { pid: stopped.pid };
                let named = files.iter().map(|file| process.file(*file, arguments));
                // A path that cannot be read is left to the kernel, which will not find it either.
                let refused = named.flatten().find(|path| !self.may_write(path))?;
                self.refuse(call, refused.display().to_string());
                Some(libc::EACCES)
            }
        }
    }

    fn may_write(&self, path: &Path) -> bool {
        let is_file = path.is_absolute();
        !is_file
            || DEVICES.iter().any(|device| path == Path::new(device))
            || self.writable.iter().any(|top| path.starts_with(top))
    }

    fn refuse(&mut self, call: &FencedCall, detail: String) {
        let refusal = Refusal { kind: call.kind.to_owned(), detail: detail.replace(['\n', '\t'], " ") };
        if let Some(told) = &mut self.told {
            // Every time: each call of a function is judged by itself. A piece of work that has ended, or closed its end,
            // cannot be told.
            let _ = writeln!(told, "{}\t{}", refusal.kind, refusal.detail);
        }
        if self.refused.len() < MOST_REFUSALS && !self.refused.contains(&refusal) {
            self.refused.push(refusal);
        }
    }
}

/// The next call that waits; nothing if its process has ended since.
#[expect(unsafe_code, reason = "the kernel has no other door to stopped calls")]
fn receive(listener: &OwnedFd) -> Option<libc::seccomp_notif> {
    // SAFETY: the structure holds numbers only, and the kernel wants it zeroed.
    let mut stopped: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a structure of the size that the request names, and lives through the call.
    let result = unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut stopped) };
    (result == 0).then_some(stopped)
}

#[expect(unsafe_code, reason = "the kernel has no other door to stopped calls")]
fn send(listener: &OwnedFd, id: u64, errno: Option<i32>) {
    let flags = if errno.is_none() { libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32 } else { 0 };
    let mut answer = libc::seccomp_notif_resp { id, val: 0, error: -errno.unwrap_or(0), flags };
    // SAFETY: as above. It fails if the process was killed in the meantime, which is no loss.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut answer) };
}

/// A process that waits in a call.
struct StoppedProcess {
    pid: u32,
}

impl StoppedProcess {
    /// The file that is meant, without links on the way to it.
    fn file(&self, argument: FileArgument, arguments: &[u64; 6]) -> Option<PathBuf> {
        let number = |at: u8| arguments[usize::from(at)];
        let (base, path, last) = match argument {
            FileArgument::Descriptor(at) => return self.descriptor(number(at) as i32),
            FileArgument::Path(at, last) => (libc::AT_FDCWD, number(at), last),
            FileArgument::At(folder, at, last) => (number(folder) as i32, number(at), last),
        };
        if path == 0 {
            return self.descriptor(base);
        }
        let path = self.text(path)?;
        if path.as_os_str().is_empty() {
            return self.descriptor(base);
        }
        let is_followed = match last {
            LastLink::Followed => true,
            LastLink::Kept => false,
            LastLink::ByFlag(at) => number(at) & libc::AT_SYMLINK_NOFOLLOW as u64 == 0,
        };
        let path = if path.is_absolute() { self.own_proc(&path) } else { self.descriptor(base)?.join(path) };
        resolve(path, is_followed)
    }

    /// What a descriptor is open on.
    fn descriptor(&self, number: i32) -> Option<PathBuf> {
        let name = if number == libc::AT_FDCWD { "cwd".to_owned() } else { format!("fd/{number}") };
        fs::read_link(format!("/proc/{}/{name}", self.pid)).ok()
    }

    /// A path with the process in place of `/proc/self`, which would be us.
    fn own_proc(&self, path: &Path) -> PathBuf {
        for own in ["/proc/self", "/proc/thread-self"] {
            if let Ok(rest) = path.strip_prefix(own) {
                return PathBuf::from(format!("/proc/{}", self.pid)).join(rest);
            }
        }
        path.to_path_buf()
    }

    /// A text in the memory of the process, up to its zero byte.
    fn text(&self, mut address: u64) -> Option<PathBuf> {
        let memory = File::open(format!("/proc/{}/mem", self.pid)).ok()?;
        let mut text = Vec::new();
        while text.len() < LONGEST_PATH {
            // Not beyond the page: the next one may not be there.
            let mut chunk = vec![0; 4096 - (address % 4096) as usize];
            let count = memory.read_at(&mut chunk, address).ok().filter(|count| *count > 0)?;
            match chunk[..count].iter().position(|byte| *byte == 0) {
                Some(end) => {
                    text.extend(&chunk[..end]);
                    return Some(PathBuf::from(std::ffi::OsString::from_vec(text)));
                }
                None => text.extend(&chunk[..count]),
            }
            address += count as u64;
        }
        None
    }
}

/// The path without links, also if its last part is not there yet.
fn resolve(mut path: PathBuf, is_followed: bool) -> Option<PathBuf> {
    for _ in 0..MOST_LINKS {
        let Some(Component::Normal(name)) = path.components().next_back() else { return fs::canonicalize(&path).ok() };
        let folder = fs::canonicalize(path.parent()?).ok()?;
        let whole = folder.join(name);
        match fs::read_link(&whole) {
            Ok(target) if is_followed => path = folder.join(target),
            _ => return Some(whole),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_as_the_kernel_does() {
        let parent =
            std::env::temp_dir().canonicalize().unwrap().join(format!("temper-resolve-{}", std::process::id()));
        fs::create_dir_all(parent.join("inner")).unwrap();
        std::os::unix::fs::symlink("../new", parent.join("inner/link")).unwrap();
        std::os::unix::fs::symlink("circle", parent.join("circle")).unwrap();
        let check = |path: &str, is_followed, expected: Option<&str>| {
            assert_eq!(resolve(parent.join(path), is_followed), expected.map(|name| parent.join(name)), "{path}");
        };
        check("inner/link", true, Some("new"));
        check("inner/link", false, Some("inner/link"));
        check("inner/../new", true, Some("new"));
        check("inner/..", true, Some(""));
        check("absent/file", true, None);
        check("circle", true, None);
        fs::remove_dir_all(&parent).unwrap();
    }
}
