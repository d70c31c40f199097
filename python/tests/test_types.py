"""Type checkers see through decorators and domains: the typed sample is clean, and mistakes are reported."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TYPED = Path(__file__).resolve().parents[2] / "fixtures" / "projects" / "typed"

MISTAKES = """
import shop

shop.discounted("ten", 5.0)
shop.test_discount(price="a", percent=1.0)
prices: shop.Domain[list[str]] = shop.PRICES
"""


def checked(command, folder):
    """The exit code and the output of a type checker in a folder."""
    result = subprocess.run([*command, "."], cwd=folder, capture_output=True, text=True, timeout=300)
    return result.returncode, result.stdout + result.stderr


@pytest.mark.parametrize("tool", ["mypy", "pyright"])
def test_a_typed_project_is_clean_and_its_mistakes_are_reported(tool, tmp_path):
    pytest.importorskip(tool)
    if tool == "mypy":
        command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path / 'cache'}"]
    else:
        command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    project = tmp_path / "typed"
    shutil.copytree(TYPED, project)
    code, output = checked(command, project)
    assert code == 0, output
    (project / "mistakes.py").write_text(MISTAKES)
    code, output = checked(command, project)
    assert code == 1, output
    for line in (4, 5, 6):
        assert f"mistakes.py:{line}:" in output, output
