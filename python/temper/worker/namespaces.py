"""Namespaces: a view of the machine in which every mount but those of given folders is read-only, and which has no network.

Put on once in a contained layer, before user code is imported; pieces of work inherit it. An ordinary user needs user
namespaces for it. Root does without them, and gives up the capabilities by which it could undo it. See namespaces(7).
"""

import errno
import fcntl
import os
import stat

from temper.worker import kernel

_MOUNTS, _IPC, _USER, _NETWORK = 0x20000, 0x08000000, 0x10000000, 0x40000000

# What root may still do: read and write files of others, as far as mounts and Landlock let it.
_KEPT_CAPABILITIES = sum(1 << bit for bit in range(5))

SHARED_MEMORY = "/dev/shm"


def is_possible():
    """Tries in a child, because a process that got half of it could not go back."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if enter([], False, ()) else 1)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def enter(writable, allow_net, kept):
    """Moves this process for good; `False` if not everything could be done. The descriptors `kept` stay open."""
    before = kernel.capabilities()
    if not _unshare(_MOUNTS | _IPC | (0 if allow_net else _NETWORK)):
        return False
    is_done = _close_ways_out(kept) and _mount(writable)
    # Relative paths would go past what was mounted over the current folder.
    os.chdir(os.getcwd())
    return kernel.keep_capabilities(before & _KEPT_CAPABILITIES) and is_done


def _unshare(wanted):
    if os.geteuid() == 0 and kernel.unshare(wanted):
        return True
    user, group = os.geteuid(), os.getegid()
    if not kernel.unshare(_USER | wanted):
        return False
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    except OSError:
        return False
    return True


def _mount(writable):
    if not kernel.mount_private():
        return False
    open_again = [path for path in writable if kernel.mount_on_itself(path)]
    if os.path.isdir(SHARED_MEMORY) and kernel.mount_memory(SHARED_MEMORY):
        open_again.append(SHARED_MEMORY)
    return kernel.mount_read_only("/", True) and all([kernel.mount_read_only(path, False) for path in open_again])


def _close_ways_out(kept):
    """Closes what was opened before and leads to the mounts as they were: folders, files to write, sockets."""
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        if number > 2 and number not in kept:
            try:
                kind = os.fstat(number).st_mode
                is_written = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
                if stat.S_ISDIR(kind) or stat.S_ISSOCK(kind) or (stat.S_ISREG(kind) and is_written):
                    os.close(number)
            except OSError as error:
                if error.errno != errno.EBADF:
                    return False
    return True


def clear_shared_memory():
    """Removes what a piece of work left in the shared memory of its layer."""
    for name in os.listdir(SHARED_MEMORY):
        try:
            os.unlink(os.path.join(SHARED_MEMORY, name))
        except OSError:
            # A folder: the next piece of work can do without that name.
            pass
