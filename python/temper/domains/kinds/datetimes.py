"""`datetimes`: points in time, as `datetime.datetime`, `datetime.date` or `numpy.datetime64`."""

from __future__ import annotations

import datetime
import sys
from typing import Any, ClassVar

from temper.domains.domain import UNSET, Domain, make
from temper.domains.source_text import text_of

# The engine counts from here, which is also where shrinking goes.
_ORIGIN = datetime.datetime(2000, 1, 1)
# What programs meet every day; other years only when asked for.
_USUAL = (datetime.datetime(1970, 1, 1), datetime.datetime(2069, 12, 31, 23, 59, 59, 999999))
_ENDS = (datetime.datetime.min, datetime.datetime.max)
_FORMS = ("datetime", "date", "datetime64")
_DAY = datetime.timedelta(days=1)
_MICROSECOND = datetime.timedelta(microseconds=1)


def datetimes(min: Any = UNSET, max: Any = UNSET, form: str = "datetime", **others: Any) -> Datetimes:
    """Points in time from ``min`` to ``max``, both included, without a time zone.

    ``form`` is ``"datetime"``, ``"date"`` or ``"datetime64"`` (numpy's, in microseconds). Without bounds 1970 to 2069;
    ``None`` is the end of the calendar: the year 1 or 9999.
    """
    return make(Datetimes, {"min": min, "max": max, "form": form}, others)


class Datetimes(Domain[Any]):
    """Points in time."""

    __slots__ = ()
    kind = "datetimes"
    imports: ClassVar = {"datetime": "import datetime"}
    clues = frozenset(_FORMS)

    def _form(self) -> str:
        return self.params.get("form", "datetime")

    def _ends(self) -> tuple[datetime.datetime, datetime.datetime]:
        """The bounds; a single one may lie beyond the usual years. `ValueError` if one is no point in time."""
        low, high = (
            _moment(self.params.get(end, default)) for end, default in zip(("min", "max"), _USUAL, strict=True)
        )
        low, high = (_ENDS[at] if end is None else end for at, end in enumerate((low, high)))
        if "max" not in self.params and low > high:
            high = _ENDS[1]
        if "min" not in self.params and low > high:
            low = _ENDS[0]
        return low, high

    def libraries(self) -> tuple[str, ...]:
        return ("numpy",) if self._form() == "datetime64" else ()

    def describe(self, reader: Any) -> dict[str, Any]:
        form = self._form()
        if form not in _FORMS:
            raise reader.wrong(self, "form", form, " or ".join(f'"{each}"' for each in _FORMS))
        for name in ("min", "max"):
            try:
                _moment(self.params.get(name))
            except ValueError:
                wanted = "a date or datetime without a time zone"
                raise reader.wrong(self, name, self.params[name], wanted) from None
        low, high = ((end - _ORIGIN) // _MICROSECOND for end in self._ends())
        if form == "date":
            # The first day that begins at `min` or later, and the last that begins by `max`.
            day = _DAY // _MICROSECOND
            low, high = -(-low // day), high // day
        return {"kind": "datetimes", "form": form, "min": low, "max": high}

    def source_params(self) -> dict[str, Any]:
        # None is a bound here: the end of the calendar.
        return {name: value for name, value in self.params.items() if (name, value) != ("form", "datetime")}

    def as_hypothesis(self, writer: Any) -> str:
        low, high = self._ends()
        if self._form() == "date":
            first = low.date() if low.time() == datetime.time() else low.date() + _DAY
            return f"st.dates({text_of(first)}, {text_of(high.date())})"
        text = f"st.datetimes({text_of(low)}, {text_of(high)})"
        return text if self._form() == "datetime" else f"{text}.map(lambda value: np.datetime64(value, 'us'))"

    @classmethod
    def from_hint(cls, hint: Any) -> Domain | None:
        form = _form_of(hint.hint)
        return None if form is None else datetimes(form=form)

    def limit(self, end: str, value: Any, is_strict: bool) -> None:
        step = _DAY if self._form() == "date" else _MICROSECOND
        try:
            value = _moment(value) + (step if end == "min" else -step) * is_strict
        except (ValueError, TypeError):
            # What is wrong with it is said when the domain is described.
            pass
        self.params[end] = value

    def contains(self, value: Any) -> bool:
        try:
            low, high = self._ends()
            return _form_of(type(value)) == self._form() and low <= _moment(value) <= high
        except ValueError:
            return False

    @classmethod
    def value_text(cls, value: Any, written: str | None) -> str | None:
        form = _form_of(type(value))
        if form == "datetime64":
            return f"np.datetime64('{value}')"
        is_exact = form is not None and isinstance(getattr(value, "tzinfo", None), (type(None), datetime.timezone))
        return repr(value) if is_exact else None

    @classmethod
    def clue_of_hint(cls, text: str) -> str | None:
        module, _, name = text.rpartition(".")
        is_ours = name in _FORMS and module in ("", "datetime", "dt", "np", "numpy")
        return name if is_ours else None

    @classmethod
    def guess(cls, clues: Any, clue: str, values: list[Any]) -> str | None:
        return "datetimes()" if clue == "datetime" else f'datetimes(form="{clue}")'


def _form_of(kind: Any) -> str | None:
    """The form that a type is; None for any other type, also one that is derived."""
    if kind is datetime.datetime or kind is datetime.date:
        return kind.__name__
    numpy = sys.modules.get("numpy")
    return "datetime64" if numpy is not None and kind is numpy.datetime64 else None


def _moment(value: Any) -> datetime.datetime | None:
    """A point in time as a datetime; None stays. `ValueError` for anything else."""
    form = _form_of(type(value))
    if form == "datetime64":
        value = value.astype("datetime64[us]").item()
    elif form == "date":
        value = datetime.datetime(value.year, value.month, value.day)
    if value is None and form is None:
        return None
    if not isinstance(value, datetime.datetime) or value.tzinfo is not None:
        raise ValueError
    return value
