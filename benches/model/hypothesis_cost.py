"""What one-predict-per-input tests in the published form cost, the model's own time left out.

usage: python hypothesis_cost.py [PROPERTIES]

Runs so many property tests of five floats each (the shape of phoneme's leaves), 100 inputs a property, and prints the CPU time
of one input and of phoneme's 104,200. The model is a constant function, so that only drawing and checking are counted.
"""

import sys
import time

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


def main():
    properties = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    calls = []
    property_test(1, [])()
    start = time.process_time()
    for number in range(properties):
        property_test(number, calls)()
    seconds = time.process_time() - start
    one = seconds / len(calls)
    print(
        f"hypothesis {hypothesis.__version__}: {len(calls)} inputs in {seconds:.2f} s CPU, {one * 1e6:.0f} us an input"
    )
    print(f"phoneme, {PHONEME_INPUTS} inputs: {one * PHONEME_INPUTS:.1f} s CPU")


main()
