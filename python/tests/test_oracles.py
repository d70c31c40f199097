"""Oracles of ``temper check`` beyond crashing: each finds its bug, and is quiet on functions that have none."""

import textwrap

import pytest
import temper
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
    reply = checker.check(module, function, {**options, "oracles": list(BUGS)})
    assert reply["valid"] >= 25 and reply["findings"] == []
