"""Properties without labels: models that break one, found with the closest pair, and models that have it, quiet.

    python properties.py PATH/TO/temper [-v]

Every planted model is one that people make: an id that was trained on, a forest where more income should never hurt, a
batch that is scaled by its own mean, probabilities of an SVC that disagree with its answers. The clean one next to it does the
same work without the mistake. `-v` prints the command's whole text.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

# Loaded by the command in its worker. A model is made when it is asked for by its name.
MODELS = '''
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

TRAIN = pd.read_csv("train.csv")
NUMBERS = ["income", "age", "left", "right"]


class On:
    """An estimator on some columns, by name; `prepare` changes them first."""

    def __init__(self, estimator, columns, prepare=lambda frame: frame):
        self.columns, self.prepare = columns, prepare
        self.estimator = estimator.fit(self.rows(TRAIN), TRAIN["paid"])
        self.classes_ = self.estimator.classes_

    def rows(self, frame):
        return self.prepare(frame)[self.columns].to_numpy(dtype=float)

    def predict(self, frame):
        return self.estimator.predict(self.rows(frame))

    def predict_proba(self, frame):
        return self.estimator.predict_proba(self.rows(frame))


def coded(frame):
    return frame.assign(sex=(frame["sex"] == "f").astype(float))


def in_order(frame):
    both = np.sort(frame[["left", "right"]].to_numpy(dtype=float), axis=1)
    return frame.assign(left=both[:, 0], right=both[:, 1])


def in_grams(frame):
    return frame.assign(weight=frame["weight"] * np.where(frame["unit"] == "kg", 1000.0, 1.0))


def of_batch(frame):
    return frame.assign(income=frame["income"] - frame["income"].mean())


def after_the_one_before(frame):
    return frame.assign(income=frame["income"] - frame["income"].shift(fill_value=frame["income"].mean()))


class ByPosition:
    """Reads the columns where they stood in training."""

    def __init__(self):
        self.at = [list(TRAIN.columns).index(name) for name in NUMBERS]
        self.estimator = LogisticRegression(max_iter=500).fit(TRAIN[NUMBERS].to_numpy(), TRAIN["paid"])

    def predict(self, frame):
        number = pd.to_numeric
        return self.estimator.predict(np.stack([number(frame.iloc[:, at], "coerce").fillna(0) for at in self.at], axis=1))


class LastDigits(On):
    """Answers by digits of the income that no one measured."""

    def predict(self, frame):
        return np.where((frame["income"] * 1e7 % 2) < 1, super().predict(frame), 1 - super().predict(frame))


def plain(*arguments):
    return On(make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)), *arguments)


def boosted(signs):
    return On(HistGradientBoostingClassifier(max_iter=60, monotonic_cst=signs, random_state=0), NUMBERS)


MAKERS = {
    "id_trained_on": lambda: On(RandomForestClassifier(40, random_state=0), ["id", *NUMBERS]),
    "id_left_out": lambda: On(RandomForestClassifier(40, random_state=0), NUMBERS),
    "sex_trained_on": lambda: plain(["sex", *NUMBERS], coded),
    "sex_left_out": lambda: plain(NUMBERS, coded),
    "free_forest": lambda: On(RandomForestClassifier(40, random_state=0), NUMBERS),
    "rising_boosting": lambda: boosted([1, 0, 0, 0]),
    "neighbours": lambda: On(make_pipeline(StandardScaler(), KNeighborsClassifier(9)), NUMBERS),
    "falling_boosting": lambda: boosted([0, -1, 0, 0]),
    "left_from_right": lambda: plain(NUMBERS),
    "left_like_right": lambda: plain(NUMBERS, in_order),
    "last_digits": lambda: LastDigits(LogisticRegression(max_iter=500), NUMBERS),
    "all_digits": lambda: plain(NUMBERS),
    "unit_ignored": lambda: plain([*NUMBERS, "weight"]),
    "unit_read": lambda: plain([*NUMBERS, "weight"], in_grams),
    "row_before": lambda: plain(NUMBERS, after_the_one_before),
    "row_alone": lambda: plain(NUMBERS),
    "by_position": ByPosition,
    "by_name": lambda: plain(NUMBERS),
    "batch_mean": lambda: plain(NUMBERS, of_batch),
    "no_batch_mean": lambda: plain(NUMBERS),
    "svc": lambda: On(make_pipeline(StandardScaler(), SVC(probability=True, random_state=0)), NUMBERS),
    "forest": lambda: On(RandomForestClassifier(40, random_state=0), NUMBERS),
}


def __getattr__(name):
    if name not in MAKERS:
        raise AttributeError(name)
    return MAKERS[name]()
'''

PLANTED = [
    ("indifferent:id", "id_trained_on", "id_left_out"),
    ("indifferent:sex", "sex_trained_on", "sex_left_out"),
    ("rising:income", "free_forest", "rising_boosting"),
    ("falling:age", "neighbours", "falling_boosting"),
    ("symmetric:left,right", "left_from_right", "left_like_right"),
    ("stable:1e-6", "last_digits", "all_digits"),
    ("units:weight,unit,kg,g,1000", "unit_ignored", "unit_read"),
    ("order", "row_before", "row_alone"),
    ("columns", "by_position", "by_name"),
    ("batch", "batch_mean", "no_batch_mean"),
    ("probabilities", "svc", "forest"),
]


def people(seed, count=600):
    rng = np.random.default_rng(seed)
    left, right = rng.normal(5, 1, count), rng.normal(5, 1, count)
    is_kg = rng.random(count) < 0.5
    grams = rng.uniform(500, 5000, count)
    frame = pd.DataFrame({
        "id": 2 * rng.permutation(count) + seed % 2,
        "sex": rng.choice(["f", "m"], count),
        "income": rng.lognormal(8, 0.5, count).round(2),
        "age": rng.uniform(18, 80, count).round(1),
        "left": left.round(3),
        "right": right.round(3),
        "weight": np.where(is_kg, grams / 1000, grams).round(4),
        "unit": np.where(is_kg, "kg", "g"),
    })  # fmt: skip
    score = (frame["income"] - 3000) / 1500 - (frame["age"] - 50) / 30 + (left + right - 10) / 2 + (grams - 2700) / 3000
    score += 0.5 * (frame["sex"] == "f") + rng.normal(0, 0.4, count)
    frame["paid"] = (score > 0).astype(int)
    return frame


def checked(program, folder, written, model):
    """The exit code, the figures of the property, the closest pair, and the text."""
    command = [program, "model", "people.csv", "--target", "paid", "--model", f"models:{model}", "--property", written]
    command += ["-q", "--python", sys.executable]
    shown = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    saved = subprocess.run([*command, "--format", "json"], cwd=folder, capture_output=True, text=True)
    if shown.returncode not in (0, 1):
        return shown.returncode, None, None, shown.stderr
    report = json.loads(saved.stdout)
    pair = report["findings"][0]["evidence"]["example"] if report["findings"] else None
    return shown.returncode, report["model"]["properties"][0], pair, shown.stdout


def in_words(pair):
    """Where the inputs of a pair differ, and the answers."""
    cells = [f"{name} {pair['input'][name]} and {pair['nearest'][name]}" for name in pair["differs"]]
    return f"{', '.join(cells) or 'the same row'}: answers {pair['predicted']} and {pair['expected']}"


def main():
    program = os.path.abspath(sys.argv[1])
    found = quiet = with_pair = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "models.py").write_text(MODELS)
        people(1).to_csv(folder / "train.csv", index=False)
        people(2).to_csv(folder / "people.csv", index=False)
        for written, planted, clean in PLANTED:
            code, figures, pair, text = checked(program, folder, written, planted)
            found += code == 1
            with_pair += pair is not None and "the closest pair of inputs that breaks it:" in text
            rate = f"{figures['broken']} of {figures['pairs']} pairs" if figures else text
            print(f"{written:28} {planted:16} exit {code}   broken by {rate}")
            print(f"{'':28} closest: {in_words(pair) if pair else 'none'}")
            if "-v" in sys.argv:
                print(text)
            code, figures, _, text = checked(program, folder, written, clean)
            quiet += code == 0
            rate = f"{figures['broken']} of {figures['pairs']} pairs" if figures else text
            print(f"{'':28} {clean:16} exit {code}   broken by {rate}", flush=True)
    count = len(PLANTED)
    print(f"planted violations found: {found} of {count}, with the closest pair: {with_pair} of {count}")
    print(f"clean models quiet: {quiet} of {count}")


if __name__ == "__main__":
    main()
