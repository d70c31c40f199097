"""`test_model`: the job of `temper model` for a model, rows and labels that a test already has."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from typing import Any

from temper.model import notebook, rows, serve


@dataclass(frozen=True)
class ModelReport:
    """What was found: the text that `temper model` would print, findings and tree as in its JSON report, and the verdict.

    Notebooks show it with a map of the errors around each finding.
    """

    text: str
    findings: list[dict[str, Any]]
    verdict: str
    tree: list[dict[str, Any]] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return notebook.as_html(self.text, self.findings, self.tree)


class WorseModelError(AssertionError):
    """A model is worse than its reference; `report` says where."""

    def __init__(self, report: ModelReport) -> None:
        super().__init__(f"the model is worse than its reference\n{report.text}")
        self.report = report


def test_model(
    model: Any,
    X: Any,
    y: Any,
    *,
    against: Any = None,
    unseen: bool = False,
    margin: float | None = None,
    seed: int = 0,
) -> ModelReport:
    """Fails when the model is worse than its reference: raises `AssertionError` with the regions in which it is.

    The error's `report` is what would have been returned.

    `model` has `predict`, or is a function from rows to labels; `X` is a table or an array, `y` has one label a row. The
    reference is `against`, another such model; without one it is a plain model that is trained here on other rows. Say
    `unseen=True` if the model was not trained on these rows; else copies of a scikit-learn estimator are
    cross-validated, and of any other model nothing can be concluded, which is a `ValueError`. `margin` is the number of
    points of percent by which the error may be greater.
    """
    # Imported with the first model: every test run imports this module.
    from temper import _engine

    subject = _Subject(model, X)
    labels = _plain(y)
    table = _csv(subject.names, subject.cells)
    train = subject.trainer(labels) if _can_be_trained(model) else None
    reference = None if against is None else (serve.name(against), subject.asker(against))
    choice = (unseen, None if margin is None else margin / 100, seed)
    ask = subject.asker(model)
    text, findings, tree, verdict, missing = _engine.judge_model(
        serve.name(model), table, labels, ask, train, reference, choice
    )
    report = ModelReport(text, json.loads(findings), verdict, json.loads(tree))
    if verdict == "found":
        raise WorseModelError(report)
    if verdict == "undecided":
        raise ValueError(f"nothing can be concluded: {missing}; pass rows that it has not seen, and `unseen=True`")
    return report


# Test runners take the name for a test.
test_model.__test__ = False  # type: ignore[attr-defined]


class _Subject:
    """The rows as given, and how batches are put into the same shape."""

    def __init__(self, model: Any, X: Any) -> None:
        self.model = model
        self.dtypes = getattr(X, "dtypes", None) if hasattr(X, "columns") else None
        if self.dtypes is not None:
            self.names = [str(name) for name in X.columns]
            self.columns = X.columns
            cells = [_column(X.iloc[:, at]) for at in range(len(self.names))]
            self.cells = [list(row) for row in zip(*cells, strict=True)]
        else:
            self.cells = [list(row) for row in _plain(X)]
            self.names = [f"x{index}" for index in range(len(self.cells[0]) if self.cells else 0)]

    def batch(self, columns: str, data: bytes) -> Any:
        described = json.loads(columns)
        if self.dtypes is None:
            return rows.batch("array", described, data)
        frame = rows.batch("frame", described, data)
        frame.columns = self.columns
        return frame.astype({name: kind for name, kind in self.dtypes.items() if not _loses(frame[name], kind)})

    def asker(self, model: Any) -> Any:
        ask = getattr(model, "predict", None) or model
        return lambda columns, data: rows.encoded(ask(self.batch(columns, data)))

    def trainer(self, labels: list[Any]) -> Any:
        distinct = sorted(set(labels))

        def train(columns: str, data: bytes, classes: list[int]) -> Any:
            fresh = serve.untrained(self.model)
            fresh.fit(self.batch(columns, data), serve.target([distinct[number] for number in classes]))
            return self.asker(fresh)

        return train


def _column(series: Any) -> list[Any]:
    values = series.tolist()
    present = [value for value in values if value == value and value is not None]
    # pandas has whole numbers with empty cells as floats.
    is_whole = len(present) < len(values) and all(isinstance(value, float) and value.is_integer() for value in present)
    return [_filled(value, is_whole) for value in values]


def _filled(value: Any, is_whole: bool) -> Any:
    if value is None or value != value:
        return ""
    return int(value) if is_whole else value


def _loses(series: Any, kind: Any) -> bool:
    """Whether whole numbers are wanted where there are none: empty cells, draws between whole numbers."""
    return str(kind).startswith(("int", "uint")) and (series.isna().any() or (series % 1 != 0).any())


def _can_be_trained(model: Any) -> bool:
    return hasattr(model, "fit") and hasattr(model, "get_params")


def _plain(values: Any) -> list[Any]:
    """Lists of Python's own numbers and texts."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _csv(names: list[str], cells: list[list[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for row in cells:
        # A NaN is the one number that differs from itself.
        writer.writerow(["" if cell != cell else cell for cell in row])
    return out.getvalue()
