"""One piece of work: run a collected test once or several times, call a function many times, or import a module."""

import importlib
import time

from temper.worker import errors, memory, probe, randomness, seeds, wire

# Seconds of a run next to which a process costs little, and which two processes would take at the same time.
_LONG_SECS = 0.5


def run(piece, collector, result, lines):
    """Does the work and returns its outcome; results of calls and runs are sent one by one, so a killed child loses only one."""
    kind = piece["kind"]
    if kind == "cover":
        with lines:
            return _test(piece, collector)
    if kind == "test":
        memory.fill(piece["memory"])
        return _test(piece, collector)
    if kind == "repeat":
        return _repeat(piece, collector, result)
    if kind == "import":
        return _import(piece)
    return _calls(piece, result)


def _test(piece, collector):
    if collector is None:
        return {"kind": "missing"}
    try:
        return collector.run(piece["node"], piece.get("traceback", False))
    except BaseException as error:
        # `pytest.exit`, an interrupt that the test sent itself, a plugin's own fault.
        return {"kind": "raised", "exception": errors.describe(error)}


def _repeat(piece, collector, result):
    """Runs the test several times, the first of them again at the end."""
    starts = list(piece["starts"])
    while starts:
        start = starts.pop(0)
        seeds.reseed(start["seed"])
        memory.fill(start["memory"])
        wall, cpu = time.monotonic(), time.process_time()
        outcome = _test(piece, collector)
        wall, cpu = time.monotonic() - wall, time.process_time() - cpu
        used = randomness.used()
        sent = result.send(
            kind="run",
            outcome=outcome,
            probes=probe.recorded(),
            random_sources=used,
            wall_secs=wall,
            cpu_secs=cpu,
        )
        if not sent:
            break
        probe.clear()
        if piece["until"] == "chance" and (wall > _LONG_SECS or _is_chance(used)):
            break
        if piece["until"] == "failure" and outcome.get("status") != "passed":
            # The first one came out as it would alone. Others may have met what those before them left behind.
            starts = starts[-1:] if len(starts) < len(piece["starts"]) - 1 else []
    return {"kind": "repeated"}


def _is_chance(used):
    """Whether a run may show something else under another seed: what it seeds itself varies only if such seeds do."""
    return bool(used["unseeded"] or (used["seeded"] and seeds.vary is not None))


def _import(piece):
    try:
        importlib.import_module(piece["module"])
    except BaseException as error:
        return {"kind": "raised", "exception": errors.describe(error)}
    return {"kind": "imported"}


def _calls(piece, result):
    try:
        function = importlib.import_module(piece["module"])
        for name in piece["function"].split("."):
            function = getattr(function, name)
    except BaseException as error:
        return {"kind": "raised", "exception": errors.describe(error)}
    for index, call in enumerate(piece["calls"]):
        if not result.send(kind="call", index=index, **_call(function, call)):
            break
    return {"kind": "called"}


def _call(function, call):
    seeds.reseed(call["seed"])
    try:
        return {"returned": wire.plain(function(*call["arguments"], **call["keywords"]))}
    except BaseException as error:
        return {"raised": errors.describe(error)}
