"""Verdicts of `temper bounds` on values whose distribution is known, through the real command.

    python benches/verdicts/bench.py [--runs N] [--repeat N] [--other-repeat N] [--record] [OTHER_TEMPER]

A generated suite with one test a site: the fourteen distributions of benches/stats, each with bounds that truly fail in 1 in
100,000 and 1 in 10,000 runs (at most 1 in 1,000 is asked: sound) and in 5, 20 and 100 of 1,000 (flaky). Printed are right,
wrong and open verdicts, and runs to a verdict, also for another Temper if its program is given. A wrong verdict is `sound`
on a site that is flaky in truth, or `flaky` on one that is not; at 95 % confidence one in twenty may be wrong.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from scipy import optimize, stats

HERE = Path(__file__).resolve().parent
RATES = (1e-5, 1e-4, 5e-3, 2e-2, 1e-1)
ALLOWED = 1e-3
# How a test draws the value, and the value that is exceeded with a given probability.
DRAWS = """
import math
import random


def normal():
    return random.gauss(0, 1)


def student(freedom):
    return normal() / math.sqrt(random.gammavariate(freedom / 2, 2) / freedom)


def bimodal():
    return normal() if random.random() < 0.7 else 5 + 0.5 * normal()


def proportion():
    return sum(random.random() < 0.1 for _ in range(50)) / 50
"""


def bimodal_isf(rate):
    def above(x):
        return 0.7 * stats.norm.sf(x) + 0.3 * stats.norm.sf((x - 5) / 0.5) - rate

    return optimize.brentq(above, -10, 20, xtol=1e-12)


DISTRIBUTIONS = {
    "normal": ("normal()", stats.norm.isf),
    "uniform": ("random.random()", stats.uniform.isf),
    "beta(50,5)": ("random.betavariate(50, 5)", stats.beta(50, 5).isf),
    "triangular": ("0.5 * (random.random() + random.random())", lambda rate: 1 - math.sqrt(rate / 2)),
    "gamma(2)": ("random.gammavariate(2, 1)", stats.gamma(2).isf),
    "exponential": ("random.expovariate(1)", stats.expon.isf),
    "half-normal": ("abs(normal())", stats.halfnorm.isf),
    "lognormal(0.5)": ("math.exp(0.5 * normal())", stats.lognorm(0.5).isf),
    "lognormal(1)": ("math.exp(normal())", stats.lognorm(1).isf),
    "t5": ("student(5)", stats.t(5).isf),
    "t3": ("student(3)", stats.t(3).isf),
    "laplace": ("random.expovariate(1) * random.choice((-1, 1))", stats.laplace.isf),
    "bimodal": ("bimodal()", bimodal_isf),
    # Half a step beyond the last value that fails more often: the true rate is at most the one asked for.
    "proportion": ("proportion()", lambda rate: (stats.binom(50, 0.1).isf(rate) + 0.5) / 50),
}


def true_rate(name, rate):
    if name != "proportion":
        return rate
    return stats.binom(50, 0.1).sf(stats.binom(50, 0.1).isf(rate))


def suite(folder, repeat):
    (folder / "draws.py").write_text(DRAWS)
    for position, (draw, isf) in enumerate(DISTRIBUTIONS.values()):
        lines = ["import math", "import random", "", "from draws import *", "", ""]
        for rate in RATES:
            for number in range(repeat):
                lines += [
                    f"def test_{position}_{RATES.index(rate)}_{number}():",
                    f"    assert {draw} < {float(isf(rate))!r}",
                    "",
                    "",
                ]
        (folder / f"test_{position:02}.py").write_text("\n".join(lines))
    (folder / "pytest.ini").write_text("[pytest]\n")


def judged(temper, runs, repeat):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite(folder, repeat)
        command = [
            temper,
            "bounds",
            "-q",
            "--no-mutants",
            "--verify-runs",
            "1",
            "--runs",
            str(runs),
            "--format",
            "json",
        ]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    document = json.loads(done.stdout)
    rows = defaultdict(list)
    for subject in document["subjects"]:
        position, rate, _ = map(int, subject["name"].split("::test_")[1].split(" ")[0].split("_"))
        rows[list(DISTRIBUTIONS)[position]].append(
            (RATES[rate], subject["evidence"]["verdict"], subject["evidence"]["judged_after"])
        )
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return rows, round(cpu)


def answer(name, rate, verdict):
    is_flaky = true_rate(name, rate) > ALLOWED
    if verdict in ("undecided", "suspect"):
        return verdict
    return "right" if (verdict == "flaky") == is_flaky else "wrong"


def median_runs(sites, word):
    """Runs when a verdict was given. One of `flaky` is given with a bound, and placing it well takes most of them."""
    runs = sorted(runs for _, verdict, runs in sites if verdict == word)
    return runs[len(runs) // 2] if runs else 0


def table(title, rows, cpu):
    print(f"{title}: {cpu} CPU s")
    print(f"{'':16}{'sites':>7}{'right':>7}{'wrong':>7}{'undecided':>11}{'suspect':>9}{'runs: sound':>13}{'flaky':>7}")
    total, figures = Counter(), {}
    for name, sites in [*rows.items(), ("all", None)]:
        counts = total if sites is None else Counter(answer(name, rate, verdict) for rate, verdict, _ in sites)
        total.update({} if sites is None else counts)
        judged_sites = [site for each in ([sites] if sites else rows.values()) for site in each]
        runs = {word: median_runs(judged_sites, word) for word in ("sound", "flaky")}
        all_runs = sum(runs for _, _, runs in judged_sites)
        figures[name] = {**counts, "median_runs": runs, "all_runs": all_runs}
        parts = [
            f"{counts[part]:{width}}" for part, width in (("right", 7), ("wrong", 7), ("undecided", 11), ("suspect", 9))
        ]
        print(f"{name:16}{sum(counts.values()):7}{''.join(parts)}{runs['sound']:13}{runs['flaky']:7}")
    return {"cpu_secs": cpu, **figures}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--repeat", type=int, default=15, help="sites a distribution and rate: 15 make 1,050")
    parser.add_argument("--other-repeat", type=int, help="the same for the other Temper [default: as for this one]")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("other", nargs="?")
    options = parser.parse_args()
    ours = Path(sys.executable).parent / "temper"
    results = {"runs": options.runs, "temper": table("temper", *judged(str(ours), options.runs, options.repeat))}
    if options.other:
        repeat = options.other_repeat or options.repeat
        results["other"] = table("other", *judged(options.other, options.runs, repeat))
    if options.record:
        (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
