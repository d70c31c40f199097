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
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Where the libraries test these functions, and which of the tests.
SUITES = {
    "scipy.special.tests.test_logsumexp": "",
    "scipy.stats.tests.test_entropy": "TestEntropy",
    "scipy.signal.tests.test_signaltools": "detrend or Detrend or MedFilt",
    "scipy.linalg.tests.test_special_matrices": "toeplitz or Toeplitz or block_diag or BlockDiag",
    "sklearn.metrics.tests.test_regression": "",
    "sklearn.metrics.tests.test_classification": "accuracy or confusion",
    "sklearn.utils.tests.test_extmath": "softmax or weighted_mode or mode",
    "sklearn.preprocessing.tests.test_data": "minmax or binarize",
}


def entries():
    """The entries of the side file, as the command line would pass them to a worker."""
    import tomllib

    path = HERE / "library.an.toml"
    listed = tomllib.loads(path.read_text())["function"]
    return [{**entry, "file": str(path), "line": 1} for entry in listed]


def draw(count):
    """Calls every function with drawn inputs."""
    from temper.check import side, subjects
    from temper.check.judge import Judge

    for entry in entries():
        subject = subjects.Subject(side.apply(importlib.import_module(entry["module"]), entry))
        judge = Judge(subject, {"root": str(HERE)}, watch=False)
        for seed in range(count):
            values = subject.program.draw(seed)
            if values is not None:
                judge.run(values)
        judge.stop()


def places():
    """Each function with its file and its name there."""
    from temper.check.targets import resolve

    for entry in entries():
        target = resolve(importlib.import_module(entry["module"]), entry["function"])
        yield f"{entry['module']}.{entry['function']}", target.file, target.function.__qualname__


def measured(arguments, files):
    """The branches of each function that a program takes, by file and name."""
    with tempfile.TemporaryDirectory() as folder:
        data, report = Path(folder, "data"), Path(folder, "report.json")
        environment = {**os.environ, "COVERAGE_FILE": str(data), "OMP_NUM_THREADS": "1"}
        include = f"--include={','.join(sorted(files))}"
        command = [sys.executable, "-m", "coverage"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([*command, "run", "--branch", include, *arguments], env=environment, check=True, **quiet)
        subprocess.run([*command, "json", "-q", "-o", str(report)], env=environment, check=True)
        found = json.loads(report.read_text())["files"]
    return {
        (os.path.realpath(file), name): function["summary"]
        for file, described in found.items()
        for name, function in described["functions"].items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, help="only draw so many inputs; used by the program itself")
    chosen = parser.parse_args()
    if chosen.draw:
        return draw(chosen.draw)
    listed = list(places())
    files = {file for _, file, _ in listed}
    ours = measured([__file__, "--draw", "200"], files)
    theirs = {}
    for suite, wanted in SUITES.items():
        plain = ["-p", "no:randomly", "-p", "no:cacheprovider", "-c", os.devnull, "--collect-in-virtualenv"]
        arguments = ["-m", "pytest", "-q", *plain, "--pyargs", suite]
        for key, summary in measured([*arguments, *(["-k", wanted] if wanted else [])], files).items():
            if key not in theirs or summary["covered_branches"] > theirs[key]["covered_branches"]:
                theirs[key] = summary
    print(f"{'function':<45} {'branches':>8} {'drawn':>6} {'tests':>6}")
    sums = [0, 0, 0]
    for name, file, inner in listed:
        key = (os.path.realpath(file), inner)
        all_branches = ours[key]["num_branches"]
        row = [all_branches, ours[key]["covered_branches"], theirs.get(key, ours[key])["covered_branches"]]
        sums = [total + each for total, each in zip(sums, row, strict=True)]
        print(f"{name:<45} {row[0]:>8} {row[1]:>6} {row[2]:>6}", flush=True)
    print(f"{'all':<45} {sums[0]:>8} {sums[1]:>6} {sums[2]:>6}")


if __name__ == "__main__":
    main()
