"""Branch coverage of the functions in library.an.toml: Temper's draws beside the libraries' own tests for them.

Both are measured by coverage.py in one run; a function's own lines count, not those of what it calls.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

ANNOTATIONS = Path(__file__).resolve().with_name("library.an.toml")
DRAWS = 200
# Where the libraries test these functions, and which of the tests: all where the file has no other subject.
SUITES = {
    "scipy.special.tests.test_logsumexp": "",
    "scipy.stats.tests.test_entropy": "TestEntropy",
    "scipy.signal.tests.test_signaltools": "detrend or MedFilt",
    "scipy.linalg.tests.test_special_matrices": "toeplitz or block_diag or BlockDiag",
    "sklearn.metrics.tests.test_regression": "",
    "sklearn.metrics.tests.test_classification": "accuracy or confusion",
    "sklearn.utils.tests.test_extmath": "softmax or weights",
    "sklearn.preprocessing.tests.test_data": "minmax or min_max or binarize",
}


def entries():
    """The entries of the side file, as the command line would pass them to a worker."""
    import tomllib

    listed = tomllib.loads(ANNOTATIONS.read_text())["function"]
    return [{**entry, "file": str(ANNOTATIONS), "line": 1} for entry in listed]


def draw(count):
    """Calls every function with drawn inputs."""
    from temper.check import side
    from temper.check.judge import Judge
    from temper.domains.compile import Subject

    warnings.simplefilter("ignore")
    for entry in entries():
        subject = Subject(side.apply(importlib.import_module(entry["module"]), entry))
        judge = Judge(subject, {"root": str(ANNOTATIONS.parent)}, watch=False)
        for seed in range(count):
            values = subject.program.draw(seed)
            if values is not None:
                judge.run(values)
        judge.stop()


def places():
    """Each function with its file and its name there."""
    from temper.check.subjects import resolve

    for entry in entries():
        target = resolve(importlib.import_module(entry["module"]), entry["function"])
        yield f"{entry['module']}.{entry['function']}", target.file, target.function.__qualname__


def measured(arguments, files):
    """The branches of each function that a program takes, by file and name; and the last line that it printed."""
    with tempfile.TemporaryDirectory() as folder:
        data, report = Path(folder, "data"), Path(folder, "report.json")
        environment = {**os.environ, "COVERAGE_FILE": str(data), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "coverage"]
        run = [*command, "run", "--branch", f"--include={','.join(sorted(files))}", *arguments]
        ran = subprocess.run(run, env=environment, stdout=subprocess.PIPE, text=True)
        subprocess.run([*command, "json", "-q", "-o", str(report)], env=environment, check=True)
        found = json.loads(report.read_text())["files"]
    covered = {
        (os.path.realpath(file), name): function["summary"]
        for file, described in found.items()
        for name, function in described["functions"].items()
    }
    return covered, (ran.stdout.strip().splitlines() or [""])[-1]


def own_tests():
    """The arguments that run the libraries' own tests."""
    chosen = [
        f"({suite.rpartition('.')[2]} and ({names}))" if names else suite.rpartition(".")[2]
        for suite, names in SUITES.items()
    ]
    plain = ["-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-c", os.devnull, "--collect-in-virtualenv"]
    return ["-m", "pytest", *plain, "-k", " or ".join(chosen), "--pyargs", *SUITES]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, help="only draw so many inputs; used by the program itself")
    chosen = parser.parse_args()
    if chosen.draw:
        return draw(chosen.draw)
    listed = list(places())
    files = {file for _, file, _ in listed}
    ours, _ = measured([__file__, "--draw", str(DRAWS)], files)
    theirs, said = measured(own_tests(), files)
    print(f"{'function':<40} {'branches':>8} {'drawn':>6} {'tests':>6}")
    rows = []
    for name, file, inner in listed:
        key = (os.path.realpath(file), inner)
        rows.append((ours[key]["num_branches"], ours[key]["covered_branches"], theirs[key]["covered_branches"]))
        print(f"{name:<40} {rows[-1][0]:>8} {rows[-1][1]:>6} {rows[-1][2]:>6}")
    all_branches, drawn, tested = (sum(column) for column in zip(*rows, strict=True))
    print(f"{'all':<40} {all_branches:>8} {drawn:>6} {tested:>6}")
    print(
        f"branches taken: {drawn / all_branches:.1%} by {DRAWS} draws a function, {tested / all_branches:.1%} by tests"
    )
    print(f"the libraries' own tests: {said}")


if __name__ == "__main__":
    main()
