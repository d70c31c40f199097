"""Other ways to look for regions in which a model errs. They know no reference: an alarm says "worse here than elsewhere"."""

import time

import numpy as np
from scipy.stats import binomtest, fisher_exact
from sklearn.tree import DecisionTreeClassifier

try:
    from sliceline.slicefinder import Slicefinder
except ImportError:
    Slicefinder = None


def error_tree(X, wrong):
    """A tree of depth 3 on the errors of one half; leaves that the other half confirms, Bonferroni."""
    half = len(wrong) // 2
    if wrong[:half].sum() == 0:
        return []
    tree = DecisionTreeClassifier(max_depth=3, min_samples_leaf=20, random_state=0).fit(X[:half], wrong[:half])
    leaves = tree.apply(X)
    rate = max(wrong.mean(), 1e-3)
    found = []
    for leaf in np.unique(leaves):
        inside = leaves[half:] == leaf
        if (
            inside.sum()
            and binomtest(int(wrong[half:][inside].sum()), int(inside.sum()), rate, "greater").pvalue < 0.05 / 8
        ):
            found.append(lambda rows, leaf=leaf: tree.apply(rows) == leaf)
    return found


def quartile_slices(X, wrong):
    """Quarters of each column, and pairs of them, by Fisher's test with Bonferroni's correction."""
    edges = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
    codes = np.stack([np.digitize(X[:, at], edges[:, at]) for at in range(X.shape[1])], axis=1)
    keys = [((a, i),) for a in range(X.shape[1]) for i in range(4)]
    keys += [((a, i), (b, j)) for a in range(X.shape[1]) for b in range(a) for i in range(4) for j in range(4)]
    tested = []
    for key in keys:
        inside = np.all([codes[:, a] == i for a, i in key], axis=0)
        if inside.sum() < 15:
            continue
        bad, all_bad = int(wrong[inside].sum()), int(wrong.sum())
        if bad <= wrong.mean() * inside.sum():
            continue
        table = [[bad, int(inside.sum()) - bad], [all_bad - bad, len(wrong) - int(inside.sum()) - all_bad + bad]]
        tested.append((fisher_exact(table, "greater")[1], key))
    tested = sorted(test for test in tested if test[0] < 0.05 / len(keys))

    def region(key):
        return lambda rows: np.all([np.digitize(rows[:, a], edges[:, a]) == i for a, i in key], axis=0)

    return [region(key) for _, key in tested]


def sliceline(X, wrong):
    """sliceline's worst slice, confirmed on the other half."""
    half = len(wrong) // 2
    edges = np.quantile(X, np.linspace(0, 1, 11)[1:-1], axis=0)

    def coded(rows):
        return np.stack([np.digitize(rows[:, at], edges[:, at]) for at in range(rows.shape[1])], axis=1)

    if wrong[:half].sum() == 0:
        return []
    finder = Slicefinder(alpha=0.95, k=3, max_l=2, min_sup=15, verbose=False).fit(
        coded(X[:half]), wrong[:half].astype(float)
    )
    found = []
    for top in finder.top_slices_:
        test = [(at, value) for at, value in enumerate(top) if value is not None]
        inside = lambda rows, test=test: np.all([coded(rows)[:, a] == v for a, v in test], axis=0)  # noqa: E731
        there = inside(X[half:])
        bad = int(wrong[half:][there].sum())
        if there.sum() and binomtest(bad, int(there.sum()), max(wrong.mean(), 1e-3), "greater").pvalue < 0.05 / 3:
            found.append(inside)
    return found


def print_table(cases, large, middle):
    """Alarms of each peer on the same rows, without a reference."""
    ways = {"error tree": error_tree, "quartile slices": quartile_slices}
    if Slicefinder is not None:
        ways["sliceline"] = sliceline
    print(
        "peers, which know no reference: alarms on defects of more than 4 points, of 2 to 4, on healthy models; localised"
    )
    for name, way in ways.items():
        start = time.process_time()
        planted, clean, hits, of = [], [], 0, 0
        for case in cases:
            X = case["unseen"][0]
            found = way(X, case["wrong"]["broken"])
            planted.append(bool(found))
            clean.append(bool(way(X, case["wrong"]["healthy"])))
            if case["inside"] is not None and case["raise"]["broken"] > 0.02:
                of += 1
                rows = found[0](case["further"][0]) if found else np.zeros(1, bool)
                hits += bool(rows.any()) and case["inside"][rows].mean() > 0.5
        chosen = [[alarm for alarm, case in zip(planted, cases, strict=True) if test(case)] for test in (large, middle)]
        rates = " · ".join(f"{sum(each)} of {len(each)}" for each in [*chosen, clean])
        print(f"  {name:16} {rates} · {hits} of {of} · {time.process_time() - start:.1f} CPU s")
