"""seqlearn's averaged perceptron as a method of the chain benchmark.

seqlearn 0.2 does not install by itself any more: its build wants Cython beside it (``pip install cython six`` and then
``pip install --no-build-isolation seqlearn``), and it looks for ``six`` inside scikit-learn, where it is put below.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import scipy.sparse as sp
import six
import sklearn.externals

from chains.data import Strings, Tags
from maxmargin.chains.features import SequenceVectorizer
from maxmargin.chains.sequences import Sequences

sklearn.externals.six = six
sys.modules["sklearn.externals.six"] = six
from seqlearn.perceptron import StructuredPerceptron  # noqa: E402


class SeqlearnModel:
    """The perceptron with our vectoriser before it: seqlearn has none for lists of strings."""

    def __init__(self, vectorizer: SequenceVectorizer, perceptron: Any) -> None:
        self.vectorizer, self.perceptron = vectorizer, perceptron

    def pack(self, X: Strings) -> Sequences:
        return self.vectorizer.transform(X)

    def predict(self, packed: Sequences) -> list[Any]:
        found = self.perceptron.predict(sp.csr_matrix(packed.matrix()), packed.lengths)
        return np.split(found, packed.offsets[1:-1])

    def weights(self) -> None:
        """None: averaged perceptrons have no objective."""

    def facts(self) -> dict[str, Any]:
        return {"n_iter": self.perceptron.max_iter}


class Seqlearn:
    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.vectorizer = SequenceVectorizer()

    def pack(self, X: Strings, Y: Tags) -> tuple[Any, Any, Any]:
        packed = self.vectorizer.fit_transform(X)
        return sp.csr_matrix(packed.matrix()), np.concatenate(Y), packed.lengths

    def train(self, packed: tuple[Any, Any, Any]) -> SeqlearnModel:
        perceptron = StructuredPerceptron(random_state=0, **self.settings).fit(*packed)
        return SeqlearnModel(self.vectorizer, perceptron)
