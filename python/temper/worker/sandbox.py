"""Containment of code that may do anything: random inputs to functions, mutants.

Two fences. A Python audit hook refuses writes outside the writable folders, connections and subprocesses, and remembers what
it refused, so that a refusal is never taken for a fault of the subject. Landlock, where the kernel has it, refuses the same to
extension modules and grandchildren. Both stop accidents; neither is a prison for code that means to break out.
"""

import errno
import os
import sys

from temper.worker import landlock

_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_MAX_REFUSALS = 20

_NET_EVENTS = {
    "socket.connect",
    "socket.bind",
    "socket.sendto",
    "socket.sendmsg",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.gethostbyaddr",
}
_PROCESS_EVENTS = {
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "os.forkpty",
    "pty.spawn",
}
# Event: indices of its paths, of the directory descriptors they are relative to, and whether a last link is followed.
_PATH_EVENTS = {
    "os.remove": ((0, 1, False),),
    "os.rmdir": ((0, 1, False),),
    "os.mkdir": ((0, 2, False),),
    "os.rename": ((0, 2, False), (1, 3, False)),
    "os.link": ((1, 3, False),),
    "os.symlink": ((1, 2, False),),
    "os.truncate": ((0, None, True),),
    "os.chmod": ((0, 2, True),),
    "os.chown": ((0, 3, True),),
    "os.utime": ((0, 3, True),),
    "os.setxattr": ((0, None, True),),
    "os.removexattr": ((0, None, True),),
    # What a link leads to is meant: `rmtree` refuses links itself, which would look like a fault of the subject.
    "shutil.rmtree": ((0, 1, True),),
    "sqlite3.connect": ((0, None, True),),
}


class _Fence:
    """The state of the audit hook, which cannot be removed once it is added."""

    def __init__(self):
        self.is_watching = False
        self.policy = None
        self.writable = ()
        self.refusals = []

    def audit(self, event, arguments):
        if not self.is_watching:
            return
        if event == "open":
            self._check_open(*arguments[:3])
        elif event in _PATH_EVENTS:
            for path, folder, follow in _PATH_EVENTS[event]:
                self._check_path(arguments, path, folder, follow)
        elif event in _NET_EVENTS:
            if not self.policy["allow_net"]:
                self._refuse("net", _address(event, arguments))
        elif event in _PROCESS_EVENTS:
            if not self.policy["allow_subprocess"]:
                self._refuse("subprocess", str(arguments[0])[:200] if arguments else "")
        elif event in ("os.kill", "os.killpg"):
            self._check_signal(arguments[0])

    def _check_open(self, path, mode, flags):
        if isinstance(flags, int) and flags & _WRITE_FLAGS and not isinstance(path, int):
            self._check(path, None, True)

    def _check_path(self, arguments, path, folder, follow):
        target = arguments[path]
        if not isinstance(target, int) and target not in (":memory:", b":memory:"):
            base = arguments[folder] if folder is not None and folder < len(arguments) else None
            self._check(target, base, follow)

    def _check(self, path, base, follow):
        path = os.fsdecode(path)
        if isinstance(base, int) and base >= 0:
            path = os.path.join(os.readlink(f"/proc/self/fd/{base}"), path)
        if follow:
            real = os.path.realpath(path)
        else:
            folder, name = os.path.split(path.rstrip(os.sep))
            real = os.path.join(os.path.realpath(folder or "."), name)
        if real not in landlock.DEVICES and not any(
            real == top or real.startswith(top + os.sep) for top in self.writable
        ):
            self._refuse("write", real)

    def _check_signal(self, pid):
        if pid not in (0, os.getpid()) and not self.policy["allow_subprocess"]:
            self._refuse("signal", str(pid))

    def _refuse(self, kind, detail):
        if len(self.refusals) < _MAX_REFUSALS:
            self.refusals.append({"kind": kind, "detail": detail})
        raise PermissionError(errno.EACCES, f"refused by temper: {kind}", detail)


def _address(event, arguments):
    address = arguments[1] if event.startswith(("socket.connect", "socket.bind", "socket.send")) else arguments[0]
    return str(address)[:200]


_fence = None
_is_restricted = False


def enter(policy, writable):
    """Contains this process if the policy asks for it: writes go to `writable` and the allowed paths only.

    A second call, in a forked child, replaces the folders; the kernel's restriction only ever narrows.
    """
    global _fence, _is_restricted
    if not policy["contained"]:
        return
    writable = [os.path.realpath(path) for path in (*writable, *policy["allow_write"])]
    if policy["allow_subprocess"]:
        # Semaphores and shared memory of multiprocessing.
        writable.append("/dev/shm")
    if _fence is None:
        _fence = _Fence()
        sys.addaudithook(_fence.audit)
    _fence.policy, _fence.writable, _fence.refusals = policy, tuple(writable), []
    _is_restricted = landlock.restrict(writable, policy["allow_net"], policy["allow_subprocess"])


def watch(is_on):
    """Lets the audit hook refuse, or not: our own work between pieces of the subject's is not its concern."""
    if _fence is not None:
        _fence.is_watching = is_on


def report():
    """What was refused, and which fences stood."""
    return {
        "audit": _fence is not None,
        "landlock": _is_restricted,
        "refused": list(_fence.refusals) if _fence is not None else [],
    }
