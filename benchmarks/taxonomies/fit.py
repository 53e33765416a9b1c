"""The measured parts of the benchmark of taxonomies; each function runs in an interpreter of its own."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import RepeatedStratifiedKFold

from maxmargin import TaxonomySVC
from maxmargin.classes.taxonomies import taxonomy_losses
from maxmargin.datasets import make_taxonomy
from maxmargin.metrics import tree_loss
from shared.harness import measure
from taxonomies.data import Workload, load, prepared, splits
from taxonomies.methods import METHODS

Floats = npt.NDArray[np.float64]
VALIDATIONS = 4  # models by which a setting is judged, whatever the number of folds


def subsamples(
    data: str, per_class: int, folds: int, seeds: list[int], methods: list[str], quick: bool
) -> list[dict[str, Any]]:
    """Every method on the folds of each subsample, as ``compare`` gives it; the data are read once."""
    workload = load(data)
    return [compare(workload, per_class, folds, seed, methods, quick) for seed in seeds]


def compare(
    workload: Workload, per_class: int, folds: int, seed: int, methods: list[str], quick: bool
) -> dict[str, Any]:
    """Accuracy and tree loss with all classes counting alike, as in training, and with all rows counting alike; CPU
    seconds of a fit at the chosen setting, and these settings."""
    X, y, taxonomy = workload.X, workload.y, workload.taxonomy
    answers = {name: np.empty_like(y) for name in methods}
    found: dict[str, Any] = {name: {"cpu": 0.0, "settings": []} for name in methods}
    for split in splits(y, per_class, folds, seed):
        train, test = prepared(X, split)
        truth = y[split.train]
        classes = np.unique(truth)
        for name in methods:
            method, own = METHODS[name], found[name]
            setting = _chosen(name, train, truth, taxonomy, classes, per_class, quick)
            begin = time.process_time()
            model = _fitted(method.make(setting, taxonomy, classes), train, truth)
            own["cpu"] += time.process_time() - begin
            answers[name][split.test] = model.predict(test)
            own["settings"].append(setting)
    classes, code, count = np.unique(y, return_inverse=True, return_counts=True)
    alike = 1.0 / (classes.size * count[code])  # of a row where classes count alike
    for name, own in found.items():
        right = answers[name] == y
        losses = taxonomy_losses(taxonomy, y.tolist(), answers[name].tolist())
        own["cpu"] /= folds
        own["by_class"] = {"accuracy": float(alike @ right), "tree_loss": float(alike @ losses)}
        own["by_row"] = {"accuracy": float(right.mean()), "tree_loss": float(losses.mean())}
    return found


def _chosen(
    name: str, X: Any, y: npt.NDArray[Any], taxonomy: Any, classes: npt.NDArray[Any], folds: int, quick: bool
) -> dict[str, Any]:
    """The setting of least tree loss in cross validation within the training rows; the first of equals."""
    method = METHODS[name]
    repeats = max(1, VALIDATIONS // folds)
    parts = list(RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=0).split(np.zeros(y.size), y))
    losses: list[float] = []
    settings = method.settings(quick)
    for setting in settings:
        total = 0.0
        for kept, left in parts:
            model = _fitted(method.make(setting, taxonomy, classes), X[kept], y[kept])
            total += float(taxonomy_losses(taxonomy, y[left].tolist(), model.predict(X[left]).tolist()).sum())
        losses.append(total)
    return settings[int(np.argmin(losses))]


def _fitted(model: Any, X: Any, y: npt.NDArray[Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of LinearSVC at large C
        return model.fit(X, y)


def large(rows: int, branching: list[int], features: int, tol: float) -> dict[str, Any]:
    """TaxonomySVC on generated texts about the leaves of a large tree."""
    tested = max(100, rows // 20)
    X, y = make_taxonomy(rows + tested, branching=tuple(branching), n_features=features, seed=0)
    train, truth = X[:rows], y[:rows]
    model, cost = measure(lambda: TaxonomySVC(taxonomy=".", node_weight=0.5, tol=tol).fit(train, truth))
    answers, asked = measure(lambda: model.predict(X[rows:]))
    return {
        "rows": rows,
        "classes": int(model.classes_.size),
        "nodes": int(model.nodes_.size),
        "features": features,
        "values_a_row": X.nnz / X.shape[0],
        "cpu": cost.cpu,
        "wall": cost.wall,
        "peak": cost.peak,
        "data": int(train.data.nbytes + train.indices.nbytes + train.indptr.nbytes),
        "C": model.C_,
        "tol": tol,
        "passes": model.n_iter_,
        "status": model.solution_.status.name,
        "gap": model.solution_.gap,
        "primal": model.solution_.primal,
        "predict_cpu": asked.cpu,
        "tested": tested,
        "accuracy": float(np.mean(answers == y[rows:])),
        "tree_loss": tree_loss(y[rows:], answers, "."),
    }
