"""Guards a model leaf by leaf. Written by `temper model --emit`; run it with pytest, and write it again when the model may change.

Each test asks the model about recorded inputs of one leaf of a decision tree. It fails when more of them get another class than
chance explains for a model that errs as often as the recorded one did.
"""

import json
import pathlib

import pytest

RECORDED = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


@MODEL@

@pytest.fixture(scope="module")
def model():
    return load()


def batch(model, rows):
    columns = RECORDED["columns"]
    if getattr(model, "feature_names_in_", None) is not None or any(column["is_text"] for column in columns):
        import pandas

        return pandas.DataFrame(rows, columns=[column["name"] for column in columns])
    import numpy

    return numpy.array(rows, dtype=float)


@pytest.mark.parametrize("leaf", RECORDED["leaves"], ids=lambda leaf: leaf["id"])
def test_leaf(model, leaf):
    predict = getattr(model, "predict", model)
    answers = list(predict(batch(model, leaf["inputs"])))
    failing = [row for row, answer in zip(leaf["inputs"], answers, strict=True) if answer != leaf["expected"]]
    allowed = leaf["allowed_failures"]
    assert len(failing) <= allowed, (
        f"{len(failing)} of {len(answers)} inputs break `{leaf['property']}`; recorded {leaf['recorded_failures']}, "
        f"allowed {allowed}; for example {failing[0]}"
    )
