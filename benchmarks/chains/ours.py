"""ChainSVC and ChainCRF as methods of the chain benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chains.data import Strings, Tags
from chains.objective import Weights
from maxmargin import ChainCRF, ChainSVC
from maxmargin.chains.features import SequenceVectorizer
from maxmargin.chains.sequences import Sequences


@dataclass(frozen=True)
class OursModel:
    """A fitted estimator with the vectoriser before it."""

    vectorizer: SequenceVectorizer
    estimator: Any

    def pack(self, X: Strings) -> Sequences:
        return self.vectorizer.transform(X)

    def predict(self, packed: Sequences) -> list[Any]:
        found: list[Any] = self.estimator.predict(packed)
        return found

    def weights(self) -> tuple[Weights, list[str], list[str]]:
        """The weights, the attributes and the labels they belong to."""
        labels = self.estimator.classes_.tolist()
        k, d = len(labels), self.estimator.n_features_in_
        rows = self.estimator.coef_.reshape(-1, k)
        constant = 1 if self.estimator.fit_intercept else 0
        intercept = rows[d] if constant else np.zeros(k)
        start, end, transition = np.split(rows[d + constant :], [1, 2])
        names = self.vectorizer.get_feature_names_out().tolist()
        return Weights(rows[:d], transition, intercept, start[0], end[0]), names, labels

    def facts(self) -> dict[str, Any]:
        solution = self.estimator.solution_
        return {
            "n_iter": solution.n_iter,
            "status": solution.status.name,
            "primal": solution.primal,
            "gap": solution.gap,
            "C": float(getattr(self.estimator, "C_", self.estimator.C)),
        }


class Ours:
    """One of our estimators; strings are packed by ``SequenceVectorizer``."""

    estimator: type[ChainSVC] | type[ChainCRF]

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.vectorizer = SequenceVectorizer()

    def pack(self, X: Strings, Y: Tags) -> tuple[Sequences, Tags]:
        return self.vectorizer.fit_transform(X), Y

    def train(self, packed: tuple[Sequences, Tags]) -> OursModel:
        return OursModel(self.vectorizer, self.estimator(**self.settings).fit(*packed))


class OursSVC(Ours):
    estimator = ChainSVC


class OursCRF(Ours):
    estimator = ChainCRF
