"""The scipy side of `bench-stats speed`: CPU seconds of one call, on the samples in the file given as argument."""

import os
import sys
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402  (the thread limits must be set before)
from scipy import stats  # noqa: E402

REPEATS = 5


def seconds(call):
    calls = 1
    while True:
        start = time.process_time()
        for _ in range(calls):
            call()
        if time.process_time() - start > 0.02:
            break
        calls *= 2
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        for _ in range(calls):
            call()
        best = min(best, (time.process_time() - start) / calls)
    return best


def main():
    warnings.simplefilter("ignore")
    sets = {}
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines:
            name, *values = line.rstrip("\n").split("\t")
            sets[name] = np.array([float(v) for v in values])
    calls = {
        "GPD fit, 300 excesses": lambda: stats.genpareto.fit(sets["excesses"], floc=0),
        "Shapiro-Wilk, 1,000 samples": lambda: stats.shapiro(sets["normal"]),
        "KS exact, 100 and 100": lambda: stats.ks_2samp(sets["left"], sets["right"], method="exact"),
        "KS exact, 100 and 300": lambda: stats.ks_2samp(sets["left"], sets["shifted"], method="exact"),
        "Box-Cox fit, 1,000 samples": lambda: stats.boxcox(sets["positive"]),
    }
    for name, call in calls.items():
        print(f"{name}\t{seconds(call)!r}")


if __name__ == "__main__":
    main()
