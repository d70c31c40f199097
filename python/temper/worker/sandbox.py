"""Containment of code that may do anything: random inputs to functions, mutants.

A Python audit hook refuses writes outside the writable folders, connections and subprocesses, and remembers what it refused, so
that a refusal is never taken for a fault of the subject. The kernel refuses the same to extension modules and grandchildren:
namespaces make the rest of the machine read-only and cut the network off, Landlock refuses writes and execution, and a filter
of system calls refuses what neither sees. The driver is told of filtered calls, decides on them by their paths, and says what
it refused. SECURITY.md says what this is meant to stop.
"""

import errno
import os
import sys

from temper.worker import kernel, landlock, namespaces, scratch, sight

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
    # The file that is linked to can be written through the link.
    "os.link": ((0, 2, False), (1, 3, False)),
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
        # What else may be read; nothing stands for everything.
        self.readable = None
        self.refusals = []
        # Where the driver says what it refused to this piece of work.
        self.told = None

    def audit(self, event, arguments):
        if not self.is_watching:
            return
        if event == "open":
            self._check_open(*arguments[:3])
        elif event in _PATH_EVENTS:
            for path, folder, follow in _PATH_EVENTS[event]:
                self._check_path(arguments, path, folder, follow)
        elif event in ("os.listdir", "os.scandir"):
            self._check_read(arguments[0] or ".")
        elif event in _NET_EVENTS:
            if not self.policy["allow_net"]:
                self._refuse("net", _address(event, arguments))
        elif event in _PROCESS_EVENTS:
            if not self.policy["allow_subprocess"]:
                self._refuse("subprocess", str(arguments[0])[:200] if arguments else "")
        elif event in ("os.kill", "os.killpg"):
            self._check_signal(arguments[0])

    def _check_open(self, path, mode, flags):
        if isinstance(path, int):
            return
        if isinstance(flags, int) and flags & _WRITE_FLAGS:
            self._check(path, None, True)
        else:
            self._check_read(path)

    def _check_read(self, path):
        if self.readable is not None and not isinstance(path, int):
            real = os.path.realpath(os.fsdecode(path))
            # What is not there cannot be read either, and the subject may want to know that.
            if not sight.may_read(real, self.readable + self.writable) and os.path.exists(real):
                self._refuse("read", real)

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


class _Standing:
    """Which fences stand around this process; forks inherit them."""

    namespaces = False
    landlock = False
    filter = False
    # The program that keeps a piece of work from other processes, in which its own number is to be put.
    sample_program = None


_standing = _Standing()
# Stands for the number of the process in programs that come from the driver.
_PLACE_OF_PID = (0x7ACE7ACE).to_bytes(4, "little")


def available():
    """Which fences this machine has, tried in children."""
    return {
        "namespaces": namespaces.is_possible(),
        "landlock": landlock.version() > 0,
        "filter": _can_filter(),
    }


def _can_filter():
    pid = os.fork()
    if pid == 0:
        # Allows everything, and tells of nothing.
        program = (0x06).to_bytes(2, "little") + bytes(2) + (0x7FFF0000).to_bytes(4, "little")
        os._exit(0 if kernel.filter_calls(program, True) >= 0 else 1)
    return os.waitpid(pid, 0)[1] == 0


def enter_layer(policy, writable, channel):
    """Puts a layer, and all that is forked from it, behind the fences, if the policy asks for it."""
    if not policy["contained"]:
        return
    wanted = policy["fences"]
    writable = _all_writable(policy, writable)
    if wanted["namespaces"]:
        _standing.namespaces = namespaces.enter(writable, policy["allow_net"], (channel.fileno(),))
    _watch_writes(policy, writable)
    if wanted["landlock"]:
        _restrict(policy, writable)
    if wanted["programs"] is not None:
        _filter(wanted["programs"], channel)
    if policy["sight"] is not None:
        sight.hide_variables(policy["sight"]["variables"], scratch.SCRATCH_VARIABLES)
        _move_home(policy)


def _move_home(policy):
    """The home is scratch, unless the code may see the user's."""
    if policy["sight"] is not None and "HOME" not in policy["sight"]["variables"]:
        os.environ["HOME"] = scratch.folder


def narrow_sight(policy, root):
    """After imports: what was imported may be read, and what the user has elsewhere may not."""
    if not policy["contained"] or policy["sight"] is None:
        return
    _fence.readable = tuple(sight.readable(root, policy["sight"]["paths"]))
    if policy["fences"]["landlock"]:
        landlock.restrict_reading([*_fence.readable, *_fence.writable])


def _filter(programs, channel):
    told, plain = programs["fenced" if _standing.namespaces or _standing.landlock else "bare"]
    listener = kernel.filter_calls(told, True)
    if listener >= 0:
        channel.send_descriptor(listener, kind="listener")
        os.close(listener)
    _standing.filter = listener >= 0 or kernel.filter_calls(plain, False) == 0
    _standing.sample_program = programs["sample"]


def enter(policy, writable, told):
    """Narrows the fences of a layer to one piece of work, which may write to `writable` and the allowed paths only."""
    if not policy["contained"]:
        os.close(told)
        return
    _fence.told = told
    _move_home(policy)
    writable = _all_writable(policy, writable)
    _watch_writes(policy, writable)
    if policy["fences"]["landlock"]:
        _restrict(policy, writable)
    if _standing.filter and _standing.sample_program:
        kernel.filter_calls(_standing.sample_program.replace(_PLACE_OF_PID, os.getpid().to_bytes(4, "little")), False)


def _all_writable(policy, writable):
    return [os.path.realpath(path) for path in (*writable, *policy["allow_write"])]


def _watch_writes(policy, writable):
    global _fence
    if policy["allow_subprocess"] or _standing.namespaces:
        # Semaphores and shared memory of multiprocessing; behind namespaces they are the layer's own.
        writable.append(namespaces.SHARED_MEMORY)
    if _fence is None:
        _fence = _Fence()
        sys.addaudithook(_fence.audit)
    _fence.policy, _fence.writable, _fence.refusals = policy, tuple(writable), []


def _restrict(policy, writable):
    is_on = landlock.restrict(writable, policy["allow_net"], policy["allow_subprocess"])
    _standing.landlock = _standing.landlock or is_on


def watch(is_on):
    """Lets the audit hook refuse, or not: our own work between pieces of the subject's is not its concern."""
    if _fence is not None:
        _fence.is_watching = is_on


def refusals():
    """What was refused so far, by the hook and by the driver; whoever has seen to it clears the list."""
    if _fence is None:
        return []
    if _fence.told is not None:
        try:
            told = os.read(_fence.told, 1 << 16)
        except OSError:
            # Nothing was said, or the subject closed what is not its own.
            told = b""
        for line in told.decode(errors="replace").splitlines():
            kind, _, detail = line.partition("\t")
            refusal = {"kind": kind, "detail": detail}
            if refusal not in _fence.refusals and len(_fence.refusals) < _MAX_REFUSALS:
                _fence.refusals.append(refusal)
    return _fence.refusals


def is_fenced():
    """Whether the kernel refuses things to this process that the list of refusals may not hold."""
    return _standing.namespaces or _standing.landlock or _standing.filter


def clear():
    """Makes a layer ready for its next piece of work."""
    if _standing.namespaces:
        namespaces.clear_shared_memory()


def report():
    """What was refused, and which fences stood."""
    return {
        "audit": _fence is not None,
        "namespaces": _standing.namespaces,
        "landlock": _standing.landlock,
        "filter": _standing.filter,
        "refused": list(refusals()),
    }
