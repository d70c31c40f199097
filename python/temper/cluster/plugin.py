"""What runs in the workers of a Dask cluster: a copy of the project, and a `temper serve` for each piece of work at a time."""

import importlib.metadata
import os
import platform
import queue
import shutil
import socket
import subprocess
import sys

from distributed import get_worker
from distributed.diagnostics.plugin import WorkerPlugin

from temper.cluster import frames, project_copy


class ProjectPlugin(WorkerPlugin):
    """Brings the project to each worker, also to those that come later."""

    idempotent = True

    def __init__(self, name, archive, variables):
        self.name = name
        self._archive = archive
        self._variables = variables
        self._folder = None
        self._idle = None

    def setup(self, worker):
        """Called by Dask in the worker."""
        self._folder = project_copy.unpack(self._archive, worker.local_directory)
        self._idle = queue.SimpleQueue()

    def teardown(self, worker):
        """Called by Dask when the worker ends, or the plugin is taken away."""
        while self._idle is not None and not self._idle.empty():
            self._idle.get().end()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def do(self, piece):
        """Does a piece of work; returns the answer."""
        try:
            server = self._idle.get_nowait()
        except queue.Empty:
            server = _Server(self._folder, self._variables)
        answer = server.ask(piece)
        if answer is None:
            server.end()
            # It was ended by somebody else, or ended over a piece before this one.
            server = _Server(self._folder, self._variables)
            answer = server.ask(piece)
        if answer is None:
            raise RuntimeError(f"`temper serve` ended with code {server.end()} on {socket.gethostname()}")
        self._idle.put(server)
        return answer


class _Server:
    """A process that does pieces of work."""

    def __init__(self, folder, variables):
        command = [sys.executable, "-m", "temper", "serve", "--root", folder, "--prefix", sys.prefix]
        self._process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **variables}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, piece):
        """The answer; `None` if the process is gone."""
        try:
            frames.write(self._process.stdin, piece)
            return frames.read(self._process.stdout)
        except OSError:
            return None

    def end(self):
        """Ends it, and all below it; returns its exit code."""
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                pipe.close()
            except OSError:
                pass
        try:
            return self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def do_piece(name, piece):
    """The task of one piece of work."""
    return get_worker().plugins[name].do(piece)


def describe():
    """What numbers depend on in this worker."""
    installed = {}
    for distribution in importlib.metadata.distributions():
        installed.setdefault(distribution.metadata["Name"], distribution.version)
    return {"python": platform.python_version(), "installed": installed}
