"""Peers for tasks with one class per row, with and without costs, flat or in a tree: scikit-learn and HiClass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.svm import LinearSVC

from defaults.peer import C_GRID, DECADES, Answer, Peer, Setting, around, values
from defaults.task import Split, Task


def plain(make: Callable[..., Any]) -> Callable[[Setting, Task, Split], Answer]:
    """Fits and predicts classes; iterative solvers get more iterations where they are tuned."""

    def fit(setting: Setting, task: Task, split: Split) -> Answer:
        answer: Answer = make(**setting).fit(split.X, split.y).predict
        return answer

    return fit


def logistic(**setting: Any) -> LogisticRegression:
    return LogisticRegression(**({"max_iter": 300} if setting else {}), **setting)


def expected_cost(setting: Setting, task: Task, split: Split) -> Answer:
    """Probabilities of logistic regression, and the answer whose expected cost is smallest."""
    model, cost = logistic(**setting).fit(split.X, split.y), np.asarray(task.options["cost"])
    return lambda X: model.classes_[(model.predict_proba(X) @ cost[model.classes_][:, model.classes_]).argmin(axis=1)]


def hierarchical(setting: Setting, task: Task, split: Split) -> Answer:
    """HiClass' local classifiers, one per node that has children."""
    from hiclass import LocalClassifierPerParentNode

    divider = task.options["taxonomy"]
    paths = [str(name).split(divider) for name in split.y]
    longest = max(map(len, paths))
    # HiClass wants different names for different nodes: each is called by its path.
    levels = [[divider.join(path[: k + 1]) if k < len(path) else "" for k in range(longest)] for path in paths]
    model = LocalClassifierPerParentNode(local_classifier=logistic(**setting), n_jobs=1)
    model.fit(split.X, np.array(levels, dtype=object))
    return lambda X: np.array([[node for node in path if node != ""][-1] for path in model.predict(X)])


CLASS_PEERS = (
    Peer("LinearSVC", plain(LinearSVC), C_GRID),
    Peer("LogisticRegression", plain(logistic), C_GRID),
    Peer("RidgeClassifier", plain(RidgeClassifier), around("alpha", tuple(0.01 * f for f in DECADES), 1)),
    Peer("SGDClassifier", plain(lambda **s: SGDClassifier(random_state=0, **s)), values("alpha", 1e-5, 1e-4, 1e-3)),
)
COST_PEERS = (
    *CLASS_PEERS[:3],
    Peer("LogisticRegression, expected cost", expected_cost, C_GRID),
)
TAXONOMY_PEERS = (
    *CLASS_PEERS[:2],
    CLASS_PEERS[2],
    Peer("HiClass", hierarchical, C_GRID, needs=("hiclass", "hiclass")),
)
