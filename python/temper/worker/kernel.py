"""The few Linux calls that Python's standard library does not have, through ctypes; each says whether it worked."""

import os
import signal
import struct

try:
    import ctypes

    _libc = ctypes.CDLL(None, use_errno=True)
    _libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    _libc.syscall.restype = ctypes.c_long
except (ImportError, OSError, AttributeError):
    _libc = None

_M_PERTURB = -6
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38

_MOUNT_SETATTR = 442
_AT_RECURSIVE = 0x8000
_MOUNT_ATTR_RDONLY = 1
_MS_BIND, _MS_REC, _MS_PRIVATE, _MS_NOSUID, _MS_NODEV = 1 << 12, 1 << 14, 1 << 18, 1 << 1, 1 << 2
_CAPABILITY_VERSION = 0x20080522

_SECCOMP = {"x86_64": 317, "aarch64": 277}.get(os.uname().machine)
_SECCOMP_SET_MODE_FILTER = 1
# Filters make processors slower on old kernels unless they are asked not to.
_SECCOMP_SPEC_ALLOW, _SECCOMP_NEW_LISTENER = 1 << 2, 1 << 3
# A call that the listener has taken is not interrupted by signals; Linux 5.19.
_SECCOMP_WAIT_KILLABLE = 1 << 5


def _prctl(option, value):
    return _libc is not None and _libc.prctl(option, value, 0, 0, 0) == 0


def die_with_parent(parent):
    """Asks for SIGKILL when the parent ends; exits at once if it already has."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def adopt_orphans():
    """Makes this process the parent of descendants whose own parent ends, so that it can end them too."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def forbid_new_privileges():
    return _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def fill_memory(byte):
    """Has the C library fill memory with `byte` when it is taken, and with its complement when it is freed."""
    # It is told the byte for freed memory; zero, which stands for none, is what it has at first.
    return hasattr(_libc, "mallopt") and _libc.mallopt(_M_PERTURB, 0 if byte is None else byte ^ 0xFF) == 1


def unshare(flags):
    return hasattr(_libc, "unshare") and _libc.unshare(ctypes.c_int(flags)) == 0


def mount_private():
    """Keeps all further mounts of this mount namespace from others."""
    return _mount(b"none", "/", None, _MS_REC | _MS_PRIVATE, None)


def mount_on_itself(path):
    """Makes a file or folder a mount point with flags of its own."""
    return _mount(os.fsencode(path), path, None, _MS_BIND | _MS_REC, None)


def mount_memory(path):
    """Puts an empty folder in memory over `path`."""
    return _mount(b"tmpfs", path, b"tmpfs", _MS_NOSUID | _MS_NODEV, b"mode=1777")


def _mount(source, path, kind, flags, options):
    if not hasattr(_libc, "mount"):
        return False
    return _libc.mount(source, os.fsencode(path), kind, ctypes.c_ulong(flags), options) == 0


def mount_read_only(path, is_read_only):
    """Makes all mounts from `path` downwards read-only, or takes that back."""
    given = (_MOUNT_ATTR_RDONLY, 0) if is_read_only else (0, _MOUNT_ATTR_RDONLY)
    attributes = buffer(struct.pack("<4Q", *given, 0, 0))
    return syscall(_MOUNT_SETATTR, -100, os.fsencode(path), _AT_RECURSIVE, attributes, 32) == 0


def capabilities():
    """The capabilities that this process uses, one bit each."""
    head, data = buffer(struct.pack("<Ii", _CAPABILITY_VERSION, 0)), buffer(bytes(24))
    if not hasattr(_libc, "capget") or _libc.capget(head, data) != 0:
        return 0
    low, _, _, high, _, _ = struct.unpack("<6I", data.raw)
    return low | high << 32


def keep_capabilities(bits):
    """Gives up all capabilities but these."""
    low, high = bits & 0xFFFFFFFF, bits >> 32
    head = buffer(struct.pack("<Ii", _CAPABILITY_VERSION, 0))
    data = buffer(struct.pack("<6I", low, low, 0, high, high, 0))
    return hasattr(_libc, "capset") and _libc.capset(head, data) == 0


def filter_calls(program, is_notified):
    """Puts a seccomp filter on this process: a descriptor on which refused calls are told, 0 without one, or -1."""
    if _SECCOMP is None or not forbid_new_privileges():
        return -1
    instructions = buffer(program)
    head = buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(instructions)))
    if not is_notified:
        return syscall(_SECCOMP, _SECCOMP_SET_MODE_FILTER, _SECCOMP_SPEC_ALLOW, head)
    flags = _SECCOMP_SPEC_ALLOW | _SECCOMP_NEW_LISTENER
    listener = syscall(_SECCOMP, _SECCOMP_SET_MODE_FILTER, flags | _SECCOMP_WAIT_KILLABLE, head)
    return listener if listener >= 0 else syscall(_SECCOMP, _SECCOMP_SET_MODE_FILTER, flags, head)


def syscall(number, *arguments):
    """A raw system call: its result, or -1."""
    if _libc is None:
        return -1
    converted = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    return _libc.syscall(ctypes.c_long(number), *converted)


def buffer(data):
    """`data` in memory that a system call can be pointed at."""
    return ctypes.create_string_buffer(data, len(data))
