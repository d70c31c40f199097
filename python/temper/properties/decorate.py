"""`forall`, `exists` and `not_exists`: from a function to a test of it."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar, cast, overload

from temper.properties import profiles
from temper.properties.goal import PropertyError
from temper.properties.settings import Settings, split

P = ParamSpec("P")
R = TypeVar("R")


class Context:
    """What pytest's plugin knows about the test that runs: where failures are saved, and how it is run again."""

    def __init__(self, saved_in: str | None, shown_as: str, reproduce: str, seed: int | None) -> None:
        self.saved_in, self.shown_as, self.reproduce, self.seed = saved_in, shown_as, reproduce, seed
        # What the run found, and the words of a failure, once it has ended.
        self.report: Any = None
        self.said: str | None = None


# Set while pytest runs a property.
context: Context | None = None


class Statement:
    """A statement about all inputs of some domains. Decorate a test with it, or `run` it on any function."""

    def __init__(self, kind: str, domains: dict[str, Any], settings: dict[str, Any]) -> None:
        self._kind, self._domains, self._settings = kind, domains, settings

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """The test of this statement about the function; its other arguments are pytest's fixtures."""
        return _decorated(self, function)

    def run(self, function: Callable[..., Any], **fixed: Any) -> Any:
        """Tests the statement and reports what was found; raises nothing for a counterexample.

        `fixed` are the arguments of the function that are not drawn.
        """
        return _Prepared(self, function).run(function, fixed, None)

    def check(self, function: Callable[..., Any], **fixed: Any) -> None:
        """Tests the statement and raises what the function raises for the simplest counterexample."""
        __tracebackhide__ = True
        _Prepared(self, function).check(function, fixed)


class _Prepared:
    """A statement and the function it is about, compiled at the first run: an import never fails because of it."""

    def __init__(self, statement: Statement, function: Callable[..., Any]) -> None:
        self.kind = statement._kind
        self._statement, self._function = statement, function
        # The arguments that are not drawn, and those of them that are fixtures made for one test.
        self.fixtures: set[str] = set()
        self.shared: set[str] = set()

    @functools.cached_property
    def domains(self) -> dict[str, Any]:
        from temper.properties import subject

        return subject.domains_of(self._function, self._statement._domains)

    @functools.cached_property
    def settings(self) -> Settings:
        try:
            return Settings(**{**profiles.settings(), **self._statement._settings})
        except TypeError as error:
            raise PropertyError(str(error)) from None

    def run(self, function: Callable[..., Any], fixed: dict[str, Any], around: Context | None) -> Any:
        """Tests the statement; `function` is the property, or what runs it."""
        from temper.properties import evaluate, subject

        self._check_fixtures()
        settings = self.settings
        written = {name: f"{self.kind}({name}=...)" for name in self._statement._domains}
        made = subject.compiled(self._function, self.domains, written)
        seed = settings.seed
        if seed is None:
            seed = around.seed if around is not None and around.seed is not None else 0
        names = made.names[: made.argument_count]

        def call(values: Any) -> Any:
            __tracebackhide__ = True
            return function(**fixed, **dict(zip(names, values, strict=False)))

        tested = evaluate.PropertySubject(made, call, settings, seed, wants_witness=self.kind != "forall")
        report = tested.run(evaluate.saved_failures(around.saved_in if around is not None else None))
        if not report.climb and not report.is_found:
            _check_reached(self._function, report.tests)
        if around is not None and self.kind != "exists":
            evaluate.save_failure(report, around.saved_in, around.shown_as)
        return report

    def _check_fixtures(self) -> None:
        if self.shared and not self.settings.shared_fixtures:
            name = min(self.shared)
            raise PropertyError(
                f"fixture `{name}` is made once for `{self._function.__name__}` and would serve all its inputs\n"
                f"  what one input leaves in it, the next one finds\n"
                f'hint: make the value inside the property, or give the fixture `scope="module"`; if sharing does no '
                f"harm, write `shared_fixtures=True` in `{self.kind}`"
            )

    def check(self, function: Callable[..., Any], fixed: dict[str, Any]) -> None:
        """Tests the statement; raises what the property raises for a counterexample, with the report added."""
        __tracebackhide__ = True
        try:
            report = self.run(function, fixed, context)
        except PropertyError as problem:
            raise _without_frames(problem) from problem.__cause__
        text = self.wording(report)
        if text is None:
            return
        if self.is_bare(report):
            raise _without_frames(AssertionError(text))
        try:
            result = function(**fixed, **report.found.arguments)
        except BaseException as error:
            _add_note(error, text)
            raise
        raise _without_frames(AssertionError(f"the property returned {result!r}\n{text}"))

    async def check_async(self, function: Callable[..., Any], fixed: dict[str, Any]) -> None:
        """As `check`, for a coroutine function: the search waits in a thread while the loop runs the property."""
        __tracebackhide__ = True
        import asyncio

        loop = asyncio.get_running_loop()

        def call(**arguments: Any) -> Any:
            return asyncio.run_coroutine_threadsafe(function(**arguments), loop).result()

        try:
            if self.settings.chains > 1:
                raise PropertyError("`chains` needs a property that is not `async`\nhint: leave `chains` out")
            report = await loop.run_in_executor(None, self.run, call, fixed, context)
        except PropertyError as problem:
            raise _without_frames(problem) from problem.__cause__
        text = self.wording(report)
        if text is None:
            return
        if self.is_bare(report):
            raise _without_frames(AssertionError(text))
        try:
            result = await function(**fixed, **report.found.arguments)
        except BaseException as error:
            _add_note(error, text)
            raise
        raise _without_frames(AssertionError(f"the property returned {result!r}\n{text}"))

    def is_bare(self, report: Any) -> bool:
        """Whether there is nothing to show but the report: no call of the property that raises something."""
        return self.kind != "forall" or report.found.is_unstable

    def wording(self, report: Any) -> str | None:
        """The report in words; None when the statement holds as far as it was tested."""
        what = "counterexample" if self.kind == "forall" else "witness"
        holds = report.is_found == (self.kind == "exists")
        text = None if holds else report.text(what, context.reproduce if context is not None else None)
        if context is not None:
            context.report, context.said = report, text
        return text


def _without_frames(error: Exception) -> BaseException:
    """The error as pytest shows it without a traceback, which would hold nothing of the user's."""
    pytest = sys.modules.get("pytest")
    if context is None or pytest is None:
        return error
    return pytest.fail.Exception(str(error), pytrace=False)


def _is_hidden(excinfo: Any) -> bool:
    """Whether pytest leaves our frame out. It says so when it leaves out all of them, so one stays if none is shown."""
    return getattr(getattr(excinfo, "value", None), "pytrace", True)


def _add_note(error: BaseException, text: str) -> None:
    if hasattr(error, "add_note"):
        error.add_note(text)
    else:
        # Python 3.10 has no notes; what is printed is shown next to the failure.
        print(text)


def _decorated(statement: Statement, function: Callable[P, R]) -> Callable[P, R]:
    prepared = _Prepared(statement, function)

    def is_one_input(given: dict[str, Any]) -> bool:
        """Whether this is the call as it is reported: one input, tested as it is."""
        return bool(given) and all(name in given for name in prepared.domains)

    @functools.wraps(function)
    def test(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = _is_hidden
        bound = functools.partial(function, *args)
        return bound(**kwargs) if is_one_input(kwargs) else prepared.check(bound, kwargs)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def test(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = _is_hidden
            bound = functools.partial(function, *args)
            return await (bound(**kwargs) if is_one_input(kwargs) else prepared.check_async(bound, kwargs))

    signature = _signature(function, statement)
    prepared.fixtures = set(signature.parameters)
    test.__signature__ = signature  # type: ignore[attr-defined]
    test.__temper_property__ = prepared  # type: ignore[attr-defined]
    return cast("Callable[P, R]", test)


def _signature(function: Callable[..., Any], statement: Statement) -> inspect.Signature:
    """The arguments that are not drawn: those that pytest has to give."""
    from temper.properties import subject

    signature = inspect.signature(function)
    try:
        drawn = subject.domains_of(function, statement._domains)
        kept = [each for each in signature.parameters.values() if each.name not in drawn]
    except PropertyError:
        # The run says what is wrong, if pytest does not stumble over an argument that it takes for a fixture.
        kept = [each for each in signature.parameters.values() if each.name == "self"]
    return signature.replace(parameters=kept)


def _check_reached(function: Callable[..., Any], tests: int) -> None:
    """A property that has a utility but never told it was not searched, which its author should know."""
    for name in ("maximize", "minimize"):
        if _uses(getattr(function, "__code__", None), function, name):
            raise PropertyError(
                f"`{function.__name__}` calls `temper.{name}`, but none of its {tests:,} tests came to that line\n"
                f"hint: call it before the property returns or leaves inputs out, so that there is a way to climb"
            )


def _uses(code: Any, function: Any, name: str) -> bool:
    """Whether a function's own code names our `maximize` or `minimize`, by itself or as an attribute of `temper`."""
    if code is None or name not in code.co_names:
        return False
    scope = getattr(function, "__globals__", {})
    ours = getattr(sys.modules["temper"], name)
    if scope.get(name) is ours:
        return True
    return any(scope.get(each) is sys.modules["temper"] for each in code.co_names)


def _statement(kind: str, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if len(given) == 1 and callable(given[0]) and not named and not isinstance(given[0], Mapping):
        # Written without parentheses: the domains are in the hints.
        return Statement(kind, {}, {})(given[0])
    domains, settings = split(named)
    for mapping in given:
        if not isinstance(mapping, Mapping):
            raise TypeError(
                f"`{kind}` takes domains by the names of arguments, as in `{kind}(x=ints(1, 9))`, not {mapping!r}"
            )
        domains.update(mapping)
    return Statement(kind, domains, settings)


@overload
def forall(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def forall(*domains: Mapping[str, Any], **named: Any) -> Statement: ...
def forall(*domains: Any, **named: Any) -> Any:
    """State that a test holds for all inputs of some domains.

    ``@forall(x=ints(1, 9), a=np_arrays("f4", "n k"))`` makes a test that draws ``x`` and ``a`` many times; its other
    arguments are fixtures. With `maximize` or `minimize` inside, inputs are searched for instead of only drawn.

    Settings, by name: ``draws`` (200), the inputs tested if there is no utility; ``budget`` (10,000), the inputs
    tested if there is one, or a time such as ``"30s"``; ``seed`` (0); ``chains`` (1), the processes that search at
    once; ``strategy``: ``"annealing"``, ``"hill-climbing"`` or ``"random"``; ``shared_fixtures`` (False), whether
    fixtures of single tests may serve all inputs. An argument with the name of a setting is told by its domain.
    """
    return _statement("forall", domains, named)


@overload
def exists(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def exists(*domains: Mapping[str, Any], **named: Any) -> Statement: ...
def exists(*domains: Any, **named: Any) -> Any:
    """State that the test returns something true for some input; with the settings of `forall`."""
    return _statement("exists", domains, named)


@overload
def not_exists(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def not_exists(*domains: Mapping[str, Any], **named: Any) -> Statement: ...
def not_exists(*domains: Any, **named: Any) -> Any:
    """State that the test returns something true for no input; with the settings of `forall`."""
    return _statement("not_exists", domains, named)
