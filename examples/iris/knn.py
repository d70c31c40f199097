"""A k-nearest-neighbours classifier, as small as one can be."""

import numpy as np


class Neighbours:
    """Answers the label that most of the nearest rows have."""

    def __init__(self, count):
        self.count = count

    def fit(self, rows, labels):
        self.rows, self.labels = np.asarray(rows), np.asarray(labels)
        return self

    def predict(self, rows):
        gaps = np.asarray(rows)[:, None, :] - self.rows[None, :, :]
        nearest = np.argsort((gaps**2).sum(axis=2), axis=1, kind="stable")[:, : self.count]
        names, codes = np.unique(self.labels, return_inverse=True)
        votes = np.array([np.bincount(row, minlength=len(names)) for row in codes[nearest]])
        return names[votes.argmax(axis=1)]
