"""Same seed, same values: every source of randomness that a program takes without asking for a seed follows ours.

Covered: `random` (its shared state, and `Random()` made without a seed), numpy (global state, `default_rng()`, `RandomState()`,
`SeedSequence()`), torch, tensorflow; also when they are imported only later. Left alone on purpose: `secrets`,
`SystemRandom`, `os.urandom`, `uuid4`, which promise to be unpredictable; jax, whose keys are always explicit. Hash order is
fixed by the driver through PYTHONHASHSEED.
"""

import random
import sys

from temper.worker import legacy_generator, randomness

_seed = 0
_entropy = random.Random(0)
_random_seed = random.Random.seed
_shared = random.seed.__self__
# The functions of libraries that set their states, as they were.
_originals = {}

# Stands in for a seed that the program fixes, while such seeds are varied (`temper.bounds.seed_variation`).
vary = None
# The last number that stood in for the operating system's: it is no seed that a program fixed.
last_entropy = None


def _entropy_bits(bits):
    """Stands in for the operating system where a library asks it for a seed."""
    global last_entropy
    randomness.entropy()
    last_entropy = _entropy.getrandbits(bits)
    return last_entropy


def _seed_or_entropy(self, a=None, version=2):
    if a is None and not isinstance(self, random.SystemRandom):
        a = _entropy_bits(256)
    elif vary is not None:
        # With the seed as it is first: what is wrong with it is said as ever.
        _random_seed(self, a, version)
        a = vary(a)
    return _random_seed(self, a, version)


def _varied(seed):
    return seed if vary is None else vary(seed)


def _random_seed_shared(a=None, version=2):
    randomness.before_seeding("random")
    _seed_or_entropy(_shared, a, version)
    randomness.after_seeding("random")


def _noted(source, function):
    """A function that seeds a source, with word of it."""

    def seed(*arguments, **keywords):
        randomness.before_seeding(source)
        result = function(*arguments, **keywords)
        randomness.after_seeding(source)
        return result

    seed.__name__, seed.__doc__ = function.__name__, function.__doc__
    return seed


def _note_seeding(source, name, *modules):
    """Has a library's function tell when the program seeds the library; returns the function as it was.

    Done once: what others put over it later stays.
    """
    key = (source, name)
    if key not in _originals:
        _originals[key] = next((getattr(module, name) for module in modules if hasattr(module, name)), None)
        if _originals[key] is not None:
            noted = _noted(source, _originals[key])
            for module in modules:
                setattr(module, name, noted)
    return _originals[key]


def of_run():
    """The seed that was set last."""
    return _seed


def reseed(seed):
    """Sets every random source that is loaded; those imported later follow as they arrive."""
    global _seed
    _seed = seed
    _random_seed(_entropy, f"temper entropy {seed}")
    random.Random.seed = _seed_or_entropy
    _random_seed(_shared, seed)
    random.seed = _random_seed_shared
    _note_seeding("random", "setstate", random)
    for name in _LIBRARIES:
        if name in sys.modules:
            _apply(name)
    randomness.begin()
    if not any(isinstance(finder, _SeedOnImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _SeedOnImport())


def _numpy():
    generator = sys.modules.get("numpy.random.bit_generator")
    if hasattr(generator, "randbits"):
        # Every unseeded generator of numpy gets its seed through this one name.
        generator.randbits = _entropy_bits
    legacy_generator.install(_varied)
    _note_seeding("numpy.random", "set_state", sys.modules["numpy.random"])
    _note_seeding("numpy.random", "seed", sys.modules["numpy.random"])([_seed & 0xFFFFFFFF, _seed >> 32])


def _torch():
    torch = sys.modules["torch"]
    modules = [module for module in (torch, getattr(torch, "random", None)) if hasattr(module, "manual_seed")]
    _note_seeding("torch", "set_rng_state", *modules)
    manual_seed = _note_seeding("torch", "manual_seed", *modules)
    if manual_seed is not None:
        manual_seed(_seed)


def _tensorflow():
    functions = getattr(sys.modules["tensorflow"], "random", None)
    if functions is not None:
        functions.set_seed(_seed & 0x7FFFFFFF)


_LIBRARIES = {"numpy.random": [_numpy], "torch": [_torch], "tensorflow": [_tensorflow]}


def also(name, function):
    """Has `function` called when the library `name` is there, now or later, and again for each run."""
    _LIBRARIES.setdefault(name, []).append(function)
    if name in sys.modules:
        function()


def _apply(name):
    for function in _LIBRARIES[name]:
        function()


class _SeedOnImport:
    """Seeds a library right after it is imported."""

    def __init__(self):
        # What is being looked for: another finder may ask all finders too.
        self._sought = set()

    def find_spec(self, name, path=None, target=None):
        if name not in _LIBRARIES or name in self._sought:
            return None
        self._sought.add(name)
        try:
            return self._find(name, path, target)
        finally:
            self._sought.discard(name)

    def _find(self, name, path, target):
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None and spec.loader is not None:
                    spec.loader = _SeedingLoader(spec.loader, name)
                    return spec
        return None


class _SeedingLoader:
    def __init__(self, loader, library):
        self._loader, self._library = loader, library

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        # Entropy that a library asks for while it is loaded is no chance of the run: it is seeded right afterwards.
        with randomness.unnoticed():
            self._loader.exec_module(module)
        _apply(self._library)
        randomness.begin(self._library)
