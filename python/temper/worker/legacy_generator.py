"""numpy's old generators, `RandomState(42)`: whether they were seeded.

`RandomState(42)` makes a generator that asks the operating system for a seed, and then gives it the seed 42. Whoever looks
only at the first takes a test for random that is not. Both happen in compiled code, but through a name in
`numpy.random.mtrand`: a subclass under that name notes both. It also passes the seed on to whoever varies fixed seeds.
Classes that programs see stay as they are.
"""

from temper.worker import randomness


def install(vary):
    """Puts the subclass in its place; a second call does nothing. `vary` gives another seed for one that a program fixes."""
    from numpy.random import mtrand

    original = getattr(mtrand, "_MT19937", None)
    if original is not None and not hasattr(original, "is_stand_in"):
        mtrand._MT19937 = _noting(original, vary)


def _noting(original, vary):
    from numpy.random import _pickle

    class Kind(type(original)):
        def __instancecheck__(cls, instance):
            return isinstance(instance, original)

        def __subclasscheck__(cls, subclass):
            return issubclass(subclass, original)

    class MT19937(original, metaclass=Kind):
        is_stand_in = True

        def __init__(self, seed=None):
            self._is_unseeded = seed is None
            if seed is None:
                with randomness.generator_made():
                    super().__init__()
            else:
                super().__init__(seed)

        def _legacy_seeding(self, seed):
            # With the seed as it is first: what is wrong with it is said as ever.
            super()._legacy_seeding(seed)
            other = vary(seed)
            if other is not seed:
                super()._legacy_seeding(other)
            if seed is not None:
                self._note_seed()

        @property
        def state(self):
            return original.state.__get__(self)

        @state.setter
        def state(self, value):
            original.state.__set__(self, value)
            self._note_seed()

        def _note_seed(self):
            if getattr(self, "_is_unseeded", False):
                self._is_unseeded = False
                randomness.generator_seeded()

        def __reduce__(self):
            # By name, so that a process without the subclass can read it.
            _, _, *state = super().__reduce__()
            return (getattr(_pickle, "__bit_generator_ctor"), ("MT19937",), *state)

    MT19937.__module__, MT19937.__qualname__ = original.__module__, original.__qualname__
    _pickle.BitGenerators["MT19937"] = MT19937
    return MT19937
