"""Bugs behind the formats of texts: for how many of 20 seeds each is found, with the search and without."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from temper.check import checker  # noqa: E402

NAMES = ("parse_spec", "duration", "settings", "release", "kernel", "bucket", "einsum", "dtype")
OPTIONS = {"root": str(FOLDER), "hints": False, "side": [], "free": False, "secs": 600.0, "draws": 200}


def measured(name, seeds, with_search):
    """How many seeds find the bug, the median of the calls of the search, and processor seconds a seed."""
    found, calls, started = 0, [], time.process_time()
    for seed in range(seeds):
        reply = checker.check("text_problems", name, {**OPTIONS, "seed": seed, "search": with_search})
        messages = [finding["place"]["message"] for finding in reply["findings"]]
        found += any(message.startswith("ZeroDivisionError") for message in messages)
        calls.append(reply["search_calls"])
    return found, statistics.median(calls), (time.process_time() - started) / seeds


def main():
    """Prints a line for each function."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("names", nargs="*", default=NAMES)
    chosen = parser.parse_args()
    print(f"bugs behind formats of texts, found for how many of {chosen.seeds} seeds")
    for name in chosen.names:
        found, calls, spent = measured(name, chosen.seeds, True)
        drawn, _, _ = measured(name, chosen.seeds, False)
        print(
            f"  {name:<12} with search {found:>3}   median calls {calls:>6.0f}   {spent:5.2f} CPU s   --no-search {drawn:>3}"
        )


if __name__ == "__main__":
    main()
