"""Labelled sequences as chain estimators train on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.chains.chain import Chain, ChainInput, as_token_rows
from maxmargin.chains.class_weights import label_counts
from maxmargin.chains.columns import ChainColumns
from maxmargin.chains.scale import TokenScale
from maxmargin.chains.sequences.partial import PartialLabels
from maxmargin.rows.row_keys import row_keys

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

SAMPLE = 10_000  # tokens that show how often predictions are wrong


@dataclass(frozen=True, eq=False)
class ChainData:
    """Sequences in features of common size where ``C='scale'`` asks for it, their labels and weights.

    Parameters
    ----------
    columns : what the features were changed by
    scale : the measures of all sequences that were read, also where these are a part of them
    """

    chain: Chain
    given: ChainInput
    labels: Codes | PartialLabels
    weight: Floats | None
    columns: ChainColumns
    scale: TokenScale

    @classmethod
    def read(
        cls,
        estimator: Any,
        X: Any,
        Y: Any,
        lengths: Any,
        sample_weight: Any,
        cost: Callable[[Floats], Any] = lambda counts: None,
    ) -> ChainData:
        """Reads training data in any form; sets the attributes of the estimator that do not depend on training.

        ``cost`` makes the costs of mistakes from the number of tokens of each label.
        """
        given, labels, weight = estimator._learn(X, Y, lengths, sample_weight)
        chain = estimator.chain_ = estimator._chain(
            given, cost(label_counts(given, labels, weight, estimator.classes_.size))
        )
        columns, given = estimator._common_size(given, weight)
        codes = labels.codes if isinstance(labels, PartialLabels) else labels
        scale = TokenScale.of(given.tokens, codes, weight, chain.constant)
        if estimator.kernel_ is not None:  # whatever form the kernel has, it spans no more dimensions than tokens
            scale = replace(scale, features=min(scale.features, int(scale.tokens)))
        if given.units is not None:  # a pass meets every token with all others
            scale = replace(scale, work=scale.work + chain.n_labels * float(given.tokens.tokens) ** 2)
        return cls(chain, given, labels, weight, columns, scale)

    @property
    def codes(self) -> Codes:
        """A label of each token, for those that are known in part a guess."""
        return self.labels.codes if isinstance(self.labels, PartialLabels) else self.labels

    @property
    def counts(self) -> Floats:
        """The number of tokens that are known to have each label, by weight."""
        return label_counts(self.given, self.labels, self.weight, self.chain.n_labels)

    @property
    def keys(self) -> Floats:
        """A number for each sequence, the same for equal ones, by which they come in no particular order."""
        tokens = self.given.tokens
        keys = row_keys(as_token_rows(tokens, 0.0), np.ones(tokens.n_features))
        return np.asarray(np.add.reduceat(keys, tokens.offsets[:-1]))

    def take(self, sequences: npt.NDArray[np.intp]) -> ChainData:
        """Some of the sequences, whose labels are known."""
        assert not isinstance(self.labels, PartialLabels)
        chosen = np.zeros(len(self.given), dtype=bool)
        chosen[sequences] = True
        weight = None if self.weight is None else np.ascontiguousarray(self.weight[sequences])
        labels = self.labels[np.repeat(chosen, self.given.tokens.lengths)]
        return replace(self, given=self.given[sequences], labels=labels, weight=weight)

    def some(self, tokens: int) -> ChainData:
        """Sequences that are evenly spread, with about so many tokens, or all where there are no more."""
        each = max(1, self.given.tokens.tokens // tokens)
        return self if each == 1 else self.take(np.arange(0, len(self.given), each))

    def mistakes(self, w: npt.NDArray[Any], threads: int) -> tuple[float, float]:
        """The wrong tokens of the predictions at ``w``, and all tokens; both weighted."""
        return float(self.wrong(w, threads).sum()), float(self.token_weight.sum())

    def wrong(self, w: npt.NDArray[Any], threads: int) -> Floats:
        """The weight of each token that the predictions at ``w`` have wrong, 0 of the others."""
        found, _, _ = self.chain.core(self.given).decode(w, 1, None, None, threads)
        return np.where(found != self.codes, self.token_weight, 0.0)

    @property
    def token_weight(self) -> Floats:
        """That of its sequence, for each token."""
        lengths = self.given.tokens.lengths
        return np.ones(int(lengths.sum())) if self.weight is None else np.repeat(self.weight, lengths)
