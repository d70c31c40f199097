"""Whether mutants that are put in place in live functions end as those do that the project is loaded for, mutant by mutant.

    python benches/tighten/both_ways.py [FRACTION]

Runs `temper bounds --tighten` on examples/mlkit (a share FRACTION of its mutants, default 0.15) and on two fixture projects, each
from an empty store, as users run it and with a project layer for every mutant. Compared are the result, the number of runs
and all values.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from bench import REPOSITORY, TEMPER

PROJECTS = {
    "examples/mlkit": ["--runs", "300", "--pass", "0.97"],
    "fixtures/projects/mutant_kinds": ["--runs", "100", "--pass", "0.9"],
    "fixtures/projects/mutant_hostile": ["--runs", "100", "--pass", "0.9", "--operators", "arithmetic"],
}


def mutants(source, options, environment):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "project"
        shutil.copytree(REPOSITORY / source, folder, ignore=shutil.ignore_patterns(".temper"))
        arguments = [TEMPER, "bounds", "--tighten", "--format", "json", "-q", "--verify-runs", "5", *options]
        done = subprocess.run(
            [*map(str, arguments), "--python", sys.executable],
            cwd=folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
        )
        if done.returncode not in (0, 1, 4):
            sys.exit(done.stderr or done.stdout)
        return json.loads(done.stdout)["bounds"]["mutants"]


def trials(found):
    return {
        (mutant["name"], trial["test"], trial["site"]): (trial["class"], trial["runs"], trial["values"])
        for mutant in found["mutants"]
        for trial in mutant["trials"]
    }


def main():
    fraction = sys.argv[1] if len(sys.argv) > 1 else "0.15"
    for source, options in PROJECTS.items():
        if source == "examples/mlkit":
            options = [*options, "--mutant-fraction", fraction]
        replaced = mutants(source, options, {})
        one, other = trials(replaced), trials(mutants(source, options, {"TEMPER_TEST_FAULT": "load-mutants"}))
        same = sum(one[key] == other.get(key) for key in one)
        apart = sum(replaced["loaded_apart"].values())
        print(f"{source}: {same} of {len(one)} the same; {apart} of {len(replaced['mutants'])} mutants loaded apart")
        for key in sorted(one.keys() | other.keys()):
            if one.get(key) != other.get(key):
                print("  differs:", *key, one.get(key, ())[:2], other.get(key, ())[:2])


if __name__ == "__main__":
    main()
