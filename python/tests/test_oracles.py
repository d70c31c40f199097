"""Oracles of ``temper check`` beyond crashing: each finds its bug, and is quiet on functions that have none."""

import importlib
import textwrap

import pytest
import temper
from temper import annotations
from temper.check import checker

OPTIONS = {"hints": False, "side": [], "free": False, "secs": 600.0, "draws": 40, "seed": 0, "search": False}
NUMPY = "import numpy as np\nfrom temper import *\n"
# By oracle: a function that breaks it, and the same function without the bug.
BUGS = {
    "same": (
        "@arg('n', ints(0, 3))\ndef f(n, calls=[]):\n    calls.append(n)\n    return n + len(calls)\n",
        "@arg('n', ints(0, 3))\ndef f(n):\n    return n + 1\n",
    ),
    "unchanged": (
        "@arg('x', np_arrays('float64', 'n', min=1, max=9))\ndef f(x):\n    x -= x.mean()\n    return x.std()\n",
        "@arg('x', np_arrays('float64', 'n', min=1, max=9))\ndef f(x):\n    return (x - x.mean()).std()\n",
    ),
    "precision": (
        "@arg('x', np_arrays('float64', 'n:9..9', min=1, max=2))\n"
        "def f(x):\n    return ((x + 1e8) ** 2).mean() - ((x + 1e8).mean()) ** 2\n",
        "@arg('x', np_arrays('float64', 'n:9..9', min=1, max=2))\ndef f(x):\n    return x.var()\n",
    ),
    "pickled": (
        "@arg('n', ints(0, 3))\ndef f(n):\n    return lambda: n\n",
        "@arg('n', ints(0, 3))\ndef f(n):\n    return {'n': [n, float(n), None]}\n",
    ),
}
# Declared with the name of the argument.
DECLARED = {
    "batchwise": ("return (x - x.mean(axis=0)) * 2", "return x * 2"),
    "equivariant": ("return np.cumsum(x, axis=0)", "return x - x.mean(axis=0)"),
    "order_free": ("return x[0].sum()", "return x.sum()"),
}


def findings(text, tmp_path, monkeypatch, **options):
    module = f"held_{tmp_path.name}_{abs(hash(text))}"
    (tmp_path / f"{module}.py").write_text(NUMPY + textwrap.dedent(text))
    monkeypatch.syspath_prepend(str(tmp_path))
    reply = checker.check(module, "f", {**OPTIONS, "root": str(tmp_path), **options})
    assert reply["valid"] > 0
    return module, reply["findings"]


@pytest.mark.parametrize("oracle", BUGS)
def test_an_oracle_finds_its_bug_and_nothing_without_it(oracle, tmp_path, monkeypatch):
    broken, right = BUGS[oracle]
    _, (finding,) = findings(broken, tmp_path, monkeypatch, oracles=[oracle])
    assert finding["kind"] == "postcondition" and finding["place"]["message"].startswith(f"{oracle}: ")
    scope = {"temper": temper}
    exec(finding["imports"], scope)
    with pytest.raises(AssertionError):
        exec(finding["check"], scope)
    assert findings(broken, tmp_path, monkeypatch)[1] == [], "it was not asked for"
    assert findings(right, tmp_path, monkeypatch, oracles=list(BUGS))[1] == []
    declared = findings(f"@holds('{oracle}')\n{broken}", tmp_path, monkeypatch)[1]
    assert len(declared) == 1


@pytest.mark.parametrize("oracle", DECLARED)
def test_an_oracle_about_rows_is_declared(oracle, tmp_path, monkeypatch):
    head = f"@{oracle}('x')\n@arg('x', np_arrays('float64', 'n:2..5 k', min=-9, max=9))\ndef f(x):\n    "
    broken, right = DECLARED[oracle]
    _, (finding,) = findings(head + broken, tmp_path, monkeypatch)
    assert finding["place"]["message"].startswith(f"{oracle}: ")
    assert findings(head + right, tmp_path, monkeypatch)[1] == []


def test_a_result_outside_of_its_declared_range_is_found(tmp_path, monkeypatch):
    head = "def f(x: Annotated[np.ndarray, np_arrays('float64', 'n', min=-1, max=1)]"
    head = f"from typing import Annotated\n{head}) -> Annotated[np.ndarray, np_arrays('float64', 'n', min=0, max=1)]:\n"
    _, (finding,) = findings(f"{head}    return x\n", tmp_path, monkeypatch)
    assert finding["place"]["message"].endswith("below 0")
    assert findings(f"{head}    return np.abs(x)\n", tmp_path, monkeypatch)[1] == []


def test_an_unknown_oracle_is_an_error_with_its_line(tmp_path, monkeypatch):
    (tmp_path / "held_wrong.py").write_text(f"{NUMPY}@holds('pure')\n@arg('n', ints(0, 3))\ndef f(n):\n    return n\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    (subject,) = checker.survey("held_wrong", {**OPTIONS, "root": str(tmp_path), "lives": False})["subjects"]
    assert subject["problem"]["headline"].startswith("`@holds` knows `same`") and subject["problem"]["line"] == 3


# Functions of real packages that break none of the oracles, with a domain for their first argument.
MATRIX, VECTOR = 'np_arrays("float64", "n:2..6 k", min=-50, max=50)', 'np_arrays("float64", "n:2..9", min=-50, max=50)'
CLEAN = {
    "numpy.linalg:norm": {"x": MATRIX},
    "numpy:cumsum": {"a": VECTOR},
    "numpy:sort": {"a": VECTOR},
    "scipy.special:softmax": {"x": MATRIX},
    "scipy.special:logsumexp": {"a": VECTOR},
    "scipy.stats:rankdata": {"a": 'np_arrays("int64", "n:2..9", min=0, max=9)'},
    "scipy.signal:detrend": {"data": VECTOR},
    "scipy.spatial.distance:pdist": {"X": MATRIX},
    # Rows as short as 1e-6 are taken for zero in float32 alone, which is a true difference.
    "sklearn.preprocessing:normalize": {"X": 'np_arrays("float64", "n:2..6 k", min=0.5, max=50)'},
    "sklearn.metrics:mean_absolute_error": {"y_true": VECTOR, "y_pred": VECTOR},
}


@pytest.mark.parametrize("name", CLEAN)
def test_the_oracles_are_quiet_on_clean_functions_of_real_packages(name, tmp_path):
    module, _, function = name.partition(":")
    pytest.importorskip(module)
    entry = {"module": module, "function": function, "args": CLEAN[name], "file": "side", "line": 1}
    options = {**OPTIONS, "draws": 25, "side": [entry], "is_side_only": True, "root": str(tmp_path)}
    forget(module, function)
    reply = checker.check(module, function, {**options, "oracles": list(BUGS)})
    assert reply["valid"] >= 25 and reply["findings"] == []


# Functions of real packages whose rows are computed alone, in any order, or all together, with the arguments by rows.
ROWS, PAIRS = 'np_arrays("float64", "n:2..6 k", min=-50, max=50)', 'np_arrays("float64", "n:2..9", min=-50, max=50)'
LABELS, POSITIVE = 'np_arrays("int64", "n:2..9", min=0, max=2)', 'np_arrays("float64", "n:2..6 k", min=0.5, max=50)'
BY_ROWS = {
    "batchwise": {
        "sklearn.preprocessing:normalize": {"X": POSITIVE},
        "sklearn.preprocessing:binarize": {"X": ROWS},
        "sklearn.utils.extmath:softmax": {"X": ROWS},
        "sklearn.utils.extmath:row_norms": {"X": ROWS},
        "sklearn.metrics.pairwise:cosine_similarity": {
            "X": POSITIVE,
            "Y": 'np_arrays("float64", "3 k", min=0.5, max=9)',
        },
        "sklearn.metrics.pairwise:manhattan_distances": {"X": ROWS, "Y": 'np_arrays("float64", "3 k", min=-9, max=9)'},
        "sklearn.metrics.pairwise:rbf_kernel": {"X": ROWS, "Y": 'np_arrays("float64", "3 k", min=-9, max=9)'},
        "scipy.special:expit": {"x": ROWS},
        "sklearn.metrics.pairwise:linear_kernel": {"X": ROWS, "Y": 'np_arrays("float64", "3 k", min=-9, max=9)'},
        "numpy:tanh": {"x": ROWS},
    },
    "equivariant": {
        "sklearn.preprocessing:scale": {"X": ROWS},
        "sklearn.preprocessing:minmax_scale": {"X": ROWS},
        "sklearn.preprocessing:maxabs_scale": {"X": ROWS},
        "sklearn.preprocessing:robust_scale": {"X": ROWS},
        "sklearn.preprocessing:normalize": {"X": POSITIVE},
        "scipy.stats:zscore": {"a": ROWS},
        "scipy.stats:rankdata": {"a": LABELS},
        "scipy.special:softmax": {"x": PAIRS},
        "scipy.special:log_softmax": {"x": PAIRS},
        "sklearn.utils.extmath:row_norms": {"X": ROWS},
    },
    "order_free": {
        "sklearn.metrics:mean_absolute_error": {"y_true": PAIRS, "y_pred": PAIRS},
        "sklearn.metrics:mean_squared_error": {"y_true": PAIRS, "y_pred": PAIRS},
        "sklearn.metrics:median_absolute_error": {"y_true": PAIRS, "y_pred": PAIRS},
        "sklearn.metrics:max_error": {"y_true": PAIRS, "y_pred": PAIRS},
        "sklearn.metrics:accuracy_score": {"y_true": LABELS, "y_pred": LABELS},
        "sklearn.metrics:confusion_matrix": {"y_true": LABELS, "y_pred": LABELS},
        "sklearn.metrics:adjusted_rand_score": {"labels_true": LABELS, "labels_pred": LABELS},
        "scipy.stats:wasserstein_distance": {"u_values": PAIRS},
        "scipy.stats:iqr": {"x": PAIRS},
        "numpy:median": {"a": PAIRS},
    },
}


def forget(module, function):
    """Takes away the annotations that another test gave to a function of a library."""
    made = annotations.function_of(getattr(importlib.import_module(module), function))
    getattr(made, "__dict__", {}).pop(annotations.ATTRIBUTE, None)


@pytest.mark.parametrize("oracle", BY_ROWS)
def test_oracles_about_rows_are_quiet_on_clean_functions_of_real_packages(oracle, tmp_path):
    pytest.importorskip("sklearn")
    for name, arguments in BY_ROWS[oracle].items():
        module, _, function = name.partition(":")
        # What is compared with is no row of the batch.
        rows = [each for each in arguments if each != "Y"]
        fixed = {"v_values": "froms([[0.0, 1.0]])"} if function == "wasserstein_distance" else {}
        entry = {"module": module, "function": function, "args": arguments | fixed, "file": "side", "line": 1}
        entry[oracle] = rows
        options = {**OPTIONS, "draws": 25, "side": [entry], "is_side_only": True, "root": str(tmp_path)}
        forget(module, function)
        reply = checker.check(module, function, options)
        assert reply["valid"] >= 25 and reply["findings"] == [], (name, reply["findings"])


# Functions of real packages with the range of their results.
RANGES = {
    "scipy.special:expit": ({"x": ROWS}, (0, 1)),
    "scipy.special:softmax": ({"x": PAIRS}, (0, 1.0000001)),
    "scipy.special:erf": ({"x": ROWS}, (-1, 1)),
    "scipy.special:log_softmax": ({"x": PAIRS}, (None, 0)),
    "numpy:tanh": ({"x": ROWS}, (-1, 1)),
    "numpy:cos": ({"x": ROWS}, (-1, 1)),
    "numpy:abs": ({"x": ROWS}, (0, None)),
    "sklearn.preprocessing:minmax_scale": ({"X": ROWS}, (-1e-9, 1 + 1e-9)),
    "sklearn.preprocessing:binarize": ({"X": ROWS}, (0, 1)),
    "sklearn.preprocessing:maxabs_scale": ({"X": ROWS}, (-1, 1)),
}


def test_declared_ranges_are_quiet_on_clean_functions_of_real_packages(tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    lines = ["from typing import Annotated", "import importlib"]
    for at, (name, (arguments, (low, high))) in enumerate(RANGES.items()):
        (domain,) = arguments.values()
        ends = "".join(f", {end}={value}" for end, value in (("min", low), ("max", high)) if value is not None)
        module, _, function = name.partition(":")
        shape = "n" if domain == PAIRS else "n k"
        lines += [
            f"def f{at}(x: Annotated[np.ndarray, {domain}]) -> Annotated[np.ndarray, np_arrays('float64', '{shape}'{ends})]:",
            f"    return importlib.import_module('{module}').{function}(x)",
        ]
    (tmp_path / "ranged_library.py").write_text(NUMPY + "\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for at, name in enumerate(RANGES):
        reply = checker.check(
            "ranged_library", f"f{at}", {**OPTIONS, "draws": 25, "hints": True, "root": str(tmp_path)}
        )
        assert reply["valid"] >= 25 and reply["findings"] == [], (name, reply["findings"])


def test_an_oracle_about_rows_that_names_no_argument_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "held_nowhere.py").write_text(
        f"{NUMPY}@batchwise('y')\n@arg('x', ints(0, 3))\ndef f(x):\n    return x\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    (subject,) = checker.survey("held_nowhere", {**OPTIONS, "root": str(tmp_path), "lives": False})["subjects"]
    assert subject["problem"]["headline"] == "annotation `@batchwise(y)` names no argument of `f`"
