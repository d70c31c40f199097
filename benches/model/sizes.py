"""What the verdict of `temper model` costs as tables grow: CPU seconds and memory of the command and its worker.

    python sizes.py PATH/TO/temper [largest]

What a table of 40 rows costs is the start of the program, of Python and of the model; it is taken off. The model's answers are
not: the rule is cheap. The last lines say how the cost grows with the rows, and whether the limits hold.
"""

import itertools
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

MODEL = """
import numpy as np


def right(rows):
    rows = (np.asarray(rows, dtype=float) - 5) / 2
    return ((rows[:, 0] + 0.7 * rows[:, 1] * rows[:, 2] + 0.5 * (rows[:, 3] > 0)) > 0).astype(int)


def broken(rows):
    rows = np.asarray(rows, dtype=float)
    answers = right(rows)
    return np.where((rows[:, 0] > 6) & (rows[:, 1] > 5), 1 - answers, answers)
"""


def write(folder, rows, columns):
    """Cells from 0.000 to 9.999, put together as bytes: a million rows in seconds."""
    rng = np.random.default_rng(0)
    path = folder / f"rows-{rows}-{columns}.csv"
    with path.open("wb") as file:
        file.write((",".join(f"x{at}" for at in range(columns)) + ",y\n").encode())
        for start in range(0, rows, 50000):
            count = min(50000, rows - start)
            cells = rng.integers(0, 10000, (count, columns))
            X = (cells / 1000 - 5) / 2
            y = (X[:, 0] + 0.7 * X[:, 1] * X[:, 2] + 0.5 * (X[:, 3] > 0)) > 0
            text = np.full((count, columns, 6), ord(","), dtype=np.uint8)
            text[:, :, 1] = ord(".")
            for at, unit in [(0, 1000), (2, 100), (3, 10), (4, 1)]:
                text[:, :, at] = cells // unit % 10 + ord("0")
            label = np.full((count, 2), ord("\n"), dtype=np.uint8)
            label[:, 0] = (y ^ (rng.random(count) < 0.05)) + ord("0")
            file.write(np.hstack([text.reshape(count, -1), label]).tobytes())
    return path


def run(program, folder, path, more):
    """CPU seconds, the most memory of one process in MB, and the exit code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [
        "/usr/bin/env",
        program,
        "model",
        path.name,
        "--target",
        "y",
        "--unseen",
        "-q",
        "--python",
        sys.executable,
    ]
    done = subprocess.run([*command, *more], cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode not in (0, 1):
        print(done.stdout, done.stderr)
    return seconds, after.ru_maxrss / 1024, done.returncode


def print_growth(costs):
    """How the cost grows from one number of rows to the next, and the limits."""
    tables = sorted(rows for rows, columns in costs if columns == 10)
    for fewer, more in itertools.pairwise(tables):
        grown = [costs[more, 10][way] / costs[fewer, 10][way] for way in (0, 1)]
        print(
            f"from {fewer:,} to {more:,} rows x 10: "
            f"challenger times {grown[0]:.1f}, --against times {grown[1]:.1f} ({more // fewer} times the rows)"
        )
    for size, seconds, megabytes in [((1000, 500), 3, None), ((1_000_000, 50), 60, 2000)]:
        if size in costs:
            most = max(costs[size][:2])
            is_kept = most <= seconds and (megabytes is None or costs[size][2] <= megabytes)
            limit = f"{seconds} s" + (f" and {megabytes} MB" if megabytes else "")
            print(f"{size[0]:,} x {size[1]} within {limit}: {'yes' if is_kept else 'no'}")


def main():
    program = os.path.abspath(sys.argv[1])
    largest = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    sizes = (
        [(1_000_000, 50)]
        if largest < 0
        else [(1000, 10), (10_000, 10), (100_000, 10), (1_000_000, 10), (1000, 20), (1000, 500), (1_000_000, 50)]
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rule.py").write_text(MODEL)
        small = write(folder, 40, 5)
        start = [
            min(run(program, folder, small, more)[0] for _ in range(3))
            for more in (["--model", "rule:right"], ["--model", "rule:right", "--against", "rule:right"])
        ]
        print(f"start: challenger {start[0]:.2f} s, --against {start[1]:.2f} s; taken off below")
        print("rows x columns: CPU seconds of the command (and the most memory of a process so far)")
        costs = {}
        for rows, columns in sizes:
            if 0 < largest < rows:
                continue
            path = write(folder, rows, columns)
            alone = run(program, folder, path, ["--model", "rule:right"])
            broken = run(program, folder, path, ["--model", "rule:broken", "--against", "rule:right"])
            net = [max(each[0] - begun, 0.01) for each, begun in zip((alone, broken), start, strict=True)]
            memory = max(alone[1], broken[1])
            costs[rows, columns] = [*net, memory]
            print(
                f"{rows:>9,} x {columns:<3}  challenger {net[0]:6.2f} s (exit {alone[2]})   "
                f"--against {net[1]:6.2f} s (exit {broken[2]})   {memory:,.0f} MB",
                flush=True,
            )
            path.unlink()
        print_growth(costs)


if __name__ == "__main__":
    main()
