"""Proposals of `temper bounds` on values whose distribution is known, through the real command.

    python benches/verdicts/proposals.py fourteen [--repeat N]     the distributions of bench.py, tests of 5 ms, default options
    python benches/verdicts/proposals.py three [--seeds N]         two accuracies and a loss, with `--runs 6000`

A proposal for at most 1 failure in 1,000 runs is compared with the exact bound. `ratio` is its distance from the median over
that of the exact bound, and `covered` says in how many cases it truly fails at most that often. Rounding is part of the proposal.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from bench import DISTRIBUTIONS, DRAWS
from scipy import stats

TEMPER = Path(sys.executable).parent / "temper"
PASS = 0.999
# What the tail is, as in benches/stats; all others are light.
KINDS = {
    "gamma(2)": "exponential",
    "exponential": "exponential",
    "laplace": "exponential",
    "lognormal(0.5)": "heavy",
    "lognormal(1)": "heavy",
    "t5": "heavy",
    "t3": "heavy",
}
# Fails in one run of twenty, so that a bound is proposed.
RATE = 0.05
BUSY = """

import time


def busy():
    end = time.process_time() + 0.005
    while time.process_time() < end:
        sum(range(50))
"""
# An accuracy that is drawn, a loss, an accuracy of 250 cases: how it is drawn, the comparison, and its distribution. The wanted
# bound lies at the lower end for accuracies.
THREE = {
    "beta": ("random.betavariate(40, 6)", "acc > 0.82", stats.beta(40, 6)),
    "lognormal": ("math.exp(random.gauss(0, 1))", "loss < 3.6", stats.lognorm(1)),
    "binomial": ("sum(random.random() < 0.81 for _ in range(250)) / 250", "acc >= 0.80", stats.binom(250, 0.81)),
}


def reported(folder, *options):
    command = [str(TEMPER), "bounds", "-q", "--format", "json", "--python", sys.executable, *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(done.stderr)


def proposed(finding):
    """The bound that is proposed for the target, what it rests on, and the runs used; nothing if there is none."""
    proposal = finding["evidence"].get("proposal")
    if not proposal:
        return None
    levels = [level for level in proposal["levels"] if level["pass"] == PASS and level["bound"]]
    if not levels:
        return None
    bound = levels[0]["bound"]
    return bound["bound"], bound["support"]["kind"], finding["evidence"]["judged_after"]


def fourteen(options):
    rows = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "draws.py").write_text(DRAWS + BUSY)
        for position, (draw, isf) in enumerate(DISTRIBUTIONS.values()):
            lines = ["import math", "import random", "", "from draws import *", "", ""]
            for number in range(options.repeat):
                test = [f"def test_{position}_{number}():", "    busy()", f"    assert {draw} < {float(isf(RATE))!r}"]
                lines += [*test, "", ""]
            (folder / f"test_{position:02}.py").write_text("\n".join(lines))
        document = reported(folder)
    for finding in document["findings"]:
        position = int(finding["subject"].split("::test_")[1].split("_")[0])
        rows[list(DISTRIBUTIONS)[position]].append(proposed(finding))
    ratios = defaultdict(list)
    print(f"{'':16}{'proposals':>10}{'observed':>9}{'covered':>8}{'runs, median':>13}{'ratio, median':>14}")
    for name, (_, isf) in DISTRIBUTIONS.items():
        found = [each for each in rows[name] if each]
        median, exact = isf(0.5), isf(1 - PASS)
        each_ratio = [(bound - median) / (exact - median) for bound, _, _ in found]
        ratios[KINDS.get(name, "light")] += each_ratio
        ratios["covered"] += [ratio >= 1 for ratio in each_ratio]
        observed = sum(kind == "observed" for _, kind, _ in found)
        runs = statistics.median([runs for _, _, runs in found] or [0])
        middle = statistics.median(each_ratio or [float("nan")])
        covered = sum(ratio >= 1 for ratio in each_ratio)
        print(f"{name:16}{len(found):10}{observed:9}{covered:8}{runs:13.0f}{middle:14.2f}")
    covered = ratios.pop("covered")
    for kind, all_ratios in ratios.items():
        print(f"{kind:16} median ratio {statistics.median(all_ratios or [float('nan')]):.2f}")
    print(f"covered          {sum(covered)} of {len(covered)}, of {14 * options.repeat} tests")


def three(options):
    found = defaultdict(list)
    for seed in range(options.seeds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "pytest.ini").write_text("[pytest]\n")
            lines = ["import math", "import random", "", ""]
            for label, (draw, comparison, _) in THREE.items():
                variable = comparison.split()[0]
                lines += [f"def test_{label}():", f"    {variable} = {draw}", f"    assert {comparison}", "", ""]
            (folder / "test_one.py").write_text("\n".join(lines))
            document = reported(folder, "--runs", "6000", "--budget", "240s", "--seed", str(seed), "--no-mutants")
        for finding in document["findings"]:
            found[finding["subject"].split("::test_")[1].split(" ")[0]].append(proposed(finding))
    for label, (_, comparison, distribution) in THREE.items():
        is_lower = ">" in comparison
        exact = distribution.ppf(1 - PASS) if is_lower else distribution.ppf(PASS)
        exact = exact / 250 if label == "binomial" else exact
        bounds = [each[0] for each in found[label] if each]
        near = sum(abs(bound - exact) <= 0.15 * exact for bound in bounds)
        factor = statistics.median(bound / exact for bound in bounds)
        print(
            f"{comparison:12} exact {exact:.3f}: {len(bounds)} proposals of {options.seeds}, within 15 % in {near}, "
            f"median factor {factor:.2f}, from {min(bounds):.3g} to {max(bounds):.3g}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["fourteen", "three"])
    parser.add_argument("--repeat", type=int, default=3, help="tests a distribution")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    fourteen(options) if options.what == "fourteen" else three(options)


if __name__ == "__main__":
    main()
