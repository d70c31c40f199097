"""Models that are asked in a particular way: how they are loaded, and how they answer labels, quantities and probabilities.

Each entry imports its library only when such a model is met. Scores become labels by their largest column, or at one half; the
labels are then the classes in sorted order, which the driver knows as numbers from 0.
"""

import importlib
import os


def _skops(path):
    io = importlib.import_module("skops.io")
    # The user named the file, as with pickle.
    return io.load(path, trusted=io.get_untrusted_types(file=path))


def _onnx(path):
    session = importlib.import_module("onnxruntime").InferenceSession(path, providers=["CPUExecutionProvider"])
    return _Onnx(session)


class _Onnx:
    def __init__(self, session):
        self.session = session

    def predict(self, batch):
        return labels(self.scores(batch))

    def predict_proba(self, batch):
        # Converted classifiers answer labels, then probabilities: an array, or a dict a row.
        found = self._run(batch)[-1]
        return [[row[key] for key in sorted(row)] for row in found] if isinstance(found, list) else found

    def scores(self, batch):
        return self._run(batch)[0]

    def _run(self, batch):
        numpy = importlib.import_module("numpy")
        name = self.session.get_inputs()[0].name
        return self.session.run(None, {name: numpy.asarray(batch, dtype="float32")})


def _booster(path):
    booster = importlib.import_module("xgboost").Booster()
    booster.load_model(path)
    return booster


def _lightgbm(path):
    return importlib.import_module("lightgbm").Booster(model_file=path)


def _catboost(path):
    return importlib.import_module("catboost").CatBoostClassifier().load_model(path)


def _torch(path):
    torch = importlib.import_module("torch")
    try:
        return torch.jit.load(path)
    except RuntimeError:
        return torch.load(path, weights_only=False)


def _keras(path):
    return importlib.import_module("keras").models.load_model(path)


# By the end of a file's name; everything else is joblib or pickle.
LOADERS = {
    ".skops": _skops,
    ".onnx": _onnx,
    ".ubj": _booster,
    ".xgb": _booster,
    ".lgb": _lightgbm,
    ".cbm": _catboost,
    ".pt": _torch,
    ".pth": _torch,
    ".keras": _keras,
    ".h5": _keras,
}


def loader(path):
    """How the file is loaded if not by joblib or pickle."""
    return LOADERS.get(os.path.splitext(path)[1])


def _library(model):
    return [kind.__module__.partition(".")[0] for kind in type(model).__mro__]


def _scores(model):
    """The function that answers scores, of models that have no labels; `None` for others."""
    libraries, kind = _library(model), type(model).__name__
    if isinstance(model, _Onnx):
        return model.scores
    if "torch" in libraries and hasattr(model, "parameters"):
        return lambda batch: _asked_torch(model, batch)
    if "xgboost" in libraries and kind == "Booster":
        xgboost = importlib.import_module("xgboost")
        return lambda batch: model.predict(xgboost.DMatrix(batch))
    if kind == "Booster" or "keras" in libraries:
        return model.predict
    return None


def asker(model, wanted="labels"):
    """The function that answers what is wanted: labels, quantities or probabilities; `None` if the model has none."""
    scores = _scores(model)
    predict = getattr(model, "predict", None)
    has_predict = callable(predict) and not isinstance(model, type)
    if wanted == "probabilities":
        probabilities = getattr(model, "predict_proba", None)
        # Of an object with `predict` that is labels; a plain function may answer probabilities itself.
        if has_predict and probabilities is not None:
            return probabilities
        return scores or (None if has_predict else model if callable(model) else None)
    if scores is not None:
        return scores if wanted == "quantities" else lambda batch: labels(scores(batch))
    return predict if has_predict else model if callable(model) else None


def _asked_torch(model, batch):
    torch, numpy = importlib.import_module("torch"), importlib.import_module("numpy")
    model.eval()
    with torch.no_grad():
        return model(torch.as_tensor(numpy.asarray(batch, dtype="float32"))).detach().cpu().numpy()


def labels(answers):
    """Scores as positions of classes; what are labels already stays."""
    numpy = importlib.import_module("numpy")
    answers = numpy.asarray(answers)
    if answers.ndim == 2 and answers.shape[1] > 1:
        return answers.argmax(axis=1)
    answers = answers.reshape(len(answers))
    is_score = answers.dtype.kind == "f" and ((answers >= 0) & (answers <= 1)).all() and (answers % 1 != 0).any()
    return (answers > 0.5).astype(int) if is_score else answers
