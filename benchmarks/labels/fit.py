"""One method on one set of label vectors: C by cross-validation, one fit that is timed, scores of the test set."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, f1_score, hamming_loss
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from maxmargin import MultilabelSVC
from maxmargin.datasets import load_multilabel
from shared.harness import measure

NAMES = ("Hamming loss", "F1", "micro F1", "subset accuracy")
CHOSEN_BY = NAMES.index("F1")
GRID = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]


def ours(interactions: str, loss: str, method: str = "structural") -> Callable[[Any], Any]:
    return lambda C: MultilabelSVC(C, method=method, interactions=interactions, loss=loss, max_time=30.0)


class LinearOrConstant(LinearSVC):
    """LinearSVC, but a label that is always set, or never, is predicted to stay so; a chain has no rule for that."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearOrConstant:
        self.only_, self.classes_ = y[0] if (y == y[0]).all() else None, np.unique(y)
        return self if self.only_ is not None else super().fit(X, y, sample_weight)

    def predict(self, X: Any) -> Any:
        return super().predict(X) if self.only_ is None else np.full(X.shape[0], self.only_)


def one_a_label(C: Any) -> Any:
    return OneVsRestClassifier(LinearSVC(C=C, loss="hinge", max_iter=20_000))


def chain(C: Any) -> Any:
    """The labels in their own order, each with those before it as features."""
    return ClassifierChain(LinearOrConstant(C=C, loss="hinge", max_iter=20_000))


METHODS: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "MultilabelSVC, defaults": (ours("auto", "hamming", "auto"), ["scale"]),
    "MultilabelSVC, defaults, F1 loss": (ours("auto", "f1", "auto"), ["scale"]),
    "MultilabelSVC, defaults, zero-one loss": (ours("auto", "zero-one", "auto"), ["scale"]),
    "structural, independent": (ours("independent", "hamming"), GRID),
    "structural, independent, F1 loss": (ours("independent", "f1"), GRID),
    "structural, tree": (ours("tree", "hamming"), GRID),
    "structural, tree, default C": (ours("tree", "hamming"), ["scale"]),
    "structural, tree, F1 loss": (ours("tree", "f1"), GRID),
    "structural, tree, zero-one loss": (ours("tree", "zero-one"), GRID),
    "structural, full, default C": (ours("full", "hamming"), ["scale"]),
    "LinearSVC a label": (one_a_label, GRID),
    "ClassifierChain of LinearSVC": (chain, GRID),
}


def choose_and_test(name: str, method: str, quick: bool) -> dict[str, Any]:
    """The chosen C, CPU seconds and relative gap of its fit, and the scores of the test set."""
    (X, Y), (X_test, Y_test) = load(name)
    make, grid = METHODS[method]
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.filterwarnings("ignore", message="Label .* is present in .* training examples")
    tried = grid[:2] if quick else grid
    best = tried[0] if len(tried) == 1 else max(tried, key=lambda C: validated(make, C, X, Y))
    model, cost = measure(lambda: make(best).fit(X, Y))
    solution = getattr(model, "solution_", None)
    gap = None if solution is None or solution.gap is None else solution.gap / max(abs(solution.primal), 1e-300)
    return {
        "C": getattr(model, "C_", best),
        "cpu": cost.cpu,
        "gap": gap,
        "scores": scores(Y_test, model.predict(X_test)),
        "train": len(Y),
        "test": len(Y_test),
        "features": X.shape[1],
        "labels": Y.shape[1],
        "density": float(Y.sum(axis=1).mean()),
    }


def scores(truth: Any, found: Any) -> list[float]:
    """The numbers of NAMES. F1 is the mean over examples, 1 where no label is true and none predicted."""
    found = np.asarray(found).astype(np.int64)
    return [
        float(hamming_loss(truth, found)),
        float(f1_score(truth, found, average="samples", zero_division=1.0)),
        float(f1_score(truth, found, average="micro", zero_division=1.0)),
        float(accuracy_score(truth, found)),
    ]


def validated(make: Callable[[Any], Any], C: Any, X: Any, Y: Any) -> float:
    """F1 of the label vectors that three folds predict for each other."""
    found = np.zeros_like(Y)
    for train, held_out in KFold(3, shuffle=True, random_state=0).split(X):
        model = make(C)
        if isinstance(model, MultilabelSVC):
            model.set_params(tol=1e-2, max_time=3.0)  # good enough to choose by
        found[held_out] = model.fit(X[train], Y[train]).predict(X[held_out])
    return scores(Y, found)[CHOSEN_BY]


def load(name: str) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Training and test part; dense features are standardised by the training part."""
    if name == "generated":
        X, Y = make_multilabel_classification(240, 20, n_classes=6, n_labels=2, random_state=0)
        parts = (X[:160], Y[:160]), (X[160:], Y[160:])
    else:
        parts = tuple((part.X, part.Y) for part in (load_multilabel(name, "train"), load_multilabel(name, "test")))
    (X, Y), (X_test, Y_test) = parts
    if sp.issparse(X):
        return (X, Y), (X_test, Y_test)
    scaler = StandardScaler().fit(X)
    return (scaler.transform(X), Y), (scaler.transform(X_test), Y_test)
