"""The forms in which rows reach a model, and the ways in which models of other libraries answer."""

import struct

import numpy as np
import pytest
from temper.model import adapters, serve

COLUMNS = [
    {"name": "a", "kind": "float", "names": None, "missing": None},
    {"name": "hue", "kind": "category", "names": ["red", "blue"], "missing": -1.0},
    {"name": "day", "kind": "moment", "names": "%Y-%m-%d", "missing": None},
]
ROWS = [[0.25, 0.0, 86400.0], [0.75, 1.0, 172800.0]]
NUMBERS = COLUMNS[:1]


def ask(model, columns=COLUMNS, rows=ROWS):
    width = len(columns)
    data = b"".join(struct.pack(f"<{width}d", *row[:width]) for row in rows)
    serve._subject = serve._Subject(model)
    answer = serve.predict(columns, data, None, None)
    if "codes" not in answer:
        return answer
    codes = np.frombuffer(answer["codes"], dtype="<u4")
    return answer["form"], [answer["labels"][code] for code in codes]


def test_a_table_has_texts_and_dates_as_they_were_read():
    seen = []

    def model(frame):
        seen.append(frame)
        return ["k", "m"]

    assert ask(model) == ("frame", ["k", "m"])
    assert seen[0]["day"].tolist() == ["1970-01-02", "1970-01-03"]
    assert seen[0]["hue"].tolist() == ["red", "blue"]


def test_a_model_that_wants_categories_gets_all_that_may_occur():
    def model(frame):
        if str(frame["hue"].dtype) != "category":
            raise ValueError("categorical columns do not match")
        assert list(frame["hue"].cat.categories) == ["blue", "red"]
        return [0, 1]

    assert ask(model) == ("categories", [0, 1])


def test_a_model_that_wants_single_precision_gets_it():
    def model(rows):
        if rows.dtype != np.float32:
            raise TypeError("expected Float but found Double")
        return (rows[:, 0] > 0.5).astype(int)

    assert ask(model, NUMBERS) == ("float32", [0, 1])


def test_functions_of_dicts_and_of_one_row_are_asked_so():
    assert ask(lambda rows: [row["hue"] for row in rows if isinstance(row, dict)]) == ("dicts", ["red", "blue"])
    assert ask(lambda row: int(row["a"] > 0.5) if isinstance(row, dict) else 1 / 0) == ("each dict", [0, 1])

    def one_row(row):
        assert isinstance(row, list) and not isinstance(row[0], list)
        return int(row[0] > 0.5)

    assert ask(one_row, NUMBERS) == ("each row", [0, 1])


def test_a_model_that_refuses_all_forms_is_reported_with_what_the_first_one_gave():
    def model(rows):
        raise RuntimeError("no weights")

    assert ask(model, NUMBERS) == {"raised": "RuntimeError: no weights"}
    assert ask(lambda rows: [0] if isinstance(rows, np.ndarray) else 1 / 0, NUMBERS) == ("array", [0])


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([[0.1, 0.9], [0.8, 0.2]], [1, 0]),
        ([0.2, 0.7], [0, 1]),
        ([1.0, 0.0], [1, 0]),
        ([[0.7], [0.1]], [1, 0]),
        ([3, 5], [3, 5]),
    ],
)
def test_scores_become_classes_and_labels_stay(answers, expected):
    assert adapters.labels(answers).tolist() == expected


def test_a_booster_is_asked_for_scores():
    class Booster:
        def predict(self, rows):
            return np.asarray(rows)[:, 0]

    assert ask(Booster(), NUMBERS) == ("array", [0, 1])
