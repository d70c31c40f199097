"""The two ways of seeing which lines run agree: `sys.monitoring` (Python 3.12 and later) and `sys.settrace`."""

import pathlib
import subprocess
import sys

import pytest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent / "fixtures/projects/covered-lines"
# In a separate process, because a monitored line is reported once in the life of a process.
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import test_branches
from temper.worker.coverage import Lines

lines = Lines(sys.argv[1])
if sys.argv[2] == "traced":
    lines._monitoring = None
with lines:
    test_branches.test_reached()
print(sys.argv[2] == "traced" or lines._monitoring is not None)
print([(each["path"], each["lines"]) for each in lines.reached()])
"""


def reached(way):
    done = subprocess.run(
        [sys.executable, "-B", "-c", SCRIPT, PROJECT, way], capture_output=True, text=True, check=True
    )
    is_that_way, lines = done.stdout.splitlines()
    assert is_that_way == "True"
    return lines


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12")
def test_monitored_and_traced_lines_are_the_same():
    monitored = reached("monitored")
    assert "branches.py" in monitored
    assert monitored == reached("traced")
