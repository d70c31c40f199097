"""How soon `temper bounds` names the flaky tests of a suite in which most tests are constant.

A generated suite of 200 tests: 180 whose value never changes, 15 that are sound, 5 that fail in 5 to 30 % of runs. Printed are
runs and processor time until the command is done, and the least processor time of a fresh command, ended by a budget, that
names all five; the first also for another Temper if its program is given: `python benches/triage/bench.py [OTHER_TEMPER]`.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

FLAKY = (0.05, 0.10, 0.15, 0.20, 0.30)
RECORDED = pathlib.Path(__file__).with_name("results.json")


def suite(folder):
    lines = ["import numpy as np", "", ""]
    for index in range(180):
        lines += [
            f"def test_constant_{index}():",
            f"    value = np.arange({index + 3}).mean() / 1000",
            "    assert value < 0.5",
            "",
            "",
        ]
    for index in range(15):
        lines += [f"def test_sound_{index}():", f"    assert np.random.normal() < {12 + index}", "", ""]
    for index, rate in enumerate(FLAKY):
        lines += [f"def test_flaky_{index}():", f"    assert np.random.random() > {rate}", "", ""]
    (folder / "test_suite.py").write_text("\n".join(lines))
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")


def measured(temper, *options):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        suite(folder)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [temper, "bounds", "-q", "--no-mutants", "--verify-runs", "1", "--format", "json", *options]
        output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        document = json.loads(output.stdout or '{"findings": [], "bounds": {"runs_taken": 0}}')
    named = {finding["subject"].split("::")[1].split(" ")[0] for finding in document["findings"]}
    return {
        "cpu_secs": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "runs": document["bounds"]["runs_taken"],
        "flaky_named": len([name for name in named if name.startswith("test_flaky")]),
        "others_named": len([name for name in named if not name.startswith("test_flaky")]),
        "exit": output.returncode,
    }


def soonest(temper):
    """Fresh commands with growing budgets that named all flaky tests."""
    for secs in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30):
        found = measured(temper, "--budget", f"{secs}s")
        if found["flaky_named"] == len(FLAKY):
            yield {"budget_secs": secs, **found}


def main():
    ours = measured(os.path.join(os.path.dirname(sys.executable), "temper"))
    print("this Temper  ", ours)
    named = next(soonest(os.path.join(os.path.dirname(sys.executable), "temper")), ours)
    print("all five named", named)
    if len(sys.argv) > 1:
        other = measured(sys.argv[1])
        print("the other    ", other)
    else:
        other = json.loads(RECORDED.read_text())["before"]
        print("as recorded  ", other, "(before triage)")
    share = 100 / other["cpu_secs"]
    print(f"CPU, of the other's: {share * ours['cpu_secs']:.1f} %; all five named: {share * named['cpu_secs']:.1f} %")
    return 0 if ours["flaky_named"] == len(FLAKY) and ours["others_named"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
