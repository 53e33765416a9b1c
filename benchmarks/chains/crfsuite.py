"""CRFsuite, through python-crfsuite, as methods of the chain benchmark."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite

from chains.data import Strings, Tags
from chains.objective import Weights


class _Trainer(pycrfsuite.Trainer):
    """Keeps (CPU seconds since the start of training, loss) of each iteration, from CRFsuite's own log."""

    points: list[tuple[float, float]]
    began = 0.0

    def message(self, message: str) -> None:
        event = self.logparser.feed(message)
        if event == "iteration" and "loss" in self.logparser.last_iteration:
            self.points.append((time.process_time() - self.began, self.logparser.last_iteration["loss"]))


class CRFsuiteModel:
    """A tagger on the model file; ``log`` is the loss over the seconds of training."""

    def __init__(self, folder: Any, path: Path, marks: bool, log: list[tuple[float, float]], iterations: int) -> None:
        self._folder, self._marks, self._log, self._iterations = folder, marks, log, iterations
        self.tagger = pycrfsuite.Tagger()
        self.tagger.open(str(path))

    def pack(self, X: Strings) -> list[Any]:
        return [pycrfsuite.ItemSequence(_marked(tokens) if self._marks else tokens) for tokens in X]

    def predict(self, packed: list[Any]) -> list[Any]:
        return [self.tagger.tag(tokens) for tokens in packed]

    def weights(self) -> tuple[Weights, list[str], list[str]]:
        """The weights, the attributes and the labels they belong to; CRFsuite has no intercept, start or end."""
        info = self.tagger.info()
        labels, names = sorted(info.labels), sorted(info.attributes)
        label = {name: number for number, name in enumerate(labels)}
        attribute = {name: number for number, name in enumerate(names)}
        state = np.zeros((len(names), len(labels)))
        for (name, to), weight in info.state_features.items():
            state[attribute[name], label[to]] = weight
        transition = np.zeros((len(labels), len(labels)))
        for (before, after), weight in info.transitions.items():
            transition[label[before], label[after]] = weight
        nothing = np.zeros(len(labels))
        return Weights(state, transition, nothing, nothing, nothing), names, labels

    def facts(self) -> dict[str, Any]:
        return {"n_iter": self._iterations, "log": self._log}


class CRFsuite:
    """``pack`` copies the attributes into CRFsuite's dictionary; ``train`` makes its features, optimises and stores.

    ``algorithm`` is ``'lbfgs'``, ``'l2sgd'``, ``'ap'``, ``'pa'`` or ``'arow'``; ``marks`` adds attributes for the first
    and the last token and one that all have, as our models weigh them, ``every_feature`` weighs attributes and
    transitions also with labels that they never met in training, as ours do; the rest are parameters of CRFsuite.
    """

    def __init__(self, algorithm: str, marks: bool = False, every_feature: bool = False, **settings: Any) -> None:
        every = {"feature.possible_states": every_feature, "feature.possible_transitions": every_feature}
        self.algorithm, self.marks, self.settings = algorithm, marks, {**every, **settings}

    def pack(self, X: Strings, Y: Tags) -> Any:
        trainer = _Trainer(algorithm=self.algorithm, params=self.settings, verbose=False)
        for tokens, labels in zip(X, Y):
            trainer.append(_marked(tokens) if self.marks else tokens, labels)
        return trainer

    def train(self, packed: Any) -> CRFsuiteModel:
        folder = tempfile.TemporaryDirectory()
        path = Path(folder.name) / "model"
        packed.points, packed.began = [], time.process_time()
        packed.train(str(path))
        return CRFsuiteModel(folder, path, self.marks, packed.points, len(packed.logparser.iterations))


def _marked(tokens: list[list[str]]) -> list[list[str]]:
    marked = [[*token, "__BIAS__"] for token in tokens]
    marked[0].append("__BOS__")
    marked[-1].append("__EOS__")
    return marked
