"""Runs `temper check` and `temper bounds` without a budget several times, with one job and with two, on a quiet and on a loaded
machine, each time from nothing, and compares their JSON byte for byte, times aside: `same_results.py TEMPER [REPETITIONS]`."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures/projects"
CASES = [
    (ROOT / "examples/mlkit", ["bounds", "--runs", "100", "--verify-runs", "50"]),
    (ROOT / "examples/mlkit", ["check", "--hints", "--budget", "none"]),
    (ROOT / "examples/densenet", ["check", "--budget", "none"]),
    (FIXTURES / "bounds_kinds", ["bounds", "--runs", "200", "--verify-runs", "50"]),
    (FIXTURES / "bounds_luck", ["bounds", "--runs", "100"]),
    (FIXTURES / "check_bugs", ["check", "--budget", "none"]),
    (FIXTURES / "check_nested_comparisons", ["check", "--budget", "none"]),
]
# What a clock decides.
TIMES = {"secs", "cpu_secs", "expected_runs_secs", "seconds", "time", "times"}
IN_WORDS = re.compile(r"\b[\d.,]+ (ms|s|min|h)\b|\babout the same time\b|\b[\d.,]+ times the time\b")


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in TIMES}
    if isinstance(value, str):
        return IN_WORDS.sub("TIME", value)
    return [without_times(each) for each in value] if isinstance(value, list) else value


def found(temper, project, arguments, jobs):
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".temper", "__pycache__", ".pytest_cache"))
        command = [temper, *arguments, "-q", "--format", "json", "--jobs", str(jobs)]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
        text = done.stdout.replace(str(copy), "PROJECT")
        return done.returncode, json.dumps(without_times(json.loads(text)), indent=1)


def load(count):
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]


def main(temper, repetitions=5):
    different = 0
    for project, arguments in CASES:
        results = []
        for repetition in range(repetitions):
            burners = load(2 if repetition % 2 else 0)
            try:
                results.append(found(temper, project, arguments, jobs=1 + repetition // 2 % 2))
            finally:
                for burner in burners:
                    burner.kill()
                    burner.wait()
        same = all(result == results[0] for result in results)
        different += not same
        word = "same" if same else "DIFFERENT"
        said = f"{word:10} {repetitions} times  exit {results[0][0]}"
        print(f"{said}  {project.name}: temper {' '.join(arguments)}", flush=True)
        if not same:
            keep = Path(tempfile.mkdtemp(prefix="temper-different-"))
            for number, (_, text) in enumerate(results):
                (keep / f"{number}.json").write_text(text)
            print(f"           the results are in {keep}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:])))
