"""What edited source calls to record a value: any expression `E` may become `__temper_probe__(site, E)`.

A probe returns its first value untouched. What it records is encoded at once, since arrays change under the reader's feet.
"""

import builtins

from temper.worker import wire

NAME = "__temper_probe__"

# Enough for 100,000 scalars or the arrays of a test; more is counted, not kept, so that a probe in a hot loop stays harmless.
_MAX_BYTES = 16 << 20

_records = bytearray()
_dropped = 0
_listeners = []


def probe(site, value, *more):
    """Records `value` (and `more`) for `site`, and returns `value`."""
    global _dropped
    record = wire.encode([site, wire.plain(value), *(wire.plain(item) for item in more)])
    if len(_records) + len(record) > _MAX_BYTES:
        _dropped += 1
    else:
        _records.extend(record)
    return value


def install():
    """Makes the probe visible to all source, whatever it imports."""
    setattr(builtins, NAME, probe)


def when_cleared(function):
    """Has `function` called before each run: for those who keep a state of the run in order to record it."""
    _listeners.append(function)


def clear():
    """Forgets the last run."""
    global _dropped
    _records.clear()
    _dropped = 0
    for function in _listeners:
        function()


def recorded():
    """The records so far, encoded one after the other, and how many did not fit."""
    return {"records": bytes(_records), "dropped": _dropped}
