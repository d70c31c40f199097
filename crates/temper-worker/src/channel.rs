//! The driver's end of a layer's control socket: framed messages, with file descriptors riding on them.

use std::collections::VecDeque;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg, send, sendmsg,
    socketpair,
};

use crate::error::WorkerError;
use crate::wire::{self, Value};

/// A stream of messages to and from one layer.
#[derive(Debug)]
pub(crate) struct Channel {
    socket: OwnedFd,
    received: Vec<u8>,
    /// Descriptors that rode on messages, in order.
    descriptors: VecDeque<OwnedFd>,
    is_closed: bool,
}

impl Channel {
    /// A channel, and the socket to hand to the layer.
    pub(crate) fn pair() -> Result<(Self, OwnedFd), WorkerError> {
        let (ours, theirs) = socketpair(AddressFamily::Unix, SockType::Stream, None, SockFlag::SOCK_CLOEXEC)
            .map_err(WorkerError::system("a socket pair"))?;
        Ok((Self { socket: ours, received: Vec::new(), descriptors: VecDeque::new(), is_closed: false }, theirs))
    }

    /// Sends one message. That the layer has gone is noticed when reading, so it is no error here.
    pub(crate) fn send(&self, message: &Value, fds: &[BorrowedFd<'_>]) -> Result<(), WorkerError> {
        let mut frame = vec![0; 4];
        wire::encode(message, &mut frame);
        let length = u32::try_from(frame.len() - 4).map_err(|_| WorkerError::Protocol { field: "length" })?;
        frame[..4].copy_from_slice(&length.to_le_bytes());
        match self.send_all(&frame, fds) {
            Ok(()) | Err(Errno::EPIPE | Errno::ECONNRESET) => Ok(()),
            Err(errno) => Err(WorkerError::system("a message to a worker")(errno)),
        }
    }

    fn send_all(&self, frame: &[u8], fds: &[BorrowedFd<'_>]) -> nix::Result<()> {
        let raw: Vec<_> = fds.iter().map(AsRawFd::as_raw_fd).collect();
        let rights = [ControlMessage::ScmRights(&raw)];
        let control = if raw.is_empty() { &[][..] } else { &rights[..] };
        let socket = self.socket.as_raw_fd();
        let mut sent = sendmsg::<()>(socket, &[IoSlice::new(frame)], control, MsgFlags::MSG_NOSIGNAL, None)?;
        while sent < frame.len() {
            match send(socket, &frame[sent..], MsgFlags::MSG_NOSIGNAL) {
                Ok(more) => sent += more,
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }

    /// Reads what has arrived, without waiting.
    pub(crate) fn fill(&mut self) {
        loop {
            match self.receive() {
                Ok(0) => self.is_closed = true,
                Ok(_) | Err(Errno::EINTR) => continue,
                Err(Errno::EAGAIN) => {}
                Err(_) => self.is_closed = true,
            }
            return;
        }
    }

    fn receive(&mut self) -> nix::Result<usize> {
        let mut chunk = [0; 65536];
        let mut control = nix::cmsg_space!([std::os::fd::RawFd; 1]);
        let mut parts = [IoSliceMut::new(&mut chunk)];
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_CMSG_CLOEXEC;
        let message = recvmsg::<()>(self.socket.as_raw_fd(), &mut parts, Some(&mut control), flags)?;
        for part in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(numbers) = part {
                self.descriptors.extend(numbers.into_iter().map(adopt));
            }
        }
        let count = message.bytes;
        self.received.extend(&chunk[..count]);
        Ok(count)
    }

    /// The next descriptor that rode on a message.
    pub(crate) fn take_descriptor(&mut self) -> Option<OwnedFd> {
        self.descriptors.pop_front()
    }

    /// The next whole message among those read.
    pub(crate) fn next_message(&mut self) -> Result<Option<Value>, WorkerError> {
        take_frame(&mut self.received)
    }

    /// Whether the layer has closed its end. Messages may still be unread.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

#[expect(unsafe_code, reason = "descriptors arrive as bare numbers")]
fn adopt(number: std::os::fd::RawFd) -> OwnedFd {
    // SAFETY: the kernel made this descriptor for us with the message, and nobody else knows its number.
    unsafe { OwnedFd::from_raw_fd(number) }
}

/// Takes one frame off the front of `received`.
pub(crate) fn take_frame(received: &mut Vec<u8>) -> Result<Option<Value>, WorkerError> {
    let Some((head, rest)) = received.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_le_bytes(*head) as usize;
    let Some(mut body) = rest.get(..length) else { return Ok(None) };
    let message = wire::decode(&mut body).ok_or(WorkerError::Protocol { field: "frame" })?;
    received.drain(..4 + length);
    Ok(Some(message))
}
