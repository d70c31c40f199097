"""What the driver asks of a worker about a model: load it, say what it is, train a copy, ask it about a batch.

`prepare` runs while the project layer is loaded; every other function is one piece of work, in a fork of that layer. Loading
a pickle runs what is in it, so it happens here, in a contained process, and only for files that the user named.
"""

import importlib
import io
import pickle
import sys

from temper.model import adapters, rows
from temper.worker import errors


class _Subject:
    """The model of this layer, and the form in which it reads rows once that is known."""

    def __init__(self, model, form=None):
        self.model, self.form = model, form


_subject = None


def prepare(source):
    """Loads the model that `source` names and keeps it for the forks of this process."""
    global _subject
    kind, wanted = source["kind"], source["name"]
    if kind == "file":
        _subject = _Subject(_load(wanted))
    elif kind == "callable":
        _subject = _Subject(_named(wanted))
    else:
        _subject = _Subject(_evaluated(wanted))
    # What batches are made of is imported once, here, and not again in every fork.
    for library in ("numpy", "pandas"):
        try:
            importlib.import_module(library)
        except ImportError:
            pass


def _load(path):
    special = adapters.loader(path)
    if special is not None:
        return special(path)
    try:
        joblib = importlib.import_module("joblib")
    except ImportError:
        with open(path, "rb") as file:
            return pickle.load(file)
    return joblib.load(path)


def _named(name):
    module, _, attribute = name.partition(":")
    found = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def _evaluated(text):
    module, _, expression = text.partition(":")
    return eval(expression, dict(vars(importlib.import_module(module))))


def describe():
    """What the model is, and whether copies of it can be trained."""
    model = _subject.model
    return {
        "name": name(model),
        "can_predict": adapters.asker(model) is not None,
        "can_train": callable(getattr(model, "fit", None)) and not isinstance(model, type),
    }


def name(model):
    """What people call it."""
    if hasattr(model, "__name__") and callable(model):
        return model.__name__
    text = " ".join(repr(model).split())
    return text if len(text) <= 60 else type(model).__name__


def predict(columns, data, form, trained, wanted="labels"):
    """The answers to a batch, as `rows.encoded` gives them, or what was raised: of the model, or of a `trained` copy in a file.

    `wanted` are labels, quantities or probabilities; the last two are as `rows.numbers_of` gives them. `form` is the form in
    which an earlier batch was answered; this process knows nothing of that one.
    """
    subject = _Subject(_subject.model, form)
    if trained is not None:
        with open(trained, "rb") as file:
            subject = _Subject(*pickle.load(file))
    ask = adapters.asker(subject.model, wanted)
    if ask is None:
        return {"refused": f"`{name(subject.model)}` has no `predict_proba`"}

    def answered(form, batch):
        found = [ask(row) for row in batch] if rows.is_single(form) else ask(batch)
        if wanted == "labels":
            return rows.encoded(found)
        return rows.numbers_of(found, wanted, getattr(subject.model, "classes_", None))

    return _in_forms(subject, rows.FORMS, columns, data, answered)


def train(columns, data, labels, path):
    """Trains a copy of the model on labelled rows and keeps it in a file."""
    subject = _subject
    model = untrained(subject.model)
    wanted = target(labels)
    fitted = _in_forms(
        subject, rows.TRAINING_FORMS, columns, data, lambda _, batch: {"model": model.fit(batch, wanted) or model}
    )
    if "raised" in fitted:
        return fitted
    # In memory first: a model that cannot be pickled leaves no half a file.
    memory = io.BytesIO()
    try:
        pickle.dump((fitted["model"], fitted["form"]), memory)
    except Exception as error:
        return {"unpicklable": _words(error)}
    with open(path, "wb") as file:
        file.write(memory.getvalue())
    return {}


def untrained(model):
    """A fresh model of the same settings."""
    # Where the model came from a file it is trained already; the ways of scikit-learn make a fresh one.
    if "sklearn" in sys.modules and hasattr(model, "get_params"):
        return importlib.import_module("sklearn.base").clone(model)
    return model


def target(labels):
    """Labels in the shape that libraries expect."""
    try:
        import numpy
    except ImportError:
        return labels
    return numpy.asarray(labels)


def _in_forms(subject, allowed, columns, data, act):
    """Acts on the rows in the form the model reads; where that is not known, in the first form it does not refuse.

    A model refuses a form when it raises, or answers another number of labels than there are rows: so does a function of
    one row that is given many. If it refuses all, the result of the first form is given, because that says most.
    """
    first = None
    wanted = (
        [subject.form] if subject.form else [form for form in rows.forms(subject.model, columns) if form in allowed]
    )
    for form in wanted:
        try:
            batch = rows.batch(form, columns, data, subject.model)
        except Exception as error:
            first = first or {"raised": _words(error)}
            continue
        try:
            result = {**act(form, batch), "form": form}
        except Exception as error:
            first = first or {"raised": _words(error)}
            continue
        if not _is_refused(result, len(data) // (8 * len(columns))):
            return result
        first = first or result
    return first


def _is_refused(result, count):
    if "numbers" in result:
        return result["count"] != count
    if "codes" in result:
        return len(result["codes"]) != 4 * count
    return "shape" in result and result["shape"][:1] != [count]


def _words(error):
    described = errors.describe(error)
    lines = [line.strip() for line in described["message"].splitlines() if line.strip()]
    # The rest of a long message is advice on other things.
    return f"{described['type']}: {' '.join(lines[:2])}"[:300].removesuffix(": ")


def table(path):
    """A table of a format that pandas reads, as CSV text."""
    pandas = importlib.import_module("pandas")
    try:
        read = pandas.read_feather if path.endswith(".feather") else pandas.read_parquet
        return {"text": read(path).to_csv(index=False)}
    except Exception as error:
        return {"raised": _words(error)}
