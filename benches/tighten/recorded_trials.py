"""The result of every mutant of examples/mlkit, as a table from which runs that are cut are replayed.

    python benches/tighten/recorded_trials.py DOCUMENT > crates/temper-bounds/src/mutate/schedule/mlkit_trials.tsv

DOCUMENT is that of a whole run: `temper bounds --tighten --format json` in examples/mlkit.
"""

import json
import pathlib
import sys

COUNTED = {"killed", "killable by a tighter bound", "need another assertion"}
RAISED = {"raised", "unviable"}
# Different values among the first runs from which on equal samples are those of one fault, as the program counts.
FIRST, TELLING = 5, 4
GAIN = 0.05


def cell(trial, faults):
    if trial["class"] in RAISED:
        return "raised"
    if trial["class"] not in COUNTED:
        return "other"
    killed = round(trial["killed_before"] * trial["runs"])
    return f"{killed}/{trial['runs']}#{fault_of(trial, faults)}"


def fault_of(trial, faults):
    """The number of the first mutant of the test with the same samples."""
    values = trial["values"]
    is_telling = len(set(values[:FIRST])) >= TELLING
    for number, others in enumerate(faults):
        both = min(len(values), len(others))
        if is_telling and both >= FIRST and values[:both] == others[:both]:
            return number
    faults.append(values)
    return len(faults) - 1


def has_room(site):
    """Whether a tighter bound kills more, as the program counts: then its test has two turns to one."""
    return bool(site["tightest"]) and site["tightest"]["kill_score"]["mean"] - site["kill_score"]["mean"] > GAIN


def main():
    document = json.loads(pathlib.Path(sys.argv[1]).read_text())
    found = document["bounds"]["mutants"]
    tests = sorted(site["test"] for site in found["sites"])
    loose = {site["test"] for site in found["sites"] if has_room(site)}
    print(
        "# Killed runs of all and the number of the fault, by mutant and test; made by benches/tighten/recorded_trials.py."
    )
    print("\t".join(["mutant", *(f"{test.split('::', 1)[1]}{' room' if test in loose else ''}" for test in tests)]))
    faults = {test: [] for test in tests}
    for mutant in found["mutants"]:
        trials = {trial["test"]: trial for trial in mutant["trials"]}
        cells = [cell(trials[test], faults[test]) if test in trials else "-" for test in tests]
        print("\t".join([mutant["name"], *cells]))


if __name__ == "__main__":
    main()
