"""`temper.test_model` and the fixture, on models that live in the test's own process."""

import numpy as np
import pandas as pd
import pytest
import temper


def corner(rows):
    return ((rows[:, 0] > 0.5) & (rows[:, 1] > 0.5)).astype(int)


@pytest.fixture
def table():
    side = np.arange(20) / 20 + 0.025
    a, b = (part.ravel() for part in np.meshgrid(side, side))
    rows = np.column_stack([a, b])
    return rows, corner(rows)


def test_a_right_function_passes(table):
    rows, labels = table
    report = temper.test_model(corner, rows, labels, unseen=True)
    assert (report.findings, report.verdict) == ([], "clean")
    assert "wrong on 0 of 400 rows that it has not seen" in str(report)


def test_a_wrong_part_fails_with_the_region_and_a_row(table):
    rows, labels = table
    with pytest.raises(AssertionError) as failed:
        temper.test_model(lambda batch: corner(batch) * (batch[:, 1] <= 0.75), rows, labels, unseen=True)
    text = str(failed.value)
    assert text.startswith("the model is worse than its reference\n")
    assert "x1 > 0.7" in text
    assert "a row that the model gets wrong" in text
    assert "temper replay" not in text
    report = failed.value.report
    shown = report.findings[0]["evidence"]["map"]
    assert sorted(shown["columns"]) == ["x0", "x1"]
    assert sum(map(sum, shown["rows"])) == 400
    assert report.tree[0]["condition"] == "all rows"
    assert "where errors lie" in report._repr_html_()


def test_a_model_is_compared_with_an_earlier_one(table):
    rows, labels = table

    def old(batch):
        return corner(batch) * (batch[:, 1] <= 0.75)

    assert temper.test_model(old, rows, labels, against=old, unseen=True).verdict == "clean"
    with pytest.raises(AssertionError, match="worse than corner"):
        temper.test_model(old, rows, labels, against=corner, unseen=True)


def test_rows_that_the_model_may_have_seen_decide_nothing(table):
    rows, labels = table
    with pytest.raises(ValueError, match="may have been trained on these rows"):
        temper.test_model(corner, rows, labels)


def test_an_estimator_is_cross_validated_and_keeps_the_names_and_types_of_its_table(table):
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Rule(ClassifierMixin, BaseEstimator):
        def fit(self, rows, labels):
            self.classes_ = np.unique(labels)
            return self

        def predict(self, rows):
            assert list(rows.columns) == ["age", "hue"]
            assert rows["hue"].dtype == "category"
            return np.where((rows["age"] > 40) & (rows["hue"] == "red"), "in", "out")

    ages = np.tile([*range(20, 60), np.nan], 6)
    frame = pd.DataFrame({"age": ages, "hue": pd.Categorical(np.repeat(["red", "blue", "green"], 82))})
    model = Rule()
    report = temper.test_model(model, frame, model.fit(frame, ["in"]).predict(frame), seed=3)
    assert "wrong on 0 of 246 rows in cross-validation" in report.text


def test_what_the_model_raises_comes_through(table):
    rows, labels = table

    def broken(batch):
        raise LookupError("no weights")

    with pytest.raises(LookupError, match="no weights"):
        temper.test_model(broken, rows, labels)


@pytest.mark.parametrize(
    ("model", "labels", "message"),
    [
        (lambda batch: corner(batch)[1:], None, "the model answered 399 labels for 400 rows"),
        (lambda batch: np.zeros((len(batch), 2)), None, "the model answered a table of shape 400 by 2"),
        (corner, [0] * 400, "the target column `y` holds one class only"),
        (corner, [0, 1], "2 labels were given for 400 rows"),
    ],
)
def test_bad_answers_and_labels_are_explained(table, model, labels, message):
    rows, right = table
    with pytest.raises(ValueError, match=message):
        temper.test_model(model, rows, right if labels is None else labels)


def test_the_fixture_is_the_function(temper_model):
    assert temper_model is temper.test_model
