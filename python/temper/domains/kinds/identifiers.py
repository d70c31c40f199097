"""`uuids`, `emails`, `urls`, `paths`, `dates`, `times` and `timedeltas`: what programs name things with."""

from __future__ import annotations

import datetime
import pathlib
import uuid
from typing import Any

from temper.domains.composed import Draw
from temper.domains.domain import UNSET, make
from temper.domains.kinds.computed import Computed
from temper.domains.kinds.datetimes import Datetimes
from temper.domains.kinds.froms import froms
from temper.domains.kinds.ints import ints
from temper.domains.kinds.lists import lists
from temper.domains.kinds.texts import texts

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NAMES = _LETTERS + "0123456789-"
_DAY_MICROSECONDS = 24 * 60 * 60 * 10**6


def uuids() -> Uuids:
    """``uuid.UUID`` of version 4."""
    return make(Uuids, {}, {})


def emails() -> Emails:
    """Addresses that every mail server reads: a name, and a host with a dot."""
    return make(Emails, {}, {})


def urls() -> Urls:
    """Addresses of web pages, with and without port, path and query."""
    return make(Urls, {}, {})


def paths(max_len: int = 4) -> Paths:
    """Relative ``pathlib.PurePosixPath`` of 1 to ``max_len`` parts; nothing exists there."""
    return make(Paths, {"max_len": max_len}, {})


def dates(min: Any = UNSET, max: Any = UNSET) -> Datetimes:
    """``datetime.date``; as ``datetimes(form="date")``."""
    return make(Datetimes, {"min": min, "max": max, "form": "date"}, {})


def times() -> Times:
    """``datetime.time`` without a time zone; midnight is the simplest."""
    return make(Times, {}, {})


def timedeltas(min: Any = datetime.timedelta(0), max: Any = datetime.timedelta(days=365)) -> Timedeltas:
    """``datetime.timedelta`` from ``min`` to ``max``, to the microsecond."""
    return make(Timedeltas, {"min": min, "max": max}, {})


class Uuids(Computed[uuid.UUID]):
    """UUIDs."""

    __slots__ = ()
    kind = "uuids"

    def compute(self, draw: Draw) -> uuid.UUID:
        """One UUID, of 122 drawn bits."""
        half = ints(0, 2**61 - 1)
        return uuid.UUID(int=draw(half) << 61 | draw(half), version=4)


def _host(draw: Draw) -> str:
    names = draw(lists(texts(1, 12, _LETTERS), 1, 2))
    return ".".join([*names, draw(froms(["com", "org", "example", "co.uk", "museum"]))])


class Emails(Computed[str]):
    """Addresses of mail."""

    __slots__ = ()
    kind = "emails"

    def compute(self, draw: Draw) -> str:
        """One address."""
        name = draw(texts(1, 1, _LETTERS)) + draw(texts(0, 16, _LETTERS + "0123456789+._"))
        return f"{name.rstrip('.').replace('..', '.')}@{_host(draw)}"


class Urls(Computed[str]):
    """Addresses of web pages."""

    __slots__ = ()
    kind = "urls"

    def compute(self, draw: Draw) -> str:
        """One address."""
        port = draw(froms(["", ":80", ":8080", ":65535"]))
        parts = "".join("/" + part for part in draw(lists(texts(0, 8, _NAMES), 0, 3)))
        query = "&".join(f"{name}={value}" for name, value in draw(lists(_pair(), 0, 2)))
        return f"{draw(froms(['http', 'https']))}://{_host(draw)}{port}{parts}{'?' + query if query else ''}"


def _pair() -> Any:
    from temper.domains.kinds.tuples import tuples

    return tuples(texts(1, 5, _LETTERS), texts(0, 5, _NAMES))


class Paths(Computed[pathlib.PurePosixPath]):
    """Paths."""

    __slots__ = ()
    kind = "paths"

    def compute(self, draw: Draw) -> pathlib.PurePosixPath:
        """One path."""
        return pathlib.PurePosixPath(*draw(lists(texts(1, 12, _NAMES + "_ ."), 1, self.params["max_len"])))


class Times(Computed[datetime.time]):
    """Times of day."""

    __slots__ = ()
    kind = "times"

    def compute(self, draw: Draw) -> datetime.time:
        """One time of day."""
        since = datetime.timedelta(microseconds=draw(ints(0, _DAY_MICROSECONDS - 1)))
        return (datetime.datetime.min + since).time()


class Timedeltas(Computed[datetime.timedelta]):
    """Lengths of time."""

    __slots__ = ()
    kind = "timedeltas"

    def compute(self, draw: Draw) -> datetime.timedelta:
        """One length of time."""
        unit = datetime.timedelta(microseconds=1)
        return draw(ints(self.params["min"] // unit, self.params["max"] // unit)) * unit
