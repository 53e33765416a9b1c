"""A fit of every estimator that takes sparse matrices, on a few rows."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp

from maxmargin import (
    ChainCRF,
    ChainPerceptron,
    ChainSVC,
    DiversityRanker,
    MeasureSVC,
    MulticlassSVC,
    MultilabelSVC,
    RankingSVM,
    StructuralSVM,
    TaxonomySVC,
)

N, D = 40, 6


def matrix():
    """A sparse matrix with a value in each row."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.6)
    X[:, 0] = rng.standard_normal(N)
    return sp.csr_array(X)


class Sign:
    """Two outputs, -1 and 1, for a row of features."""

    def joint_feature(self, x, y):
        return x * float(y)

    def loss(self, y_true, y):
        return float(y_true != y)

    def argmax(self, x, w, y_true=None):
        return max((-1, 1), key=lambda y: float((x @ w)[0]) * y + (0.0 if y_true is None else self.loss(y_true, y)))


Y = np.arange(N) % 2
CLASSES = np.array(["a.b", "a.c", "d.e", "d.f"])[np.arange(N) % 4]
LENGTHS = [N // 4] * 4
FITS = {
    "multiclass": (MulticlassSVC(), lambda model, X: model.fit(X, CLASSES)),
    "taxonomy": (TaxonomySVC(taxonomy="."), lambda model, X: model.fit(X, CLASSES)),
    "multilabel": (MultilabelSVC(), lambda model, X: model.fit(X, np.c_[Y, 1 - Y, np.arange(N) % 3 == 0])),
    "measure": (MeasureSVC("f1"), lambda model, X: model.fit(X, Y)),
    "ranking": (RankingSVM(), lambda model, X: model.fit(X, np.arange(N) % 3, [N // 4] * 4)),
    "chain svm": (ChainSVC(), lambda model, X: model.fit(X, CLASSES, lengths=LENGTHS)),
    "chain crf": (ChainCRF(), lambda model, X: model.fit(X, CLASSES, lengths=LENGTHS)),
    "chain perceptron": (ChainPerceptron(), lambda model, X: model.fit(X, CLASSES, lengths=LENGTHS)),
    "structural": (StructuralSVM(Sign()), lambda model, X: model.fit(X, 2 * Y - 1)),
    "diversity": (DiversityRanker(2), lambda model, X: model.fit([X], [[{int(k)} for k in np.arange(N) % 5]])),
}
PREDICTS = {
    name: (lambda model, X: model.predict(X, lengths=LENGTHS)) if name.startswith("chain") else None for name in FITS
}


def fitted(name):
    model, fit = FITS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(model, abs(matrix()) if name == "diversity" else matrix())


def predict(name, model, X):
    return PREDICTS[name](model, X) if PREDICTS[name] else model.predict([X] if name == "diversity" else X)
