"""The first command on ordinary tables: dates, ids, categories, empty cells, separators, and pipelines of several libraries.

    python tables.py PATH/TO/temper

After them the same table and kind of model in other files: Parquet and Feather, skops, ONNX, and what the boosting libraries
write. Each line says how the command ended, and what a user would complain about: an exit code other than 0 and 1, a line wider
than the terminal, a finding about a column that the model does not read.
"""

import gzip
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

warnings.filterwarnings("ignore")


def loans(seed):
    """A made table with everything that ordinary ones have."""
    rng = np.random.default_rng(seed)
    count = 1600
    frame = pd.DataFrame({
        "loan_id": [f"L{seed}{at:05d}" for at in range(count)],
        "signup": (pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 900, count), "D")).strftime("%Y-%m-%d"),
        "region": rng.choice(["north", "south", "east", "west"], count),
        "branch": rng.choice([f"branch {at}" for at in range(40)], count),
        "income": rng.lognormal(8, 0.5, count).round(2),
        "age": rng.integers(18, 80, count).astype(float),
        "member": rng.random(count) < 0.3,
    })  # fmt: skip
    score = (frame["income"] > 2800).astype(int) + (frame["region"] == "north") - (frame["age"] > 60)
    frame["paid"] = np.where((score > 0) ^ (rng.random(count) < 0.05), "yes", "no")
    frame.loc[rng.random(count) < 0.1, "income"] = np.nan
    return frame


def made(frame, target, fit, columns):
    """Unseen rows and a model trained on the others."""
    train, test = frame.iloc[::2], frame.iloc[1::2]
    return fit(train[columns], train[target]), test


def lightgbm():
    from lightgbm import LGBMClassifier

    columns = ["region", "branch", "income", "age"]
    frame = loans(1)
    as_categories = frame.astype({"region": "category", "branch": "category"})
    model = LGBMClassifier(n_estimators=40, verbose=-1).fit(as_categories[columns].iloc[::2], frame["paid"].iloc[::2])
    return model, frame.iloc[1::2], "paid", {"drop": ["loan_id", "signup", "member"]}


def catboost():
    from catboost import CatBoostClassifier

    columns = ["region", "branch", "age"]

    def fit(X, y):
        model = CatBoostClassifier(60, verbose=0, cat_features=["region", "branch"], allow_writing_files=False)
        return model.fit(X, y)

    model, test = made(loans(2), "paid", fit, columns)
    return model, test, "paid", {"drop": ["loan_id", "signup", "member", "income"]}


def xgboost():
    from xgboost import XGBClassifier

    frame = loans(3)
    frame["late"] = (frame.pop("paid") == "no").astype(int)
    model, test = made(frame, "late", lambda X, y: XGBClassifier(n_estimators=40).fit(X, y), ["income", "age"])
    return model, test, "late", {"drop": ["loan_id", "signup", "member", "region", "branch"], "separator": ";"}


def pipeline():
    columns = ["loan_id", "signup", "region", "branch", "income", "age", "member"]
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["region", "branch"]), (SimpleImputer(), ["income", "age"])
    )
    fit = lambda X, y: make_pipeline(encode, HistGradientBoostingClassifier(max_iter=50)).fit(X, y)  # noqa: E731
    encode.sparse_threshold = 0
    model, test = made(loans(4), "paid", fit, columns)
    return model, test, "paid", {"unread": ["loan_id", "signup", "member"]}


def shipped(load, estimator, **more):
    def table():
        data = load(as_frame=True)
        frame = data.frame.sample(frac=1, random_state=0)
        frame["target"] = [f"class {label}" for label in frame["target"]]
        model, test = made(frame, "target", lambda X, y: estimator().fit(X, y), data.feature_names)
        return model, test, "target", more

    return table


def statsmodels():
    import statsmodels.api as sm

    frame = sm.datasets.fair.load_pandas().data.sample(3000, random_state=0)
    frame["affair"] = (frame.pop("affairs") > 0).astype(int)
    columns = [name for name in frame if name != "affair"]
    fit = lambda X, y: make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)  # noqa: E731
    model, test = made(frame, "affair", fit, columns)
    return model, test, "affair", {}


TABLES = {
    "loans, LightGBM with categories": lightgbm,
    "loans, CatBoost with categories": catboost,
    "loans, XGBoost, `;` and decimal commas": xgboost,
    "loans, scikit-learn pipeline, unread columns": pipeline,
    "wine, neighbours, gzip": shipped(datasets.load_wine, lambda: KNeighborsClassifier(5), is_packed=True),
    "breast cancer, SVC, tabs": shipped(datasets.load_breast_cancer, SVC, separator="\t"),
    "iris, logistic regression": shipped(datasets.load_iris, LogisticRegression),
    "fair (statsmodels), logistic regression": statsmodels,
}


def cancer(save, name="model.joblib", fit=None, end="csv"):
    """One table with two classes, and how its model is kept."""

    def table():
        frame = datasets.load_breast_cancer(as_frame=True).frame.sample(frac=1, random_state=0)
        columns = [column for column in frame if column != "target"]
        model, test = made(frame, "target", fit or plain, columns)
        return lambda path: save(model, path, test[columns]), test, "target", {"model": name, "end": end}

    return table


def plain(X, y):
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(X.to_numpy(), y)


def dumped(model, path, rows):
    joblib.dump(model, path)


def as_skops(model, path, rows):
    import skops.io

    skops.io.dump(model, path)


def as_onnx(model, path, rows):
    from skl2onnx import to_onnx

    path.write_bytes(to_onnx(model, rows.to_numpy(dtype="float32")[:1]).SerializeToString())


def boosted(library):
    def fit(X, y):
        if library == "xgboost":
            from xgboost import XGBClassifier

            return XGBClassifier(n_estimators=40).fit(X, y).get_booster()
        if library == "lightgbm":
            from lightgbm import LGBMClassifier

            return LGBMClassifier(n_estimators=40, verbose=-1).fit(X, y).booster_
        from catboost import CatBoostClassifier

        return CatBoostClassifier(60, verbose=0, allow_writing_files=False).fit(X, y)

    return fit


def saved(model, path, rows):
    model.save_model(str(path))


FILES = {
    "Parquet": cancer(dumped, end="parquet"),
    "Feather": cancer(dumped, end="feather"),
    "skops": cancer(as_skops, "model.skops"),
    "ONNX": cancer(as_onnx, "model.onnx"),
    "XGBoost booster": cancer(saved, "model.ubj", boosted("xgboost")),
    "LightGBM booster": cancer(saved, "model.lgb", boosted("lightgbm")),
    "CatBoost": cancer(saved, "model.cbm", boosted("catboost")),
}


def write(folder, test, more):
    end = more.get("end", "csv")
    if end != "csv":
        test = test.reset_index(drop=True)
        getattr(test, f"to_{end}")(folder / f"table.{end}")
        return f"table.{end}"
    separator = more.get("separator", ",")
    text = test.to_csv(index=False, sep=separator, decimal="," if separator == ";" else ".")
    if more.get("is_packed"):
        (folder / "table.csv.gz").write_bytes(gzip.compress(text.encode()))
        return "table.csv.gz"
    (folder / "table.csv").write_text(text)
    return "table.csv"


def complaints(done, more):
    found = [] if done.returncode in (0, 1) else [f"exit {done.returncode}: {done.stderr.strip().splitlines()[0]}"]
    found += [f"line of {len(line)} characters" for line in done.stdout.splitlines() if len(line) > 80]
    worse = [line for line in done.stdout.splitlines() if line.startswith("worse: ")]
    return found + [f"finding about {name}" for name in more.get("unread", []) for line in worse if name in line]


def main():
    program = os.path.abspath(sys.argv[1])
    for name, table in {**TABLES, **FILES}.items():
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            try:
                model, test, target, more = table()
            except ImportError as error:
                print(f"{name:46} not run: {error}")
                continue
            file = more.get("model", "model.joblib")
            try:
                model(folder / file) if name in FILES else joblib.dump(model, folder / file)
            except ImportError as error:
                print(f"{name:46} not run: {error}")
                continue
            command = [program, "model", write(folder, test, more), "--target", target, "--model", file]
            command += [
                "--unseen",
                "--python",
                sys.executable,
                *[f"--drop={column}" for column in more.get("drop", [])],
            ]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            print(
                f"{name:46} exit {done.returncode}   {'; '.join(complaints(done, more)) or 'nothing to complain about'}",
                flush=True,
            )
            if "-v" in sys.argv:
                print(done.stdout, done.stderr)


if __name__ == "__main__":
    main()
