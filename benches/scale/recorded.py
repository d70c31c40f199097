"""Recorded runs and sampled ones, on examples/mlkit: `python benches/scale/recorded.py [SESSIONS]`.

Runs pytest with `--temper-record` that many times, 300 unless it is said, and has `temper bounds --no-run` judge what was noted.
In another copy `temper bounds --runs` samples the tests as often. Printed are the verdicts of both. The sessions are forked from
a process that has imported pytest and numpy, which saves two thirds of their time; each draws new seeds, as a new process would.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TEMPER = Path(sys.executable).parent / "temper"


def session():
    """One run of pytest, in a forked process."""
    numpy.random.seed()
    sys.path.insert(0, os.getcwd())
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    pytest.main(["-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--temper-record"])


def record(folder, sessions):
    os.chdir(folder)
    for _ in range(sessions):
        child = os.fork()
        if child == 0:
            try:
                session()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
    return len(list(folder.glob(".temper/recorded/*.jsonl")))


def verdicts(folder, *arguments):
    command = [TEMPER, "bounds", "--no-mutants", "--verify-runs", "1", "--format", "json", "-q", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    subjects = json.loads(done.stdout)["subjects"]
    return {each["name"]: (each["evidence"]["verdict"], each["evidence"]["runs"]) for each in subjects}


def main(sessions=300):
    with tempfile.TemporaryDirectory() as place:
        copies = [Path(place) / name for name in ("recorded", "sampled")]
        for folder in copies:
            ignored = shutil.ignore_patterns(".temper", "__pycache__")
            shutil.copytree(REPOSITORY / "examples/mlkit", folder, ignore=ignored)
        files = record(copies[0], sessions)
        found, sampled = verdicts(copies[0], "--no-run"), verdicts(copies[1], "--runs", str(sessions))
        os.chdir(REPOSITORY)
    print(f"{files} recorded sessions")
    for name, (verdict, runs) in sorted(sampled.items()):
        same = "same" if found.get(name, ("none", 0))[0] == verdict else "OTHER"
        print(f"{same}: {name}: recorded {found.get(name)}, sampled {(verdict, runs)}")
    print(
        "the same verdicts:", {name: each[0] for name, each in found.items()} == {n: v[0] for n, v in sampled.items()}
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
