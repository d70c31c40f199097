"""A batch of coded rows as the model reads it, and its answers as codes.

The engine knows every cell as a number; a column says what the number stands for (`kind`, `names` of categories, the code
of a missing cell). Models read an array where all columns are numbers and a table with column names elsewhere.
"""

import array
import datetime
import math
import sys

_EPOCH = datetime.datetime(1970, 1, 1)

# The forms of a batch, in the order in which they are tried on a model that does not say what it was trained on. The last three
# are for functions: a list of dicts, one row at a time, one dict at a time.
FORMS = ("array", "frame", "categories", "float32", "dicts", "each row", "each dict")
# What `fit` takes.
TRAINING_FORMS = FORMS[:4]


def numbers(data, width):
    """The rows of a batch as lists of floats, for interpreters without numpy."""
    flat = array.array("d")
    flat.frombytes(data)
    return [list(flat[start : start + width]) for start in range(0, len(flat), width)]


def is_text(column):
    """Whether the cells of a column are texts to the model."""
    return column["kind"] in ("category", "moment")


def forms(model, columns):
    """The forms worth trying, likeliest first."""
    is_named = getattr(model, "feature_names_in_", None) is not None
    has_text = any(is_text(column) for column in columns)
    return (FORMS[1], FORMS[0], *FORMS[2:]) if is_named or has_text else FORMS


def batch(form, columns, data, model=None):
    """The rows in the given form; raises `ImportError` when the library for it is not installed."""
    if form in ("frame", "categories"):
        return _frame(columns, data, model, form == "categories")
    if form == "float32":
        return _array(columns, data).astype("float32")
    if form in ("dicts", "each dict"):
        names = [column["name"] for column in columns]
        return [dict(zip(names, row, strict=True)) for row in _lists(columns, data)]
    return _lists(columns, data) if form == "each row" else _array(columns, data)


def is_single(form):
    """Whether the model is asked about one row at a time."""
    return form in ("each row", "each dict")


def _lists(columns, data):
    return [
        [_cell(column, value) for column, value in zip(columns, row, strict=True)]
        for row in numbers(data, len(columns))
    ]


def _matrix(columns, data):
    import numpy

    return numpy.frombuffer(data, dtype="<f8").reshape(-1, len(columns))


def _array(columns, data):
    try:
        matrix = _matrix(columns, data)
    except ImportError:
        return _lists(columns, data)
    import numpy

    if any(is_text(column) for column in columns):
        cells = [[_cell(column, value) for value in matrix[:, at].tolist()] for at, column in enumerate(columns)]
        result = numpy.empty(matrix.shape, dtype=object)
        for at, column in enumerate(cells):
            result[:, at] = column
        return result
    matrix = matrix.copy()
    for at, column in enumerate(columns):
        if column["missing"] is not None:
            matrix[matrix[:, at] == column["missing"], at] = math.nan
    return matrix


def _frame(columns, data, model, has_categories):
    import pandas

    matrix = _matrix(columns, data)
    frame = pandas.DataFrame({column["name"]: _series(column, matrix[:, at]) for at, column in enumerate(columns)})
    wanted = getattr(model, "feature_names_in_", None)
    if wanted is not None:
        # In the order of training; columns that the model never saw stay away from it.
        known = [name for name in wanted if name in frame]
        frame = frame[known] if known else frame
    if has_categories:
        # All that may occur: a library that remembers codes finds them the same in every batch.
        own = {c["name"]: pandas.CategoricalDtype(sorted(c["names"])) for c in columns if c["kind"] == "category"}
        frame = frame.astype({name: kind for name, kind in own.items() if name in frame})
    return frame


def _series(column, values):
    import pandas

    has_missing = column["missing"] is not None
    if column["kind"] == "integer" and not has_missing:
        whole = values.astype("int64")
        # The published tool draws between whole numbers too.
        return whole if (whole == values).all() else values
    if column["kind"] == "boolean" and not has_missing:
        return values != 0
    if column["kind"] in ("integer", "float"):
        values = values.copy()
        if has_missing:
            values[values == column["missing"]] = math.nan
        return values
    return pandas.Series([_cell(column, value) for value in values.tolist()])


def _cell(column, value):
    if value == column["missing"]:
        return math.nan
    kind = column["kind"]
    if kind == "category":
        return column["names"][int(value)]
    if kind == "moment":
        return (_EPOCH + datetime.timedelta(seconds=int(value))).strftime(column["names"])
    if kind == "boolean":
        return value != 0
    return int(value) if kind == "integer" else value


def encoded(answers):
    """What a model answered, as distinct labels and one code a row; or the shape of what is no list of labels."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return _encoded_list(answers)
    values = numpy.asarray(_detached(answers))
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        return {"shape": list(values.shape)}
    if values.dtype == object:
        return _encoded_list(values.tolist())
    labels, codes = numpy.unique(values, return_inverse=True)
    return {"labels": labels.tolist(), "codes": codes.astype("<u4").tobytes()}


def numbers_of(answers, wanted, classes):
    """What a model answered, as rows of numbers; what is none, or is no probability where that is wanted, is said."""
    answers = _detached(answers)
    listed = answers.tolist() if hasattr(answers, "tolist") else list(answers)
    table = [row if isinstance(row, (list, tuple)) else [row] for row in listed]
    width = len(table[0]) if table else 1
    if wanted == "quantities" and width != 1:
        return {"shape": [len(table), width]}
    try:
        numbers = array.array("d", [float(cell) for row in table for cell in row])
    except (TypeError, ValueError):
        return {"refused": "it answers something else than numbers"}
    if not all(map(math.isfinite, numbers)) or len(numbers) != width * len(table):
        return {"refused": "some of its answers are no finite numbers"}
    if wanted == "probabilities" and not all(0 <= number <= 1 for number in numbers):
        return {"refused": "some of its answers are not between 0 and 1"}
    named = [] if classes is None else _plain_labels(classes)
    return {"numbers": numbers.tobytes(), "width": width, "classes": named, "count": len(table)}


def _plain_labels(classes):
    plain = classes.tolist() if hasattr(classes, "tolist") else list(classes)
    return [value if isinstance(value, (bool, int, float, str)) else str(value) for value in plain]


def _detached(answers):
    # A tensor that remembers how it was computed has no array.
    return answers.detach().cpu().numpy() if hasattr(answers, "detach") else answers


def _encoded_list(answers):
    if not hasattr(answers, "__len__") or isinstance(answers, (str, bytes)):
        return {"shape": []}
    labels, codes = {}, array.array("I")
    for answer in answers:
        if hasattr(answer, "item"):
            answer = answer.item()
        if not isinstance(answer, (bool, int, float, str)):
            answer = str(answer)
        # `True` and `1` are one key to Python, and two labels to us.
        codes.append(labels.setdefault((type(answer), answer), len(labels)))
    return {"labels": [label for _, label in labels], "codes": codes.tobytes()}
