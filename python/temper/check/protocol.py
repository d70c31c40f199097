"""What the worker answers to the driver: the twin of `crates/temper-check/src/protocol.rs`.

Every field is always sent; one that has no value is sent as None. A test on the Rust side compares the names of both
sides, so a field that is added, renamed or dropped here must change there too.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

# How one call ended. The first five are findings.
CRASH = "crash"
POSTCONDITION = "postcondition"
TIMEOUT = "timeout"
NAN = "nan"
REGRESSION = "regression"
PASSED = "passed"
REJECTED = "rejected"
DOCUMENTED = "documented"
SLOW = "slow"
REFUSED = "refused"
BUILD = "build"

# How a script ended, apart from PASSED and REFUSED.
SCRIPT = "script"
USAGE = "usage"


@dataclass(frozen=True)
class Reply:
    """Something that is sent to the driver."""

    def wire(self) -> dict[str, Any]:
        """The values that are sent, by the names of the fields."""
        return {field.name: _wire(getattr(self, field.name)) for field in fields(self)}


def _wire(value: Any) -> Any:
    if isinstance(value, Reply):
        return value.wire()
    if isinstance(value, (list, tuple)):
        return [_wire(each) for each in value]
    return value


@dataclass(frozen=True)
class Refusal(Reply):
    """Something that containment refused."""

    kind: str
    detail: str


@dataclass(frozen=True)
class FoundPlace(Reply):
    """What was found, and the innermost line of the project that it passed."""

    message: str
    path: str
    line: int
    source: str


@dataclass(frozen=True)
class Through(Reply):
    """The last line of the subject's own file on the way to a finding in another file."""

    path: str
    line: int
    source: str


@dataclass(frozen=True)
class AnnotationProblem(Reply):
    """What is wrong with the annotations of a subject."""

    headline: str
    path: str | None
    line: int
    fact: str | None
    hint: str | None


@dataclass(frozen=True)
class SurveyedSubject(Reply):
    """A subject of a module. `path` is its file if that is not the module's."""

    name: str
    path: str | None
    line: int
    hints: list[tuple[int, str]]
    problem: AnnotationProblem | None


@dataclass(frozen=True)
class SurveyReply(Reply):
    """The subjects of a module."""

    subjects: list[SurveyedSubject]


@dataclass(frozen=True)
class FoundReply(Reply):
    """One finding: how calls end, the simplest call that ends so, and how many did."""

    kind: str
    place: FoundPlace
    through: Through | None
    count: int
    tree: bytes
    omitted: list[int]
    call: str
    check: str
    imports: str


@dataclass(frozen=True)
class CheckReply(Reply):
    """The check of one subject: counts of calls, findings, what was reached, and what stood in the way."""

    valid: int
    attempts: int
    documented: int
    slow: int
    build_failures: int
    search_calls: int
    is_cut: bool
    findings: list[FoundReply]
    refused: list[Refusal]
    preconditions: list[tuple[int, str]]
    lines: tuple[int, int] | None
    branches: tuple[int, int] | None
    slow_call: str | None
    build_error: str | None
    filter_error: str | None
    regression: str | None
    property: str | None
    notes: list[str]


@dataclass(frozen=True)
class ConfirmReply(Reply):
    """One recorded call: how it ended, and where if that is a finding."""

    kind: str
    call: str | None
    place: FoundPlace | None


@dataclass(frozen=True)
class DescribeReply(Reply):
    """The call that a record stands for, and the record after shrinking. No call: the record gives no arguments."""

    tree: bytes
    call: str | None


@dataclass(frozen=True)
class ScriptReply(Reply):
    """One run of a module as a script."""

    kind: str
    refused: list[Refusal]
    place: FoundPlace | None


@dataclass(frozen=True)
class SuggestedFunction(Reply):
    """Annotations that a function could have. A decorator is its source text and where that was read."""

    path: str
    line: int
    function: str
    decorators: list[tuple[str, str]]
    notes: list[str]
    is_complete: bool
    entry: str


@dataclass(frozen=True)
class SuggestReply(Reply):
    """Annotations that functions could have."""

    functions: list[SuggestedFunction]


def refusals(described: list[dict[str, str]]) -> list[Refusal]:
    """What containment wrote down, as it is sent."""
    return [Refusal(kind=each["kind"], detail=each["detail"]) for each in described]
