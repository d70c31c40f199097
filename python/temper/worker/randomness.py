"""Which random sources a run used, and whether it had seeded them itself before.

A run that used none, or only what it had seeded before the first draw, does not depend on the states that we give it: two
such runs that show the same values stand for all. Seen are the shared states of `random`, numpy and torch, and whoever asks
the operating system for entropy. A library whose states cannot be read counts as used as soon as it is loaded.
"""

import contextlib
import os
import random
import sys
import sysconfig

# Their states cannot be read, or not without cost.
_UNREADABLE = ("cupy", "mxnet", "paddle", "tensorflow")
# They ask for names of temporary files and for keys by which processes know each other, which change no value.
_HARMLESS = frozenset({"multiprocessing.connection", "multiprocessing.process", "tempfile"})
# Where libraries lie.
_LIBRARIES = tuple({os.path.join(sysconfig.get_paths()[name], "") for name in ("stdlib", "purelib", "platlib")})
# Libraries that name their objects by `uuid4`, also while they are the project under test.
_NAMING = frozenset({"joblib", "sklearn"})
_shared = random.seed.__self__
_urandom = os.urandom


def _numpy_state():
    state = sys.modules["numpy.random"].get_state(legacy=False)
    inner = {name: getattr(part, "tobytes", lambda part=part: part)() for name, part in state["state"].items()}
    return inner, state.get("has_gauss"), state.get("gauss")


def _torch_state():
    return bytes(sys.modules["torch"].default_generator.get_state().numpy())


_READERS = {"random": _shared.getstate, "numpy.random": _numpy_state, "torch": _torch_state}

# State of each source at the start of the run, or when it was last seeded.
_start = {}
_seeded = set()
_unseeded = set()
# Old generators of numpy that were made without a seed and have not got one since.
_made = 0
_is_unnoticed = False
_is_resting = False


def rest():
    """Has this process note nothing: what its runs use is known, and reading states takes a part of the time of short ones."""
    global _is_resting
    _is_resting = True


def _state(name):
    try:
        return _READERS[name]()
    except Exception:
        # Half imported, or another kind of generator put in its place: never equal to itself.
        return object()


def begin(name=None):
    """A run starts here; or, with a name, a source that was loaded in the middle of it."""
    names = [name] if name else [name for name in _READERS if name == "random" or name in sys.modules]
    if name is None:
        global _made
        _made = 0
        _start.clear()
        _seeded.clear()
        _unseeded.clear()
    for each in () if _is_resting else names:
        if each in _READERS:
            _start[each] = _state(each)


def before_seeding(name):
    """The run seeds a source. What it drew from it before was not of its own choosing."""
    if name in _start and name not in _seeded and _state(name) != _start[name]:
        _unseeded.add(name)


def after_seeding(name):
    _seeded.add(name)


def entropy():
    """Somebody asks for a seed that nobody can know."""
    if _is_unnoticed:
        return
    frame = sys._getframe(1)
    for _ in range(6):
        if frame is None:
            break
        asking = frame.f_globals.get("__name__")
        if asking in _HARMLESS or (asking == "uuid" and _is_name(frame.f_back)):
            return
        frame = frame.f_back
    _unseeded.add("entropy")


def _is_name(frame):
    """Whether the one who asks for a `uuid4` is a library, which tells its objects apart by it and computes nothing from it."""
    if frame is None:
        return False
    is_naming = str(frame.f_globals.get("__name__")).partition(".")[0] in _NAMING
    return is_naming or frame.f_code.co_filename.startswith(_LIBRARIES)


@contextlib.contextmanager
def unnoticed():
    """Entropy that is asked for in here is no chance of the run."""
    global _is_unnoticed
    before, _is_unnoticed = _is_unnoticed, True
    try:
        yield
    finally:
        _is_unnoticed = before


def generator_made():
    """An old generator of numpy asks for entropy, perhaps only until it is given a seed."""
    global _made
    _made += 1
    return unnoticed()


def generator_seeded():
    """One of them has got a seed, or a state."""
    global _made
    _made -= 1


def varied():
    """The run asks for a fixed seed and gets another one, which follows the seed of the run."""
    _unseeded.add("varied seed")


def watch_entropy():
    """Has this process note who asks the operating system itself."""

    def urandom(size):
        entropy()
        return _urandom(size)

    os.urandom = random._urandom = urandom


def used():
    """The sources that this run used: those that it did not seed before, and those that it did."""
    if _is_resting:
        return {"unseeded": [], "seeded": []}
    changed = {name for name, state in _start.items() if name not in _seeded and _state(name) != state}
    unreadable = {name for name in _UNREADABLE if name in sys.modules}
    made = {"entropy"} if _made > 0 else set()
    return {"unseeded": sorted(_unseeded | changed | unreadable | made), "seeded": sorted(_seeded)}
