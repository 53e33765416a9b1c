"""Features of tokens brought to a common size before training, so that their units do not matter.

The constant, the transitions and the ends of a chain have the value 1: features of another size would make them
negligible, or all that counts. Attributes of text have the value 1 and stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from maxmargin.chains.chain import Chain, ChainInput, as_token_rows
from maxmargin.chains.sequences.packed import Sequences
from maxmargin.chains.weight_parts import chain_parts
from maxmargin.rows.columns import Columns
from maxmargin.rows.feature_scale import FeatureScale

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ChainColumns:
    """What the features of tokens and those of pairs of labels are changed by; None where they stay as they are."""

    tokens: Columns | None
    pairs: Columns | None

    @classmethod
    def of(cls, X: ChainInput, sample_weight: Floats | None, constant: float, explicit: bool = True) -> ChainColumns:
        """A typical column gets the size 1, as ``FeatureScale`` measures it.

        With a constant feature, which takes up what is subtracted, columns are also centred and brought together as
        those of ``MulticlassSVC`` are; without, and for features of pairs, all are multiplied by one number. Features
        of a kernel, which are not ``explicit``, stay as they are.
        """
        return cls(
            _measured(X.tokens, sample_weight, constant != 0.0) if explicit else None,
            None if X.pairs is None else _measured(X.pairs, sample_weight, False),
        )

    def apply(self, X: ChainInput) -> ChainInput:
        """The features that are trained on."""
        tokens = X.tokens if self.tokens is None else _changed(X.tokens, self.tokens)
        pairs = X.pairs if X.pairs is None or self.pairs is None else _changed(X.pairs, self.pairs)
        return replace(X, tokens=tokens, pairs=pairs)

    def restore(self, chain: Chain, w: Floats) -> Floats:
        """The weights that give features as they are the scores that ``w`` gives the changed ones."""
        if self.tokens is None and self.pairs is None:
            return w
        found = w.copy()
        parts = chain_parts(chain, found)
        if self.tokens is not None:
            features = parts.emissions
            features *= self.tokens.factor[:, None]
            if self.tokens.shift.any():
                constant = parts.constant
                constant -= (self.tokens.shift @ features) / chain.constant
        if self.pairs is not None:
            pairs = parts.pairs
            pairs *= self.pairs.factor[:, None, None]
        return found

    def adapt(self, chain: Chain, w: Floats) -> Floats:
        """The inverse of ``restore``, apart from columns that do not vary."""
        if self.tokens is None and self.pairs is None:
            return w
        found = w.copy()
        parts = chain_parts(chain, found)
        if self.tokens is not None:
            if self.tokens.shift.any():
                constant = parts.constant
                constant += (self.tokens.shift @ parts.emissions) / chain.constant
            features = parts.emissions
            features /= self.tokens.factor[:, None]
        if self.pairs is not None:
            pairs = parts.pairs
            pairs /= self.pairs.factor[:, None, None]
        return found


def _measured(X: Sequences, sample_weight: Floats | None, with_constant: bool) -> Columns | None:
    if X.values is None or not X.n_features or not len(X.indices):
        return None
    weight = None if sample_weight is None else np.repeat(sample_weight, X.lengths)
    scale = FeatureScale(as_token_rows(X, 0.0), weight)
    if with_constant:
        return Columns.of(scale, np.float64, unit=True)
    return None if scale.typical == 1.0 else Columns(np.zeros(X.n_features), np.full(X.n_features, 1.0 / scale.typical))


def _changed(X: Sequences, columns: Columns) -> Sequences:
    """The packed sequences with changed columns, in the precision that they have."""
    assert X.values is not None
    if not columns.shift.any():
        values = (X.values * columns.factor[X.indices]).astype(X.values.dtype)
        return Sequences(X.offsets, X.indptr, X.indices, values, X.n_features)
    matrix = X.matrix()
    matrix.data = matrix.data.astype(np.float64)
    moved = columns.apply(matrix)
    moved.sort_indices()
    return Sequences(
        X.offsets,
        moved.indptr.astype(np.int64),
        moved.indices.astype(np.int32),
        moved.data.astype(X.values.dtype),
        X.n_features,
    )
