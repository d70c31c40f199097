"""How far `temper bounds --tighten` comes in 300 seconds with five tests of one second each, three of which have a loose bound.

    python benches/tighten/slow_tests.py [sleeping|computing]

Asked: at least 20 mutants judged a site where the tests sleep, at least 60 in all where they compute, and a candidate for each
loose bound.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from bench import TEMPER

CODE = """import time
import numpy as np


def mean_of(n, spread=1.0, shift=0.0):
    x = np.random.randn(n) * spread + shift
    total = x.sum() / n
    return abs(total) + 0.5 * spread - 0.25


def wait(secs):
    if {sleeps}:
        time.sleep(secs)
    else:
        end = time.process_time() + secs
        while time.process_time() < end:
            sum(range(1000))
"""
TEST = """from slow import mean_of, wait


def test_{name}():
    value = mean_of(100, spread={spread})
    wait(1.0)
    assert value < {bound}
"""
# The value is about 0.5 * spread - 0.25, and a tenth of the spread more at most. The first three bounds are loose.
TESTS = {"one": (1.0, 5.0), "two": (2.0, 9.0), "three": (3.0, 20.0), "four": (1.0, 0.66), "five": (2.0, 1.55)}


def main():
    sleeps = (sys.argv[1:] or ["sleeping"])[0] == "sleeping"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
        (folder / "slow.py").write_text(CODE.format(sleeps=sleeps))
        for name, (spread, bound) in TESTS.items():
            (folder / f"test_{name}.py").write_text(TEST.format(name=name, spread=spread, bound=bound))
        arguments = [
            TEMPER,
            "bounds",
            "--tighten",
            "--budget",
            "300s",
            "--format",
            "json",
            "-q",
            "--python",
            sys.executable,
        ]
        done = subprocess.run(list(map(str, arguments)), cwd=folder, capture_output=True, text=True)
        document = json.loads(done.stdout)
    sites = document["bounds"]["mutants"]["sites"]
    for site in sites:
        verified, possible = (site[kind] and site[kind]["bound"] for kind in ("tightest", "possible"))
        print(
            f"{site['test']}: {site['judged']} of {site['reached']} mutants judged, tightest bound {verified}, "
            f"possible {possible}"
        )
    print(f"in all      {sum(site['judged'] for site in sites)} judged, exit code {done.returncode}")


if __name__ == "__main__":
    main()
