"""Fixed seeds, replaced where they take effect by seeds that follow the seed of the run.

A number n becomes f(seed of the run, n) wherever it came from: a literal, a default, a constant, a fixture. Two equal seeds
of a run stay equal, so that a test which draws the same numbers twice still does. Seeds that take effect while a module is
imported are kept, because runs are forked afterwards; so are those of libraries (`seed_origin.py`). What stands in for the
libraries' functions is in `seed_stand_ins.py`. Not reached: code compiled by numba or written in C++, and jax while it
traces; for those, seeds that are written as arguments (`random_state=0`) are replaced in the text, by `seed`.
"""

import hashlib
import operator
import os

from temper.bounds import seed_origin
from temper.worker import probe, randomness, seeds, trace

# The site under which a run says which seeds it replaced; sites of files have numbers from 0 on.
RECORD = -1
# More are not worth reading, and a seed in a loop must not fill the record.
_MOST_NOTES = 20
# What can be a fixed seed; generators and the like are passed on as they are.
_KINDS = (int, float, str, bytes, bytearray, list)

_is_run = False
_given = set()
_notes = {}


def seed(value):
    """Stands in for a seed that is written as an argument."""
    return vary(value) if _is_run else value


def vary(value):
    """Another seed of the same kind: the same for the same value and run. Those of libraries and of imports stay."""
    if not _is_run or value is None:
        return value
    plain = _plain(value)
    if not isinstance(plain, _KINDS) or (isinstance(plain, int) and plain in _given):
        return value
    place = seed_origin.place_of(plain)
    if place is None:
        return value
    randomness.varied()
    _note(plain, place)
    other = _another(plain)
    return tuple(other) if isinstance(value, tuple) else other


def _plain(value):
    """The seed as a value of Python: whole numbers and arrays of libraries become numbers and lists."""
    if isinstance(value, (str, bytes, bytearray, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    try:
        return operator.index(value)
    except TypeError:
        return value.tolist() if hasattr(value, "tolist") else value


def _another(value):
    if isinstance(value, list):
        return [_another(item) for item in value]
    digest = hashlib.blake2b(f"{seeds.of_run()} {value!r}".encode(), digest_size=8).digest()
    # Below 2**31: the range that every library takes.
    number = int.from_bytes(digest, "little") & 0x7FFFFFFF
    if isinstance(value, str):
        return str(number)
    if isinstance(value, (bytes, bytearray)):
        return str(number).encode()
    _given.add(number)
    return number


def _note(value, place):
    """Records which number was replaced, and where."""
    path, line = place
    key = (repr(value)[:60], os.path.relpath(path, trace.root() or None), line)
    if key in _notes or len(_notes) >= _MOST_NOTES:
        return
    _notes[key] = None
    text = "\x1e".join("\t".join(map(str, note)) for note in _notes)
    probe.probe(RECORD, [0, 0, 0, 0, 0, text, []])


def _begin():
    global _is_run
    _is_run = True
    _given.clear()
    _notes.clear()


def install():
    """Puts the stand-ins in place. Edited files call it at their end; a second call only looks for new aliases."""
    from temper.bounds import seed_stand_ins

    seed_stand_ins.install()


probe.when_cleared(_begin)
