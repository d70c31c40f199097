"""`temper bounds --tighten` on examples/mlkit: its cost beside fresh pytest processes, and whether stopping early is right.

    python benches/tighten/bench.py [FRACTION]

Cost: processor time of the whole command (original, mutants, verification), beside 100 fresh pytest processes for each mutant
under each test that reaches it, a few of which are started here to see what one takes. FRACTION (default 0.1) is the share of
the mutants; the runs of the original do not shrink with it, so the factor is better for all mutants than for a few.

Verdicts: the same mutants with the same seeds, all 100 runs each, judged by Kolmogorov-Smirnov against 300 runs of the
original with Benjamini-Hochberg; and once more with other seeds, which is as well as two such verdicts agree at all.
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
FRESH = 5
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


def verdicts_of_whole_streams(found, reference):
    """Effective or not, from all 100 runs; what crashed or never changed keeps its word."""
    verdicts, by_test = {}, {}
    for key, trial in found.items():
        if trial["values"] and trial["runs"] >= MOST_RUNS:
            by_test.setdefault(key[1:], []).append(key)
        else:
            verdicts[key] = "same" if trial["class"] == UNSAMPLED else "crashed"
    for (test, _), keys in by_test.items():
        p_values = [ks_2samp(found[key]["values"], reference[test]).pvalue for key in keys]
        for key, p in zip(keys, false_discovery_control(p_values), strict=True):
            verdicts[key] = "effective" if p < LEVEL else "none"
    return verdicts


def word(trial):
    if trial["class"] in EFFECTIVE:
        return "effective"
    return "none" if trial["class"] == UNSAMPLED else "crashed"


def agreement(first, second):
    """Share of the common mutants with one verdict; that nothing changed and that nothing was found are one."""
    common = [key for key in first if key in second]
    alike = sum(
        ("none" if first[key] == "same" else first[key]) == ("none" if second[key] == "same" else second[key])
        for key in common
    )
    return alike, len(common)


def main():
    fraction = float(sys.argv[1]) if len(sys.argv) > 1 else 0.1
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "mlkit"
        shutil.copytree(REPOSITORY / "examples/mlkit", folder, ignore=shutil.ignore_patterns(".temper"))
        nodes = ["test_kmeans_ratio", "TestLogReg::test_accuracy", "test_metropolis_cov", "test_attack_success"]
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        fresh = [cpu_of([*pytest, f"tests/test_mlkit.py::{nodes[i % 4]}"], folder)[1] for i in range(FRESH)]
        sequential, secs = tighten(folder, fraction)
        found = trials(sequential)
        taken = sum(trial["runs"] for trial in found.values())
        others = len(found) * MOST_RUNS * statistics.median(fresh)
        print(f"{len(found)} mutants under tests (fraction {fraction}), {taken} runs of them")
        print(f"samples     {taken / (MOST_RUNS * len(found)):.1%} of {MOST_RUNS} each")
        print(f"cost        {secs:.0f} s of processor time, all told")
        print(f"fresh       {statistics.median(fresh):.2f} s a pytest process ({min(fresh):.2f} to {max(fresh):.2f})")
        print(f"factor      {others / secs:.0f} times less than {MOST_RUNS} fresh processes each")
        whole, _ = tighten(folder, fraction, "--method", "faser")
        again, _ = tighten(folder, fraction, "--method", "faser", "--seed", "1")
    reference = references(sequential)
    first = verdicts_of_whole_streams(trials(whole), reference)
    second = verdicts_of_whole_streams(trials(again), reference)
    alike, count = agreement({key: word(trial) for key, trial in found.items()}, first)
    print(f"agreement   {alike} of {count} sequential verdicts are those of all {MOST_RUNS} runs ({alike / count:.1%})")
    alike, count = agreement(first, second)
    print(
        f"            {alike} of {count} verdicts of {MOST_RUNS} runs agree with those of other seeds ({alike / count:.1%})"
    )


if __name__ == "__main__":
    main()
