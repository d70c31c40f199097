"""Fit times of scikit-learn and of temper-model side by side.

usage: python compare_fit.py PATH/TO/bench-model [DATASETS]

Both fit from numbers in memory, seed 42, on one thread; CPU time, least of 15 runs each, measured in turn three times.
"""

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[threads] = "1"

import csv
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import sklearn
from sklearn.tree import DecisionTreeClassifier

RUNS = 15
ROUNDS = 3


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    values = np.array([[float(cell) for cell in row[:-1]] for row in rows[1:]])
    labels = np.array([row[-1] for row in rows[1:]])
    return values, labels


def least_ms(values, labels):
    least = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        tree = DecisionTreeClassifier(random_state=42).fit(values, labels)
        least = min(least, time.process_time() - start)
    return tree.get_n_leaves(), least * 1e3


def ours(program, folder):
    output = subprocess.run([program, "fit", folder], check=True, capture_output=True, text=True).stdout
    lines = (line.split("\t") for line in output.splitlines())
    return {line[0]: (int(line[2]), float(line[3])) for line in lines if len(line) == 4}


def main():
    program = sys.argv[1]
    here = Path(__file__).resolve().parent
    folder = sys.argv[2] if len(sys.argv) > 2 else str(here / "../../fixtures/data")
    tables = {path.stem: read(path) for path in sorted(Path(folder).glob("*.csv"))}
    best = {name: [float("inf"), float("inf"), 0, 0] for name in tables}
    for _ in range(ROUNDS):
        mine = ours(program, folder)
        for name, (values, labels) in tables.items():
            leaves, ms = least_ms(values, labels)
            best[name][0] = min(best[name][0], ms)
            best[name][1] = min(best[name][1], mine[name][1])
            best[name][2:] = [leaves, mine[name][0]]
    print(f"scikit-learn {sklearn.__version__}, numpy {np.__version__}")
    print("data set\trows\tleaves\tscikit-learn ms\ttemper ms\tratio")
    for name, (theirs, ms, leaves, mine_leaves) in best.items():
        same = leaves if leaves == mine_leaves else f"{leaves} and {mine_leaves}"
        print(f"{name}\t{len(tables[name][1])}\t{same}\t{theirs:.3f}\t{ms:.3f}\t{theirs / ms:.1f}")
    worst = min(theirs / ms for theirs, ms, _, _ in best.values())
    print(f"least ratio\t{worst:.1f}")


main()
