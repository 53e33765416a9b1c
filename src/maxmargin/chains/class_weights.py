"""Weights of the labels of sequences."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.chains.chain import ChainInput
from maxmargin.chains.sequences.partial import PartialLabels

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]


def read_class_weight(class_weight: Any, classes: npt.NDArray[Any], counts: Floats, *, zero: bool) -> Floats:
    """One weight for each class, from a dict of labels to numbers, 1 where it has none; or from ``'balanced'``.

    Parameters
    ----------
    counts : tokens of each label: ``'balanced'`` is all tokens over labels times tokens of the label, as in
        scikit-learn; 1 for a label of which no token is known
    zero : whether a weight may be zero
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        balanced = np.full(counts.size, counts.sum() / counts.size)
        return np.asarray(np.divide(balanced, counts, out=np.ones_like(balanced), where=counts > 0.0))
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight must be a dict of labels to numbers, or 'balanced', not {class_weight!r}.")
    known = set(classes.tolist())
    for label, factor in class_weight.items():
        if label not in known:
            raise ValueError(f"class_weight names {label!r}, which is not a label of the data; leave it out.")
        finite = not isinstance(factor, bool) and isinstance(factor, Real) and 0.0 <= float(factor) < np.inf
        if not finite or (not zero and float(factor) == 0.0):
            wanted = "a finite number of at least 0" if zero else "a positive finite number"
            raise ValueError(f"class_weight[{label!r}] is {factor!r}; give {wanted}.")
    return np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])


def label_counts(given: ChainInput, labels: Codes | PartialLabels, weight: Floats | None, n_labels: int) -> Floats:
    """The number of tokens that are known to have each label; a sequence of weight 2 counts twice."""
    lengths = given.tokens.lengths
    each = np.ones(int(lengths.sum())) if weight is None else np.repeat(weight, lengths)
    if isinstance(labels, PartialLabels):
        each, labels = each[labels.known], labels.codes[labels.known]
    return np.bincount(labels, each, n_labels).astype(np.float64)
