from collections.abc import Callable
from typing import Any

__version__: str

def main(arguments: list[str], executable: str | None) -> int: ...
def assertion_sites(
    root: str, path: str
) -> list[tuple[tuple[int, int, int, int], int, bool, str, list[tuple[int, str, tuple[int, int, int, int]]]]]: ...
def judge_model(
    name: str,
    table: str,
    labels: list[bool | int | float | str],
    predict: Callable[[str, bytes], dict[str, Any]],
    train: Callable[[str, bytes, list[int]], Callable[[str, bytes], dict[str, Any]]] | None,
    against: tuple[str, Callable[[str, bytes], dict[str, Any]]] | None,
    choice: tuple[bool, float | None, int],
) -> tuple[str, str, str, str, str]: ...
