"""`temper bounds --tighten` on examples/mlkit: its cost beside fresh pytest processes, and whether stopping early is right.

    python benches/tighten/bench.py [FRACTION [COMPARED]]

Cost: processor time of the whole command (original, mutants, verification), beside 100 fresh pytest processes for each mutant
under each test that reaches it, a few of which are started here to see what one takes, before, between and after. FRACTION
(default 1) is the share of the mutants; the runs of the original do not shrink with it, so a part costs more a mutant.

Verdicts: a random share COMPARED (default 0.3) of the mutants then goes on from there to 200 runs each. The first 100 are the
stream that the early verdicts were made on, and the other 100 are independent of them. Each half is judged whole, by
Kolmogorov-Smirnov against 300 runs of the original with Benjamini-Hochberg: the early verdicts beside the first half, and the
halves beside each other, which is as well as two such verdicts agree at all.
"""

import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

from scipy.stats import false_discovery_control, ks_2samp

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
# Another build of the program may be measured by naming it in TEMPER.
TEMPER = os.environ.get("TEMPER") or pathlib.Path(sys.executable).parent / "temper"
REFERENCE, MOST_RUNS, LEVEL = 300, 100, 0.01
NODES = ["test_kmeans_ratio", "TestLogReg::test_accuracy", "test_metropolis_cov", "test_attack_success"]
UNSAMPLED = "change nothing measurable"
EFFECTIVE = {"killed", "killable by a tighter bound", "need another assertion", "improve the value"}


def cpu_of(arguments, folder):
    """Output and processor seconds of a command, with all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tighten(folder, fraction, *more):
    arguments = [
        TEMPER,
        "bounds",
        "--tighten",
        "--mutant-fraction",
        str(fraction),
        "--format",
        "json",
        "-q",
        *more,
        "--python",
        sys.executable,
    ]
    done, secs = cpu_of(list(map(str, arguments)), folder)
    if done.returncode not in (0, 1, 4):
        sys.exit(done.stderr or done.stdout)
    return json.loads(done.stdout), secs


def trials(document):
    """What became of each mutant under each test, by name, test and site."""
    found = {}
    for mutant in document["bounds"]["mutants"]["mutants"]:
        for trial in mutant["trials"]:
            found[mutant["name"], trial["test"], trial["site"]] = trial
    return found


def references(document):
    """The first runs of the original, by test. One site a test is enough here: mlkit has one each."""
    return {s["name"].split(" ")[0]: s["evidence"]["numbers"][:REFERENCE] for s in document["subjects"]}


def verdicts_of_whole_streams(found, reference, half):
    """Effective or not, from one half of the runs; what crashed or never changed keeps its word."""
    verdicts, by_test = {}, {}
    for key, trial in found.items():
        if trial["values"] and trial["runs"] >= 2 * MOST_RUNS:
            by_test.setdefault(key[1:], []).append(key)
        else:
            verdicts[key] = word(trial)
    for (test, _), keys in by_test.items():
        values = [halves(found[key]["values"])[half] for key in keys]
        p_values = [ks_2samp(each, reference[test]).pvalue for each in values]
        for key, p in zip(keys, false_discovery_control(p_values), strict=True):
            verdicts[key] = "effective" if p < LEVEL else "none"
    return verdicts


def halves(values):
    return values[: len(values) // 2], values[len(values) // 2 :]


def word(trial):
    if trial["class"] in EFFECTIVE:
        return "effective"
    return "none" if trial["class"] == UNSAMPLED else "crashed"


def agreement(first, second):
    common = [key for key in first if key in second]
    alike = sum(first[key] == second[key] for key in common)
    return f"{alike} of {len(common)} ({alike / len(common):.1%})"


def fresh_processes(folder):
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return [cpu_of([*pytest, f"tests/test_mlkit.py::{node}"], folder)[1] for node in NODES]


def main():
    given = [float(text) for text in sys.argv[1:]]
    fraction, compared = (*given, *(1.0, 0.3)[len(given) :])
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "mlkit"
        shutil.copytree(REPOSITORY / "examples/mlkit", folder, ignore=shutil.ignore_patterns(".temper"))
        fresh = fresh_processes(folder)
        early, secs = tighten(folder, fraction)
        fresh += fresh_processes(folder)
        found = trials(early)
        print_cost(fraction, found, secs, fresh)
        print_bounds(early)
        # At this pass target no assertion of mlkit is flaky: the paper's method leaves flaky ones out.
        whole = trials(tighten(folder, compared, "--method", "faser", "--runs", 2 * MOST_RUNS, "--pass", 0.8)[0])
    first, second = (verdicts_of_whole_streams(whole, references(early), half) for half in (0, 1))
    taken = sum(found[key]["runs"] for key in first if key in found)
    screened = sum(min(trial["runs"], MOST_RUNS) for trial in whole.values())
    print(f"compared    {len(first)} pairs ({compared:.0%} of the mutants): {taken} runs, ", end="")
    print(f"{taken / (MOST_RUNS * len(first)):.1%} of {MOST_RUNS} each")
    print(f"            {taken / screened:.1%} of {screened}, with no more runs of those that crash or change nothing")
    print(f"agreement   early verdicts beside those of {MOST_RUNS} runs of the same streams: ", end="")
    print(agreement({key: word(trial) for key, trial in found.items()}, first))
    print(f"            verdicts of {MOST_RUNS} runs beside those of {MOST_RUNS} others: {agreement(first, second)}")


def print_cost(fraction, found, secs, fresh):
    taken, each = sum(trial["runs"] for trial in found.values()), statistics.median(fresh)
    print(f"mutants     {len(found)} pairs of a mutant and a test (fraction {fraction}), {taken} runs of them")
    print(f"samples     {taken / (MOST_RUNS * len(found)):.1%} of {MOST_RUNS} each")
    print(f"cost        {secs:.0f} s of processor time, all told")
    print(f"fresh       {each:.2f} s a pytest process (median of {len(fresh)}, {min(fresh):.2f} to {max(fresh):.2f})")
    factor = len(found) * MOST_RUNS * each / secs
    print(f"factor      {factor:.0f} times less than {MOST_RUNS} fresh processes each")


def print_bounds(document):
    for subject in document["subjects"]:
        print(f"            {subject['name']}: {subject['verdict']}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
