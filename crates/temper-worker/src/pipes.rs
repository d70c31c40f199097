//! One-way pipes from a worker, read without waiting; and waiting for several at once.
//!
//! Nobody waits for the end of a pipe: a process that a subject left behind may hold it open for ever.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{pipe2, read};

use crate::error::WorkerError;
use crate::report::Output;

/// How much is read in one go before the driver looks at its other descriptors and its clock.
const MAX_READ: usize = 1 << 20;

/// The reading end of a pipe.
#[derive(Debug)]
pub(crate) struct PipeReader {
    fd: OwnedFd,
    is_closed: bool,
}

impl PipeReader {
    /// A pipe: our end, and the end to hand to a worker.
    pub(crate) fn pair() -> Result<(Self, OwnedFd), WorkerError> {
        let (ours, theirs) = pipe2(OFlag::O_CLOEXEC).map_err(WorkerError::system("a pipe"))?;
        // Only our end: the worker's writes may wait.
        fcntl(&ours, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(WorkerError::system("a pipe"))?;
        Ok((Self { fd: ours, is_closed: false }, theirs))
    }

    /// Hands what has arrived to `sink`; `true` if there may be more.
    pub(crate) fn drain(&mut self, mut sink: impl FnMut(&[u8])) -> bool {
        let mut chunk = [0; 65536];
        let mut total = 0;
        while !self.is_closed && total < MAX_READ {
            match read(&self.fd, &mut chunk) {
                Ok(0) => self.is_closed = true,
                Ok(count) => {
                    sink(&chunk[..count]);
                    total += count;
                }
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => return false,
                Err(_) => self.is_closed = true,
            }
        }
        !self.is_closed
    }

    /// Whether all writers have closed their ends.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }
}

/// A pipe to a worker, on which nobody ever waits: its reading and its writing end.
pub(crate) fn quiet_pipe() -> Result<(OwnedFd, OwnedFd), WorkerError> {
    pipe2(OFlag::O_CLOEXEC | OFlag::O_NONBLOCK).map_err(WorkerError::system("a pipe"))
}

impl AsFd for PipeReader {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Keeps the first and the last part of what a subject printed, and counts the rest.
#[derive(Debug, Default)]
pub(crate) struct OutputBuffer {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
}

impl OutputBuffer {
    /// A buffer that keeps `max_bytes`.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { half: max_bytes / 2, ..Self::default() }
    }

    /// Takes more output.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend(head);
        self.tail.extend(&rest[rest.len().saturating_sub(self.half)..]);
        let excess = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..excess);
    }

    /// What was kept.
    pub(crate) fn finish(mut self) -> Output {
        let kept = self.head.len() + self.tail.len();
        let is_truncated = (kept as u64) < self.total;
        if is_truncated {
            self.head.extend(b"\n...\n");
        }
        self.head.extend(&self.tail);
        Output { bytes: self.head, total_bytes: self.total, is_truncated }
    }
}

/// Waits until one of `fds` has something to read or is closed, or `timeout` has passed.
pub(crate) fn wait_readable(fds: &[BorrowedFd<'_>], timeout: Duration) -> Result<(), WorkerError> {
    let mut polled: Vec<_> = fds.iter().map(|fd| PollFd::new(*fd, PollFlags::POLLIN)).collect();
    let timeout = PollTimeout::try_from(timeout).unwrap_or(PollTimeout::MAX);
    match poll(&mut polled, timeout) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(errno) => Err(WorkerError::system("waiting for a worker")(errno)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_keeps_its_first_and_last_part() {
        let mut buffer = OutputBuffer::new(8);
        for chunk in [&b"abcdef"[..], b"ghijklmnop", b"q"] {
            buffer.push(chunk);
        }
        let output = buffer.finish();
        assert_eq!(output.bytes, b"abcd\n...\nnopq");
        assert_eq!(output.total_bytes, 17);
        assert!(output.is_truncated);
    }

    #[test]
    fn short_output_is_whole() {
        let mut buffer = OutputBuffer::new(8);
        buffer.push(b"abcdefg");
        let output = buffer.finish();
        assert_eq!(output.bytes, b"abcdefg");
        assert!(!output.is_truncated);
    }
}
