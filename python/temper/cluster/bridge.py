"""A client of a Dask cluster that passes pieces of work on: standard input and output lead to the command.

It first reads the environment variables of the work and says which workers there are. From then on each frame is a number and a
piece of work, and each answer a number, a byte and what it stands for. Whoever keeps the numbers is the command.
"""

import json
import os
import signal
import struct
import sys
import threading
import uuid

from temper.cluster import frames, project_copy

# The bytes by which an answer begins.
_DONE, _LOST, _FAILED = b"\0", b"\1", b"\2"
_CONNECT_SECS = 8


def main():
    """Serves until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What libraries print must not get among the frames.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    address, root = sys.argv[1:]
    variables = json.loads(frames.read(sys.stdin.buffer))
    try:
        import distributed
    except ImportError:
        _say(output, kind="missing")
        return
    try:
        client = _connect(distributed, address)
        name = _ship(client, root, variables)
        workers = _workers(client)
    except _Unreachable as reason:
        _say(output, kind="unreachable", text=str(reason))
        return
    slots = sum(worker.pop("threads") for worker in workers)
    _say(output, kind="ready", slots=slots, workers=workers)
    Bridge(client, name, output).serve(sys.stdin.buffer)
    # Without a word to the cluster: it gives up what is queued when its client is gone.
    os._exit(0)


class _Unreachable(Exception):
    """There is nobody to do the work; the text says why."""


def _say(output, **hello):
    frames.write(output, json.dumps(hello).encode())


def _connect(distributed, address):
    try:
        if address == "local":
            import dask

            # Dask samples its threads and its event loop many times a second, and sees nothing of the processes that do the work.
            dask.config.set({"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s"})
            cores = len(os.sched_getaffinity(0))
            cluster = distributed.LocalCluster(n_workers=cores, threads_per_worker=1, dashboard_address=None)
            return distributed.Client(cluster, set_as_default=False)
        return distributed.Client(address, timeout=_CONNECT_SECS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise _Unreachable(f"no Dask scheduler answers at `{address}`: {error}") from error


def _ship(client, root, variables):
    """Has every worker make a copy of the project; returns the name of the plugin that has it."""
    from temper.cluster.plugin import ProjectPlugin

    try:
        digest, archive, _ = project_copy.pack(root)
    except project_copy.TooLarge as error:
        raise _Unreachable(str(error)) from error
    # Another client may bring the same project with other variables.
    name = f"temper-{digest[:16]}-{uuid.uuid4().hex[:8]}"
    try:
        client.register_plugin(ProjectPlugin(name, archive, variables), name=name)
    except Exception as error:
        raise _Unreachable(f"the project could not be brought to the workers: {_words(error)}") from error
    return name


def _workers(client):
    from temper.cluster.plugin import describe

    found = client.run(describe)
    threads = client.nthreads()
    if not found:
        raise _Unreachable("the Dask scheduler has no workers")
    return [{"name": name, "threads": threads.get(name, 1), **about} for name, about in sorted(found.items())]


def _words(error):
    """An exception as one line."""
    text = f"{type(error).__name__}: {error}".splitlines()
    return text[0][:500] if text else type(error).__name__


class Bridge:
    """Passes pieces of work to the cluster and answers back."""

    def __init__(self, client, name, output):
        self._client, self._name = client, name
        self._output, self._lock = output, threading.Lock()
        # Futures that nobody holds are given up by the cluster.
        self._futures = {}

    def serve(self, pieces):
        """Until the command has no more to say."""
        while (frame := frames.read(pieces)) is not None:
            (number,) = struct.unpack("<Q", frame[:8])
            self._submit(number, frame[8:])

    def _submit(self, number, piece):
        from temper.cluster.plugin import do_piece

        key = f"temper-{self._name}-{number}"
        future = self._client.submit(do_piece, self._name, piece, pure=False, key=key)
        self._futures[number] = future
        future.add_done_callback(lambda done: self._answer(number, done))

    def _answer(self, number, future):
        kind, content = _result(future)
        self._futures.pop(number, None)
        try:
            with self._lock:
                frames.write(self._output, struct.pack("<Q", number), kind, content)
        except OSError:
            # The command is gone.
            os._exit(0)


def _result(future):
    """The answer of a piece, or that it was lost with its workers, or what went wrong."""
    if future.status == "finished":
        return _DONE, future.result()
    if future.status != "error":
        return _LOST, b""
    error = future.exception()
    # A piece that took several workers with it may be to blame itself: the command counts how often that happens.
    is_lost = type(error).__name__ in ("KilledWorker", "CommClosedError", "NoValidWorkerError")
    return (_LOST, b"") if is_lost else (_FAILED, _words(error).encode())
