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
            proposal = {"remedy": {"kind": "bound", "bound": 0.99, "text": "0.99"}, "levels": []}
            findings.append(
                {"id": f"B{number:05}", "kind": "flaky", "subject": name, **place}
                | {"message": f"`{source}` is flaky", "evidence": {**evidence, "proposal": proposal}}
                | {"patch": f".temper/patches/B{number:05}.patch"}
            )
    details = {"pass": 0.999, "confidence": 0.95, "most_runs": runs, "seeds": "keep", "runs_taken": runs * sites}
    details |= {"runs_of_patches": 0, "runs_reused": 0, "stopped": None, "tests_judged": sites, "sites": rows}
    details |= {"not_judged": [], "left_out": {}}
    return {"schema_version": 1, "command": "bounds", "versions": {"temper": "x"}, "seed": 0} | {
        "subjects": subjects,
        "findings": findings,
        "bounds": details,
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


def write_project(folder, sites):
    """A project whose three jobs have run, as far as `temper report` can tell."""
    records, patches, tests = folder / ".temper" / "records", folder / ".temper" / "patches", folder / "tests"
    for each in (records, patches, tests):
        each.mkdir(parents=True)
    bounds = bounds_record(sites)
    for command, record in (("bounds", bounds), ("check", CHECK), ("model", MODEL)):
        (records / f"{command}.json").write_text(json.dumps(record))
    for finding in bounds["findings"]:
        (folder / finding["patch"]).write_text(
            "--- a/tests/test_net.py\n+++ b/tests/test_net.py\n@@ -3 +3 @@\n-0.5\n+0.99\n"
        )
    (tests / "test_net.py").write_text("".join(f"    assert line_{line} < 1\n" for line in range(9 * sites + 9)))
    (folder / "nets.py").write_text("\ndef DenseNet(depth):\n    for _ in range(layers):\n        pass\n")
    (folder / ".temper" / "history.json").write_text(
        json.dumps(
            [{"day": f"2026-11-0{day}", "command": "bounds", "subjects": 9, "findings": day} for day in range(1, 6)]
        )
    )
    (folder / "pyproject.toml").write_text('[project]\nname = "netkit"\n')
