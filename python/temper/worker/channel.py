"""Framed messages between the driver and a layer, with file descriptors riding on them; and the one-way result pipe.

A frame is a four-byte length and one encoded value. Descriptors travel with the first byte of a frame.
"""

import array
import os
import socket
import struct

from temper.worker import wire

_LEN = struct.Struct("<I")
_MAX_FDS = 8


def adopt_stdin():
    """Takes the control socket off descriptor 0 and leaves /dev/null there."""
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return control


class Channel:
    """The layer's end of its control socket."""

    def __init__(self, control):
        self.control = control

    def fileno(self):
        return self.control.fileno()

    def close(self):
        self.control.close()

    def send(self, **message):
        """Sends one message. A driver that has gone away is noticed by the serving loop, not here."""
        body = wire.encode(message)
        try:
            self.control.sendall(_LEN.pack(len(body)) + body)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def send_descriptor(self, fd, **message):
        """Sends one message with a descriptor riding on it."""
        body = wire.encode(message)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
        # Short enough to go as a whole.
        self.control.sendmsg([_LEN.pack(len(body)) + body], rights)

    def receive(self):
        """The next message and its descriptors; `(None, [])` once the driver has gone."""
        head, fds = self._receive_head()
        if head is None:
            return None, []
        (length,) = _LEN.unpack(head)
        body = self._exactly(length)
        return (None, []) if body is None else (wire.decode(body), fds)

    def _receive_head(self):
        try:
            data, ancillary, _, _ = self.control.recvmsg(4, socket.CMSG_LEN(_MAX_FDS * 4), socket.MSG_CMSG_CLOEXEC)
        except ConnectionResetError:
            return None, []
        fds = array.array("i")
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.frombytes(content[: len(content) - len(content) % 4])
        rest = self._exactly(4 - len(data)) if data else None
        return (None, []) if rest is None else (data + rest, list(fds))

    def _exactly(self, count):
        parts = []
        while count:
            try:
                part = self.control.recv(min(count, 1 << 20))
            except ConnectionResetError:
                return None
            if not part:
                return None
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


class ResultPipe:
    """The pipe on which one piece of work reports.

    A subject may close descriptors it does not own, and the number may then be given to a file of the user's. So each write
    first makes sure that the descriptor still is the pipe it was.
    """

    def __init__(self, fd):
        self.fd = fd
        self.identity = self._identity()

    def _identity(self):
        status = os.fstat(self.fd)
        return status.st_dev, status.st_ino

    def is_open(self):
        try:
            return self._identity() == self.identity
        except OSError:
            return False

    def send(self, **message):
        """Sends one message; `False` if the pipe is gone."""
        if not self.is_open():
            return False
        body = wire.encode(message)
        view = memoryview(_LEN.pack(len(body)) + body)
        try:
            while view:
                view = view[os.write(self.fd, view) :]
        except OSError:
            return False
        return True
