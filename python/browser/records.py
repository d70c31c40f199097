"""Records of runs that never were, for pages of any size."""

import json
import math
import random


def site_evidence(verdict, numbers, bound):
    """The evidence of one assertion, as `temper bounds` records it."""
    failures = sum(number >= bound for number in numbers)
    ordered = sorted(numbers)
    quantile = {f"p{p:g}": ordered[min(int(p / 100 * len(ordered)), len(ordered) - 1)] for p in (0.1, 1, 50, 99, 99.9)}
    return {
        "verdict": verdict,
        "form": "compare",
        "role": "value",
        "direction": "upper",
        "is_strict": True,
        "bound": bound,
        "is_margin": False,
        "judged_after": len(numbers),
        "judged_at": 0.999,
        "runs": len(numbers),
        "reached": len(numbers),
        "failures": failures,
        "failure_rate": {"share": failures / len(numbers), "low": failures / len(numbers) / 2, "high": 0.2},
        "nan": 0,
        "infinite": 0,
        "unreadable": 0,
        "errors": 0,
        "quantiles": quantile,
        "rests_on": None,
        "worst_seeds": [7],
        "seeds": [2**63 + run for run in range(len(numbers))],
        "numbers": numbers,
        "secs": 1.5,
    }


def bounds_record(sites, runs=300):
    """A record with this many assertions, of which every fifth is flaky and every seventh undecided."""
    rng = random.Random(0)
    subjects, findings, rows = [], [], []
    for number in range(sites):
        line = 3 + 9 * number
        verdict = "flaky" if number % 5 == 0 else "undecided" if number % 7 == 0 else "sound"
        bound = 0.5 if verdict == "flaky" else 3.0
        numbers = [abs(math.sin(rng.random() * 7)) * rng.random() for _ in range(runs)]
        evidence = site_evidence(verdict, numbers, bound)
        test = f"tests/test_net.py::test_loss_{number}"
        name, source = f"{test} {line}:5", f"assert loss(model, batch[{number}]) < {bound}"
        extra = {"reason": "too few runs"} if verdict == "undecided" else {}
        word = {"flaky": "found", "undecided": "undecided", "sound": "clean"}[verdict]
        place = {"path": "tests/test_net.py", "line": line}
        subjects.append({"name": name, **place, "verdict": word, "evidence": {**evidence, **extra}})
        said = ["proposal   < 0.99   at most 1 failure in 1,000 runs", "verified   500 runs with the patch, 0 failed"]
        rows.append(
            {"id": f"B{number:05}", "subject": name, **place, "column": 5, "source": source, "test": test, "tests": 1}
            | {"said": said if verdict == "flaky" else []}
        )
        if verdict == "flaky":
            support = {"kind": "extrapolated", "tail": "light", "shape": -0.2, "exceedances": 30, "estimate": 1.1}
            level = {"pass": 0.999, "bound": {"bound": 1.3, "text": "1.3", "fresh_failures": 0, "support": support}}
            proposal = {"remedy": {"kind": "bound", "bound": 0.99, "text": "0.99"}, "levels": [level]}
            findings.append(
                {"id": f"B{number:05}", "kind": "flaky", "subject": name, **place}
                | {"message": f"`{source}` is flaky", "evidence": {**evidence, "proposal": proposal}}
                | {"patch": f".temper/patches/B{number:05}.patch"}
            )
    details = {"pass": 0.999, "confidence": 0.95, "most_runs": runs, "seeds": "keep", "runs_taken": runs * sites}
    details |= {"runs_of_patches": 0, "runs_reused": 0, "stopped": None, "tests_judged": sites, "sites": rows}
    details |= {"not_judged": [], "left_out": {}, "mutants": bounds_mutants()}
    return {"schema_version": 1, "command": "bounds", "versions": {"temper": "x"}, "seed": 0} | {
        "subjects": subjects,
        "findings": findings,
        "bounds": details,
    }


def bounds_mutants():
    """Three mutants under the first test: one that the proposed bound loses, one that it keeps, one that survives."""
    mutants = []
    for line, column, replaced, replacement, before, after in (
        (3, 14, "layers", "layers - 1", 0.9, 0.2),
        (3, 14, "layers", "0", 1.0, 1.0),
        (4, 9, "pass", "return", 0.1, 0.1),
    ):
        trial = {"test": "tests/test_net.py::test_loss_0", "site": 1, "class": "change the value", "runs": 5}
        trial |= {"killed_before": before, "killed_after": after, "values": []}
        mutant = {"path": "nets.py", "line": line, "column": column, "replaced": replaced, "replacement": replacement}
        mutants.append(mutant | {"name": "a mutant", "operator": "constant", "function": "DenseNet", "trials": [trial]})
    found = {"mutants": mutants, "not_reached": [], "same_bytecode": 0, "refused": [], "unrepeatable": [], "sites": []}
    return found | {"runs_taken": 15, "runs_reused": 0, "cpu_secs": 1.0}


PROPERTIES = {
    "schema_version": 1,
    "command": "properties",
    "versions": {"python": "3.12.1", "temper": "x"},
    "seed": None,
    "subjects": [
        {"name": "tests/test_walk.py::test_no_way_out", "path": "tests/test_walk.py", "line": 4, "verdict": "found"}
        | {"evidence": {"tests": 125, "rejected": 2, "climb": [[1, 61.4], [40, 20.0], [125, 0.0]], "exhausted": False}},
        {"name": "tests/test_walk.py::test_even", "path": "tests/test_walk.py", "line": 9, "verdict": "clean"}
        | {"evidence": {"tests": 10, "rejected": 0, "exhausted": True}},
    ],
    "findings": [
        {"id": "P12345", "kind": "counterexample", "subject": "tests/test_walk.py::test_no_way_out"}
        | {"path": "tests/test_walk.py", "line": 4, "message": "`test_no_way_out`: a counterexample after 125 tests"}
        | {"call": "test_no_way_out(steps=[1, 2])", "exception": "AssertionError"}
        | {
            "evidence": {"tests": 125, "rejected": 2, "climb": [[1, 61.4], [40, 20.0], [125, 0.0]], "exhausted": False}
            | {"utility": 0.0, "said": ["found: a counterexample"], "reproduce": "pytest tests/test_walk.py"}
        }
    ],
}

CHECK = {
    "schema_version": 1,
    "command": "check",
    "versions": {"python": "3.12.1", "temper": "x"},
    "seed": 0,
    "subjects": [
        {"name": "DenseNet", "path": "nets.py", "line": 2, "verdict": "found"}
        | {
            "evidence": {"valid": 200, "rejected": 0, "documented": 0, "search_calls": 3000}
            | {"lines": {"reached": 21, "all": 24}, "branches": {"reached": 12, "all": 16}}
        },
        {"name": "pool", "path": "nets.py", "line": 9, "verdict": "clean"}
        | {"evidence": {"valid": 200, "rejected": 3, "documented": 0, "search_calls": 0}},
    ],
    "findings": [
        {"id": "df1428", "kind": "crash", "subject": "DenseNet", "path": "nets.py", "line": 3}
        | {
            "message": "`DenseNet`: TypeError: <b>no</b>",
            "exception": "TypeError: <b>no</b>",
            "call": "DenseNet(depth=-1)",
        }
        | {
            "evidence": {"count": 3, "drawn": 200, "rejected": 0, "recurs": True, "import": "from nets import DenseNet"}
            | {"source": "for _ in range(layers):"}
        }
    ],
}

EXAMPLE = {
    "input": {"petal width": 1.9, "sepal length": None},
    "expected": "virginica",
    "predicted": "versicolor",
    "nearest_row": 7,
    "nearest": {"petal width": 1.8, "sepal length": 5.1},
    "differs": ["petal width"],
}

MODEL = {
    "schema_version": 1,
    "command": "model",
    "versions": {"python": "3.12.1", "temper": "x"},
    "seed": 0,
    "subjects": [
        {"name": "knn", "path": "iris.csv", "line": 1, "verdict": "found"}
        | {"evidence": {"rows": 150, "errors": 51, "reference_errors": 6, "margin": 0.005}}
    ],
    "findings": [
        {
            "id": "Rd92f56",
            "kind": "region",
            "subject": "knn",
            "path": "iris.csv",
            "line": 1,
            "message": "worse on petals",
        }
        | {
            "evidence": {"condition": "petal width > 1.75", "affected": 0.3, "rows": 24, "errors": 24}
            | {"reference_errors": 0, "error": [0.86, 1.0, 1.0], "elsewhere": 0.06, "p_value": 1e-7, "example": EXAMPLE}
        }
    ],
    "model": {"data": "iris.csv", "target": "species", "rows": 150, "columns": ["petal width"], "classes": ["a", "b"]}
    | {"judged_on": {"origin": "cross-validation", "errors": 51, "rows": 150}}
    | {"reference": {"kind": "challenger", "name": "a logistic regression"}, "difference": [0.2, 0.3, 0.4], "tests": 3}
    | {"weak_spots": [], "kept": {"digest": "", "wrong": "", "cells": []}, "replayable": True},
}


def leaf(number, conditions, failures):
    """A leaf with its conditions as `(column, above, up to)`."""
    return {
        "id": f"L{number}",
        "property": " and ".join(f"{column} in ({above}, {up_to}]" for column, above, up_to in conditions),
        "conditions": [{"column": column, "above": above, "up_to": up_to} for column, above, up_to in conditions],
        "class": "ab"[number % 2],
        "rows": 10,
        "rows_of_class": 9,
        "inputs": 50,
        "failures": failures,
        "pass_rate": 1 - failures / 50,
        "pass_rate_low": 0.0,
        "pass_rate_high": 1.0,
        "p_value": 0.001,
        "is_finding": failures > 20,
    }


def leaves_record():
    """A model that was judged leaf by leaf: three leaves, one of them a finding."""
    leaves = [
        leaf(1, [("width", None, 1.5)], 0),
        leaf(2, [("width", 1.5, None), ("length", None, 4.0)], 40),
        leaf(3, [("width", 1.5, None), ("length", 4.0, None)], 2),
    ]
    averages = {"precision": 0.9, "recall": 0.9, "f1": 0.9}
    agreement = {"accuracy": 0.9, "weighted": averages, "macro": averages}
    suite = {"inputs": 150, "different": 150, "drawn": 200}
    model = {"data": "iris.csv", "target": "species", "rows": 30, "columns": ["width", "length"], "classes": ["a", "b"]}
    model |= {"surrogate": {"leaves": 3, "tied_leaves": 0, "depth": 2, "training_accuracy": 0.9, "fidelity": 0.9}}
    model |= {"baseline": {"origin": "holdout", "errors": 1, "rows": 30}, "coverage": suite, "boundary": suite}
    model |= {"totals": {"of": "model", "coverage": agreement, "boundary": agreement}, "cross_validation": None}
    model |= {"leaves": leaves, "interrupted": False, "mutants": None}
    place = {"path": "iris.csv", "line": 1}
    found = {"property": leaves[1]["property"], "inputs": 50, "failures": 40, "pass_rate": [0.1, 0.2, 0.3]}
    found |= {"p_value": 0.001, "known": False, "closest": EXAMPLE}
    finding = {"id": "L2", "kind": "leaf", "subject": "knn", **place, "message": "contradicts", "evidence": found}
    subject = {"name": "knn", **place, "verdict": "found", "evidence": {"leaves_tested": 3, "inputs": 150}}
    record = {"schema_version": 1, "command": "model", "versions": {"temper": "x"}, "seed": 0, "model": model}
    return record | {"subjects": [subject], "findings": [finding]}


def write_leaves(folder):
    """A project in which a model was judged leaf by leaf, and nothing else was done."""
    (folder / ".temper" / "records").mkdir(parents=True)
    (folder / ".temper" / "records" / "model.json").write_text(json.dumps(leaves_record()))


def write_project(folder, sites):
    """A project whose four jobs have run, as far as `temper report` can tell."""
    records, patches, tests = folder / ".temper" / "records", folder / ".temper" / "patches", folder / "tests"
    for each in (records, patches, tests):
        each.mkdir(parents=True)
    bounds = bounds_record(sites)
    for command, record in (("bounds", bounds), ("check", CHECK), ("model", MODEL), ("properties", PROPERTIES)):
        (records / f"{command}.json").write_text(json.dumps(record))
    for finding in bounds["findings"]:
        (folder / finding["patch"]).write_text(
            "--- a/tests/test_net.py\n+++ b/tests/test_net.py\n@@ -3 +3 @@\n-0.5\n+0.99\n"
        )
    (tests / "test_net.py").write_text(
        "".join(f"    assert line_{line} < 1  # {'long ' * 20}\n" for line in range(9 * sites + 9))
    )
    (folder / "nets.py").write_text("\ndef DenseNet(depth):\n    for _ in range(layers):\n        pass\n")
    (folder / ".temper" / "history.json").write_text(
        json.dumps(
            [{"day": f"2026-11-0{day}", "command": "bounds", "subjects": 9, "findings": day} for day in range(1, 6)]
        )
    )
    (folder / "pyproject.toml").write_text('[project]\nname = "netkit"\n')


LENDER = """
def new(rows):
    return [int(income > 3) ^ int(income > 6 and age < 30) for income, age in rows]


def old(rows):
    return [int(income > 3) for income, age in rows]
"""


def write_lender(folder):
    """Two models and a table: the new one is wrong for young people with a high income."""
    (folder / "lender.py").write_text(LENDER)
    random_rows = random.Random(7)
    rows = [(round(random_rows.uniform(0, 9), 2), random_rows.randint(18, 80)) for _ in range(1500)]
    lines = [f"{income},{age},{int(income > 3)}" for income, age in rows]
    (folder / "loans.csv").write_text("\n".join(["income,age,paid", *lines, ""]))
