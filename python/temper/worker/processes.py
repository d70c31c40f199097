"""Looking at and ending processes: threads of our own, descendants, orphans.

Everything a subject started must be gone when its piece of work is over: loky pools, data loaders and servers outlive the
process that made them, and some leave its process group. Layers adopt orphans, so whatever is left is found below us.
"""

import os
import signal
import time
import warnings

# Threads that a library sees through a fork by its own handlers. jemalloc's gives memory back to the system; pyarrow, and
# with it pandas, starts it on import, and a child does without.
_FORKED_WITH_CARE = frozenset(("jemalloc_bg_thd",))


def thread_count():
    """Threads of this process as the kernel counts them; 1 where it does not say."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


def threads_that_outlive_a_fork():
    """Threads of this process apart from the main one that a fork would leave behind.

    OpenBLAS starts its pool when it is loaded, ends it before a fork and starts it again at need: harmless. Pools that are
    still there after a trial fork (OpenMP, Python threads) would be missing in a child that waits for them; but for those
    that are known to be no loss.
    """
    if thread_count() == 1:
        return 0
    with warnings.catch_warnings():
        # Python warns of forks among threads, which is what is being asked here.
        warnings.simplefilter("ignore")
        pid = os.fork()
        if pid == 0:
            os._exit(0)
    os.waitpid(pid, 0)
    return sum(name not in _FORKED_WITH_CARE for name in _other_threads())


def _other_threads():
    """Names of the threads apart from the main one."""
    names = []
    for thread in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{thread}/comm") as file:
                names += [file.read().strip()] if int(thread) != os.getpid() else []
        except OSError:
            # It has ended since.
            pass
    return names


def has_children():
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def parents():
    """Parent of every process that /proc shows."""
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The command name is in parentheses and may hold anything, spaces and parentheses too.
                    table[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                pass
    return table


def descendants(root, table=None):
    """All processes below `root`, children first."""
    below = {}
    for pid, parent in (table or parents()).items():
        below.setdefault(parent, []).append(pid)
    found = list(below.get(root, ()))
    for pid in found:
        found.extend(below.get(pid, ()))
    return found


def children():
    """Direct children of this process."""
    me = os.getpid()
    return {pid for pid, parent in parents().items() if parent == me}


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def kill_group(leader):
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def end_descendants(keep=frozenset(), patience_secs=5.0):
    """Kills and reaps everything below this process except the children in `keep` and what is below them.

    Returns how many were killed. A process that forks faster than it is killed is outrun, since each round takes a
    snapshot of all and kills all; a process that cannot die (uninterruptible sleep) is left after `patience_secs`.
    """
    if not keep and not has_children():
        return 0
    killed = set()
    until = time.monotonic() + patience_secs
    while time.monotonic() < until:
        table = parents()
        kept = set(keep).union(*(descendants(pid, table) for pid in keep))
        rest = [pid for pid in descendants(os.getpid(), table) if pid not in kept]
        if not rest:
            break
        for pid in rest:
            kill(pid)
        killed.update(rest)
        _reap(rest)
    return len(killed)


def _reap(pids):
    until = time.monotonic() + 0.2
    waiting = set(pids)
    while waiting and time.monotonic() < until:
        for pid in list(waiting):
            try:
                if os.waitpid(pid, os.WNOHANG)[0] == pid:
                    waiting.discard(pid)
            except ChildProcessError:
                # A grandchild: its own parent is among the killed, so it becomes ours within this or the next round.
                waiting.discard(pid)
        if waiting:
            time.sleep(0.001)
