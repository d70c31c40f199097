"""Planted defects and healthy twins: how often each way of judging a model raises an alarm, and whether it is right.

Makes pairs of models with scikit-learn (seeds fixed), writes what they answer on rows that neither has seen, asks the program
`bench-model pairs` for Temper's verdicts, and prints the rates beside those of peers:

    python pairs.py target/release/bench-model [pairs for each data set and defect [number of the first]] [--keep FOLDER] [-v]

Other numbers are other seeds: what was designed on some is measured on others. Making the pairs takes most of the time; with
`--keep` they stay in a folder, and the next run judges those that are there. `-v` prints the verdict on each pair.
"""

import argparse
import os
import pickle
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

# Threads that wait for each other cost more than they save on tables of this size.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import peers
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

TRAIN, UNSEEN, FURTHER = 2000, 1000, 4000
warnings.filterwarnings("ignore")


# ---- worlds: columns that decide, columns that do not, and noise in the labels ----


def world(number, count, rng):
    """Rows and labels of one of eight worlds. The last column of some is a category (small whole numbers)."""
    width = [6, 8, 10, 12, 8, 20, 6, 10][number]
    X = rng.normal(size=(count, width))
    a, b, c, d, e = X[:, 0], X[:, 1], X[:, 2], X[:, 3], X[:, 4]
    if number == 0:
        score = a + 0.7 * b * c + 0.5 * (d > 0)
    elif number == 1:
        score = np.hypot(a, b) - 1.2 + 0.3 * c
    elif number == 2:
        score = a - b + 0.5 * c - 0.4 * d + 0.2 * e
    elif number == 3:
        score = np.sin(2 * a) + b * (c > 0) - 0.3
    elif number == 4:
        X[:, -1] = rng.integers(0, 5, count)
        score = a + np.array([0.8, -0.8, 0, 0.4, -0.4])[X[:, -1].astype(int)] + 0.4 * b * c
    elif number == 5:
        score = X[:, :8] @ np.array([1, -0.8, 0.6, 0.5, -0.5, 0.4, 0.3, -0.3])
    elif number == 6:
        X[:, -1] = rng.integers(0, 8, count)
        score = np.maximum(a, b) - 0.5 + 0.2 * (X[:, -1] % 2)
    else:
        score = a * b + 0.5 * c
    if number in (1, 5):
        y = np.digitize(score, np.quantile(score, [0.33, 0.67]) if number == 5 else [-0.3, 0.4])
    else:
        y = (score > 0).astype(int)
    noise = [0.0, 0.05, 0.02, 0.05, 0.03, 0.02, 0.05, 0.0][number]
    flip = rng.random(count) < noise
    y = np.where(flip, (y + 1) % (y.max() + 1), y)
    return X, y


def categories(number):
    return {4: [7], 6: [5]}.get(number, [])


def estimator(kind, seed):
    return {
        "forest": lambda: RandomForestClassifier(100, random_state=seed),
        "boosting": lambda: HistGradientBoostingClassifier(max_iter=80, random_state=seed),
        "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        "svc": lambda: make_pipeline(StandardScaler(), SVC()),
        "neighbours": lambda: make_pipeline(StandardScaler(), KNeighborsClassifier(9)),
    }[kind]()


KINDS = ["forest", "boosting", "logistic", "svc", "neighbours"]
DEFECTS = [
    "mistrained region",
    "noisy region",
    "swapped columns",
    "wrong unit",
    "leaked column",
    "drift in a region",
    "one answer in a region",
]


def box(X, rng):
    """A region of a tenth to a quarter of the rows: two of the first columns, each cut at one end."""
    first, second = rng.choice(3, 2, replace=False)
    low, high = np.quantile(X[:, first], rng.uniform(0.5, 0.7)), np.quantile(X[:, second], rng.uniform(0.3, 0.5))
    return lambda rows: (rows[:, first] > low) & (rows[:, second] > high)


def planted(defect, kind, number, X, y, seed):
    """A model with the defect: a function from rows to classes, and the region if there is one."""
    rng = np.random.default_rng([seed, 7])
    region, classes = box(X, rng), y.max() + 1
    labels, rows, change, inside = y.copy(), X.copy(), (lambda rows: rows), None
    if defect in ("mistrained region", "drift in a region"):
        share = 0.9 if defect == "mistrained region" else 0.6
        inside = region
        wrong = region(X) & (rng.random(len(y)) < share)
        labels[wrong] = (labels[wrong] + 1) % classes
    elif defect == "noisy region":
        inside = region
        wrong = region(X) & (rng.random(len(y)) < 0.5)
        labels[wrong] = rng.integers(0, classes, wrong.sum())
    elif defect == "swapped columns":
        change = lambda rows: rows[:, [1, 0, *range(2, rows.shape[1])]]  # noqa: E731
    elif defect == "wrong unit":
        inside = region

        def change(rows):
            rows = rows.copy()
            rows[region(rows), 0] *= -1.5
            return rows
    elif defect == "leaked column":
        last = 3
        known = rng.random(len(y)) < 0.8
        rows[:, last] = np.where(known, labels + rng.normal(size=len(y)) * 0.1, rows[:, last])
    model = estimator(kind, seed).fit(rows, labels)
    if defect == "one answer in a region":
        return (lambda asked: np.where(region(asked), 0, model.predict(asked))), region
    return (lambda asked: model.predict(change(asked))), inside


def healthy(kind, X, y, seed, is_resampled=False):
    if is_resampled:
        drawn = np.random.default_rng([seed, 11]).integers(0, len(y), len(y))
        X, y = X[drawn], y[drawn]
    return estimator(kind, seed).fit(X, y).predict


# ---- cases ----


def write(folder, name, number, tables, new, reference):
    text = categories(number)
    for end, (X, y) in zip([".csv", ".further.csv"], tables, strict=True):
        header = ",".join([f"x{at}" for at in range(X.shape[1])] + ["label"])
        lines = (
            ",".join([f"k{int(v)}" if at in text else f"{v:.9g}" for at, v in enumerate(row)] + [str(label)])
            for row, label in zip(X.tolist(), y.tolist(), strict=True)
        )
        (folder / (name + end)).write_text(header + "\n" + "\n".join(lines) + "\n")
    second = ["-"] * len(new) if reference is None else reference
    (folder / (name + ".answers")).write_text("".join(f"{a} {b}\n" for a, b in zip(new, second, strict=True)))


def one_case(folder, number, at, repeat):
    defect, seed = DEFECTS[at], 1000 * number + 10 * at + repeat
    kind = KINDS[(number + at + 2 * repeat) % len(KINDS)]
    rng = np.random.default_rng([seed, 3])
    X, y = world(number, TRAIN, rng)
    tables = unseen, further = world(number, UNSEEN, rng), world(number, FURTHER, rng)
    rows, labels = np.vstack([unseen[0], further[0]]), further[1]
    model, inside = planted(defect, kind, number, X, y, seed)
    answers = {
        "broken": model(rows),
        "healthy": healthy(kind, X, y, seed)(rows),
        "twin": healthy(kind, X, y, seed + 500000)(rows),
        "resampled": healthy(kind, X, y, seed + 700000, is_resampled=True)(rows),
        "fresh": healthy(kind, *world(number, TRAIN, rng), seed + 800000)(rows),
    }
    wrong = {word: (found[UNSEEN:] != labels).astype(int) for word, found in answers.items()}
    added = wrong["broken"] - wrong["healthy"]
    # What was planted in a region may spoil a stiff model everywhere; then there is no region to be named.
    stays = inside is not None and added[inside(further[0])].sum() > 2 / 3 * added.sum()
    name = f"{number}-{at}-{repeat}"
    for word in ("broken", "twin", "resampled", "fresh"):
        write(folder, f"{name}.{word}-against", number, tables, answers[word], answers["healthy"])
    for word in ("broken", "healthy"):
        write(folder, f"{name}.{word}-alone", number, tables, answers[word], None)
    return {
        "name": name, "defect": defect, "kind": kind, "unseen": unseen, "further": further,
        "inside": inside(further[0]) if stays else None,
        "wrong": {word: answers[word][:UNSEEN] != unseen[1] for word in ("broken", "healthy")},
        "raise": {word: float(wrong[word].mean() - wrong["healthy"].mean()) for word in wrong},
    }  # fmt: skip


def make(folder, repeats, first):
    """All cases, each repeat after the other; Ctrl-C goes on with those that there are."""
    repeated = range(first, first + repeats)
    wanted = [(number, at, repeat) for repeat in repeated for number in range(8) for at in range(len(DEFECTS))]
    cases = []
    try:
        for case in wanted:
            kept = folder / "{}-{}-{}.case".format(*case)
            if not kept.exists():
                kept.write_bytes(pickle.dumps(one_case(folder, *case)))
            cases.append(pickle.loads(kept.read_bytes()))
    except KeyboardInterrupt:
        print(f"stopped after {len(cases)} of {len(wanted)} pairs")
    return cases


def verdicts(program, folder):
    found = {}
    for line in subprocess.run(
        [program, "pairs", folder], capture_output=True, text=True, check=True
    ).stdout.splitlines():
        name, alarm, overall, truths, seconds, errors, rows, words = line.split("\t")
        right, of = truths.split("/")
        found[name] = {
            "alarm": alarm == "1", "overall": overall == "1", "right": int(right), "of": int(of), "seconds": float(seconds),
            "errors": errors, "rows": np.array([int(row) for row in rows.split()], dtype=int), "words": words,
        }  # fmt: skip
    return found


# ---- tables ----


def share(hits, of):
    return f"{hits} of {of}" + (f" ({100 * hits / of:.1f} %)" if of else "")


def count(cases, found, word, test):
    chosen = [found[f"{case['name']}.{word}"]["alarm"] for case in cases if test(case)]
    return share(sum(chosen), len(chosen))


def localised(cases, found, word, least=0.02):
    hits = of = 0
    for case in cases:
        if case["inside"] is None or case["raise"]["broken"] <= least:
            continue
        of += 1
        rows = found[f"{case['name']}.{word}"]["rows"]
        hits += len(rows) > 0 and case["inside"][rows].mean() > 0.5
    return share(hits, of)


def true_alarms(cases, found, *words):
    """Alarms of which at least one finding is true on further rows, those of which none is, and single findings that are."""
    alarms = [found[f"{case['name']}.{word}"] for case in cases for word in words]
    alarms = [each for each in alarms if each["alarm"]]
    right = sum(each["right"] > 0 for each in alarms)
    findings = share(sum(each["right"] for each in alarms), sum(each["of"] for each in alarms))
    return f"{share(right, len(alarms))}, false: {len(alarms) - right}; single findings {findings}"


def print_rates(cases, found, large, middle):
    def line(words, rate):
        print(f"  {words:41}{rate}")

    def every(case):
        return True

    print("with a reference (--against)")
    line("defects of more than 4 points found", count(cases, found, "broken-against", large))
    line("defects of 2 to 4 points found", count(cases, found, "broken-against", middle))
    line("alarms on twins of another seed", count(cases, found, "twin-against", every))
    for words, end in [("other rows", "fresh"), ("a bootstrap", "resampled")]:
        line(f"alarms on twins trained on {words}", count(cases, found, f"{end}-against", every))
        line("  of these true on further rows", true_alarms(cases, found, f"{end}-against"))
        good = count(cases, found, f"{end}-against", lambda case, end=end: case["raise"][end] <= 0.01)
        line("  on those at most 1 point worse", good)
    line("alarms on defects true on further rows", true_alarms(cases, found, "broken-against"))
    line("regional defects localised", localised(cases, found, "broken-against"))
    print("without a reference (challenger)")
    over_two = count(cases, found, "broken-alone", lambda case: case["raise"]["broken"] > 0.02)
    line("defects of more than 2 points found", over_two)
    line("alarms on healthy models", count(cases, found, "healthy-alone", every))
    line("  of these true on further rows", true_alarms(cases, found, "healthy-alone"))
    line("all alarms true on further rows", true_alarms(cases, found, "healthy-alone", "broken-alone"))
    line("regional defects localised", localised(cases, found, "broken-alone"))
    for words, end in [("--against", "broken-against"), ("challenger", "broken-alone")]:
        seconds = sorted(found[f"{case['name']}.{end}"]["seconds"] for case in cases)
        print(f"CPU seconds, {words}: median {seconds[len(seconds) // 2]:.3f}, most {seconds[-1]:.3f}")


def print_each(cases, found):
    for case in cases:
        print(case["name"], case["defect"], case["kind"], "regional" if case["inside"] is not None else "")
        for word in (
            "broken-against",
            "twin-against",
            "resampled-against",
            "fresh-against",
            "broken-alone",
            "healthy-alone",
        ):
            each, model = found[f"{case['name']}.{word}"], word.split("-")[0]
            inside = case["inside"][each["rows"]].mean() if case["inside"] is not None and len(each["rows"]) else None
            print(
                f"    {word:18} {'alarm' if each['alarm'] else '-':6} raise {case['raise'][model]:+.3f}  "
                f"true {each['right']}/{each['of']}  errors {each['errors']}  inside {inside}  {each['words']}"
            )


def main():
    parser = argparse.ArgumentParser(description="rates of alarms on planted defects and healthy twins")
    parser.add_argument("program")
    parser.add_argument("repeats", nargs="?", type=int, default=2)
    parser.add_argument("first", nargs="?", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="folder in which the pairs stay")
    parser.add_argument("-v", action="store_true", help="print the verdict on each pair")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        start = time.time()
        cases = make(folder, arguments.repeats, arguments.first)
        found = verdicts(arguments.program, folder)
        large, middle = (
            (lambda case: case["raise"]["broken"] > 0.04),
            (lambda case: 0.02 < case["raise"]["broken"] <= 0.04),
        )
        print(f"{len(cases)} pairs of a planted defect and a healthy twin, {UNSEEN} unseen rows")
        print_rates(cases, found, large, middle)
        if arguments.v:
            print_each(cases, found)
        peers.print_table(cases, large, middle)
        print(f"({time.time() - start:.0f} s)")


if __name__ == "__main__":
    main()
