"""The lives of a module's classes, next to its annotated functions."""

from __future__ import annotations

from typing import Any

from temper.check import subjects
from temper.check.life import Life, LifeOf
from temper.check.rules import Rule
from temper.domains.annotated import AnnotatedFunction
from temper.errors import BadAnnotation


def added(
    module: Any, named: list[tuple[str, Any]], options: dict[str, Any], only: str | None
) -> list[tuple[str, Any]]:
    """The subjects of a module with the lives of its classes, or with one of them.

    A method that needs a state is tested in lives alone.
    """
    if not options.get("lives", True):
        return named
    with_hints, is_side_only = options.get("hints", False), options.get("is_side_only", False)
    with_free = None if is_side_only else bool(options.get("free", False))
    methods = [made for _, made in named if isinstance(made, AnnotatedFunction) and made.kind == "method"]
    owners = {made.owner for made in methods} if is_side_only else subjects.classes_of(module)
    wanted = [owner for owner in owners if only in (None, owner.__qualname__)]
    lives = [_life(owner, with_hints, with_free) for owner in sorted(wanted, key=lambda owner: owner.__qualname__)]
    found = [life for life in lives if life is not None]
    rules = {(life.owner, rule.name): rule for life in found for rule in life.rules}
    kept = [(name, made) for name, made in named if not _is_tested_in_life(rules.get(_method_key(made)))]
    for _, made in kept:
        rule = rules.get(_method_key(made))
        if rule is not None:
            rule.has_own_subject = True
    return kept + [(life.name, life) for life in found]


def _life(owner: type, with_hints: bool, with_free: bool | None) -> LifeOf | None:
    """The life of a class; None if its objects cannot be built, or do nothing that can be drawn.

    Methods that need no argument are part of it, except if `with_free` is None. By themselves they make a life only if it is
    true, and not for private classes.
    """
    if not subjects.can_be_built(owner, with_hints):
        return None
    life = LifeOf(owner, with_hints, with_free is not None)
    is_annotated = any(not rule.annotated.is_free for rule in life.rules)
    is_meant = is_annotated or (with_free and not owner.__name__.startswith("_"))
    if not is_meant or all(rule.text is not None for rule in life.rules):
        return None
    try:
        Life(life)
    except BadAnnotation:
        # What is wrong is reported with the constructor.
        return None
    return life


def _is_tested_in_life(rule: Rule | None) -> bool:
    return rule is not None and rule.needs_life


def _method_key(made: Any) -> tuple[Any, Any]:
    return (made.owner, made.call) if isinstance(made, AnnotatedFunction) and made.kind == "method" else (None, None)
