"""Peers for measures of two classes: scikit-learn's linear models with their thresholds and class weights tuned."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.svm import LinearSVC

from defaults.class_peers import logistic
from defaults.peer import C_GRID, Answer, Peer, Setting, crossed, values
from defaults.scores import RANKING_MEASURES
from defaults.task import Split, Task

_SCORING: dict[str, Any] = {
    "f1": "f1",
    "fbeta(2)": make_scorer(fbeta_score, beta=2.0),
    "fbeta(0.5)": make_scorer(fbeta_score, beta=0.5),
    "balanced_error": "balanced_accuracy",
    "error_rate": "accuracy",
}


def answers(model: Any, task: Task) -> Answer:
    """Scores for measures of rankings, else labels."""
    ranks = task.options["measure"].startswith(RANKING_MEASURES)
    answer: Answer = model.decision_function if ranks else model.predict
    return answer


def logistic_regression(setting: Setting, task: Task, split: Split) -> Answer:
    return answers(logistic(**setting).fit(split.X, split.y), task)


def linear_svc(setting: Setting, task: Task, split: Split) -> Answer:
    return answers(LinearSVC(**setting).fit(split.X, split.y), task)


def tuned_threshold(setting: Setting, task: Task, split: Split) -> Answer:
    """Logistic regression whose threshold is chosen on folds of the training rows: five of them and among a hundred as
    it comes, three and among thirty where C is chosen as well, which is six times faster and no worse."""
    scoring = _SCORING.get(task.options["measure"])
    model = LogisticRegression(**({"max_iter": 300} if setting else {}), **setting)
    if scoring is None:  # a measure of a ranking has no threshold
        return answers(model.fit(split.X, split.y), task)
    search = {"cv": 3, "thresholds": 30} if setting else {"cv": min(5, int(np.bincount(split.y).min()))}
    answer: Answer = TunedThresholdClassifierCV(model, scoring=scoring, **search).fit(split.X, split.y).predict
    return answer


_WEIGHTED = crossed(C_GRID, values("class_weight", None, "balanced"))
MEASURE_PEERS = (
    Peer("LogisticRegression", logistic_regression, _WEIGHTED),
    Peer("LinearSVC", linear_svc, _WEIGHTED),
    Peer("LogisticRegression, threshold", tuned_threshold, lambda task, split: C_GRID(task, split)[1:3]),
)
