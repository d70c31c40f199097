"""The process at the top of a worker tree. It imports no user code and waits for one thing: that the driver goes away.

The driver may be killed at any moment. Its end of the control socket then closes; the guard ends every process below it,
whatever group or session that has moved to, and removes the scratch folder.
"""

import os
import select

from temper.worker import kernel, processes, scratch


def stand(control, place):
    """Forks. The child returns, to become the base layer; the parent guards it and never returns."""
    kernel.adopt_orphans()
    guard = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        kernel.die_with_parent(guard)
        _send_output(os.path.join(place, "base.log"))
        return
    _send_output(os.devnull)
    _wait_for_end(control.fileno(), os.pidfd_open(pid))
    processes.end_descendants(patience_secs=10.0)
    scratch.remove(place)
    os._exit(0)


def _send_output(path):
    """What the base layer prints is kept in scratch: nobody would read a pipe."""
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)


def _wait_for_end(control, base):
    poll = select.poll()
    # No events asked for: hanging up is always reported, and the messages are for the base layer.
    poll.register(control, 0)
    poll.register(base, select.POLLIN)
    while not poll.poll():
        pass
