"""Times `temper scan` over the installed sources of real libraries, beside Python's own parser on the same files.

Run by `make bench`. Figures are CPU seconds of a single process, the best of three runs.
"""

import ast
import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

TEMPER = Path(sys.executable).parent / "temper"
PACKAGES = ["sklearn", "scipy", "numpy", "pandas"]
REPEATS = 3


def cpu_of_scan(folder: Path) -> tuple[float, float, dict]:
    """CPU and wall seconds of one scan with one thread, and its inventory."""
    before = os.times()
    started = time.perf_counter()
    output = subprocess.run(
        [TEMPER, "scan", folder, "--format", "json", "--jobs", "1", "--quiet"],
        capture_output=True,
        check=True,
        cwd=folder.parent,
    ).stdout
    wall = time.perf_counter() - started
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return cpu, wall, json.loads(output)["inventory"]


def cpu_of_parser(folder: Path) -> float:
    """CPU seconds of Python's parser over the same files, in this process."""
    sources = [path.read_bytes() for path in sorted(folder.rglob("*.py"))]
    started = time.process_time()
    for source in sources:
        try:
            ast.parse(source)
        except (SyntaxError, ValueError):
            continue
    return time.process_time() - started


def main() -> None:
    """Print one row a package."""
    print("temper scan, one thread, beside ast.parse (which finds nothing, only parses); CPU seconds, best of three")
    print(
        f"{'package':10} {'files':>6} {'sites':>7} {'scan':>7} {'per 1,000 files':>16} {'ast.parse':>10} {'ratio':>6}"
    )
    for package in PACKAGES:
        folder = Path(find_spec(package).origin).parent
        runs = [cpu_of_scan(folder) for _ in range(REPEATS)]
        cpu, _, inventory = min(runs, key=lambda run: run[0])
        parser = min(cpu_of_parser(folder) for _ in range(REPEATS))
        files, sites = inventory["files_read"], len(inventory["sites"])
        print(
            f"{package:10} {files:6} {sites:7} {cpu:7.2f} {cpu / files * 1000:16.2f} {parser:10.2f} {parser / cpu:6.1f}"
        )


if __name__ == "__main__":
    main()
