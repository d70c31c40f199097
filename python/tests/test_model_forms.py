"""The forms in which rows reach a model, and the ways in which models of other libraries answer."""

import contextlib
import struct
import sys
import types

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


def asked_for(wanted, model, columns=NUMBERS, rows=ROWS):
    width = len(columns)
    data = b"".join(struct.pack(f"<{width}d", *row[:width]) for row in rows)
    serve._subject = serve._Subject(model)
    return serve.predict(columns, data, None, None, wanted)


class Scorer:
    classes_ = np.array(["no", "yes"])

    def predict(self, batch):
        return np.where(batch[:, 0] > 0.5, "yes", "no")

    def predict_proba(self, batch):
        return np.stack([1 - batch[:, 0], batch[:, 0]], axis=1)


def test_probabilities_come_with_their_classes():
    answer = asked_for("probabilities", Scorer())
    assert np.frombuffer(answer["numbers"], dtype="<f8").tolist() == [0.75, 0.25, 0.25, 0.75]
    assert (answer["width"], answer["classes"]) == (2, ["no", "yes"])


def test_a_model_without_probabilities_says_so():
    class Labels:
        def predict(self, batch):
            return [0 for _ in batch]

    assert asked_for("probabilities", Labels())["refused"].endswith("has no `predict_proba`")
    assert asked_for("probabilities", lambda batch: [7, 8])["refused"].endswith("not between 0 and 1")


def test_quantities_are_one_number_a_row():
    answer = asked_for("quantities", lambda batch: batch[:, :1] * 100)
    assert np.frombuffer(answer["numbers"], dtype="<f8").tolist() == [25.0, 75.0]
    assert "refused" in asked_for("quantities", lambda batch: ["dear", "cheap"])
    assert asked_for("quantities", lambda batch: np.ones((2, 3)))["shape"] == [2, 3]


def stand_in(monkeypatch, name, **members):
    """A module of this name with these members, for the time of a test."""
    module = types.ModuleType(name)
    vars(module).update(members)
    monkeypatch.setitem(sys.modules, name, module)
    return module


def loaded(path):
    return serve._load(str(path))


def test_a_skops_file_is_loaded_with_the_types_that_it_names(monkeypatch, tmp_path):
    io = stand_in(monkeypatch, "skops.io", get_untrusted_types=lambda file: ["mine.Type"])
    stand_in(monkeypatch, "skops", io=io)
    io.load = lambda path, trusted: (lambda batch: [int(row[0] > 0.5) for row in batch]) if trusted else None
    assert ask(loaded(tmp_path / "model.skops"), NUMBERS) == ("array", [0, 1])


def test_an_onnx_file_answers_labels_and_probabilities(monkeypatch, tmp_path):
    class InferenceSession:
        def __init__(self, path, providers):
            assert providers == ["CPUExecutionProvider"]

        def get_inputs(self):
            return [types.SimpleNamespace(name="rows")]

        def run(self, _, fed):
            first = fed["rows"][:, 0]
            return [(first > 0.5).astype(int), [{1: float(share), 0: 1 - float(share)} for share in first]]

    stand_in(monkeypatch, "onnxruntime", InferenceSession=InferenceSession)
    model = loaded(tmp_path / "model.onnx")
    assert ask(model, NUMBERS) == ("array", [0, 1])
    answer = asked_for("probabilities", model)
    assert np.frombuffer(answer["numbers"], dtype="<f8").tolist() == [0.75, 0.25, 0.25, 0.75]


def test_boosters_and_modules_of_torch_are_asked_for_scores(monkeypatch, tmp_path):
    class Booster:
        def load_model(self, path):
            self.path = path

        def predict(self, matrix):
            return matrix.rows[:, 0]

    class DMatrix:
        def __init__(self, rows):
            self.rows = np.asarray(rows)

    Booster.__module__ = "xgboost.core"
    stand_in(monkeypatch, "xgboost", Booster=Booster, DMatrix=DMatrix)
    assert ask(loaded(tmp_path / "model.ubj"), NUMBERS) == ("array", [0, 1])
    answer = asked_for("probabilities", loaded(tmp_path / "model.xgb"))
    assert (answer["width"], answer["classes"]) == (1, [])

    class Tensor:
        def __init__(self, values):
            assert values.dtype == np.float32
            self.values = values

        def detach(self):
            return self

        cpu = detach

        def numpy(self):
            return self.values

    class Module:
        parameters = ()

        def eval(self):
            self.is_evaluated = True

        def __call__(self, tensor):
            assert self.is_evaluated
            return Tensor(np.stack([1 - tensor.values[:, 0], tensor.values[:, 0]], axis=1))

    Module.__module__ = "torch.nn"
    jit = types.SimpleNamespace(load=lambda path: Module())
    stand_in(monkeypatch, "torch", jit=jit, no_grad=contextlib.nullcontext, as_tensor=Tensor)
    assert ask(loaded(tmp_path / "model.pt"), NUMBERS) == ("array", [0, 1])


def test_a_module_of_keras_is_asked_for_scores(monkeypatch, tmp_path):
    class Model:
        def predict(self, batch):
            return np.asarray(batch)[:, :1]

    Model.__module__ = "keras.models"
    stand_in(monkeypatch, "keras", models=types.SimpleNamespace(load_model=lambda path: Model()))
    assert ask(loaded(tmp_path / "model.keras"), NUMBERS) == ("array", [0, 1])


@pytest.mark.parametrize(("end", "reader"), [("parquet", "read_parquet"), ("feather", "read_feather")])
def test_packed_tables_are_read_by_their_reader(monkeypatch, end, reader):
    import pandas

    frame = pandas.DataFrame({"a": [1, None], "day": pandas.to_datetime(["2020-01-02", "2020-01-03"])})
    monkeypatch.setattr(pandas, reader, lambda path: frame if path == f"table.{end}" else None)
    assert serve.table(f"table.{end}") == {"text": "a,day\n1.0,2020-01-02\n,2020-01-03\n"}


@pytest.mark.parametrize("end", ["parquet", "feather"])
def test_packed_tables_come_back_as_they_were_written(tmp_path, end):
    pytest.importorskip("pyarrow")
    import pandas

    frame = pandas.DataFrame({"a": [1.5, None], "hue": pandas.Categorical(["red", "blue"]), "is": [True, False]})
    path = tmp_path / f"table.{end}"
    getattr(frame, f"to_{end}")(path)
    assert serve.table(str(path)) == {"text": "a,hue,is\n1.5,red,True\n,blue,False\n"}


def test_a_packed_table_that_cannot_be_read_says_why(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "table.parquet").write_text("a,b\n1,2\n")
    assert "raised" in serve.table(str(tmp_path / "table.parquet"))
