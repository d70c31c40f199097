"""`texts`: texts of printable characters, or of those of an alphabet."""

from __future__ import annotations

from typing import Any, ClassVar

from temper.domains.domain import UNSET, Domain, make
from temper.domains.kinds.lists import hypothesis_lengths


def texts(min_len: Any = UNSET, max_len: Any = UNSET, alphabet: str | None = None, **others: Any) -> Texts:
    """Texts of printable characters, or of those in ``alphabet``; lengths are drawn as for `lists`."""
    return make(Texts, {"min_len": min_len, "max_len": max_len, "alphabet": alphabet}, others)


class Texts(Domain[str]):
    """Texts."""

    __slots__ = ()
    kind = "texts"
    clues = frozenset(("str",))
    hint_clues: ClassVar = {"str": "str"}

    def describe(self, reader: Any) -> dict[str, Any]:
        low, high = reader.lengths(self)
        alphabet = self.params.get("alphabet")
        if alphabet is not None and not isinstance(alphabet, str):
            try:
                alphabet = "".join(alphabet)
            except TypeError:
                raise reader.wrong(self, "alphabet", alphabet, "a text of characters") from None
        described = {"kind": "texts", "min_len": low, "max_len": high, "alphabet": alphabet}
        # Not for users: `temper check` fills it with what the code takes apart.
        return {**described, "parts": self.params["parts"]} if "parts" in self.params else described

    def as_hypothesis(self, writer: Any) -> str:
        alphabet = self.params.get("alphabet")
        letters = repr(alphabet) if alphabet else "st.characters(min_codepoint=32, max_codepoint=126)"
        low, high = hypothesis_lengths(self.params)
        return f"st.text({letters}, min_size={low}, max_size={high})"

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        return texts() if hint.hint is str else None

    @classmethod
    def guess(cls, clues: Any, clue: str, values: list[Any]) -> str | None:
        seen = sorted({value for value in values if isinstance(value, str)})
        return f"froms({seen!r})" if seen else "texts()"
