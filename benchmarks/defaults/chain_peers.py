"""Peers for label sequences: CRFsuite, and logistic regression of single tokens."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from defaults.peer import C_GRID, Answer, Peer, Setting
from defaults.task import Split, Task


def as_items(task: Task, X: Any) -> Any:
    """Tokens as CRFsuite reads them: lists of attributes as they are, rows as dictionaries of values."""
    if not isinstance(X[0], np.ndarray):
        return X
    names = [str(column) for column in range(X[0].shape[1])]
    return [[dict(zip(names, row)) for row in rows.tolist()] for rows in X]


def crfsuite(algorithm: str) -> Any:
    def fit(setting: Setting, task: Task, split: Split) -> Answer:
        import pycrfsuite

        label_of = {str(label): label for labels in split.y for label in np.asarray(labels).tolist()}
        trainer = pycrfsuite.Trainer(algorithm=algorithm, params=setting, verbose=False)
        for tokens, labels in zip(split.X, split.y):
            trainer.append(tokens, [str(label) for label in np.asarray(labels).tolist()])
        folder = tempfile.TemporaryDirectory()
        path = str(Path(folder.name) / "model")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        folder.cleanup()  # the tagger has mapped or read the file
        return lambda X: [[label_of[label] for label in tagger.tag(tokens)] for tokens in X]

    return fit


def tokenwise(setting: Setting, task: Task, split: Split) -> Answer:
    """Logistic regression of the tokens, each for itself."""
    rows = _Rows(split.X)
    options = {"max_iter": 300} if setting else {}
    model = LogisticRegression(**options, **setting)
    model.fit(rows.of(split.X), np.concatenate([np.asarray(labels) for labels in split.y]))

    def answer(X: Any) -> list[Any]:
        ends = np.cumsum([len(tokens) for tokens in X])[:-1]
        return np.split(model.predict(rows.of(X)), ends)

    return answer


class _Rows:
    """Tokens of all sequences as one matrix."""

    def __init__(self, X: Any) -> None:
        self.words = None
        if not isinstance(X[0], np.ndarray):
            self.words = CountVectorizer(analyzer=list, binary=True).fit(token for tokens in X for token in tokens)

    def of(self, X: Any) -> Any:
        if self.words is None:
            return np.concatenate(X)
        return self.words.transform(token for tokens in X for token in tokens)


def _tokenwise_grid(task: Task, split: Split) -> list[Setting]:
    rows = _Rows(split.X).of(split.X)
    return C_GRID(task, Split(rows, None, None, None))[1:4]


def _crfsuite_grid(task: Task, split: Split) -> list[Setting]:
    pairs = ((0.0, 0.01), (0.0, 0.1), (0.0, 1.0), (0.1, 0.1))
    return [{"c1": c1, "c2": c2} for c1, c2 in pairs]


_CRFSUITE = ("pycrfsuite", "python-crfsuite")
CHAIN_PEERS = (
    Peer("CRFsuite", crfsuite("lbfgs"), _crfsuite_grid, _CRFSUITE, as_items),
    Peer("CRFsuite, perceptron", crfsuite("ap"), lambda task, split: [], _CRFSUITE, as_items),
    Peer("token by token", tokenwise, _tokenwise_grid),
)
