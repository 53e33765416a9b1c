"""Peers for rankings and for diverse choices: regression of the grades, LightGBM, marginal relevance."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge

from defaults.peer import C_GRID, DECADES, Answer, Peer, Setting, around, crossed, values
from defaults.task import Split, Task


def ridge(setting: Setting, task: Task, split: Split) -> Answer:
    """Regression of the grades of single documents."""
    answer: Answer = Ridge(**setting).fit(split.X, split.y).predict
    return answer


def relevance(setting: Setting, task: Task, split: Split) -> Answer:
    """Logistic regression of whether a document has any grade above the lowest."""
    options = {"max_iter": 300} if setting else {}
    answer: Answer = LogisticRegression(**options, **setting).fit(split.X, split.y > split.y.min()).decision_function
    return answer


def lambdamart(setting: Setting, task: Task, split: Split) -> Answer:
    from lightgbm import LGBMRanker

    sizes = np.unique(split.groups, return_counts=True)[1]
    model = LGBMRanker(n_jobs=1, random_state=0, verbose=-1, **setting)
    booster = model.fit(split.X, split.y, group=sizes).booster_
    return lambda X: np.asarray(booster.predict(X), dtype=np.float64)


def marginal_relevance(setting: Setting, task: Task, split: Split) -> Answer:
    """Ridge regression of the number of subtopics of a document, then documents that are relevant and unlike those
    chosen before (Carbonell and Goldstein 1998)."""
    balance = setting.get("balance", 0.5)
    words = TfidfVectorizer(sublinear_tf=True)
    X = words.fit_transform([text for candidates in split.X for text in candidates["text"]])
    grades = [len(subtopics) for documents in split.y for subtopics in documents]
    model = Ridge(setting.get("alpha", 1.0), solver="sparse_cg").fit(X, grades)

    def choose(candidates: Any) -> list[int]:
        rows = words.transform(candidates["text"])
        merit, alike = model.predict(rows), (rows @ rows.T).toarray()
        merit = (merit - merit.mean()) / (merit.std() or 1.0)
        chosen: list[int] = []
        for _ in range(5):
            nearest = alike[:, chosen].max(axis=1) if chosen else np.zeros(len(merit))
            value = balance * merit - (1.0 - balance) * nearest * 10.0
            value[chosen] = -np.inf
            chosen.append(int(value.argmax()))
        return chosen

    return lambda sets: [choose(candidates) for candidates in sets]


RANKING_PEERS = (
    Peer("Ridge", ridge, around("alpha", tuple(0.1 * factor for factor in DECADES), 1)),
    Peer("LogisticRegression", relevance, C_GRID),
    Peer(
        "LambdaMART",
        lambdamart,
        crossed(values("num_leaves", 4, 16), values("learning_rate", 0.03, 0.1), values("n_estimators", 100, 300)),
        needs=("lightgbm", "lightgbm"),
    ),
)
DIVERSITY_PEERS = (
    Peer(
        "marginal relevance",
        marginal_relevance,
        crossed(values("alpha", 0.1, 1.0, 10.0), values("balance", 0.2, 0.5, 0.8, 1.0)),
    ),
)
