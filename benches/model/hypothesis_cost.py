"""What one-predict-per-input tests in the published form cost, beside the real command; the model's own time left out.

usage: python hypothesis_cost.py [TEMPER DATASETS]

Runs 50 property tests of five floats each (the shape of phoneme's leaves), 100 inputs a property, and prints the CPU time
of one input and of phoneme's 104,200. The model is a constant function, so that only drawing and checking are counted. With
the command and a folder that has phoneme.csv, `temper model --paper` runs on it with a function that costs nothing, and all
CPU time of the command and its workers is counted.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

PHONEME_INPUTS = 521 * 2 * 100


def model_predict(rows):
    return [0 for _ in rows]


def property_test(number, calls):
    low = number / 1000

    @settings(
        phases=[Phase.generate], max_examples=100, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(
        st.floats(min_value=low, max_value=low + 1, exclude_min=True),
        st.floats(min_value=-1.5, max_value=low),
        st.floats(min_value=low, max_value=2.5, exclude_min=True),
        st.floats(min_value=-low, max_value=1.5),
        st.sampled_from([0.1 * i for i in range(10)]),
    )
    def test(a, b, c, d, e):
        calls.append(1)
        assert model_predict([[a, b, c, d, e]]) == [0]

    return test


PROPERTIES = 50

FREE_MODEL = """
def predict(rows):
    return [0] * len(rows)
"""


def command_cost(temper, folder):
    """CPU time of the whole command on phoneme, in seconds."""
    with tempfile.TemporaryDirectory() as project:
        Path(project, "free.py").write_text(FREE_MODEL)
        Path(project, "pytest.ini").write_text("")
        data = Path(folder, "phoneme.csv").resolve()
        arguments = [data, "--target", "target", "--model", "free:predict", "--paper", "--quiet", "--format", "json"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [Path(temper).resolve(), "model", *arguments, "--output", "report.json", "--python", sys.executable]
        done = subprocess.run(command, cwd=project, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode in (0, 1), done.returncode
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    calls = []
    property_test(1, [])()
    start = time.process_time()
    for number in range(PROPERTIES):
        property_test(number, calls)()
    seconds = time.process_time() - start
    one = seconds / len(calls)
    print(
        f"hypothesis {hypothesis.__version__}: {len(calls)} inputs in {seconds:.2f} s CPU, {one * 1e6:.0f} us an input"
    )
    print(f"phoneme, {PHONEME_INPUTS} inputs: {one * PHONEME_INPUTS:.1f} s CPU")
    if len(sys.argv) > 2:
        cost = command_cost(sys.argv[1], sys.argv[2])
        print(f"temper model --paper, the whole command: {cost:.2f} s CPU, 1/{one * PHONEME_INPUTS / cost:.0f}")


main()
