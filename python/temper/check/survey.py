"""What there is to check in a module, from all spellings of annotations: decorators, hints, a side file."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from temper import annotations
from temper.check import lives, side, subjects
from temper.check.life import compiled
from temper.check.protocol import AnnotationProblem, SurveyedSubject, SurveyReply
from temper.domains.annotated import AnnotatedFunction
from temper.domains.compile import Subject
from temper.errors import BadAnnotation

# Calls of a function that may be needed to get at one inside it.
_MAX_OUTER_CALLS = 50


def survey(module_name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The subjects of a module, each with its place and what is wrong with its annotations, as a `SurveyReply`."""
    module = importlib.import_module(module_name)
    found = [_surveyed(name, made, options) for name, made in _annotated(module, options) if not _is_excluded(made)]
    return SurveyReply(subjects=found).wire()


def _is_excluded(made: Any) -> bool:
    return isinstance(made, AnnotatedFunction) and made.record.is_excluded


def _surveyed(name: str, made: Any, options: dict[str, Any]) -> SurveyedSubject:
    if isinstance(made, BadAnnotation):
        return SurveyedSubject(name=name, path=None, line=1, hints=[], problem=_problem(made, made))
    # Methods that a class inherits may be of another file.
    is_elsewhere = made.file and (options.get("is_side_only") or made.file != _file_of(made.owner or made.function))
    path = made.file if is_elsewhere else None
    hints, problem = [], None
    try:
        hints = [(line, text) for line, text in compiled(made).hints]
    except BadAnnotation as wrong:
        problem = _problem(wrong, made)
    return SurveyedSubject(name=name, path=path, line=made.def_line, hints=hints, problem=problem)


def _file_of(defined: Any) -> str:
    try:
        return inspect.getsourcefile(defined) or ""
    except TypeError:
        return ""


def _problem(problem: BadAnnotation, made: Any) -> AnnotationProblem:
    line = problem.line
    if isinstance(made, AnnotatedFunction):
        line = problem.line or made.def_line
    path = None
    where = problem.side or getattr(made, "side", None)
    if where is not None:
        path, line = where
    return AnnotationProblem(headline=problem.headline, path=path, line=line, fact=problem.fact, hint=problem.hint)


def _annotated(module: Any, options: dict[str, Any], only: str | None = None) -> list[tuple[str, Any]]:
    """The annotated functions of a module by name, in the order of the page; or what is wrong, if there is no annotated.

    If `only` one is wanted, it is among them; that others can be tested is then not made sure.
    """
    named: list[tuple[str, Any]] = []
    for entry in options.get("side", ()):
        try:
            annotated = side.apply(module, entry)
            named.append((annotated.name, annotated))
        except BadAnnotation as problem:
            problem.side = (str(entry["file"]), int(entry["line"]))
            named.append((str(entry["function"]), problem))
    known = {id(annotated.function) for _, annotated in named if isinstance(annotated, AnnotatedFunction)}
    if not options.get("is_side_only"):
        found = subjects.targets_of(module, options.get("hints", False), options.get("free", False))
        own = [each for each in found if id(each.function) not in known]
        own = [each for each in own if only is not None or not _is_out_of_reach(each)]
        named = [(annotated.name, annotated) for annotated in own] + named
    named = lives.added(module, named, options, only)
    for name in options.get("nested", ()):
        try:
            named.append((name, _nested(module, name, dict(named))))
        except BadAnnotation as problem:
            named.append((name, problem))
    return named


def _is_out_of_reach(annotated: AnnotatedFunction) -> bool:
    """Whether a function without annotations cannot be called after all: what builds its instance says too little."""
    if not annotated.is_free or annotated.kind != "method":
        return False
    try:
        Subject(annotated)
    except BadAnnotation:
        return True
    return False


def _nested(module: Any, name: str, known: dict[str, Any]) -> AnnotatedFunction:
    """A function inside another one, however deep; calls of the outermost one give it."""
    outer, _, rest = name.partition(".<locals>.")
    inner = rest.rpartition(".<locals>.")[2]
    parent = known.get(outer) or known.get(f"{outer}.__init__")
    if not isinstance(parent, AnnotatedFunction):
        try:
            parent = subjects.resolve(module, outer)
        except AttributeError:
            raise BadAnnotation(
                f"`{name}` is not inside a function of the module", hint="move it out, or pass it what it needs"
            ) from None
    outside = Subject(parent)
    reach = annotations.nested(inner, lambda values: outside.call(values))
    for seed in range(_MAX_OUTER_CALLS):
        values = outside.program.draw(seed)
        if values is None or (outside.filter is not None and not outside.filter(values)):
            continue
        try:
            return subjects.nested_target(parent, name, reach(values))
        except LookupError:
            continue
    raise BadAnnotation(
        f"`{inner}` was defined in none of {_MAX_OUTER_CALLS} calls of `{outer}`",
        parent.def_line,
        hint=f"annotate `{outer}` so that its calls come that far",
    )


def subject_named(module_name: str, name: str, options: dict[str, Any]) -> Subject:
    """The subject of a name that a survey gave."""
    module = importlib.import_module(module_name)
    if ".<locals>." not in name:
        options = {**options, "nested": ()}
    for each, made in _annotated(module, options, name):
        if each == name:
            if isinstance(made, BadAnnotation):
                raise made
            return compiled(made)
    raise LookupError(f"there is no annotated function `{name}` in `{module_name}`")
