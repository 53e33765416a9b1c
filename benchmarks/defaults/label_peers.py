"""Peers for label vectors: scikit-learn's one model per label, and its chain of models."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.svm import LinearSVC

from defaults.class_peers import logistic
from defaults.peer import C_GRID, Answer, Peer, Setting, crossed, values
from defaults.task import Split, Task


class LogisticOrConstant(LogisticRegression):
    """LogisticRegression, but a label that is always set, or never, is predicted to stay so."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogisticOrConstant:
        self.only_ = y[0] if (y == y[0]).all() else None
        if self.only_ is None:
            super().fit(X, y, sample_weight)
        else:
            self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return super().predict(X) if self.only_ is None else np.full(X.shape[0], self.only_)


def svc_per_label(setting: Setting, task: Task, split: Split) -> Answer:
    answer: Answer = OneVsRestClassifier(LinearSVC(**setting)).fit(split.X, split.y).predict
    return answer


def logistic_per_label(setting: Setting, task: Task, split: Split) -> Answer:
    """One logistic regression per label; the probability from which a label is set is a setting."""
    rest = {name: value for name, value in setting.items() if name != "threshold"}
    model, threshold = OneVsRestClassifier(logistic(**rest)).fit(split.X, split.y), setting.get("threshold", 0.5)
    return lambda X: (model.predict_proba(X) > threshold).astype(np.int64)


def chain(setting: Setting, task: Task, split: Split) -> Answer:
    """The labels in their own order, each with those before it as features."""
    base = LogisticOrConstant(**({"max_iter": 300} if setting else {}), **setting)
    model = ClassifierChain(base).fit(split.X, split.y)
    return lambda X: np.asarray(model.predict(X)).astype(np.int64)


LABEL_PEERS = (
    Peer("OneVsRest LinearSVC", svc_per_label, C_GRID),
    Peer("OneVsRest LogisticRegression", logistic_per_label, crossed(C_GRID, values("threshold", 0.25, 0.35, 0.5))),
    Peer("ClassifierChain", chain, C_GRID),
)
