"""What a domain is: the set of values that an argument may take.

Each kind of domain is a class in ``domains/kinds/``, next to the functions that users write, such as ``ints(1, 9)``.
A wrong parameter raises nothing there, because an annotation must never break the module it stands in: the domain
remembers it, and the check reports it with its line. The parameters are the same everywhere: ``min``, ``max``,
``min_len``, ``max_len``. A bound, a length or a dimension may be a number or a text that names other arguments:
``ints(1, "n")``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

from temper.domains import source_text
from temper.domains.source_text import text_of

# Names that the AnnoTest paper and Hypothesis use for our parameters.
OTHER_NAMES = {
    "min_value": "min",
    "max_value": "max",
    "np_type": "dtype",
    "min_size": "min_len",
    "max_size": "max_len",
    "allow_nan": "nan",
    "allow_infinity": "inf",
    "elements": "values",
}
UNSET: Any = type("Unset", (), {"__repr__": lambda self: "unset", "__slots__": ()})()


class NoForm(Exception):
    """The domain cannot be written in the language that is asked for."""


# What a domain's draws are; only type checkers look at it.
Value = TypeVar("Value", covariant=True)
Other = TypeVar("Other")


class Domain(Generic[Value]):
    """A domain of one kind: its parameters, and what is wrong with them, if anything."""

    __slots__ = ("file", "hints", "line", "params", "problems")

    # The kinds that were imported, in the order of the list in `kinds/__init__.py`.
    _kinds: ClassVar[list[type[Domain[Any]]]] = []
    # The name of the function that makes it.
    kind: ClassVar[str] = ""
    # Parameters that shape variables can be in.
    shape_params: ClassVar[tuple[str, ...]] = ()
    # Libraries that source text of its values needs: name in the text, import statement.
    imports: ClassVar[dict[str, str]] = {}
    # Words for what `--suggest` has seen that this kind answers to, and hints that stand for such a word.
    clues: ClassVar[frozenset[str]] = frozenset()
    hint_clues: ClassVar[dict[str, str]] = {}

    @staticmethod
    def kinds() -> list[type[Domain[Any]]]:
        """All kinds. They are imported here: nobody else may have asked for any of them yet."""
        import temper.domains.kinds  # noqa: F401

        return Domain._kinds

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.kind:
            # What some kinds have in common is no kind itself.
            return
        Domain._kinds.append(cls)
        source_text.LIBRARIES.update(cls.imports)
        source_text.VALUE_TEXTS.append(cls.value_text)

    def __init__(self, params: dict[str, Any]) -> None:
        self.params = params
        self.problems: list[str] = []
        self.hints: list[str] = []
        self.line = 0
        self.file = ""

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.kind}({inner})"

    def map(self, function: Callable[[Any], Other]) -> Domain[Other]:
        """What a function makes of each value: ``ints(0, 9).map(str)``."""
        from temper.domains.kinds.mapped import mapped

        return mapped(self, function)

    def filter(self, keep: Callable[[Any], Any]) -> Domain[Value]:
        """The values for which ``keep`` returns something true, by drawing again up to 50 times."""
        from temper.domains.kinds.mapped import filtered

        return filtered(self, keep)

    def flat_map(self, function: Callable[[Any], Domain[Other]]) -> Domain[Other]:
        """The values of the domain that a function makes of a value: ``ints(1, 9).flat_map(lambda n: lists(bools(), len=n))``."""
        from temper.domains.kinds.mapped import flat_mapped

        return flat_mapped(self, function)

    def libraries(self) -> tuple[str, ...]:
        """The packages that its values are made of, which the user's Python must have."""
        return ()

    def describe(self, reader: Any) -> dict[str, Any]:
        """The description that the engine reads; `reader` numbers values and functions and reads terms."""
        raise NotImplementedError

    def source(self) -> str:
        """Python source that makes the domain again."""
        parts = [f"{name}={self.parameter_source(name, value)}" for name, value in self.source_params().items()]
        return f"temper.{self.kind}({', '.join(parts)})"

    def source_params(self) -> dict[str, Any]:
        """The parameters that source text names: those that are not left at their defaults."""
        return {name: value for name, value in self.params.items() if value is not False and value is not None}

    def parameter_source(self, name: str, value: Any) -> str:
        """Python source of one parameter."""
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {source_of(part)}" for key, part in value.items()) + "}"
        return source_of(value)

    def as_hypothesis(self, writer: Any) -> str:
        """Python source of a strategy of Hypothesis with the same values; `writer` notes what must be imported."""
        raise NoForm

    @classmethod
    def from_hint(cls, hint: Any) -> Domain[Any] | None:
        """The domain that a type hint stands for (`hints.Hint`); None if it is of another kind."""
        return None

    def limit(self, end: str, value: Any, is_strict: bool) -> None:
        """Puts a bound on the domain that the metadata of a hint gives; `end` is "min" or "max"."""
        self.params[end] = value
        if is_strict:
            self.params[f"exclude_{end}"] = True

    def multiples(self, step: Any) -> Domain[Any] | None:
        """The multiples of a number in the domain; None if that is not known."""
        return None

    def contains(self, value: Any) -> bool:
        """Whether the domain has a value; False if that is not known."""
        return False

    @classmethod
    def value_text(cls, value: Any, written: str | None) -> str | None:
        """Source text of a value of this kind that `repr` does not give; `written` is what the user wrote."""
        return None

    @classmethod
    def clue_of_hint(cls, text: str) -> str | None:
        """The clue that the text of a type hint gives."""
        return cls.hint_clues.get(text.partition("[")[0])

    @classmethod
    def guess(cls, clues: Any, clue: str, values: list[Any]) -> str | None:
        """Source text of a domain for a parameter, from what `--suggest` has seen of it (`guess.Clues`)."""
        return None


Made = TypeVar("Made", bound=Domain[Any])


def make(kind: type[Made], known: dict[str, Any], others: dict[str, Any]) -> Made:
    """Make a domain from its parameters, those under other names, and unknown ones. Called by the public functions."""
    made = kind({})
    # The caller of the public function: that is where the annotation is written.
    frame = sys._getframe(2)
    made.line, made.file = frame.f_lineno, frame.f_code.co_filename
    made.hints = take_others(kind.kind, known, others)
    for name in others:
        listed = ", ".join(f"`{key}`" for key in known)
        made.problems.append(f"`{kind.kind}` has no parameter `{name}`; it takes {listed}")
    made.params = {name: value for name, value in known.items() if value is not UNSET}
    return made


def take_others(kind: str, known: dict[str, Any], others: dict[str, Any]) -> list[str]:
    """Move what was given by other names to the parameters that are unset, and say so; the rest stays."""
    hints = []
    for name in list(others):
        ours = OTHER_NAMES.get(name)
        if ours in known and known[ours] is UNSET:
            known[ours] = others.pop(name)
            hints.append(f"`{kind}` calls it `{ours}`, not `{name}`")
    return hints


def source_of(value: Any) -> str:
    """Python source of a domain, or of a value that stands for itself."""
    return value.source() if isinstance(value, Domain) else text_of(value)


def contains(domain: Any, value: Any) -> bool:
    """Whether a domain, or a value that stands for itself, allows a value; False if that is not known."""
    if isinstance(domain, Domain):
        return domain.contains(value)
    return domain is value or (type(domain) is type(value) and domain == value)
