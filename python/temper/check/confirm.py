"""One recorded call, made again in a separate process: to confirm a finding, or to describe a draw that ended its process."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from temper import evaluation
from temper.check import protocol, results
from temper.check.draw_under_way import DrawUnderWay
from temper.check.judge import Judge, values_of
from temper.check.protocol import ConfirmReply, DescribeReply
from temper.check.survey import subject_named
from temper.domains.compile import Subject
from temper.evaluation import BY_DOMAIN, Failed
from temper.worker import sandbox

_SHRINK_TRIES = 200
_SHRINK_SECS = 10.0
# A call that has not ended the process by then does not count.
_CALL_SECS = 5


def confirm(module_name: str, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Makes one recorded call and says how it ended, as a `ConfirmReply`; or only describes it, as a `DescribeReply`."""
    subject = subject_named(module_name, name, options)
    memory = DrawUnderWay(options.get("memory"))
    if "draw" in options:
        values = subject.program.draw(options["draw"])
        tree = subject.program.tree()
    else:
        tree = options["tree"]
        values = values_of(subject, tree, options["omitted"])
    if options.get("only_describe"):
        if values is None:
            return DescribeReply(tree=tree, call=None).wire()
        if "killed_by" in options:
            tree = _shrink_killing(subject, tree, options)
        return DescribeReply(tree=tree, call=subject.text(tree)).wire()
    if values is None:
        return ConfirmReply(kind=protocol.REJECTED, call=None, place=None).wire()
    memory.tree(tree)
    watcher = Judge(subject, options, watch=False)
    try:
        outcome = watcher.run(values)
    finally:
        watcher.stop()
        memory.idle()
    call = subject.text(tree, options.get("omitted", []), outcome)
    if outcome.kind == protocol.PASSED and subject.annotated.record.regression is not None:
        known = results.recorded(options["root"], module_name, name).get(call)
        wrong = results.difference(known, results.summary(watcher.result), subject.annotated.record.regression)
        if known is not None and wrong is not None:
            outcome = watcher._at(protocol.REGRESSION, subject.annotated.def_line, f"the result changed: {wrong}")
    place = outcome.place() if outcome.key is not None else None
    return ConfirmReply(kind=outcome.kind, call=call, place=place).wire()


def _shrink_killing(subject: Subject, tree: bytes, options: dict[str, Any]) -> bytes:
    """The simplest arguments that still end the process in the same way."""
    watcher = Judge(subject, options, watch=False)
    watcher.stop()
    plan = evaluation.plan(seed=0, draws=1, searches=1, patience=1, shrink_budget=_SHRINK_TRIES)
    found_elsewhere = (1, (0, 0, 0), [], tree)
    report = subject.program.run(_Killing(watcher, options["killed_by"]), plan, lambda: [found_elsewhere])
    return report.failures[0].tree


class _Killing:
    """A subject of the engine's loop that fails by ending its process in one way; each call is a separate process."""

    def __init__(self, watcher: Judge, wanted: list[Any]) -> None:
        self._watcher, self._wanted = watcher, wanted
        self._until = time.monotonic() + _SHRINK_SECS

    def evaluate(self, values: Any) -> Any:
        """Calls the subject in a fork, and looks how that ended."""
        if values is None:
            return BY_DOMAIN
        # The fence is for the subject; this fork is ours.
        sandbox.watch(False)
        pid = os.fork()
        if pid == 0:
            sandbox.watch(True)
            signal.alarm(_CALL_SECS)
            self._watcher.run(values)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        sandbox.watch(True)
        return Failed("killed", None, None) if _ended(status) == self._wanted else None

    def is_shrinking_over(self) -> bool:
        """Whether shrinking took too long."""
        return time.monotonic() > self._until


def _ended(status: int) -> list[Any] | None:
    """How a process ended, as the driver says it; None if it ended by itself and well."""
    if os.WIFSIGNALED(status):
        return ["signal", os.WTERMSIG(status)]
    return ["code", os.WEXITSTATUS(status)] if os.WEXITSTATUS(status) != 0 else None
