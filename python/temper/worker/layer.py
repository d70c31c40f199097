"""A layer: a process that has something loaded, obeys the driver and does no work of the subject's itself.

It forks children (further layers, or pieces of work), kills them when told to, and reports their end. It keeps no clock and
decides nothing: all deadlines are the driver's. It has one thread, since a process with more cannot be forked safely.
"""

import faulthandler
import os
import select
import socket
import sys

from temper.worker import (
    channel,
    compiled_functions,
    coverage,
    kernel,
    limits,
    live_code,
    loading,
    memory,
    probe,
    processes,
    randomness,
    sandbox,
    scratch,
    seeds,
    trace,
    work,
)

# Exit code of a piece of work that was done but found its result pipe closed.
LOST_RESULT = 93

# How often a layer looks whether a piece of work has started too many processes.
_COUNT_INTERVAL_MS = 100


class _Child:
    """A child process: of a layer, or doing a piece of work in its scratch folder."""

    def __init__(self, number, pid, scratch=None, max_processes=None):
        self.number, self.pid, self.scratch = number, pid, scratch
        self.max_processes = max_processes
        self.pidfd = os.pidfd_open(pid)
        self.has_too_many = False


class Layer:
    """Serves one control channel."""

    def __init__(self, control):
        self.channel = control
        self.collector = None
        self._children = {}
        # Children from before: started by modules while they were imported, and theirs to keep.
        self._kept = frozenset()
        # Modules that pieces of work find loaded.
        self._modules = loading.LoadedModules()
        self._handlers = {
            "layer": self._start_layer,
            "preload": self._preload,
            "load": self._load,
            "run": self._run,
            "kill": self._kill,
            "fences": self._tell_fences,
        }

    def start(self):
        """Serves until the driver goes away; never returns."""
        kernel.adopt_orphans()
        trace.install()
        self.channel.send(kind="ready", pid=os.getpid(), python=sys.version.split()[0])
        self.serve()

    def serve(self):
        self._modules = loading.LoadedModules()
        if processes.has_children():
            self._kept = frozenset(processes.children() - {child.pid for child in self._children.values()})
        while True:
            ready = self._wait()
            for child in [child for child in self._children.values() if child.pidfd in ready]:
                self._finish(child)
            if self.channel.fileno() in ready:
                self._obey()

    def _wait(self):
        poll = select.poll()
        poll.register(self.channel.fileno(), select.POLLIN)
        for child in self._children.values():
            poll.register(child.pidfd, select.POLLIN)
        counted = [child for child in self._children.values() if child.max_processes is not None]
        while True:
            ready = {fd for fd, _ in poll.poll(_COUNT_INTERVAL_MS if counted else None)}
            if ready:
                return ready
            for child in counted:
                self._count_processes(child)

    def _count_processes(self, child):
        # Cheap first: a count of all processes is a bound on those of one.
        if len(os.listdir("/proc")) > child.max_processes and not child.has_too_many:
            if len(processes.descendants(child.pid)) > child.max_processes:
                child.has_too_many = True
                processes.kill_group(child.pid)

    def _obey(self):
        message, fds = self.channel.receive()
        if message is None:
            self._end()
        self._handlers[message["kind"]](message, fds)

    def _end(self):
        """The driver is gone: so is everything below."""
        processes.end_descendants()
        os._exit(0)

    # Layers.

    def _start_layer(self, message, fds):
        """Forks a layer that shares what is loaded here, or executes a fresh interpreter (`fresh`)."""
        _flush()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._leave(parent)
            _redirect_output(fds[1])
            if message["fresh"]:
                _execute(fds[0], message["scratch"])
            scratch.enter(message["scratch"])
            Layer(channel.Channel(socket.socket(fileno=fds[0]))).start()
        self._adopt(_Child(message["id"], pid, scratch=message["scratch"]), fds)

    def _preload(self, message, _fds):
        threaded = loading.preload(message["modules"], message["variables"], message["root"])
        self.channel.send(kind="preloaded", threaded=threaded)

    def _load(self, message, _fds):
        loading.load(self, message)

    def _tell_fences(self, _message, _fds):
        self.channel.send(kind="fences", **sandbox.available())

    # Pieces of work.

    def _run(self, message, fds):
        """Does a piece of work in a fork, or in this process if it was made for that one piece (`here`)."""
        memory.prepare(message["piece"])
        if message["here"]:
            self.channel.close()
            self._work(message, fds)
        _flush()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._leave(parent)
            self._work(message, fds)
        limit = message["limits"]["processes"]
        self._adopt(_Child(message["id"], pid, message["scratch"], limit), fds)

    def _work(self, message, fds):
        """Does one piece of work and exits; never returns."""
        result = channel.ResultPipe(fds[0])
        _redirect_output(fds[1])
        scratch.enter(message["scratch"])
        if message["policy"]["scratch_cwd"]:
            scratch.mirror(message["root"], message["scratch"])
            os.chdir(message["scratch"])
        limits.apply(message["limits"], final=True)
        sandbox.enter(message["policy"], [message["scratch"], *compiled_functions.folders()], fds[2])
        probe.install()
        probe.clear()
        kind = message["piece"]["kind"]
        # What a mutant uses is what its original was seen to use.
        is_noted = not message["changes"]
        if not is_noted:
            randomness.rest()
            compiled_functions.rest()
        if kind != "repeat":
            seeds.reseed(message["seed"])
        randomness.watch_entropy()
        lines = coverage.Lines(message["root"]) if kind == "cover" else None
        trace.clear()
        if is_noted:
            trace.begin(message["root"])
        sandbox.watch(True)
        if live_code.replace(message["changes"]):
            outcome = work.run(message["piece"], self.collector, result, lines)
        else:
            outcome = {"kind": "missing"}
        sandbox.watch(False)
        trace.pause()
        random_sources = randomness.used()
        _flush()
        late = self._modules.late() if is_noted else set()
        is_first = kind == "test" or message["piece"].get("until") == "chance"
        is_sent = result.send(
            kind="done",
            outcome=outcome,
            probes=probe.recorded(),
            random_sources=random_sources,
            containment=sandbox.report(),
            late_files=loading.project_files(message["root"], late),
            used=trace.taken(),
            late_distributions=loading.distributions(late, message["root"]) if kind in ("test", "repeat") else {},
            late_modules=loading.third_party(os.path.realpath(message["root"]), late) if is_first else [],
            covered=lines.reached() if lines else [],
        )
        os._exit(0 if is_sent else LOST_RESULT)

    # Children.

    def _leave(self, parent):
        """In a forked child: its own process group, no hold on the parent's descriptors."""
        os.setpgid(0, 0)
        kernel.die_with_parent(parent)
        self.channel.close()
        for child in self._children.values():
            os.close(child.pidfd)
        self._children = {}

    def _adopt(self, child, fds):
        for fd in fds:
            os.close(fd)
        try:
            # Also set by the child itself: whoever comes first.
            os.setpgid(child.pid, child.pid)
        except OSError:
            pass
        self._children[child.number] = child

    def _kill(self, message, _fds):
        child = self._children.get(message["id"])
        if child is not None:
            processes.kill_group(child.pid)
            # A child that has left its group is still ours.
            processes.kill(child.pid)

    def _finish(self, child):
        """Ends whatever the child left behind, reaps it, removes its scratch folder, reports."""
        del self._children[child.number]
        # Before reaping, while the number cannot belong to anybody else.
        processes.kill_group(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
        os.close(child.pidfd)
        keep = self._kept.union(other.pid for other in self._children.values())
        orphans = processes.end_descendants(keep)
        if child.scratch is not None:
            scratch.remove(child.scratch)
        sandbox.clear()
        self.channel.send(
            kind="exited",
            id=child.number,
            code=os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            cpu_secs=usage.ru_utime + usage.ru_stime,
            max_rss_kib=usage.ru_maxrss,
            orphans=orphans,
            too_many_processes=child.has_too_many,
        )


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass


def _redirect_output(fd):
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    os.close(fd)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    faulthandler.enable(2)


def _execute(control, scratch):
    """Replaces this process by a fresh interpreter on the same control socket."""
    os.dup2(control, 0)
    # The command line of the guard, with another role and scratch folder at its end.
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:-2], "layer", scratch])
