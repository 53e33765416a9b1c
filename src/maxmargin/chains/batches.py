"""Chain estimators that learn from one batch of sequences after the other."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.chains.base import ChainEstimator
from maxmargin.chains.chain import Chain, ChainInput
from maxmargin.chains.features.vectorizer import SequenceVectorizer
from maxmargin.chains.input import InputReader
from maxmargin.chains.sequences.labels import label_classes, pack_labels
from maxmargin.oracles.bind import check_sample_weight

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]


class BatchedChain(ChainEstimator):
    """The reading of batches: classes are fixed by the first one, attributes of text may be added by every one."""

    def _next_batch(
        self, X: Any, Y: Any, classes: Any, lengths: Any, sample_weight: Any
    ) -> tuple[ChainInput, Codes, Floats | None, Chain | None]:
        """A batch, its labels and weights, and the chain before it; None in the first batch."""
        before = getattr(self, "chain_", None)
        if before is None:
            given = self._first_batch(X, classes, lengths)
        else:
            if classes is not None and label_classes(classes).tolist() != self.classes_.tolist():
                raise ValueError(
                    f"classes are {label_classes(classes).tolist()}, but those of the first batch were "
                    f"{self.classes_.tolist()}; leave them out after the first call."
                )
            self.reader_ = deepcopy(self.reader_)  # the one before is what is left where the batch is refused
            given = self.reader_.learn_more(X, lengths)
        codes = pack_labels(Y, given.tokens, classes=self.classes_)[1]
        weight = check_sample_weight(sample_weight, len(given))
        if before is None:
            self.chain_ = self._chain(given)
        else:
            pairs = 0 if given.pairs is None else given.pairs.n_features
            self.chain_ = replace(before, n_features=given.tokens.n_features, n_pair_features=pairs)
            if given.tokens.n_features < before.n_features or self.reader_.vectorizer is None:
                given.check(before.n_features, before.n_pair_features)
        self.n_features_in_ = given.tokens.n_features
        used = np.flatnonzero(given.tokens.lengths)
        if used.size < len(given) and used.size:
            given, weight = given[used], None if weight is None else weight[used]
        return given, codes, weight, before

    def _first_batch(self, X: Any, classes: Any, lengths: Any) -> ChainInput:
        if classes is None:
            raise ValueError("classes must be given in the first call of partial_fit: all labels that may come.")
        if self.min_count > 1:
            raise ValueError("min_count needs all data at once; for batches set min_count=1, or use hashing.")
        self.classes_ = label_classes(classes)
        vectorizer = SequenceVectorizer(templates=self.templates, min_count=self.min_count, hashing=self.hashing)
        self.reader_ = InputReader(vectorizer, self.window)
        return self.reader_.learn(X, lengths)

    def _grown(self, weights: Floats, before: Chain) -> Floats:
        """Weights or counts of the chain before a batch, in the layout of the present one."""
        return grown(weights, before, self.chain_, int(self.reader_.window))


def grown(weights: Floats, before: Chain, after: Chain, window: int = 0) -> Floats:
    """Weights in the layout of ``before`` in that of ``after``, which has more features, each at the end of its kind.

    With a ``window`` the features of a token and of its neighbours are side by side, each part with its own end.
    """
    labels, parts = before.n_labels, 2 * window + 1
    old = weights.reshape(before.rows, labels)
    new = np.zeros((after.rows, labels))
    own, more = before.n_features // parts, after.n_features // parts
    for part in range(parts):
        new[part * more : part * more + own] = old[part * own : (part + 1) * own]
    new[after.n_features : after.columns] = old[before.n_features : before.columns]
    pairs = before.n_pair_features * labels
    new[after.columns : after.columns + pairs] = old[before.columns : before.columns + pairs]
    rest = before.rows - before.columns - pairs
    new[after.rows - rest :] = old[before.rows - rest :]
    return new.ravel()
