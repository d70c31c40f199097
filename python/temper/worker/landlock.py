"""Landlock: the kernel's own refusal to write outside given folders, for this process and all it starts.

Raw system calls, because the restriction must be put on after a fork: layers that share a parent differ in what they may do,
and a restriction once on never comes off. See landlock(7). Where the kernel has none, `restrict` says so and does nothing.
"""

import os
import struct

from temper.worker import kernel

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1

_EXECUTE = 1 << 0
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_WRITE_FILE = 1 << 1
_TRUNCATE = 1 << 14
# write, remove (directory, file), make (device, directory, file, socket, pipe, block device, link).
_WRITES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
_REFER = 1 << 13
_TCP = 1 << 0 | 1 << 1
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1 << 0, 1 << 1

# Devices that swallow or invent what goes through them.
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")


def version():
    """The kernel's Landlock version; 0 where there is none."""
    return max(0, kernel.syscall(_CREATE_RULESET, None, 0, 1))


def restrict(writable, allow_net, allow_subprocess):
    """Restricts this process for good; `False` where the kernel cannot."""
    abi = version()
    if abi < 1 or not kernel.forbid_new_privileges():
        return False
    writes = _WRITES | (_REFER if abi >= 2 else 0) | (_TRUNCATE if abi >= 3 else 0)
    ruleset = _create(abi, writes | (0 if allow_subprocess else _EXECUTE), allow_net)
    if ruleset < 0:
        return False
    try:
        for folder in writable:
            _allow(ruleset, folder, writes)
        for device in DEVICES:
            _allow(ruleset, device, writes)
        return kernel.syscall(_RESTRICT_SELF, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def restrict_reading(readable):
    """Lets this process read nothing but these files and folders; `False` where the kernel cannot."""
    if version() < 1 or not kernel.forbid_new_privileges():
        return False
    attributes = struct.pack("<Q", _READ_FILE | _READ_FOLDER)
    ruleset = kernel.syscall(_CREATE_RULESET, kernel.buffer(attributes), len(attributes), 0)
    if ruleset < 0:
        return False
    try:
        for path in readable:
            _allow(ruleset, path, _READ_FILE | _READ_FOLDER)
        return kernel.syscall(_RESTRICT_SELF, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def _create(abi, files, allow_net):
    fields = [files]
    if abi >= 4:
        fields.append(0 if allow_net else _TCP)
    if abi >= 6:
        fields.append(_SCOPE_SIGNALS | (0 if allow_net else _SCOPE_ABSTRACT_SOCKETS))
    attributes = struct.pack(f"<{len(fields)}Q", *fields)
    return kernel.syscall(_CREATE_RULESET, kernel.buffer(attributes), len(attributes), 0)


def _allow(ruleset, path, writes):
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        # A rule on a file may only speak of what can be done to a file.
        rights = writes if os.path.isdir(path) else writes & (_WRITE_FILE | _TRUNCATE | _READ_FILE)
        kernel.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, kernel.buffer(struct.pack("<Qi", rights, fd)), 0)
    finally:
        os.close(fd)
