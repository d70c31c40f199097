"""Named sets of settings: few draws while one writes, many at night."""

from __future__ import annotations

import os
from typing import Any

from temper.errors import PropertyError

_profiles: dict[str, dict[str, Any]] = {
    "default": {},
    "ci": {"draws": 1000, "budget": 20_000},
    "nightly": {"draws": 20_000, "budget": 200_000},
}
# Set by `pytest --temper-profile`.
chosen: str | None = None


def profile(name: str, **settings: Any) -> None:
    """Name settings of `forall`, to be chosen with ``pytest --temper-profile NAME`` or ``TEMPER_PROFILE=NAME``.

    ``ci`` (1,000 draws) and ``nightly`` (20,000 draws) are there from the start. What a test sets itself stays.
    """
    _profiles[name] = settings


def settings() -> dict[str, Any]:
    """The settings of the profile that is chosen."""
    name = chosen or os.environ.get("TEMPER_PROFILE") or "default"
    if name not in _profiles:
        listed = ", ".join(f"`{each}`" for each in _profiles)
        raise PropertyError(
            f"there is no profile `{name}`\nhint: choose one of {listed}, or name it with `temper.profile`"
        )
    return _profiles[name]
