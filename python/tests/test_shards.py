"""``temper check`` in parts on several machines, joined by ``temper merge``."""

import json
import subprocess
import sys

MODULE = """\
import temper


@temper.arg("n", temper.ints(0, 9))
def first(n):
    return 1 / (n - 3)


@temper.arg("n", temper.ints(0, 9))
def second(n):
    return [0][n - n]


@temper.arg("n", temper.ints(0, 9))
def third(n):
    return [0][n]


@temper.arg("n", temper.ints(0, 9))
def fourth(n):
    return n
"""


def run(folder, *arguments):
    command = [sys.executable, "-m", "temper", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


def checkout(folder, name):
    made = folder / name
    made.mkdir()
    (made / "module.py").write_text(MODULE)
    (made / "pyproject.toml").write_text("[tool.temper]\n")
    return made


def test_parts_of_a_check_join_into_the_whole(tmp_path):
    whole = checkout(tmp_path, "whole")
    expected = json.loads(run(whole, "check", "-q", "--format", "json").stdout)
    parts = [checkout(tmp_path, f"part{number}") for number in (1, 2)]
    found = []
    for number, part in enumerate(parts, 1):
        document = json.loads(run(part, "check", "-q", "--format", "json", "--shard", f"{number}/2").stdout)
        found.append({subject["name"] for subject in document["subjects"]})
    assert found[0] | found[1] == {"first", "second", "third", "fourth"}
    assert not found[0] & found[1]

    joined = checkout(tmp_path, "joined")
    done = run(joined, "merge", *map(str, parts))
    assert done.returncode == 0, done.stderr
    document = json.loads(run(joined, "report", "--format", "json").stdout)
    document = document if "subjects" in document else document["reports"][0]
    for key in ("subjects", "findings"):
        assert document[key] == expected[key]
    # What was found elsewhere can be run again here.
    (finding, *_) = document["findings"]
    assert run(joined, "replay", finding["id"]).returncode == 1
